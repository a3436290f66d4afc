package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
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
			e.Kind, e.Err = KindCancelled, ctx.Err()
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
				e.Kind, e.Err = KindCancelled, ctx.Err()
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
	var nd net.Dialer
	var first error
	for _, a := range addrs {
		var c net.Conn
		if c, err = nd.DialContext(limited, "tcp", net.JoinHostPort(a.Unmap().String(), port)); err == nil {
			return newLink(c, nil), nil
		}
		if first == nil || netKind(first) == KindUnreachable {
			first = err
		}
	}
	if first == nil {
		first = fmt.Errorf("no address for %s", host)
	}
	return nil, fail(StageDial, first)
}

// dialAddr is where the hop really is: HostName replaces an alias.
func dialAddr(hop Login) string {
	if h := hop.Option("HostName"); h != "" {
		hop.Host = h
	}
	return hop.Addr()
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
