package stream

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"rentgen/probe"
	"rentgen/probe/remote"
)

// Host is one rented machine and its one connection. Its methods may be called
// from any goroutine.
type Host struct {
	p     Params
	clock Clock
	log   *slog.Logger
	dirs  []string // instead of defaultDirs, for tests

	retry   chan struct{} // Retry was called; holds one
	changed chan struct{} // rate or pause changed; holds one

	// of the goroutine that keeps the connection
	agreed  bool // the upload was allowed
	refused bool // it was not, and holds until the person connects anew

	filling chan struct{} // held by who fetches what the recorder kept

	life   sync.Mutex // guards Start and Stop
	cancel context.CancelFunc
	done   chan struct{}

	mu        sync.Mutex
	st        State
	conn      remote.Conn
	inv       *probe.Inventory
	latest    *probe.Sample
	rate      float64
	paused    bool
	reading   *reading // under way, nil for none
	filled    int64    // seconds fetched from the recorder
	held      bool     // RemoveHelper: no readings until Start or Retry
	placed    string   // name of our program in its directory on the host, "" where it isn't
	run       probe.Run
	track     tracker
	fan       fan
	listeners map[*queue[State]]struct{}
	forwards  map[*Forward]struct{}
}

// New returns a host that is Off.
func New(p Params) *Host {
	h := &Host{
		p: p, clock: p.Clock, log: p.Log, rate: p.Rate,
		retry: make(chan struct{}, 1), changed: make(chan struct{}, 1), filling: make(chan struct{}, 1),
		listeners: make(map[*queue[State]]struct{}),
		forwards:  make(map[*Forward]struct{}),
		fan: fan{
			subs:  make(map[*subscriber]struct{}),
			sinks: make(map[*queue[probe.Message]]struct{}),
		},
	}
	if h.clock == nil {
		h.clock = systemClock{start: time.Now()}
	}
	if h.log == nil {
		h.log = slog.New(slog.DiscardHandler)
	}
	h.log = h.log.With("host", p.Name)
	if h.rate <= 0 {
		h.rate = 1
	}
	h.st.Since = h.clock.Wall()
	return h
}

// ID returns the saved host's id.
func (h *Host) ID() string { return h.p.ID }

// Name returns what the person calls it.
func (h *Host) Name() string { return h.p.Name }

// Demo reports whether everything is made up.
func (h *Host) Demo() bool { return h.p.Demo }

// Start connects and goes on until Stop. A second call does nothing.
func (h *Host) Start() {
	h.life.Lock()
	defer h.life.Unlock()
	if h.cancel != nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	h.cancel, h.done = cancel, make(chan struct{})
	h.mu.Lock()
	h.held = false
	h.mu.Unlock()
	go h.keep(ctx, h.done)
}

// Stop ends what runs on the host, closes the connection and waits for both,
// at most a few seconds.
func (h *Host) Stop() {
	h.life.Lock()
	defer h.life.Unlock()
	if h.cancel == nil {
		return
	}
	h.cancel()
	c, stop := h.clock.After(stopWait)
	defer stop()
	select {
	case <-h.done:
	case <-c:
		h.log.Warn("the connection does not end in time; left behind")
	}
	h.cancel = nil
}

const stopWait = 5 * time.Second

// State returns where the host stands.
func (h *Host) State() State {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.stateLocked()
}

func (h *Host) stateLocked() State {
	s := h.st
	s.Missed, s.Unstored, s.Rate = h.fan.missed, h.fan.unstored, h.rate
	return s
}

// Inventory returns the latest inventory, nil before the first. It must not be
// changed.
func (h *Host) Inventory() *probe.Inventory {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.inv
}

// Latest returns the latest tick, nil before the first. It must not be changed.
func (h *Host) Latest() *probe.Sample {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.latest
}

// SetRate changes the ticks a second; what is not positive is ignored.
func (h *Host) SetRate(hz float64) {
	if hz > 0 {
		h.change(func() { h.rate = hz })
	}
}

// Pause stops reading and keeps the connection; the span becomes a gap.
func (h *Host) Pause() { h.change(func() { h.paused = true }) }

// Resume reads again.
func (h *Host) Resume() { h.change(func() { h.paused = false }) }

// Retry connects now instead of at State.RetryAt; also out of Failed.
func (h *Host) Retry() {
	h.mu.Lock()
	h.held = false
	h.mu.Unlock()
	select {
	case h.retry <- struct{}{}:
	default:
	}
}

func (h *Host) change(f func()) {
	h.mu.Lock()
	rate, paused := h.rate, h.paused
	f()
	same := rate == h.rate && paused == h.paused
	if !same {
		h.notifyLocked()
	}
	h.mu.Unlock()
	if same {
		return
	}
	select {
	case h.changed <- struct{}{}:
	default:
	}
}

// settings returns what is asked for now.
func (h *Host) settings() (rate float64, paused bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.rate, h.paused
}

// update changes the state and tells the listeners if that made a difference.
func (h *Host) update(f func(*State)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.updateLocked(f)
}

func (h *Host) updateLocked(f func(*State)) {
	before := h.st
	f(&h.st)
	if h.st.Phase != before.Phase {
		h.st.Since = h.clock.Wall()
	}
	a, b := h.st, before
	a.LastTick, a.RTT, a.Offset = b.LastTick, b.RTT, b.Offset
	same := errText(a.Err) == errText(b.Err)
	a.Err, b.Err = nil, nil // not every error can be compared
	if !same || a != b {
		h.notifyLocked()
	}
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func (h *Host) notifyLocked() {
	s := h.stateLocked()
	for q := range h.listeners {
		q.push(s)
	}
}

// stage notes a step on the way to the first tick.
func (h *Host) stage(name string) {
	h.log.Debug("stage", "stage", name)
	h.update(func(s *State) {
		if s.Phase == Connecting {
			s.Stage = name
		}
	})
}

// emit gives a message to all. The caller holds the lock.
func (h *Host) emitLocked(m probe.Message) { h.fan.emit(m) }

// event emits something that happened now.
func (h *Host) eventLocked(kind, text, raw string) {
	h.emitLocked(&probe.Event{Time: h.clock.Wall().UTC(), Kind: kind, Text: text, Raw: raw})
}
