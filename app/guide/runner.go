package guide

import (
	"context"
	"errors"
	"time"
)

// ErrOffline says that the instance is not connected.
var ErrOffline = errors.New("not connected")

// Exec is a script to run on the instance.
type Exec struct {
	// Script is POSIX shell text of ours. Nothing that came from a host may be
	// put into it: use Args.
	Script string
	Args   []string // the script's $1, $2 and so on
	Stdin  []byte
	// Timeout ends it; 0 is 60 s. Limit bounds stdout and stderr, each; 0 is 1 MiB.
	Timeout time.Duration
	Limit   int
	// Out and Err, where not nil, get stdout and stderr as they come, each in order
	// and from one goroutine of its own, beyond the Limit too; the Output holds
	// them all the same.
	Out, Err func(chunk []byte)
	// In, where not nil, are lines that follow Stdin on the script's input while it
	// runs; closing it ends the input. Stdin must be whole lines then.
	In <-chan string
}

// Output is what a script gave.
type Output struct {
	Stdout, Stderr []byte
	Exit           int // 128+n where signal n ended it, -1 where the time limit did
	Duration       time.Duration
	TimedOut       bool
	Truncated      bool
}

// Runner runs scripts over the one connection of an instance, several at once
// where asked. What login scripts print is kept out of an Output. The error is
// that of the link: ErrOffline in its chain where there is none or it broke (the
// Output holds what came). A script's own failure is no error.
type Runner interface {
	Exec(ctx context.Context, e Exec) (Output, error)
}

// Open is a local port that leads to an address as seen from the instance.
type Open interface {
	Addr() string // "127.0.0.1:port"
	Err() error   // why the latest connection could not be passed on
	Close() error
}

// Forwarder opens local ports. local is a port or "127.0.0.1:port", "" picks
// one; remote is "localhost:8188" or a port alone.
type Forwarder interface {
	Forward(ctx context.Context, local, remote string) (Open, error)
}
