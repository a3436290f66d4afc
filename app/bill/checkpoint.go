package bill

import (
	"math"

	"rentgen/app/money"
)

// OptimalCheckpointIn describes a job that may be saved at any time.
type OptimalCheckpointIn struct {
	WorkH       money.Rat `json:"work_h"`
	CheckpointH money.Rat `json:"checkpoint_h"`
	RatePerH    money.Rat `json:"rate_per_h"`
}

// OptimalCheckpointOut is the work between two checkpoints by three formulas,
// nil at a rate of 0, and the best whole number of segments.
type OptimalCheckpointOut struct {
	YoungH *float64 `json:"young_h"`
	DalyH  *float64 `json:"daly_h"`
	ExactH *float64 `json:"exact_h"`
	// BestSegments is the N of least N*(e^(rate*(work/N+checkpoint))-1), a
	// checkpoint after each; nil where more are always better, because saving
	// takes no time.
	BestSegments *int64 `json:"best_segments"`
}

// OptimalCheckpoint gives the interval of Young 1974 and Daly 2006, the exact
// one (1+W0(-e^(-1-C/M)))*M with M = 1/rate, and the best number of segments
// (formula 13).
func OptimalCheckpoint(in OptimalCheckpointIn) (OptimalCheckpointOut, error) {
	var ch checker
	ch.duration("work_h", in.WorkH)
	ch.duration("checkpoint_h", in.CheckpointH)
	ch.quantity("rate_per_h", in.RatePerH)
	if ch.err != nil {
		return OptimalCheckpointOut{}, ch.err
	}
	var out OptimalCheckpointOut
	if m := 1 / in.RatePerH.Float64(); finite(m) {
		c := in.CheckpointH.Mul(in.RatePerH) // in units of M
		young := math.Sqrt(in.CheckpointH.Mul(money.Int(2)).Quo(in.RatePerH).Float64())
		daly := m
		if c.Less(money.Int(2)) {
			x := math.Sqrt(c.Float64() / 2)
			daly = young*(1+x/3+x*x/9) - in.CheckpointH.Float64()
		}
		exact := workBetween(c.Float64()) * m
		out.YoungH, out.DalyH, out.ExactH = shown(young), shown(daly), shown(exact)
	}
	if n := bestSegments(in.WorkH, in.CheckpointH, in.RatePerH); n > 0 {
		out.BestSegments = &n
	}
	return out, nil
}

// workBetween returns u = 1+W0(-e^(-1-c)), the best work between checkpoints
// that take c, both in units of the mean time between interruptions.
//
// W0 has no digits left next to its branch point, so Newton solves the equation
// that u satisfies, -ln(1-u)-u = c, with a series where the logarithm cancels;
// and for larger c that of v = 1-u, v = e^(v-1-c).
func workBetween(c float64) float64 {
	if c <= 0 {
		return 0
	}
	if c > 1 {
		v := math.Exp(-1 - c)
		for range 50 {
			e := math.Exp(v - 1 - c)
			next := v - (v-e)/(1-e)
			if math.Abs(next-v) <= 1e-16*next {
				break
			}
			v = next
		}
		return 1 - v
	}
	u := math.Sqrt(2 * c) // at or above the root: -ln(1-u)-u >= u²/2
	if u >= 0.9 {
		u = 0.9
	}
	for range 50 {
		next := u - (logLess(u)-c)*(1-u)/u
		if math.Abs(next-u) <= 1e-16*next {
			break
		}
		u = next
	}
	return u
}

// logLess returns -ln(1-u)-u for u in (0, 1).
func logLess(u float64) float64 {
	if u > 0.3 {
		return -math.Log1p(-u) - u
	}
	sum, term := 0.0, u
	for k := 2.0; k < 40; k++ {
		term *= u
		sum += term / k
	}
	return sum
}

// mostSegmentsBest bounds the number of segments that is searched for.
const mostSegmentsBest = 1_000_000_000_000

// bestSegments returns the whole N of least N*(e^(rate*(work/N+checkpoint))-1),
// 0 for none. The function is convex in N, so N is the least at which one more
// segment is no better. Of equal ones the fewer.
func bestSegments(work, checkpoint, rate money.Rat) int64 {
	if work.IsZero() || rate.IsZero() {
		return 1
	}
	if checkpoint.IsZero() {
		return 0
	}
	x, c := work.Mul(rate).Float64(), checkpoint.Mul(rate).Float64()
	u := workBetween(c)
	if x == 0 || c == 0 || u == 0 || x/u > mostSegmentsBest {
		return 0
	}
	// The optimum of a real number of segments is x/u; the whole one is beside it.
	n := max(int64(x/u)-2, 1)
	for n < mostSegmentsBest && fewer(x, c, n) {
		n++
	}
	return n
}

// fewer reports whether n+1 segments take less than n. Compared is the
// difference, which keeps its digits: with f(N) = N*(e^(x/N+c)-1) and
// e = x/(n(n+1)), f(n+1)-f(n) = e^(x/(n+1)+c)*(1-n*(e^e-1)) - 1.
func fewer(x, c float64, n int64) bool {
	k := float64(n)
	e := x / (k * (k + 1))
	less := k * math.Expm1(e)
	return less >= 1 || x/(k+1)+c+math.Log1p(-less) < 0
}

// LifetimeCapIn describes a job on instances that end at a known age and are
// not interrupted otherwise.
type LifetimeCapIn struct {
	WorkH               money.Rat `json:"work_h"` // a whole number of segments
	MaxLifeH            money.Rat `json:"max_life_h"`
	SegmentH            money.Rat `json:"segment_h"`
	CheckpointH         money.Rat `json:"checkpoint_h"`
	CheckpointAfterLast bool      `json:"checkpoint_after_last"`
	RecoveryH           money.Rat `json:"recovery_h"` // at the start of every life after the first
	// StopAfterLastFittingCheckpoint: the user ends the life there; else it bills
	// up to MaxLifeH.
	StopAfterLastFittingCheckpoint bool `json:"stop_after_last_fitting_checkpoint"`
}

// LifetimeCapOut is how many lives the job takes; nil when it is impossible.
type LifetimeCapOut struct {
	StatusWithoutCheckpoint Status      `json:"status_without_checkpoint"`
	StatusWithCheckpoint    Status      `json:"status_with_checkpoint"`
	Lives                   *int64      `json:"lives"`
	SegmentsPerLife         []int64     `json:"segments_per_life"`
	BilledHPerLife          []money.Rat `json:"billed_h_per_life"`
	BilledH                 *money.Rat  `json:"billed_h"`
}

// mostLives bounds the list of lives.
const mostLives = 10_000

// LifetimeCap fits whole segments into lives (formula 14).
func LifetimeCap(in LifetimeCapIn) (LifetimeCapOut, error) {
	var c checker
	c.duration("work_h", in.WorkH)
	c.duration("max_life_h", in.MaxLifeH)
	c.positive(duration, "segment_h", in.SegmentH)
	c.duration("checkpoint_h", in.CheckpointH)
	c.duration("recovery_h", in.RecoveryH)
	if c.err != nil {
		return LifetimeCapOut{}, c.err
	}
	segments := in.WorkH.Quo(in.SegmentH)
	left := c.whole("work_h", segments)
	if c.err != nil {
		return LifetimeCapOut{}, c.err
	}
	out := LifetimeCapOut{StatusWithoutCheckpoint: StatusOK, StatusWithCheckpoint: StatusOK}
	if in.MaxLifeH.Less(in.WorkH) {
		out.StatusWithoutCheckpoint = StatusImpossible
	}
	impossible := LifetimeCapOut{StatusWithoutCheckpoint: out.StatusWithoutCheckpoint, StatusWithCheckpoint: StatusImpossible}
	out.SegmentsPerLife, out.BilledHPerLife = []int64{}, []money.Rat{}
	each := in.SegmentH.Add(in.CheckpointH)
	start := zero
	for left > 0 {
		rest := money.Int(left).Mul(each)
		if !in.CheckpointAfterLast {
			rest = rest.Sub(in.CheckpointH)
		}
		n, billed := left, start.Add(rest)
		if in.MaxLifeH.Less(billed) { // not the last life
			fit := in.MaxLifeH.Sub(start).Quo(each).Floor()
			if fit.Sign() <= 0 {
				return impossible, nil
			}
			n = c.whole("max_life_h", fit)
			billed = in.MaxLifeH
			if in.StopAfterLastFittingCheckpoint {
				billed = start.Add(fit.Mul(each))
			}
		}
		if len(out.SegmentsPerLife) == mostLives {
			c.fail("work_h", in.WorkH.String(), money.OutOfRange)
			return LifetimeCapOut{}, c.err
		}
		out.SegmentsPerLife = append(out.SegmentsPerLife, n)
		out.BilledHPerLife = append(out.BilledHPerLife, billed)
		left, start = left-n, in.RecoveryH
	}
	lives, billed := int64(len(out.SegmentsPerLife)), money.Sum(out.BilledHPerLife...)
	out.Lives, out.BilledH = &lives, &billed
	return out, nil
}

// ReclaimRerunIn describes an instance that is taken at known times.
type ReclaimRerunIn struct {
	Currency     money.Currency `json:"currency"`
	PricePerHour money.Rat      `json:"price_per_hour"`
	WorkH        money.Rat      `json:"work_h"`
	StartupH     money.Rat      `json:"startup_h"`    // at every start
	SaveEveryH   *money.Rat     `json:"save_every_h"` // of work, saving takes no time; nil: nothing is saved
	// ReclaimedAfterH are the hours from each start to its reclaim; then comes a
	// last undisturbed run.
	ReclaimedAfterH []money.Rat `json:"reclaimed_after_h"`
}

// ReclaimRerunOut is what is done twice.
type ReclaimRerunOut struct {
	LostH             money.Rat `json:"lost_h"`
	BilledH           money.Rat `json:"billed_h"`
	Amount            money.Rat `json:"amount"`
	UndisturbedAmount money.Rat `json:"undisturbed_amount"`
	ExtraAmount       money.Rat `json:"extra_amount"`
}

// ReclaimRerun bills a job whose instance is reclaimed: work since the last save
// is paid twice, and the start-up again (formula 12). A run that ends before its
// reclaim ends the job.
func ReclaimRerun(in ReclaimRerunIn) (ReclaimRerunOut, error) {
	var c checker
	c.price("price_per_hour", in.PricePerHour)
	c.duration("work_h", in.WorkH)
	c.duration("startup_h", in.StartupH)
	c.optional(duration, "save_every_h", in.SaveEveryH)
	for i, h := range in.ReclaimedAfterH {
		c.duration(at("reclaimed_after_h", i), h)
	}
	if c.err != nil {
		return ReclaimRerunOut{}, c.err
	}
	var out ReclaimRerunOut
	saved := zero
	for _, h := range in.ReclaimedAfterH {
		if !h.Less(in.StartupH.Add(in.WorkH).Sub(saved)) {
			break // done before it is taken
		}
		done := saved.Add(above(h, in.StartupH))
		switch {
		case in.SaveEveryH == nil:
			saved = zero
		case in.SaveEveryH.IsZero():
			saved = done
		default:
			saved = done.Quo(*in.SaveEveryH).Floor().Mul(*in.SaveEveryH)
		}
		out.LostH, out.BilledH = out.LostH.Add(done.Sub(saved)), out.BilledH.Add(h)
	}
	out.BilledH = out.BilledH.Add(in.StartupH).Add(in.WorkH).Sub(saved)
	out.Amount = out.BilledH.Mul(in.PricePerHour)
	out.UndisturbedAmount = in.StartupH.Add(in.WorkH).Mul(in.PricePerHour)
	out.ExtraAmount = out.Amount.Sub(out.UndisturbedAmount)
	return out, nil
}
