package sheet

import (
	"rentgen/app/bill"
	"rentgen/app/bill/offer"
	"rentgen/app/money"
	"rentgen/assets/texts"
)

// many picks the wording of a formula for one machine or for several.
func (e *eval) many(formula string) string {
	if e.machines > 1 {
		return formula + "_many"
	}
	return formula
}

// perMonth bills a disk by the GB and month for the hours it is held, of all
// machines.
func (e *eval) perMonth(gb, free, price, held money.Rat) money.Rat {
	if held.Sign() <= 0 || gb.Sign() <= 0 {
		return zero
	}
	sum := zero
	for _, p := range e.monthParts() {
		out, err := bill.StorageGBMonth(bill.StorageGBMonthIn{
			Currency: e.offer.Currency, GB: gb, PricePerGBMonth: price, FreeGB: free, HeldH: held.Mul(p.share),
			MonthConvention: p.convention, Month: p.month, Round: exact,
		})
		e.fail(err)
		sum = sum.Add(out.Amount)
	}
	return sum.Mul(money.Int(e.machines))
}

// dataGB is what must be on the data disk: what the user asked for, or what the
// job keeps where that is more.
func (e *eval) dataGB() (gb money.Rat, grown bool) {
	gb, known := e.rat(offer.DataDisk)
	if e.use.ModelGB.Cmp(gb) > 0 {
		return e.use.ModelGB, known && gb.Sign() > 0
	}
	return gb, false
}

// runs is for how long the machine runs, or is paid, out of the time it is held.
func (e *eval) runs() money.Rat { return e.held.Sub(e.stopped).Max(zero) }

// stopsDataDisk reports whether the data disk bills while stopped: a price for
// that says so too.
func (e *eval) stopsDataDisk() bool {
	_, priced := e.rat(offer.StopDiskPrice)
	return priced || e.flag(offer.StopDataDisk)
}

// disks bills disks, snapshots and system images while the machine runs.
func (e *eval) disks() {
	if gb, ok := e.rat(offer.SystemDisk); ok {
		price, _ := e.rat(offer.SystemDiskPrice)
		free, _ := e.rat(offer.SystemDiskFree)
		e.add(part{
			id: LineSystemDisk, amount: e.perMonth(gb, free, price, e.runs()), formula: e.many("disk_month"), group: 3,
			rule: offer.SystemDiskPrice, inputs: e.inputs(func() []Input {
				return e.diskInputs(offer.SystemDisk, offer.SystemDiskFree, offer.SystemDiskPrice, gb, e.runs())
			}),
		})
	}
	e.dataDisk()
	e.stored(LineSnapshot, offer.Snapshot, offer.SnapshotFree, offer.SnapshotPrice)
	e.stored(LineSystemImage, offer.SystemImage, offer.ImageFree, offer.ImagePrice)
}

func (e *eval) dataDisk() {
	gb, grown := e.dataGB()
	free, _ := e.rat(offer.DataDiskFree)
	p := part{id: LineDataDisk, group: 3}
	if day, ok := e.rat(offer.DataDiskDay); ok {
		held := e.held
		if !e.stopsDataDisk() {
			held = e.runs()
		}
		nights, _ := held.Quo(money.Int(24)).Ceil().Int64()
		out, err := bill.StorageDaily(bill.StorageDailyIn{
			Currency: e.offer.Currency, PricePerGBDay: day, ProvisionedGB: gb, FreeGB: free, Midnights: nights, Round: exact,
		})
		e.fail(err)
		p.amount, p.formula, p.rule = out.Amount.Mul(money.Int(e.machines)), e.many("disk_day"), offer.DataDiskDay
		p.inputs = e.inputs(func() []Input {
			in := e.diskInputs(offer.DataDisk, offer.DataDiskFree, offer.DataDiskDay, gb, held)
			return append(in, reckoned("nights", money.Int(nights), ""))
		})
	} else if price, ok := e.rat(offer.DataDiskMonth); ok {
		p.amount, p.formula, p.rule = e.perMonth(gb, free, price, e.runs()), e.many("disk_month"), offer.DataDiskMonth
		p.inputs = e.inputs(func() []Input {
			return e.diskInputs(offer.DataDisk, offer.DataDiskFree, offer.DataDiskMonth, gb, e.runs())
		})
	} else {
		return
	}
	if grown {
		need := gb
		p.note = texts.P("bill.note.disk_grown", "gb", func(c *texts.Catalogue) string { return gbText(need) })
	}
	e.add(p)
}

func (e *eval) diskInputs(size, free, price offer.TermID, gb, held money.Rat) []Input {
	in := e.term("gb", size)
	if in.Status == offer.Unknown || in.Value.Point.Cmp(gb) != 0 {
		in = Input{Name: "gb", Value: money.Sure(gb), Unit: "GB", Status: Estimated}
	}
	all := []Input{in, e.term("free", free), e.term("disk_price", price), reckoned("machines", money.Int(e.machines), "")}
	if price == offer.DataDiskDay {
		return all
	}
	return append(all, reckoned("held", held, "h"), e.monthInput())
}

func (e *eval) monthInput() Input {
	in := Input{Name: "month", Value: money.Sure(e.monthH), Unit: "h", Status: Usual}
	if v, ok := e.values[offer.MonthHours]; ok {
		in.Status, in.Source, in.Date, in.Mark, in.Also = v.term.Status, v.term.Source, v.term.Date, v.term.Mark, v.term.Also
	}
	return in
}

// stored bills a snapshot or a system image, which is kept for the whole span
// and once, however many machines are made from it.
func (e *eval) stored(line string, size, free, price offer.TermID) {
	gb, ok := e.rat(size)
	if !ok || gb.Sign() <= 0 {
		return
	}
	quota, _ := e.rat(free)
	p, _ := e.rat(price)
	months := money.Int(int64(e.days) * 24).Quo(e.monthH)
	out, err := bill.Snapshot(bill.SnapshotIn{
		Currency: e.offer.Currency, FullGB: gb, FreeGB: quota, PricePerGBMonth: p, Months: months,
	})
	e.fail(err)
	e.add(part{id: line, amount: out.Amount, formula: "stored", group: 10, rule: price, inputs: e.inputs(func() []Input {
		return []Input{e.term("gb", size), e.term("free", free), e.term("disk_price", price), reckoned("months", months, ""), e.monthInput()}
	})})
}
