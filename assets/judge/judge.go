// Package judge carries the limits that the rules of verdicts go by.
package judge

import _ "embed"

// Limits are the thresholds of the rules: id, value, unit, mark (rule where a
// source says so, proposal where it is ours), source and date.
//
//go:embed limits.csv
var Limits []byte
