package remote

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"strconv"
	"time"

	"golang.org/x/crypto/ssh"
)

// open brings a byte stream to the hop: through the network, the hop before
// it, or a ProxyCommand.
func (d *dialer) open(ctx context.Context, hop Login, via *ssh.Client) (*link, error) {
	timeout := d.p.DialTimeout
	if timeout <= 0 {
		timeout = 10 * time.Second
		if n, err := strconv.Atoi(hop.Option("ConnectTimeout")); err == nil && n > 0 {
			timeout = time.Duration(n) * time.Second
		}
	}
	fail := func(stage Stage, err error) error {
		e := &Error{Stage: stage, Kind: netKind(err), Hop: hop.Hop(), Err: err}
		if ctx.Err() != nil {
			e.Kind, e.Err = ctxKind(ctx), ctx.Err()
		}
		return e
	}
	if hop.ProxyCommand != "" && via == nil {
		return d.openProxy(ctx, hop)
	}
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if via != nil {
		d.stage(StageDial, hop.Hop())
		c, err := dialThrough(limited, via, dialAddr(hop))
		if err != nil {
			e := forwardError(err, dialAddr(hop))
			e.Stage, e.Hop = StageDial, hop.Hop()
			if ctx.Err() != nil {
				e.Kind, e.Err = ctxKind(ctx), ctx.Err()
			}
			return nil, e
		}
		return newLink(c, nil), nil
	}
	d.stage(StageResolve, hop.Hop())
	host, port, _ := net.SplitHostPort(dialAddr(hop))
	network := map[string]string{"inet": "ip4", "inet6": "ip6"}[hop.Option("AddressFamily")]
	if network == "" {
		network = "ip"
	}
	addrs, err := d.p.Resolver.LookupNetIP(limited, network, host)
	if err != nil {
		e := fail(StageResolve, err).(*Error)
		var dns *net.DNSError
		if errors.As(err, &dns) && e.Kind != KindCancelled && !dns.IsTimeout {
			e.Kind = KindResolve
		}
		return nil, e
	}
	d.stage(StageDial, hop.Hop())
	c, err := dialAny(limited, addrs, port)
	if err != nil {
		return nil, fail(StageDial, err)
	}
	return newLink(c, nil), nil
}

// fallbackDelay is the head start of the first address family (RFC 6555).
const fallbackDelay = 300 * time.Millisecond

// dialAny tries the addresses in order. The second family starts a moment
// later beside the first: a network whose IPv6 leads nowhere costs nothing.
func dialAny(ctx context.Context, addrs []netip.Addr, port string) (net.Conn, error) {
	if len(addrs) == 0 {
		return nil, errors.New("no address")
	}
	var first, second []netip.Addr
	for _, a := range addrs {
		if a.Unmap().Is4() == addrs[0].Unmap().Is4() {
			first = append(first, a)
		} else {
			second = append(second, a)
		}
	}
	if len(second) == 0 {
		return dialEach(ctx, first, port)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type result struct {
		c   net.Conn
		err error
	}
	results := make(chan result, 2)
	failed := make(chan struct{})
	try := func(list []netip.Addr) {
		c, err := dialEach(ctx, list, port)
		results <- result{c, err}
	}
	go func() {
		timer := time.NewTimer(fallbackDelay)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-failed:
		}
		try(second)
	}()
	go try(first)
	r := <-results
	if r.err == nil {
		go func() { // the loser
			if r := <-results; r.err == nil {
				_ = r.c.Close()
			}
		}()
		return r.c, nil
	}
	close(failed)
	if r2 := <-results; r2.err == nil || netKind(r.err) == KindUnreachable {
		return r2.c, r2.err
	}
	return nil, r.err
}

// dialEach tries one address after the other, each with its share of the time.
func dialEach(ctx context.Context, addrs []netip.Addr, port string) (net.Conn, error) {
	var nd net.Dialer
	var first error
	for i, a := range addrs {
		share := ctx
		if end, ok := ctx.Deadline(); ok && i < len(addrs)-1 {
			var cancel context.CancelFunc
			share, cancel = context.WithTimeout(ctx, max(time.Until(end)/time.Duration(len(addrs)-i), 2*time.Second))
			defer cancel()
		}
		c, err := nd.DialContext(share, "tcp", net.JoinHostPort(a.Unmap().String(), port))
		if err == nil {
			return c, nil
		}
		if first == nil || netKind(first) == KindUnreachable {
			first = err
		}
	}
	return nil, first
}

// dialAddr is where the hop really is: HostName replaces an alias.
func dialAddr(hop Login) string {
	if h := hop.Option("HostName"); h != "" {
		hop.Host = h
	}
	return hop.Addr()
}

// ctxKind is the kind of a context's end: stopped, or out of time.
func ctxKind(ctx context.Context) Kind {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return KindTimeout
	}
	return KindCancelled
}

// netKind tells network failures apart.
func netKind(err error) Kind {
	for _, e := range refusedErrors {
		if errors.Is(err, e) {
			return KindRefused
		}
	}
	for _, e := range unreachableErrors {
		if errors.Is(err, e) {
			return KindUnreachable
		}
	}
	var dns *net.DNSError
	var timeout net.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return KindTimeout
	case errors.Is(err, context.Canceled):
		return KindCancelled
	case errors.As(err, &dns) && !dns.IsTimeout:
		return KindResolve
	case errors.As(err, &timeout) && timeout.Timeout():
		return KindTimeout
	case errors.Is(err, io.EOF), errors.Is(err, net.ErrClosed):
		return KindLost
	}
	return KindUnreachable
}

// dialThrough opens a connection from the hop before. The library's own
// DialContext leaves the channel open when it comes too late; this one doesn't.
func dialThrough(ctx context.Context, via *ssh.Client, addr string) (net.Conn, error) {
	type result struct {
		c   net.Conn
		err error
	}
	done := make(chan result, 1)
	go func() {
		c, err := via.Dial("tcp", addr)
		done <- result{c, err}
	}()
	select {
	case r := <-done:
		return r.c, r.err
	case <-ctx.Done():
		go func() {
			if r := <-done; r.err == nil {
				_ = r.c.Close()
			}
		}()
		return nil, ctx.Err()
	}
}

// forwardError says why a machine opened no connection for us.
func forwardError(err error, addr string) *Error {
	e := &Error{Stage: StageSession, Kind: KindForwardFailed, Subject: addr, Err: err}
	var open *ssh.OpenChannelError
	switch {
	case errors.As(err, &open):
		e.Said = Clean(open.Message)
		if open.Reason == ssh.Prohibited || open.Reason == ssh.UnknownChannelType {
			e.Kind = KindForwardRefused
		}
	case errors.Is(err, context.DeadlineExceeded):
		e.Kind = KindTimeout
	case errors.Is(err, context.Canceled):
		e.Kind = KindCancelled
	case errors.Is(err, io.EOF), errors.Is(err, net.ErrClosed):
		e.Kind = KindLost
	}
	return e
}
