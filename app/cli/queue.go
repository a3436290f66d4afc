package cli

import (
	"sync"

	"rentgen/probe"
)

// queue hands messages from a host's goroutine to the one that writes. It has
// no limit: a line that was promised to come without holes must not be dropped
// because a pipe is slow.
type queue struct {
	mu   sync.Mutex
	list []probe.Message
	wake chan struct{} // holds one token while there is something to take
}

func newQueue() *queue { return &queue{wake: make(chan struct{}, 1)} }

// Message implements stream.Sink.
func (q *queue) Message(m probe.Message) {
	q.mu.Lock()
	q.list = append(q.list, m)
	q.mu.Unlock()
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// take returns what has come since the last call.
func (q *queue) take() []probe.Message {
	q.mu.Lock()
	defer q.mu.Unlock()
	list := q.list
	q.list = nil
	return list
}
