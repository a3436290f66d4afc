package ui

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"

	"rentgen/app/cli/reach"
	"rentgen/app/guide"
	"rentgen/app/guide/board"
	"rentgen/app/guide/fleet"
	"rentgen/app/guide/report"
	"rentgen/app/guide/track"
	"rentgen/assets/texts"
	"rentgen/probe/remote"
	"rentgen/probe/stream"
	"rentgen/probe/target"
	"rentgen/ui/hosts"
	"rentgen/ui/setup"
	"rentgen/ui/setup/around"
)

// aroundPages are the pages about network and other machines.
func (w *Window) aroundPages() []setup.Page {
	f := &fleets{w: w, found: make(map[string][]guide.Record), reports: make(map[string]func(texts.Lang) *report.Report)}
	return around.Pages(around.Params{
		Pace: w.p.Pace, Addr: w.loginAddr, Usable: w.usableLine, Check: f.check, Again: f.again, Say: w.sayFault, Choose: f.choose,
		Known: func(name string) bool { return w.named(name) != nil },
	})
}

// loginAddr is where the login of a host listens, "" where it has none.
func (w *Window) loginAddr(id string) string {
	h := w.book.Get(id)
	if h == nil || kindOf(h) != "ssh" {
		return ""
	}
	l, err := remote.ParseLogin(h.Line)
	if err != nil || len(l.Jumps) > 0 { // behind another host: not to be reached from here
		return ""
	}
	return l.Addr()
}

// named is a saved host by its name, nil for none.
func (w *Window) named(name string) *hosts.Host {
	all := w.book.Hosts()
	if i := slices.IndexFunc(all, func(h *hosts.Host) bool { return h.Name == name && !h.Demo() }); i >= 0 {
		return all[i]
	}
	return nil
}

// machineOf finds what a line of a list names; from any goroutine.
func (w *Window) machineOf(line string) (target.Target, error) {
	var cfg *remote.Config
	if w.p.Reach != nil {
		cfg = w.p.Reach.Config()
	}
	t, err := target.Resolve(line, func(name string) (target.Saved, bool) {
		h := w.named(name)
		if h == nil {
			return target.Saved{}, false
		}
		return target.Saved{ID: h.ID, Name: h.Name, Line: h.Line}, true
	}, cfg)
	if err == nil && t.Kind == target.SSH && t.ID == "" {
		t.ID = w.savedFor(t.Login)
	}
	return t, err
}

// savedFor is the id of the saved host that a login leads to, "" for none: its
// identity is known, and its track is chosen.
func (w *Window) savedFor(l remote.Login) string {
	for _, h := range w.book.Hosts() {
		if h.Demo() {
			continue
		}
		saved, err := remote.ParseLogin(h.Line)
		if err == nil && sameWay(saved, l) && slices.EqualFunc(saved.Jumps, l.Jumps, sameWay) {
			return h.ID
		}
	}
	return ""
}

// sameWay reports whether two logins lead to one account, their jumps aside.
func sameWay(a, b remote.Login) bool {
	return a.User == b.User && a.Addr() == b.Addr() && a.ProxyCommand == b.ProxyCommand
}

// usableLine says why a line of a list names no machine, zero where it does.
func (w *Window) usableLine(line string) texts.Phrase {
	t, err := w.machineOf(line)
	var in *remote.InputError
	switch {
	case err == nil && t.Login.Password != "":
		return texts.P("around.machines.bad.password")
	case err == nil && t.Kind != target.SSH:
		return texts.P("around.machines.bad.kind")
	case err == nil:
		return texts.Phrase{}
	case errors.As(err, &in):
		return texts.P("around.machines.bad.login", "value", in.Value, "allowed", in.Allowed)
	}
	return texts.P("around.machines.bad.unknown")
}

// faultError is why checks could not come to their end, in a board's words.
type faultError struct{ says texts.Phrase }

// Error returns the sentence in English.
func (e *faultError) Error() string { return texts.For(texts.English).Say(e.says) }

// sayFault puts in words why a machine could not be checked.
func (w *Window) sayFault(c *texts.Catalogue, err error) string {
	var fault *faultError
	if errors.As(err, &fault) {
		return c.Say(fault.says)
	}
	if errors.Is(err, guide.ErrOffline) {
		return c.T("setup.task.offline")
	}
	words := hosts.WordsOf(c, stream.State{Phase: stream.Failed, Err: err}, w.p.Now())
	if words.Next == "" {
		return words.Sentence
	}
	return c.T("setup.offline.next", "sentence", words.Sentence, "next", words.Next)
}

// fleets checks machines beside the chosen one.
type fleets struct {
	w     *Window
	mu    sync.Mutex
	found map[string][]guide.Record // of machines that aren't saved, by login line
	// reports say what was found, in any language, by login line.
	reports map[string]func(texts.Lang) *report.Report
}

// check connects to a machine without putting anything on it, runs the quick
// checks and reports. What it finds of a saved host is kept there.
func (f *fleets) check(ctx context.Context, m fleet.Machine, l texts.Lang) (*report.Report, error) {
	w := f.w
	t, err := w.machineOf(m.Line)
	if err != nil {
		return nil, err
	}
	runner, forwarder := w.guideRunner(t.ID), w.guideForwarder(t.ID)
	if t.ID == "" || runner == nil {
		s, stop, err := w.visit(ctx, t, m)
		if err != nil {
			return nil, err
		}
		defer stop()
		runner, forwarder = reach.Runner(s), reach.Forwarder(s)
	}
	b := board.New(board.Params{
		Host: t.ID, Login: board.Login{Line: t.Login.Line(), Host: t.Login.Host, User: t.Login.User, Port: t.Login.Port},
		Runner: func() guide.Runner { return runner }, Forwarder: func() guide.Forwarder { return forwarder },
		Needs: func() guide.Needs { return w.guides.needsOf(t.ID) }, Now: w.p.Now,
	})
	defer b.Close()
	if t.ID != "" {
		kept := w.guides.board(t.ID)
		b.SetTrack(kept.Track())
		b.SetProvider(kept.Provider())
	}
	if err := b.Run(board.Scope{}, guide.Quick); err != nil {
		return nil, err
	}
	if err := b.Wait(ctx); err != nil {
		b.Stop()
		return nil, err
	}
	views := []guide.Track{b.Track(), guide.Network}
	for _, tr := range views {
		if v := b.View(tr); !v.Fault.IsZero() {
			return nil, &faultError{v.Fault}
		}
	}
	f.keep(t, m.Line, b)
	profile := b.Profile()
	host := report.Host{Name: m.Name, Driver: b.Instance().Driver}
	for _, tr := range guide.Tracks() {
		if _, o, ok := b.Latest(tr, guide.GPUSMI); ok && len(host.Cards) == 0 {
			names, _ := o.Facts["names"].([]string)
			host.Cards = slices.Clone(names)
		}
	}
	// The board goes; what it found can still be said in the other language.
	run, now, seen := b.Instance(), w.p.Now(), viewsOf(b, views)
	in := func(l texts.Lang) *report.Report {
		c, host := texts.For(l), host
		if b.Provider() != "" {
			host.Provider = profile.Name[l]
		}
		return report.Make(report.Params{
			Lang: l, Host: host, Run: run, Now: now, Views: seen,
			Remedy: func(id guide.CheckID, x guide.Finding) string { return remedyIn(c, profile, id, x) },
		})
	}
	f.mu.Lock()
	f.reports[m.Line] = in
	f.mu.Unlock()
	return in(l), nil
}

// again is the report of a machine's latest checks in another language.
func (f *fleets) again(m fleet.Machine, l texts.Lang) *report.Report {
	f.mu.Lock()
	in := f.reports[m.Line]
	f.mu.Unlock()
	if in == nil {
		return nil
	}
	return in(l)
}

// visit connects to a machine for its checks alone: nothing is read and nothing is
// put on it. stop ends the connection.
func (w *Window) visit(ctx context.Context, t target.Target, m fleet.Machine) (s *stream.Host, stop func(), err error) {
	if w.p.Reach == nil {
		return nil, nil, guide.ErrOffline
	}
	p, err := w.p.Reach.Stream(reach.Way{
		Profile: t.Profile(), Name: m.Name, Line: t.Login.Line(), Prompt: w.asker, Source: stream.SourceNone, Rate: 1,
		Notice: func(remote.Notice) {}, // hosts in the list show theirs
	})
	if err != nil {
		return nil, nil, err
	}
	s = stream.New(p)
	states := make(chan stream.State, 16)
	unhear := s.OnState(func(st stream.State) {
		select {
		case states <- st:
		case <-ctx.Done():
		}
	})
	s.Start()
	stop = func() {
		unhear()
		s.Stop()
	}
	for {
		select {
		case <-ctx.Done():
			stop()
			return nil, nil, ctx.Err()
		case st := <-states:
			switch st.Phase {
			case stream.Live:
				unhear()
				return s, s.Stop, nil
			case stream.Failed, stream.Waiting:
				stop()
				if st.Err == nil {
					return nil, nil, guide.ErrOffline
				}
				return nil, nil, st.Err
			}
		}
	}
}

// viewsOf are the views of tracks.
func viewsOf(b *board.Board, tracks []guide.Track) (all []track.View) {
	for _, t := range tracks {
		all = append(all, b.View(t))
	}
	return all
}

// keep gives what was found to the board of a saved host, or remembers it until the
// machine is added.
func (f *fleets) keep(t target.Target, line string, b *board.Board) {
	var all []guide.Record
	for _, e := range b.Entries(guide.KindCheck) {
		var r guide.Record
		if json.Unmarshal(e.Body, &r) == nil {
			all = append(all, r)
		}
	}
	if t.ID == "" {
		f.mu.Lock()
		f.found[line] = all
		f.mu.Unlock()
		return
	}
	for _, r := range all {
		f.w.guides.take(t.ID, r)
	}
}

// choose makes a machine the chosen host; one that isn't saved is added, with what
// was found there.
func (f *fleets) choose(m fleet.Machine) error {
	w := f.w
	t, err := w.machineOf(m.Line)
	if err != nil {
		return err
	}
	if t.ID != "" {
		w.book.Choose(t.ID)
		w.refresh()
		return nil
	}
	f.mu.Lock()
	all := f.found[m.Line]
	f.mu.Unlock()
	w.p.Go(func() {
		h, err := w.book.Add(context.Background(), hosts.Saved{Name: m.Name, Line: t.Login.Line()})
		if err != nil {
			w.Say("window.host.unsaved", err.Error())
			return
		}
		w.guides.board(h.ID)
		for _, r := range all {
			w.guides.take(h.ID, r)
		}
	})
	return nil
}
