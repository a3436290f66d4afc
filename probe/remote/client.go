package remote

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"
)

// Client is a connection to a machine, through its jump hosts where there are
// any. It implements Conn.
type Client struct {
	hop   Login
	chain []*ssh.Client // jump hosts first
	p     Params
	now   func() time.Time

	done chan struct{}
	once sync.Once
	err  error // set before done is closed
}

var _ Conn = (*Client)(nil)

func newClient(p Params, hop Login, chain []*ssh.Client) *Client {
	c := &Client{hop: hop, chain: chain, p: p, now: time.Now, done: make(chan struct{})}
	if p.now != nil {
		c.now = p.now
	}
	go func() {
		err := c.target().Wait()
		if err == nil {
			err = errors.New("the host closed the connection")
		}
		c.end(&Error{Stage: StageSession, Kind: KindLost, Hop: hop.Hop(), Err: err})
	}()
	go c.keepAlive()
	return c
}

func (c *Client) target() *ssh.Client { return c.chain[len(c.chain)-1] }

// end closes everything; the first reason counts.
func (c *Client) end(why error) {
	c.once.Do(func() {
		c.err = why
		close(c.done)
		if why != nil {
			c.p.Log.Info("connection ended", "hop", c.hop.Hop(), "reason", why.Error())
		}
		// From the outermost byte stream: a polite close of an inner one could
		// block on a link that no longer moves.
		for _, s := range c.chain {
			_ = s.Conn.Close()
		}
	})
}

// Done implements Conn.
func (c *Client) Done() <-chan struct{} { return c.done }

// Err implements Conn.
func (c *Client) Err() error {
	select {
	case <-c.done:
		return c.err
	default:
		return nil
	}
}

// Close implements Conn.
func (c *Client) Close() error {
	c.end(fmt.Errorf("%s: closed by us: %w", c.hop.Hop(), net.ErrClosed))
	return nil
}

// Hop returns "user@host:port" of the machine itself.
func (c *Client) Hop() string { return c.hop.Hop() }

// Login returns the login as it was used, with the ssh config applied.
func (c *Client) Login() Login { return c.hop }

// ServerVersion returns the host's version line, for diagnostics.
func (c *Client) ServerVersion() string { return Clean(string(c.target().ServerVersion())) }

// lost is the error of an operation on an ended connection.
func (c *Client) lost(err error) error {
	if why := c.Err(); why != nil {
		var e *Error
		if errors.As(why, &e) {
			return e
		}
		err = why
	}
	return &Error{Stage: StageSession, Kind: KindLost, Hop: c.hop.Hop(), Err: err}
}

// Dial implements Conn: a direct-tcpip channel.
func (c *Client) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	if network != "tcp" && network != "tcp4" && network != "tcp6" {
		return nil, &Error{Stage: StageSession, Kind: KindInput, Hop: c.hop.Hop(), Subject: network, Err: net.UnknownNetworkError(network)}
	}
	if c.Err() != nil {
		return nil, c.lost(nil)
	}
	conn, err := dialThrough(ctx, c.target(), addr)
	if err != nil {
		if c.Err() != nil {
			return nil, c.lost(err)
		}
		e := forwardError(err, addr)
		e.Hop = c.hop.Hop()
		return nil, e
	}
	return conn, nil
}

// Start implements Conn.
func (c *Client) Start(ctx context.Context, command string) (Proc, error) {
	fail := func(kind Kind, err error) error {
		if ctx.Err() != nil {
			kind, err = ctxKind(ctx), ctx.Err()
		} else if c.Err() != nil {
			return c.lost(err)
		}
		e := &Error{Stage: StageSession, Kind: kind, Hop: c.hop.Hop(), Err: err}
		var open *ssh.OpenChannelError
		if errors.As(err, &open) {
			e.Said = Clean(open.Message)
		}
		return e
	}
	if ctx.Err() != nil || c.Err() != nil {
		return nil, fail(KindLost, nil)
	}
	type result struct {
		p    *session
		kind Kind
		err  error
	}
	done := make(chan result, 1)
	go func() {
		p, kind, err := startSession(c.target(), command, c.p.linger, c.done)
		done <- result{p, kind, err}
	}()
	select {
	case r := <-done:
		if r.err != nil {
			return nil, fail(r.kind, r.err)
		}
		r.p.watch(ctx)
		return r.p, nil
	case <-ctx.Done():
	case <-c.done:
	}
	go func() { // it may still come
		if r := <-done; r.err == nil {
			_ = r.p.Close()
		}
	}()
	return nil, fail(KindLost, net.ErrClosed)
}

// keepAlive asks for a sign of life and ends the connection when none comes.
// The request itself can block on a dead link, so a timer of our own decides.
func (c *Client) keepAlive() {
	tick := time.NewTicker(c.p.KeepAlive)
	defer tick.Stop()
	for {
		select {
		case <-c.done:
			return
		case <-tick.C:
		}
		for !c.alive() {
			if c.Err() != nil {
				return
			}
		}
	}
}

// alive waits for one answer. It returns false either with the connection
// ended, or because the computer slept meanwhile: then the time that passed
// says nothing about the link, and it deserves a fresh question.
func (c *Client) alive() bool {
	asked := c.now()
	answer := make(chan error, 1)
	go func() {
		_, _, err := c.target().SendRequest("keepalive@openssh.com", true, nil)
		answer <- err
	}()
	timer := time.NewTimer(c.p.KeepAliveTimeout)
	defer timer.Stop()
	select {
	case <-c.done:
		return false
	case err := <-answer:
		if err != nil {
			c.end(&Error{Stage: StageSession, Kind: KindLost, Hop: c.hop.Hop(), Err: fmt.Errorf("sign of life: %w", err)})
			return false
		}
		return true
	case <-timer.C:
	}
	if passed := c.now().Round(0).Sub(asked.Round(0)); passed > 2*c.p.KeepAliveTimeout || passed < 0 {
		return false
	}
	c.end(&Error{
		Stage: StageSession, Kind: KindLost, Hop: c.hop.Hop(),
		Err: fmt.Errorf("no sign of life within %v", c.p.KeepAliveTimeout),
	})
	return false
}
