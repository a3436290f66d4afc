package remote

import (
	"bytes"
	"net"
	"sync"
	"time"
)

// link is the byte stream to one hop. It remembers how the other side began,
// to tell silence from something that is not SSH.
type link struct {
	net.Conn
	proxy *proxyProc // nil without a ProxyCommand

	mu   sync.Mutex
	head []byte
}

// headSize is how much of the beginning is kept.
const headSize = 512

func newLink(c net.Conn, proxy *proxyProc) *link { return &link{Conn: c, proxy: proxy} }

// Read implements net.Conn.
func (l *link) Read(p []byte) (int, error) {
	n, err := l.Conn.Read(p)
	l.mu.Lock()
	if room := headSize - len(l.head); room > 0 {
		l.head = append(l.head, p[:min(n, room)]...)
	}
	l.mu.Unlock()
	return n, err
}

// heard returns the beginning of what the other side sent and whether it spoke
// SSH.
func (l *link) heard() (head string, isSSH bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range bytes.Lines(l.head) {
		if bytes.HasPrefix(line, []byte("SSH-")) {
			return string(l.head), true
		}
	}
	return string(l.head), false
}

// stopwatch closes a connection when its time is up. It stands still while a
// person is asked.
type stopwatch struct {
	mu      sync.Mutex
	left    time.Duration
	since   time.Time
	timer   *time.Timer
	open    int // questions open
	expired bool
	stopped bool
	fire    func()
}

func newStopwatch(d time.Duration, fire func()) *stopwatch {
	s := &stopwatch{left: d, fire: fire}
	s.start()
	return s
}

// start must be called with the lock held or before anybody else knows s.
func (s *stopwatch) start() {
	s.since = time.Now()
	s.timer = time.AfterFunc(s.left, func() {
		s.mu.Lock()
		on := !s.stopped && s.open == 0
		s.expired = s.expired || on
		s.mu.Unlock()
		if on {
			s.fire()
		}
	})
}

// pause stands the watch still until the returned function is called.
func (s *stopwatch) pause() (resume func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open++
	if s.open == 1 && !s.stopped {
		s.timer.Stop()
		s.left = max(s.left-time.Since(s.since), time.Second)
	}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.open--
		if s.open == 0 && !s.stopped && !s.expired {
			s.start()
		}
	}
}

// stop ends the watch and reports whether its time was up.
func (s *stopwatch) stop() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = true
	s.timer.Stop()
	return s.expired
}
