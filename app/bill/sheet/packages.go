package sheet

import (
	"rentgen/app/bill"
	"rentgen/app/bill/offer"
	"rentgen/app/money"
	"rentgen/assets/texts"
)

// daysOf returns the days of a period of payment. A month is one of the
// calendar: 31 days may lie in one.
func daysOf(u offer.Unit) int64 {
	switch u {
	case offer.Day:
		return 1
	case offer.Week:
		return 7
	case offer.Month:
		return 31
	case offer.Year:
		return 366
	}
	return 0
}

func ceilDiv(a, b int64) int64 { return (a + b - 1) / b }

// periods returns how many periods each machine is paid for: those that the
// span touches, but no more than the sessions need.
func (e *eval) periods() int64 {
	days := daysOf(e.offer.Payment.Unit)
	span := ceilDiv(int64(e.days), days)
	per := monthsOf(e.offer.Payment.Unit)
	if e.calendar != nil && per > 0 {
		span = e.calendar.periods(int64(e.days)*86400, per)
	}
	if e.session == 0 {
		return span
	}
	// A year is bought for what it is, and a single run that is longer than the
	// span is paid to its end.
	need := e.sessions * ceilDiv(e.session, days*86400)
	if e.sessions == 1 {
		if e.calendar != nil && per > 0 {
			return e.calendar.periods(e.session, per)
		}
		return need
	}
	return min(span, need)
}

// packages bills what is paid in advance: periods, hours or units.
func (e *eval) packages() {
	pay := e.offer.Payment
	rented := e.running.Mul(money.Int(e.machines))
	unit := e.unit.Mul(money.Int(int64(max(e.offer.Cards, 1))))
	var count money.Rat
	if elapsed, paid := e.rat(offer.PackageElapsed); paid {
		e.afterPaid(elapsed, rented, unit)
		return
	}
	p := part{id: LinePackage, group: 16}
	switch pay.Unit {
	case offer.Pack:
		count, p.formula = e.covering(rented, pay.Hours, pay.Overage, unit), "pack"
		e.overage(rented, count.Mul(pay.Hours), pay.Overage)
	case offer.Quota:
		q, err := bill.QuotaPlan(bill.QuotaPlanIn{
			Currency: e.offer.Currency, Fee: unit, Units: pay.Units, DrawPerH: pay.DrawPerHour, UsedH: rented,
		})
		e.fail(err)
		if err != nil || q.IncludedH == nil {
			return
		}
		count, p.formula = e.covering(rented, *q.IncludedH, pay.Overage, unit), "quota"
		e.overage(rented, count.Mul(*q.IncludedH), pay.Overage)
	default:
		n := money.Int(e.periods())
		p.formula = "period"
		count = n.Mul(money.Int(e.machines))
		if pay.IncludedHours != nil && pay.IncludedHours.Sign() > 0 {
			if pay.Overage == nil {
				count = n.Max(e.running.Quo(*pay.IncludedHours).Ceil()).Mul(money.Int(e.machines))
			} else {
				e.overage(rented, count.Mul(*pay.IncludedHours), pay.Overage)
			}
		}
	}
	p.amount = unit.Mul(count)
	p.inputs = e.inputs(func() []Input {
		in := []Input{
			reckoned("packages", count, ""), typed("package_price", unit, string(e.offer.Currency)+"/"+string(pay.Unit)),
			reckoned("rented", rented, "h"),
		}
		if pay.Unit == offer.Pack || pay.Unit == offer.Quota {
			in = append(in, reckoned("included", p.amount.Quo(unit).Mul(e.hoursOfPackage()), "h"))
		}
		return in
	})
	e.longTerm(&p, count, unit)
	if pay.Unit == offer.Year && e.days < 365 {
		share := p.amount.Mul(money.Int(int64(e.days))).Quo(money.Int(365)).Mul(e.rate)
		p.note = texts.P("bill.note.accrual", "amount", func(c *texts.Catalogue) string { return Money(c, share, e.shown) }, "days", e.days)
	}
	e.parts = append([]part{p}, e.parts...)
	e.idleInPackage(rented)
}

// idleInPackage says that idle hours of a package cost nothing more.
func (e *eval) idleInPackage(rented money.Rat) {
	e.add(part{id: LineIdle, formula: "in_package", group: 6, note: texts.P("bill.note.in_package"), inputs: e.inputs(func() []Input {
		return []Input{reckoned("rented", rented, "h"), e.hoursInput("busy", e.busy, e.use.Busy)}
	})})
}

// hoursOfPackage is how many hours one package of hours or units holds.
func (e *eval) hoursOfPackage() money.Rat {
	if e.offer.Payment.Unit == offer.Quota {
		return e.offer.Payment.Units.Quo(e.offer.Payment.DrawPerHour)
	}
	return e.offer.Payment.Hours
}

// covering returns the packages of hours to buy: enough for all, or one fewer
// where the rest is cheaper by the hour. The first is always bought.
func (e *eval) covering(rented, hours money.Rat, over *money.Rat, price money.Rat) money.Rat {
	if hours.Sign() <= 0 {
		return one
	}
	all := rented.Quo(hours).Ceil().Max(one)
	if over == nil || all.Cmp(one) == 0 {
		return all
	}
	fewer := all.Sub(one)
	if rest := rented.Sub(fewer.Mul(hours)); rest.Mul(*over).Less(price) {
		return fewer
	}
	return all
}

// overage bills hours beyond the included ones.
func (e *eval) overage(rented, included money.Rat, price *money.Rat) {
	beyond := rented.Sub(included)
	if price == nil || beyond.Sign() <= 0 {
		return
	}
	e.add(part{id: LineOverage, amount: beyond.Mul(*price), formula: "overage", group: 16, inputs: e.inputs(func() []Input {
		return []Input{
			reckoned("rented", rented, "h"), typed("included", included, "h"),
			typed("overage", *price, string(e.offer.Currency)+"/h"),
		}
	})})
}
