package stream

import (
	"context"
	"io"
	"sync"
	"time"

	"rentgen/probe/remote"
)

// guard ends a program on the host when it does not answer in time or nobody
// wants the answer any more, so that a blocked read or write comes back.
type guard struct {
	clock Clock
	proc  remote.Proc
	reset chan time.Duration
	done  chan struct{} // closed by stop
	over  chan struct{} // closed when nothing is watched any more
	once  sync.Once

	mu  sync.Mutex
	why error
}

func newGuard(ctx context.Context, clock Clock, proc remote.Proc) *guard {
	g := &guard{clock: clock, proc: proc, reset: make(chan time.Duration), done: make(chan struct{}), over: make(chan struct{})}
	go g.watch(ctx)
	return g
}

func (g *guard) watch(ctx context.Context) {
	defer close(g.over)
	var timer <-chan time.Time
	stop := func() {}
	defer func() { stop() }()
	for {
		select {
		case <-g.done:
			return
		case d := <-g.reset:
			stop()
			timer, stop = nil, func() {}
			if d > 0 {
				timer, stop = g.clock.After(d)
			}
		case <-timer:
			g.end(errTimedOut)
			return
		case <-ctx.Done():
			g.end(context.Cause(ctx))
			return
		}
	}
}

func (g *guard) end(why error) {
	g.mu.Lock()
	g.why = why
	g.mu.Unlock()
	_ = g.proc.Close()
}

// set gives the host d from now on; 0 is for ever.
func (g *guard) set(d time.Duration) {
	select {
	case g.reset <- d:
	case <-g.over:
	}
}

// stop lets the program run without a watch.
func (g *guard) stop() { g.once.Do(func() { close(g.done) }) }

// cause says why the guard ended the program, nil if it did not.
func (g *guard) cause() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.why
}

// tail keeps the last part of a text.
type tail struct {
	mu sync.Mutex
	b  []byte
}

// newTail drains r for ever.
func newTail(r io.Reader) *tail {
	t := &tail{}
	go func() { _, _ = io.Copy(t, r) }()
	return t
}

// Write implements io.Writer; it never fails.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b = append(t.b, p...)
	if over := len(t.b) - 2*saidLimit; over > 0 {
		t.b = append(t.b[:0], t.b[over:]...)
	}
	return len(p), nil
}

// String returns what is kept.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.b)
}

func clean(s string) string { return remote.Clean(s) }
