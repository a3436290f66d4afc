package court

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"rentgen/app/judge"
	"rentgen/app/judge/judgetest"
	"rentgen/assets/texts"
)

// recall is the least share of scenes whose label must be found.
const recall = 0.95

const seeds = 4

func over(t testing.TB, s *judgetest.Scene, seed uint64, rate int) judge.Kept {
	t.Helper()
	k, err := Over(t.Context(), judgetest.Stream(s.Messages(seed, rate)), s.Setting, nil)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func alarm(v judge.Verdict) bool { return v.Level == judge.Warn || v.Level == judge.Fail }

// headline is what a recording comes down to.
func headline(list []judge.Verdict) string {
	if len(list) == 0 {
		return "none"
	}
	v := slices.MinFunc(list, Compare)
	return string(v.Kind)
}

func hit(s *judgetest.Scene, list []judge.Verdict) bool {
	for _, v := range list {
		if v.Kind == s.Want && (v.Level == s.Level || s.Level == "" && alarm(v)) {
			return true
		}
	}
	return s.Want == ""
}

// known reports whether some rule may find the kind at all.
func known(k judge.Kind) bool {
	if !strings.HasPrefix(string(k), "neighbour.") {
		return true
	}
	return slices.ContainsFunc(ruleNames(), func(n string) bool { return strings.HasPrefix(n, "others/") })
}

func ruleNames() []string {
	var list []string
	for _, r := range Rules() {
		list = append(list, r.Name)
	}
	return list
}

// TestConfusion judges every scene with several seeds. A warning where all is
// well is a failure whatever the share.
func TestConfusion(t *testing.T) {
	table := map[string]map[string]int{}
	found, all := 0, 0
	for _, s := range judgetest.All() {
		if !known(s.Want) {
			continue
		}
		for seed := range uint64(seeds) {
			list := over(t, &s, seed, 1).Verdicts
			ok := hit(&s, list)
			all++
			if ok {
				found++
			} else {
				t.Logf("%s, seed %d: %s not found in\n%s", s.Name, seed, s.Want, show(list))
			}
			for _, v := range list {
				if s.Quiet && alarm(v) {
					t.Errorf("%s, seed %d: false alarm %s", s.Name, seed, show([]judge.Verdict{v}))
				}
			}
			label := string(s.Want)
			if label == "" {
				label = "clean"
			}
			if table[label] == nil {
				table[label] = map[string]int{}
			}
			table[label][headline(list)]++
		}
	}
	t.Log("\n" + print(table))
	if share := float64(found) / float64(all); share < recall {
		t.Errorf("found %d of %d labels (%.1f %%), at least %.0f %%", found, all, 100*share, 100*recall)
	} else {
		t.Logf("found %d of %d labels (%.1f %%)", found, all, 100*share)
	}
}

// print writes the table: a label a line, with how often each headline came.
func print(table map[string]map[string]int) string {
	var b strings.Builder
	labels := make([]string, 0, len(table))
	for l := range table {
		labels = append(labels, l)
	}
	slices.Sort(labels)
	for _, l := range labels {
		fmt.Fprintf(&b, "%-18s", l)
		heads := make([]string, 0, len(table[l]))
		for h := range table[l] {
			heads = append(heads, h)
		}
		slices.SortFunc(heads, func(x, y string) int { return table[l][y] - table[l][x] })
		for _, h := range heads {
			fmt.Fprintf(&b, "  %s %d", h, table[l][h])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func show(list []judge.Verdict) string {
	c := texts.For(texts.English)
	var b strings.Builder
	for _, v := range list {
		fmt.Fprintf(&b, "  %s %s %.2f %s %d-%d: %s\n", v.Kind, v.Level, v.Confidence, v.Rule,
			v.From.Unix()-judgetest.Start.Unix(), v.To.Unix()-judgetest.Start.Unix(), c.Say(v.Say))
	}
	return b.String()
}
