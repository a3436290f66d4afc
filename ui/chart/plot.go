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
	holes    []span // the gaps, joined
	plain    bool   // a spark: no grid, no marks
}

// columns is one series reduced to columns of pixels: the band lies between hi
// and lo, the line between top and bot. A column without a line has top > bot.
type columns struct {
	lo, hi, top, bot []float32
	ink              color.NRGBA
	dashed, fill     bool
}

// plotter draws snapshots into one buffer that it keeps.
//
// It draws in tiles as wide as a line of the cache, all series of one before
// the next: columns of a whole picture would miss the cache at every pixel.
type plotter struct {
	img   *image.RGBA
	w, h  int
	scale float32 // device pixels in a device-independent one
	// A value's y is y0 - yk*value, held within the plot.
	y0, yk, yMin, yMax float32
	cols               []columns
	*columns                   // the one being filled
	whole              surface // the picture
	gapCol             []bool
}

const (
	tileWidth = 16 // pixels: 64 bytes
	bandAlpha = theme.BandAlpha
	fillAlpha = 44
)

// draw renders a frame of w x h device pixels. The image is the plotter's own
// and valid until the next call.
func (p *plotter) draw(s *snapshot, w, h int, scale float32) *image.RGBA {
	w, h = max(w, 1), max(h, 1)
	p.resize(w, h)
	p.scale = max(scale, 0.5)
	if s.data == nil || s.data.Missing != "" || s.to <= s.from {
		p.whole.fill(s.palette.Panel)
		return p.img
	}
	p.setAxis(s.axis.top, s.foot())
	s.joinGaps()
	p.markGaps(s)
	n := 0
	for i := range s.data.Series {
		if i < len(s.hidden) && s.hidden[i] {
			continue
		}
		if n == len(p.cols) {
			p.cols = append(p.cols, columns{})
		}
		p.columns = &p.cols[n]
		p.columns.resize(w)
		d := &s.data.Series[i]
		p.ink, p.dashed = s.palette.SeriesOf(d.Slot)
		p.dashed, p.fill = p.dashed || d.Dashed, d.Fill
		p.reduce(s, d)
		n++
	}
	p.tiles(s, p.cols[:n])
	if !s.plain {
		p.limits(s)
		p.bands(s)
		p.marks(s)
	}
	return p.img
}

func (p *plotter) resize(w, h int) {
	if p.img != nil && p.w == w && p.h == h {
		return
	}
	p.img = image.NewRGBA(image.Rect(0, 0, w, h))
	p.w, p.h = w, h
	p.whole = surface{pix: p.img.Pix, stride: p.img.Stride, w: w, h: h}
	p.gapCol = make([]bool, w)
}

// resize empties the columns.
func (c *columns) resize(w int) {
	if cap(c.top) < w {
		c.lo, c.hi = make([]float32, w), make([]float32, w)
		c.top, c.bot = make([]float32, w), make([]float32, w)
	}
	c.lo, c.hi, c.top, c.bot = c.lo[:w], c.hi[:w], c.top[:w], c.bot[:w]
	for i := range c.top {
		c.top[i], c.bot[i], c.lo[i], c.hi[i] = noTop, noBot, noBot, noTop
	}
}

// x returns the pixel position of a moment.
func (s *snapshot) x(t int64, w int) float32 {
	return float32(float64(t-s.from) / float64(s.to-s.from) * float64(w))
}

// setAxis spreads 0 to top over the plot; the topmost and the lowest line of
// pixels stay free for a line's thickness, and below them foot for the bands.
func (p *plotter) setAxis(top float64, foot float32) {
	if !(top > 0) {
		top = 1
	}
	pad := float64(p.scale)
	below := math.Floor(float64(foot * p.scale))
	room := max(float64(p.h)-2*pad-below, 1)
	p.y0, p.yk = float32(float64(p.h)-pad-below), float32(room/top)
	p.yMin, p.yMax = float32(pad-0.02*room), float32(float64(p.h)-pad-below+0.02*room)
}

// y returns the pixel position of a value.
func (p *plotter) y(v float32) float32 {
	y := p.y0 - p.yk*v
	if y < p.yMin {
		return p.yMin
	}
	if y > p.yMax {
		return p.yMax
	}
	return y
}

// tiles draws ground, grid, gaps and series, a tile at a time.
func (p *plotter) tiles(s *snapshot, cols []columns) {
	p.whole.fill(s.palette.Panel)
	if !s.plain {
		p.grid(s)
	}
	for x0 := 0; x0 < p.w; x0 += tileWidth {
		x1 := min(x0+tileWidth, p.w)
		for x := x0; x < x1; x++ {
			if p.gapCol[x] {
				p.hatch(s, x)
			}
		}
		for i := range cols {
			p.spans(&cols[i], x0, x1)
		}
	}
}

func (p *plotter) grid(s *snapshot) {
	for _, v := range s.yTicks {
		p.whole.hline(int(p.y(float32(v))), 0, p.w, s.palette.Grid)
	}
	for _, t := range s.ticks {
		c := s.palette.Grid
		if t.day {
			c = s.palette.Line
		}
		p.whole.vline(int(s.x(t.t, p.w)), 0, p.h, c)
	}
}

// markGaps notes the columns without readings; the narrowest gap is still seen.
func (p *plotter) markGaps(s *snapshot) {
	clear(p.gapCol)
	least := max(int(2*p.scale), 2)
	for _, g := range s.data.Gaps {
		if g.To < s.from || g.From > s.to {
			continue
		}
		x0 := int(math.Floor(float64(s.x(max(g.From, s.from), p.w))))
		x1 := int(math.Ceil(float64(s.x(min(g.To, s.to), p.w))))
		for x := max(x0, 0); x < min(max(x1, x0+least), p.w); x++ {
			p.gapCol[x] = true
		}
	}
}

// hatch draws one column of slanted lines.
func (p *plotter) hatch(s *snapshot, x int) {
	pitch := max(int(6*p.scale), 4)
	for y := (pitch - x%pitch) % pitch; y < p.h; y += pitch {
		p.whole.blend(x, y, s.palette.Hatch, opaque)
	}
}

// bandsOf draws the band of a series, two columns at a time where they
// overlap: this is most of a frame.
func (p *plotter) bandsOf(c *columns, x0, x1 int) {
	for x := x0; x < x1; x += 2 {
		a0, a1 := c.band(x, p.h)
		if x+1 == x1 {
			p.whole.band(x, a0, a1, c.ink)
			return
		}
		b0, b1 := c.band(x+1, p.h)
		both0, both1 := max(a0, b0), min(a1, b1)
		if both0 >= both1 {
			p.whole.band(x, a0, a1, c.ink)
			p.whole.band(x+1, b0, b1, c.ink)
			continue
		}
		p.whole.bandPair(x, both0, both1, c.ink)
		p.whole.band(x, a0, both0, c.ink)
		p.whole.band(x, both1, a1, c.ink)
		p.whole.band(x+1, b0, both0, c.ink)
		p.whole.band(x+1, both1, b1, c.ink)
	}
}

// band returns the rows of a column's band; both 0 where it has none.
func (c *columns) band(x, h int) (y0, y1 int) {
	if c.top[x] > c.bot[x] {
		return 0, 0
	}
	if y0, y1 = int(c.hi[x]), int(c.lo[x])+1; y1-y0 < 2 {
		return 0, 0
	}
	return max(y0, 0), min(y1, h)
}

// spans draws columns x0 to x1 of a series.
func (p *plotter) spans(c *columns, x0, x1 int) {
	half := 0.75 * p.scale
	on, pitch := int(7*p.scale), int(11*p.scale)
	base := p.y0
	t := &p.whole
	p.bandsOf(c, x0, x1)
	for x := x0; x < x1; x++ {
		top, bot := c.top[x], c.bot[x]
		if top > bot {
			continue
		}
		top, bot = top-half, bot+half
		if c.fill {
			t.span(x, bot, base, c.ink, fillAlpha)
		}
		if !c.dashed || x%pitch < on {
			t.span(x, top, bot, c.ink, opaque)
		}
	}
}
