package sheet

import (
	"math"
	"slices"

	"rentgen/app/bill/offer"
	"rentgen/app/money"
)

// Curves draws each offer's cost against the rented hours of a month, from 0 to
// maxHours at so many points (at least 2), with bands, and says where one
// overtakes another. The hours are those of the first offer with a total; all
// do the same work at each point, however fast their cards are. Offers without
// a total have no curve.
func Curves(p Params, maxHours float64, points int) ([]Curve, []Crossing) {
	m := newMaker(p)
	points = max(points, 2)
	if !(maxHours > 0) || math.IsInf(maxHours, 1) {
		return nil, nil
	}
	base := zero // rented hours a month of the plan
	var live []*drawn
	for i, k := range m.columns {
		b := m.bill(k)
		if b.Status != OK || k.offer.Hidden {
			continue
		}
		e := m.points[i]
		if base.IsZero() {
			base = e.running.Mul(money.Int(e.machines * 30)).Quo(money.Int(int64(e.days)))
		}
		live = append(live, newDrawn(k))
	}
	if base.IsZero() {
		return nil, nil
	}
	curves := make([]Curve, 0, len(live))
	for _, d := range live {
		c := d.curve(maxHours, points, base)
		c.Offer = d.k.offer.Name
		curves = append(curves, c)
	}
	return curves, crossings(live, curves, base)
}

// spot is a curve's band at one of its points.
type spot struct {
	band [3]float64
	ok   bool
}

// straight is how near to a straight line a stretch must come to be filled in.
const straight = 5e-4

// curve works a curve out. Most stretches are straight: where the middle of a
// short one lies on the line between its ends, the rest of it is filled in.
func (d *drawn) curve(maxHours float64, points int, base money.Rat) Curve {
	spots := make([]spot, points)
	hours := func(n int) float64 { return maxHours * float64(n) / float64(points-1) }
	work := func(n int) spot {
		l, p, h, ok := d.at(money.Float(hours(n)).Round(6, money.HalfUp).Quo(base))
		return spot{[3]float64{l, p, h}, ok}
	}
	var fill func(a, b int)
	fill = func(a, b int) {
		if b-a < 2 {
			return
		}
		mid := (a + b) / 2
		spots[mid] = work(mid)
		if b-a <= max(4, points/8) && on(spots[a], spots[mid], spots[b], float64(mid-a)/float64(b-a)) {
			for n := a + 1; n < b; n++ {
				if n != mid {
					spots[n] = mix(spots[a], spots[b], float64(n-a)/float64(b-a))
				}
			}
			return
		}
		fill(a, mid)
		fill(mid, b)
	}
	spots[0], spots[points-1] = work(0), work(points-1)
	fill(0, points-1)
	var c Curve
	for n, s := range spots {
		if !s.ok {
			break
		}
		c.Hours, c.Low = append(c.Hours, hours(n)), append(c.Low, s.band[low])
		c.Point, c.High = append(c.Point, s.band[point]), append(c.High, s.band[high])
	}
	return c
}

func mix(a, b spot, f float64) spot {
	s := spot{ok: a.ok && b.ok}
	for i := range s.band {
		s.band[i] = a.band[i] + (b.band[i]-a.band[i])*f
	}
	return s
}

// on reports whether mid lies on the line from a to b.
func on(a, mid, b spot, f float64) bool {
	if !a.ok || !mid.ok || !b.ok {
		return false
	}
	want := mix(a, b, f)
	for i := range want.band {
		if math.Abs(mid.band[i]-want.band[i]) > straight*max(1, math.Abs(want.band[i])) {
			return false
		}
	}
	return true
}

// drawn is a column whose unknown terms were settled once, at the plan's hours.
type drawn struct {
	k           *column
	dear, cheap map[offer.TermID]value
	sure        bool // without doubt: one scene says all
}

func newDrawn(k *column) *drawn {
	d := &drawn{k: k, dear: map[offer.TermID]value{}, cheap: map[offer.TermID]value{}}
	for _, c := range k.doubts {
		if c.worst != nil {
			d.dear[c.id] = *c.worst
		}
		if c.best != nil {
			d.cheap[c.id] = *c.best
		}
	}
	d.sure = !k.use.SessionH.Wide() && !k.use.Busy.Wide() && len(k.doubts) == 0 && k.known(offer.MonthHours)
	for _, v := range k.values {
		d.sure = d.sure && !v.band.Wide() && v.flag[low] == v.flag[high] && v.choice[low] == v.choice[high]
	}
	return d
}

// at returns the band of a column with its hours times f; ok is false where
// they don't go into the span, or the job can't end.
func (d *drawn) at(f money.Rat) (l, p, h float64, ok bool) {
	var v [3]float64
	if d.sure {
		e := d.scene(point, f, nil)
		t := e.total().Float64()
		return t, t, t, e.status == OK && e.inSpan()
	}
	for i, sub := range []map[offer.TermID]value{d.cheap, nil, d.dear} {
		e := d.scene(i, f, sub)
		if e.status != OK || !e.inSpan() {
			return 0, 0, 0, false
		}
		v[i] = e.total().Float64()
	}
	return min(v[low], v[point], v[high]), v[point], max(v[low], v[point], v[high]), true
}

func (d *drawn) scene(end int, f money.Rat, sub map[offer.TermID]value) *eval {
	s := sceneAt(end)
	s.hours.factor, s.sub = &f, sub
	return d.k.run(s)
}

// inSpan reports whether the running hours go into the span.
func (e *eval) inSpan() bool { return e.running.Cmp(money.Int(int64(e.days)*24)) <= 0 }

func (d *drawn) pointAt(f money.Rat) float64 { return d.scene(point, f, nil).total().Float64() }

// crossings finds where curves change places.
func crossings(live []*drawn, curves []Curve, base money.Rat) []Crossing {
	var all []Crossing
	for i := range curves {
		for j := i + 1; j < len(curves); j++ {
			a, b := curves[i], curves[j]
			for n := 1; n < min(len(a.Hours), len(b.Hours)); n++ {
				before, after := a.Point[n-1]-b.Point[n-1], a.Point[n]-b.Point[n]
				if before == 0 || before*after > 0 || after == 0 && n+1 < min(len(a.Hours), len(b.Hours)) && a.Point[n+1] == b.Point[n+1] {
					continue
				}
				x := closeIn(live[i], live[j], base, a.Hours[n-1], a.Hours[n], before, after)
				f := (x - a.Hours[n-1]) / (a.Hours[n] - a.Hours[n-1])
				c := Crossing{A: a.Offer, B: b.Offer, Hours: x, Cost: a.Point[n-1] + (a.Point[n]-a.Point[n-1])*f}
				if before > 0 {
					c.A, c.B = c.B, c.A
				}
				c.Least = true
				for o, other := range curves {
					if o != i && o != j && len(other.Hours) > n {
						cost := other.Point[n-1] + (other.Point[n]-other.Point[n-1])*f
						c.Least = c.Least && cost >= c.Cost-1e-9*math.Abs(c.Cost)
					}
				}
				all = append(all, c)
			}
		}
	}
	slices.SortFunc(all, func(a, b Crossing) int {
		switch {
		case a.Hours < b.Hours:
			return -1
		case a.Hours > b.Hours:
			return 1
		}
		return 0
	})
	return all
}

// closeIn finds the hours at which two curves meet: on the line between two
// points, and exactly from there where a curve isn't straight.
func closeIn(a, b *drawn, base money.Rat, from, to, before, after float64) float64 {
	scale := max(1, math.Abs(before), math.Abs(after))
	x := from
	for range 24 {
		if to-from < 0.01 || before == after {
			break
		}
		x = min(max(from+(to-from)*before/(before-after), from+(to-from)/100), to-(to-from)/100)
		f := money.Float(x).Round(4, money.HalfUp).Quo(base)
		d := a.pointAt(f) - b.pointAt(f)
		if math.Abs(d) < 1e-4*scale {
			break
		}
		if d*before > 0 {
			from, before = x, d
		} else {
			to, after = x, d
		}
	}
	return math.Round(x*1e4) / 1e4
}
