package series

import (
	"sync"

	"rentgen/assets/judge"
	"rentgen/assets/table"
)

var limits = sync.OnceValue(func() *table.Limits { return table.ReadLimits("limits.csv", judge.Limits, "date") })

// Limits returns the table of limits in its order.
func Limits() []table.Limit { return limits().List() }

// Limit returns the value of a row of the table. It panics for an unknown id,
// which is a mistake of the caller.
func Limit(id string) float64 { return limits().Value(id) }
