// Package board keeps what is known of one host's set-up: what was run, pasted,
// ticked, left out and edited. It runs checks, judges them and gives the views
// that every screen, report and command draws from.
package board

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"rentgen/app/guide"
	"rentgen/app/guide/run"
	"rentgen/app/guide/track"
	"rentgen/app/provider"
)

// Login is how the host is reached.
type Login struct {
	Line, Host, User string
	Port             int
}

// Params is what a board needs.
type Params struct {
	Host  string // whose entries are kept
	Login Login
	Store guide.Store // nil: nothing is kept
	// Runner returns what runs scripts on the instance, nil while it isn't
	// connected. A nil func is never connected.
	Runner func() guide.Runner
	// Forwarder returns what opens local ports for the check "tunnel"; nil: none.
	Forwarder func() guide.Forwarder
	Needs     func() guide.Needs // what the user's job asks for; nil: not known
	Now       func() time.Time   // nil is time.Now
	Go        func(func())       // starts a goroutine; nil is go
	// Changed is called after every change, from any goroutine, with nothing
	// locked.
	Changed func()
}

// Errors of Run.
var (
	ErrBusy    = errors.New("a run is under way")
	ErrNothing = errors.New("nothing to run")
)

// Board is the state of one host. It is safe for use from several goroutines.
// What it returns is shared and is only read.
type Board struct {
	p  Params
	do func(context.Context, run.Params) (guide.Run, error) // run.Do

	mu      sync.Mutex
	entries map[string]map[string]guide.Entry // kind, key
	chosen  chosen
	latest  map[slot]judged
	before  map[slot]judged // the last one that was no pass, before the latest
	skips   []guide.Skipped
	ticks   map[string]guide.Tick
	edits   map[guide.CheckID]string
	work    *work  // the run under way
	plan    *plan  // a run that hasn't come to its end
	fault   fault  // why the latest run stopped
	version uint64 // counts changes
	views   map[guide.Track]made

	keep keeper
}

// slot is where the latest record of a check stands.
type slot struct {
	track guide.Track
	check guide.CheckID
}

// chosen is what the user chose for the host, and what was seen of it.
type chosen struct {
	Track    guide.Track `json:"track,omitempty"`
	Provider string      `json:"provider,omitempty"`
	Values   run.Values  `json:"values,omitempty"`
	Instance guide.Run   `json:"instance"`
}

// New returns an empty board; Load fills it with what was kept.
func New(p Params) *Board { return newBoard(p, run.Do) }

func newBoard(p Params, do func(context.Context, run.Params) (guide.Run, error)) *Board {
	if p.Now == nil {
		p.Now = time.Now
	}
	if p.Go == nil {
		p.Go = func(f func()) { go f() }
	}
	if p.Changed == nil {
		p.Changed = func() {}
	}
	b := &Board{
		p: p, do: do,
		entries: map[string]map[string]guide.Entry{},
		latest:  map[slot]judged{}, before: map[slot]judged{},
		ticks: map[string]guide.Tick{}, edits: map[guide.CheckID]string{},
		views: map[guide.Track]made{},
	}
	b.keep.start(p, b.stir)
	return b
}

// changed throws the views away, has changes kept and tells whoever draws.
func (b *Board) changed() {
	b.keep.flush()
	b.stir()
}

// stir throws the views away and tells whoever draws.
func (b *Board) stir() {
	b.mu.Lock()
	b.version++
	b.mu.Unlock()
	b.p.Changed()
}

// Track returns the chosen track; where none was chosen, the one that the
// provider's instances need or, where that isn't known either, that the login looks
// like.
func (b *Board) Track() guide.Track {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.trackLocked()
}

func (b *Board) trackLocked() guide.Track {
	if b.chosen.Track != "" {
		return b.chosen.Track
	}
	p, _ := provider.ProfileOf(b.providerLocked())
	switch p.Kind {
	case provider.Shared:
		return guide.Shared
	case provider.Dedicated:
		return guide.Dedicated
	}
	// Containers are entered as root, mostly by a port of their own; machines by a
	// named user and SSH's port.
	if l := b.p.Login; l.User != "" && l.User != "root" && (l.Port == 0 || l.Port == 22) {
		return guide.Dedicated
	}
	return guide.Shared
}

// SetTrack chooses the track. What was found on another one by the same command
// counts on this one too, judged by its rules.
func (b *Board) SetTrack(t guide.Track) {
	for _, r := range b.lent(t) {
		b.take(r)
	}
	b.choose(func(c *chosen) { c.Track = t })
}

// lent returns the records of other tracks that hold on a track that has none of
// its own.
func (b *Board) lent(t guide.Track) []guide.Record {
	b.mu.Lock()
	defer b.mu.Unlock()
	values := b.valuesLocked()
	var list []guide.Record
	for _, id := range track.Of(t).Checks() {
		if _, ok := b.latest[slot{t, id}]; ok {
			continue
		}
		ours, err := run.CommandOf(id, t, values)
		for _, from := range guide.Tracks() {
			j, ok := b.latest[slot{from, id}]
			if ok && err == nil && j.BlockedBy == "" && j.Command == ours {
				r := j.Record
				r.Track = t
				list = append(list, r)
				break
			}
		}
	}
	return list
}

// Provider returns the id of the chosen profile, or the one that the login host
// and the instance's mounts point to, "" for none.
func (b *Board) Provider() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.providerLocked()
}

func (b *Board) providerLocked() string {
	if b.chosen.Provider != "" {
		return b.chosen.Provider
	}
	id, _ := provider.GuessProfile(b.p.Login.Host, b.mountsLocked())
	return id
}

// SetProvider chooses a profile; "" leaves it to the login host.
func (b *Board) SetProvider(id string) {
	b.choose(func(c *chosen) { c.Provider = id })
}

// Profile returns the profile of Provider; where none is known, the generic one of
// the track.
func (b *Board) Profile() provider.Profile {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.profileLocked()
}

func (b *Board) profileLocked() provider.Profile {
	id := b.providerLocked()
	if id == "" {
		id = provider.GenericContainer
		if b.trackLocked() == guide.Dedicated {
			id = provider.GenericVM
		}
	}
	p, _ := provider.ProfileOf(id)
	return p
}

// Instance returns the run of the instance that was seen last.
func (b *Board) Instance() guide.Run {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.chosen.Instance
}

// choose changes what is chosen and keeps it.
func (b *Board) choose(f func(*chosen)) {
	b.mu.Lock()
	c := b.chosen
	c.Values = maps.Clone(c.Values)
	f(&c)
	b.chosen = c
	_ = b.putLocked(guide.KindTrack, "", c)
	b.mu.Unlock()
	b.changed()
}

// Wait waits until no run is under way and everything is kept or can't be, see
// Fault.
func (b *Board) Wait(ctx context.Context) error {
	for {
		b.mu.Lock()
		w := b.work
		b.mu.Unlock()
		if w == nil {
			break
		}
		select {
		case <-w.over:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	b.keep.flush() // what a run left may not be on its way yet
	return b.keep.wait(ctx)
}

// Close stops the run and keeps what isn't kept yet.
func (b *Board) Close() {
	b.Stop()
	ctx, cancel := context.WithTimeout(context.Background(), closing)
	defer cancel()
	_ = b.Wait(ctx)
}

// closing is how long a board may take to keep the rest.
const closing = 5 * time.Second
