package smi

import (
	"math"
	"strconv"
	"strings"

	"rentgen/probe"
	"rentgen/probe/procfs"
)

const (
	maxRaw  = 96   // of a cell, kept in a value
	maxText = 512  // of a line, kept in an event
	maxLine = 8192 // longer lines are cut
)

// tokens are the words that stand where a number should, in lower case and
// without brackets. Everything in brackets that is not here is an error, so
// that a token of a newer driver is never taken for a reading.
var tokens = map[string]probe.State{
	"n/a":                                probe.Unsupported,
	"not supported":                      probe.Unsupported,
	"not available":                      probe.Unsupported,
	"not available in wddm driver model": probe.Unsupported,
	"requested functionality has been deprecated": probe.Unsupported,
	"function not found":                          probe.Unsupported,
	"deprecated":                                  probe.Unsupported,
	"-":                                           probe.Unsupported,
	"":                                            probe.Unsupported,
	"insufficient permissions":                    probe.Denied,
	"no permission":                               probe.Denied,
	"unknown error":                               probe.Error,
	"unknown":                                     probe.Error,
	"gpu requires reset":                          probe.Error,
	"gpu is lost":                                 probe.Error,
	"not found":                                   probe.Error,
	"timeout":                                     probe.Error,
	"err!":                                        probe.Error,
}

// Token returns the state that a cell's word stands for. ok is false where
// the cell is no token but something to be read.
func Token(cell string) (state probe.State, ok bool) {
	s := strings.TrimSpace(cell)
	bracketed := len(s) >= 2 && s[0] == '[' && s[len(s)-1] == ']'
	if bracketed {
		s = strings.TrimSpace(s[1 : len(s)-1])
	}
	word := strings.ToLower(s)
	if state, ok := tokens[word]; ok {
		return state, true
	}
	if bracketed {
		return probe.Error, true
	}
	for _, t := range []string{"requested functionality", "[deprecated", "deprecated,", "deprecated;"} {
		if strings.HasPrefix(word, t) {
			return probe.Unsupported, true
		}
	}
	return 0, false
}

// missingCell is the value of a cell that holds a token, or pending.
func missingCell(cell string) probe.Value {
	if state, ok := Token(cell); ok {
		return probe.Missing(state, procfs.Clean(strings.TrimSpace(cell), maxRaw))
	}
	return probe.Value{}
}

// units are the suffixes that a driver may print although none were asked
// for.
var units = []string{"%", "MiB", "W", "MHz", "C", "x", "us", "ms", "seconds", "s", "W/s", "KB/s", "MB/s", "mJ", "J"}

// Number reads a cell: a number with or without its unit, a token, or an
// error that keeps the cell. lo and hi bound what is believed.
func Number(cell string, lo, hi float64) probe.Value {
	if v := missingCell(cell); v.State != probe.Pending {
		return v
	}
	s := strings.TrimSpace(cell)
	bad := probe.Missing(probe.Error, procfs.Clean(s, maxRaw))
	for _, u := range units {
		if head, ok := strings.CutSuffix(s, u); ok {
			if h := strings.TrimRight(head, " "); h != "" && h[len(h)-1] >= '0' && h[len(h)-1] <= '9' {
				s = h
				break
			}
		}
	}
	if len(s) > 32 || strings.Trim(s, "0123456789.-+") != "" {
		return bad
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(n) || n < lo || n > hi {
		return bad
	}
	return probe.Of(n)
}

// pstate reads P0 to P15.
func pstate(cell string) probe.Value {
	s := strings.TrimSpace(cell)
	if len(s) > 1 && (s[0] == 'P' || s[0] == 'p') {
		return Number(s[1:], 0, 15)
	}
	if v := missingCell(cell); v.State != probe.Pending {
		return v
	}
	return probe.Missing(probe.Error, procfs.Clean(s, maxRaw))
}

// mask reads a bit mask in hex; bits nobody knows yet are kept.
func mask(cell string) probe.Value {
	if v := missingCell(cell); v.State != probe.Pending {
		return v
	}
	return cleanRaw(probe.OfMaskText(strings.TrimSpace(cell)))
}

func cleanRaw(v probe.Value) probe.Value {
	v.Raw = procfs.Clean(v.Raw, maxRaw)
	return v
}
