// Package judge is the vocabulary of verdicts: what samples of a look at a rented
// card mean, with the numbers that show it. The rules stand in the rooms below.
//
// A verdict is a function of the messages alone, in their order: judged live or
// over a recording, the same seconds give the same verdicts. Nothing is judged
// from a value that could not be read.
package judge

import (
	"context"
	"iter"
	"time"

	"rentgen/assets/texts"
	"rentgen/probe"
)

// Kind is what a verdict says. The list is closed, see docs/contracts.md.
type Kind string

// The kinds.
const (
	Stable          Kind = "stable"
	Unstable        Kind = "unstable"
	Idle            Kind = "idle"
	BoundGPU        Kind = "bound.gpu"
	NeighbourGPU    Kind = "neighbour.gpu"
	NeighbourHost   Kind = "neighbour.host"
	ThrottlePower   Kind = "throttle.power"
	ThrottleThermal Kind = "throttle.thermal"
	ThrottleBrake   Kind = "throttle.brake"
	ThrottleSync    Kind = "throttle.sync"
	SlowCPUThread   Kind = "slow.cpu-thread"
	SlowCPUQuota    Kind = "slow.cpu-quota"
	SlowMemory      Kind = "slow.memory"
	SlowDisk        Kind = "slow.disk"
	SlowNetwork     Kind = "slow.network"
	SlowOffload     Kind = "slow.offload"
	SlowLink        Kind = "slow.link"
	SlowNVLink      Kind = "slow.nvlink"
	SlowStraggler   Kind = "slow.straggler"
	SlowQueueEmpty  Kind = "slow.queue-empty"
	FaultXid        Kind = "fault.xid"
	FaultECC        Kind = "fault.ecc"
	FaultLost       Kind = "fault.lost"
	FaultReset      Kind = "fault.reset"
	FaultDriver     Kind = "fault.driver"
	FaultContainer  Kind = "fault.container"
	NotEnoughData   Kind = "not-enough-data"
)

// Kinds returns the closed list.
func Kinds() []Kind {
	return []Kind{
		Stable, Unstable, Idle, BoundGPU, NeighbourGPU, NeighbourHost, ThrottlePower, ThrottleThermal, ThrottleBrake, ThrottleSync,
		SlowCPUThread, SlowCPUQuota, SlowMemory, SlowDisk, SlowNetwork, SlowOffload, SlowLink, SlowNVLink, SlowStraggler, SlowQueueEmpty,
		FaultXid, FaultECC, FaultLost, FaultReset, FaultDriver, FaultContainer, NotEnoughData,
	}
}

// Level says how a verdict is shown.
type Level string

// The levels. A power cap of a busy card is Info: it is told, it is no alarm.
const (
	Good    Level = "good"
	Info    Level = "info"
	Warn    Level = "warn"
	Fail    Level = "fail"
	Unknown Level = "unknown" // not enough data
)

// Rank orders the levels by what a person should see first: the gravest is the
// highest, what is unknown is 0.
func (l Level) Rank() int {
	switch l {
	case Fail:
		return 4
	case Warn:
		return 3
	case Good:
		return 2
	case Info:
		return 1
	case Unknown:
	}
	return 0
}

// Number is a figure that a verdict rests on.
type Number struct {
	Value float64
	Unit  string // "%", "MHz", "W", "MiB", "s", "MB/s", "°C"; "" for a plain number
}

// Verdict is what a span of readings means.
type Verdict struct {
	Kind  Kind
	Level Level
	GPU   string // UUID, "" for the machine
	// From and To bound the span that it is drawn over; Open says that it still goes on.
	From, To time.Time
	Open     bool
	// Confidence is 0 to 1. Doubts say what it lacks to 1.
	Confidence float64
	Doubts     []texts.Phrase
	Numbers    map[string]Number // name -> figure; text "judge.number.<name>"
	Say        texts.Phrase      // the sentence
	Next       texts.Phrase      // what to do; zero where there is nothing
	Rule       string            // "throttle/two-proofs": text "judge.rule.<rule>" explains it
}

// Setting is what a rule may know beside the readings.
type Setting struct {
	// Track is "shared", "dedicated" or "" where it isn't known: next steps differ.
	Track string
	// Earlier are this user's own earlier phases, of the same host or others.
	Earlier []Phase
	// Job names what runs, "" for not known; phases of one job are compared.
	Job string
}

// Phase sums up one steady phase of a card: what later phases are compared with.
type Phase struct {
	Recording int64 // 0 for the one under way
	Host      string
	GPU       string // UUID
	Card      string // product
	Job       string
	From, To  time.Time
	Seconds   int
	// Stats are by metric key. A missing metric isn't there.
	Stats map[string]Stat
}

// Stat sums up a metric over the seconds of a phase.
type Stat struct {
	N                             int
	Mean, SD                      float64
	P05, P25, P50, P75, P95, Peak float64
}

// CV is the coefficient of variation, SD through mean; 0 without a mean.
func (s Stat) CV() float64 {
	if s.Mean == 0 {
		return 0
	}
	return s.SD / s.Mean
}

// Messages are a recording in the order of time: an inventory first, then
// samples of whole seconds, events and gaps.
type Messages = iter.Seq2[probe.Message, error]

// Kept are the verdicts and phases of a recording as they were judged once.
type Kept struct {
	Version  int // of the rules; another one is judged again
	To       time.Time
	Verdicts []Verdict
	Phases   []Phase
}

// Store keeps what was judged. A recording that was never judged has the zero Kept.
type Store interface {
	Judged(ctx context.Context, recording int64) (Kept, error)
	SaveJudged(ctx context.Context, recording int64, k Kept) error
	// Phases returns the kept phases of all recordings, newest first.
	Phases(ctx context.Context, limit int) ([]Phase, error)
}
