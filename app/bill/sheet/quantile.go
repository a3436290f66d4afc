package sheet

import (
	"math"

	"rentgen/app/money"
)

const (
	quantileBits = 11
	densities    = 2048
)

// quantiles turns totals over a band, evenly spaced from its low end to the
// point and from there to its high end, into totals over the quantiles of the
// band's PERT distribution. The last entry stands twice, so that reading between
// two never runs out.
func (c *compiled) quantiles(b money.Band, totals []float64) []float64 {
	l, p, h := b.Low.Float64(), b.Point.Float64(), b.High.Float64()
	mode := (p - l) / (h - l)
	at, ok := c.seen[mode]
	if !ok {
		at = pert(mode)
		c.seen[mode] = at
	}
	out := make([]float64, len(at)+1)
	for i, x := range at {
		out[i] = between(totals, mode, x)
	}
	out[len(at)] = out[len(at)-1]
	return out
}

// pert returns the quantiles of the PERT distribution over 0 to 1 with that
// mode: beta with a = 1+4m, b = 1+4(1-m).
func pert(mode float64) []float64 {
	alpha, beta := 1+4*mode, 1+4*(1-mode)
	cdf := make([]float64, densities+1)
	density := func(x float64) float64 { return math.Pow(x, alpha-1) * math.Pow(1-x, beta-1) }
	last := density(0)
	for i := 1; i <= densities; i++ {
		d := density(float64(i) / densities)
		cdf[i] = cdf[i-1] + (last+d)/2
		last = d
	}
	n := 1 << quantileBits
	at := make([]float64, n+1)
	j := 0
	for i := range at {
		want := cdf[densities] * float64(i) / float64(n)
		for j < densities-1 && cdf[j+1] < want {
			j++
		}
		x := float64(j)
		if w := cdf[j+1] - cdf[j]; w > 0 {
			x += math.Min(1, math.Max(0, (want-cdf[j])/w))
		}
		at[i] = x / densities
	}
	return at
}

// between reads the totals at a share x of the band, whose point stands at mode.
func between(totals []float64, mode, x float64) float64 {
	half := float64(len(totals) / 2)
	at := half
	switch {
	case x < mode:
		at = half * x / mode
	case mode < 1:
		at = half + half*(x-mode)/(1-mode)
	}
	i := min(int(at), len(totals)-2)
	f := at - float64(i)
	return totals[i] + (totals[i+1]-totals[i])*f
}
