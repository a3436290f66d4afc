package sheet

import (
	"rentgen/app/bill"
	"rentgen/app/bill/offer"
	"rentgen/app/money"
	"rentgen/assets/texts"
)

// stop bills what goes on while a metered machine is stopped between sessions:
// each component by its own rule.
func (e *eval) stop() {
	if e.stopped.Sign() <= 0 {
		return
	}
	all := e.stopped.Mul(money.Int(e.machines))
	sum, rule := zero, offer.TermID("")
	var inputs []Input
	count := func(amount money.Rat, id offer.TermID, in func() []Input) {
		if amount.IsZero() {
			return
		}
		sum = sum.Add(amount)
		if rule == "" {
			rule = id
		}
		inputs = append(inputs, e.inputs(in)...)
	}
	if e.metered() && e.flag(offer.StopCompute) {
		count(e.goesOn(e.hourly, zero, zero, all), offer.StopCompute, func() []Input { return []Input{e.priceInput()} })
	}
	if gb, ok := e.rat(offer.SystemDisk); ok && e.flag(offer.StopSystemDisk) {
		free, _ := e.rat(offer.SystemDiskFree)
		price, _ := e.rat(offer.SystemDiskPrice)
		count(e.perMonth(gb, free, price, e.stopped), offer.StopSystemDisk, func() []Input {
			return e.diskInputs(offer.SystemDisk, offer.SystemDiskFree, offer.SystemDiskPrice, gb, e.stopped)
		})
	}
	if _, daily := e.rat(offer.DataDiskDay); !daily && e.stopsDataDisk() {
		id := offer.StopDiskPrice
		price, ok := e.rat(id)
		if !ok {
			id = offer.DataDiskMonth
			price, _ = e.rat(id)
		}
		gb, _ := e.dataGB()
		free, _ := e.rat(offer.DataDiskFree)
		count(e.stoppedVolume(gb, free, price), id, func() []Input {
			return e.diskInputs(offer.DataDisk, offer.DataDiskFree, id, gb, e.stopped)
		})
	}
	if price, ok := e.rat(offer.IPPrice); ok && e.flag(offer.StopIP) {
		count(e.goesOn(zero, price, zero, all), offer.StopIP, func() []Input { return []Input{e.term("ip_price", offer.IPPrice)} })
	}
	if price, ok := e.rat(offer.BandwidthPrice); ok && e.flag(offer.StopBandwidth) {
		count(all.Mul(price).Quo(e.monthH), offer.StopBandwidth, func() []Input {
			return []Input{e.term("bandwidth_price", offer.BandwidthPrice), e.monthInput()}
		})
	}
	e.add(part{id: LineStopped, amount: sum, formula: "stopped", group: 5, rule: rule, inputs: append(
		e.inputs(func() []Input { return []Input{reckoned("stopped", all, "h")} }), inputs...)})
}

// goesOn bills a machine and its address for hours of running and hours stopped
// in which both go on.
func (e *eval) goesOn(perHour, ip, run, stopped money.Rat) money.Rat {
	out, err := bill.StoppedBilling(bill.StoppedBillingIn{
		Currency: e.offer.Currency, ComputePerHour: perHour, IPPerHour: ip, RunH: run, StoppedH: stopped, MonthConvention: bill.Fixed720h,
	})
	e.fail(err)
	return out.OrdinaryStopAmount
}

// stoppedVolume bills the data disks of stopped machines, at what a GB costs
// then.
func (e *eval) stoppedVolume(gb, free, price money.Rat) money.Rat {
	sum := zero
	for _, p := range e.monthParts() {
		out, err := bill.StorageStopped(bill.StorageStoppedIn{
			Currency: e.offer.Currency, VolumeGB: gb.Sub(free).Max(zero), VolumeStoppedPricePerGBMonth: price,
			StoppedH: e.stopped.Mul(p.share), MonthConvention: p.convention, Month: p.month, Round: exact,
		})
		e.fail(err)
		sum = sum.Add(out.VolumeStoppedAmount)
	}
	return sum.Mul(money.Int(e.machines))
}

// pause is how long a machine stands still between two sessions, spread evenly.
func (e *eval) pause() money.Rat {
	if e.sessions < 2 {
		return zero
	}
	return e.stopped.Quo(money.Int(e.sessions))
}

// release bills what is needed to restore what an automatic release takes, once
// after every pause that is too long.
func (e *eval) release() {
	id := offer.ReleaseAfter
	after, known := e.rat(id)
	pause := e.pause()
	if !known || after.Sign() <= 0 || pause.Less(after) || e.stopped.IsZero() {
		return
	}
	mbps, ok := e.rat(offer.Bandwidth)
	if !ok || mbps.Sign() <= 0 {
		return // nobody knows how long fetching takes; the page says that the data dies
	}
	gb, _ := e.dataGB()
	hourly := zero // hours of a package are paid
	if e.metered() {
		hourly = e.hourly
	}
	out, err := bill.AutoRelease(bill.AutoReleaseIn{
		Currency: e.offer.Currency, ReleaseAfterStoppedH: &after, StoppedH: pause, DataGB: gb, GBBytes: 1_000_000_000,
		UploadMbps: mbps, UploadPricePerHour: hourly,
	})
	e.fail(err)
	losses := money.Int((e.sessions - 1) * e.machines)
	e.add(part{id: LineRelease, amount: out.RestoreAmount.Mul(losses), formula: "release", group: 5, rule: id, inputs: e.inputs(func() []Input {
		return []Input{
			e.term("release_after", id), reckoned("pause", pause, "h"), reckoned("losses", losses, ""),
			reckoned("gb", gb, "GB"), e.term("mbps", offer.Bandwidth), typed("price", hourly, string(e.offer.Currency)+"/h"),
		}
	})})
}

// dies says when stopped data is gone: all of it, and what lies on a temporary
// disk.
func (e *eval) dies() texts.Phrase {
	p := e.released()
	if after, ok := e.rat(offer.WipeAfter); ok && e.pauses() && e.sessions > 1 {
		part := texts.P("bill.dies.wiped", "after", hoursText(after))
		if after.IsZero() {
			part = texts.P("bill.dies.wiped.once")
		}
		return texts.P("bill.dies.both", "all", p, "part", part)
	}
	return p
}

func (e *eval) released() texts.Phrase {
	if !e.pauses() {
		return texts.P("bill.dies.expiry")
	}
	if e.sessions < 2 {
		return texts.P("bill.dies.once")
	}
	after, known := e.rat(offer.ReleaseAfter)
	pause := e.pause()
	switch {
	case !known:
		return texts.P("bill.dies.unknown")
	case pause.Less(after):
		return texts.P("bill.dies.safe", "after", hoursText(after), "pause", hoursText(pause))
	}
	return texts.P("bill.dies.lost", "after", hoursText(after), "pause", hoursText(pause))
}
