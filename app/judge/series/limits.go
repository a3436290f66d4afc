package series

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"rentgen/assets/judge"
)

// Bound is a row of the table of limits.
type Bound struct {
	ID     string // "cut.active-util"
	Value  float64
	Unit   string
	Mark   string // "rule" where a source says so, "proposal" where it is ours
	Source string
	Date   string // ISO date of the source
}

// Bounds returns the table in its order. It panics where the built-in table is
// broken, which a test excludes.
var Bounds = sync.OnceValue(func() []Bound {
	rows, err := csv.NewReader(bytes.NewReader(judge.Limits)).ReadAll()
	if err != nil || len(rows) < 2 || !slices.Equal(rows[0], []string{"id", "value", "unit", "mark", "source", "date"}) {
		panic(fmt.Sprintf("limits.csv: %v", err))
	}
	var list []Bound
	for _, r := range rows[1:] {
		v, err := strconv.ParseFloat(r[1], 64)
		if err != nil {
			panic(fmt.Sprintf("limits.csv: %s: %v", r[0], err))
		}
		list = append(list, Bound{ID: r[0], Value: v, Unit: r[2], Mark: r[3], Source: r[4], Date: r[5]})
	}
	return list
})

var bounds = sync.OnceValue(func() map[string]float64 {
	m := make(map[string]float64)
	for _, b := range Bounds() {
		m[b.ID] = b.Value
	}
	return m
})

// Limit returns the value of a row of the table. It panics for an unknown id,
// which is a mistake of the caller.
func Limit(id string) float64 {
	v, ok := bounds()[id]
	if !ok {
		panic("no limit " + id)
	}
	return v
}
