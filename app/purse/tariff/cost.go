package tariff

import (
	"time"

	"rentgen/app/bill"
	"rentgen/app/bill/offer"
	"rentgen/app/money"
	"rentgen/app/provider"
)

// The scenes a cost is worked out in: the cheapest that the known rules allow,
// what they say, the dearest.
const (
	Low = iota
	Point
	High
)

// Settlements of a scene.
const (
	bySession = iota
	byHour
	cheaper // nobody says which of the two
	dearer
)

// unitUnknown is the longest unit of time in use, for who doesn't say theirs.
const unitUnknown = 3600

// scene is a reading of the rules.
type scene struct {
	granularity, least int64 // s
	charge             money.Rat
	settled            int
	factor             money.Rat // discount and tax
}

// Clock works out what spans cost: a tariff whose rules are read. It is immutable.
type Clock struct {
	t      Tariff
	scenes [3]scene
	noGPU  [3]money.Rat // price of an hour without a card
	alike  [3]bool      // the scene reads all rules as Point does
}

var (
	zero = money.Rat{}
	one  = money.Int(1)
)

// Clock reads the rules. An unknown unit of time is between a second and an hour,
// an unknown least time or charge between nothing and the greatest that any
// provider is known to have, an unknown settlement the cheaper or the dearer way.
func (t Tariff) Clock() *Clock {
	o := t.filled()
	if p := t.Package; p != nil {
		t.Package = &Package{p.Price, p.From.Truncate(time.Second), p.Until.Truncate(time.Second)}
	}
	c := &Clock{t: t}
	whole := func(r money.Rat) int64 { n, _ := r.Ceil().Int64(); return n }
	ends := func(b money.Band) [3]money.Rat { return [3]money.Rat{b.Low, b.Point, b.High} }
	g, _, known := o.Rat(offer.Granularity)
	if !known {
		g = money.Band{Low: one, Point: one, High: money.Int(unitUnknown)}
	}
	least, _, known := o.Rat(offer.MinBilled)
	if !known {
		least = money.Band{High: greatest(offer.MinBilled, "")}
	}
	charge, _, known := o.Rat(offer.MinCharge)
	if !known {
		charge = money.Band{High: greatest(offer.MinCharge, t.Currency)}
	}
	factor := money.Sure(one)
	if b, _, known := o.Rat(offer.Discount); known {
		factor = b
	}
	if b, _, known := o.Rat(offer.Tax); known {
		factor = factor.Mul(money.Sure(one).Add(b))
	}
	settled := [3]int{cheaper, bySession, dearer}
	if s, known, term := o.Choice(offer.Settlement); known && len(term.Also) == 0 {
		n := bySession
		if s == string(bill.SettleWallClockHour) {
			n = byHour
		}
		settled = [3]int{n, n, n}
	}
	for i := range c.scenes {
		c.scenes[i] = scene{max(whole(ends(g)[i]), 1), whole(ends(least)[i]), ends(charge)[i], settled[i], ends(factor)[i]}
	}
	for i, x := range c.scenes {
		y := c.scenes[Point]
		c.alike[i] = x.granularity == y.granularity && x.least == y.least && x.charge.Cmp(y.charge) == 0 && x.settled == y.settled && x.factor.Cmp(y.factor) == 0
	}
	switch {
	case t.NoGPU != nil:
		c.noGPU = [3]money.Rat{*t.NoGPU, *t.NoGPU, *t.NoGPU}
	case t.PerHour != nil:
		c.noGPU[High] = *t.PerHour // nobody asks more for less
	}
	return c
}

// greatest is the greatest value of a term that any provider's rules name, of
// amounts in a currency.
func greatest(id offer.TermID, currency money.Currency) money.Rat {
	most := zero
	for _, r := range provider.All() {
		t, ok := r.Terms[string(id)]
		if !ok || currency != "" && r.Currency != currency {
			continue
		}
		for _, x := range append([]provider.Term{t}, t.Also...) {
			if v, err := money.Parse(x.Value); err == nil {
				most = most.Max(v)
			}
		}
	}
	return most
}

// Tariff is what the clock was made of.
func (c *Clock) Tariff() Tariff { return c.t }

// Alike reports whether a scene costs what Point does.
func (c *Clock) Alike(end int, noGPU bool) bool {
	return c.alike[end] && (!noGPU || c.noGPU[end].Cmp(c.noGPU[Point]) == 0)
}

// InPackage reports whether running is paid for in advance at a moment.
func (c *Clock) InPackage(at time.Time) bool {
	p := c.t.Package
	return p != nil && !at.Before(p.From) && at.Before(p.Until)
}

// PerHour is what an hour from a moment on adds; ok is false where nobody says.
// Within a package it is nothing.
func (c *Clock) PerHour(at time.Time, noGPU bool) (money.Rat, bool) {
	f := c.scenes[Point].factor
	switch {
	case c.InPackage(at):
		return zero, true
	case noGPU:
		return c.noGPU[Point].Mul(f), c.t.NoGPU != nil
	case c.t.PerHour == nil:
		return zero, false
	}
	return c.t.PerHour.Mul(f), true
}

func (c *Clock) hourly(end int, noGPU bool) money.Rat {
	switch {
	case noGPU:
		return c.noGPU[end]
	case c.t.PerHour != nil:
		return *c.t.PerHour
	}
	return zero
}

// Cost is what a session that ran from a moment to another costs in a scene,
// beside the package that it lies in. It never falls as to rises.
func (c *Clock) Cost(end int, from, to time.Time, noGPU bool) money.Rat {
	sum := zero
	from, to = from.Truncate(time.Second), to.Truncate(time.Second) // clocks of bills tick in whole seconds
	for _, p := range c.metered(from, to) {
		sum = sum.Add(c.session(end, p[0], p[1], noGPU))
	}
	return sum
}

// metered are the pieces of a span outside the package.
func (c *Clock) metered(from, to time.Time) [][2]time.Time {
	p := c.t.Package
	if !from.Before(to) {
		return nil
	}
	if p == nil || !p.From.Before(to) || !from.Before(p.Until) {
		return [][2]time.Time{{from, to}}
	}
	var ps [][2]time.Time
	if from.Before(p.From) {
		ps = append(ps, [2]time.Time{from, p.From})
	}
	if p.Until.Before(to) {
		ps = append(ps, [2]time.Time{p.Until, to})
	}
	return ps
}

// session bills a span as one session (formulas 1 and 2).
func (c *Clock) session(end int, from, to time.Time, noGPU bool) money.Rat {
	s, price := c.scenes[end], c.hourly(end, noGPU)
	if price.IsZero() {
		return zero
	}
	seconds := to.Unix() - from.Unix()
	if seconds <= 0 {
		return zero
	}
	whole := c.whole(s, price, seconds)
	if s.settled == bySession {
		return whole.Mul(s.factor)
	}
	settled := c.settled(s, price, from, to)
	if s.least > 0 || s.charge.Sign() > 0 { // a least session or charge stands above the settled pieces
		settled = settled.Max(c.whole(s, price, min(seconds, max(s.least, 1))))
	}
	switch s.settled {
	case cheaper:
		settled = settled.Min(whole)
	case dearer:
		settled = settled.Max(whole)
	}
	return settled.Mul(s.factor)
}

// whole bills seconds as one settlement.
func (c *Clock) whole(s scene, price money.Rat, seconds int64) money.Rat {
	out, err := bill.SessionBilling(bill.SessionBillingIn{
		Currency: c.t.Currency, PricePerHour: price, GranularityS: s.granularity, MinBilledS: s.least, MinCharge: s.charge,
		SessionsS: []int64{seconds}, Repeat: 1, Round: bill.Round{Mode: money.HalfUp, Scale: c.t.Currency.Scale(), Level: bill.Total},
	})
	if err != nil {
		return zero // the tariff was checked: only a span beyond all bounds comes here
	}
	return out.Amount
}

// settled bills a span settled at each full hour of the clock: its first and last
// piece, and the full hours between, which are alike.
func (c *Clock) settled(s scene, price money.Rat, from, to time.Time) money.Rat {
	piece := func(from, to time.Time) money.Rat {
		out, err := bill.SettlementRounding(bill.SettlementRoundingIn{
			Currency: c.t.Currency, PricePerHour: price, GranularityS: s.granularity, Start: from, End: to,
			Settlement: bill.SettleWallClockHour,
			Round:      bill.Round{Mode: money.HalfUp, Scale: c.t.Currency.Scale(), Level: bill.PerSettlement},
		})
		if err != nil {
			return zero
		}
		return out.AmountRounded
	}
	_, offset := from.Zone()
	local := from.Unix() + int64(offset)
	first := from.Add(time.Duration((local/3600+1)*3600-local) * time.Second).Truncate(time.Second)
	if !first.Before(to) {
		return piece(from, to)
	}
	hours := (to.Unix() - first.Unix()) / 3600
	last := first.Add(time.Duration(hours) * time.Hour)
	sum := piece(from, first)
	if last.Before(to) {
		sum = sum.Add(piece(last, to))
	}
	if hours > 0 {
		sum = sum.Add(piece(first, first.Add(time.Hour)).Mul(money.Int(hours)))
	}
	return sum
}

// Share is the part of the package that falls on a span, by the time of the
// package's own length.
func (c *Clock) Share(from, to time.Time) money.Rat {
	p := c.t.Package
	if p == nil {
		return zero
	}
	if from.Before(p.From) {
		from = p.From
	}
	if p.Until.Before(to) {
		to = p.Until
	}
	if !from.Before(to) {
		return zero
	}
	length := p.Until.Unix() - p.From.Unix()
	if length <= 0 {
		return zero
	}
	return p.Price.Mul(money.Frac(to.Unix()-from.Unix(), length))
}
