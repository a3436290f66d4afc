package sheet

import (
	"rentgen/app/bill"
	"rentgen/app/bill/offer"
	"rentgen/app/money"
)

// discounted are the lines that a discount or coupon takes off from.
var discounted = map[string]bool{
	LineCompute: true, LineIdle: true, LineStart: true, LineRounding: true, LinePackage: true, LineOverage: true, LineRerun: true, LineMaxLife: true,
}

// discount takes the factor off first, then the coupon, never below 0.
func (e *eval) discount() {
	factor, cut := e.rat(offer.Discount)
	coupon, given := e.rat(offer.Coupon)
	if !cut && !given {
		return
	}
	if !cut {
		factor = one
	}
	list := zero
	for _, p := range e.parts {
		if discounted[p.id] {
			list = list.Add(p.amount)
		}
	}
	out, err := bill.DiscountOrder(bill.DiscountOrderIn{
		Currency: e.offer.Currency, ListPrice: list, Discount: factor, Coupon: coupon, Order: bill.DiscountThenCoupon,
	})
	e.fail(err)
	e.add(part{id: LineDiscount, amount: out.Amount.Sub(list), formula: "discount", group: 22, rule: offer.Discount, inputs: e.inputs(func() []Input {
		return []Input{
			reckoned("list", list, string(e.offer.Currency)), e.term("factor", offer.Discount), e.term("coupon", offer.Coupon),
		}
	})})
}

// tax is added to everything the provider bills.
func (e *eval) tax() {
	share, ok := e.rat(offer.Tax)
	if !ok {
		return
	}
	sum := e.subtotal()
	e.add(part{id: LineTax, amount: sum.Mul(share), formula: "tax", group: 23, rule: offer.Tax, inputs: e.inputs(func() []Input {
		return []Input{reckoned("sum", sum, string(e.offer.Currency)), e.term("share", offer.Tax)}
	})})
}

// ops is the user's own time with a whole machine: as money where an hour of it
// has a price, as hours where it has none, never left out.
func (e *eval) ops() {
	if e.offer.Machine == offer.Container || e.use.OpsSetupH.IsZero() && e.use.OpsWeeklyH.IsZero() {
		return
	}
	weeks := money.Frac(int64(e.days), 7)
	out, err := bill.Ops(bill.OpsIn{
		Currency: e.shown, SetupH: e.use.OpsSetupH, WeeklyH: e.use.OpsWeeklyH, Weeks: weeks, PricePerHour: e.use.OwnRate,
	})
	e.fail(err)
	p := part{id: LineOps, formula: "ops", group: 19, inputs: e.inputs(func() []Input {
		in := []Input{
			typed("setup", e.use.OpsSetupH, "h"), typed("weekly", e.use.OpsWeeklyH, "h"), reckoned("weeks", weeks, ""),
			reckoned("own", out.OpsH, "h"),
		}
		if e.use.OwnRate == nil {
			return append(in, Input{Name: "own_rate", Unit: string(e.shown) + "/h", Status: offer.Unknown})
		}
		return append(in, typed("own_rate", *e.use.OwnRate, string(e.shown)+"/h"))
	})}
	if out.Amount != nil {
		p.amount = *out.Amount
	} else {
		h := out.OpsH
		p.own, p.formula = &h, "ops_hours"
	}
	e.add(p)
}
