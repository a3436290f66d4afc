package alert

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"sync"
	"time"

	"rentgen/app/money"
	"rentgen/app/purse"
)

const (
	// settingRules is the key of the rules among the purse's settings.
	settingRules = "alert.rules"
	// jump is the longest time between two looks at a host that still counts as
	// watching: the engine is told of each about once a minute.
	jump = 3 * time.Minute
	// shareCalm is how long a budget of all must not be passed before it isn't: after
	// a start the hosts come one by one.
	shareCalm = 5 * time.Minute
	// most is how many alerts are kept; those that hold are kept beyond it.
	most = 200
)

// Params say what the engine works with.
type Params struct {
	Store purse.Store
	Now   func() time.Time // its location is that of the quiet hours; nil is time.Now
	// Deliver rings: once when an alert begins, once more when a snooze or the
	// quiet hours end and it still holds. It is called by the goroutine that told
	// the engine something, one alert at a time, and may call the engine.
	Deliver func(purse.Alert)
}

// track follows one thing that could be an alert.
type track struct {
	since time.Time // it has been so since, zero: it isn't
	calm  time.Time // it hasn't been so since, zero: it is
	last  time.Time // when something was last known
	ended time.Time // when its last alert was over
	told  bool      // told once; for what happens once
	open  *record
}

// Engine decides what rings. It is safe for use from several goroutines.
type Engine struct {
	p Params

	saving sync.Mutex // held while the store is written, so that writes keep their order

	mu     sync.Mutex
	rules  Rules
	tracks map[key]*track
	runs   map[string]*run
	shares map[string]purse.Glance // of hosts that share a budget
	list   []*record               // newest first
	dirty  map[string]*record
	gone   []*record // to be deleted
}

// New returns an engine with what the store keeps. Alerts that still held when
// the program ended go on and don't ring again.
func New(ctx context.Context, p Params) (*Engine, error) {
	if p.Now == nil {
		p.Now = time.Now
	}
	if p.Deliver == nil {
		p.Deliver = func(purse.Alert) {}
	}
	e := &Engine{p: p, rules: DefaultRules(), tracks: map[key]*track{}, runs: map[string]*run{}, shares: map[string]purse.Glance{}, dirty: map[string]*record{}}
	kept, err := p.Store.PurseEntries(ctx, purse.Filter{AnyHost: true, Kind: purse.KindAlert})
	if err != nil {
		return nil, fmt.Errorf("read alerts: %w", err)
	}
	for _, entry := range kept {
		r, ok := readRecord(entry)
		if !ok {
			continue
		}
		e.list = append(e.list, r)
		t := e.track(r.key())
		t.told = true
		if r.open() {
			t.open = r
		} else if r.Over.After(t.ended) {
			t.ended = r.Over
		}
	}
	e.sort()
	settings, err := p.Store.PurseEntries(ctx, purse.Filter{Kind: purse.KindSetting})
	if err != nil {
		return nil, fmt.Errorf("read the rules of alerts: %w", err)
	}
	for _, entry := range settings {
		if entry.Key == settingRules {
			e.rules = readRules(entry.Body)
		}
	}
	return e, nil
}

func (e *Engine) track(k key) *track {
	t := e.tracks[k]
	if t == nil {
		t = &track{}
		e.tracks[k] = t
	}
	return t
}

func (e *Engine) sort() {
	slices.SortStableFunc(e.list, func(a, b *record) int { return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.ID, b.ID)) })
}

// Update tells what is known of a host now. Call it for every saved host about
// once a minute, also for one that isn't connected, and when something changes.
// The error says that alerts could not be kept; they ring all the same, and the
// next call tries again.
func (e *Engine) Update(ctx context.Context, in Input) error {
	now := e.p.Now()
	e.mu.Lock()
	found := find(&in, &e.rules, now)
	w := e.runs[in.Host]
	if w == nil {
		w = &run{}
		e.runs[in.Host] = w
	}
	if f, ended := w.step(&in, &e.rules, now); ended {
		found = append(found, f)
	}
	seen := make(map[key]bool)
	for _, f := range found {
		k := key{in.Host, f.kind, f.sub}
		seen[k] = true
		e.take(k, f, &in, now)
	}
	e.rest(&in, seen, now)
	e.shared(&in, now)
	ring := e.due(now)
	e.trim()
	e.mu.Unlock()
	err := e.save(ctx)
	for _, a := range ring {
		e.p.Deliver(a)
	}
	return err
}

// take follows one finding.
func (e *Engine) take(k key, f finding, in *Input, now time.Time) {
	t := e.track(k)
	if !e.rules.On(f.kind) {
		e.end(t, now)
		t.since = time.Time{}
		return
	}
	if f.is == unknown {
		return
	}
	if now.Before(t.last) || now.Sub(t.last) > jump {
		t.since, t.calm = time.Time{}, time.Time{} // nobody looked in between
	}
	t.last = now
	if t.ended.After(now) {
		t.ended = time.Time{} // the clock was put back
	}
	if f.is == no {
		t.since = time.Time{}
		if t.calm.IsZero() {
			t.calm = now
		}
		if now.Sub(t.calm) >= f.calm {
			e.end(t, now)
		}
		return
	}
	t.calm = time.Time{}
	if t.since.IsZero() {
		t.since = now
	}
	switch once := f.kind == purse.AlertDone || f.kind == purse.AlertStopped; {
	case t.open != nil:
		t.open.Facts, t.open.HostName = f.facts, in.HostName // what it says stays true
	case once && t.told, now.Sub(t.since) < f.hold, !t.ended.IsZero() && now.Sub(t.ended) < f.rest:
	default:
		r := &record{
			ID: id(k, now), Kind: f.kind, Sub: f.sub, Host: in.Host, HostName: in.HostName, GPU: f.gpu, At: now, Facts: f.facts,
		}
		t.open, t.told = r, true
		e.list = append([]*record{r}, e.list...)
		e.sort()
		e.dirty[r.ID] = r
	}
}

// id is short and unlike any other, since of one key only one is open at a time.
func id(k key, now time.Time) string {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s\x00%s", k.host, k.sub)
	return fmt.Sprintf("%s-%d-%016x", k.kind, now.UnixMilli(), h.Sum64())
}

// rest ends the alerts of a host that no finding speaks of any more.
func (e *Engine) rest(in *Input, seen map[key]bool, now time.Time) {
	busy := in.busy()
	for k, t := range e.tracks {
		if k.host != in.Host || t.open == nil || seen[k] {
			continue
		}
		over := false
		switch k.kind {
		case purse.AlertLost:
			over = in.Verdicts != nil || in.Stopped // judged, and not found
		case purse.AlertHeat:
			over = in.Stopped
		case purse.AlertPackage, purse.AlertRelease:
			// No date is known now: the one that was has passed, or a running
			// instance has none.
			over = !t.open.Facts.Ends.After(now) || k.kind == purse.AlertRelease && in.running()
		case purse.AlertDone:
			over = in.Stopped || busy != nil && *busy
		case purse.AlertStopped:
			over = in.running() || now.Sub(t.open.Facts.To) > stopsFor
		case purse.AlertBudget:
			over = in.Glance != nil && in.Glance.Priced // it has no budget of its own any more
		}
		if over || !e.rules.On(k.kind) {
			e.end(t, now)
		}
	}
}

// shared follows the budget that hosts have together. It is told of as of all
// hosts, once.
func (e *Engine) shared(in *Input, now time.Time) {
	g := in.Glance
	if g == nil || !g.Priced {
		return
	}
	if g.BudgetOfAll && g.Budget != nil {
		e.shares[in.Host] = *g
		sum := together(e.shares, g.Currency, g.Budget)
		for _, f := range spending(base(&Input{Glance: sum}), sum, "."+string(g.Currency)) {
			f.calm = max(f.calm, shareCalm) // until all were heard of again
			e.take(key{"", f.kind, f.sub}, f, &Input{}, now)
		}
		return
	}
	delete(e.shares, in.Host)
	for _, sub := range []string{subOver, subPace} { // nobody shares one any more
		t := e.tracks[key{"", purse.AlertBudget, sub + "." + string(g.Currency)}]
		if t != nil && !e.share(g.Currency) {
			e.end(t, now)
		}
	}
}

func (e *Engine) share(cur money.Currency) bool {
	for _, g := range e.shares {
		if g.Currency == cur {
			return true
		}
	}
	return false
}

func (e *Engine) end(t *track, now time.Time) {
	if t.open == nil {
		return
	}
	t.open.Over, t.ended = now, now
	e.dirty[t.open.ID] = t.open
	t.open = nil
}

// due returns what has to ring now, oldest first, and notes that it rang.
func (e *Engine) due(now time.Time) []purse.Alert {
	var ring []purse.Alert
	quiet := e.rules.Quiet.Holds(now)
	for _, r := range slices.Backward(e.list) {
		snoozeOver := !r.Snoozed.IsZero() && !now.Before(r.Snoozed)
		if !r.open() || r.Snoozed.After(now) || !r.Rang.IsZero() && !snoozeOver || r.Seen && !snoozeOver {
			continue
		}
		if quiet && !(r.Kind == purse.AlertLost && e.rules.Quiet.Faults) {
			continue
		}
		r.Rang, r.Snoozed = now, time.Time{}
		e.dirty[r.ID] = r
		ring = append(ring, r.alert())
	}
	return ring
}

// trim drops the oldest alerts that are over beyond the most that are kept.
func (e *Engine) trim() {
	for i := len(e.list) - 1; i >= 0 && len(e.list) > most; i-- {
		r := e.list[i]
		if r.open() {
			continue
		}
		e.list = slices.Delete(e.list, i, i+1)
		e.drop(r)
	}
}

func (e *Engine) drop(r *record) {
	delete(e.dirty, r.ID)
	e.gone = append(e.gone, r)
	if r.Kind == purse.AlertDone { // a key of its own each time
		delete(e.tracks, r.key())
	}
}

// List returns the alerts, newest first; those that are over and snoozed ones
// are in it.
func (e *Engine) List() []purse.Alert {
	e.mu.Lock()
	defer e.mu.Unlock()
	out := make([]purse.Alert, len(e.list))
	for i, r := range e.list {
		out[i] = r.alert()
	}
	return out
}

// Snooze keeps an alert still until then; UntilOver is as long as it holds. It
// rings once more when the time has come and it still holds.
func (e *Engine) Snooze(ctx context.Context, id string, until time.Time) error {
	return e.change(ctx, id, func(r *record) { r.Snoozed = until })
}

// Seen notes that the person has seen an alert; it doesn't ring any more.
func (e *Engine) Seen(ctx context.Context, id string) error {
	return e.change(ctx, id, func(r *record) { r.Seen = true })
}

// change changes an alert; one that isn't there any more is no error.
func (e *Engine) change(ctx context.Context, id string, f func(*record)) error {
	e.mu.Lock()
	for _, r := range e.list {
		if r.ID == id {
			f(r)
			e.dirty[id] = r
		}
	}
	e.mu.Unlock()
	return e.save(ctx)
}
