package sheet

import (
	"rentgen/app/bill"
	"rentgen/app/bill/offer"
	"rentgen/app/money"
	"rentgen/assets/texts"
)

// cover notes beside a package that the provider's own months, weeks, days and
// hours together would cover the same days for less.
func (m *maker) cover(bills []Bill) {
	for i, k := range m.columns {
		if bills[i].Status != OK || k.metered() || k.offer.Provider == "" || daysOf(k.offer.Payment.Unit) == 0 ||
			k.known(offer.PackageElapsed) {
			continue
		}
		in, ok := m.siblings(i)
		if !ok {
			continue
		}
		out, err := bill.PackageCover(in)
		if err != nil {
			continue
		}
		for j := range bills[i].Lines {
			l := &bills[i].Lines[j]
			total := out.Amount.Mul(money.Int(k.machines)).Mul(k.rate)
			if l.ID == LinePackage && total.Less(l.Amount.Point) {
				l.Note = texts.P("bill.note.cover", "amount", func(c *texts.Catalogue) string { return Money(c, total, m.currency) },
					"plan", planText(out.BestPlan))
			}
		}
	}
}

// siblings collects what the provider takes for a month, a week, a day and an
// hour of the same card and machine; ok is false without an hourly price or
// without a package beside the column's own.
func (m *maker) siblings(i int) (bill.PackageCoverIn, bool) {
	k := m.columns[i]
	in := bill.PackageCoverIn{Currency: k.offer.Currency, MonthDays: 30, Days: int64(k.days)}
	hourly := false
	for j, o := range m.columns {
		if m.points[j] == nil || o.offer.Provider != k.offer.Provider || o.offer.Currency != k.offer.Currency ||
			o.offer.Card.Name != k.offer.Card.Name || o.offer.Card.Part != k.offer.Card.Part || o.offer.Machine != k.offer.Machine ||
			o.offer.Cards != k.offer.Cards || o.offer.Payment.IncludedHours != nil {
			continue
		}
		price := o.offer.Payment.Price.Mul(money.Int(int64(max(o.offer.Cards, 1))))
		switch u := o.offer.Payment.Unit; {
		case o.metered():
			in.PricePerHour, hourly = o.price, true
		case u == offer.Day:
			in.DayPrice = &price
		case u == offer.Week:
			in.WeekPrice = &price
		case u == offer.Month:
			in.MonthPrice = &price
		}
	}
	if !hourly || k.days > 400 {
		return in, false
	}
	in.HoursPerDay = m.points[i].running.Quo(money.Int(int64(k.days))).Min(money.Int(24))
	return in, true
}

// planText says "1 by the week, 2 by the day".
func planText(p bill.CoverPlan) func(*texts.Catalogue) string {
	return func(c *texts.Catalogue) string {
		var parts []string
		for _, n := range []struct {
			count int64
			key   string
		}{{p.Month, "month"}, {p.Week, "week"}, {p.Day, "day"}} {
			if n.count > 0 {
				parts = append(parts, c.T("bill.cover."+n.key, "n", texts.Count(n.count)))
			}
		}
		if p.HourlyH.Sign() > 0 {
			parts = append(parts, c.T("bill.cover.hours", "h", hoursText(p.HourlyH)(c)))
		}
		return join(c, parts)
	}
}
