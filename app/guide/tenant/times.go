package tenant

import (
	"time"

	"rentgen/assets/texts"
)

// Part is a part of the day with what the tests that began in it saw.
type Part struct {
	From, To int // hours, local
	Tests    int
	Seen     map[Resource]int // tests that saw others there
	Shares   map[Resource]float64
}

// parts of the day: night, morning, afternoon, evening.
var parts = [][2]int{{0, 6}, {6, 12}, {12, 18}, {18, 24}}

// Compare puts tests side by side by the time of day in a place. Tests that
// ended early count where they have enough readings. The phrase names the part
// of the day in which others are seen most against the one with the least; with
// fewer than two parts it says that there is nothing to compare.
func Compare(tests []Test, where *time.Location) ([]Part, texts.Phrase) {
	list := make([]Part, len(parts))
	for i, p := range parts {
		list[i] = Part{From: p[0], To: p[1], Seen: map[Resource]int{}, Shares: map[Resource]float64{}}
	}
	for _, t := range tests {
		res := Judge(t.Readings)
		p := &list[t.Start.In(where).Hour()/6]
		known := false
		for _, f := range res.Findings {
			if f.Level == Unknown {
				continue
			}
			known = true
			p.Shares[f.Resource] += f.Share
			if seen(f.Level) {
				p.Seen[f.Resource]++
			}
		}
		if known {
			p.Tests++
		}
	}
	for i := range list {
		for r := range list[i].Shares {
			list[i].Shares[r] /= float64(list[i].Tests)
		}
	}
	return list, contrast(list)
}

// contrast finds the resource and the two parts of the day that differ most.
func contrast(list []Part) texts.Phrase {
	have := 0
	for _, p := range list {
		if p.Tests > 0 {
			have++
		}
	}
	if have < 2 {
		return texts.P("tenant.times.one")
	}
	var what Resource
	var worst, best *Part
	gap := 0.1 // less is chance
	for _, r := range Resources() {
		var hi, lo *Part
		for i := range list {
			p := &list[i]
			if _, ok := p.Shares[r]; !ok || p.Tests == 0 {
				continue
			}
			if hi == nil || p.Shares[r] > hi.Shares[r] {
				hi = p
			}
			if lo == nil || p.Shares[r] < lo.Shares[r] {
				lo = p
			}
		}
		if hi != nil && hi.Shares[r]-lo.Shares[r] > gap {
			gap, what, worst, best = hi.Shares[r]-lo.Shares[r], r, hi, lo
		}
	}
	if worst == nil {
		return texts.P("tenant.times.same")
	}
	return texts.P("tenant.times.differ", "what", texts.P("tenant.resource."+string(what)),
		"worst", texts.P("tenant.part."+partName(worst)), "worstshare", texts.Percent(100*worst.Shares[what]),
		"best", texts.P("tenant.part."+partName(best)), "bestshare", texts.Percent(100*best.Shares[what]))
}

func partName(p *Part) string {
	return []string{"night", "morning", "afternoon", "evening"}[p.From/6]
}
