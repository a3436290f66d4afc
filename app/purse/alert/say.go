package alert

import (
	"strings"
	"time"

	"rentgen/app/bill/sheet"
	"rentgen/app/judge"
	"rentgen/app/money"
	"rentgen/app/purse"
	"rentgen/assets/texts"
)

type inWords = func(*texts.Catalogue) string

func span(d time.Duration) inWords {
	return func(c *texts.Catalogue) string { return texts.Duration(c, d) }
}

func moment(t time.Time) inWords {
	return func(c *texts.Catalogue) string { return texts.DateTime(c, t) }
}

func amount(v money.Rat, cur money.Currency) inWords {
	return func(c *texts.Catalogue) string { return sheet.Money(c, v, cur) }
}

func amounts(b money.Band, cur money.Currency) inWords {
	return func(c *texts.Catalogue) string { return sheet.MoneyBand(c, b, cur) }
}

// Title names what the alert is of: "AutoDL 4090: idle".
func Title(a purse.Alert) texts.Phrase {
	if a.HostName == "" {
		return texts.P("alert." + string(a.Kind))
	}
	return texts.P("alert.title", "host", a.HostName, "kind", texts.P("alert."+string(a.Kind)))
}

// card names the card of an alert.
func (f *facts) card() any {
	if f.Card == "" {
		return texts.P("alert.card")
	}
	return f.Card
}

// say is what is so.
func (r *record) say() texts.Phrase {
	f := &r.Facts
	switch r.Kind {
	case purse.AlertIdle:
		if f.Spent != nil {
			return texts.P("alert.say.idle.cost", "for", span(f.For), "cost", amounts(*f.Spent, f.Currency))
		}
		return texts.P("alert.say.idle", "for", span(f.For))
	case purse.AlertBudget:
		if f.Spent == nil || f.Budget == nil {
			break
		}
		if strings.HasPrefix(r.Sub, subOver) {
			return texts.P("alert.say.over", "spent", amounts(*f.Spent, f.Currency), "budget", amount(*f.Budget, f.Currency))
		}
		if f.Pace != nil {
			return texts.P("alert.say.pace", "pace", amounts(*f.Pace, f.Currency), "budget", amount(*f.Budget, f.Currency))
		}
	case purse.AlertLost:
		if lostBy(f.Verdict) {
			return texts.P("alert.say.lost."+string(f.Verdict), "card", f.card())
		}
	case purse.AlertHeat:
		if f.Temp == nil || f.Limit == nil {
			return texts.P("alert.say.heat.slowed", "card", f.card())
		}
		return texts.P("alert.say.heat", "card", f.card(), "temp", texts.Number(*f.Temp, 0), "limit", texts.Number(*f.Limit, 0))
	case purse.AlertDisk:
		return texts.P("alert.say.disk", "mount", f.Mount, "free", texts.Bytes(float64(f.Free)), "total", texts.Bytes(float64(f.Total)))
	case purse.AlertPackage:
		return texts.P("alert.say.package", "date", moment(f.Ends))
	case purse.AlertRelease:
		return texts.P("alert.say.release", "date", moment(f.Ends))
	case purse.AlertDone:
		if !f.From.IsZero() {
			return texts.P("alert.say.done.between", "from", moment(f.From), "to", moment(f.To), "for", span(f.For))
		}
		return texts.P("alert.say.done", "at", moment(f.To), "for", span(f.For))
	case purse.AlertStopped:
		if f.Spent != nil && f.Currency != "" {
			return texts.P("alert.say.stopped.saved", "at", moment(f.To), "for", span(f.For), "saved", amounts(*f.Spent, f.Currency))
		}
		return texts.P("alert.say.stopped", "at", moment(f.To), "for", span(f.For))
	}
	return texts.P("alert." + string(r.Kind))
}

// hour is what each further hour costs.
func (f *facts) hour(priced, plain string) texts.Phrase {
	if f.PerHour == nil || f.Currency == "" {
		return texts.P(plain)
	}
	return texts.P(priced, "price", amount(*f.PerHour, f.Currency))
}

// cost is what it costs to ignore the alert.
func (r *record) cost() texts.Phrase {
	f := &r.Facts
	switch r.Kind {
	case purse.AlertIdle, purse.AlertDone:
		return f.hour("alert.cost.hour", "alert.cost.hour.unpriced")
	case purse.AlertBudget:
		if strings.HasPrefix(r.Sub, subPace) && f.Pace != nil && f.Budget != nil {
			return texts.P("alert.cost.pace", "more", amount(f.Pace.Point.Sub(*f.Budget).Max(money.Int(0)), f.Currency))
		}
		return f.hour("alert.cost.hour", "alert.cost.budget.rest")
	case purse.AlertLost:
		return f.hour("alert.cost.lost", "alert.cost.lost.unpriced")
	case purse.AlertHeat:
		return f.hour("alert.cost.heat", "alert.cost.heat.unpriced")
	case purse.AlertDisk:
		return f.hour("alert.cost.disk", "alert.cost.disk.unpriced")
	case purse.AlertPackage:
		if f.After != nil && f.Currency != "" {
			return texts.P("alert.cost.package", "price", amount(*f.After, f.Currency))
		}
		return texts.P("alert.cost.package.unknown")
	case purse.AlertRelease:
		return f.deleted()
	case purse.AlertStopped:
		if !f.Ends.IsZero() {
			return f.deleted()
		}
		return texts.P("alert.cost.stopped")
	}
	return texts.Phrase{}
}

// deleted says which data goes when.
func (f *facts) deleted() texts.Phrase {
	if days := int(f.Ends.Sub(f.Since) / day); !f.Since.IsZero() && days > 0 {
		return texts.P("alert.cost.data.days", "n", days, "date", moment(f.Ends))
	}
	return texts.P("alert.cost.data", "date", moment(f.Ends))
}

// next is what to do.
func (r *record) next() texts.Phrase {
	switch {
	case r.Kind == purse.AlertBudget && r.Facts.PerHour == nil:
		return texts.P("alert.next.budget.rest")
	case r.Kind == purse.AlertLost && r.Facts.Verdict == judge.FaultContainer:
		return texts.P("alert.next.lost.container")
	}
	return texts.P("alert.next." + string(r.Kind))
}
