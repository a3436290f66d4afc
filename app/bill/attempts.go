package bill

import (
	"math"

	"rentgen/app/money"
)

// AttemptsIn describes a job that is tried several times without checkpoint.
type AttemptsIn struct {
	WorkH    money.Rat `json:"work_h"`
	RatePerH money.Rat `json:"rate_per_h"`
	Attempts int64     `json:"attempts"`
}

// AttemptsOut is the chances. ExpectedAttempts is nil beyond any number.
type AttemptsOut struct {
	PSingle          float64  `json:"p_single"`
	ExpectedAttempts *float64 `json:"expected_attempts"`
	PWithin          float64  `json:"p_within"` // chance of success within Attempts
}

// Attempts gives the chance e^-x of one attempt, x = rate * work, and
// 1-(1-e^-x)^n of n (formula 14).
func Attempts(in AttemptsIn) (AttemptsOut, error) {
	var c checker
	c.duration("work_h", in.WorkH)
	c.quantity("rate_per_h", in.RatePerH)
	c.count("attempts", in.Attempts)
	if c.err != nil {
		return AttemptsOut{}, c.err
	}
	x := in.WorkH.Mul(in.RatePerH).Float64()
	out := AttemptsOut{PSingle: math.Exp(-x), ExpectedAttempts: shown(math.Exp(x))}
	if in.Attempts == 0 {
		return out, nil
	}
	// log(1-p) by the way that keeps its digits.
	fail := math.Log1p(-out.PSingle)
	if x < math.Ln2 {
		fail = math.Log(-math.Expm1(-x))
	}
	out.PWithin = -math.Expm1(float64(in.Attempts) * fail)
	return out, nil
}

// RateFromHistoryIn is what the user saw.
type RateFromHistoryIn struct {
	Interruptions int64     `json:"interruptions"`
	RunningH      money.Rat `json:"running_h"`
}

// RateFromHistoryOut is the rate, nil without running hours.
type RateFromHistoryOut struct {
	RatePerH        *money.Rat `json:"rate_per_h"`
	RateUpper95PerH *money.Rat `json:"rate_upper_95_per_h"` // only where nothing was seen
}

// RateFromHistory infers the rate (k+1/2)/T from k interruptions in T hours,
// and by the rule of three 3/T as the upper 95 % bound when k is 0 (formula 15).
func RateFromHistory(in RateFromHistoryIn) (RateFromHistoryOut, error) {
	var c checker
	c.count("interruptions", in.Interruptions)
	c.duration("running_h", in.RunningH)
	if c.err != nil {
		return RateFromHistoryOut{}, c.err
	}
	out := RateFromHistoryOut{RatePerH: ratio(money.Int(in.Interruptions).Add(money.Frac(1, 2)), in.RunningH)}
	if in.Interruptions == 0 {
		out.RateUpper95PerH = ratio(money.Int(3), in.RunningH)
	}
	return out, nil
}

// SpotBreakevenIn compares a spot price with an on-demand price.
type SpotBreakevenIn struct {
	WorkH                money.Rat `json:"work_h"`
	SpotPricePerHour     money.Rat `json:"spot_price_per_hour"`
	OnDemandPricePerHour money.Rat `json:"on_demand_price_per_hour"`
}

// SpotBreakevenOut is the largest rate of interruptions at which spot pays.
// XStar and MaxRatePerH are nil where there is no largest: never, or spot is
// free.
type SpotBreakevenOut struct {
	Status      Status   `json:"status"`         // StatusOK, or StatusNever if spot is dearer
	XStar       *float64 `json:"x_star"`         // rate * work at equal cost, without checkpoint
	MaxRatePerH *float64 `json:"max_rate_per_h"` // nil too for no work
	MinMTBIH    *float64 `json:"min_mtbi_h"`     // mean time between; nil if the rate is 0 or never
}

// SpotBreakeven solves (e^x-1)/x = on-demand / spot (formula 15).
func SpotBreakeven(in SpotBreakevenIn) (SpotBreakevenOut, error) {
	var c checker
	c.duration("work_h", in.WorkH)
	c.price("spot_price_per_hour", in.SpotPricePerHour)
	c.price("on_demand_price_per_hour", in.OnDemandPricePerHour)
	if c.err != nil {
		return SpotBreakevenOut{}, c.err
	}
	saved := in.OnDemandPricePerHour.Sub(in.SpotPricePerHour)
	switch {
	case saved.Sign() < 0:
		return SpotBreakevenOut{Status: StatusNever}, nil
	case saved.IsZero():
		return spotAt(0, in.WorkH), nil
	}
	if d := ratio(saved, in.SpotPricePerHour); d != nil && finite(d.Float64()) {
		return spotAt(solvePhi(d.Float64()), in.WorkH), nil
	}
	return SpotBreakevenOut{Status: StatusOK}, nil // spot is free
}

func spotAt(x float64, workH money.Rat) SpotBreakevenOut {
	work := workH.Float64()
	return SpotBreakevenOut{Status: StatusOK, XStar: &x, MaxRatePerH: shown(x / work), MinMTBIH: shown(work / x)}
}

// solvePhi returns the x above 0 with (e^x-1)/x = 1+d, d above 0, by Newton on
// the logarithm of both sides, which is convex with a slope between 1/2 and 1.
func solvePhi(d float64) float64 {
	right := math.Log1p(d)
	x := 2 * right
	for range 60 {
		var left, slope float64
		if x < 1 {
			// (e^x-1)/x - 1 as a series: the difference has no digits near 0.
			q, term := 0.0, 1.0
			for k := 2.0; k < 24; k++ {
				term *= x / k
				q += term
			}
			left = math.Log1p(q)
		} else {
			left = x + math.Log1p(-math.Exp(-x)) - math.Log(x)
		}
		if x < 0.01 {
			slope = 0.5 + x/12
		} else {
			slope = -1/math.Expm1(-x) - 1/x
		}
		next := x - (left-right)/slope
		if next <= 0 {
			next = x / 2
		}
		if math.Abs(next-x) <= 1e-15*next {
			return next
		}
		x = next
	}
	return x
}
