// Package judge carries the limits that the rules of verdicts go by.
package judge

import _ "embed"

// Limits are the thresholds of the rules: id, value, unit, mark (rule where a
// source says so, proposal where it is ours), source and date.
//
//go:embed limits.csv
var Limits []byte

// Xids say how grave an error number of the driver is (level: info, warn, fail)
// and what it is of (part: program, card, vram, link, driver).
//
//go:embed xid.csv
var Xids []byte
