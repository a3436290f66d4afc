package stream

import (
	"context"
	"io"
	"net"
)

// Conn is the connection of a host, as probe/remote gives it.
type Conn interface {
	Start(ctx context.Context, command string) (Proc, error)
	Dial(ctx context.Context, network, addr string) (net.Conn, error)
	Done() <-chan struct{}
	Err() error
	Close() error
}

// Proc is a command that runs on a host.
type Proc interface {
	Stdin() io.WriteCloser
	Stdout() io.Reader
	Stderr() io.Reader
	Wait() error
	Close() error
}
