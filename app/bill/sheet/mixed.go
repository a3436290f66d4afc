package sheet

import (
	"rentgen/app/bill"
	"rentgen/app/bill/offer"
	"rentgen/app/money"
	"rentgen/assets/texts"
)

// mixedParts are what a mixed bill is made of, at each end.
type mixedParts struct {
	validation money.Band // everything on the first offer
	transfer   money.Band
	pass       money.Rat // chance that the long run happens
	run        Bill
}

// mixedBill is the path "validate on one offer, then run on another": V +
// (1-q)(transfer + everything on the other).
func (m *maker) mixedBill(bills []Bill) (Bill, bool) {
	mp, ok := m.mixedParts(bills)
	if !ok {
		return Bill{}, false
	}
	x := m.params.Mixed
	shared, run := bills[x.Shared], mp.run
	b := Bill{
		Name: shared.Name + " → " + run.Name, Offer: run.Offer, Usage: run.Usage, Status: OK, Currency: m.currency,
		RateDate: run.RateDate, Rate: run.Rate, Waits: run.Waits, WaitH: run.WaitH, Mixed: true, ValidateOn: shared.Name, RunOn: run.Name,
		FailShare: x.FailShare, Unknown: run.Unknown, Notes: run.Notes, Dies: run.Dies,
	}
	rule := func(l Line) Line { // its source stands with the offer it comes from
		l.Amount = l.Amount.Times(mp.pass)
		if l.Hours != nil {
			h := l.Hours.Times(mp.pass)
			l.Hours = &h
		}
		if !l.Amount.IsZero() && mp.pass.Less(one) {
			l.Note = texts.P("bill.note.if_passed", "share", percentText(mp.pass))
		}
		return l
	}
	b.Lines = append(b.Lines, Line{
		ID: LineValidation, Amount: mp.validation, Formula: "validation", Group: 20,
		Inputs: []Input{
			typed("validation", x.ValidationH, "h"),
			typed("price", m.columns[x.Shared].price, string(shared.Offer.Currency)+"/h"),
		},
	})
	if !mp.transfer.IsZero() {
		b.Lines = append(b.Lines, rule(Line{
			ID: LineTransfer, Amount: mp.transfer, Formula: "transfer", Group: 20, Rule: string(offer.CrossRegion),
			Inputs: []Input{typed("gb", x.TransferGB, "GB")},
		}))
	}
	for _, l := range run.Lines {
		b.Lines = append(b.Lines, rule(l))
	}
	b.PaysFrom = m.paysFrom(mp)
	b.sum()
	return b, true
}

func (m *maker) mixedParts(bills []Bill) (mixedParts, bool) {
	x := m.params.Mixed
	if x == nil || x.Shared < 0 || x.Dedicated < 0 || x.Shared >= len(m.columns) || x.Dedicated >= len(m.columns) ||
		x.Shared == x.Dedicated || x.ValidationH.Sign() < 0 || x.FailShare.Sign() < 0 || one.Less(x.FailShare) {
		return mixedParts{}, false
	}
	// A whole job that doesn't end on the first offer may well be tried out there.
	if s := bills[x.Shared].Status; s != OK && s != CannotFinish || bills[x.Dedicated].Status != OK || !m.columns[x.Shared].metered() {
		return mixedParts{}, false
	}
	mp := mixedParts{pass: one.Sub(x.FailShare), run: bills[x.Dedicated]}
	// The first offer for the hours of the validation alone, with its own disk
	// and rounding.
	c := m.params.Columns[x.Shared]
	u := c.Usage
	u.Machines, u.Sessions, u.Heads, u.Pictures = 1, 1, 0, zero
	u.SessionH, u.Rented, u.Busy = money.Sure(x.ValidationH), money.Sure(x.ValidationH), money.Sure(x.ValidationH)
	c.Usage, c.Offer.Count = u, 1
	k := newColumn(m.params, c, m.currency)
	var ends [3]money.Rat
	for i := range ends {
		e := k.run(sceneAt(i))
		if e.status != OK && x.ValidationH.Sign() > 0 {
			return mixedParts{}, false
		}
		ends[i] = e.total()
	}
	mp.validation = ordered(ends[low], ends[point], ends[high])
	var t [3]money.Rat
	for i := range t {
		e := eval{column: m.columns[x.Dedicated], scene: sceneAt(i)}
		price, _ := e.rat(offer.CrossRegion)
		if price.IsZero() {
			price, _ = e.rat(offer.Traffic)
		}
		t[i] = x.TransferGB.Mul(price).Mul(e.rate)
	}
	mp.transfer = ordered(t[low], t[point], t[high])
	return mp, true
}

// paysFrom is the share of failing validations from which the mixed path is
// cheaper than paying for the long run at once: that pays its package and the
// set-up in any case, only what goes beyond the package if validation passes.
func (m *maker) paysFrom(mp mixedParts) *money.Rat {
	x := m.params.Mixed
	if m.columns[x.Dedicated].metered() || x.ValidationH.IsZero() {
		return nil
	}
	// Hours beyond the package are paid on both sides if validation passes, so
	// they stand on neither.
	fixed := zero
	for _, l := range mp.run.Lines {
		if l.ID != LineOverage {
			fixed = fixed.Add(l.Amount.Point)
		}
	}
	gb := one
	if x.TransferGB.Sign() > 0 {
		gb = x.TransferGB
	}
	out, err := bill.MixedStrategy(bill.MixedStrategyIn{
		Currency: m.currency, SharedPricePerHour: mp.validation.Point.Quo(x.ValidationH), DedicatedPricePerHour: zero,
		DedicatedMonth: fixed, ValidationH: x.ValidationH, BatchHShared: one,
		DedicatedSpeedup: one, TransferGB: gb, TransferPricePerGB: mp.transfer.Point.Quo(gb),
		SetupOpsH: zero, OpsPricePerHour: zero, ValidationFailProb: x.FailShare,
	})
	if err != nil {
		return nil
	}
	return out.BreakevenFailProb
}
