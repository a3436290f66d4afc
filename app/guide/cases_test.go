package guide_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rentgen/app/guide"
	"rentgen/app/guide/check"
	"rentgen/app/guide/guidetest"
	"rentgen/assets/texts"
)

// caseDir is the folder of the cases: the built-in ones or those that
// RENTGEN_CASES names.
func caseDir() string {
	if d := os.Getenv("RENTGEN_CASES"); d != "" {
		return filepath.Join(d, "checks")
	}
	return filepath.Join("testdata", "cases", "checks")
}

// measured are the endings of facts that are no counts, ports or percentages: they
// may differ by 1 %.
var measured = []string{
	"_mib", "_gib", "_kib", "_mb_s", "_mbps", "_ms", "_s", "_w", "_bytes", "_cores",
}

// differs says how a read value differs from the wanted one, "" when it doesn't.
func differs(name string, got, want any) string {
	g := plain(got)
	same := func() bool {
		switch w := want.(type) {
		case float64:
			v, ok := g.(float64)
			if !ok {
				return false
			}
			loose := slices.ContainsFunc(measured, func(s string) bool { return strings.HasSuffix(name, s) }) || w != math.Trunc(w)
			if loose {
				return math.Abs(v-w) <= 0.01*math.Abs(w)
			}
			return v == w
		case []any:
			l, ok := g.([]any)
			if !ok || len(l) != len(w) {
				return false
			}
			for i := range w {
				if differs(name, l[i], w[i]) != "" {
					return false
				}
			}
			return true
		}
		return g == want
	}
	if same() {
		return ""
	}
	return fmt.Sprintf("%s = %v, want %v", name, g, want)
}

// plain is a fact as JSON gives it back.
func plain(v any) any {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	var out any
	if err := json.Unmarshal(b, &out); err != nil {
		return err
	}
	return out
}

func TestCases(t *testing.T) {
	right, total, facts, wantFacts, wrongPass := 0, 0, 0, 0, 0
	for _, c := range guidetest.Cases(t, caseDir()) {
		t.Run(c.ID+" "+string(c.In.Check), func(t *testing.T) {
			o := check.Judge(c.In)
			total++
			if o.Verdict == c.Want {
				right++
			} else {
				t.Errorf("verdict %q (%s), want %q; remedy of the case: %s", o.Verdict, o.Rule, c.Want, c.Remedy)
			}
			if c.Want == guide.Fail && o.Verdict == guide.Pass {
				wrongPass++
			}
			for _, name := range slices.Sorted(maps.Keys(c.Facts)) {
				wantFacts++
				got, ok := o.Facts[name]
				if !ok {
					t.Errorf("%s was not read, want %v", name, c.Facts[name])
				} else if d := differs(name, got, c.Facts[name]); d != "" {
					t.Error(d)
				} else {
					facts++
				}
			}
			for _, l := range texts.Langs() {
				cat := texts.For(l)
				for _, f := range o.Findings {
					if !cat.Has(f.Says.Key) || !f.Do.IsZero() && !cat.Has(f.Do.Key) {
						t.Errorf("no text for %q or %q in %s", f.Says.Key, f.Do.Key, l)
					}
					if f.Verdict == guide.Fail && f.Do.IsZero() {
						t.Errorf("%s fails without saying what to do", f.Code)
					}
					if s := cat.Say(f.Says) + cat.Say(f.Do); strings.Contains(s, "{") {
						t.Errorf("not filled: %s", s)
					}
				}
			}
		})
	}
	t.Logf("verdicts %d/%d, facts %d/%d, fail shown as pass %d", right, total, facts, wantFacts, wrongPass)
}

// TestEveryCheckHasCases holds for the built-in cases; a folder from outside may
// have some checks only.
func TestEveryCheckHasCases(t *testing.T) {
	if os.Getenv("RENTGEN_CASES") != "" {
		t.Skip("the cases are from outside")
	}
	have := map[guide.CheckID]bool{}
	for _, c := range guidetest.Cases(t, caseDir()) {
		have[c.In.Check] = true
	}
	for _, id := range guide.Checks() {
		if !have[id] {
			t.Errorf("%s has no case", id)
		}
	}
}
