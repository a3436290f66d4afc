package slow

import "math"

// Cadence finds the rhythm of a job in readings of one a second, oldest first,
// NaN where there is none: painting one picture after another lifts and drops
// power and utilisation once a picture. It returns the period in seconds and how
// much of the swing repeats, 0 to 1.
//
// The period is the lag of the first high peak of the autocorrelation, refined
// by a parabola through its neighbours. One that is shorter than four seconds
// can't be told from a multiple of it, and one that isn't seen three times is
// chance: both give ok false, as does a curve that is flat.
func Cadence(readings []float64) (period, strength float64, ok bool) {
	const shortest, times, clear = 4, 3, 0.45
	x, dev := centred(readings)
	longest := len(x) / times
	if longest < shortest || dev < 1 {
		return 0, 0, false
	}
	r := make([]float64, longest+2)
	for lag := range r {
		r[lag] = correlation(x, lag)
	}
	best := 0.0
	for lag := shortest; lag <= longest; lag++ {
		if peak(r, lag) {
			best = max(best, r[lag])
		}
	}
	if best < clear || max(r[2], r[3]) > 0.4*best && (peak(r, 2) || peak(r, 3)) {
		return 0, 0, false // nothing, or something faster than can be seen
	}
	for lag := shortest; lag <= longest; lag++ {
		if !peak(r, lag) || r[lag] < 0.85*best {
			continue // multiples of the period are peaks as high: the first one counts
		}
		a, b, c := r[lag-1], r[lag], r[lag+1]
		period = float64(lag)
		if bend := a - 2*b + c; bend < 0 {
			period += min(max((a-c)/(2*bend), -0.5), 0.5)
		}
		// A period between two whole seconds is low at both and high at its double.
		for k := 4.0; k > 1; k-- {
			part := period / k
			if at := int(part); part >= shortest && max(r[at], r[at+1]) >= 0.5*best && r[at-1] < r[at] && r[at+2] < r[at+1] {
				return part, min(b, 1), true
			}
		}
		return period, min(b, 1), true
	}
	return 0, 0, false
}

func peak(r []float64, lag int) bool { return r[lag] >= r[lag-1] && r[lag] > r[lag+1] }

// centred takes the mean away and returns the standard deviation beside.
func centred(readings []float64) ([]float64, float64) {
	sum, n := 0.0, 0
	for _, v := range readings {
		if !math.IsNaN(v) {
			sum, n = sum+v, n+1
		}
	}
	if n == 0 || n < len(readings)/2 {
		return nil, 0
	}
	x := make([]float64, len(readings))
	mean, square := sum/float64(n), 0.0
	for i, v := range readings {
		x[i] = v - mean
		if !math.IsNaN(v) {
			square += x[i] * x[i]
		}
	}
	return x, math.Sqrt(square / float64(n))
}

// correlation is that of the curve with itself, lag later, over the pairs that
// were both read; 0 where they are few.
func correlation(x []float64, lag int) float64 {
	var ab, aa, bb float64
	n := 0
	for i := lag; i < len(x); i++ {
		a, b := x[i-lag], x[i]
		if math.IsNaN(a) || math.IsNaN(b) {
			continue
		}
		ab, aa, bb, n = ab+a*b, aa+a*a, bb+b*b, n+1
	}
	if n < 6 || aa == 0 || bb == 0 {
		return 0
	}
	return ab / math.Sqrt(aa*bb)
}
