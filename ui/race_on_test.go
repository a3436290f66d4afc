//go:build race

package ui_test

// raceOn makes the longest test shorter: the detector slows text layout tenfold.
const raceOn = true
