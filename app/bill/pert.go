package bill

import (
	"math"
	"strconv"

	"rentgen/app/money"
)

// pertCells is into how many equally likely parts a distribution is divided.
const pertCells = 4096

// PertDist is the PERT distribution of a low, a most likely and a high value:
// the beta distribution with a = 1+4(m-low)/(high-low) and a+b = 6, whose mean
// is (low+4m+high)/6. It is kept as a table of quantiles, so that a draw is one
// look.
type PertDist struct{ at []float64 }

// NewPertDist tabulates a distribution; low <= mode <= high, all finite. The
// error is a *money.FieldError.
func NewPertDist(low, mode, high float64) (*PertDist, error) {
	for _, v := range []struct {
		field string
		value float64
		ok    bool
	}{{"low_h", low, true}, {"mode_h", mode, low <= mode}, {"high_h", high, mode <= high}} {
		if !finite(v.value) || !v.ok {
			return nil, &money.FieldError{Field: v.field, Value: strconv.FormatFloat(v.value, 'g', -1, 64), Problem: money.OutOfRange}
		}
	}
	p := &PertDist{make([]float64, pertCells+1)}
	width := high - low
	if width == 0 {
		for i := range p.at {
			p.at[i] = low
		}
		return p, nil
	}
	sum := pertCDF(4*(mode-low)/width, 4*(high-mode)/width)
	j := 0
	for i := range p.at {
		u := sum[len(sum)-1] * float64(i) / pertCells
		for j < len(sum)-2 && sum[j+1] < u {
			j++
		}
		t := (float64(j) + (u-sum[j])/(sum[j+1]-sum[j])) / float64(len(sum)-1)
		p.at[i] = low + width*min(max(t, 0), 1)
	}
	p.at[0], p.at[pertCells] = low, high
	return p, nil
}

// pertCDF integrates t^a (1-t)^b over [0, 1] by Simpson's rule and returns the
// sum at each step.
func pertCDF(a, b float64) []float64 {
	const steps = 4096
	f := func(t float64) float64 { return math.Pow(t, a) * math.Pow(1-t, b) }
	sum := make([]float64, steps+1)
	left := f(0)
	for i := range steps {
		middle, right := f((float64(i)+0.5)/steps), f(float64(i+1)/steps)
		sum[i+1] = sum[i] + (left+4*middle+right)/6
		left = right
	}
	return sum
}

// At returns the value below which the share u of the draws lies.
func (p *PertDist) At(u float64) float64 {
	x := u * pertCells
	i := min(max(int(x), 0), pertCells-1)
	return p.at[i] + (p.at[i+1]-p.at[i])*(x-float64(i))
}
