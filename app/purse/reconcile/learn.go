package reconcile

import (
	"time"

	"rentgen/app/money"
	"rentgen/app/purse/tariff"
)

// Learned is what a bill tells of a host. What it doesn't tell is nil.
type Learned struct {
	Host string
	// PerHour is the price of an hour that explains every row, with as few digits
	// as do; where none does it is the sum through the hours, and Exact is false.
	PerHour *money.Rat
	Exact   bool
	// GranularityS is the unit of time by which the rows of time and money agree:
	// 1, 60 or 3600 s.
	GranularityS *int64
	// IdleShare is the part of the billed seconds that is known to be idle.
	IdleShare *money.Rat
	Rows      int // that it was learned from
}

// Stop is an end that the bill knows and we didn't.
type Stop struct {
	Host  string
	Start time.Time // of the session
	At    time.Time
}

// shortest is how long a row must be for its money to tell a price.
const shortest = 120

// piece is a settled piece of running time.
type piece struct {
	seconds int64
	amount  money.Rat
}

// learn reads price, unit and idle share from the matched pairs of a host.
func learn(host string, pairs []Pair, rows map[int]Row, cent money.Rat) Learned {
	l := Learned{Host: host}
	var ps []piece
	billed, idle, known := int64(0), int64(0), false
	for _, p := range pairs {
		if p.Kind != Matched || p.Host != host || p.Session.NoGPU {
			continue
		}
		if p.BilledS != nil && *p.BilledS > 0 {
			billed, idle, known = billed+*p.BilledS, idle+p.Session.IdleS, true
		}
		for _, n := range p.Lines {
			r := rows[n]
			s := int64(0)
			switch {
			case r.Seconds != nil:
				s = *r.Seconds
			case !r.From.IsZero() && !r.To.IsZero():
				s = int64(r.To.Sub(r.From) / time.Second)
			}
			if s >= shortest && r.Amount.Sign() > 0 {
				ps = append(ps, piece{s, r.Amount})
			}
		}
	}
	l.Rows = len(ps)
	if known && billed > 0 {
		v := money.Frac(min(idle, billed), billed)
		l.IdleShare = &v
	}
	for _, g := range []int64{1, 60, 3600} {
		if price, ok := explains(ps, g, cent); ok && len(ps) > 0 {
			l.PerHour, l.Exact = &price, true
			if tells(ps, g) {
				l.GranularityS = &g
			}
			break
		}
	}
	if l.PerHour == nil && len(ps) > 0 {
		s, a := int64(0), money.Rat{}
		for _, p := range ps {
			s, a = s+p.seconds, a.Add(p.amount)
		}
		v := a.Mul(money.Int(3600)).Quo(money.Int(s)).Round(4, money.HalfUp)
		l.PerHour = &v
	}
	return l
}

// tells reports whether enough rows are of a length that only this unit explains:
// at least three whose length is no whole number of a longer one.
func tells(ps []piece, g int64) bool {
	n := 0
	for _, p := range ps {
		switch g {
		case 1:
			if p.seconds%60 != 0 {
				n++
			}
		case 60, 3600:
			if p.seconds%g != 0 {
				n++
			}
		}
	}
	return n >= 3
}

// explains looks for a price by which every piece, rounded up to units of g
// seconds, comes to its amount within the rounding of half a minor unit; of those
// that do it takes one with the fewest digits.
func explains(ps []piece, g int64, cent money.Rat) (money.Rat, bool) {
	if len(ps) == 0 {
		return money.Rat{}, false
	}
	half := cent.Quo(money.Int(2))
	var low, high money.Rat
	for i, p := range ps {
		s := money.Int((p.seconds + g - 1) / g * g)
		a := p.amount.Sub(half).Mul(money.Int(3600)).Quo(s)
		b := p.amount.Add(half).Mul(money.Int(3600)).Quo(s)
		if i == 0 {
			low, high = a, b
			continue
		}
		low, high = low.Max(a), high.Min(b)
	}
	if high.Less(low) {
		return money.Rat{}, false
	}
	middle := low.Add(high).Quo(money.Int(2))
	for digits := 0; digits <= 6; digits++ {
		if v := middle.Round(digits, money.HalfUp); v.Sign() > 0 && !v.Less(low) && !high.Less(v) {
			return v, true
		}
	}
	return middle, true
}

// stops are the ends that the bill knows of sessions whose end we don't. A bill
// that says no time, or is settled by the day, knows none.
func stops(pairs []Pair, until time.Time) []Stop {
	var list []Stop
	for _, p := range pairs {
		if p.Kind != Matched || p.BilledS == nil || !p.Session.End.IsZero() || p.Session.Running {
			continue
		}
		low, high := p.Session.Ends[tariff.Low], p.Session.Ends[tariff.High]
		if p.To.Before(low.Add(-near)) || p.To.After(high.Add(near)) || p.To.Sub(p.From) > time.Duration(*p.BilledS)*time.Second+near {
			continue
		}
		// The bill may stop in the middle of a run that goes on.
		if !p.To.Before(until) && p.Session.Until.IsZero() && whole(p.To) {
			continue
		}
		at := p.To
		if at.Before(low) {
			at = low
		}
		if at.After(high) {
			at = high
		}
		list = append(list, Stop{p.Host, p.Session.Start, at})
	}
	return list
}

// whole reports whether a moment is a full hour, at which bills are settled.
func whole(t time.Time) bool { return t.Minute() == 0 && t.Second() == 0 }
