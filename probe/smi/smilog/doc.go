// Package smilog reads logs that lie around already: what
//
//	nvidia-smi --query-gpu=timestamp,... --format=csv -l 1 > gpu.csv
//
// wrote in some shell, and what rentgen history export wrote. Both become the
// messages of a look, so that an old run can be stored and judged like a new one.
//
// A log is foreign text: lines, cells and counts are bounded, nothing but the
// state of a few cards is kept between lines, and what is no reading becomes an
// event. nvidia-smi writes its host's local time without a zone; Params says
// which it is.
package smilog

import (
	"fmt"
	"time"

	"rentgen/probe/procfs"
)

// Params says how a log is to be read.
type Params struct {
	// Columns names the columns of a log that was written with noheader, as
	// they were asked for: "timestamp", "index", "power.draw". A heading in the
	// file is then passed over.
	Columns []string
	// Location is the zone of the host that wrote the log; time.Local where nil.
	// A log of rentgen history export has its own.
	Location *time.Location
	// Name is of the file, for errors.
	Name string
}

// Error says where a log can't be read and why.
type Error struct {
	Name   string // of the file
	Line   int    // from 1; 0 where it is of the whole file
	Column int    // from 1; 0 where it is of the whole line
	Field  string // name of the column
	Value  string // what stands there, bounded
	Why    Why
}

// Why is what is wrong with a log.
type Why string

// The reasons.
const (
	WhyEmpty     Why = "empty"     // there is nothing in it
	WhyNoHeading Why = "noheading" // nothing names the columns
	WhyNoTime    Why = "notime"    // no column holds a time
	WhyNoMetric  Why = "nometric"  // no column holds a reading that is known here
	WhyTime      Why = "time"      // what stands for a time isn't one
	WhyNoRows    Why = "norows"    // there is a heading and no reading below it
	WhyBinary    Why = "binary"    // it is no text
)

// Error implements error.
func (e *Error) Error() string {
	s := e.Name
	if s == "" {
		s = "log"
	}
	if e.Line > 0 {
		s += fmt.Sprintf(", line %d", e.Line)
	}
	if e.Column > 0 {
		s += fmt.Sprintf(", column %d", e.Column)
	}
	if e.Field != "" {
		s += fmt.Sprintf(" (%s)", e.Field)
	}
	s += ": " + string(e.Why)
	if e.Value != "" {
		s += fmt.Sprintf(": %q", e.Value)
	}
	return s
}

const (
	maxLine  = 64 << 10 // of a line; a query of every field is 10 kB
	maxCells = 1024
	maxCards = 256
	maxText  = 512 // of a line, kept in an event
	maxNoise = 200 // kinds of lines that are no reading, told of one log
)

func clean(s string) string { return procfs.Clean(s, maxText) }
