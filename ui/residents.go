package ui

import (
	"context"
	"errors"
	"net"
	"strconv"
	"sync"
	"time"

	"fyne.io/fyne/v2"

	"rentgen/app/cli/reach"
	"rentgen/app/money"
	"rentgen/app/purse/guard"
	"rentgen/app/purse/meter"
	"rentgen/assets/texts"
	"rentgen/probe"
	"rentgen/probe/remote"
	"rentgen/probe/stream"
	"rentgen/ui/home"
	"rentgen/ui/hosts"
)

const (
	// residentEvery is how often a host that is looked at is asked again.
	residentEvery = 20 * time.Second
	residentWait  = time.Minute
	// cancelled is how long a countdown that was cancelled holds the guard back.
	cancelled = time.Minute
	// guardEvery is how often a host is asked on which a stop guard is on, whatever
	// the window shows: a countdown lasts some minutes.
	guardEvery = time.Minute
)

// residents are the recorders and stop guards on the hosts, as they said last.
// Its methods may be called from any goroutine.
type residents struct {
	w  *Window
	mu sync.Mutex
	of map[string]*resident
}

type resident struct {
	asked    time.Time
	asking   bool
	known    bool // asked once with success
	busy     bool // an order is on its way
	due      bool // a connection began and wasn't asked yet
	counting bool // a countdown was told
	recorder stream.Resident
	report   guard.Report
	can      guard.Eligibility
	checked  bool // can is known
	why      texts.Phrase
	guardWhy texts.Phrase
	last     *home.Stop
}

func newResidents(w *Window) *residents { return &residents{w: w, of: make(map[string]*resident)} }

// look returns what is known of a host, and asks it again where that is old.
func (r *residents) look(id string) resident {
	r.mu.Lock()
	defer r.mu.Unlock()
	x := r.of[id]
	if x == nil {
		x = &resident{}
		r.of[id] = x
	}
	h := r.w.streamOf(id)
	if no, _ := r.nobody(id); h == nil || !no.IsZero() || h.State().Phase != stream.Live {
		return *x
	}
	if now := r.w.p.Now(); !x.asking && !x.busy && (x.asked.IsZero() || now.Sub(x.asked) >= residentEvery) {
		x.asking, x.asked = true, now
		r.w.p.Go(func() { r.ask(id, h) })
	}
	return *x
}

// heard asks a host once with each connection, whatever the window shows, and now
// and then while its guard is on: what that did while nobody was here is told then,
// and a countdown as it begins.
func (r *residents) heard(id string, m probe.Message) {
	if h := r.w.streamOf(id); r.begins(id, m) && h != nil && h.State().Phase == stream.Live {
		r.look(id)
		r.mu.Lock()
		r.of[id].due = false
		r.mu.Unlock()
	}
}

// begins reports whether readings have come of a connection that wasn't asked yet,
// or of one whose guard may have begun to count.
func (r *residents) begins(id string, m probe.Message) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	x := r.of[id]
	switch m.(type) {
	case *probe.Inventory:
		if x == nil {
			x = &resident{}
			r.of[id] = x
		}
		x.due = true
	case *probe.Sample:
		return x != nil && (x.due || x.guarded() && r.w.p.Now().Sub(x.asked) >= guardEvery)
	}
	return false
}

// guarded reports whether a stop guard was on when the host was asked last.
func (x *resident) guarded() bool {
	p := x.report.State.Phase
	return x.known && p != "" && p != guard.Off
}

// counts reports whether a countdown in earnest has begun that was not told yet.
func (x *resident) counts() bool {
	s := x.report.State
	was := x.counting
	x.counting = s.Phase == guard.Counting && !s.Order.DryRun
	return x.counting && !was
}

// tell says on the desktop that a countdown has begun.
func (r *residents) tell(id string, at time.Time) {
	r.w.doOpen(func() {
		if h := r.w.book.Get(id); h != nil {
			c := r.w.c
			r.w.p.App.SendNotification(fyne.NewNotification(hosts.NameOf(c, h),
				c.T("home.guard.counting", "at", texts.Clock(at), "in", texts.Duration(c, at.Sub(r.w.p.Now()).Truncate(time.Second)))))
		}
	})
}

// set changes what is known of a host and says so.
func (r *residents) set(id string, f func(x *resident)) {
	r.mu.Lock()
	if x := r.of[id]; x != nil {
		f(x)
	}
	r.mu.Unlock()
	r.w.changed()
}

// ask reads how recorder and guard stand.
func (r *residents) ask(id string, h *stream.Host) {
	ctx, cancel := context.WithTimeout(context.Background(), residentWait)
	defer cancel()
	rec, err := h.Resident(ctx)
	var rep guard.Report
	var told *home.Stop
	var gerr error
	if err == nil {
		rep, told, gerr = r.collect(ctx, id, h, rec.Dir)
	}
	r.eligible(ctx, id, h)
	counts := false
	defer func() {
		if counts {
			r.tell(id, rep.State.StopAt)
		}
	}()
	r.set(id, func(x *resident) {
		x.asking = false
		if err != nil {
			x.why = residentWhy(err)
			return
		}
		x.known, x.recorder, x.why = true, rec, texts.Phrase{}
		if gerr == nil {
			x.report = rep
			counts = x.counts()
		}
		if told != nil {
			x.last = told
		}
	})
}

// residentWhy says why a host keeps no recorder.
func residentWhy(err error) texts.Phrase {
	switch {
	case errors.Is(err, hosts.ErrOffline):
		return texts.P("window.resident.offline")
	case stream.KindOf(err) == stream.KindResident:
		return texts.P("window.resident.cannot", "why", func(c *texts.Catalogue) string { return sayError(c, err) })
	}
	return texts.P("window.resident.failed", "why", func(c *texts.Catalogue) string { return sayError(c, err) })
}

// eligible finds out once whether the guard may act on a host.
func (r *residents) eligible(ctx context.Context, id string, h *stream.Host) {
	r.mu.Lock()
	done := r.of[id] == nil || r.of[id].checked
	r.mu.Unlock()
	if done {
		return
	}
	p, err := guard.Provider(ctx, reach.Runner(h), r.loginHost(id), r.w.guides.providerOf(id))
	if err != nil {
		return // asked again with the next look
	}
	can := guard.Eligible(p)
	r.set(id, func(x *resident) { x.can, x.checked = can, true })
}

func (r *residents) loginHost(id string) string {
	if h := r.w.book.Get(id); h != nil {
		if l, err := remote.ParseLogin(h.Line); err == nil {
			return l.Host
		}
	}
	return ""
}

// providerOf is the provider that was chosen for a host, "" for none.
func (g *guides) providerOf(id string) string {
	g.mu.Lock()
	b := g.boards[id]
	g.mu.Unlock()
	if b == nil {
		return ""
	}
	return b.Provider()
}

// collect reads the guard of a host, keeps what it did since it was last told,
// once, and returns its latest stop.
func (r *residents) collect(ctx context.Context, id string, h *stream.Host, dir string) (guard.Report, *home.Stop, error) {
	var run probe.Run
	if inv := h.Inventory(); inv != nil {
		run = inv.Run
	}
	price := func(at time.Time) guard.Price {
		t, ok := r.w.sense.Book().Tariff(id)
		if !ok {
			return guard.Price{}
		}
		v, ok := t.Clock().PerHour(at, false)
		if !ok {
			return guard.Price{}
		}
		return guard.Price{PerHour: v, Currency: t.Currency}
	}
	g := guard.Host{Runner: reach.Runner(h), Dir: dir, Now: r.w.p.Now}
	rep, told, err := g.Collect(ctx, r.w.p.Purse, id, run, price)
	if err != nil {
		return rep, nil, err
	}
	var last *home.Stop
	for _, t := range told {
		if t.Entry == nil || t.Stop.Dry {
			continue
		}
		_ = r.w.sense.Book().Stopped(ctx, id, t.Stop.Time, meter.ByGuard) // a session of before our time has none
		last = &home.Stop{At: t.Stop.Time}
		if t.Saved != nil {
			last.Saved, last.Currency = money.Sure(*t.Saved), price(t.Stop.Time).Currency
		}
	}
	return rep, last, nil
}

// order gives an order off the UI thread and asks the host again after it.
func (r *residents) order(id string, of func(x *resident) *texts.Phrase, do func(ctx context.Context, h *stream.Host) error) {
	h := r.w.streamOf(id)
	r.mu.Lock()
	x := r.of[id]
	if x == nil {
		x = &resident{}
		r.of[id] = x
	}
	if h == nil {
		*of(x) = texts.P("window.resident.offline")
		r.mu.Unlock()
		r.w.changed()
		return
	}
	if x.busy {
		r.mu.Unlock()
		return
	}
	x.busy = true
	r.mu.Unlock()
	r.w.changed()
	r.w.p.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), residentWait)
		defer cancel()
		err := do(ctx, h)
		r.set(id, func(x *resident) {
			x.busy, x.asked = false, time.Time{}
			*of(x) = texts.Phrase{}
			if err != nil {
				*of(x) = orderWhy(err)
			}
		})
		r.ask(id, h)
	})
}

func orderWhy(err error) texts.Phrase {
	var refused *guard.RefusedError
	if errors.As(err, &refused) {
		return refused.Say
	}
	return residentWhy(err)
}

func recorderWhy(x *resident) *texts.Phrase { return &x.why }
func guardWhy(x *resident) *texts.Phrase    { return &x.guardWhy }

// Recorder is how it stands with the recorder of a host.
func (r *residents) Recorder(id string) home.Recorder {
	x := r.look(id)
	if no, _ := r.nobody(id); !no.IsZero() {
		return home.Recorder{State: home.RecorderRefused, Why: no}
	}
	out := home.Recorder{Since: x.recorder.Started, Until: x.recorder.Until, Bytes: x.recorder.Bytes, Why: x.why}
	switch {
	case x.busy:
		out.State = home.RecorderBusy
	case !x.known && !x.why.IsZero():
		out.State = home.RecorderRefused
	case !x.known:
		out.State = home.RecorderUnknown
	case !x.recorder.There:
		out.State = home.RecorderOff
	case x.recorder.Running:
		out.State = home.RecorderOn
	default:
		out.State = home.RecorderEnded
	}
	return out
}

// StartRecorder leaves the recorder behind on a host.
func (r *residents) StartRecorder(id string) {
	r.order(id, recorderWhy, func(ctx context.Context, h *stream.Host) error {
		_, err := h.StartResident(ctx, stream.ResidentOptions{})
		return err
	})
}

// StopRecorder ends it; what it kept stays.
func (r *residents) StopRecorder(id string) {
	r.order(id, recorderWhy, func(ctx context.Context, h *stream.Host) error { return h.StopResident(ctx) })
}

// RemoveRecorder ends it and removes what it kept.
func (r *residents) RemoveRecorder(id string) {
	r.order(id, recorderWhy, func(ctx context.Context, h *stream.Host) error { return h.RemoveResident(ctx) })
}

// Guard is how it stands with the stop guard of a host.
func (r *residents) Guard(id string) home.Guard {
	x := r.look(id)
	if _, no := r.nobody(id); !no.IsZero() {
		return home.Guard{State: home.GuardRefused, Why: no}
	}
	s := x.report.State
	out := home.Guard{
		DryRun: s.Order.DryRun, After: s.Order.After, IdleFor: s.Idle, StopAt: s.StopAt, KeptUntil: s.KeepUntil,
		Rule: x.can.Say, Limit: x.can.Limit, Why: x.guardWhy, Last: x.last, Command: string(x.can.Action),
		DryDone: x.can.OK && s.Practised(x.can.Action),
	}
	if out.After == 0 {
		out.After = guard.DefaultAfter
	}
	switch {
	case x.busy:
		out.State = home.GuardBusy
	case x.checked && !x.can.OK:
		out.State, out.Why, out.Rule = home.GuardRefused, x.can.Say, texts.Phrase{}
	case !x.checked || !x.known:
		out.State = home.GuardUnknown
	case s.Phase == guard.Silent:
		out.State = home.GuardRefused
		out.Why = s.Say(r.w.p.Now())
	case s.Phase != "" && s.Phase != guard.Off:
		out.State = home.GuardState(s.Phase)
		held := s.Phase == guard.Watching && (len(s.Busy) > 0 || len(s.Unreadable()) > 0)
		if (s.Phase == guard.Refused || held) && out.Why.IsZero() {
			out.Why = s.Say(r.w.p.Now())
		}
	default:
		out.State = home.GuardOff
	}
	return out
}

// SwitchGuard turns the stop guard on, as a dry run or in earnest, or off. The
// recorder, in which it lives, is started with it.
func (r *residents) SwitchGuard(id string, on, dry bool) {
	can := r.look(id).can
	forwards := r.w.forwardPorts(id)
	r.order(id, guardWhy, func(ctx context.Context, h *stream.Host) error {
		rec, err := h.Resident(ctx)
		if err != nil {
			return err
		}
		if on && !rec.Running {
			if rec, err = h.StartResident(ctx, stream.ResidentOptions{}); err != nil {
				return err
			}
		}
		g := guard.Host{Runner: reach.Runner(h), Dir: rec.Dir, Now: r.w.p.Now}
		if !on {
			return g.Off(ctx)
		}
		if err := guard.Test(ctx, reach.Runner(h), can.Action); err != nil {
			return err
		}
		o := guard.NewOrder(can, forwards...)
		o.DryRun, o.Given = dry, r.w.p.Now()
		return g.Switch(ctx, o)
	})
}

// KeepGuard leaves the instance running until then, whatever it does; the zero
// time lets go of that.
func (r *residents) KeepGuard(id string, until time.Time) {
	r.keep(id, func(ctx context.Context, g guard.Host) error {
		if until.IsZero() {
			return g.Resume(ctx)
		}
		return g.Keep(ctx, until.Sub(r.w.p.Now()))
	})
}

// CancelGuard stops a countdown: held back for a moment, the guard waits for its
// whole time again.
func (r *residents) CancelGuard(id string) {
	r.keep(id, func(ctx context.Context, g guard.Host) error { return g.Keep(ctx, cancelled) })
}

func (r *residents) keep(id string, do func(ctx context.Context, g guard.Host) error) {
	r.order(id, guardWhy, func(ctx context.Context, h *stream.Host) error {
		rec, err := h.Resident(ctx)
		if err != nil {
			return err
		}
		return do(ctx, guard.Host{Runner: reach.Runner(h), Dir: rec.Dir, Now: r.w.p.Now})
	})
}

// forwardPorts are the ports on a host that the user's forwards lead to.
func (w *Window) forwardPorts(id string) []int {
	w.mu.Lock()
	defer w.mu.Unlock()
	var ports []int
	for _, t := range w.tunnels[id] {
		if _, port, err := net.SplitHostPort(t.Remote); err == nil {
			if n, err := strconv.Atoi(port); err == nil {
				ports = append(ports, n)
			}
		}
	}
	return ports
}
