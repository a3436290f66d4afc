// Package demo is a host that exists only in memory: cards painting pictures,
// with everything that real ones do in a day. It speaks the real protocol
// through an in-memory connection, so that what shows it is what shows a real
// host. Everything it says is labelled as a demo.
package demo

import (
	"context"
	"strings"
	"time"

	"rentgen/probe"
	"rentgen/probe/remote"
	"rentgen/probe/stream"
)

// Fault is a failing state to be shown.
type Fault string

// The faults.
const (
	FaultNone       Fault = ""
	FaultConnecting Fault = "connecting"      // stays at the login
	FaultNoCommand  Fault = "no-command"      // the login gives a terminal only
	FaultHostKey    Fault = "hostkey-changed" // the machine's identity changed
	FaultAuth       Fault = "auth"            // the login is refused
	FaultLost       Fault = "lost"            // the link breaks after some ticks and does not come back
	FaultStale      Fault = "stale"           // ticks stop, the link stands
	FaultNoGPU      Fault = "no-gpu"          // started without a card
	FaultNoDriver   Fault = "no-driver"       // a machine without a driver
	FaultDenied     Fault = "denied"          // most metrics denied in the container
	FaultLostCard   Fault = "gpu-lost"        // one card falls off the bus
	FaultEightCards Fault = "eight-cards"     // no fault: eight cards
)

// Faults returns all faults in order.
func Faults() []Fault {
	return []Fault{
		FaultNone, FaultConnecting, FaultNoCommand, FaultHostKey, FaultAuth, FaultLost, FaultStale,
		FaultNoGPU, FaultNoDriver, FaultDenied, FaultLostCard, FaultEightCards,
	}
}

// ID is the id of the demo host, also its known-hosts profile and what the
// store knows it by.
const ID = "demo"

// ticksBefore is how long FaultLost and FaultStale look well.
const ticksBefore = 8 * time.Second

// Params is what the demo host needs.
type Params struct {
	Seed  uint64  // same seed, same trace; 0 is 1
	Rate  float64 // ticks a second; 0 is 1
	Cards int     // 1 to 8; 0 is 2, or 8 with FaultEightCards
	Fault Fault
	Name  string // what it is called; "" is "demo"
	// Start is the moment at which the first painting job begins; zero is the
	// first connection, or the beginning of a History.
	Start time.Time
	Clock stream.Clock // nil is the computer's
}

func (p Params) filled() Params {
	if p.Seed == 0 {
		p.Seed = 1
	}
	if p.Cards <= 0 {
		p.Cards = 2
		if p.Fault == FaultEightCards {
			p.Cards = 8
		}
	}
	p.Cards = min(p.Cards, 8)
	if p.Name == "" {
		p.Name = "demo"
	}
	if p.Clock == nil {
		p.Clock = computerClock{}
	}
	return p
}

// New returns a host that runs the demo; it is Off until started.
func New(p Params) *stream.Host { return stream.New(StreamParams(p)) }

// StreamParams returns what New uses, to be changed before stream.New.
func StreamParams(p Params) stream.Params {
	p = p.filled()
	return stream.Params{
		ID: ID, Name: p.Name, Demo: true, Rate: p.Rate, Clock: p.Clock,
		Dial: Dialer(p), Agents: Agents,
	}
}

// sha stands for the content hash of a program that does not exist.
var sha = strings.Repeat("de30", 16)

// Agents stands in for the programs that are put on a host: the demo host says
// that it already has one.
func Agents(string) (gz []byte, sum string, ok bool) { return []byte{0}, sha, true }

// Dialer returns a function that connects to the demo host.
func Dialer(p Params) func(ctx context.Context, progress func(stage string)) (remote.Conn, error) {
	p = p.filled()
	d := &dialer{p: p}
	return d.dial
}

type dialer struct {
	p     Params
	world *world
	calls int
}

func (d *dialer) dial(ctx context.Context, progress func(stage string)) (remote.Conn, error) {
	const hop = "demo@demo.invalid:22"
	d.calls++
	progress(string(remote.StageDial))
	switch d.p.Fault {
	case FaultConnecting:
		progress(string(remote.StageAuth))
		<-ctx.Done()
		return nil, context.Cause(ctx)
	case FaultHostKey:
		progress(string(remote.StageHostKey))
		return nil, &remote.Error{
			Stage: remote.StageHostKey, Kind: remote.KindHostKeyChanged, Hop: hop,
			Change: &remote.KeyChange{
				Profile: ID, Addr: "demo.invalid:22",
				Old: []remote.KeyInfo{{Type: "ssh-ed25519", Fingerprint: "SHA256:b3xDEMOq0vQvYc1mYw8o1mJt2c7Yw0y0dEmOoLdKeY4"}},
				New: remote.KeyInfo{Type: "ssh-ed25519", Fingerprint: "SHA256:k9pDEMOzR5c2hUu6nWb3r8sTt1q4Xe7v9dEmOnEwKeY8"},
			},
		}
	case FaultAuth:
		progress(string(remote.StageAuth))
		return nil, &remote.Error{
			Stage: remote.StageAuth, Kind: remote.KindAuth, Hop: hop,
			Tried: []string{"publickey", "password"}, Offered: []string{"publickey", "password"},
			Said: "Permission denied, please try again.",
		}
	case FaultLost:
		if d.calls > 1 {
			return nil, &remote.Error{Stage: remote.StageDial, Kind: remote.KindTimeout, Hop: hop}
		}
	}
	progress(string(remote.StageHandshake))
	progress(string(remote.StageHostKey))
	progress(string(remote.StageAuth))
	if d.world == nil {
		if d.p.Start.IsZero() {
			d.p.Start = d.p.Clock.Wall()
		}
		d.world = newWorld(d.p)
		d.world.warm()
	}
	return newConn(d.p, d.world), nil
}

// History calls emit with what the demo host would have said from from to to,
// one tick every step, as fast as it can: an inventory, then ticks, events and
// gaps in order.
func History(p Params, from, to time.Time, step time.Duration, emit func(probe.Message)) {
	p = p.filled()
	if step <= 0 {
		step = time.Second
	}
	if p.Start.IsZero() {
		p.Start = from
	}
	w := newWorld(p)
	inv := w.inventory()
	inv.Time, inv.Source, inv.Demo, inv.Mode = from.UTC(), probe.SourceAgent, true, w.mode()
	inv.Agent = version
	emit(inv)
	var last time.Time
	var seq uint64
	hole := false
	for at := from; at.Before(to); at = at.Add(step) {
		s, events, silent := w.tick(at, step)
		for _, e := range events {
			emit(e)
		}
		if silent {
			hole = true
			continue
		}
		s.Time, s.HostTime = at.UTC(), at.UTC()
		if hole && !last.IsZero() {
			emit(&probe.Gap{From: last, To: s.Time, Reason: probe.GapLink})
		}
		hole, last = false, s.Time
		seq++
		s.Seq = seq
		emit(s)
	}
}

// PastSpan is how long the demo host worked before it is first reached.
const PastSpan = 5 * time.Minute

// pastStep is the time between two ticks of that past.
const pastStep = time.Second

// Past calls emit with what the demo host would have said in the PastSpan
// before p.Start, which must be set: what a host with the same Params says from
// its first connection on continues it.
func Past(p Params, emit func(probe.Message)) {
	History(p, p.Start.Add(-PastSpan), p.Start, pastStep, emit)
}

// warm lets the cards work until the demo begins, as Past has it.
func (w *world) warm() {
	for at := w.p.Start.Add(-PastSpan); at.Before(w.p.Start); at = at.Add(pastStep) {
		w.tick(at, pastStep)
	}
}

// computerClock is the computer's own clock.
type computerClock struct{}

var started = time.Now()

func (computerClock) Wall() time.Time     { return time.Now().Round(0) }
func (computerClock) Mono() time.Duration { return time.Since(started) }

func (computerClock) After(d time.Duration) (<-chan time.Time, func()) {
	t := time.NewTimer(d)
	return t.C, func() { t.Stop() }
}
