package sheet

import (
	"math"
	"slices"

	"rentgen/app/bill"
	"rentgen/app/bill/offer"
	"rentgen/app/money"
	"rentgen/assets/texts"
)

// Fact is something about a bill that isn't a line of it, told on demand.
type Fact struct {
	ID    string // idle, pictures, disk, stop, reclaim, saved, save, save_steps, through, spot, package, quota, year, accrual, refund, traffic, starts, hours, cards
	Group int    // of the formula list, 1 to 23
	Text  texts.Phrase
}

// Facts returns what else is worth knowing of the bill at i: what a painting
// hour really costs, when a package pays, how often to save, what comes back if
// one stops half-way. Amounts are in the offer's own currency.
func Facts(s Sheet, i int) []Fact {
	if i < 0 || i >= len(s.Bills) || s.Bills[i].Status != OK || s.Bills[i].Mixed {
		return nil
	}
	b := s.Bills[i]
	p := Params{Days: s.Days, Start: s.Start}
	k := newColumn(p, Column{b.Offer, b.Usage}, b.Offer.Currency)
	e := k.run(sceneAt(point))
	if e.status != OK {
		return nil
	}
	f := &facts{e: e, sheet: s, at: i}
	f.idle()
	f.pictures()
	f.starts()
	f.hours()
	f.disk()
	f.stop()
	f.reclaim()
	f.interruption()
	f.packages()
	f.year()
	f.accrual()
	f.refund()
	f.traffic()
	f.cards()
	return f.all
}

type facts struct {
	e     *eval
	sheet Sheet
	at    int
	all   []Fact
}

func (f *facts) add(id string, group int, pairs ...any) {
	f.all = append(f.all, Fact{id, group, texts.P("bill.fact."+id, pairs...)})
}

func (f *facts) money(v money.Rat) func(*texts.Catalogue) string {
	cur := f.e.offer.Currency
	return func(c *texts.Catalogue) string { return Money(c, v, cur) }
}

func (f *facts) price(v money.Rat) func(*texts.Catalogue) string {
	cur := f.e.offer.Currency
	return func(c *texts.Catalogue) string { return Price(c, v.Round(4, money.HalfUp), cur) }
}

func (f *facts) rented() money.Rat { return f.e.running.Mul(money.Int(f.e.machines)) }

func (f *facts) idle() {
	e := f.e
	if !e.metered() || e.use.BusyUnknown {
		return
	}
	out, err := bill.Idle(bill.IdleIn{Currency: e.offer.Currency, PricePerHour: e.hourly, OnH: f.rented(), UsefulH: e.busy})
	if err == nil && out.Utilisation != nil && out.EffectivePricePerUsefulHour != nil {
		f.add("idle", 6, "share", percentText(*out.Utilisation), "price", f.price(*out.EffectivePricePerUsefulHour))
	}
}

// secondsEach is the seconds a picture, nil where nobody knows.
func (f *facts) secondsEach() *money.Rat {
	e := f.e
	if e.use.BusyUnknown || e.pictures.Sign() <= 0 || e.busy.Sign() <= 0 {
		return nil
	}
	v := e.busy.Mul(hour).Quo(e.pictures)
	return &v
}

func (f *facts) pictures() {
	e, each := f.e, f.secondsEach()
	n, whole := e.pictures.Ceil().Int64()
	if each == nil || !whole || !e.metered() {
		return
	}
	starts := e.sessions * e.machines
	startup, _ := e.started.Mul(hour).Quo(money.Int(starts)).Ceil().Int64()
	out, err := bill.PerImage(bill.PerImageIn{
		Currency: e.offer.Currency, SPerImage: *each, PricePerHour: e.hourly, Images: n, Starts: starts, StartupS: startup, Round: exact,
	})
	if err == nil && out.Per1000 != nil {
		f.add("pictures", 18, "pure", f.money(out.PurePer1000), "all", f.money(*out.Per1000))
	}
}

func (f *facts) starts() {
	e := f.e
	if !e.metered() || e.started.IsZero() {
		return
	}
	var phases []bill.Phase
	for _, w := range e.waits {
		if n, whole := w.Seconds.Point.Max(zero).Ceil().Int64(); whole && !w.Unknown {
			phases = append(phases, bill.Phase{Name: w.ID, S: n, Billed: w.Billed})
		}
	}
	start, _ := e.started.Mul(hour).Quo(money.Int(e.sessions * e.machines)).Ceil().Int64()
	phases = append(phases, bill.Phase{Name: "work", S: max(0, e.session-start), Billed: true})
	out, err := bill.Phases(bill.PhasesIn{
		Currency: e.offer.Currency, PricePerHour: e.hourly, GranularityS: e.granularity(), TimeValuePerHour: e.use.OwnRate, Phases: phases,
	})
	if err == nil && out.OverheadShareOfBilled != nil {
		f.add("starts", 7, "share", percentText(*out.OverheadShareOfBilled), "wall", hoursText(money.Frac(out.WallS, 3600)))
	}
}

func (f *facts) hours() {
	b := f.e.use.Busy
	if !b.Wide() || b.Low.Sign() < 0 {
		return
	}
	out, err := bill.Pert(bill.PertIn{Currency: f.e.offer.Currency, LowH: b.Low, ModeH: b.Point, HighH: b.High, PricePerHour: f.e.hourly})
	if err == nil {
		f.add("hours", 21, "mean", hoursText(out.MeanH), "sd", hoursText(out.SDH))
	}
}

func (f *facts) disk() {
	e := f.e
	gb, _ := e.dataGB()
	free, _ := e.rat(offer.DataDiskFree)
	price, ok := e.rat(offer.DataDiskMonth)
	if gb = gb.Sub(free); !ok || !e.metered() || gb.Sign() <= 0 || price.IsZero() {
		return
	}
	out, err := bill.HiddenDisk(bill.HiddenDiskIn{
		Currency: e.offer.Currency, OfferPricePerHour: e.hourly, DiskGB: gb, DiskPricePerGBMonth: price,
		MonthConvention: e.monthParts()[0].convention, Month: e.monthParts()[0].month, Round: exact,
	})
	if err == nil {
		f.add("disk", 4, "price", f.price(e.hourly), "true", f.price(out.TruePricePerHour))
	}
}

// stop tells from which pause on it is cheaper to release the machine and fetch
// everything again.
func (f *facts) stop() {
	e := f.e
	mbps, ok := e.rat(offer.Bandwidth)
	gb, _ := e.dataGB()
	if !ok || !e.metered() || mbps.Sign() <= 0 || gb.IsZero() || e.stopped.IsZero() {
		return
	}
	perHour := zero
	for _, p := range e.parts {
		if p.id == LineStopped {
			perHour = p.amount.Quo(e.stopped).Quo(money.Int(e.machines))
		}
	}
	in := bill.AutoReleaseIn{
		Currency: e.offer.Currency, StoppedH: e.pause(), StoppedPricePerHour: perHour, DataGB: gb, GBBytes: bytesOfGB,
		UploadMbps: mbps, UploadPricePerHour: e.hourly,
	}
	if after, known := e.rat(offer.ReleaseAfter); known {
		in.ReleaseAfterStoppedH = &after
	}
	out, err := bill.AutoRelease(in)
	if err != nil || out.BreakevenStoppedH == nil {
		return
	}
	f.add("stop", 5, "pause", hoursText(*out.BreakevenStoppedH), "restore", f.money(out.RestoreAmount),
		"time", hoursText(out.ReuploadS.Quo(hour)))
}

func (f *facts) interruption() {
	e := f.e
	rate, known := e.rat(offer.InterruptRate)
	kind := e.choice(offer.Interruption)
	if !known || rate.Sign() <= 0 || kind != "spot" && kind != "reclaim" || !e.metered() {
		return
	}
	if e.pictures.Sign() > 0 && e.use.Steps == 0 && e.use.SaveEvery <= 1 {
		f.add("saved", 12)
		return
	}
	work := money.Frac(e.session, 3600)
	again := e.waitH("load")
	if again.Sign() > 0 {
		out, err := bill.OptimalCheckpoint(bill.OptimalCheckpointIn{WorkH: work, CheckpointH: again, RatePerH: rate})
		if v, ok := ratOf(out.ExactH); err == nil && ok {
			f.save(v, again)
		}
	}
	if out, err := bill.Attempts(bill.AttemptsIn{WorkH: work, RatePerH: rate, Attempts: 3}); err == nil {
		f.add("through", 14, "once", texts.Chance(out.PSingle), "thrice", texts.Chance(out.PWithin))
	}
	if other := f.steady(); other != nil {
		out, err := bill.SpotBreakeven(bill.SpotBreakevenIn{
			WorkH: work, SpotPricePerHour: e.hourly, OnDemandPricePerHour: other.hourly(),
		})
		if v, ok := ratOf(out.MinMTBIH); err == nil && ok {
			f.add("spot", 15, "offer", other.Name, "hours", hoursText(v))
		}
	}
}

// save tells the best time between two saved states, of a training in steps too.
func (f *facts) save(every, cost money.Rat) {
	e := f.e
	all := e.pictures.Mul(money.Int(int64(e.use.Steps)))
	if all.Sign() <= 0 || e.busy.Sign() <= 0 || e.use.BusyUnknown {
		f.add("save", 13, "every", hoursText(every), "cost", hoursText(cost))
		return
	}
	n := every.Mul(all).Quo(e.busy).Round(0, money.HalfUp).Max(one).Min(money.Int(int64(e.use.Steps)))
	f.add("save_steps", 13, "every", hoursText(every), "cost", hoursText(cost), "steps", texts.Number(n.Float64(), 0))
}

func ratOf(v *float64) (money.Rat, bool) {
	if v == nil {
		return zero, false
	}
	return fromFloat(*v)
}

// hourly is a metered bill's price of a machine's hour.
func (b Bill) hourly() money.Rat {
	return newColumn(Params{}, Column{b.Offer, b.Usage}, b.Offer.Currency).price
}

// sibling returns the cheapest other metered bill of the same card and
// currency that keep holds for.
func (f *facts) sibling(keep func(Bill) bool) *Bill {
	var best *Bill
	own := f.e.offer
	for i := range f.sheet.Bills {
		b := &f.sheet.Bills[i]
		if i == f.at || b.Status != OK || b.Mixed || !b.Offer.Payment.Metered() || b.Offer.Currency != own.Currency ||
			b.Offer.Card.Name != own.Card.Name || b.Offer.Card.Part != own.Card.Part || !keep(*b) {
			continue
		}
		if best == nil || b.hourly().Less(best.hourly()) {
			best = b
		}
	}
	return best
}

// steady is the cheapest metered offer of the card that isn't interrupted.
func (f *facts) steady() *Bill {
	return f.sibling(func(b Bill) bool {
		kind, known, _ := b.Offer.Choice(offer.Interruption)
		return known && kind == "none"
	})
}

func (f *facts) packages() {
	e := f.e
	if e.metered() {
		return
	}
	pay := e.offer.Payment
	unit := pay.Price.Mul(money.Int(int64(max(e.offer.Cards, 1))))
	if pay.Unit == offer.Quota {
		out, err := bill.QuotaPlan(bill.QuotaPlanIn{
			Currency: e.offer.Currency, Fee: unit, Units: pay.Units, DrawPerH: pay.DrawPerHour, UsedH: f.rented(),
		})
		if err == nil && out.EffectivePricePerHour != nil && out.IncludedH != nil {
			f.add("quota", 16, "price", f.price(*out.EffectivePricePerHour), "included", hoursText(*out.IncludedH))
		}
		return
	}
	other := f.sibling(func(Bill) bool { return true })
	if other == nil || pay.Unit != offer.Month && pay.Unit != offer.Pack {
		return
	}
	month := money.Int(int64(daysOf(offer.Month)-1) * 24)
	in := bill.PackageBreakevenIn{
		Currency: e.offer.Currency, PackagePrice: unit, IncludedH: pay.IncludedHours, OveragePricePerHour: pay.Overage,
		PricePerHour: other.hourly(), MonthH: month, UsageS: e.session * e.sessions,
	}
	if pay.Overage == nil {
		in.IncludedH = nil
	}
	out, err := bill.PackageBreakeven(in)
	if err != nil {
		return
	}
	if out.BreakevenH == nil || month.Less(*out.BreakevenH) && pay.Unit == offer.Month {
		f.add("package_never", 16, "offer", other.Name)
		return
	}
	f.add("package", 16, "offer", other.Name, "hours", hoursText(*out.BreakevenH), "used", hoursText(e.running))
}

// refund tells what comes back of a package when half of the span is used.
func (f *facts) refund() {
	e := f.e
	days := daysOf(e.offer.Payment.Unit)
	if e.metered() || days == 0 || e.known(offer.PackageElapsed) {
		return
	}
	paid := zero
	for _, p := range e.parts {
		if p.id == LinePackage {
			paid = paid.Add(p.amount)
		}
	}
	loss, _ := e.rat(offer.RefundLoss)
	switch e.offer.Payment.Unit {
	case offer.Month:
		days = 30
	case offer.Year:
		days = 365
	}
	length := e.periods() * days
	used := int64(e.days+1) / 2
	switch e.choice(offer.Refund) {
	case "none":
		f.add("refund_none", 22)
	case "credit", "unused_days":
		out, err := bill.RefundProrate(bill.RefundProrateIn{
			Currency: e.offer.Currency, Payments: []bill.Payment{{Amount: paid, EndDay: length, Refundable: true}},
			UsedS: used * 86400, LossShare: loss, Round: exact,
		})
		if err != nil {
			return
		}
		id := "refund"
		if e.choice(offer.Refund) == "credit" {
			id = "refund_credit"
		}
		f.add(id, 22, "days", used, "amount", f.money(out.Amount))
	case "full_months":
		other := f.sibling(func(Bill) bool { return true })
		if e.offer.Payment.Unit != offer.Month || other == nil {
			return
		}
		out, err := bill.Refund(bill.RefundIn{
			Currency: e.offer.Currency, Paid: paid, MonthPrice: paid.Quo(money.Int(e.periods())), FullMonths: used / 30,
			RestH: money.Int(used % 30 * 24), HourlyPrice: other.hourly(),
		})
		if err == nil {
			f.add("refund", 22, "days", used, "amount", f.money(out.Amount))
		}
	default:
		f.add("refund_unknown", 22)
	}
}

func (f *facts) traffic() {
	e := f.e
	mbps, ok := e.rat(offer.Bandwidth)
	if !ok || mbps.Sign() <= 0 || e.use.DownloadGB.Sign() <= 0 {
		return
	}
	perGB, byGB := e.rat(offer.Traffic)
	month, fixed := e.rat(offer.BandwidthPrice)
	out, err := bill.Traffic(bill.TrafficIn{
		Currency: e.offer.Currency, GB: e.use.DownloadGB, PricePerGB: perGB, Mbps: mbps, PriceBandwidthMonth: month,
		MonthH: e.monthH, GBBytes: bytesOfGB,
	})
	if err != nil || out.TransferH == nil {
		return
	}
	f.add("transfer", 8, "gb", gbText(e.use.DownloadGB), "time", hoursText(*out.TransferH))
	if byGB && fixed && out.BreakevenGB != nil {
		f.add("bandwidth", 8, "gb", gbText(*out.BreakevenGB))
	}
}

// cards tells what an hour of the cheapest other card may cost at most.
func (f *facts) cards() {
	e, each := f.e, f.secondsEach()
	if each == nil || !e.metered() {
		return
	}
	others := slices.DeleteFunc(slices.Clone(f.sheet.Bills), func(b Bill) bool {
		return b.Status != OK || b.Mixed || !b.Offer.Payment.Metered() || b.Offer.Currency != e.offer.Currency ||
			b.Offer.Card.Name == e.offer.Card.Name || b.Usage.BusyUnknown || b.Usage.Pictures.Sign() <= 0 || b.Usage.Busy.Point.Sign() <= 0
	})
	if len(others) == 0 {
		return
	}
	other := slices.MinFunc(others, func(a, b Bill) int { return a.Total.Point.Cmp(b.Total.Point) })
	out, err := bill.CompareCards(bill.CompareCardsIn{Currency: e.offer.Currency, Cards: []bill.ComparedCard{
		{Name: e.offer.Card.Name, SPerImage: *each, PricePerHour: e.hourly},
		{Name: other.Offer.Card.Name, SPerImage: other.Usage.Busy.Point.Mul(hour).Quo(other.Usage.Pictures), PricePerHour: other.hourly()},
	}})
	if err == nil && !math.IsInf(out.PriceRatioAtParity.Float64(), 0) {
		f.add("cards", 18, "card", other.Offer.Card.Name, "price", f.price(out.PriceRatioAtParity.Mul(e.hourly)), "now", f.price(other.hourly()))
	}
}
