package guide

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"rentgen/assets/guide"
)

// Limit is a row of the table of thresholds.
type Limit struct {
	ID     string // "disk.df.root-avail"
	Value  float64
	Unit   string
	Mark   string // "rule" where a source says so, "proposal" where it is ours
	Source string
}

// Limits returns the table in its order. It panics where the built-in table is
// broken, which a test excludes.
var Limits = sync.OnceValue(func() []Limit {
	rows, err := csv.NewReader(bytes.NewReader(guide.Thresholds)).ReadAll()
	if err != nil || len(rows) < 2 || !slices.Equal(rows[0], []string{"id", "value", "unit", "mark", "source"}) {
		panic(fmt.Sprintf("thresholds.csv: %v", err))
	}
	var list []Limit
	for _, r := range rows[1:] {
		v, err := strconv.ParseFloat(r[1], 64)
		if err != nil {
			panic(fmt.Sprintf("thresholds.csv: %s: %v", r[0], err))
		}
		list = append(list, Limit{ID: r[0], Value: v, Unit: r[2], Mark: r[3], Source: r[4]})
	}
	return list
})

var limits = sync.OnceValue(func() map[string]float64 {
	m := make(map[string]float64)
	for _, l := range Limits() {
		m[l.ID] = l.Value
	}
	return m
})

// Threshold returns the value of a row. It panics for an unknown id, which is a
// mistake of the caller.
func Threshold(id string) float64 {
	v, ok := limits()[id]
	if !ok {
		panic("no threshold " + id)
	}
	return v
}
