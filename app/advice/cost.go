package advice

import (
	"math"

	"rentgen/app/bill/sheet"
	"rentgen/app/money"
)

// A tie is a chance between these.
const (
	tieLow  = 0.4
	tieHigh = 0.6
)

// tied reports whether two ways cost the same for all that is known: equal
// totals, or bands that overlap with a chance between 40 and 60 %.
func tied(a, b *side, chance *float64) bool {
	x, y := a.bill.Total, b.bill.Total
	if x.Point.Cmp(y.Point) == 0 {
		return true
	}
	overlap := !x.High.Less(y.Low) && !y.High.Less(x.Low)
	return overlap && chance != nil && *chance >= tieLow && *chance <= tieHigh
}

// cheaperChance returns how likely a is cheaper than b, 0 to 1: from the draws
// where they cover the ways that compete, else from the bands.
func (v *verdict) cheaperChance(a, b *side, pool []*side) *float64 {
	if p, ok := v.drawn(a, b, pool); ok {
		return &p
	}
	p := bandChance(a.bill.Total, b.bill.Total)
	return &p
}

// drawn reads the chance from the draws. Bills that may not be taken have their
// share of the draws too; where that is more than a tenth, or where another way
// wins most draws, the draws say too little about this pair.
func (v *verdict) drawn(a, b *side, pool []*side) (float64, bool) {
	c := v.in.Chance
	if c == nil || c.Draws <= 0 || len(c.Cheapest) != len(v.in.Sheet.Bills) {
		return 0, false
	}
	share := func(s *side) float64 {
		if s.kind == Validate {
			return c.Cheapest[s.index]
		}
		sum := 0.0
		for _, o := range of(pool, s.kind) {
			sum += c.Cheapest[o.index]
		}
		return sum
	}
	x, y := share(a), share(b)
	all := 0.0
	for _, s := range pool {
		all += c.Cheapest[s.index]
	}
	if v.mixed != nil {
		all += c.Cheapest[v.mixed.index]
	}
	if !(all >= 0.9) || !(x+y >= 0.5) || math.IsInf(x+y, 0) {
		return 0, false
	}
	return x / (x + y), true
}

// bandChance takes two totals as independent with the mean (a+4m+b)/6 and the
// deviation (b-a)/6 of a three-point estimate, the difference as normal
// (formula group 21).
func bandChance(a, b money.Band) float64 {
	ma, sa := threePoint(a)
	mb, sb := threePoint(b)
	sd := math.Hypot(sa, sb)
	switch {
	case sd > 0:
		return 0.5 * math.Erfc((ma-mb)/(sd*math.Sqrt2))
	case ma < mb:
		return 1
	case ma > mb:
		return 0
	}
	return 0.5
}

func threePoint(b money.Band) (mean, sd float64) {
	l, p, h := b.Low.Float64(), b.Point.Float64(), b.High.Float64()
	return (l + 4*p + h) / 6, (h - l) / 6
}

// span returns the line's band, zero where the bill has no such line.
func span(b *sheet.Bill, id string) money.Band {
	var sum money.Band
	for _, l := range b.Lines {
		if l.ID == id {
			sum = sum.Add(l.Amount)
		}
	}
	return sum
}
