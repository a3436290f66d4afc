package stream_test

import (
	"context"
	"errors"
	"io"
	"sync"
	"testing"
	"time"

	"rentgen/probe"
	"rentgen/probe/demo"
	"rentgen/probe/remote"
	"rentgen/probe/stream"
)

// link is a connection to the demo host that can fall silent or break.
type link struct {
	remote.Conn
	mu     sync.Mutex
	frozen chan struct{} // closed when nothing arrives any more
	done   chan struct{}
	err    error
}

func newLink(c remote.Conn) *link {
	return &link{Conn: c, frozen: make(chan struct{}), done: make(chan struct{})}
}

func (l *link) Done() <-chan struct{} { return l.done }

func (l *link) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

func (l *link) Close() error {
	l.cut(errors.New("closed"))
	return nil
}

func (l *link) cut(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		l.err = err
		_ = l.Conn.Close()
		close(l.done)
	}
}

func (l *link) Start(ctx context.Context, command string) (remote.Proc, error) {
	p, err := l.Conn.Start(ctx, command)
	if err != nil {
		return nil, err
	}
	f := &frozenProc{Proc: p, frozen: l.frozen, closed: make(chan struct{})}
	f.out = &frozenReader{p: f, r: p.Stdout()}
	return f, nil
}

type frozenProc struct {
	remote.Proc
	frozen, closed chan struct{}
	once           sync.Once
	out            io.Reader
}

func (p *frozenProc) Stdout() io.Reader { return p.out }

func (p *frozenProc) Close() error {
	p.once.Do(func() { close(p.closed) })
	return p.Proc.Close()
}

type frozenReader struct {
	p *frozenProc
	r io.Reader
}

func (f *frozenReader) Read(b []byte) (int, error) {
	n, err := f.r.Read(b)
	select {
	case <-f.p.frozen:
		<-f.p.closed
		return 0, io.EOF
	default:
		return n, err
	}
}

// links dials the demo host and keeps what it dialed.
type links struct {
	dial func(context.Context, func(string)) (remote.Conn, error)
	mu   sync.Mutex
	all  []*link
	fail error
}

func (l *links) connect(ctx context.Context, progress func(string)) (remote.Conn, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fail != nil {
		return nil, l.fail
	}
	c, err := l.dial(ctx, progress)
	if err != nil {
		return nil, err
	}
	k := newLink(c)
	l.all = append(l.all, k)
	return k, nil
}

func (l *links) last() *link {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all[len(l.all)-1]
}

func (l *links) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.all)
}

// pass lets time pass; in a bubble that takes no time.
func pass(d time.Duration) { <-time.After(d) }

// log is a sink that keeps everything.
type log struct {
	mu   sync.Mutex
	all  []probe.Message
	slow time.Duration
}

func (l *log) Message(m probe.Message) {
	if l.slow > 0 {
		pass(l.slow)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, m)
}

func of[T probe.Message](l *log) (out []T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, m := range l.all {
		if v, ok := m.(T); ok {
			out = append(out, v)
		}
	}
	return out
}

// demoHost returns a host in memory whose links can be broken, and all it says.
func demoHost(t *testing.T, p demo.Params, change func(*stream.Params)) (*stream.Host, *links, *log, *laptop) {
	t.Helper()
	clock := newLaptop()
	p.Clock = clock
	params := demo.StreamParams(p)
	params.Clock = clock
	ls := &links{dial: params.Dial}
	params.Dial = ls.connect
	if change != nil {
		change(&params)
	}
	h := stream.New(params)
	l := &log{}
	detach := h.Attach(l)
	t.Cleanup(func() {
		h.Stop()
		detach()
	})
	h.Start()
	return h, ls, l, clock
}
