package measured

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	"rentgen/app/bill/offer"
	"rentgen/app/money"
	"rentgen/app/plan"
	"rentgen/app/workload"
	"rentgen/assets/texts"
)

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
	of := func(o workload.Measured) bool { return o.Job == m.Job.Job && a.same(o.Card, m.Job.Card) }
	i := slices.IndexFunc(a.plan.Measured, of)
	switch {
	case i < 0:
		i = len(a.plan.Measured)
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
	var had workload.Measured
	if at := slices.IndexFunc(a.old.Measured, of); at >= 0 {
		had = a.old.Measured[at]
	}
	if !last || reflect.DeepEqual(had, a.plan.Measured[i]) {
		return
	}
	c := Change{ID: "job/" + m.Job.Card, Kind: Job, Sure: true}
	if m.Pace {
		c.ID, c.Kind, c.Sure = m.paceID(), Pace, false
	}
	var what []texts.Phrase
	if v := m.Job.SecondsPerPic; v != nil {
		c.Seconds = *v
		what = append(what, phrase("seconds", m, "card", m.Job.Card, "s", number(*v)), a.wasSeconds(m.Job.Card, had))
	}
	if v := m.Job.StartupSeconds; v != nil {
		c.Ready = *v
		what = append(what, phrase("startup", m, "card", m.Job.Card, "d", lasts(*v)))
	}
	if len(what) > 0 {
		a.add(c, m, what...)
	}
}

// wasSeconds says what the seconds of a picture take the place of.
func (a *applier) wasSeconds(card string, had workload.Measured) texts.Phrase {
	if had.SecondsPerPic != nil {
		return texts.P("measured.was.seconds", "s", number(*had.SecondsPerPic), "date", func(c *texts.Catalogue) string {
			if t, err := time.ParseInLocation(time.DateOnly, had.Date, time.Local); err == nil {
				return texts.DateYear(c, t)
			}
			return texts.Dash
		})
	}
	for _, k := range a.before().Fit.Cards {
		if b := k.Seconds; a.same(k.Card.Name, card) && b.Point > 0 {
			return wasEstimate(round1(b.Low), round1(b.High))
		}
	}
	return texts.Phrase{}
}

func wasEstimate(low, high float64) texts.Phrase {
	return texts.P("measured.was.estimate", "band", func(c *texts.Catalogue) string {
		if low == high {
			return texts.WithUnit(number(low), texts.Unit(c, "s"))
		}
		return c.T("format.band", "low", number(low), "high", texts.WithUnit(number(high), texts.Unit(c, "s")))
	})
}

func round1(v float64) float64 { return math.Round(v*10) / 10 }

// wasWait says what a part of a start takes the place of.
func (a *applier) wasWait(offerName, part string) texts.Phrase {
	if a.plan.Job.Model == "" {
		return texts.Phrase{}
	}
	for _, b := range a.before().Sheet.Bills {
		for _, w := range b.Waits {
			if b.Name != offerName || w.ID != part || w.Unknown {
				continue
			}
			if w.Measured {
				return texts.P("measured.was.start", "d", lasts(w.Seconds.Point.Float64()))
			}
			return wasEstimate(math.Round(w.Seconds.Low.Float64()), math.Round(w.Seconds.High.Float64()))
		}
	}
	return texts.Phrase{}
}

func (a *applier) before() *plan.Result {
	if *a.was == nil {
		r := plan.Evaluate(a.cat, a.old)
		*a.was = &r
	}
	return *a.was
}

func number(v float64) string {
	s := texts.Number(v, 2)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// Lasts says seconds as such while there are few.
func Lasts(c *texts.Catalogue, s float64) string {
	if s < 600 {
		return texts.WithUnit(texts.Number(s, 0), texts.Unit(c, "s"))
	}
	return texts.Duration(c, time.Duration(s*float64(time.Second)))
}

func lasts(s float64) any { return func(c *texts.Catalogue) string { return Lasts(c, s) } }

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
		id := "start." + name + "/" + o.Name
		if len(mine) == 0 || !a.open(*o, parts[name]) || !a.wants(id, Start, true) {
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
		if reflect.DeepEqual(o.Terms[parts[name]], t) {
			continue
		}
		a.put(o, parts[name], t)
		a.add(Change{ID: id, Kind: Start, Part: name, Offer: o.Name, Seconds: middle.Seconds, Sure: true}, last,
			phrase("start."+name, last, "offer", o.Name, "d", lasts(middle.Seconds), "n", len(mine)), a.wasWait(o.Name, name))
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
	if kind, known, _ := o.Filled().Choice(offer.Interruption); known && kind == "none" && sum.Seen == 0 {
		return // as everybody expects
	}
	id := "interruptions/" + o.Name
	if hours.IsZero() || a.about(*o, sum.Seen, hours) || !a.wants(id, Interruptions, true) {
		return
	}
	delete(o.Terms, offer.InterruptRate)
	a.put(o, offer.InterruptSeen, seen(sum, fmt.Sprint(sum.Seen)))
	a.put(o, offer.Watched, seen(sum, hours.String()))
	a.add(Change{ID: id, Kind: Interruptions, Offer: o.Name, Seen: sum.Seen, Hours: hours.Float64(), Sure: true}, sum,
		phrase("interruptions", sum, "offer", o.Name, "n", sum.Seen, "h", texts.Number(hours.Float64(), 0)))
}

// about reports whether an offer holds that many interruptions already, in about as
// many hours: every hour more would be another figure.
func (a *applier) about(o offer.Offer, seenSo int64, hours money.Rat) bool {
	n, h := o.Terms[offer.InterruptSeen], o.Terms[offer.Watched]
	if n.Mark != offer.Seen || n.Value != fmt.Sprint(seenSo) {
		return false
	}
	had, err := money.Parse(h.Value)
	return err == nil && math.Abs(had.Float64()-hours.Float64()) < hours.Float64()*drift
}

// drift is the part by which a figure that grows with every hour may differ from
// the one that the plan holds, before it is worth telling.
const drift = 0.1

// far is by which factor measured hours of a sitting may differ from those of the
// plan to be taken without a question: beyond it, it may be the pictures that are
// others.
const far = 2

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
		if math.Abs(hours-old) < max(old*drift, 0.01) {
			return
		}
		c := Change{ID: "utilisation", Kind: Utilisation, Share: best.Share.Float64(), Sure: hours < old*far && old < hours*far}
		if !a.want(c) {
			return
		}
		a.plan.Use.HoursPerSitting = hours
		a.add(c, *best,
			phrase("utilisation", *best, "share", texts.Percent(best.Share.Float64()*100), "old", number(old), "now", number(hours)))
		return
	}
}
