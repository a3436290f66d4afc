package throttle

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strconv"
	"strings"
	once "sync" // sync is a name of its own here

	"rentgen/assets/catalogue"
)

// products are the power limits, W, that products are sold with, by the name
// that the driver gives. Those that the catalogue knows to come with several
// limits, or doesn't vouch for, aren't there. A modified or slower edition whose
// name is the same has no row of its own.
var products = once.OnceValue(func() map[string]float64 {
	r := csv.NewReader(bytes.NewReader(catalogue.GPUs))
	r.FieldsPerRecord = -1 // a row whose cells don't fit the heading is passed over
	rows, err := r.ReadAll()
	if err != nil || len(rows) == 0 {
		return nil
	}
	at := func(name string) int { return slices.Index(rows[0], name) }
	name, tdp, note, unsure := at("nvml_name"), at("tdp_w"), at("tdp_note"), at("unverified_fields")
	if min(name, tdp, note, unsure) < 0 {
		return nil
	}
	m := map[string]float64{}
	for _, r := range rows[1:] {
		if len(r) != len(rows[0]) {
			continue
		}
		w, err := strconv.ParseFloat(r[tdp], 64)
		if err != nil || w <= 0 || r[note] != "" || strings.Contains(r[unsure], "tdp_w") {
			continue
		}
		m[r[name]] = max(m[r[name]], w)
	}
	return m
})
