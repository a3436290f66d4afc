package store

import (
	"time"

	"rentgen/probe"
)

// GapStore is the reason of a gap that the history itself made: the disk was
// full or too slow for too long.
const GapStore probe.GapReason = "store"

// The reasons a recording can end with, beside those a caller gives to Close.
const (
	EndCrash  = "crash"  // the program was killed or lost power
	EndClosed = "closed" // the store was closed with the recording running
)

// Host is a saved host. It never holds a secret.
type Host struct {
	ID      string // made by SaveHost when empty
	Name    string // unique, case aside
	Line    string // login line, "local" or "demo"
	Created time.Time
	Options map[string]string
}

// RecordingStart says what a recording is of.
type RecordingStart struct {
	HostID   string
	HostName string
	Demo     bool
	Source   probe.Source
}

// Recording is one watch of one host.
type Recording struct {
	ID       int64
	HostID   string
	HostName string
	From, To time.Time // first and last reading; both zero while there is none
	Devices  []probe.Device
	Source   probe.Source
	Gaps     int
	Bytes    int64
	Lost     int64 // readings that could not be stored
	Demo     bool
	Open     bool // still being written
	Reason   string
	Imported string // name of the file it was read from; "" where it was watched
}

// Filter narrows a list of recordings; zero fields don't.
type Filter struct {
	Host     string    // host ID
	From, To time.Time // recordings that touch the span
	NoDemo   bool
	Limit    int // newest first
}

// Span is a part of a recording, or of a host over all its recordings. A zero
// From or To leaves that side open.
type Span struct {
	Host      string // host ID, when Recording is 0
	Recording int64
	GPU       string // UUID; "" is every card and the machine
	From, To  time.Time
}

// Query asks for one metric of one card, or of the machine, over a span.
type Query struct {
	Host      string // host ID, when Recording is 0
	Recording int64
	GPU       string // UUID, "" for the machine
	Metric    probe.Metric
	// From and To bound the span, To excluded; zero stands for the first or
	// just after the last reading.
	From, To time.Time
	Points   int // how many points are wanted at most, about; 0 means 1200
}

// Tier is how fine the readings behind a series are.
type Tier string

// The tiers.
const (
	TierSeconds Tier = "seconds"
	TierMinutes Tier = "minutes"
	TierHours   Tier = "hours"
)

// Series is the answer to a Query.
type Series struct {
	Metric probe.Metric
	Tier   Tier          // the tier asked; parts whose readings of it are gone come from the next
	Step   time.Duration // width of a point; more than that between two points is a break
	Points []Point       // by time; spans without any reading have none
}

// Point sums up the readings of [T, T+Step).
type Point struct {
	T              time.Time
	Min, Max, Mean float64 // NaN when N is 0
	N              int     // seconds with a reading
	// Rise is how much a counter grew since the point before; 0 for others.
	// For a counter Min is its first, Max and Mean its last value; for a mask
	// Min holds the bits that were always set, Max and Mean those that ever were.
	Rise float64
	// State is probe.OK, or why no second had a reading, with the raw token.
	State probe.State
	Raw   string
}
