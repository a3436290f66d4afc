// Package demo is a host that exists only in memory: two cards painting
// pictures, with everything that a real pair does in a day. It speaks the real
// protocol through an in-memory connection, so that what shows it is what shows
// a real host. Everything it says is labelled as a demo.
package demo

import (
	"time"

	"rentgen/probe"
	"rentgen/probe/stream"
)

// Fault is a failing state to be shown.
type Fault string

// The faults.
const (
	FaultNone       Fault = ""
	FaultNoCommand  Fault = "no-command"      // the login gives a terminal only
	FaultHostKey    Fault = "hostkey-changed" // the machine's identity changed
	FaultAuth       Fault = "auth"            // the login is refused
	FaultLost       Fault = "lost"            // the link is down and being retried
	FaultStale      Fault = "stale"           // ticks stopped
	FaultNoGPU      Fault = "no-gpu"          // started without a card
	FaultNoDriver   Fault = "no-driver"       // a machine without a driver
	FaultDenied     Fault = "denied"          // metrics denied in the container
	FaultSimple     Fault = "simple"          // simple readings, with a reason
	FaultEightCards Fault = "eight-cards"     // not a fault: eight cards
	FaultXid        Fault = "gpu-lost"        // one card fell off the bus
	FaultConnecting Fault = "connecting"      // stays at the login
)

// Params is what the demo host needs.
type Params struct {
	Seed  uint64  // same seed, same trace; 0 is 1
	Rate  float64 // ticks a second; 0 is 1
	Cards int     // 0 is 2
	Fault Fault
	Name  string // what it is called; "" is "demo"
	Clock stream.Clock
}

// New returns a host that runs the demo; it is Off until started.
func New(p Params) *stream.Host { return stream.New(p.stream()) }

func (p Params) stream() stream.Params {
	return stream.Params{ID: "demo", Name: p.Name, Demo: true, Rate: p.Rate, Clock: p.Clock}
}

// History calls emit with what the demo host would have said from from to to,
// one tick every step, as fast as it can.
func History(p Params, from, to time.Time, step time.Duration, emit func(probe.Message)) {}
