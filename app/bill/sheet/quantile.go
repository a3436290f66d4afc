package sheet

import (
	"rentgen/app/bill"
	"rentgen/app/money"
)

const quantileBits = 11

// quantiles turns totals over a band, evenly spaced from its low end to the
// point and from there to its high end, into totals over the quantiles of the
// band's PERT distribution. The last entry stands twice, so that reading between
// two never runs out.
func (c *compiled) quantiles(b money.Band, totals []float64) []float64 {
	l, p, h := b.Low.Float64(), b.Point.Float64(), b.High.Float64()
	mode := (p - l) / (h - l)
	const n = 1 << quantileBits
	out := make([]float64, n+2)
	dist, ok := c.seen[mode]
	if !ok {
		var err error
		if dist, err = bill.NewPertDist(0, mode, 1); err != nil { // too narrow for floats
			for i := range out {
				out[i] = totals[len(totals)/2]
			}
			return out
		}
		c.seen[mode] = dist
	}
	for i := range n + 1 {
		out[i] = between(totals, mode, dist.At(float64(i)/n))
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
