package chart

import (
	"image"
	"math"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/driver/software"
	"fyne.io/fyne/v2/widget"

	"rentgen/assets/texts"
	"rentgen/ui/theme"
)

// XYSeries is a line over numbers, with its doubt. The slices are equally long
// and X rises.
type XYSeries struct {
	Name           string
	Slot           int
	X              []float64
	Low, Mid, High []float64
}

// XYMark is a point with a text; a strong one is labelled in the plot.
type XYMark struct {
	X, Y   float64
	Text   string
	Strong bool
}

// XYData is what an XY shows. Both axes begin at 0.
type XYData struct {
	Series      []XYSeries
	Marks       []XYMark
	Top         float64 // of the X axis; 0 takes the largest X
	XUnit, Unit string
	// At is a place on the X axis that has a name, such as where the user is; 0
	// for none.
	At     float64
	AtText string
	// Value says a height in the readout; nil writes the number with Unit.
	Value   func(v float64) string
	Missing string // a sentence instead of a drawing
}

// XY is a chart over numbers instead of time: lines with bands, marked points,
// a crosshair. Its methods belong to the UI thread.
type XY struct {
	widget.BaseWidget
	title   string
	data    XYData
	hidden  map[string]bool
	raster  *canvas.Raster
	plot    xyPlot
	view    *xyView
	cursor  float64
	hand    bool // the crosshair is shown
	focused bool
}

// NewXY returns an empty chart.
func NewXY(title string) *XY {
	x := &XY{title: title, hidden: make(map[string]bool)}
	x.raster = canvas.NewRaster(x.generate)
	x.raster.ScaleMode = canvas.ImageScalePixels
	x.ExtendBaseWidget(x)
	return x
}

// SetData shows d.
func (x *XY) SetData(d XYData) {
	x.data = d
	x.Refresh()
}

// Toggle hides a series or shows it again.
func (x *XY) Toggle(name string) {
	x.hidden[name] = !x.hidden[name]
	x.Refresh()
}

// SetCursor puts the crosshair at a place of the X axis.
func (x *XY) SetCursor(at float64) {
	x.cursor, x.hand = min(max(at, 0), x.top()), true
	x.cursorMoved()
}

// HideCursor takes the crosshair away.
func (x *XY) HideCursor() {
	x.hand = false
	x.cursorMoved()
}

// Values returns what the readout says at the crosshair, line by line; nil
// without one.
func (x *XY) Values() []string {
	if !x.hand {
		return nil
	}
	var out []string
	for _, r := range x.rows() {
		out = append(out, r.text)
	}
	return out
}

// Image draws the chart without crosshair into a picture of w x h pixels.
func (x *XY) Image(w, h int) image.Image {
	k := NewXY(x.title)
	k.data = x.data
	for n, off := range x.hidden {
		k.hidden[n] = off
	}
	cv := software.NewCanvas()
	cv.SetPadded(false)
	cv.SetContent(k)
	cv.Resize(fyne.NewSize(float32(w), float32(h)))
	return cv.Capture()
}

func (x *XY) top() float64 {
	if x.data.Top > 0 {
		return x.data.Top
	}
	top := 0.0
	for _, s := range x.data.Series {
		if n := len(s.X); n > 0 {
			top = max(top, s.X[n-1])
		}
	}
	if top > 0 {
		return top
	}
	return 1
}

// at returns the value of one of a series' lines at a place, by straight lines
// between its points; ok is false outside of them.
func (s *XYSeries) at(v []float64, x float64) (y float64, ok bool) {
	n := len(s.X)
	if n == 0 || x < s.X[0] || x > s.X[n-1] {
		return 0, false
	}
	lo, hi := 0, n-1
	for hi-lo > 1 {
		if m := (lo + hi) / 2; s.X[m] <= x {
			lo = m
		} else {
			hi = m
		}
	}
	if s.X[hi] == s.X[lo] {
		return v[hi], true
	}
	part := (x - s.X[lo]) / (s.X[hi] - s.X[lo])
	return v[lo] + (v[hi]-v[lo])*part, true
}

// rows is what is at the crosshair.
func (x *XY) rows() []row {
	rows := []row{{text: texts.WithUnit(texts.Number(x.cursor, decimals(x.top())), x.data.XUnit), slot: -1, bold: true}}
	for i := range x.data.Series {
		s := &x.data.Series[i]
		mid, ok := s.at(s.Mid, x.cursor)
		if !ok || x.hidden[s.Name] {
			continue
		}
		low, _ := s.at(s.Low, x.cursor)
		high, _ := s.at(s.High, x.cursor)
		text := x.say(mid)
		if l, h := x.say(low), x.say(high); l != h {
			text = l + " – " + h
		}
		rows = append(rows, row{text: s.Name + "  " + text, slot: s.Slot})
	}
	reach := x.top() / 100
	for _, m := range x.data.Marks {
		if m.Text != "" && math.Abs(m.X-x.cursor) < reach {
			rows = append(rows, row{text: m.Text, slot: -1})
		}
	}
	return rows
}

func decimals(top float64) int {
	if top < 20 {
		return 1
	}
	return 0
}

func (x *XY) say(v float64) string {
	if x.data.Value != nil {
		return x.data.Value(v)
	}
	return texts.WithUnit(texts.Number(v, 2), x.data.Unit)
}

// generate draws the plot.
func (x *XY) generate(w, h int) image.Image {
	scale := float32(1)
	if sw := x.raster.Size().Width; sw > 0 {
		scale = float32(w) / sw
	}
	return x.plot.draw(x, w, h, scale)
}

// MinSize is what a chart needs to be read.
func (x *XY) MinSize() fyne.Size {
	x.ExtendBaseWidget(x)
	return x.BaseWidget.MinSize()
}

// CreateRenderer implements fyne.Widget.
func (x *XY) CreateRenderer() fyne.WidgetRenderer {
	x.view = newXYView(x)
	return x.view
}

func (x *XY) cursorMoved() {
	if x.view != nil && x.Visible() {
		x.view.placeCursor()
	}
}

// MouseIn puts the crosshair at the hand.
func (x *XY) MouseIn(e *desktop.MouseEvent) { x.MouseMoved(e) }

// MouseMoved moves the crosshair with the hand.
func (x *XY) MouseMoved(e *desktop.MouseEvent) {
	if x.view == nil || x.view.size.Width < 1 {
		return
	}
	at := float64((e.Position.X - x.view.pos.X) / x.view.size.Width)
	if at < -0.02 || at > 1.02 {
		x.HideCursor()
		return
	}
	x.SetCursor(at * x.top())
}

// MouseOut takes the crosshair away.
func (x *XY) MouseOut() { x.HideCursor() }

// FocusGained shows the focus.
func (x *XY) FocusGained() {
	x.focused = true
	x.Refresh()
}

// FocusLost hides the focus.
func (x *XY) FocusLost() {
	x.focused, x.hand = false, false
	x.Refresh()
}

// Tapped takes the keyboard.
func (x *XY) Tapped(*fyne.PointEvent) {
	if c := fyne.CurrentApp().Driver().CanvasForObject(x); c != nil {
		c.Focus(x)
	}
}

// TypedRune does nothing.
func (x *XY) TypedRune(rune) {}

// TypedKey moves the crosshair with the arrows; Home and End go to the ends.
func (x *XY) TypedKey(e *fyne.KeyEvent) {
	by := x.top() / 100
	switch e.Name {
	case fyne.KeyLeft:
		x.SetCursor(x.cursor - by)
	case fyne.KeyRight:
		x.SetCursor(x.cursor + by)
	case fyne.KeyHome:
		x.SetCursor(0)
	case fyne.KeyEnd:
		x.SetCursor(x.top())
	default:
		passKey(x, e)
	}
}

// xyPlot draws the lines of an XY into a buffer that it keeps.
type xyPlot struct {
	img *image.RGBA
	to  surface
	y   func(v float64) float32
}

func (p *xyPlot) draw(x *XY, w, h int, scale float32) image.Image {
	if p.img == nil || p.to.w != w || p.to.h != h {
		p.img = image.NewRGBA(image.Rect(0, 0, w, h))
		p.to = surface{pix: p.img.Pix, stride: p.img.Stride, w: w, h: h}
	}
	pal := theme.Current()
	p.to.fill(pal.Panel)
	if x.data.Missing != "" || x.view == nil || w < 2 || h < 2 {
		return p.img
	}
	axis, top := x.view.axis, x.top()
	p.y = func(v float64) float32 { return float32(float64(h) - 1 - v/axis.top*float64(h-2)) }
	for v := 0.0; v <= axis.top*1.0001; v += axis.step {
		p.to.hline(int(p.y(v)), 0, w, pal.Grid)
	}
	for v := 0.0; v <= top*1.0001; v += x.view.xStep {
		p.to.vline(min(int(v/top*float64(w)), w-1), 0, h, pal.Grid)
	}
	if at := x.data.At; at > 0 && at <= top {
		col := int(at / top * float64(w-1))
		for y := 0; y < h; y++ {
			if y%int(7*scale+1) < int(4*scale) {
				p.to.blend(col, y, pal.Faint, opaque)
			}
		}
	}
	for i := range x.data.Series {
		if s := &x.data.Series[i]; !x.hidden[s.Name] {
			p.series(s, top, pal, scale)
		}
	}
	for _, m := range x.data.Marks {
		p.mark(m, top, pal, scale)
	}
	return p.img
}

// bandEdge is how strong the ends of a band are drawn.
const bandEdge = opaque * 6 / 10

func (p *xyPlot) series(s *XYSeries, top float64, pal *theme.Palette, scale float32) {
	ink, dashed := pal.SeriesOf(s.Slot)
	w := p.to.w
	on, pitch := int(7*scale), int(11*scale)
	half, edge := 0.8*scale, 0.55*scale
	last, drawn := float32(0), false
	for col := range w {
		at := float64(col) / float64(w-1) * top
		mid, ok := s.at(s.Mid, at)
		if !ok {
			drawn = false
			continue
		}
		low, _ := s.at(s.Low, at)
		high, _ := s.at(s.High, at)
		if y0, y1 := p.y(high), p.y(low); y1-y0 >= 2 {
			p.to.band(col, min(max(int(y0), 0), p.to.h), min(max(int(y1), 0), p.to.h), ink)
			// Where bands lie over each other their ends tell whose they are.
			if !dashed || col%pitch < on {
				p.to.span(col, y0-edge, y0+edge, ink, bandEdge)
				p.to.span(col, y1-edge, y1+edge, ink, bandEdge)
			}
		}
		y := p.y(mid)
		if !drawn {
			last, drawn = y, true
		}
		if !dashed || col%pitch < on {
			p.to.span(col, min(y, last)-half, max(y, last)+half, ink, opaque)
		}
		last = y
	}
}

// mark draws a ring where lines cross, a small one where it decides nothing.
func (p *xyPlot) mark(m XYMark, top float64, pal *theme.Palette, scale float32) {
	r := 2.5 * float64(scale)
	if m.Strong {
		r = 4.5 * float64(scale)
	}
	cx, cy := m.X/top*float64(p.to.w-1), float64(p.y(m.Y))
	for y := int(cy - r - 1); y <= int(cy+r+1); y++ {
		for x := int(cx - r - 1); x <= int(cx+r+1); x++ {
			d := math.Hypot(float64(x)-cx, float64(y)-cy)
			if in := min(max(r+0.5-d, 0), 1); in > 0 {
				p.to.blend(x, y, pal.Panel, uint32(in*opaque))
			}
			if ring := min(max(1.3*float64(scale)-math.Abs(d-r), 0), 1); ring > 0 {
				p.to.blend(x, y, pal.Text, uint32(ring*opaque))
			}
		}
	}
}
