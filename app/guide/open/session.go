package open

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"rentgen/app/guide"
	"rentgen/app/guide/check"
	"rentgen/assets/texts"
)

// Params is what opening needs.
type Params struct {
	Forwarder guide.Forwarder
	Port      int // at the instance
	// Local is the port wanted on this computer; 0 is the same number. Where it is
	// taken another one is used.
	Local int
	Track guide.Track
	Now   func() time.Time // nil is time.Now
}

// Session is an open way to a program. Close ends it.
type Session struct {
	p     Params
	open  guide.Open
	moved bool
}

// Result is what a test of the way came to.
type Result struct {
	Answer  Answer
	Record  guide.Record  // of the check "tunnel", as it may be kept
	Outcome guide.Outcome // of the same
}

// testLimit bounds a whole test; a page through a slow link comes within it.
const testLimit = 20 * time.Second

// Start opens a local port that leads to a port of the instance. ErrOffline is in
// the error's chain where the instance isn't connected.
func Start(ctx context.Context, p Params) (*Session, error) {
	if p.Port < 1 || p.Port > 65535 || p.Local < 0 || p.Local > 65535 {
		return nil, fmt.Errorf("port %d is not from 1 to 65535", p.Port)
	}
	if p.Now == nil {
		p.Now = time.Now
	}
	if p.Local == 0 {
		p.Local = p.Port
	}
	remote := net.JoinHostPort("127.0.0.1", strconv.Itoa(p.Port))
	o, err := p.Forwarder.Forward(ctx, net.JoinHostPort("127.0.0.1", strconv.Itoa(p.Local)), remote)
	moved := false
	if err != nil && !errors.Is(err, guide.ErrOffline) && ctx.Err() == nil {
		// Taken by a program of this computer, or a port for root alone.
		o, err = p.Forwarder.Forward(ctx, "", remote)
		moved = true
	}
	if err != nil {
		return nil, fmt.Errorf("opening a way to port %d: %w", p.Port, err)
	}
	return &Session{p: p, open: o, moved: moved}, nil
}

// URL is the address for the browser.
func (s *Session) URL() string { return "http://" + s.open.Addr() + "/" }

// Port is the port at the instance.
func (s *Session) Port() int { return s.p.Port }

// Moved says that the wanted local port was taken and another one is used; zero
// where it wasn't.
func (s *Session) Moved() texts.Phrase {
	if !s.moved {
		return texts.Phrase{}
	}
	_, other, _ := net.SplitHostPort(s.open.Addr())
	return texts.P("open.moved", "port", s.p.Local, "other", other)
}

// Close ends the way; what went through it breaks off.
func (s *Session) Close() error { return s.open.Close() }

// Test asks what answers: its first page, who it is and its WebSocket. What goes
// wrong is in the Outcome.
func (s *Session) Test(ctx context.Context) Result {
	limited, cancel := context.WithTimeout(ctx, testLimit)
	defer cancel()
	began := s.p.Now()
	a := newAsker(s.open.Addr(), (&net.Dialer{}).DialContext)
	ans, err := a.identify(limited)
	in := guide.Input{Check: guide.Tunnel, Track: s.p.Track, Command: "curl -sS -o /dev/null -w '%{http_code}\\n' " + s.URL(), Laptop: true}
	if err != nil {
		if why := s.open.Err(); why != nil {
			err = why // what the instance said is nearer to the cause
		}
		in.Exit, in.Stderr, in.TimedOut = 1, []byte(guide.Clean([]byte(err.Error()), 4096)+"\n"), limited.Err() != nil
	} else {
		a.socket(limited, &ans)
		in.Stdout = []byte(ans.lines(s.p.Port))
		in.Context.HTTPCode = &ans.Code
	}
	done := s.p.Now()
	return Result{Answer: ans, Record: guide.Record{Input: in, Time: done, Duration: done.Sub(began)}, Outcome: check.Judge(in)}
}

// lines is the answer as evidence: raw, in English.
func (a Answer) lines(port int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "GET / through the forward to 127.0.0.1:%d\n%s\n", port, a.Status)
	if a.Server != "" {
		fmt.Fprintf(&b, "Server: %s\n", a.Server)
	}
	fmt.Fprintf(&b, "answered: %s %s\n", a.App, a.Version)
	switch a.Socket {
	case SocketWorks:
		b.WriteString("WebSocket: handshake done\n")
	case SocketFails:
		fmt.Fprintf(&b, "WebSocket: no handshake (%s)\n", a.SocketWhy)
	}
	return b.String()
}

// Says tells in one sentence what answered.
func (a Answer) Says() texts.Phrase {
	if a.Code == 0 {
		return texts.P("open.nothing")
	}
	name := a.App.Name()
	key := "open.answers"
	if a.Version != "" {
		name = texts.P("open.versioned", "app", name, "version", a.Version)
	}
	switch {
	case a.Socket == SocketFails:
		key = "open.socket-fails"
	case a.Login == LoginAsked:
		key = "open.login"
	case a.Socket == SocketWorks:
		key = "open.socket-works"
	}
	return texts.P(key, "app", name, "code", a.Code)
}

// Why says why something could not be opened or looked at; zero where an error
// has no sentence of its own.
func Why(err error) texts.Phrase {
	switch {
	case errors.Is(err, guide.ErrOffline):
		return texts.P("open.offline")
	case errors.Is(err, ErrGateway):
		return texts.P("open.probe.gateway")
	case errors.Is(err, ErrAddress):
		return texts.P("open.probe.address")
	}
	return texts.Phrase{}
}
