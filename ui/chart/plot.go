package chart

import (
	"image"
	"image/color"
	"math"

	"rentgen/ui/theme"
)

// snapshot is everything a frame is drawn from. The generator reads nothing
// else, so drawing never waits for anything.
type snapshot struct {
	data     *Data
	from, to int64
	axis     yAxis
	ticks    []timeTick
	yTicks   []float64
	palette  *theme.Palette
	hidden   []bool // by series, as toggled in the legend
	plain    bool   // a spark: no grid, no marks
}

// plotter draws snapshots into one buffer that it keeps.
type plotter struct {
	img   *image.RGBA
	w, h  int
	scale float32 // device pixels in a device-independent one
	// By column: band between lo and hi, line between top and bot, in pixels.
	// No line is top > bot, no band lo < hi in pixel order.
	lo, hi, top, bot []float32
	gapCol           []bool
}

const (
	bandAlpha = 64
	fillAlpha = 44
)

// draw renders a frame of w x h device pixels. The image is the plotter's own
// and valid until the next call.
func (p *plotter) draw(s *snapshot, w, h int, scale float32) *image.RGBA {
	w, h = max(w, 1), max(h, 1)
	if p.img == nil || p.w != w || p.h != h {
		p.img = image.NewRGBA(image.Rect(0, 0, w, h))
		p.w, p.h = w, h
		p.lo, p.hi = make([]float32, w), make([]float32, w)
		p.top, p.bot = make([]float32, w), make([]float32, w)
		p.gapCol = make([]bool, w)
	}
	p.scale = max(scale, 0.5)
	p.clear(s.palette.Panel)
	if s.data == nil || s.data.Missing != "" || s.to <= s.from {
		return p.img
	}
	if !s.plain {
		p.grid(s)
	}
	p.gaps(s)
	for i := range s.data.Series {
		if i < len(s.hidden) && s.hidden[i] {
			continue
		}
		p.series(s, &s.data.Series[i])
	}
	if !s.plain {
		p.limits(s)
		p.bands(s)
		p.marks(s)
	}
	return p.img
}

func (p *plotter) clear(c color.NRGBA) {
	pix := p.img.Pix
	pix[0], pix[1], pix[2], pix[3] = c.R, c.G, c.B, c.A
	for n := 4; n < len(pix); n *= 2 {
		copy(pix[n:], pix[:n])
	}
}

// x returns the pixel position of a moment.
func (s *snapshot) x(t int64, w int) float32 {
	return float32(float64(t-s.from) / float64(s.to-s.from) * float64(w))
}

// y returns the pixel position of a value; the topmost and the lowest line of
// pixels stay free for a line's thickness.
func (p *plotter) y(s *snapshot, v float64) float32 {
	pad := float64(p.scale)
	f := min(max(v/s.axis.top, -0.02), 1.02)
	return float32(float64(p.h) - pad - f*(float64(p.h)-2*pad))
}

func (p *plotter) grid(s *snapshot) {
	c := s.palette.Grid
	for _, v := range s.yTicks {
		p.hline(int(p.y(s, v)), 0, p.w, c)
	}
	for _, t := range s.ticks {
		col := c
		if t.day {
			col = s.palette.Line
		}
		p.vline(int(s.x(t.t, p.w)), 0, p.h, col)
	}
}

func (p *plotter) hline(y, x0, x1 int, c color.NRGBA) {
	if y < 0 || y >= p.h {
		return
	}
	x0, x1 = max(x0, 0), min(x1, p.w)
	for i := y*p.img.Stride + x0*4; x0 < x1; x0, i = x0+1, i+4 {
		pix := p.img.Pix[i : i+4 : i+4]
		pix[0], pix[1], pix[2], pix[3] = c.R, c.G, c.B, 255
	}
}

func (p *plotter) vline(x, y0, y1 int, c color.NRGBA) {
	if x < 0 || x >= p.w {
		return
	}
	y0, y1 = max(y0, 0), min(y1, p.h)
	for i := y0*p.img.Stride + x*4; y0 < y1; y0, i = y0+1, i+p.img.Stride {
		pix := p.img.Pix[i : i+4 : i+4]
		pix[0], pix[1], pix[2], pix[3] = c.R, c.G, c.B, 255
	}
}

// gaps hatches the spans without readings and notes their columns.
func (p *plotter) gaps(s *snapshot) {
	clear(p.gapCol)
	pitch := max(int(6*p.scale), 4)
	for _, g := range s.data.Gaps {
		if g.To < s.from || g.From > s.to {
			continue
		}
		x0 := int(math.Floor(float64(s.x(max(g.From, s.from), p.w))))
		x1 := int(math.Ceil(float64(s.x(min(g.To, s.to), p.w))))
		if least := max(int(2*p.scale), 2); x1-x0 < least {
			x1 = x0 + least
		}
		x0, x1 = max(x0, 0), min(x1, p.w)
		for x := x0; x < x1; x++ {
			p.gapCol[x] = true
			for y := (pitch - x%pitch) % pitch; y < p.h; y += pitch {
				i := y*p.img.Stride + x*4
				pix := p.img.Pix[i : i+4 : i+4]
				pix[0], pix[1], pix[2] = s.palette.Hatch.R, s.palette.Hatch.G, s.palette.Hatch.B
			}
		}
	}
}

// broken reports whether a gap lies between two moments.
func (s *snapshot) broken(a, b int64) bool {
	for _, g := range s.data.Gaps {
		if g.From < b && g.To > a {
			return true
		}
	}
	return false
}

const noTop, noBot = float32(math.MaxFloat32), float32(-math.MaxFloat32)

// series reduces one series to columns and draws them.
func (p *plotter) series(s *snapshot, d *Series) {
	for i := range p.top {
		p.top[i], p.bot[i], p.lo[i], p.hi[i] = noTop, noBot, noBot, noTop
	}
	p.reduce(s, d)
	c, dashed := s.palette.SeriesOf(d.Slot)
	dashed = dashed || d.Dashed
	half := 0.75 * p.scale
	on, pitch := int(7*p.scale), int(11*p.scale)
	base := float32(p.h) - p.scale
	for x := 0; x < p.w; x++ {
		if p.top[x] > p.bot[x] {
			continue
		}
		if d.Fill {
			p.span(x, p.bot[x], base, c, fillAlpha)
		}
		if p.lo[x]-p.hi[x] > 1 {
			p.span(x, p.hi[x], p.lo[x], c, bandAlpha)
		}
		if dashed && x%pitch >= on {
			continue
		}
		p.span(x, p.top[x]-half, p.bot[x]+half, c, 255)
	}
}

// column is what the points of one column of pixels come to.
type column struct {
	x         float32 // where the mean stands
	lo, hi, m float32 // values
}

func (p *plotter) reduce(s *snapshot, d *Series) {
	n := len(d.T)
	i := max(d.first(s.from)-1, 0)
	perMS := float64(p.w) / float64(s.to-s.from)
	reach := d.Step * 5 / 2
	var prev column
	have := false
	var last int64 // time of the last reading
	for i < n && d.T[i] <= s.to || i < n && have && d.T[i-1] <= s.to {
		// Gather the points of one column.
		x := float64(d.T[i]-s.from) * perMS
		col := math.Floor(x)
		edge := s.from + int64((col+1)/perMS)
		var cur column
		cur.lo, cur.hi = float32(math.Inf(1)), float32(math.Inf(-1))
		sum, sumX, cnt := float64(0), float64(0), 0
		first := i
		for i < n && (d.T[i] <= edge || i == first) {
			m := d.Mean[i]
			if !isNaN(m) {
				cur.lo, cur.hi = min(cur.lo, d.Min[i]), max(cur.hi, d.Max[i])
				sum += float64(m)
				sumX += float64(d.T[i] - s.from)
				cnt++
			}
			i++
		}
		if cnt == 0 {
			have = false
			continue
		}
		cur.m = float32(sum / float64(cnt))
		cur.x = float32(sumX / float64(cnt) * perMS)
		joined := have
		if joined && (reach > 0 && d.T[first]-last > reach || len(s.data.Gaps) > 0 && s.broken(last, d.T[first])) {
			joined = false
		}
		if joined {
			p.join(s, prev, cur, d.Stepped)
		} else {
			p.dot(s, cur)
		}
		prev, have, last = cur, true, d.T[i-1]
	}
	if d.Stepped && have && last < s.to && !s.broken(last, s.to) {
		end := prev
		end.x = s.x(min(s.to, last+max(d.Step, 0)), p.w)
		p.join(s, prev, end, true)
	}
}

// dot puts a lone column down.
func (p *plotter) dot(s *snapshot, c column) {
	x := int(c.x)
	if x < 0 || x >= p.w {
		return
	}
	y := p.y(s, float64(c.m))
	p.top[x], p.bot[x] = min(p.top[x], y), max(p.bot[x], y)
	p.hi[x], p.lo[x] = min(p.hi[x], p.y(s, float64(c.hi))), max(p.lo[x], p.y(s, float64(c.lo)))
}

// join lays the line and band from a to b over the columns between.
func (p *plotter) join(s *snapshot, a, b column, stepped bool) {
	if stepped {
		flat := a
		flat.x = b.x
		p.ramp(s, a, flat)
		a = flat
	}
	p.ramp(s, a, b)
}

func (p *plotter) ramp(s *snapshot, a, b column) {
	ya, yb := p.y(s, float64(a.m)), p.y(s, float64(b.m))
	la, lb := p.y(s, float64(a.lo)), p.y(s, float64(b.lo))
	ha, hb := p.y(s, float64(a.hi)), p.y(s, float64(b.hi))
	x0, x1 := int(math.Floor(float64(a.x))), int(math.Floor(float64(b.x)))
	if x1 < 0 || x0 >= p.w {
		return
	}
	dx := b.x - a.x
	if x0 == x1 || dx <= 0 {
		if x1 < p.w {
			p.put(x1, min(ya, yb), max(ya, yb), min(ha, hb), max(la, lb))
		}
		return
	}
	k, kl, kh := (yb-ya)/dx, (lb-la)/dx, (hb-ha)/dx
	for x := max(x0, 0); x <= min(x1, p.w-1); x++ {
		t0, t1 := max(float32(x)-a.x, 0), min(float32(x+1)-a.x, dx)
		y0, y1 := ya+k*t0, ya+k*t1
		p.put(x, min(y0, y1), max(y0, y1), ha+min(kh*t0, kh*t1), la+max(kl*t0, kl*t1))
	}
}

func (p *plotter) put(x int, top, bot, hi, lo float32) {
	p.top[x], p.bot[x] = min(p.top[x], top), max(p.bot[x], bot)
	p.hi[x], p.lo[x] = min(p.hi[x], hi), max(p.lo[x], lo)
}

// span blends a vertical run of one column; its ends are softened by the part
// of the pixel they cover.
func (p *plotter) span(x int, y0, y1 float32, c color.NRGBA, a uint32) {
	y0, y1 = max(y0, 0), min(y1, float32(p.h))
	if y1 <= y0 {
		return
	}
	i0, i1 := int(y0), int(y1)
	if i0 == i1 {
		p.blend(x, i0, c, uint32(float32(a)*(y1-y0)))
		return
	}
	if f := float32(i0+1) - y0; f < 1 {
		p.blend(x, i0, c, uint32(float32(a)*f))
		i0++
	}
	off := i0*p.img.Stride + x*4
	if a >= 255 {
		for y := i0; y < i1; y, off = y+1, off+p.img.Stride {
			pix := p.img.Pix[off : off+4 : off+4]
			pix[0], pix[1], pix[2] = c.R, c.G, c.B
		}
	} else {
		r, g, b, inv := uint32(c.R)*a, uint32(c.G)*a, uint32(c.B)*a, 255-a
		for y := i0; y < i1; y, off = y+1, off+p.img.Stride {
			pix := p.img.Pix[off : off+4 : off+4]
			pix[0] = uint8((r + uint32(pix[0])*inv + 127) * 257 >> 16)
			pix[1] = uint8((g + uint32(pix[1])*inv + 127) * 257 >> 16)
			pix[2] = uint8((b + uint32(pix[2])*inv + 127) * 257 >> 16)
		}
	}
	if f := y1 - float32(i1); f > 0 {
		p.blend(x, i1, c, uint32(float32(a)*f))
	}
}

func (p *plotter) blend(x, y int, c color.NRGBA, a uint32) {
	if x < 0 || x >= p.w || y < 0 || y >= p.h || a == 0 {
		return
	}
	off := y*p.img.Stride + x*4
	pix := p.img.Pix[off : off+4 : off+4]
	inv := 255 - a
	pix[0] = uint8((uint32(c.R)*a + uint32(pix[0])*inv + 127) * 257 >> 16)
	pix[1] = uint8((uint32(c.G)*a + uint32(pix[1])*inv + 127) * 257 >> 16)
	pix[2] = uint8((uint32(c.B)*a + uint32(pix[2])*inv + 127) * 257 >> 16)
}
