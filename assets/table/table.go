// Package table reads the tables that are built in: CSV with a head, whose rows
// say where they come from. A table that can't be read is a fault of the program,
// which a test excludes: it panics.
package table

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
)

// Rows returns the rows below the head, which must be that one.
func Rows(file string, b []byte, head ...string) [][]string {
	rows, err := csv.NewReader(bytes.NewReader(b)).ReadAll()
	if err != nil {
		panic(fmt.Sprintf("%s: %v", file, err))
	}
	if len(rows) < 2 || !slices.Equal(rows[0], head) {
		panic(fmt.Sprintf("%s: no head %q with rows below it", file, head))
	}
	return rows[1:]
}

// Limit is a row of a table of limits.
type Limit struct {
	ID     string // "disk.df.root-avail"
	Value  float64
	Unit   string
	Mark   string // "rule" where a source says so, "proposal" where it is ours
	Source string
	Date   string // ISO date of the source; "" where the table has none
}

// Limits is a table of limits.
type Limits struct {
	file string
	list []Limit
	of   map[string]float64
}

// ReadLimits reads the columns id, value, unit, mark, source and those of more,
// of which only date is kept.
func ReadLimits(file string, b []byte, more ...string) *Limits {
	date := slices.Index(more, "date")
	t := &Limits{file: file, of: make(map[string]float64)}
	for _, r := range Rows(file, b, append([]string{"id", "value", "unit", "mark", "source"}, more...)...) {
		v, err := strconv.ParseFloat(r[1], 64)
		if err != nil {
			panic(fmt.Sprintf("%s: %s: %v", file, r[0], err))
		}
		if _, twice := t.of[r[0]]; twice {
			panic(fmt.Sprintf("%s: %s stands there twice", file, r[0]))
		}
		l := Limit{ID: r[0], Value: v, Unit: r[2], Mark: r[3], Source: r[4]}
		if date >= 0 {
			l.Date = r[5+date]
		}
		t.list, t.of[l.ID] = append(t.list, l), v
	}
	return t
}

// List returns the rows in the table's order; they must not be changed.
func (t *Limits) List() []Limit { return t.list }

// Value returns the value of a row. It panics for an unknown id, which is a
// mistake of the caller.
func (t *Limits) Value(id string) float64 {
	v, ok := t.of[id]
	if !ok {
		panic(t.file + ": no limit " + id)
	}
	return v
}
