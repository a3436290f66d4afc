package sheet

import (
	"slices"

	"rentgen/app/money"
)

// lines joins the three scenes into lines with bands.
//
// Where one line gives what another takes (the card paints longer and is idle
// shorter; a discount grows with what it is taken from), the doubt is kept in
// the lines that rise, so that the sum of the low ends is the low scene's total
// and not less than it can be.
func (k *column) lines(ends [3]*eval) []Line {
	ids, at, said := joined(ends)
	lines := make([]Line, 0, len(ids))
	for _, id := range ids {
		p, v := said[id], at[id]
		l := Line{
			ID: p.id, Amount: ordered(v[low], v[point], v[high]), Formula: p.formula, Group: p.group, Inputs: p.inputs,
			Rule: string(p.rule), Note: p.note,
		}
		if p.own != nil {
			h := money.Sure(*p.own)
			l.Hours = &h
		}
		if t, ok := k.values[p.rule]; ok {
			l.Source, l.Date, l.Mark = t.term.Source, t.term.Date, t.term.Mark
		}
		lines = append(lines, l)
	}
	slices.SortStableFunc(lines, func(a, b Line) int { return order[a.ID] - order[b.ID] })
	return lines
}

// tellRest notes the inputs of lines that exist at an end of the hours only.
func (k *column) tellRest(lines []Line) {
	missing := func(l Line) bool { return len(l.Inputs) == 0 }
	for _, end := range []int{high, low} {
		if !slices.ContainsFunc(lines, missing) {
			return
		}
		s := sceneAt(end)
		s.tell = true
		for _, p := range k.run(s).parts {
			for i := range lines {
				if l := &lines[i]; missing(*l) && l.ID == p.id && l.Formula == p.formula {
					l.Inputs = p.inputs
				}
			}
		}
	}
}

// totalBand is the least, the point's and the greatest total of three scenes.
func totalBand(ends [3]*eval) money.Band {
	return ordered(ends[low].total(), ends[point].total(), ends[high].total())
}

// ranked puts the scene with the least total at the low end and the one with
// the greatest at the high end: fewer hours can cost more where stopping does.
func ranked(ends [3]*eval) [3]*eval {
	r := [3]*eval{ends[point], ends[point], ends[point]}
	for _, e := range ends {
		if e.total().Less(r[low].total()) {
			r[low] = e
		}
		if r[high].total().Less(e.total()) {
			r[high] = e
		}
	}
	return r
}

// joined lists the parts of three scenes by line, with the doubt carried over.
func joined(ends [3]*eval) ([]string, map[string][3]money.Rat, map[string]part) {
	ends = ranked(ends)
	var ids []string
	at := make(map[string][3]money.Rat)
	said := make(map[string]part)
	for i, e := range ends {
		seen := make(map[string]int)
		for _, p := range e.parts {
			id := p.id
			if n := seen[p.id]; n > 0 {
				id += string(rune('0' + n)) // two reasons for one line: interruptions and a limited life
			}
			seen[p.id]++
			if _, ok := at[id]; !ok {
				ids = append(ids, id)
			}
			v := at[id]
			v[i] = p.amount
			at[id] = v
			if old, ok := said[id]; !ok || i == point || old.formula == "" {
				said[id] = p
			}
		}
	}
	carry(ids, at)
	return ids, at, said
}

// carry moves the doubt of lines that fall while the whole rises into the lines
// that rise, the leading one first, as far as those still rise. Since the whole
// rises from scene to scene, nothing is left over.
func carry(ids []string, at map[string][3]money.Rat) {
	rank := slices.Clone(ids)
	slices.SortStableFunc(rank, func(a, b string) int { return leads(b) - leads(a) })
	for _, e := range []int{low, high} {
		for _, id := range ids {
			v := at[id]
			over := v[e].Sub(v[point]) // at the low end above the point, at the high end below it
			if e == high {
				over = over.Neg()
			}
			if over.Sign() <= 0 {
				continue
			}
			for _, to := range rank {
				l := at[to]
				room := l[point].Sub(l[e])
				if e == high {
					room = room.Neg()
				}
				if to == id || room.Sign() <= 0 {
					continue
				}
				take := room.Min(over)
				over = over.Sub(take)
				if e == high {
					take = take.Neg()
				}
				l[e] = l[e].Add(take)
				at[to] = l
				v[e] = v[e].Sub(take)
				if over.IsZero() {
					break
				}
			}
			at[id] = v
		}
	}
}

func leads(id string) int {
	switch id {
	case LineCompute:
		return 2
	case LinePackage, LineOverage:
		return 1
	}
	return 0
}
