package chart

import (
	"cmp"
	"math"
	"slices"
)

// column is what the points of one column of pixels come to, all in pixels.
type column struct {
	x         float32 // where the mean stands
	lo, hi, m float32
}

// reduce gathers the points in view by columns of pixels and joins the columns.
func (p *plotter) reduce(s *snapshot, d *Series) {
	n := len(d.T)
	ts, lows, highs, means := d.T, d.Min[:n], d.Max[:n], d.Mean[:n]
	perMS := float64(p.w) / float64(s.to-s.from)
	msPer := 1 / perMS
	reach := d.Step * 5 / 2
	var prev column
	have := false
	var last int64 // time of the last reading
	for i := max(d.first(s.from)-1, 0); i < n && (ts[i] <= s.to || have && ts[i-1] <= s.to); {
		col := math.Floor(float64(ts[i]-s.from) * perMS)
		edge := s.from + int64((col+1)*msPer)
		low, high := float32(math.MaxFloat32), float32(-math.MaxFloat32)
		sum, sumT, cnt, first := float32(0), int64(0), int64(0), i
		for ; i < n && (ts[i] <= edge || i == first); i++ {
			m := means[i]
			if m != m {
				continue
			}
			if v := lows[i]; v < low {
				low = v
			}
			if v := highs[i]; v > high {
				high = v
			}
			sum += m
			sumT += ts[i] - s.from
			cnt++
		}
		if cnt == 0 {
			have = false
			continue
		}
		cur := column{
			x:  float32(float64(sumT) / float64(cnt) * perMS),
			lo: p.y(low), hi: p.y(high), m: p.y(sum / float32(cnt)),
		}
		joined := have && !(reach > 0 && ts[first]-last > reach) &&
			(len(s.holes) == 0 || !s.broken(last, ts[first]))
		switch {
		case !joined:
			p.dot(cur)
		case d.Stepped:
			flat := prev
			flat.x = cur.x
			p.ramp(prev, flat)
			p.ramp(flat, cur)
		default:
			p.ramp(prev, cur)
		}
		prev, have, last = cur, true, ts[i-1]
	}
	if d.Stepped && have && last < s.to && !s.broken(last, s.to) {
		end := prev
		end.x = s.x(min(s.to, last+max(d.Step, 0)), p.w)
		p.ramp(prev, end)
	}
}

// dot puts a lone column down.
func (p *plotter) dot(c column) {
	if x := int(math.Floor(float64(c.x))); x >= 0 && x < p.w {
		p.put(x, c.m, c.m, c.hi, c.lo)
	}
}

// ramp lays line and band from a to b over the columns between.
func (p *plotter) ramp(a, b column) {
	x0, x1 := int(a.x), int(b.x)
	dx := b.x - a.x
	if b.x < 0 || x0 >= p.w {
		return
	}
	if a.x >= 0 && x1 < p.w {
		switch {
		case x0 == x1 || dx <= 0:
			p.put(x1, less(a.m, b.m), more(a.m, b.m), less(a.hi, b.hi), more(a.lo, b.lo))
			return
		case x0+1 == x1: // neighbours meet half way; the usual case of a long span
			m, hi, lo := (a.m+b.m)/2, (a.hi+b.hi)/2, (a.lo+b.lo)/2
			p.put(x0, less(a.m, m), more(a.m, m), less(a.hi, hi), more(a.lo, lo))
			p.put(x1, less(b.m, m), more(b.m, m), less(b.hi, hi), more(b.lo, lo))
			return
		}
	}
	k, kl, kh := (b.m-a.m)/dx, (b.lo-a.lo)/dx, (b.hi-a.hi)/dx
	if x0 < 0 || a.x < 0 {
		x0 = 0
	}
	if x1 >= p.w {
		x1 = p.w - 1
	}
	for x := x0; x <= x1; x++ {
		t0, t1 := more(float32(x)-a.x, 0), less(float32(x+1)-a.x, dx)
		y0, y1 := a.m+k*t0, a.m+k*t1
		p.put(x, less(y0, y1), more(y0, y1), a.hi+less(kh*t0, kh*t1), a.lo+more(kl*t0, kl*t1))
	}
}

// less and more are min and max without their care for NaN, which none of the
// pixel positions is.
func less(a, b float32) float32 {
	if a < b {
		return a
	}
	return b
}

func more(a, b float32) float32 {
	if a > b {
		return a
	}
	return b
}

// put widens what a column holds.
func (p *plotter) put(x int, top, bot, hi, lo float32) {
	if top < p.top[x] {
		p.top[x] = top
	}
	if bot > p.bot[x] {
		p.bot[x] = bot
	}
	if hi < p.hi[x] {
		p.hi[x] = hi
	}
	if lo > p.lo[x] {
		p.lo[x] = lo
	}
}

// span is a stretch of time in unix milliseconds.
type span struct{ from, to int64 }

// joinGaps makes the gaps one list of spans, sorted and without overlap, so that a
// frame over months with thousands of gaps still finds each in no time.
func (s *snapshot) joinGaps() {
	s.holes = s.holes[:0]
	sorted := true
	for _, g := range s.data.Gaps {
		if n := len(s.holes); n > 0 && g.From < s.holes[n-1].from {
			sorted = false
		}
		s.holes = append(s.holes, span{g.From, max(g.To, g.From)})
	}
	if !sorted {
		slices.SortFunc(s.holes, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	}
	n := 0
	for _, h := range s.holes {
		if n > 0 && h.from <= s.holes[n-1].to {
			s.holes[n-1].to = max(s.holes[n-1].to, h.to)
			continue
		}
		s.holes[n] = h
		n++
	}
	s.holes = s.holes[:n]
}

// broken reports whether a gap lies between two moments.
func (s *snapshot) broken(a, b int64) bool {
	lo, hi := 0, len(s.holes) // the first that ends after a
	for lo < hi {
		if m := int(uint(lo+hi) >> 1); s.holes[m].to <= a {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo < len(s.holes) && s.holes[lo].from < b
}

const noTop, noBot = float32(math.MaxFloat32), float32(-math.MaxFloat32)
