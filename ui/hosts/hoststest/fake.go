// Package hoststest holds a store, an opener and a stream in memory for the
// window's tests. Everything happens in the caller's goroutine.
package hoststest

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"rentgen/probe"
	"rentgen/probe/stream"
	"rentgen/ui/hosts"
)

// Stream is a connection whose every state and message a test says.
type Stream struct {
	mu       sync.Mutex
	state    stream.State
	onState  map[int]func(stream.State)
	subs     map[int]chan probe.Message
	sinks    map[int]stream.Sink
	next     int
	started  int
	stopped  int
	retried  int
	rate     float64
	paused   bool
	removed  int
	Password string
}

// NewStream returns a stream that is Off.
func NewStream() *Stream {
	return &Stream{
		onState: make(map[int]func(stream.State)), subs: make(map[int]chan probe.Message),
		sinks: make(map[int]stream.Sink), rate: 1,
	}
}

// Counts returns how often the stream was started, stopped and asked to retry.
func (s *Stream) Counts() (started, stopped, retried int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.started, s.stopped, s.retried
}

// Asked returns the rate that was asked for and whether reading is paused.
func (s *Stream) Asked() (rate float64, paused bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rate, s.paused
}

// Say sets the state and tells who listens.
func (s *Stream) Say(st stream.State) {
	s.mu.Lock()
	s.state = st
	var fs []func(stream.State)
	for _, f := range s.onState {
		fs = append(fs, f)
	}
	s.mu.Unlock()
	for _, f := range fs {
		f(st)
	}
}

// Send gives a message to every subscriber and sink.
func (s *Stream) Send(ms ...probe.Message) {
	for _, m := range ms {
		s.mu.Lock()
		subs, sinks := make([]chan probe.Message, 0, len(s.subs)), make([]stream.Sink, 0, len(s.sinks))
		for _, c := range s.subs {
			subs = append(subs, c)
		}
		for _, k := range s.sinks {
			sinks = append(sinks, k)
		}
		s.mu.Unlock()
		for _, k := range sinks {
			k.Message(m)
		}
		for _, c := range subs {
			c <- m
		}
	}
}

// Start counts.
func (s *Stream) Start() { s.mu.Lock(); s.started++; s.mu.Unlock() }

// Stop counts.
func (s *Stream) Stop() { s.mu.Lock(); s.stopped++; s.mu.Unlock() }

// State returns what was said last.
func (s *Stream) State() stream.State { s.mu.Lock(); defer s.mu.Unlock(); return s.state }

func (s *Stream) key() int { s.next++; return s.next }

// OnState keeps f.
func (s *Stream) OnState(f func(stream.State)) func() {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.key()
	s.onState[k] = f
	return func() { s.mu.Lock(); delete(s.onState, k); s.mu.Unlock() }
}

// Subscribe returns a channel.
func (s *Stream) Subscribe(buffer int) (<-chan probe.Message, func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k, c := s.key(), make(chan probe.Message, buffer)
	s.subs[k] = c
	return c, func() { s.mu.Lock(); delete(s.subs, k); close(c); s.mu.Unlock() }
}

// Attach keeps the sink.
func (s *Stream) Attach(sink stream.Sink) func() {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.key()
	s.sinks[k] = sink
	return func() { s.mu.Lock(); delete(s.sinks, k); s.mu.Unlock() }
}

// SetRate keeps the rate.
func (s *Stream) SetRate(hz float64) { s.mu.Lock(); s.rate = hz; s.mu.Unlock() }

// Pause keeps it.
func (s *Stream) Pause() { s.mu.Lock(); s.paused = true; s.mu.Unlock() }

// Resume keeps it.
func (s *Stream) Resume() { s.mu.Lock(); s.paused = false; s.mu.Unlock() }

// Retry counts.
func (s *Stream) Retry() { s.mu.Lock(); s.retried++; s.mu.Unlock() }

// Forward fails: there is no host.
func (s *Stream) Forward(context.Context, string, string) (*stream.Forward, error) {
	return nil, &stream.Error{Kind: stream.KindForward}
}

// RemoveHelper counts.
func (s *Stream) RemoveHelper(context.Context) error {
	s.mu.Lock()
	s.removed++
	s.mu.Unlock()
	return nil
}

// Removed returns how often the helper was removed.
func (s *Stream) Removed() int { s.mu.Lock(); defer s.mu.Unlock(); return s.removed }

// Opener hands out fake streams.
type Opener struct {
	mu        sync.Mutex
	streams   map[string]*Stream
	forgotten []string
	Err       error // of Open, nil for none
}

// Open returns the host's stream.
func (o *Opener) Open(s hosts.Saved, password string, rate float64) (hosts.Stream, error) {
	if o.Err != nil {
		return nil, o.Err
	}
	st := o.Stream(s.ID)
	st.Password = password
	st.rate = rate
	return st, nil
}

// Stream returns the stream of a host, made at need.
func (o *Opener) Stream(id string) *Stream {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.streams == nil {
		o.streams = make(map[string]*Stream)
	}
	if o.streams[id] == nil {
		o.streams[id] = NewStream()
	}
	return o.streams[id]
}

// Forget keeps the id.
func (o *Opener) Forget(id string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.forgotten = append(o.forgotten, id)
	return nil
}

// Forgotten returns the ids that were forgotten.
func (o *Opener) Forgotten() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.forgotten)
}

// Log is a log in memory.
type Log struct {
	mu     sync.Mutex
	all    []probe.Message
	closed string
	Demo   bool
	Host   string
}

// Message keeps m.
func (l *Log) Message(m probe.Message) { l.mu.Lock(); l.all = append(l.all, m); l.mu.Unlock() }

// Close keeps the reason.
func (l *Log) Close(reason string) error { l.mu.Lock(); l.closed = reason; l.mu.Unlock(); return nil }

// Messages returns what was kept, and the reason of the end.
func (l *Log) Messages() ([]probe.Message, string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.all), l.closed
}

// Store keeps hosts and logs in memory.
type Store struct {
	mu     sync.Mutex
	saved  []hosts.Saved
	logs   []*Log
	LogErr error // of StartLog, nil for none
	// SaveErr is the error of SaveHost, nil for none.
	SaveErr error
	// Starting is called by StartLog, which takes as long.
	Starting func()
}

// Hosts returns the saved hosts.
func (s *Store) Hosts(context.Context) ([]hosts.Saved, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.saved), nil
}

// SaveHost keeps a host.
func (s *Store) SaveHost(_ context.Context, h hosts.Saved) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.SaveErr != nil {
		return s.SaveErr
	}
	if h.Name == "" {
		return errors.New("a host needs a name")
	}
	for i := range s.saved {
		if s.saved[i].ID == h.ID {
			s.saved[i] = h
			return nil
		}
	}
	s.saved = append(s.saved, h)
	return nil
}

// ForgetHost removes a host.
func (s *Store) ForgetHost(_ context.Context, id string, withLogs bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.saved = slices.DeleteFunc(s.saved, func(h hosts.Saved) bool { return h.ID == id })
	if withLogs {
		s.logs = slices.DeleteFunc(s.logs, func(l *Log) bool { return l.Host == id })
	}
	return nil
}

// StartLog returns a log in memory.
func (s *Store) StartLog(_ context.Context, h hosts.Saved, _ probe.Source, demo bool) (hosts.Log, error) {
	if s.Starting != nil {
		s.Starting()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.LogErr != nil {
		return nil, s.LogErr
	}
	l := &Log{Demo: demo, Host: h.ID}
	s.logs = append(s.logs, l)
	return l, nil
}

// Logs returns the logs.
func (s *Store) Logs() []*Log { s.mu.Lock(); defer s.mu.Unlock(); return slices.Clone(s.logs) }

// Now is the time of the tests.
var Now = time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)

// Sink gives messages to the sinks alone.
func (s *Stream) Sink(ms ...probe.Message) {
	s.mu.Lock()
	sinks := make([]stream.Sink, 0, len(s.sinks))
	for _, k := range s.sinks {
		sinks = append(sinks, k)
	}
	s.mu.Unlock()
	for _, m := range ms {
		for _, k := range sinks {
			k.Message(m)
		}
	}
}
