// Package guide carries what Set up is made of: the tracks, the commands of the
// checks and the thresholds of the verdicts.
package guide

import _ "embed"

// Thresholds are the limits of the verdicts: id, value, unit, mark (rule or
// proposal) and source. Texts and code both read them here.
//
//go:embed thresholds.csv
var Thresholds []byte

// Tracks are the lists of steps, their checks and their items.
//
//go:embed tracks.yaml
var Tracks []byte

// Sources are the places that models, pictures and packages come from, with an
// address each to measure the way to it.
//
//go:embed sources.yaml
var Sources []byte
