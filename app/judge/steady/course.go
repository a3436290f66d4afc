package steady

import (
	"math"

	"rentgen/app/judge/series"
)

// course is how utilisation or power goes within minutes: single readings, and
// means of ten seconds, of the time in which the card works without a pause.
// The readings beside a pause are left out, since half of one is the pause.
type course struct {
	within series.Dist // readings
	levels series.Dist // means of ten seconds
	mean   sum
	curve  []float64 // the last readings, oldest first, one a second
	works  []bool    // beside it, whether they count
}

const (
	maxCurve  = 600 // ten minutes hold many pictures of the slowest job that repeats
	levelSpan = 10  // s; a picture or a pause of a few seconds must not be a level
)

// push takes the next second of the curve; works says that the card is at work
// before, in and after it.
func (a *course) push(x float64, works bool) {
	if len(a.curve) >= 2*maxCurve { // in one move, not with every second
		a.curve = append(a.curve[:0], a.curve[maxCurve:]...)
		a.works = append(a.works[:0], a.works[maxCurve:]...)
	}
	a.curve, a.works = append(a.curve, x), append(a.works, works)
}

// add takes a reading that stands for step seconds into the distributions.
func (a *course) add(x float64, works bool, step int) {
	if !works {
		a.mean = sum{}
		return
	}
	a.within.Add(x)
	a.mean.add(x)
	// Of readings further apart too few would make a level.
	if n := levelSpan / step; n >= levelSpan/2 && a.mean.n >= n {
		a.mean.end(&a.levels, n)
	}
}

// tail returns the last readings of the curve; those that don't count are NaN
// unless all are wanted.
func (a *course) tail(all bool) []float64 {
	from := max(0, len(a.curve)-maxCurve)
	x := make([]float64, len(a.curve)-from)
	for i := range x {
		x[i] = math.NaN()
		if all || a.works[from+i] {
			x[i] = a.curve[from+i]
		}
	}
	return x
}

// swings reports whether readings differ much from one to the next while the
// card works. Some low ones are the ends of pictures; here many are low.
func (a *course) swings() bool { return a.differs() && a.low() >= lim.swingLow }

// dips reports whether only some readings are low.
func (a *course) dips() bool { return a.differs() && a.low() < lim.swingLow && a.low() >= few }

func (a *course) differs() bool { return a.within.N() >= leastReadings && cv(&a.within) >= lim.swing }

// low is the share of the readings at work that are well below the highest ones.
func (a *course) low() float64 { return 1 - a.within.Above(nearTop*a.within.Quantile(0.95)) }

// uneven reports whether the card works at levels that differ much, for longer
// than a picture's own parts last.
func (a *course) uneven() bool { return a.levels.N() >= leastLevels && cv(&a.levels) >= lim.levels }

const (
	leastReadings = 30
	leastLevels   = 6
	nearTop       = 0.85
	few           = 0.05
)

// cv is the coefficient of variation, %.
func cv(d *series.Dist) float64 { return 100 * d.Stat().CV() }

// repeats returns the lag, s, after which the readings at work come again, and
// 0 where none does: chance has no such lag, pictures have. Other than
// slow.Cadence it also takes what comes again faster than can be seen, at a
// multiple of its period.
//
// The lag is the first high peak of the autocorrelation behind a valley.
func repeats(x []float64) int {
	const clear, rise = 0.45, 0.3
	longest := min(len(x)/3, 120)
	if longest < 2 {
		return 0
	}
	r := make([]float64, longest+2)
	for lag := range r {
		r[lag] = correlation(x, lag)
	}
	best, low := 0.0, 1.0
	var peaks []int
	for lag := 1; lag <= longest; lag++ {
		if lag > 1 && r[lag] >= clear && r[lag] >= low+rise && r[lag] >= r[lag-1] && r[lag] > r[lag+1] {
			peaks, best = append(peaks, lag), max(best, r[lag])
		}
		low = min(low, r[lag])
	}
	for _, lag := range peaks {
		if r[lag] >= 0.85*best {
			return lag
		}
	}
	return 0
}

// correlation is that of the readings with themselves, lag later, over the pairs
// that both count; 0 where they are few.
func correlation(x []float64, lag int) float64 {
	const least = 30
	var n, a, b, ab, aa, bb float64
	for i := lag; i < len(x); i++ {
		p, q := x[i-lag], x[i]
		if !math.IsNaN(p) && !math.IsNaN(q) {
			n, a, b, ab, aa, bb = n+1, a+p, b+q, ab+p*q, aa+p*p, bb+q*q
		}
	}
	va, vb := n*aa-a*a, n*bb-b*b
	if n < least || va <= 0 || vb <= 0 {
		return 0
	}
	return (n*ab - a*b) / math.Sqrt(va*vb)
}
