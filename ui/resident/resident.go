// Package resident knows how it stands with what stays behind on the hosts, the
// recorder and the stop guard in it: it asks hosts that are connected, gives the
// user's orders and answers Home.
package resident

import (
	"context"
	"sync"
	"time"

	"rentgen/app/cli/reach"
	"rentgen/app/money"
	"rentgen/app/purse"
	"rentgen/app/purse/guard"
	"rentgen/app/purse/meter"
	"rentgen/assets/texts"
	"rentgen/probe"
	"rentgen/probe/stream"
	"rentgen/ui/home"
)

const (
	// lookEvery is how often a host that is looked at is asked again.
	lookEvery = 20 * time.Second
	lookWait  = time.Minute
	// cancelled is how long a countdown that was cancelled holds the guard back.
	cancelled = time.Minute
	// guardEvery is how often a host is asked on which a stop guard is on, whatever
	// the window shows: a countdown lasts some minutes.
	guardEvery = time.Minute
)

// Params say what the hosts are asked with. All but Purse must be set; its functions
// are called from any goroutine.
type Params struct {
	// Purse keeps the stops of the guard.
	Purse purse.Store
	// Book has what hosts cost.
	Book func() *meter.Book
	// Host returns the connection of a host, nil where it has none.
	Host func(id string) *stream.Host
	// Login is the host in a host's login, Provider who was chosen for it; "" for
	// unknown.
	Login, Provider func(id string) string
	// Forwards are the ports on a host that the user's forwards lead to.
	Forwards func(id string) []int
	// Nobody says why neither is of use on a host; zero for what is rented.
	Nobody func(id string) (recorder, guard texts.Phrase)
	// Counting is called when a countdown in earnest has begun that ends then.
	Counting func(id string, stop time.Time)
	// SayError says an error in words.
	SayError func(c *texts.Catalogue, err error) string
	// Changed is called when an answer changed.
	Changed func()
	Now     func() time.Time
	Go      func(f func())
}

// Residents are the recorders and stop guards on the hosts, as they said last.
// Its methods may be called from any goroutine.
type Residents struct {
	p  Params
	mu sync.Mutex
	of map[string]*host
}

// host is what is known of one.
type host struct {
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
	recalled time.Time    // the purse was asked for last; zero: never
	widened  map[int]bool // ports that the guard was given anew for
}

// New returns Residents that know nothing yet.
func New(p Params) *Residents { return &Residents{p: p, of: make(map[string]*host)} }

// look returns what is known of a host, and asks it again where that is old.
func (r *Residents) look(id string) host {
	r.mu.Lock()
	defer r.mu.Unlock()
	x := r.of[id]
	if x == nil {
		x = &host{}
		r.of[id] = x
	}
	r.recall(id, x)
	h := r.p.Host(id)
	if no, _ := r.p.Nobody(id); h == nil || !no.IsZero() || h.State().Phase != stream.Live {
		return *x
	}
	if now := r.p.Now(); !x.asking && !x.busy && (x.asked.IsZero() || now.Sub(x.asked) >= lookEvery) {
		x.asking, x.asked = true, now
		r.p.Go(func() { r.ask(id, h) })
	}
	return *x
}

// Heard asks a host once with each connection, whatever the window shows, and now
// and then while its guard is on: what that did while nobody was here is told then,
// and a countdown as it begins.
func (r *Residents) Heard(id string, m probe.Message) {
	if h := r.p.Host(id); r.begins(id, m) && h != nil && h.State().Phase == stream.Live {
		r.look(id)
		r.mu.Lock()
		r.of[id].due = false
		r.mu.Unlock()
	}
}

// begins reports whether readings have come of a connection that wasn't asked yet,
// or of one whose guard may have begun to count.
func (r *Residents) begins(id string, m probe.Message) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	x := r.of[id]
	switch m.(type) {
	case *probe.Inventory:
		if x == nil {
			x = &host{}
			r.of[id] = x
		}
		x.due = true
	case *probe.Sample:
		return x != nil && (x.due || x.guarded() && r.p.Now().Sub(x.asked) >= guardEvery)
	}
	return false
}

// guarded reports whether a stop guard was on when the host was asked last.
func (x *host) guarded() bool {
	p := x.report.State.Phase
	return x.known && p != "" && p != guard.Off
}

// counts reports whether a countdown in earnest has begun that was not told yet.
func (x *host) counts() bool {
	s := x.report.State
	was := x.counting
	x.counting = s.Phase == guard.Counting && !s.Order.DryRun
	return x.counting && !was
}

// set changes what is known of a host and says so.
func (r *Residents) set(id string, f func(x *host)) {
	r.mu.Lock()
	if x := r.of[id]; x != nil {
		f(x)
	}
	r.mu.Unlock()
	r.p.Changed()
}

// ask reads how recorder and guard stand.
func (r *Residents) ask(id string, h *stream.Host) {
	ctx, cancel := context.WithTimeout(context.Background(), lookWait)
	defer cancel()
	rec, err := h.Resident(ctx)
	var rep guard.Report
	var told *home.Stop
	var gerr error
	if err == nil {
		rep, told, gerr = r.collect(ctx, id, h, rec.Dir)
	}
	r.eligible(ctx, id, h)
	if err == nil && gerr == nil {
		r.widen(ctx, id, guard.Host{Runner: reach.Runner(h), Dir: rec.Dir, Now: r.p.Now}, rep.State)
	}
	counts := false
	defer func() {
		if counts {
			r.p.Counting(id, rep.State.StopAt)
		}
	}()
	r.set(id, func(x *host) {
		x.asking = false
		if err != nil {
			x.why = r.residentWhy(err)
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

// eligible finds out once whether the guard may act on a host.
func (r *Residents) eligible(ctx context.Context, id string, h *stream.Host) {
	r.mu.Lock()
	done := r.of[id] == nil || r.of[id].checked
	r.mu.Unlock()
	if done {
		return
	}
	p, err := guard.Provider(ctx, reach.Runner(h), r.p.Login(id), r.p.Provider(id))
	if err != nil {
		return // asked again with the next look
	}
	can := guard.Eligible(p)
	r.set(id, func(x *host) { x.can, x.checked = can, true })
}

// collect reads the guard of a host, keeps what it did since it was last told,
// once, and returns its latest stop.
func (r *Residents) collect(ctx context.Context, id string, h *stream.Host, dir string) (guard.Report, *home.Stop, error) {
	var run probe.Run
	if inv := h.Inventory(); inv != nil {
		run = inv.Run
	}
	price := func(at time.Time) guard.Price {
		t, ok := r.p.Book().Tariff(id)
		if !ok {
			return guard.Price{}
		}
		v, ok := t.Clock().PerHour(at, false)
		if !ok {
			return guard.Price{}
		}
		return guard.Price{PerHour: v, Currency: t.Currency}
	}
	g := guard.Host{Runner: reach.Runner(h), Dir: dir, Now: r.p.Now}
	rep, told, err := g.Collect(ctx, r.p.Purse, id, run, price)
	if err != nil {
		return rep, nil, err
	}
	var last *home.Stop
	for _, t := range told {
		if t.Entry == nil || t.Stop.Dry {
			continue
		}
		_ = r.p.Book().Stopped(ctx, id, t.Stop.Time, meter.ByGuard) // a session of before our time has none
		last = &home.Stop{At: t.Stop.Time}
		if t.Saved != nil {
			last.Saved, last.Currency = money.Sure(*t.Saved), price(t.Stop.Time).Currency
		}
	}
	return rep, last, nil
}
