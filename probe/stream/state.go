package stream

import (
	"time"

	"rentgen/probe"
)

// Phase says where a host stands.
type Phase uint8

// The phases.
const (
	Off        Phase = iota // not started, or stopped
	Connecting              // on the way to the first tick; State.Stage says how far
	Live                    // ticks arrive
	Stale                   // connected, but nothing new for a while; what is shown is old
	Waiting                 // the link is down; State.RetryAt says when it is tried again
	Failed                  // stopped by something a retry can't cure; Retry tries all the same
	Paused                  // connected, reading stopped by Pause
)

var phaseNames = [...]string{"off", "connecting", "live", "stale", "waiting", "failed", "paused"}

// String returns the phase's name; text key "stream.phase.<name>".
func (p Phase) String() string {
	if int(p) < len(phaseNames) {
		return phaseNames[p]
	}
	return "off"
}

// The stages that follow those of probe/remote; text key "stream.stage.<stage>".
const (
	StageBootstrap    = "bootstrap"     // asking the machine what it is
	StageUpload       = "upload"        // putting our program there
	StageStart        = "start"         // starting it
	StageFirstReading = "first-reading" // waiting for the first tick
)

// State is everything a screen says about a host's connection. It is a copy.
type State struct {
	Phase Phase
	// Stage names the step under way while Connecting: a stage of probe/remote
	// or one of the Stage constants.
	Stage string
	// Since is when the phase was entered, LastTick when the last tick was
	// read (laptop's clock), RetryAt when the link is tried again (Waiting).
	Since, LastTick, RetryAt time.Time
	// Err says why: the failure in Failed and Waiting, a *NoCardError in Live
	// where the host has no card to read.
	Err error
	// Source is how readings are taken; Reason (a probe.Reason code) and
	// Detail (the host's words) say why not by our program.
	Source probe.Source
	Reason string
	Detail string
	Mode   probe.Mode
	// Rate is in ticks a second, as asked for.
	Rate float64
	// Offset is how far the host's wall clock is ahead of the laptop's, RTT
	// the shortest round trip of late; both 0 until measured.
	Offset, RTT time.Duration
	// Missed counts messages dropped for subscribers that did not read in
	// time, Unstored those an attached sink was too slow for by far.
	Missed, Unstored uint64
	// Attempt counts tries since the last good reading.
	Attempt int
}
