// Package chronicle writes down what a span of a log shows: what was found, what
// was read, what is missing, what happened and what it cost, as Markdown in
// either language. It is given all of that and works nothing out but shares and
// sums of time.
package chronicle

import (
	"time"

	"rentgen/app/judge"
	"rentgen/assets/texts"
	"rentgen/probe"
)

// Log is the log that a report is of.
type Log struct {
	ID       int64
	Host     string
	Demo     bool
	Open     bool // still being written
	Source   probe.Source
	Imported string // name of the file it was read from; "" where it was watched
	From, To time.Time
	Cards    []probe.Device
	Lost     int64 // seconds of cards that could not be kept
}

// Reading sums up one metric of one card, or of the machine (GPU ""), over the
// span.
type Reading struct {
	GPU    string
	Metric probe.Metric
	// Min, Max and Mean are those of a gauge or level; Rise is how much a counter
	// grew.
	Min, Max, Mean, Rise float64
	N                    int // seconds with a reading
	State                probe.State
	Raw                  string // why there is none, where N is 0
}

// Report is what is known of a span.
type Report struct {
	Log      Log
	From, To time.Time
	Readings []Reading
	Judged   bool // the log was judged; without it nothing is said of verdicts
	Verdicts []judge.Verdict
	Gaps     []probe.Gap
	Events   []probe.Event
	Costs    []texts.Phrase // sentences of the purse
	// Picture is the name of the picture that lies beside the report, "" for none.
	Picture string
	Made    time.Time
}

// Most rows of each list; what is beyond is counted.
const (
	mostVerdicts = 300
	mostGaps     = 200
	mostEvents   = 200
)
