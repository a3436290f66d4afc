package hosts

import (
	"context"
	"time"

	"rentgen/probe"
	"rentgen/probe/stream"
)

// The lines of hosts that are not reached by SSH.
const (
	LineLocal = "local"
	LineDemo  = "demo"
)

// Saved is a host as it is kept between two starts.
type Saved struct {
	ID, Name string
	Line     string // login line without its password, LineLocal or LineDemo
	Created  time.Time
	Options  map[string]string
}

// Stream is what the window needs of a host's one connection; *stream.Host is
// one.
type Stream interface {
	Start()
	Stop()
	State() stream.State
	OnState(f func(stream.State)) (cancel func())
	Subscribe(buffer int) (<-chan probe.Message, func())
	Attach(s stream.Sink) (detach func())
	SetRate(hz float64)
	Pause()
	Resume()
	Retry()
	Forward(ctx context.Context, local, remote string) (*stream.Forward, error)
	RemoveHelper(ctx context.Context) error
}

// Remembers is implemented by a Stream that knows what its host said before it
// was reached; only the demo's is asked. It is shown and not recorded.
type Remembers interface {
	Past(emit func(probe.Message))
}

// Opener makes the connection of a host; it does not start it. password is one
// that was pasted along, "" for none.
type Opener interface {
	Open(s Saved, password string, rate float64) (Stream, error)
	// Forget removes what is remembered on this computer to get in: secrets
	// and the machine's identity.
	Forget(id string) error
}

// Log takes the messages of one watch.
type Log interface {
	Message(m probe.Message)
	Close(reason string) error
}

// Store keeps hosts and logs.
type Store interface {
	Hosts(ctx context.Context) ([]Saved, error)
	SaveHost(ctx context.Context, s Saved) error
	ForgetHost(ctx context.Context, id string, withLogs bool) error
	StartLog(ctx context.Context, s Saved, source probe.Source, demo bool) (Log, error)
}
