package stream

import (
	"sync"
	"time"

	"rentgen/probe"
)

// queue is a bounded line of things for one goroutine that takes them in order.
type queue[T any] struct {
	mu     sync.Mutex
	cond   sync.Cond
	items  []T
	limit  int
	closed bool
	done   chan struct{}
	// dropped: what is queued is not wanted any more.
	dropped bool
}

// newQueue starts a goroutine that gives every item to f until close.
func newQueue[T any](limit int, f func(T)) *queue[T] {
	q := &queue[T]{limit: limit, done: make(chan struct{})}
	q.cond.L = &q.mu
	go func() {
		defer close(q.done)
		var batch []T
		for {
			q.mu.Lock()
			for len(q.items) == 0 && !q.closed {
				q.cond.Wait()
			}
			if len(q.items) == 0 {
				q.mu.Unlock()
				return
			}
			batch, q.items = q.items, batch[:0]
			q.mu.Unlock()
			for i := range batch {
				if q.gone() {
					return
				}
				f(batch[i])
			}
			clear(batch)
		}
	}()
	return q
}

func (q *queue[T]) gone() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.dropped
}

// push never blocks; it reports whether the oldest had to go.
func (q *queue[T]) push(v T) (dropped bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false
	}
	if len(q.items) >= q.limit {
		q.items = append(q.items[:0], q.items[1:]...)
		dropped = true
	}
	q.items = append(q.items, v)
	q.cond.Signal()
	return dropped
}

// close lets what is queued be delivered and waits for it, at most for the
// given time.
func (q *queue[T]) close(wait time.Duration) {
	q.mu.Lock()
	q.closed = true
	q.cond.Broadcast()
	q.mu.Unlock()
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-q.done:
	case <-t.C:
	}
}

// drop forgets what is queued and ends without waiting.
func (q *queue[T]) drop() {
	q.mu.Lock()
	q.closed, q.dropped, q.items = true, true, nil
	q.cond.Broadcast()
	q.mu.Unlock()
}

const (
	sinkLimit  = 36_000 // an hour of ticks at 10 Hz
	stateLimit = 256
	detachWait = 10 * time.Second
)

// subscriber is a channel from which the oldest is taken when it is full.
type subscriber struct{ ch chan probe.Message }

func (s *subscriber) push(m probe.Message) (dropped uint64) {
	for {
		select {
		case s.ch <- m:
			return dropped
		default:
		}
		select {
		case <-s.ch:
			dropped++
		default:
		}
	}
}

// fan gives messages to everyone who listens. The caller holds the host's lock,
// so order is the same for all.
type fan struct {
	subs             map[*subscriber]struct{}
	sinks            map[*queue[probe.Message]]struct{}
	missed, unstored uint64
}

func (f *fan) emit(m probe.Message) {
	for s := range f.subs {
		f.missed += s.push(m)
	}
	for q := range f.sinks {
		if q.push(m) {
			f.unstored++
		}
	}
}

// Subscribe returns a channel of messages that starts with the latest
// inventory. When the buffer is full the oldest is dropped and counted in
// State.Missed. The channel is closed by cancel and never by Stop.
func (h *Host) Subscribe(buffer int) (messages <-chan probe.Message, cancel func()) {
	s := &subscriber{ch: make(chan probe.Message, max(1, buffer))}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.inv != nil {
		s.push(h.inv)
	}
	h.fan.subs[s] = struct{}{}
	return s.ch, sync.OnceFunc(func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.fan.subs, s)
		close(s.ch)
	})
}

// Attach gives the latest inventory and then every message to s, in order,
// from a goroutine of its own. A sink that falls an hour behind loses the
// oldest, counted in State.Unstored. detach returns when everything said before
// has been delivered; it must not be called from the sink.
func (h *Host) Attach(s Sink) (detach func()) {
	q := newQueue(sinkLimit, s.Message)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.inv != nil {
		q.push(h.inv)
	}
	h.fan.sinks[q] = struct{}{}
	return sync.OnceFunc(func() {
		h.mu.Lock()
		delete(h.fan.sinks, q)
		h.mu.Unlock()
		q.close(detachWait)
	})
}

// OnState calls f with the present state and after every change other than a
// tick, in order, from a goroutine of its own. cancel does not wait: a call
// under way may still end after it.
func (h *Host) OnState(f func(State)) (cancel func()) {
	q := newQueue(stateLimit, f)
	h.mu.Lock()
	defer h.mu.Unlock()
	q.push(h.stateLocked())
	h.listeners[q] = struct{}{}
	return sync.OnceFunc(func() {
		h.mu.Lock()
		delete(h.listeners, q)
		h.mu.Unlock()
		q.drop()
	})
}
