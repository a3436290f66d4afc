package sheet

import (
	"rentgen/app/bill"
	"rentgen/app/bill/offer"
	"rentgen/app/money"
	"rentgen/assets/texts"
)

// afterPaid bills what is still to pay beside a package that is paid already and
// of which some hours are used: what was paid is sunk, so only the hours after
// its end count, by the hour where the package has such a price and that is
// cheaper, else as whole new packages. Hours and units are used up by running,
// periods by the clock; the price of an hour beyond the included ones holds
// within a period only.
func (e *eval) afterPaid(elapsed, rented, unit money.Rat) {
	pay := e.offer.Payment
	hours, job, over, each := pay.Hours, rented, pay.Overage, one
	switch pay.Unit {
	case offer.Pack:
	case offer.Quota:
		hours = e.hoursOfPackage()
	default:
		hours, over, each = money.Int(daysOf(pay.Unit)*24), nil, money.Int(e.machines)
		job = money.Int(int64(e.days) * 24)
		if e.sessions == 1 && e.session > 0 {
			job = e.running
		}
	}
	in := bill.PackageExpiryIn{Currency: e.offer.Currency, PackagePrice: unit, PackageH: hours, PackageElapsedH: elapsed, JobH: job}
	if over != nil {
		in.PricePerHour = *over
	}
	out, err := bill.PackageExpiry(in)
	e.fail(err)
	next := money.Int(out.NextPackages)
	if over != nil && out.Choice == bill.Hourly {
		next = zero
		e.overage(job, out.CoveredH, over)
	}
	if e.sessions > 1 && daysOf(pay.Unit) > 0 {
		next = next.Min(money.Int(e.periods())) // days without a session need none
	}
	next = next.Mul(each)
	if inc := pay.IncludedHours; daysOf(pay.Unit) > 0 && inc != nil && inc.Sign() > 0 {
		next = e.includedAfterPaid(next, elapsed, rented, *inc)
	}
	covered := out.CoveredH
	p := part{
		id: LinePackage, amount: unit.Mul(next), formula: "package_paid", group: 16, rule: offer.PackageElapsed,
		note: texts.P("bill.note.package_paid", "covered", hoursText(covered)),
	}
	p.inputs = e.inputs(func() []Input {
		return []Input{
			reckoned("needed", job, "h"), e.term("elapsed", offer.PackageElapsed), reckoned("covered", covered, "h"),
			reckoned("packages", next, ""), typed("package_price", unit, string(e.offer.Currency)+"/"+string(pay.Unit)),
		}
	})
	e.parts = append([]part{p}, e.parts...)
	e.idleInPackage(rented)
}

// includedAfterPaid bills hours beyond those that the periods include, of the
// paid one at least what the clock has not passed; without a price for them
// there must be more periods, whose number it returns.
func (e *eval) includedAfterPaid(next, elapsed, rented, inc money.Rat) money.Rat {
	left := inc.Sub(elapsed).Max(zero).Mul(money.Int(e.machines))
	if over := e.offer.Payment.Overage; over != nil {
		e.overage(rented, left.Add(next.Mul(inc)), over)
		return next
	}
	return next.Max(rented.Sub(left).Max(zero).Quo(inc).Ceil())
}
