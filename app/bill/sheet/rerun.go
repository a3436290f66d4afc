package sheet

import (
	"math"

	"rentgen/app/bill"
	"rentgen/app/bill/offer"
	"rentgen/app/money"
	"rentgen/assets/texts"
)

// fromFloat takes an irrational result over; its digits beyond the eighth are
// far below any rounding of money.
func fromFloat(v float64) (money.Rat, bool) {
	if math.IsNaN(v) || math.IsInf(v, 0) || math.Abs(v) > 1e15 {
		return zero, false
	}
	return money.Float(v).Round(8, money.HalfUp), true
}

// rerun is what interruptions and a limited life of instances cost in work done
// twice and starts paid again. Saved pictures are never painted twice.
func (e *eval) rerun() {
	if !e.metered() || e.busy.IsZero() {
		return
	}
	if life, ok := e.rat(offer.MaxLife); ok && life.Sign() > 0 {
		e.lives(life)
	}
	kind := e.choice(offer.Interruption)
	rate, known := e.rat(offer.InterruptRate)
	if !known && (kind == "spot" || kind == "reclaim") {
		e.add(part{id: LineRerun, formula: "rerun_unknown", group: 12, rule: offer.InterruptRate, note: texts.P("bill.note.rate_unknown")})
	}
	if !known || rate.Sign() <= 0 || kind != "spot" && kind != "reclaim" || e.status != OK {
		return
	}
	down, _ := e.rat(offer.Downtime)
	down = down.Add(e.waitH("queue"))
	again := e.waitH("boot", "pull", "load", "first")
	span := money.Int(int64(e.days) * 24)
	horizon := &span
	if e.looksPast() {
		horizon = nil
	}
	var hours money.Rat
	wall, formula := 0.0, "rerun_pictures"
	n, whole := e.pictures.Ceil().Int64()
	switch {
	case !whole || n <= 0:
		formula = "rerun_whole"
		h := money.Frac(e.session, 3600)
		out, err := bill.InterruptNoCheckpoint(bill.InterruptNoCheckpointIn{
			Currency: e.offer.Currency, WorkH: h.Sub(again).Max(zero), StartupH: again.Min(h), RatePerH: rate, DowntimeH: down,
			SpotPricePerHour: e.hourly, OnDemandPricePerHour: e.hourly, HorizonH: horizon,
		})
		e.fail(err)
		if err != nil || out.Status != bill.StatusOK || out.ExpectedBilledH == nil {
			e.cannotFinish()
			return
		}
		billed, ok := fromFloat(*out.ExpectedBilledH)
		if !ok {
			e.cannotFinish()
			return
		}
		hours = billed.Sub(h).Max(zero).Mul(money.Int(e.sessions * e.machines))
		wall = *out.ExpectedWallH * float64(e.sessions)
	case e.use.Steps > 0 || e.use.SaveEvery > 1:
		formula = "rerun_saved"
		if e.use.Steps > 0 {
			formula = "rerun_steps"
		}
		out, err := bill.InterruptCheckpoint(bill.InterruptCheckpointIn{
			Currency: e.offer.Currency, WorkH: e.busy, RatePerH: rate, Segments: e.segments(n),
			CheckpointAfterLast: true, RecoveryH: again, DowntimeH: down, SpotPricePerHour: e.hourly,
		})
		e.fail(err)
		if err != nil || out.Status != bill.StatusOK || out.ExpectedBilledH == nil {
			e.cannotFinish()
			return
		}
		hours, wall = e.beyond(*out.ExpectedBilledH), *out.ExpectedWallH/float64(e.machines)
	default:
		out, err := bill.ImagesNaturalCheckpoint(bill.ImagesNaturalCheckpointIn{
			Currency: e.offer.Currency, Images: n, SPerImage: e.busy.Mul(hour).Quo(money.Int(n)), RatePerH: rate,
			RecoveryH: again, DowntimeH: down, SpotPricePerHour: e.hourly,
		})
		e.fail(err)
		if err != nil || out.ExpectedBilledH == nil || out.ExpectedWallH == nil {
			e.cannotFinish()
			return
		}
		hours, wall = e.beyond(*out.ExpectedBilledH), *out.ExpectedWallH/float64(e.machines)
	}
	if wall > span.Float64() {
		if !e.looksPast() {
			e.cannotFinish()
			return
		}
		e.late = true
	}
	e.add(part{
		id: LineRerun, amount: hours.Mul(e.hourly), formula: formula, group: 12, rule: e.rateRule(),
		inputs: e.inputs(func() []Input {
			return append([]Input{
				e.hoursInput("busy", e.busy, e.use.Busy), e.term("rate", offer.InterruptRate), reckoned("again", again, "h"),
				reckoned("lost", hours, "h"), reckoned("pictures", e.pictures, ""),
				e.saveInput(), e.priceInput(),
			}, e.seenInputs()...)
		}),
	})
}

// looksPast reports whether the scene is the upper part of a band: a job that
// would end after the span only there keeps its bill, which then says so.
func (e *eval) looksPast() bool {
	return e.hours.factor == nil && (e.end == high || e.hours.at.Sign() > 0)
}

// segments are the stretches between two saved states of n pictures, or of n
// trainings.
func (e *eval) segments(n int64) int64 {
	every := int64(max(e.use.SaveEvery, 1))
	if e.use.Steps > 0 {
		return n * ceilDiv(int64(e.use.Steps), every)
	}
	return ceilDiv(n, every)
}

func (e *eval) saveInput() Input {
	name := "save_every"
	if e.use.Steps > 0 {
		name = "save_steps"
	}
	return typed(name, money.Int(int64(max(e.use.SaveEvery, 1))), "")
}

// beyond returns the billed hours beyond the undisturbed ones, and stops a bill
// that has no finite one.
func (e *eval) beyond(billed float64) money.Rat {
	b, ok := fromFloat(billed)
	if !ok {
		e.cannotFinish()
		return zero
	}
	return b.Sub(e.busy).Max(zero)
}

func (e *eval) cannotFinish() {
	e.status, e.why = CannotFinish, texts.P("bill.why.cannot_finish", "days", e.days)
}

// waitH returns parts of a start in hours.
func (e *eval) waitH(ids ...string) money.Rat {
	sum := zero
	for _, w := range e.waits {
		for _, id := range ids {
			if w.ID == id && !w.Unknown {
				sum = sum.Add(w.Seconds.Point.Max(zero).Ceil())
			}
		}
	}
	return sum.Quo(hour)
}

// lives bills the starts that a limited life of an instance adds, or finds that
// the work never ends.
func (e *eval) lives(life money.Rat) {
	work := money.Frac(e.session, 3600)
	if work.Cmp(life) <= 0 {
		return
	}
	all, whole := e.pictures.Ceil().Int64()
	n := ceilDiv(e.segments(all), e.sessions*e.machines)
	if !whole || n < 1 {
		e.status, e.why = CannotFinish, texts.P("bill.why.max_life", "h", hoursText(life))
		return
	}
	again := e.waitH("boot", "pull", "load", "first")
	segment := work.Quo(money.Int(n))
	out, err := bill.LifetimeCap(bill.LifetimeCapIn{
		WorkH: work, MaxLifeH: life, SegmentH: segment, CheckpointAfterLast: true, RecoveryH: again,
		StopAfterLastFittingCheckpoint: true,
	})
	e.fail(err)
	if err != nil {
		return
	}
	if out.StatusWithCheckpoint != bill.StatusOK || out.BilledH == nil {
		e.status, e.why = CannotFinish, texts.P("bill.why.max_life", "h", hoursText(life))
		return
	}
	more := out.BilledH.Sub(work).Mul(money.Int(e.sessions * e.machines))
	e.add(part{id: LineMaxLife, amount: more.Mul(e.hourly), formula: "lives", group: 14, rule: offer.MaxLife, inputs: e.inputs(func() []Input {
		return []Input{
			e.hoursInput("session", work, e.use.SessionH), e.term("life", offer.MaxLife), reckoned("again", again, "h"),
			reckoned("lost", more, "h"), e.priceInput(),
		}
	})})
}
