package guide

import (
	"sync"

	"rentgen/assets/guide"
	"rentgen/assets/table"
)

var thresholds = sync.OnceValue(func() *table.Limits { return table.ReadLimits("thresholds.csv", guide.Thresholds) })

// Limits returns the table of thresholds in its order.
func Limits() []table.Limit { return thresholds().List() }

// Threshold returns the value of a row. It panics for an unknown id, which is a
// mistake of the caller.
func Threshold(id string) float64 { return thresholds().Value(id) }
