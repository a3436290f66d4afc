package remote

import (
	"context"
	"fmt"
	"io"
	"net"
)

// Conn is a way to one machine: an SSH connection, this computer, or a machine
// that exists only in memory. It is safe for use from several goroutines.
type Conn interface {
	// Start runs a command line through the login's shell. The context governs
	// the command's whole life: when it ends, the command is ended. The error
	// is an *Error for what the link or the host refuses.
	Start(ctx context.Context, command string) (Proc, error)
	// Dial opens a connection to addr as seen from the machine. The context
	// governs the opening only.
	Dial(ctx context.Context, network, addr string) (net.Conn, error)
	// Done is closed when the way has ended; Err says why.
	Done() <-chan struct{}
	// Err is nil while the way is open. After Close it wraps net.ErrClosed.
	Err() error
	// Close ends the way and every command started through it. It may be
	// called again.
	Close() error
}

// Proc is a running command.
//
// Both outputs are drained all the time. Stdout is never lost; it is held back
// only when its reader is several MiB behind. Stderr keeps its latest part and
// drops the oldest, so a flood of it stalls nothing. What was received can
// still be read after the end.
type Proc interface {
	// Stdin is the command's input. Writes fail once the command has ended.
	Stdin() io.WriteCloser
	Stdout() io.Reader
	Stderr() io.Reader
	// Wait returns when the command has ended and its output has arrived: nil
	// for exit code 0, *ExitError for another end of its own, and an error
	// wrapping net.ErrClosed or the context's error when it was ended. It may
	// be called several times.
	Wait() error
	// Close ends the command: its input and outputs are closed and it is told
	// to terminate. OpenSSH passes no signal on to a login of root, so a remote
	// command must notice the end of its input or output. Close does not wait
	// and may be called again.
	Close() error
}

// ExitError says how a command ended that did not end well.
type ExitError struct {
	Code   int    // exit code; -1 when a signal ended it or none was reported
	Signal string // name without SIG, "" without one
}

// Error implements error.
func (e *ExitError) Error() string {
	if e.Signal != "" {
		return "command ended by signal " + e.Signal
	}
	if e.Code < 0 {
		return "command ended without an exit code"
	}
	return fmt.Sprintf("command ended with exit code %d", e.Code)
}
