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
// band's PERT distribution: beta with a = 1+4(m-a)/(b-a), b = 1+4(b-m)/(b-a).
// The last entry stands twice, so that reading between two never runs out.
func quantiles(b money.Band, totals []float64) []float64 {
	l, p, h := b.Low.Float64(), b.Point.Float64(), b.High.Float64()
	mode := (p - l) / (h - l)
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
	out := make([]float64, n+2)
	j := 0
	for i := 0; i <= n; i++ {
		want := cdf[densities] * float64(i) / float64(n)
		for j < densities-1 && cdf[j+1] < want {
			j++
		}
		x := float64(j)
		if w := cdf[j+1] - cdf[j]; w > 0 {
			x += math.Min(1, math.Max(0, (want-cdf[j])/w))
		}
		out[i] = between(totals, mode, x/densities)
	}
	out[n+1] = out[n]
	return out
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
