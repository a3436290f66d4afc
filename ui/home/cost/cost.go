// Package cost says what the purse knows of a host, in the few words that the
// bar, Watch and Home share. What isn't known is a dash, never 0.
package cost

import (
	"strings"

	"rentgen/app/bill/sheet"
	"rentgen/app/money"
	"rentgen/app/purse"
	"rentgen/assets/texts"
)

// PerHour says an hourly price: "¥1.88/h".
func PerHour(c *texts.Catalogue, v money.Rat, cur money.Currency) string {
	return c.T("cost.hour", "price", sheet.Price(c, v, cur))
}

// Price says what a host costs now: "¥1.88/h", or a dash.
func Price(c *texts.Catalogue, g purse.Glance) string {
	if !g.Priced {
		return texts.Dash
	}
	return PerHour(c, g.PerHour, g.Currency)
}

// Band says an amount of a host; a dash where no price is known.
func Band(c *texts.Catalogue, g purse.Glance, b money.Band) string {
	if !g.Priced {
		return texts.Dash
	}
	return sheet.MoneyBand(c, b, g.Currency)
}

// Idle says the idle span under way: "idle 0 min", "idle 34 min, ¥1.06"; a dash
// where it can't be told whether work goes on.
func Idle(c *texts.Catalogue, g purse.Glance) string {
	switch {
	case g.Idle:
	case g.Busy:
		return c.T("cost.idle", "d", c.T("format.min", "n", "0"))
	default:
		return c.T("cost.idle.unknown")
	}
	d := texts.Duration(c, g.IdleFor)
	if !g.Priced {
		return c.T("cost.idle", "d", d)
	}
	return c.T("cost.idle.costs", "d", d, "cost", sheet.Money(c, g.IdleCost, g.Currency))
}

// Today says what the day has cost so far: "today ¥4.10".
func Today(c *texts.Catalogue, g purse.Glance) string {
	if !g.Priced {
		return c.T("cost.today.unknown")
	}
	return c.T("cost.today", "cost", Band(c, g, g.Today))
}

// Running says what runs now, one currency behind the other: "4 running,
// US$27.40/h, of it idle 2.10". short leaves the words out that a narrow window
// has no room for. It is "" where nothing runs.
func Running(c *texts.Catalogue, all []purse.Running, short bool) string {
	var out []string
	for _, r := range all {
		if s := running(c, r, short); s != "" {
			out = append(out, s)
		}
	}
	return strings.Join(out, " · ")
}

func running(c *texts.Catalogue, r purse.Running, short bool) string {
	n := r.Count + r.Unpriced
	switch {
	case n == 0:
		return ""
	case r.Count == 0:
		return c.T("cost.run.unpriced", "n", n)
	}
	key := "cost.run"
	if short {
		key = "cost.run.short"
	}
	text := c.T(key, "n", r.Count, "price", sheet.Money(c, r.PerHour, r.Currency))
	if r.Idle.Sign() > 0 {
		idle := strings.TrimPrefix(sheet.Money(c, r.Idle, r.Currency), r.Currency.Sign())
		text = c.T(key+".idle", "text", text, "idle", idle)
	}
	if r.Unpriced > 0 && !short {
		text = c.T("cost.run.and", "text", text, "n", r.Unpriced)
	}
	return text
}
