package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"rentgen/probe/remote"
)

const forwardDial = 15 * time.Second

// Forward is a local port that leads to an address as seen from the host. It
// survives broken links: what connects meanwhile is refused, what connects
// later goes through the new one.
type Forward struct {
	h        *Host
	listener net.Listener
	to       string
	ctx      context.Context
	cancel   context.CancelFunc
	wg       sync.WaitGroup

	mu  sync.Mutex
	err error
}

// Forward listens on 127.0.0.1 and passes what connects on to an address as
// seen from the host ("localhost:8188"; a port alone means localhost). local
// is a port or "127.0.0.1:port"; port 0 or "" picks one. A host that does not
// forward is an Error of KindForward; an address where nothing listens yet is
// none.
func (h *Host) Forward(ctx context.Context, local, remoteAddr string) (*Forward, error) {
	listen, err := loopback(local)
	if err != nil {
		return nil, err
	}
	if _, err := strconv.ParseUint(remoteAddr, 10, 16); err == nil {
		remoteAddr = net.JoinHostPort("localhost", remoteAddr)
	}
	if _, _, err := net.SplitHostPort(remoteAddr); err != nil {
		return nil, &remote.InputError{Field: "forward", Value: remoteAddr, Allowed: "host:port"}
	}
	conn, err := h.connection()
	if err != nil {
		return nil, err
	}
	c, err := dialThrough(ctx, conn, remoteAddr)
	switch {
	case err == nil:
		_ = c.Close()
	case refuses(err):
		return nil, &Error{Kind: KindForward, Err: err}
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", listen)
	if err != nil {
		return nil, &Error{Kind: KindLocalListen, Err: err}
	}
	f := &Forward{h: h, listener: l, to: remoteAddr}
	f.ctx, f.cancel = context.WithCancel(context.WithoutCancel(ctx))
	h.mu.Lock()
	h.forwards[f] = struct{}{}
	h.mu.Unlock()
	f.wg.Go(f.accept)
	return f, nil
}

// loopback makes a listening address of what the person wrote; nothing but
// this computer may ever connect.
func loopback(local string) (string, error) {
	host, port, err := net.SplitHostPort(local)
	if err != nil {
		host, port = "", local
	}
	if port == "" {
		port = "0"
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return "", &remote.InputError{Field: "forward", Value: local, Allowed: "0-65535"}
	}
	switch host {
	case "", "127.0.0.1", "localhost":
		return net.JoinHostPort("127.0.0.1", port), nil
	}
	return "", &remote.InputError{Field: "forward", Value: local, Allowed: "127.0.0.1"}
}

// refuses reports whether the host does not forward at all.
func refuses(err error) bool {
	var r *remote.Error
	return errors.As(err, &r) && r.Kind == remote.KindForwardRefused
}

func dialThrough(ctx context.Context, conn remote.Conn, addr string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, forwardDial)
	defer cancel()
	return conn.Dial(ctx, "tcp", addr)
}

// Addr returns the local address, "127.0.0.1:port".
func (f *Forward) Addr() string { return f.listener.Addr().String() }

// To returns the address on the host's side.
func (f *Forward) To() string { return f.to }

// Err returns why the latest connection could not be passed on, nil after one
// that could.
func (f *Forward) Err() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

// Close stops listening, ends what is connected and waits for it.
func (f *Forward) Close() error {
	f.cancel()
	err := f.listener.Close()
	f.wg.Wait()
	f.h.mu.Lock()
	delete(f.h.forwards, f)
	f.h.mu.Unlock()
	if err != nil && !errors.Is(err, net.ErrClosed) {
		return fmt.Errorf("close forward: %w", err)
	}
	return nil
}

func (f *Forward) accept() {
	for {
		c, err := f.listener.Accept()
		if err != nil {
			if f.ctx.Err() != nil || errors.Is(err, net.ErrClosed) || !temporary(err) {
				return
			}
			continue
		}
		f.wg.Go(func() { f.pass(c) })
	}
}

// temporary errors of accept are those of one connection that went away.
func temporary(err error) bool {
	return strings.Contains(err.Error(), "connection reset") || strings.Contains(err.Error(), "connection aborted")
}

func (f *Forward) pass(near net.Conn) {
	defer near.Close()
	conn, err := f.h.connection()
	var far net.Conn
	if err == nil {
		far, err = dialThrough(f.ctx, conn, f.to)
	}
	f.mu.Lock()
	f.err = err
	f.mu.Unlock()
	if err != nil {
		return
	}
	defer far.Close()
	stop := context.AfterFunc(f.ctx, func() {
		_ = near.Close()
		_ = far.Close()
	})
	defer stop()
	var both sync.WaitGroup
	both.Go(func() { half(far, near) })
	both.Go(func() { half(near, far) })
	both.Wait()
}

// half copies one direction and passes its end on.
func half(to, from net.Conn) {
	_, err := io.Copy(to, from)
	if w, ok := to.(interface{ CloseWrite() error }); ok && err == nil {
		_ = w.CloseWrite()
		return
	}
	_ = to.Close()
	_ = from.Close()
}
