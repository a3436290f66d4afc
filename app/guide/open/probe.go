package open

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"rentgen/app/guide"
	"rentgen/app/guide/check"
	"rentgen/assets/texts"
)

// State is how a port looks from outside.
type State string

// The states of a port.
const (
	Open     State = "open"
	Refused  State = "refused"  // the machine answers that nobody listens
	Filtered State = "filtered" // no answer: a security group or the way drops it
	Nowhere  State = "nowhere"  // the machine itself can't be reached
	Unsure   State = "unsure"   // something on this laptop answers for every port
)

// Seen is one port as the laptop sees it.
type Seen struct {
	Port   int
	State  State
	Answer Answer // of HTTP; Code 0 where none came
	// Verdict is Fail for a program that lets anyone in, Warn for another open
	// port, Pass for a closed one.
	Verdict guide.Verdict
	Says    texts.Phrase
	Do      texts.Phrase
}

// ProbeParams is what a look from outside needs.
type ProbeParams struct {
	// Host is the user's own machine as it is reached from outside: the host of
	// its login. No other address is asked.
	Host  string
	Track guide.Track
	// Own says that the address leads to this instance alone, as the user or the
	// provider's page says; a container's login host is a gateway of many.
	Own   bool
	Ports []int // nil: the ports of painting programs
	Each  func(Seen)
	// Dial connects, nil is the system's.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
}

// Errors of Probe.
var (
	ErrGateway = errors.New("the login host is a gateway that other tenants use too")
	ErrAddress = errors.New("not an address of a machine elsewhere")
)

// Bounds of a look from outside: it is a question about one's own machine and no
// scan.
const (
	maxPorts    = 64
	atOnce      = 4
	portLimit   = 5 * time.Second
	askLimit    = 8 * time.Second
	controlPort = 1 // nobody listens there
)

// ProbePorts returns what to look at from outside: the ports of painting programs
// and those at which something was seen to listen, ascending.
func ProbePorts(listening []int) []int {
	list := append(check.UIPorts(), listening...)
	slices.Sort(list)
	return slices.Compact(list)
}

// Probe dials ports of the user's own machine from this computer, few at a time,
// and asks what answers. It is only called when the user starts it. The ports
// come in the order given; Each, where not nil, is called as they are seen, from
// one goroutine at a time.
func Probe(ctx context.Context, p ProbeParams) ([]Seen, error) {
	host := strings.Trim(strings.TrimSpace(p.Host), "[]")
	if err := address(host); err != nil {
		return nil, err
	}
	if p.Track == guide.Shared && !p.Own {
		return nil, ErrGateway
	}
	ports := p.Ports
	if ports == nil {
		ports = check.UIPorts()
	}
	ports = slices.DeleteFunc(slices.Clone(ports), func(n int) bool { return n < 1 || n > 65535 })
	if len(ports) > maxPorts {
		ports = ports[:maxPorts]
	}
	if p.Dial == nil {
		p.Dial = (&net.Dialer{}).DialContext
	}
	// A VPN or a proxy on the laptop may take every connection itself.
	unsure := p.look(ctx, host, controlPort) == Open
	seen := make([]Seen, len(ports))
	var wait sync.WaitGroup
	var mu sync.Mutex
	slots := make(chan struct{}, atOnce)
	for i, port := range ports {
		wait.Add(1)
		go func() {
			defer wait.Done()
			select {
			case slots <- struct{}{}:
			case <-ctx.Done():
				return
			}
			defer func() { <-slots }()
			s := p.see(ctx, host, port, unsure)
			if ctx.Err() != nil {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			seen[i] = s
			if p.Each != nil {
				p.Each(s)
			}
		}()
	}
	wait.Wait()
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("looking from outside: %w", err)
	}
	return seen, nil
}

// address holds that a host is one machine elsewhere: a name or an address, not
// this computer, nobody or everybody.
func address(host string) error {
	if host == "" || len(host) > 253 || strings.ContainsAny(host, "/@ \t\n,*?#%") {
		return fmt.Errorf("%w: %q", ErrAddress, host)
	}
	if strings.EqualFold(host, "localhost") || strings.HasSuffix(strings.ToLower(host), ".localhost") {
		return fmt.Errorf("%w: %q", ErrAddress, host)
	}
	a, err := netip.ParseAddr(host)
	if err != nil {
		if strings.Contains(host, ":") {
			return fmt.Errorf("%w: %q", ErrAddress, host)
		}
		return nil // a name
	}
	if a = a.Unmap(); a.IsLoopback() || a.IsUnspecified() || a.IsMulticast() || a.IsLinkLocalUnicast() {
		return fmt.Errorf("%w: %q", ErrAddress, host)
	}
	return nil
}

// look dials a port once and says how it looks.
func (p ProbeParams) look(ctx context.Context, host string, port int) State {
	limited, cancel := context.WithTimeout(ctx, portLimit)
	defer cancel()
	conn, err := p.Dial(limited, "tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	if err == nil {
		_ = conn.Close()
		return Open
	}
	is := func(list []error) bool {
		return slices.ContainsFunc(list, func(e error) bool { return errors.Is(err, e) })
	}
	var dns *net.DNSError
	switch {
	case is(refusedErrors):
		return Refused
	case is(nowhereErrors), errors.As(err, &dns):
		return Nowhere
	}
	return Filtered
}

// see looks at a port and, where it is open, asks what answers.
func (p ProbeParams) see(ctx context.Context, host string, port int, unsure bool) Seen {
	s := Seen{Port: port, State: p.look(ctx, host, port)}
	if s.State == Open {
		limited, cancel := context.WithTimeout(ctx, askLimit)
		defer cancel()
		addr := net.JoinHostPort(host, strconv.Itoa(port))
		ans, err := newAsker(addr, p.Dial).identify(limited)
		switch {
		case err == nil:
			s.Answer = ans
		case unsure:
			s.State = Unsure
		}
	}
	s.judge()
	return s
}

// judge says what a port's look means and who mends it.
func (s *Seen) judge() {
	app := s.Answer.App
	if app == "" {
		app = Other
	}
	args := []any{"port", s.Port, "app", app.Name()}
	say := func(v guide.Verdict, code string, do bool) {
		s.Verdict, s.Says = v, texts.P("open.probe."+code, args...)
		if do {
			s.Do = texts.P("open.probe."+code+".do", args...)
		}
	}
	switch {
	case s.State == Refused:
		say(guide.Pass, "refused", false)
	case s.State == Filtered:
		say(guide.Pass, "filtered", false)
	case s.State == Nowhere:
		say(guide.Warn, "nowhere", true)
	case s.State == Unsure:
		say(guide.Warn, "unsure", true)
	case s.Answer.Code == 0:
		say(guide.Warn, "open", true)
	case s.Answer.Login == LoginAsked:
		say(guide.Warn, "login", true)
	case s.Answer.Login == LoginNone || slices.Contains(check.UIPorts(), s.Port):
		say(guide.Fail, "public", true)
	default:
		say(guide.Warn, "http", true)
	}
}
