package network

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"time"

	"rentgen/app/guide"
	"rentgen/assets/texts"
)

// LatencyParams is what a measurement of the way to a port needs.
type LatencyParams struct {
	Addr string // "host:port", of the login
	// N is how many times it connects; 0 is 5. A login guard that counts visits
	// bears that many.
	N int
	// Gap lies between two of them; 0 is 200 ms.
	Gap time.Duration
	// Dial connects, nil is the system's. Now is the clock, nil is time.Now. Wait
	// waits for a gap, nil is a timer.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
	Now  func() time.Time
	Wait func(ctx context.Context, d time.Duration) error
}

// Latency is how long the connections took: one round trip each, since TCP needs
// one to connect.
type Latency struct {
	Times  []time.Duration // of those that came about, in order
	Failed int             // those that did not
	Why    error           // the first failure
}

// dialLimit bounds one connection.
const dialLimit = 5 * time.Second

// Measure connects from this computer to the login port and closes at once,
// nothing is sent. The error is that of the context or of a name that isn't known.
func Measure(ctx context.Context, p LatencyParams) (Latency, error) {
	if p.N <= 0 {
		p.N = 5
	}
	p.N = min(p.N, 20)
	p.Gap = cmp.Or(p.Gap, 200*time.Millisecond)
	if p.Dial == nil {
		p.Dial = (&net.Dialer{}).DialContext
	}
	if p.Now == nil {
		p.Now = time.Now
	}
	if p.Wait == nil {
		p.Wait = guide.Pause
	}
	addr, err := resolve(ctx, p.Addr)
	if err != nil {
		return Latency{}, err
	}
	var l Latency
	for i := range p.N {
		if i > 0 {
			if err := p.Wait(ctx, p.Gap); err != nil {
				return l, fmt.Errorf("measuring the way: %w", err)
			}
		}
		limited, cancel := context.WithTimeout(ctx, dialLimit)
		began := p.Now()
		conn, err := p.Dial(limited, "tcp", addr)
		took := p.Now().Sub(began)
		cancel()
		switch {
		case ctx.Err() != nil:
			if err == nil {
				_ = conn.Close()
			}
			return l, fmt.Errorf("measuring the way: %w", ctx.Err())
		case err != nil:
			l.Failed++
			if l.Why == nil {
				l.Why = err
			}
		default:
			_ = conn.Close()
			l.Times = append(l.Times, took)
		}
	}
	return l, nil
}

// resolve turns a name into an address, so that looking it up isn't measured.
func resolve(ctx context.Context, addr string) (string, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", fmt.Errorf("measuring the way: %w", err)
	}
	if net.ParseIP(host) != nil {
		return addr, nil
	}
	list, err := net.DefaultResolver.LookupHost(ctx, host)
	if err != nil {
		return "", fmt.Errorf("measuring the way: %w", err)
	}
	if len(list) == 0 {
		return "", errors.New("measuring the way: the name has no address")
	}
	return net.JoinHostPort(list[0], port), nil
}

// Min returns the shortest time; ok is false where none came about.
func (l Latency) Min() (d time.Duration, ok bool) {
	if len(l.Times) == 0 {
		return 0, false
	}
	return slices.Min(l.Times), true
}

// Median returns the middle time; of an even count the mean of the two in the
// middle.
func (l Latency) Median() (d time.Duration, ok bool) {
	n := len(l.Times)
	if n == 0 {
		return 0, false
	}
	s := slices.Sorted(slices.Values(l.Times))
	if n%2 == 1 {
		return s[n/2], true
	}
	return (s[n/2-1] + s[n/2]) / 2, true
}

// Jitter returns the mean difference between one time and the next; it needs two.
func (l Latency) Jitter() (d time.Duration, ok bool) {
	if len(l.Times) < 2 {
		return 0, false
	}
	var sum time.Duration
	for i := 1; i < len(l.Times); i++ {
		sum += (l.Times[i] - l.Times[i-1]).Abs()
	}
	return sum / time.Duration(len(l.Times)-1), true
}

// Says tells what was measured.
func (l Latency) Says() texts.Phrase {
	median, ok := l.Median()
	if !ok {
		return texts.P("network.latency.none")
	}
	args := []any{"median", ms(median), "n", len(l.Times)}
	key := "network.latency.good"
	switch {
	case l.Failed > 0:
		key = "network.latency.gaps"
		args = append(args, "failed", l.Failed)
	case float64(median)/float64(time.Millisecond) >= guide.Threshold("net.login.rtt"):
		key = "network.latency.long"
	}
	jitter := texts.Dash
	if j, ok := l.Jitter(); ok {
		jitter = ms(j)
	}
	return texts.P(key, append(args, "jitter", jitter)...)
}

func ms(d time.Duration) string {
	v := float64(d) / float64(time.Millisecond)
	if v < 10 {
		return texts.WithUnit(texts.Number(v, 1), "ms")
	}
	return texts.WithUnit(texts.Number(v, 0), "ms")
}
