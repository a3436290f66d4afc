package workload

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"strconv"

	"rentgen/assets/catalogue"
)

// Names of the constants that say how wide bands are: the error, in logarithms,
// that four of five rows keep below when the fit has not seen their source,
// their card or their family.
const (
	spreadSource = "spread:source"
	spreadCard   = "spread:card"
	spreadFamily = "spread:family"
)

// speedFit is a fit of the speed model.
type speedFit struct {
	constants constants
	rows      map[string]int // measured rows that touch a constant
}

// fitted is the fit of the measured rows; a test makes it anew from them.
var fitted = loadFit(catalogue.SpeedFit)

// loadFit reads the embedded table. Its form is ours: a fault is a fault of the
// program.
func loadFit(b []byte) speedFit {
	r := csv.NewReader(bytes.NewReader(b))
	r.Comment = '#' // what the fit rests on
	rows, err := r.ReadAll()
	if err != nil {
		panic(fmt.Errorf("read the fit of speeds: %w", err))
	}
	t := speedFit{constants: constants{}, rows: map[string]int{}}
	for n, row := range rows[1:] {
		v, err := strconv.ParseFloat(row[1], 64)
		if err != nil {
			panic(fmt.Errorf("row %d of the fit of speeds: %w", n+2, err))
		}
		count, err := strconv.Atoi(row[2])
		if err != nil {
			panic(fmt.Errorf("row %d of the fit of speeds: %w", n+2, err))
		}
		t.constants[row[0]], t.rows[row[0]] = v, count
	}
	return t
}
