package hosts

import (
	"context"
	"errors"
	"sync"

	"rentgen/probe"
	"rentgen/probe/stream"
	"rentgen/ui/live"
)

// Host is one host of the book.
type Host struct {
	Saved
	book *Book

	mu       sync.Mutex
	live     *live.Host
	stream   Stream
	state    stream.State
	password string
	rate     float64
	sink     *sink
	release  []func() // undoes what Connect set up, in order
}

func newHost(b *Book, s Saved) *Host { return &Host{Saved: s, book: b, live: live.New()} }

// Demo reports whether all its readings are made up.
func (h *Host) Demo() bool { return h.Line == LineDemo }

// Live returns what was read lately; always the same object.
func (h *Host) Live() *live.Host { return h.live }

// State returns where the connection stands.
func (h *Host) State() stream.State {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.state
}

// Rate returns the readings a second that are asked for.
func (h *Host) Rate() float64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.state.Rate > 0 {
		return h.state.Rate
	}
	return h.rate
}

// Connected reports whether a connection is open or on its way.
func (h *Host) Connected() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.stream != nil
}

// SetPassword gives the next connection a password that was pasted along. It
// is kept in memory for this run only.
func (h *Host) SetPassword(p string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.password = p
}

// Connect opens the connection and goes on until Disconnect. Called again it
// tries at once.
func (h *Host) Connect() {
	h.mu.Lock()
	if h.stream != nil {
		s := h.stream
		h.mu.Unlock()
		s.Retry()
		return
	}
	if h.rate == 0 && h.book.p.Rate != nil {
		h.rate = h.book.p.Rate()
	}
	s, err := h.book.p.Opener.Open(h.Saved, h.password, h.rate)
	if err != nil {
		h.state = stream.State{Phase: stream.Failed, Err: err, Since: h.book.p.Now()}
		h.mu.Unlock()
		h.book.changed()
		return
	}
	h.stream = s
	h.sink = &sink{host: h}
	h.mu.Unlock()

	messages, unsubscribe := s.Subscribe(256)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	untap := h.listen(s)
	go func() {
		defer close(done)
		if past, ok := s.(Remembers); ok && h.Demo() && h.live.Newest().IsZero() {
			past.Past(h.live.Message)
		}
		h.live.Follow(ctx, messages, h.book.p.Arrived)
	}()
	if h.book.p.Record != nil && h.book.p.Record() && !h.Demo() {
		h.sink.set(true)
	}
	detach := s.Attach(h.sink)
	unstate := s.OnState(func(st stream.State) { h.setState(s, st) })
	h.mu.Lock()
	h.release = []func(){unstate, untap, detach, unsubscribe, cancel, func() { <-done }}
	h.state = s.State()
	h.mu.Unlock()
	s.Start()
	h.setState(s, s.State())
	if q, ok := s.(queued); ok && !h.Demo() {
		go q.FollowQueue(ctx, stream.QueueAddrs()...)
	}
}

// listen lets the book's Tap hear a connection, and first what the demo says of
// the time before.
func (h *Host) listen(s Stream) (end func()) {
	tap := h.book.p.Tap
	if tap == nil {
		return func() {}
	}
	t := &tapped{h: h, tap: tap}
	if past, ok := s.(Remembers); ok && h.Demo() && h.live.Newest().IsZero() {
		t.past = past.Past
	}
	return s.Attach(t)
}

// queued is a Stream that can ask the program that paints for its queue.
type queued interface {
	FollowQueue(ctx context.Context, addrs ...string)
}

// tapped hands a host's messages to one who listens.
type tapped struct {
	h    *Host
	tap  func(h *Host, m probe.Message)
	past func(emit func(probe.Message)) // what comes before the first, nil for nothing
}

// Message implements stream.Sink.
func (t *tapped) Message(m probe.Message) {
	if past := t.past; past != nil {
		t.past = nil
		past(func(m probe.Message) { t.tap(t.h, m) })
	}
	t.tap(t.h, m)
}

func (h *Host) setState(of Stream, st stream.State) {
	h.mu.Lock()
	if h.stream != of {
		h.mu.Unlock()
		return
	}
	h.state = st
	h.mu.Unlock()
	h.book.changed()
}

// Disconnect ends the connection and closes the log.
func (h *Host) Disconnect() {
	h.mu.Lock()
	s, release, log := h.stream, h.release, h.sink
	h.stream, h.release, h.sink = nil, nil, nil
	h.state = stream.State{Phase: stream.Off, Since: h.book.p.Now()}
	h.mu.Unlock()
	if s == nil {
		return
	}
	s.Stop()
	for _, f := range release {
		f()
	}
	log.close()
	h.book.changed()
}

// Leave is Disconnect without waiting for its end; for the UI thread.
func (h *Host) Leave() { h.book.p.Go(h.Disconnect) }

// Keep is SetLogging without waiting for its end; for the UI thread.
func (h *Host) Keep(on bool) { h.book.p.Go(func() { h.SetLogging(on) }) }

func (h *Host) with(f func(Stream)) {
	h.mu.Lock()
	s := h.stream
	h.mu.Unlock()
	if s != nil {
		f(s)
	}
}

// SetRate changes the readings a second.
func (h *Host) SetRate(hz float64) {
	h.mu.Lock()
	h.rate = hz
	h.state.Rate = hz
	h.mu.Unlock()
	h.with(func(s Stream) { s.SetRate(hz) })
	h.book.changed()
}

// Pause stops reading and keeps the connection.
func (h *Host) Pause() { h.with(Stream.Pause) }

// Resume reads again.
func (h *Host) Resume() { h.with(Stream.Resume) }

// Wake tries at once where a connection waits; after the laptop slept.
func (h *Host) Wake() {
	if h.State().Phase == stream.Waiting {
		h.with(Stream.Retry)
	}
}

// Stream returns the open connection, nil while there is none.
func (h *Host) Stream() Stream {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.stream
}

// ErrOffline is returned for what needs a connection.
var ErrOffline = errors.New("not connected")

// Forward opens a local port that leads to an address as seen from the host.
func (h *Host) Forward(ctx context.Context, local, remote string) (*stream.Forward, error) {
	h.mu.Lock()
	s := h.stream
	h.mu.Unlock()
	if s == nil {
		return nil, ErrOffline
	}
	return s.Forward(ctx, local, remote)
}

func (h *Host) removeHelper(ctx context.Context) error {
	h.mu.Lock()
	s := h.stream
	h.mu.Unlock()
	if s == nil {
		return ErrOffline
	}
	return s.RemoveHelper(ctx)
}

// Logging says whether a log is kept, and why not where it was asked for.
func (h *Host) Logging() (on bool, err error) {
	h.mu.Lock()
	k := h.sink
	h.mu.Unlock()
	if k == nil {
		return false, nil
	}
	return k.status()
}

// SetLogging starts or ends the log of this watch; also the demo's, which is
// labelled as one.
func (h *Host) SetLogging(on bool) {
	h.mu.Lock()
	k := h.sink
	h.mu.Unlock()
	if k == nil {
		return
	}
	k.set(on)
	h.book.changed()
}
