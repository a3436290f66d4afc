package series

import (
	"math"
	"slices"

	"rentgen/app/judge"
)

// Dist is the distribution of a metric: exact mean and deviation, and
// percentiles out of bins that are 0.8 % of the value wide. The zero Dist is
// empty.
type Dist struct {
	n        int
	mean, m2 float64 // Welford's running mean and sum of squared distances
	lo, hi   float64
	first    int // the bin that counts[0] stands for
	counts   []uint32
}

// Bins: below 2^-4 everything is one bin, then 128 to an octave up to 2^27.
// Whole numbers up to 256 have a bin each.
const (
	subBits = 7
	lowExp  = 1023 - 4
	binEnd  = 1 + (31 << subBits)
)

func binOf(x float64) int {
	if !(x >= 1.0/16) {
		return 0
	}
	b := int(math.Float64bits(x)>>(52-subBits)) - lowExp<<subBits + 1
	return min(b, binEnd-1)
}

// valueOf is what a bin stands for: its middle, or its low end where whole
// numbers have bins of their own.
func valueOf(b int) float64 {
	if b == 0 {
		return 0
	}
	edge := func(b int) float64 { return math.Float64frombits(uint64(b-1+lowExp<<subBits) << (52 - subBits)) }
	lo := edge(b)
	if w := edge(b+1) - lo; w > 1 {
		return lo + w/2
	}
	return lo
}

// Add counts a value in; what is no number is passed over.
func (d *Dist) Add(x float64) { d.add(x, true) }

// add counts a value in; without bins percentiles stay unknown.
func (d *Dist) add(x float64, bins bool) {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return
	}
	if d.n == 0 {
		d.lo, d.hi = x, x
	}
	d.lo, d.hi = min(d.lo, x), max(d.hi, x)
	d.n++
	delta := x - d.mean
	d.mean += delta / float64(d.n)
	d.m2 += delta * (x - d.mean)
	if !bins {
		return
	}
	b := binOf(x)
	switch i := b - d.first; {
	case len(d.counts) == 0:
		d.first = b
		d.counts = append(d.counts, 1)
	case i < 0:
		d.below(-i)
		d.counts[0]++
	case i >= len(d.counts):
		d.above(i + 1)
		d.counts[i]++
	default:
		d.counts[i]++
	}
}

// below makes room for k bins under the first.
func (d *Dist) below(k int) {
	n := len(d.counts)
	d.above(n + k)
	copy(d.counts[k:], d.counts[:n])
	clear(d.counts[:k])
	d.first -= k
}

// above makes the bins n.
func (d *Dist) above(n int) {
	had := len(d.counts)
	d.counts = slices.Grow(d.counts, n-had)[:n]
	clear(d.counts[had:])
}

// N returns how many values were counted in.
func (d *Dist) N() int { return d.n }

// Mean returns the mean, NaN without values.
func (d *Dist) Mean() float64 {
	if d.n == 0 {
		return math.NaN()
	}
	return d.mean
}

// Quantile returns the value below which the share q (0 to 1) lies, NaN
// without values.
func (d *Dist) Quantile(q float64) float64 {
	if d.n == 0 {
		return math.NaN()
	}
	if q <= 0 {
		return d.lo
	}
	want := uint64(math.Ceil(q * float64(d.n)))
	var sum uint64
	for i, c := range d.counts {
		if sum += uint64(c); sum >= want && d.first+i < binEnd-1 {
			return min(max(valueOf(d.first+i), d.lo), d.hi)
		}
	}
	return d.hi
}

// Above returns the share of values that are at least x, 0 without values.
func (d *Dist) Above(x float64) float64 {
	if d.n == 0 {
		return 0
	}
	var sum uint64
	b := binOf(x)
	for i, c := range d.counts {
		if d.first+i >= b {
			sum += uint64(c)
		}
	}
	return float64(sum) / float64(d.n)
}

// Stat sums the distribution up; the zero Stat without values.
func (d *Dist) Stat() judge.Stat {
	if d.n == 0 {
		return judge.Stat{}
	}
	return judge.Stat{
		N: d.n, Mean: d.mean, SD: math.Sqrt(max(0, d.m2/float64(d.n))), Peak: d.hi,
		P05: d.Quantile(0.05), P25: d.Quantile(0.25), P50: d.Quantile(0.5), P75: d.Quantile(0.75), P95: d.Quantile(0.95),
	}
}

func (d *Dist) reset() { *d = Dist{counts: d.counts[:0]} }

// merge counts another distribution in (Chan, Golub, LeVeque: parallel
// variance).
func (d *Dist) merge(o *Dist) {
	if o.n == 0 {
		return
	}
	if d.n == 0 {
		counts := append(d.counts[:0], o.counts...)
		*d = *o
		d.counts = counts
		return
	}
	n, m := float64(d.n), float64(o.n)
	delta := o.mean - d.mean
	d.m2 += o.m2 + delta*delta*n*m/(n+m)
	d.mean += delta * m / (n + m)
	d.n += o.n
	d.lo, d.hi = min(d.lo, o.lo), max(d.hi, o.hi)
	first := min(d.first, o.first)
	end := max(d.first+len(d.counts), o.first+len(o.counts))
	if first < d.first {
		d.below(d.first - first)
	}
	if end > d.first+len(d.counts) {
		d.above(end - d.first)
	}
	for i, c := range o.counts {
		d.counts[o.first-d.first+i] += c
	}
}
