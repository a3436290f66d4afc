package alert

import (
	"fmt"
	"time"

	"rentgen/app/judge"
	"rentgen/app/money"
	"rentgen/app/purse"
)

// truth is whether something is so.
type truth uint8

const (
	unknown truth = iota
	yes
	no
)

func when(b bool) truth {
	if b {
		return yes
	}
	return no
}

// finding is what one rule says of a host now.
type finding struct {
	kind  purse.AlertKind
	sub   string
	is    truth
	hold  time.Duration // it must be so for as long before it is an alert
	calm  time.Duration // it must not be so for as long before the alert is over
	rest  time.Duration // after its end it isn't raised again for as long
	gpu   string
	facts facts
}

const (
	flap      = 15 * time.Minute // rest of what comes and goes
	heatHold  = 30 * time.Second
	heatCalm  = time.Minute
	coolBelow = 5.0 // °C under the limit before heat is over
	lastDay   = 24 * time.Hour
	day       = 24 * time.Hour
)

// find asks every rule.
func find(in *Input, r *Rules, now time.Time) []finding {
	out := []finding{idle(in, r)}
	out = append(out, budget(in)...)
	out = append(out, lost(in)...)
	out = append(out, heat(in, r)...)
	out = append(out, disks(in, r)...)
	out = append(out, packageEnd(in, r, now)...)
	out = append(out, release(in, r, now)...)
	return append(out, stops(in, now)...)
}

// base are the facts that every alert of a host has.
func base(in *Input) facts {
	var f facts
	if g := in.Glance; g != nil && g.Priced {
		f.Currency = g.Currency
		if g.Running {
			p := g.PerHour
			f.PerHour = &p
		}
	}
	return f
}

func idle(in *Input, r *Rules) finding {
	f := finding{kind: purse.AlertIdle, rest: flap, facts: base(in)}
	busy := in.busy()
	switch g := in.Glance; {
	case in.Stopped, busy != nil && *busy:
		f.is = no
	case g != nil && g.Idle:
		if g.IdleFor < time.Duration(r.IdleMinutes)*time.Minute {
			return f // neither: an open one goes on
		}
		f.is = yes
		f.facts.For = g.IdleFor
		if g.Priced {
			b := money.Sure(g.IdleCost)
			f.facts.Spent = &b
		}
	}
	return f
}

// budget is of a host's own budget.
func budget(in *Input) []finding {
	g := in.Glance
	if g == nil || !g.Priced || g.BudgetOfAll {
		return nil
	}
	return spending(base(in), g, "")
}

// spending tells two things apart: spent already, and on the way there.
func spending(f facts, g *purse.Glance, suffix string) []finding {
	if g.Budget == nil || g.Budget.Sign() <= 0 {
		return nil
	}
	f.Spent, f.Budget = band(g.Month), g.Budget
	over := finding{kind: purse.AlertBudget, sub: subOver + suffix, facts: f, is: when(g.Budget.Less(g.Month.Point))}
	pace := finding{kind: purse.AlertBudget, sub: subPace + suffix, facts: f, rest: 12 * time.Hour, hold: time.Minute, calm: time.Hour}
	if g.Pace != nil {
		pace.facts.Pace = band(*g.Pace)
		switch {
		case over.is == yes, g.Pace.Point.Less(g.Budget.Mul(money.Frac(95, 100))):
			pace.is = no
		case g.Budget.Less(g.Pace.Point):
			pace.is = yes
		}
	}
	return []finding{over, pace}
}

// The two things that are told of a budget; that of all hosts adds its currency.
const (
	subOver = "over"
	subPace = "pace"
)

// together sums up the hosts that share a budget with one. Hosts of which nothing
// was heard since the program began are left out, so it is the least that was
// spent.
func together(all map[string]purse.Glance, cur money.Currency, limit *money.Rat) *purse.Glance {
	sum := &purse.Glance{Priced: true, Currency: cur, Budget: limit}
	var pace money.Band
	for _, g := range all {
		if g.Currency != cur {
			continue
		}
		sum.Month = sum.Month.Add(g.Month)
		if g.Running {
			sum.Running = true
			sum.PerHour = sum.PerHour.Add(g.PerHour)
		}
		if g.Pace != nil {
			pace = pace.Add(*g.Pace)
			sum.Pace = &pace
		} else {
			pace = pace.Add(g.Month) // it doesn't run on
		}
	}
	return sum
}

func band(b money.Band) *money.Band { return &b }

// lostBy are the verdicts that say that a card can't be used.
func lostBy(k judge.Kind) bool {
	return k == judge.FaultLost || k == judge.FaultReset || k == judge.FaultContainer || k == judge.FaultDriver
}

func lost(in *Input) []finding {
	if in.Verdicts == nil {
		return nil
	}
	var out []finding
	for i := range in.Verdicts {
		v := &in.Verdicts[i]
		if !v.Open || !lostBy(v.Kind) || in.Stopped {
			continue
		}
		f := finding{kind: purse.AlertLost, sub: v.GPU, gpu: v.GPU, is: yes, rest: flap, facts: base(in)}
		f.facts.Verdict, f.facts.Card = v.Kind, in.card(v.GPU)
		out = append(out, f)
	}
	return out
}

// card names a card, "" where its name isn't known.
func (in *Input) card(uuid string) string {
	for _, g := range in.GPUs {
		if g.UUID == uuid {
			return g.Name
		}
	}
	return ""
}

func heat(in *Input, r *Rules) []finding {
	var out []finding
	for _, g := range in.GPUs {
		f := finding{kind: purse.AlertHeat, sub: g.UUID, gpu: g.UUID, hold: heatHold, calm: heatCalm, rest: flap, facts: base(in)}
		limit := float64(r.HeatC)
		if g.TempSlow != nil && *g.TempSlow > 0 {
			limit = min(limit, *g.TempSlow)
		}
		f.facts.Card, f.facts.Temp, f.facts.Limit = g.Name, g.Temp, &limit
		if g.Temp != nil {
			switch {
			case *g.Temp >= limit:
				f.is = yes
			case *g.Temp <= limit-coolBelow:
				f.is = no
			}
		}
		for i := range in.Verdicts {
			if v := &in.Verdicts[i]; v.Open && v.Kind == judge.ThrottleThermal && v.GPU == g.UUID {
				f.is, f.facts.Verdict = yes, v.Kind
			}
		}
		out = append(out, f)
	}
	return out
}

func disks(in *Input, r *Rules) []finding {
	var out []finding
	limit := uint64(r.DiskGB) * 1e9
	for _, d := range in.Disks {
		if d.Total == 0 || d.Free > d.Total {
			continue // no reading
		}
		f := finding{kind: purse.AlertDisk, sub: d.Mount, rest: flap, facts: base(in)}
		f.facts.Mount, f.facts.Free, f.facts.Total = d.Mount, d.Free, d.Total
		// A small disk would always be below the limit; a twentieth of it counts then.
		least := min(limit, d.Total/20)
		if limit < d.Total/2 {
			least = limit
		}
		switch {
		case d.Free < least:
			f.is = yes
		case d.Free > least+least/5:
			f.is = no
		}
		out = append(out, f)
	}
	return out
}

// until returns the findings of a date that comes nearer: one some days before
// it and one on its last day. A date that moves within its span stays one alert.
func until(f finding, ends time.Time, days int, now time.Time) []finding {
	left := ends.Sub(now)
	soon, last := f, f
	soon.sub, last.sub = "soon", "last"
	soon.is = when(left > lastDay && left <= time.Duration(days)*day)
	last.is = when(left > 0 && left <= lastDay)
	return []finding{soon, last}
}

func packageEnd(in *Input, r *Rules, now time.Time) []finding {
	if in.PackageEnds.IsZero() {
		return nil
	}
	f := finding{kind: purse.AlertPackage, facts: base(in)}
	f.facts.Ends = in.PackageEnds
	if in.AfterPackage != nil && in.Glance != nil && in.Glance.Currency != "" {
		f.facts.After, f.facts.Currency = in.AfterPackage, in.Glance.Currency
	}
	return until(f, in.PackageEnds, r.PackageDays, now)
}

func release(in *Input, r *Rules, now time.Time) []finding {
	if in.Releases.IsZero() {
		return nil
	}
	f := finding{kind: purse.AlertRelease, facts: base(in)}
	f.facts.Ends, f.facts.Since = in.Releases, in.DataSince
	return until(f, in.Releases, r.ReleaseDays, now)
}

// stopsFor is how long a stop is still told after it.
const stopsFor = 3 * day

func stops(in *Input, now time.Time) []finding {
	var out []finding
	for _, s := range in.Stops {
		if now.Sub(s.At) > stopsFor {
			continue
		}
		f := finding{kind: purse.AlertStopped, sub: fmt.Sprint(s.At.UnixMilli()), is: yes, facts: base(in)}
		f.facts.PerHour, f.facts.To, f.facts.For, f.facts.Spent, f.facts.Ends = nil, s.At, s.Idle, s.Saved, in.Releases
		if s.Currency != "" {
			f.facts.Currency = s.Currency
		}
		out = append(out, f)
	}
	return out
}
