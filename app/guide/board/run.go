package board

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"rentgen/app/guide"
	"rentgen/app/guide/run"
	"rentgen/app/guide/track"
	"rentgen/assets/texts"
)

// Scope is what a run is about: one check, one step, one track or, where Track is
// "", the chosen track and then the network's. Stale takes of these only what has
// to be run again.
type Scope struct {
	Track guide.Track
	Step  string
	Check guide.CheckID
	Stale bool
}

// plan is a run as it is kept until it has come to its end.
type plan struct {
	Level guide.Level `json:"level"`
	Since time.Time   `json:"since"`
	Legs  []leg       `json:"legs"`
	// Alone says that the user asked for one check by name: it is run although a
	// check that it rests on failed.
	Alone bool `json:"alone,omitempty"`
}

// leg is the part of a run that belongs to one track.
type leg struct {
	Track  guide.Track     `json:"track"`
	Checks []guide.CheckID `json:"checks"`
}

// work is the run under way.
type work struct {
	plan    plan
	legs    []leg // those that are run now: of a run that goes on, the rest
	cancel  context.CancelFunc
	over    chan struct{}
	running map[slot]bool
	done    map[slot]bool
	stopped bool
}

// fault is why a run stopped.
type fault struct {
	says texts.Phrase
	err  error
}

// Run starts a run; what it finds comes through Changed. The error is ErrBusy,
// ErrNothing, guide.ErrOffline or, for a scope that isn't there, a
// *texts.InputError.
func (b *Board) Run(s Scope, l guide.Level) error {
	legs, err := b.legs(s, l)
	if err != nil {
		return err
	}
	return b.start(plan{Level: l, Since: b.p.Now(), Legs: legs, Alone: s.Check != ""}, legs)
}

// Estimate says what a run would do and take, before it is started.
func (b *Board) Estimate(s Scope, l guide.Level) (track.LevelView, error) {
	legs, err := b.legs(s, l)
	if err != nil {
		return track.LevelView{}, err
	}
	v := track.LevelView{Level: l}
	for _, leg := range legs {
		v.Checks = append(v.Checks, leg.Checks...)
		if t := takes(leg.Checks, l); together(l) {
			v.Takes = max(v.Takes, t)
		} else {
			v.Takes += t
		}
	}
	if cost := b.needs().Cost; cost != nil && v.Takes > 0 {
		v.Cost = cost(v.Takes)
	}
	return v, nil
}

// Resume goes on with a run that was stopped, or cut short by the link or by the
// end of the program: it runs what is missing. The errors are those of Run.
func (b *Board) Resume() error {
	b.mu.Lock()
	var p plan
	if b.plan != nil {
		p = *b.plan
	}
	legs := b.missingLocked()
	b.mu.Unlock()
	return b.start(p, legs)
}

// legs returns what a scope holds, in the order in which it is run.
func (b *Board) legs(s Scope, l guide.Level) ([]leg, error) {
	tracks := []guide.Track{s.Track}
	switch {
	case s.Track == "" && (s.Step != "" || s.Check != ""):
		tracks = guide.Tracks()
		if t := b.Track(); s.Check != "" && s.Step == "" && slices.Contains(track.Of(t).Checks(), s.Check) {
			tracks = []guide.Track{t}
		}
	case s.Track == "":
		tracks = slices.Compact([]guide.Track{b.Track(), guide.Network})
	}
	found := false
	var legs []leg
	for _, t := range tracks {
		if track.Of(t).ID == "" {
			return nil, bad("track", string(t), "track.unknown")
		}
		ids := track.Of(t).Checks()
		if s.Step != "" {
			step, ok := track.Of(t).Step(s.Step)
			if !ok {
				continue
			}
			ids = step.Checks
		}
		if s.Check != "" {
			if !slices.Contains(guide.Checks(), s.Check) || s.Track == "" && !slices.Contains(ids, s.Check) {
				continue
			}
			ids = []guide.CheckID{s.Check}
		}
		found = true
		var stale []guide.CheckID
		if s.Stale {
			stale = track.Again(b.View(t))
		}
		ids = slices.DeleteFunc(inOrder(ids), func(id guide.CheckID) bool {
			return s.Stale && !slices.Contains(stale, id) || s.Check == "" && !s.Stale && !within(run.DefOf(id).Level, l)
		})
		if s.Check == "" {
			ids = b.wanted(t, ids)
		}
		if len(ids) > 0 {
			legs = append(legs, leg{t, ids})
		}
		if s.Track == "" && (s.Step != "" || s.Check != "") {
			break
		}
	}
	if !found {
		return nil, bad("scope", s.Step+string(s.Check), "track.skip.on")
	}
	return legs, nil
}

// wanted leaves out what the user left out and what lacks a value.
func (b *Board) wanted(t guide.Track, ids []guide.CheckID) []guide.CheckID {
	v := b.View(t)
	return slices.DeleteFunc(ids, func(id guide.CheckID) bool {
		c, ok := v.Check(id)
		return ok && (c.State == track.Left || c.Wants != "")
	})
}

// inOrder returns checks in the order of a run: parents first, short ones first.
func inOrder(ids []guide.CheckID) []guide.CheckID {
	var list []guide.CheckID
	for _, d := range run.Defs() {
		if slices.Contains(ids, d.ID) {
			list = append(list, d.ID)
		}
	}
	return list
}

// within reports whether a check of that level belongs to a run of a level.
func within(of, l guide.Level) bool {
	return slices.Index(guide.Levels(), of) <= slices.Index(guide.Levels(), l)
}

// start begins a run of legs, which are all or the rest of a plan.
func (b *Board) start(p plan, legs []leg) error {
	if len(legs) == 0 {
		return ErrNothing
	}
	var r guide.Runner
	if b.p.Runner != nil {
		r = b.p.Runner()
	}
	if r == nil {
		return guide.ErrOffline
	}
	ctx, cancel := context.WithCancel(context.Background())
	w := &work{plan: p, legs: legs, cancel: cancel, over: make(chan struct{}), running: map[slot]bool{}, done: map[slot]bool{}}
	b.mu.Lock()
	if b.work != nil {
		b.mu.Unlock()
		cancel()
		return ErrBusy
	}
	b.work, b.plan, b.fault = w, &w.plan, fault{}
	_ = b.putLocked(guide.KindRun, "", w.plan)
	b.mu.Unlock()
	b.changed()
	b.p.Go(func() { b.drive(ctx, w, r) })
	return nil
}

// Stop ends the run under way; what it found stays, and Resume goes on with it.
func (b *Board) Stop() {
	b.mu.Lock()
	w := b.work
	if w != nil {
		w.stopped = true
		w.cancel()
	}
	b.mu.Unlock()
}

// drive runs the legs of a run to its end.
func (b *Board) drive(ctx context.Context, w *work, r guide.Runner) {
	defer w.cancel()
	err := b.both(ctx, w, r)
	b.mu.Lock()
	b.work = nil
	switch {
	case w.stopped || err == nil:
	case errors.Is(err, guide.ErrOffline):
		b.fault = fault{texts.P("track.fault.link"), err}
	default:
		b.fault = fault{texts.P("track.fault.other", "error", err.Error()), err}
	}
	if err == nil || len(b.missingLocked()) == 0 {
		b.plan = nil
		b.dropLocked(guide.KindRun)
	}
	b.mu.Unlock()
	b.changed()
	close(w.over)
}

// together reports whether the legs of a run go at the same time. The quick checks
// do: those of the network mostly wait. Longer ones would disturb each other.
func together(l guide.Level) bool { return l == guide.Quick }

// both runs the legs, and returns the first error.
func (b *Board) both(ctx context.Context, w *work, r guide.Runner) error {
	if !together(w.plan.Level) {
		for _, l := range w.legs {
			if err := b.leg(ctx, w, r, l); err != nil {
				return err
			}
		}
		return b.stress(ctx, w, r)
	}
	errs := make([]error, len(w.legs))
	var wg sync.WaitGroup
	for i, l := range w.legs {
		wg.Add(1)
		b.p.Go(func() {
			defer wg.Done()
			errs[i] = b.leg(ctx, w, r, l)
		})
	}
	wg.Wait()
	return cmp.Or(errs...)
}

// leg runs the checks of one track.
func (b *Board) leg(ctx context.Context, w *work, r guide.Runner, l leg) error {
	needs := b.needs()
	b.mu.Lock()
	p := run.Params{
		Runner: r, Track: l.Track, Checks: l.Checks, Level: w.plan.Level, Values: b.valuesLocked(),
		Edited: map[guide.CheckID]string{}, Known: b.knownLocked(needs), Failed: map[guide.CheckID]bool{}, Now: b.p.Now,
		Event: func(e run.Event) { b.event(w, l.Track, e) },
	}
	for id, c := range b.edits {
		p.Edited[id] = c
	}
	for s, j := range b.latest {
		if !w.plan.Alone && s.track == l.Track && j.Outcome.Verdict == guide.Fail && track.Aged(j.Record, b.chosen.Instance, b.p.Now()) == track.StaleNot {
			p.Failed[s.check] = true
		}
	}
	b.mu.Unlock()
	if b.p.Forwarder != nil {
		p.Forwarder = b.p.Forwarder()
	}
	seen, err := b.do(ctx, p)
	b.see(seen)
	if err != nil {
		return fmt.Errorf("run the checks of %s: %w", l.Track, err)
	}
	return nil
}

// event takes what a run tells.
func (b *Board) event(w *work, t guide.Track, e run.Event) {
	s := slot{t, e.Check}
	switch e.Kind {
	case run.Started:
		b.mu.Lock()
		w.running[s] = true
		b.mu.Unlock()
	default:
		if e.Record != nil {
			r := *e.Record
			r.Track, r.Check = t, e.Check
			if r.Time.IsZero() {
				r.Time = b.p.Now()
			}
			if e.Kind == run.Ended {
				b.see(r.Run)
			}
			b.take(r)
		}
		b.mu.Lock()
		w.done[s] = true
		delete(w.running, s)
		b.mu.Unlock()
	}
	b.changed()
}

// see notes the run of the instance, as far as it was read.
func (b *Board) see(r guide.Run) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.chosen.Instance
	if r.Instance != "" && now.Instance != "" && r.Instance != now.Instance {
		now = guide.Run{} // nothing of the other instance holds
	}
	for _, f := range []struct {
		to   *string
		from string
	}{{&now.Boot, r.Boot}, {&now.PID1, r.PID1}, {&now.Driver, r.Driver}, {&now.Instance, r.Instance}} {
		if f.from != "" {
			*f.to = f.from
		}
	}
	if now != b.chosen.Instance {
		b.chosen.Instance = now
		_ = b.putLocked(guide.KindTrack, "", b.chosen)
	}
}

// Look asks the instance which run it is in, without running a check: what passed
// in another one has to be run again, which the views then offer. It does nothing
// while a run is under way.
func (b *Board) Look(ctx context.Context) error {
	b.mu.Lock()
	busy := b.work != nil
	t := b.trackLocked()
	b.mu.Unlock()
	if busy {
		return nil
	}
	var r guide.Runner
	if b.p.Runner != nil {
		r = b.p.Runner()
	}
	if r == nil {
		return guide.ErrOffline
	}
	seen, err := b.do(ctx, run.Params{Runner: r, Track: t, Level: guide.Quick, Now: b.p.Now})
	if err != nil {
		return fmt.Errorf("look at the instance: %w", err)
	}
	b.see(seen)
	b.changed()
	return nil
}

// missingLocked returns what of the plan has not been run since it was begun.
func (b *Board) missingLocked() []leg {
	if b.plan == nil {
		return nil
	}
	var legs []leg
	for _, l := range b.plan.Legs {
		var ids []guide.CheckID
		for _, id := range l.Checks {
			if j, ok := b.latest[slot{l.Track, id}]; (!ok || j.Time.Before(b.plan.Since)) && !b.leftLocked(l.Track, id) {
				ids = append(ids, id)
			}
		}
		if len(ids) > 0 {
			legs = append(legs, leg{l.Track, ids})
		}
	}
	return legs
}

// leftLocked reports whether the user left a check or its step out.
func (b *Board) leftLocked(t guide.Track, id guide.CheckID) bool {
	return slices.ContainsFunc(b.skips, func(s guide.Skipped) bool {
		if !s.Until.IsZero() {
			return false
		}
		step, ok := track.Of(t).Step(s.On)
		return s.On == string(id) || ok && slices.Contains(step.Checks, id)
	})
}
