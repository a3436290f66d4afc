package bill

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestEdges works out cases that differ from a given one in a few inputs, and
// compares the fields that are named.
func TestEdges(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("testdata", "edges.json"))
	if err != nil {
		t.Fatal(err)
	}
	var edges []struct {
		Name, Base       string
		Inputs, Expected map[string]any
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	d.DisallowUnknownFields()
	if err := d.Decode(&edges); err != nil {
		t.Fatal(err)
	}
	t.Setenv("RENTGEN_CASES", "")
	bases := map[string]costCase{}
	for _, c := range readCases(t) {
		bases[c.ID] = c
	}
	for _, e := range edges {
		t.Run(e.Name, func(t *testing.T) {
			c, ok := bases[e.Base]
			if !ok || len(e.Expected) == 0 {
				t.Fatalf("no case %s, or nothing expected", e.Base)
			}
			inputs := maps.Clone(c.Inputs)
			maps.Copy(inputs, e.Inputs)
			for _, p := range runCase(costCase{Formula: c.Formula, Inputs: inputs, Expected: e.Expected, Tolerance: "1e-12"}) {
				if !strings.HasSuffix(p, notExpected) {
					t.Error(p)
				}
			}
		})
	}
}
