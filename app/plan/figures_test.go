package plan

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"rentgen/app/bill/sheet"
	"rentgen/app/workload"
)

// TestFigures prints what an edit of a plan with twelve offers takes, and the
// drawing after it, with RENTGEN_BENCH=1.
func TestFigures(t *testing.T) {
	if os.Getenv("RENTGEN_BENCH") == "" {
		t.Skip("RENTGEN_BENCH is not set; make bench sets it")
	}
	p, cat := twelve(t), workload.Load()
	r := Evaluate(cat, p)
	params := SheetParams(cat, p, r.Fit)
	for _, f := range []struct {
		name  string
		limit float64 // ms
		times int
		do    func()
	}{
		{"plan: an edit with 12 offers", 16, 200, func() { Evaluate(cat, p) }},
		{"plan: the bill of 12 offers", 16, 200, func() { sheet.Make(params) }},
		{"plan: 100,000 draws of 12 offers", 100, 20, func() {
			if _, err := Chances(t.Context(), cat, p, r, 100_000, nil); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		f.do() // what is made once is made
		took := make([]float64, f.times)
		for i := range took {
			start := time.Now()
			f.do()
			took[i] = float64(time.Since(start).Microseconds()) / 1000
		}
		slices.Sort(took)
		for _, q := range []struct {
			name string
			at   int
		}{{"median", f.times / 2}, {"slowest", f.times - 1}} {
			v := took[q.at]
			fmt.Printf("figure\t%s, %s\t%.3g\tms\t%g\t%.2f\n", f.name, q.name, v, f.limit, v/f.limit)
		}
	}
}
