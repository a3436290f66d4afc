package remotetest

import (
	"io"
	"net"
	"sync"
	"testing"
)

// listen accepts on a loopback port until the test ends; every connection goes
// to serve and is closed at the end.
func listen(t testing.TB, serve func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	var conns []net.Conn
	closed := false
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			if closed {
				_ = c.Close()
			}
			conns = append(conns, c)
			mu.Unlock()
			wg.Go(func() { serve(c) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		mu.Lock()
		closed = true
		for _, c := range conns {
			_ = c.Close()
		}
		mu.Unlock()
		wg.Wait()
	})
	return l.Addr().String()
}

// Silent returns the address of something that takes connections and never
// says a word.
func Silent(t testing.TB) string {
	return listen(t, func(c net.Conn) { _, _ = io.Copy(io.Discard, c) })
}

// Saying returns the address of something that says text and closes.
func Saying(t testing.TB, text string) string {
	return listen(t, func(c net.Conn) {
		_, _ = io.WriteString(c, text)
		_ = c.(*net.TCPConn).CloseWrite()
		_, _ = io.Copy(io.Discard, c)
	})
}

// Closed returns a loopback address on which nothing listens.
func Closed(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// Proxy carries bytes to a target until told otherwise.
type Proxy struct {
	Addr string

	mu    sync.Mutex
	stop  chan struct{}
	once  sync.Once
	pairs []net.Conn
}

// NewProxy starts a proxy that ends with the test.
func NewProxy(t testing.TB, target string) *Proxy {
	p := &Proxy{stop: make(chan struct{})}
	p.Addr = listen(t, func(c net.Conn) {
		to, err := net.Dial("tcp", target)
		if err != nil {
			_ = c.Close()
			return
		}
		p.mu.Lock()
		p.pairs = append(p.pairs, c, to)
		p.mu.Unlock()
		var wg sync.WaitGroup
		wg.Go(func() { p.copy(to, c) })
		wg.Go(func() { p.copy(c, to) })
		wg.Wait()
		_ = to.Close()
	})
	t.Cleanup(func() { p.Cut() })
	return p
}

func (p *Proxy) copy(to, from net.Conn) {
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		select {
		case <-p.stop: // swallowed: no byte, no FIN, no RST
			if err != nil {
				return
			}
			continue
		default:
		}
		if n > 0 {
			if _, werr := to.Write(buf[:n]); werr != nil {
				return
			}
		}
		if err != nil {
			if c, ok := to.(*net.TCPConn); ok {
				_ = c.CloseWrite()
			}
			return
		}
	}
}

// Stop swallows every byte from now on, as a dead peer behind a NAT would.
func (p *Proxy) Stop() { p.once.Do(func() { close(p.stop) }) }

// Cut closes all connections.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.pairs {
		_ = c.Close()
	}
}
