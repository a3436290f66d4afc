package bill

import (
	"math"

	"rentgen/app/money"
)

// phi returns (e^x-1)/x, 1 at 0: how many times a piece of work is done, in the
// mean, when interruptions throw it back to its start.
func phi(x float64) float64 {
	if x == 0 {
		return 1
	}
	return math.Expm1(x) / x
}

// finite reports whether a number can be shown.
func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// shown returns a number that can be shown, else nil.
func shown(x float64) *float64 {
	if !finite(x) {
		return nil
	}
	return &x
}

// InterruptNoCheckpointIn describes a job that starts anew after each
// interruption. Interruptions are a Poisson process of RatePerH per running
// hour; downtime can't be interrupted, start-up can.
type InterruptNoCheckpointIn struct {
	Currency             money.Currency `json:"currency"`
	WorkH                money.Rat      `json:"work_h"`
	StartupH             money.Rat      `json:"startup_h"` // paid at every attempt
	RatePerH             money.Rat      `json:"rate_per_h"`
	DowntimeH            money.Rat      `json:"downtime_h"`
	DowntimeBilled       bool           `json:"downtime_billed"`
	SpotPricePerHour     money.Rat      `json:"spot_price_per_hour"`
	OnDemandPricePerHour money.Rat      `json:"on_demand_price_per_hour"`
	HorizonH             *money.Rat     `json:"horizon_h"`  // longest wall time that counts as finishing
	MaxLifeH             *money.Rat     `json:"max_life_h"` // age at which an instance ends
}

// InterruptNoCheckpointOut is what to expect. Unless Status is ok the
// expectations and the spot amount are nil.
type InterruptNoCheckpointOut struct {
	Status                Status    `json:"status"`
	PSingle               float64   `json:"p_single"` // chance of one attempt; 0 if impossible
	ExpectedAttempts      *float64  `json:"expected_attempts"`
	ExpectedInterruptions *float64  `json:"expected_interruptions"`
	ExpectedBilledH       *float64  `json:"expected_billed_h"` // with downtime only if it is billed
	ExpectedWallH         *float64  `json:"expected_wall_h"`
	SpotAmount            *float64  `json:"spot_amount"`
	OnDemandAmount        money.Rat `json:"on_demand_amount"`
	Cheapest              []string  `json:"cheapest"` // OnDemand, Spot
}

// InterruptNoCheckpoint expects e^x-1 interruptions and (e^x-1)/rate running
// hours, x = rate * (work + start-up), by their limits at a rate of 0
// (formulas 11 and 14).
func InterruptNoCheckpoint(in InterruptNoCheckpointIn) (InterruptNoCheckpointOut, error) {
	var c checker
	c.duration("work_h", in.WorkH)
	c.duration("startup_h", in.StartupH)
	c.quantity("rate_per_h", in.RatePerH)
	c.duration("downtime_h", in.DowntimeH)
	c.price("spot_price_per_hour", in.SpotPricePerHour)
	c.price("on_demand_price_per_hour", in.OnDemandPricePerHour)
	c.optional(duration, "horizon_h", in.HorizonH)
	c.optional(duration, "max_life_h", in.MaxLifeH)
	if c.err != nil {
		return InterruptNoCheckpointOut{}, c.err
	}
	attempt := in.WorkH.Add(in.StartupH)
	onDemand := attempt.Mul(in.OnDemandPricePerHour)
	out := InterruptNoCheckpointOut{OnDemandAmount: onDemand, Cheapest: []string{OnDemand}}
	if in.MaxLifeH != nil && in.MaxLifeH.Less(attempt) {
		out.Status = StatusImpossible
		return out, nil
	}
	x := attempt.Mul(in.RatePerH).Float64()
	out.PSingle = math.Exp(-x)
	e := expect(math.Expm1(x), attempt, phi(x), in.DowntimeH, in.DowntimeBilled, in.SpotPricePerHour)
	out.Status = e.within(in.HorizonH)
	if out.Status != StatusOK {
		return out, nil
	}
	attempts := math.Exp(x)
	out.ExpectedAttempts, out.ExpectedInterruptions = &attempts, &e.interruptions
	out.ExpectedBilledH, out.ExpectedWallH, out.SpotAmount = e.floats()
	out.Cheapest = cheapest(side{OnDemand, onDemand}, side{Spot, e.amount})
	return out, nil
}

// expectation is what to expect of an interrupted job. The hours are rationals
// so that a job without interruptions is exact and ties are ties.
type expectation struct {
	interruptions        float64
	billed, wall, amount money.Rat
	ok                   bool // all are numbers
}

// expect adds downtime and price to running hours of work * factor.
func expect(interruptions float64, work money.Rat, factor float64, downtime money.Rat, billed bool, price money.Rat) expectation {
	e := expectation{interruptions: interruptions}
	if !finite(interruptions) || !finite(factor) {
		return e
	}
	running := work
	if factor != 1 {
		running = work.Mul(money.Float(factor))
	}
	e.wall = running.Add(downtime.Mul(money.Float(interruptions)))
	e.billed = running
	if billed {
		e.billed = e.wall
	}
	e.amount = e.billed.Mul(price)
	e.ok = finite(e.billed.Float64()) && finite(e.wall.Float64()) && finite(e.amount.Float64())
	return e
}

// within returns whether the job ends within the horizon, nil for no limit. A
// time beyond any number is beyond every horizon.
func (e expectation) within(horizon *money.Rat) Status {
	if !e.ok || horizon != nil && horizon.Less(e.wall) {
		return StatusInfeasible
	}
	return StatusOK
}

func (e expectation) floats() (billed, wall, amount *float64) {
	b, w, a := e.billed.Float64(), e.wall.Float64(), e.amount.Float64()
	return &b, &w, &a
}

// InterruptCheckpointIn describes a job that is saved after each segment.
type InterruptCheckpointIn struct {
	Currency            money.Currency `json:"currency"`
	WorkH               money.Rat      `json:"work_h"`
	RatePerH            money.Rat      `json:"rate_per_h"`
	Segments            int64          `json:"segments"`              // at least 1
	CheckpointH         money.Rat      `json:"checkpoint_h"`          // after each segment
	CheckpointAfterLast bool           `json:"checkpoint_after_last"` // false: the last segment has none
	RecoveryH           money.Rat      `json:"recovery_h"`            // before each retry
	DowntimeH           money.Rat      `json:"downtime_h"`
	DowntimeBilled      bool           `json:"downtime_billed"`
	SpotPricePerHour    money.Rat      `json:"spot_price_per_hour"`
	HorizonH            *money.Rat     `json:"horizon_h"`
}

// InterruptCheckpointOut is what to expect; nil unless Status is ok.
type InterruptCheckpointOut struct {
	Status                Status   `json:"status"`
	ExpectedInterruptions *float64 `json:"expected_interruptions"`
	ExpectedBilledH       *float64 `json:"expected_billed_h"`
	ExpectedWallH         *float64 `json:"expected_wall_h"`
	Amount                *float64 `json:"amount"`
}

// InterruptCheckpoint expects, for each segment of w hours with its checkpoint,
// e^(rate*recovery) * (e^(rate*w)-1) interruptions and that divided by the rate
// of running hours, by their limits at a rate of 0 (formula 12).
func InterruptCheckpoint(in InterruptCheckpointIn) (InterruptCheckpointOut, error) {
	var c checker
	c.duration("work_h", in.WorkH)
	c.quantity("rate_per_h", in.RatePerH)
	c.between("segments", in.Segments, 1, mostCount)
	c.duration("checkpoint_h", in.CheckpointH)
	c.duration("recovery_h", in.RecoveryH)
	c.duration("downtime_h", in.DowntimeH)
	c.price("spot_price_per_hour", in.SpotPricePerHour)
	c.optional(duration, "horizon_h", in.HorizonH)
	if c.err != nil {
		return InterruptCheckpointOut{}, c.err
	}
	last := in.CheckpointH
	if !in.CheckpointAfterLast {
		last = zero
	}
	e := segments(in.WorkH, in.Segments, in.CheckpointH, last, in.RatePerH, in.RecoveryH, in.DowntimeH, in.DowntimeBilled, in.SpotPricePerHour)
	out := InterruptCheckpointOut{Status: e.within(in.HorizonH)}
	if out.Status == StatusOK {
		out.ExpectedInterruptions = &e.interruptions
		out.ExpectedBilledH, out.ExpectedWallH, out.Amount = e.floats()
	}
	return out, nil
}

// segments expects n segments with a checkpoint after each, the last with its own.
func segments(work money.Rat, n int64, checkpoint, last, rate, recovery, downtime money.Rat, billed bool, price money.Rat) expectation {
	each := work.Quo(money.Int(n))
	w, wLast := each.Add(checkpoint), each.Add(last)
	undisturbed := w.Mul(money.Int(n - 1)).Add(wLast)
	if undisturbed.IsZero() || rate.IsZero() {
		return expect(0, undisturbed, 1, downtime, billed, price)
	}
	x, xLast := w.Mul(rate).Float64(), wLast.Mul(rate).Float64()
	before := math.Exp(rate.Mul(recovery).Float64())
	interruptions := before * (float64(n-1)*math.Expm1(x) + math.Expm1(xLast))
	// The factor on the undisturbed hours is the mean of phi, weighted by hours:
	// unlike interruptions / rate it keeps its digits at the smallest rates.
	share := wLast.Quo(undisturbed).Float64()
	factor := before * ((1-share)*phi(x) + share*phi(xLast))
	if n == 1 {
		interruptions, factor = before*math.Expm1(xLast), before*phi(xLast)
	}
	return expect(interruptions, undisturbed, factor, downtime, billed, price)
}

// ImagesNaturalCheckpointIn describes images each of which is kept when done.
type ImagesNaturalCheckpointIn struct {
	Currency         money.Currency `json:"currency"`
	Images           int64          `json:"images"`
	SPerImage        money.Rat      `json:"s_per_image"`
	RatePerH         money.Rat      `json:"rate_per_h"`
	RecoveryH        money.Rat      `json:"recovery_h"`
	DowntimeH        money.Rat      `json:"downtime_h"`
	DowntimeBilled   bool           `json:"downtime_billed"`
	SpotPricePerHour money.Rat      `json:"spot_price_per_hour"`
}

// ImagesNaturalCheckpointOut is what to expect; the expectations are nil when
// the images would take longer than any number.
type ImagesNaturalCheckpointOut struct {
	IdealH                money.Rat `json:"ideal_h"` // no interruption
	ExpectedInterruptions *float64  `json:"expected_interruptions"`
	ExpectedBilledH       *float64  `json:"expected_billed_h"`
	ExpectedWallH         *float64  `json:"expected_wall_h"`
	Amount                *float64  `json:"amount"`
	Per1000               *float64  `json:"per_1000"` // nil at 0 images
}

// ImagesNaturalCheckpoint is InterruptCheckpoint with one segment an image and
// nothing to save (formula 12).
func ImagesNaturalCheckpoint(in ImagesNaturalCheckpointIn) (ImagesNaturalCheckpointOut, error) {
	var c checker
	c.count("images", in.Images)
	c.number(throughput, "s_per_image", in.SPerImage)
	c.quantity("rate_per_h", in.RatePerH)
	c.duration("recovery_h", in.RecoveryH)
	c.duration("downtime_h", in.DowntimeH)
	c.price("spot_price_per_hour", in.SpotPricePerHour)
	if c.err != nil {
		return ImagesNaturalCheckpointOut{}, c.err
	}
	n := money.Int(in.Images)
	ideal := n.Mul(in.SPerImage).Quo(hour)
	e := segments(ideal, max(in.Images, 1), zero, zero, in.RatePerH, in.RecoveryH, in.DowntimeH, in.DowntimeBilled, in.SpotPricePerHour)
	out := ImagesNaturalCheckpointOut{IdealH: ideal}
	if !e.ok {
		return out, nil
	}
	out.ExpectedInterruptions = &e.interruptions
	out.ExpectedBilledH, out.ExpectedWallH, out.Amount = e.floats()
	if in.Images > 0 {
		p := e.amount.Mul(money.Int(1000)).Quo(n).Float64()
		out.Per1000 = &p
	}
	return out, nil
}
