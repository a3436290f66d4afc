package measured

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"rentgen/app/bill/offer"
	"rentgen/app/money"
	"rentgen/app/plan"
	"rentgen/app/workload"
	"rentgen/assets/texts"
)

// Apply puts what was measured in the place of estimates, and says what it
// replaced. The plan that is given stays as it is. What the user typed into a term
// stays too: only estimates, rules and older measurements give way.
func Apply(p plan.Plan, ms []Measured) (plan.Plan, []texts.Phrase) {
	a := &applier{cat: workload.Load(), plan: p}
	a.plan.Measured = slices.Clone(p.Measured)
	a.plan.Offers = slices.Clone(p.Offers)
	for i := range a.plan.Offers {
		a.plan.Offers[i].Terms = maps.Clone(p.Offers[i].Terms)
	}
	ms = byTime(ms)
	for i, m := range ms {
		if m.Kind == Job {
			last := !slices.ContainsFunc(ms[i+1:], func(o Measured) bool { return o.Kind == Job && o.Job.Job == m.Job.Job && o.Job.Card == m.Job.Card })
			a.job(m, last)
		}
	}
	for i := range a.plan.Offers {
		a.starts(&a.plan.Offers[i], ms)
		a.interruptions(&a.plan.Offers[i], ms)
	}
	a.utilisation(ms)
	return a.plan, a.said
}

type applier struct {
	cat  *workload.Catalogue
	plan plan.Plan
	said []texts.Phrase
}

func (a *applier) say(key string, m Measured, pairs ...any) {
	pairs = append(pairs, "source", m.Source, "date", func(c *texts.Catalogue) string { return texts.DateYear(c, m.To) })
	a.said = append(a.said, texts.P("measured."+key, pairs...))
}

// same reports whether two names are one card.
func (a *applier) same(x, y string) bool {
	name := func(s string) string {
		if c, ok := a.cat.Card(s); ok {
			return c.Name
		}
		return s
	}
	return strings.EqualFold(name(x), name(y))
}

// job replaces the measurement of a job on a card, unless there is a later one.
// The last of several says so.
func (a *applier) job(m Measured, last bool) {
	if _, known := a.cat.Card(m.Job.Card); !known {
		return
	}
	i := slices.IndexFunc(a.plan.Measured, func(o workload.Measured) bool { return o.Job == m.Job.Job && a.same(o.Card, m.Job.Card) })
	switch {
	case i < 0:
		a.plan.Measured = append(a.plan.Measured, m.Job)
	case a.plan.Measured[i].Date > m.Job.Date:
		return
	default:
		old, now := a.plan.Measured[i], m.Job
		// What this start did not measure stays as it was.
		keep := func(to **float64, from *float64) {
			if *to == nil {
				*to = from
			}
		}
		keep(&now.SecondsPerPic, old.SecondsPerPic)
		keep(&now.PeakMiB, old.PeakMiB)
		keep(&now.StartupSeconds, old.StartupSeconds)
		keep(&now.FirstPictureSecs, old.FirstPictureSecs)
		a.plan.Measured[i] = now
	}
	if !last {
		return
	}
	if v := m.Job.SecondsPerPic; v != nil {
		a.say("seconds", m, "card", m.Job.Card, "s", number(*v))
	}
	if v := m.Job.StartupSeconds; v != nil {
		a.say("startup", m, "card", m.Job.Card, "d", lasts(*v))
	}
}

func number(v float64) string {
	s := texts.Number(v, 2)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

func lasts(s float64) any {
	return func(c *texts.Catalogue) string { return texts.Duration(c, time.Duration(s*float64(time.Second))) }
}

// parts are the terms of an offer that hold the parts of a start.
var parts = map[string]offer.TermID{"queue": offer.QueueWait, "boot": offer.BootWait, "pull": offer.PullWait, "load": offer.LoadWait}

// starts puts the parts of starts into an offer: their median, and the shortest
// and longest beside it, so that the bill shows what they varied by.
func (a *applier) starts(o *offer.Offer, ms []Measured) {
	for _, name := range []string{"queue", "boot", "pull", "load"} {
		var mine []Measured
		for _, m := range ms {
			if m.Kind == Start && m.Part == name && m.on(o.Provider, o.Card.Name, a.same) {
				mine = append(mine, m)
			}
		}
		if len(mine) == 0 || !a.open(*o, parts[name]) {
			continue
		}
		last := mine[len(mine)-1]
		slices.SortStableFunc(mine, func(x, y Measured) int { return cmpFloat(x.Seconds, y.Seconds) })
		middle := mine[len(mine)/2]
		t := seen(middle, seconds(middle.Seconds))
		for _, m := range []Measured{mine[0], mine[len(mine)-1]} {
			if seconds(m.Seconds) != t.Value {
				t.Also = append(t.Also, seen(m, seconds(m.Seconds)))
			}
		}
		a.put(o, parts[name], t)
		a.say("start."+name, last, "offer", o.Name, "d", lasts(middle.Seconds), "n", len(mine))
	}
}

func cmpFloat(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// seconds is a figure as a term holds it.
func seconds(s float64) string { return fmt.Sprintf("%.1f", math.Max(s, 0)) }

// seen is a term that the user measured.
func seen(m Measured, value string) offer.Term {
	return offer.Term{Value: value, Status: offer.Known, Mark: offer.Seen, Source: m.Source, Date: m.To.Format(time.DateOnly)}
}

// open reports whether a term may be replaced: what the user or the provider said
// to the user stays.
func (a *applier) open(o offer.Offer, id offer.TermID) bool {
	t, ok := o.Terms[id]
	return !ok || t.Status == offer.Unknown || t.Status == offer.Known || t.Value == ""
}

func (a *applier) put(o *offer.Offer, id offer.TermID, t offer.Term) {
	if o.Terms == nil {
		o.Terms = make(map[offer.TermID]offer.Term)
	}
	o.Terms[id] = t
}

// interruptions puts how often runs on the provider ended at work into its offers,
// over all hosts with that card.
func (a *applier) interruptions(o *offer.Offer, ms []Measured) {
	var sum Measured
	n := 0
	for _, m := range ms {
		if m.Kind != Interruptions || !m.on(o.Provider, o.Card.Name, a.same) {
			continue
		}
		n++
		seenSo, hours := sum.Seen+m.Seen, sum.Watched.Add(m.Watched)
		sum = m
		sum.Seen, sum.Watched = seenSo, hours
	}
	if n == 0 || !a.open(*o, offer.InterruptSeen) || !a.open(*o, offer.Watched) || !a.open(*o, offer.InterruptRate) {
		return
	}
	hours := sum.Watched.Round(2, money.HalfUp)
	if hours.IsZero() {
		return
	}
	delete(o.Terms, offer.InterruptRate)
	a.put(o, offer.InterruptSeen, seen(sum, fmt.Sprint(sum.Seen)))
	a.put(o, offer.Watched, seen(sum, hours.String()))
	a.say("interruptions", sum, "offer", o.Name, "n", sum.Seen, "h", texts.Number(hours.Float64(), 0))
}

// utilisation sets the length of a sitting so that the pictures of the plan take
// the measured share of it. Where pictures are painted without a pause there is
// nothing to set.
func (a *applier) utilisation(ms []Measured) {
	var best *Measured
	for i := range ms {
		if ms[i].Kind == Utilisation {
			best = &ms[i]
		}
	}
	p := a.plan
	if best == nil || p.Use.Pattern != workload.Screen || p.Use.HoursPerSitting <= 0 || p.Job.Model == "" {
		return
	}
	r := plan.Evaluate(a.cat, p)
	for i, h := range r.Hours {
		// The offer of the host's card, else the first: the share is a habit, not the card's.
		if best.Host.Card != "" && !a.same(p.Offers[i].Card.Name, best.Host.Card) && i+1 < len(r.Hours) {
			continue
		}
		if h.Unknown || h.Sessions < 1 || h.Busy.Point <= 0 {
			return
		}
		hours := h.Busy.Point / float64(h.Sessions) / best.Share.Float64()
		hours = math.Round(min(max(hours, 0.1), 24)*100) / 100
		old := p.Use.HoursPerSitting
		if math.Abs(hours-old) < 0.01 {
			return
		}
		a.plan.Use.HoursPerSitting = hours
		a.say("utilisation", *best, "share", texts.Percent(best.Share.Float64()*100), "old", number(old), "now", number(hours))
		return
	}
}
