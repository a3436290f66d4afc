// Package catalogue holds what is known of models and cards, each figure with
// its source and date.
package catalogue

import _ "embed"

// Speed lists, by model, what a job usually is and the operations of one pass of
// its denoiser.
//
//go:embed speed.csv
var Speed []byte

// SpeedFit holds the constants of the speed model, fitted to the measured rows
// by a test of app/workload, each with the number of rows that touch it.
//
//go:embed speed-fit.csv
var SpeedFit []byte
