package stream

import (
	"context"
	"log/slog"
	"time"

	"rentgen/probe"
	"rentgen/probe/remote"
)

// The values of Params.Source.
const (
	SourceAuto  = "auto"  // our program, simple readings where it can't run
	SourceAgent = "agent" // our program or an error
	SourceSMI   = "smi"   // simple readings, reason "asked"
	// SourceNone reads nothing and puts nothing on the host: the connection is there
	// for Run, Upload and Forward, and State is Live while it stands.
	SourceNone = "none"
)

// Rates lists the ticks a second that are offered.
func Rates() []float64 { return []float64{1, 2, 5, 10} }

// Params is what a Host needs.
type Params struct {
	// ID is the saved host's id, Name what the person calls it.
	ID, Name string
	// Dial opens the connection. It decides what a person is asked; progress
	// gets stage codes. It is called again after a broken link.
	Dial func(ctx context.Context, progress func(stage string)) (remote.Conn, error)
	// Rate in ticks a second; 0 is 1.
	Rate float64
	// Source is one of the Source constants; "" is auto.
	Source string
	// Agents finds our program for a processor (a GOARCH). Nil has none.
	Agents func(goarch string) (gz []byte, sha256 string, ok bool)
	// Consent is asked once before the first upload to this host; an error
	// means no. Nil allows.
	Consent func(ctx context.Context, q UploadQuestion) error
	// History gets what a recorder on the host kept while nobody was connected;
	// nil leaves it there.
	History History
	// Demo marks everything as made up.
	Demo bool
	// Log may be nil.
	Log *slog.Logger
	// Clock may be nil; tests put their own.
	Clock Clock
}

// UploadQuestion says what is about to be put on the host.
type UploadQuestion struct {
	Host string // the host's name
	Path string // where on the host; "" where it is kept in memory only
	Size int64  // bytes on the host's disk at most
	Sent int64  // bytes that travel
}

// Clock tells time. Wall may be set back and forth; Mono only grows, and may
// or may not go on while the laptop sleeps.
type Clock interface {
	Wall() time.Time
	Mono() time.Duration
	// After sends once when d has passed; stop frees it early.
	After(d time.Duration) (c <-chan time.Time, stop func())
}

// Sink takes every message of a host in order.
type Sink interface{ Message(probe.Message) }

// Command is a script to run on the host.
type Command struct {
	// Script is POSIX shell text of ours. Nothing that came from a host may
	// be put into it: use Args.
	Script string
	// Args are the script's $1, $2 and so on.
	Args []string
	// Stdin is the script's input; nil is empty.
	Stdin []byte
	// Timeout ends it; 0 is 60 s.
	Timeout time.Duration
	// Limit bounds stdout and stderr, each; 0 is 1 MiB.
	Limit int
	// Out and Err, where not nil, get all of stdout and stderr as they come, each
	// in order and from one goroutine of its own; the Limit does not hold for
	// them. They must not block for long.
	Out, Err func(chunk []byte)
	// In, where not nil, are lines that follow Stdin on the script's input while
	// it runs; closing it ends the input. Stdin must be whole lines then.
	In <-chan string
}

// Result is what a script gave.
type Result struct {
	Stdout, Stderr []byte
	// Exit is the script's own exit code; 128+n where signal n ended it, -1
	// where it was cut off by its time limit.
	Exit      int
	Duration  time.Duration
	Truncated bool // Stdout or Stderr was longer than the limit
	TimedOut  bool
}

// File is something to put on the host.
type File struct {
	// Path on the host; a leading "~/" is the login's home. Its directory is
	// made where it is missing.
	Path string
	Data []byte
	Mode uint32 // permission bits; 0 is 0600
}
