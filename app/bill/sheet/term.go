package sheet

import (
	"rentgen/app/bill"
	"rentgen/app/bill/offer"
	"rentgen/app/money"
)

// longTerm bills months by the year where that is cheaper, and years after the
// first at the price of a renewal, as far as the offer says what those cost.
func (e *eval) longTerm(p *part, count, unit money.Rat) {
	paid, known := e.count(offer.YearMonths)
	n, whole := count.Quo(money.Int(e.machines)).Int64()
	if !known || paid < 1 || !whole {
		return
	}
	factor, renews := e.rat(offer.RenewFactor)
	switch {
	case e.offer.Payment.Unit == offer.Month:
		e.byYear(p, n, paid, unit, factor, renews)
	case e.offer.Payment.Unit == offer.Year && renews && n > 1:
		month := unit.Quo(money.Int(paid))
		p.amount, p.formula, p.group, p.rule = e.years(month, paid, n, factor), "year_renewed", 22, offer.RenewFactor
		p.inputs = e.inputs(func() []Input {
			return []Input{
				typed("package_price", unit, string(e.offer.Currency)+"/year"), e.term("months_paid", offer.YearMonths),
				reckoned("renewals", money.Int(n-1), ""), e.term("factor", offer.RenewFactor), reckoned("machines", money.Int(e.machines), ""),
			}
		})
	}
}

// byYear takes as many whole years out of n months as make them cheapest; one
// may reach beyond them.
func (e *eval) byYear(p *part, n, paid int64, month, factor money.Rat, renews bool) {
	if !renews {
		factor = one
	}
	best := p.amount
	for years := int64(1); years <= ceilDiv(n, 12); years++ {
		rest := month.Mul(money.Int(max(n-12*years, 0) * e.machines))
		best = best.Min(e.years(month, paid, years, factor).Add(rest))
	}
	if !best.Less(p.amount) {
		return
	}
	p.amount, p.formula, p.group, p.rule = best, "year_paid", 22, offer.YearMonths
	p.inputs = append(p.inputs, e.inputs(func() []Input {
		return []Input{e.term("months_paid", offer.YearMonths), e.term("factor", offer.RenewFactor), reckoned("months", best.Quo(month), "")}
	})...)
}

// years bills whole years on every machine, those after the first as renewals.
func (e *eval) years(month money.Rat, paid, years int64, factor money.Rat) money.Rat {
	out, err := bill.TermDiscount(bill.TermDiscountIn{
		Currency: e.offer.Currency, MonthPrice: month, FirstYearMonthsPaid: paid, RenewYears: years - 1, RenewDiscount: factor,
	})
	e.fail(err)
	return out.Amount.Mul(money.Int(e.machines))
}

// year tells what a whole year would cost who pays by the month.
func (f *facts) year() {
	e := f.e
	paid, known := e.count(offer.YearMonths)
	if !known || paid < 1 || paid >= 12 || e.offer.Payment.Unit != offer.Month {
		return
	}
	month := e.offer.Payment.Price.Mul(money.Int(int64(max(e.offer.Cards, 1))))
	f.add("year", 22, "months", paid, "amount", f.money(e.years(month, paid, 1, one)), "share", percentText(one.Sub(money.Frac(paid, 12))))
}
