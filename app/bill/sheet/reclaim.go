package sheet

import (
	"rentgen/app/bill"
	"rentgen/app/bill/offer"
	"rentgen/app/money"
)

// reclaim tells what it costs when the provider takes an idle instance back
// within a session that idles that long: the start again, since pictures that
// are done are saved.
func (f *facts) reclaim() {
	e := f.e
	limit, known := e.rat(offer.IdleReclaim)
	limit = limit.Quo(money.Int(60))
	n := money.Int(e.sessions * e.machines)
	idle := f.rented().Sub(e.busy).Sub(e.started).Quo(n)
	if !known || limit.Sign() <= 0 || !e.metered() || e.use.BusyUnknown || idle.Less(limit) {
		return
	}
	start := e.started.Quo(n)
	saved := zero
	out, err := bill.ReclaimRerun(bill.ReclaimRerunIn{
		Currency: e.offer.Currency, PricePerHour: e.hourly, WorkH: money.Frac(e.session, 3600).Sub(start).Max(zero), StartupH: start,
		SaveEveryH: &saved, ReclaimedAfterH: []money.Rat{start.Add(limit)},
	})
	if err == nil {
		f.add("reclaim", 12, "limit", hoursText(limit), "idle", hoursText(idle), "amount", f.money(out.ExtraAmount),
			"wait", hoursText(e.waitH("queue", "boot", "pull", "load", "first")))
	}
}
