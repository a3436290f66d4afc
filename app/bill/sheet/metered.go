package sheet

import (
	"time"

	"rentgen/app/bill"
	"rentgen/app/bill/offer"
	"rentgen/app/money"
	"rentgen/assets/texts"
)

// granularity returns what a session is rounded up to, in seconds. A price by
// the second or minute says it itself.
func (e *eval) granularity() int64 {
	if g, ok := e.count(offer.Granularity); ok && g > 0 {
		return g
	}
	if e.offer.Payment.Unit == offer.Minute {
		return 60
	}
	return 1
}

// meter bills used time: painting, idle, starts, and what rounding adds.
func (e *eval) meter() {
	n := e.sessions * e.machines
	billed := e.billed(n)
	rented := e.running.Mul(money.Int(e.machines))
	idle, err := bill.Idle(bill.IdleIn{
		Currency: e.offer.Currency, PricePerHour: e.hourly, OnH: rented, UsefulH: e.busy.Add(e.started),
	})
	e.fail(err)
	start := e.started.Mul(e.hourly)
	compute := part{id: LineCompute, amount: idle.Amount.Sub(idle.IdleAmount).Sub(start), formula: "busy", group: 1}
	compute.inputs = e.inputs(func() []Input {
		return []Input{e.hoursInput("busy", e.busy, e.use.Busy), e.priceInput()}
	})
	if e.use.BusyUnknown {
		compute.formula, compute.note = "rented", texts.P("bill.note.busy_unknown")
		compute.inputs = e.inputs(func() []Input { return []Input{reckoned("rented", rented, "h"), e.priceInput()} })
	}
	if e.busy.Cmp(rented) == 0 && e.use.Busy.Point.Cmp(rented) > 0 && !e.use.BusyUnknown {
		compute.note = texts.P("bill.note.short")
	}
	e.add(compute)
	e.add(part{id: LineIdle, amount: idle.IdleAmount, formula: "idle", group: 6, inputs: e.inputs(func() []Input {
		return []Input{
			reckoned("rented", rented, "h"), e.hoursInput("busy", e.busy, e.use.Busy),
			reckoned("started", e.started, "h"), e.priceInput(),
		}
	})})
	e.add(part{id: LineStart, amount: start, formula: "start", group: 7, rule: offer.BilledFrom, inputs: e.inputs(func() []Input {
		return []Input{reckoned("starts", money.Int(n), ""), reckoned("started", e.started, "h"), e.priceInput()}
	})})
	e.rounding(billed, idle.Amount, n)
}

// billed bills n sessions, each settled once.
func (e *eval) billed(n int64) money.Rat {
	least, _ := e.count(offer.MinBilled)
	charge, _ := e.rat(offer.MinCharge)
	if cards := int64(e.offer.Cards); cards > 1 {
		return e.legs(n, cards, least, charge)
	}
	out, err := bill.SessionBilling(bill.SessionBillingIn{
		Currency: e.offer.Currency, PricePerHour: e.hourly, GranularityS: e.granularity(), MinBilledS: least,
		MinCharge: charge, SessionsS: []int64{e.session}, Repeat: n, Round: exact,
	})
	e.fail(err)
	return out.Amount
}

// legs bills n sessions on machines of more than one card: a session is rounded
// up, then times its cards.
func (e *eval) legs(n, cards, least int64, charge money.Rat) money.Rat {
	s := e.session
	if s > 0 {
		s = max(s, least)
	}
	out, err := bill.GPULegs(bill.GPULegsIn{
		Currency: e.offer.Currency, PricePerCardHour: e.hourly.Quo(money.Int(cards)), GranularityS: e.granularity(),
		Legs: []bill.Leg{{Cards: cards, S: s}},
	})
	e.fail(err)
	amount := out.Amount
	if s > 0 {
		amount = amount.Max(charge)
	}
	return amount.Mul(money.Int(n))
}

// rounding is what the provider's units, least session, least charge and
// settlements add to the seconds that were used.
func (e *eval) rounding(billed, used money.Rat, n int64) {
	p := part{id: LineRounding, formula: "rounding", group: 1, rule: offer.Granularity}
	if e.choice(offer.Settlement) == "wall_clock_hour" {
		// Settled pieces are rounded to the cent, up or down; a least session or
		// charge stands above that.
		settled := e.settled(n)
		if minimum := e.minimum(); !minimum || billed.Less(settled) {
			billed, p.formula, p.group, p.rule = settled, "settlement", 2, offer.Settlement
		}
	}
	p.amount = billed.Sub(used)
	p.inputs = e.inputs(func() []Input {
		return []Input{
			reckoned("starts", money.Int(n), ""), e.hoursInput("session", money.Frac(e.session, 3600), e.use.SessionH),
			e.term("granularity", offer.Granularity), e.term("min_billed", offer.MinBilled),
			e.term("min_charge", offer.MinCharge), e.priceInput(),
		}
	})
	e.add(p)
}

// minimum reports whether a session has a least time or charge.
func (e *eval) minimum() bool {
	least, _ := e.rat(offer.MinBilled)
	charge, _ := e.rat(offer.MinCharge)
	return least.Sign() > 0 || charge.Sign() > 0
}

// settled bills one session settlement by settlement, as if it started at a
// full hour, times the sessions. Whole hours are alike, so one stands for all.
func (e *eval) settled(n int64) money.Rat {
	whole, rest := e.session/3600, e.session%3600
	start := time.Unix(0, 0).UTC()
	length := rest
	if whole > 0 {
		length += 3600
	}
	if length == 0 {
		return zero
	}
	out, err := bill.SettlementRounding(bill.SettlementRoundingIn{
		Currency: e.offer.Currency, PricePerHour: e.hourly, GranularityS: e.granularity(),
		Start: start, End: start.Add(time.Duration(length) * time.Second), Settlement: bill.SettleWallClockHour,
		Round: bill.Round{Mode: money.HalfUp, Scale: e.offer.Currency.Scale(), Level: bill.PerSettlement},
	})
	e.fail(err)
	if err != nil {
		return zero
	}
	sum := out.AmountRounded
	if whole > 1 {
		sum = sum.Add(out.SegmentAmountsRounded[0].Mul(money.Int(whole - 1)))
	}
	return sum.Mul(money.Int(n))
}
