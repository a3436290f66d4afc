package move

import (
	"slices"
	"time"

	"rentgen/app/money"
	"rentgen/assets/texts"
)

// Span is a time that the instance was on.
type Span struct{ From, To time.Time }

// window is how far back hours are counted.
const window = 30 * 24 * time.Hour

// HoursOn counts the hours of the last 30 days that lie in spans, which may
// overlap, and for how many days something is known: since the first span, 30 at
// most.
func HoursOn(spans []Span, now time.Time) (hours, days float64) {
	from := now.Add(-window)
	var first time.Time
	var cut []Span
	for _, s := range spans {
		if s.To.After(now) {
			s.To = now
		}
		if s.From.Before(from) {
			s.From = from
		}
		if !s.To.After(s.From) {
			continue
		}
		if first.IsZero() || s.From.Before(first) {
			first = s.From
		}
		cut = append(cut, s)
	}
	if len(cut) == 0 {
		return 0, 0
	}
	var total time.Duration
	for _, s := range merged(cut) {
		total += s.To.Sub(s.From)
	}
	return total.Hours(), now.Sub(first).Hours() / 24
}

// Choice is the answer to monthly or metered.
type Choice string

// The choices.
const (
	Monthly Choice = "monthly"
	Metered Choice = "metered"
	Either  Choice = "either"  // within a twentieth of each other
	Open    Choice = "unknown" // a price is missing, or too little was measured
)

// RenewParams is what the choice rests on.
type RenewParams struct {
	Hours float64 // measured
	Days  float64 // that were measured; fewer than 30 are drawn out to 30
	// Hourly and Monthly are the offer's prices; nil is unknown.
	Hourly, Monthly *money.Amount
}

// Renewal is the choice with its figures.
type Renewal struct {
	Choice Choice
	// Threshold is the hours a month from which the monthly price is the smaller one.
	Threshold money.Rat
	// HoursMonth is what 30 days come to.
	HoursMonth float64
	Drawn      bool         // fewer than 30 days were measured
	Cost       money.Amount // of those hours, metered
	Monthly    money.Amount
	Why        texts.Phrase // of Open
}

// fewest is how many days have to be measured for an answer.
const fewest = 3

// Renew says whether a month's package or the metered price is the cheaper one for
// the hours that were measured.
func Renew(p RenewParams) Renewal {
	r := Renewal{Choice: Open}
	switch {
	case p.Hourly == nil || p.Monthly == nil:
		r.Why = texts.P("move.renew.no_price")
		return r
	case p.Hourly.Currency != p.Monthly.Currency:
		r.Why = texts.P("move.renew.currency")
		return r
	case p.Hourly.Value.Sign() <= 0 || p.Monthly.Value.Sign() < 0:
		r.Why = texts.P("move.renew.no_price")
		return r
	}
	r.Threshold, r.Monthly = p.Monthly.Value.Quo(p.Hourly.Value), *p.Monthly
	if p.Days < fewest || p.Hours < 0 || p.Hours > p.Days*24*1.01 {
		r.Why = texts.P("move.renew.too_little")
		return r
	}
	r.HoursMonth = p.Hours
	if p.Days < 30 {
		r.HoursMonth, r.Drawn = p.Hours*30/p.Days, true
	}
	h := money.Float(r.HoursMonth)
	r.Cost = money.Amount{Value: h.Mul(p.Hourly.Value), Currency: p.Hourly.Currency}
	gap := r.Cost.Value.Sub(p.Monthly.Value)
	r.Choice = Metered
	if gap.Sign() > 0 {
		r.Choice = Monthly
	}
	if gap.Sign() < 0 {
		gap = gap.Neg()
	}
	if gap.Mul(money.Int(20)).Cmp(r.Cost.Value.Max(p.Monthly.Value)) <= 0 {
		r.Choice = Either
	}
	return r
}

// Says puts the answer in words, with its figures.
func (r Renewal) Says() texts.Phrase {
	if r.Choice == Open {
		return r.Why
	}
	key := "move.renew." + string(r.Choice)
	if r.Drawn {
		key += ".drawn"
	}
	return texts.P(key, "threshold", r.Threshold.Ceil().String(), "hours", texts.Number(r.HoursMonth, 0),
		"cost", said(r.Cost), "monthly", said(r.Monthly))
}

func said(a money.Amount) string {
	return a.Currency.Sign() + texts.Number(a.Rounded().Float64(), a.Currency.Scale())
}

// before is how long before a package's end the note comes.
const before = 3 * 24 * time.Hour

// Ending is the note about a package that ends.
type Ending struct {
	End  time.Time
	Due  bool // it ends within three days
	Over bool // it has ended
	Left time.Duration
}

// EndOf says whether the note about a package's end is due.
func EndOf(end, now time.Time) Ending {
	e := Ending{End: end, Left: end.Sub(now)}
	e.Over = !end.After(now)
	e.Due = !e.Over && e.Left <= before
	return e
}

// Says puts it in words; zero while it isn't due.
func (e Ending) Says() texts.Phrase {
	day := func(c *texts.Catalogue) string { return texts.DateTime(c, e.End) }
	left := func(c *texts.Catalogue) string { return texts.Duration(c, e.Left) }
	switch {
	case e.Over:
		return texts.P("move.package.over", "day", day)
	case e.Due:
		return texts.P("move.package.ends", "day", day, "left", left)
	}
	return texts.Phrase{}
}

// merged puts spans that overlap together.
func merged(l []Span) []Span {
	slices.SortFunc(l, func(a, b Span) int { return a.From.Compare(b.From) })
	out := l[:1:1]
	for _, s := range l[1:] {
		last := &out[len(out)-1]
		if s.From.After(last.To) {
			out = append(out, s)
		} else if s.To.After(last.To) {
			last.To = s.To
		}
	}
	return out
}
