package chart

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	fynetheme "fyne.io/fyne/v2/theme"

	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// view is the chart's renderer: it places the raster and the texts round it.
type view struct {
	c       *Chart
	ground  *canvas.Rectangle
	title   *canvas.Text
	value   *canvas.Text
	notice  *noticeItem
	items   []*legendItem
	yLabels pool
	xLabels pool
	limits  pool
	missing pool
	backs   backs // ground under texts that stand in the plot
	sel     *canvas.Rectangle
	line    *canvas.Line
	read    *readout
	wheel   *wheel
	objects []fyne.CanvasObject
	pos     fyne.Position // of the plot
	size    fyne.Size     // of the plot
}

func newView(c *Chart) *view {
	v := &view{
		c: c, ground: canvas.NewRectangle(color.Transparent),
		title: canvas.NewText("", color.Black), value: canvas.NewText("", color.Black),
		sel: canvas.NewRectangle(color.Transparent), line: canvas.NewLine(color.Black),
	}
	v.notice, v.wheel = newNotice(c), newWheel(c)
	v.read = newReadout()
	v.ground.CornerRadius, v.ground.StrokeWidth = 3, 1
	v.title.TextStyle.Bold = true
	v.sel.Hide()
	v.line.Hide()
	v.line.StrokeWidth = 1
	return v
}

// pool keeps canvas texts for reuse.
type pool struct {
	all  []*canvas.Text
	used int
}

func (p *pool) begin() { p.used = 0 }

// next returns a text with the given content, refreshed only when it changed.
func (p *pool) next(s string, size float32, c color.Color, bold bool) *canvas.Text {
	if p.used == len(p.all) {
		p.all = append(p.all, canvas.NewText("", c))
	}
	t := p.all[p.used]
	p.used++
	setText(t, s, size, c)
	if t.TextStyle.Bold != bold {
		t.TextStyle.Bold = bold
		t.Refresh()
	}
	t.Show()
	return t
}

func (p *pool) end() {
	for _, t := range p.all[p.used:] {
		if t.Visible() {
			t.Hide()
		}
	}
}

func setText(t *canvas.Text, s string, size float32, c color.Color) {
	if t.Text == s && t.TextSize == size && t.Color == c {
		return
	}
	t.Text, t.TextSize, t.Color = s, size, c
	t.Refresh()
}

func smallSize() float32 { return fynetheme.CaptionTextSize() }

func bodySize() float32 { return fynetheme.TextSize() }

func textHeight() float32 { return smallSize() * 1.4 }

// tickWidth is the room a label of the time axis needs.
func (c *Chart) tickWidth() float32 {
	span := c.snap.to - c.snap.from
	sample := "00:00"
	switch {
	case span < 5000:
		sample = "00:00:00.000"
	case span < 600_000:
		sample = "00:00:00"
	case span > 20*3600*1000:
		sample = "29 Nov 00"
	}
	return fyne.MeasureText(sample, smallSize(), fyne.TextStyle{}).Width * 1.5
}

const pad float32 = 6

// MinSize implements fyne.WidgetRenderer.
func (v *view) MinSize() fyne.Size {
	return fyne.NewSize(150*scaleOfText(), 86*scaleOfText())
}

// scaleOfText is the font scale in use.
func scaleOfText() float32 { return bodySize() / theme.Body }

// Layout implements fyne.WidgetRenderer: it takes a new snapshot and places
// everything by it.
func (v *view) Layout(size fyne.Size) {
	c := v.c
	if size.Width < 2 || size.Height < 2 {
		return
	}
	p := theme.Current()
	v.place(size, p)
	for range 2 { // the width of the labels decides the plot's, and that the ticks
		c.prepare(v.size)
		v.fit(size)
	}
	v.axes(p)
	v.placeMissing(p)
	v.placeCursor()
	v.collect()
	c.raster.Refresh()
}

// place puts down the frame and the header and finds the plot's place.
func (v *view) place(size fyne.Size, p *theme.Palette) {
	c := v.c
	v.ground.FillColor, v.ground.StrokeColor = p.Panel, p.Line
	if c.focused {
		v.ground.StrokeColor = p.Accent
	}
	v.ground.Resize(size)
	v.wheel.Resize(size)
	v.ground.Refresh()
	setText(v.title, c.title, bodySize(), p.Text)
	setText(v.value, c.value, bodySize(), p.Text)
	v.title.Resize(v.title.MinSize())
	v.value.Resize(v.value.MinSize())
	v.title.Move(fyne.NewPos(pad+2, 3))
	x := pad + 2
	if c.title != "" {
		x += v.title.MinSize().Width + pad
	}
	v.value.Move(fyne.NewPos(x, 3+baseline(v.title)-baseline(v.value)))
	if c.value != "" {
		x += v.value.MinSize().Width + pad
	}
	top := float32(3)
	if c.title != "" || c.value != "" {
		top += v.title.MinSize().Height
	}
	right := size.Width - pad
	v.notice.update()
	if v.notice.Visible() {
		m := v.notice.MinSize()
		right -= m.Width
		v.notice.Resize(m)
		v.notice.Move(fyne.NewPos(right, 2))
		top = max(top, 2+m.Height)
		right -= pad
	}
	v.legend()
	width := float32(0)
	for _, i := range v.items {
		width += i.MinSize().Width + pad
	}
	if len(v.items) > 0 {
		lx, ly := right-width, float32(2)
		if lx < x { // no room beside the title: a row of its own
			lx, ly = pad, top
			top += v.items[0].MinSize().Height
		}
		for _, i := range v.items {
			m := i.MinSize()
			if lx+m.Width > size.Width && lx > pad {
				lx, ly = pad, ly+m.Height
				top = ly + m.Height
			}
			i.Resize(m)
			i.Move(fyne.NewPos(lx, ly))
			lx += m.Width + pad
			top = max(top, ly+m.Height)
		}
	}
	v.pos.Y = top + 3
	v.size.Height = max(size.Height-v.pos.Y-textHeight()-5, 8)
	if v.size.Width == 0 {
		v.pos.X, v.size.Width = 30, max(size.Width-40, 8)
	}
}

// baseline is how far below its top a text stands: Chinese stands lower than
// Latin of the same size.
func baseline(t *canvas.Text) float32 {
	if t.Text == "" {
		return 0
	}
	_, base := fyne.CurrentApp().Driver().RenderedTextSize(t.Text, t.TextSize, t.TextStyle, nil)
	return base
}

// fit gives the plot the width that the labels of its axis leave.
func (v *view) fit(size fyne.Size) {
	// Room for three digits at least keeps the plots of a column in line.
	widest := fyne.MeasureText("000", smallSize(), fyne.TextStyle{}).Width
	a := v.c.snap.axis
	for _, t := range v.c.snap.yTicks {
		widest = max(widest, fyne.MeasureText(a.label(t), smallSize(), fyne.TextStyle{}).Width)
	}
	v.pos.X = pad + widest + 5
	v.size.Width = max(size.Width-v.pos.X-pad-2, 8)
	v.c.raster.Move(v.pos)
	v.c.raster.Resize(v.size)
}

// axes places the labels of both axes and of the limits.
func (v *view) axes(p *theme.Palette) {
	s, small := &v.c.snap, smallSize()
	v.yLabels.begin()
	v.xLabels.begin()
	v.limits.begin()
	v.backs.used = 0
	if s.data.Missing == "" {
		unit := s.axis.unitLabel()
		for i, val := range s.yTicks {
			t := v.yLabels.next(s.axis.label(val), small, p.Faint, false)
			m := t.MinSize()
			y := v.pos.Y + v.yAt(val) - m.Height/2
			if i == 0 {
				y = min(y, v.pos.Y+v.size.Height-m.Height+3)
			}
			t.Resize(m)
			t.Move(fyne.NewPos(v.pos.X-m.Width-4, max(y, v.pos.Y-4)))
		}
		if unit != "" {
			t := v.yLabels.next(unit, small, p.Faint, false)
			t.Resize(t.MinSize())
			t.Move(fyne.NewPos(v.pos.X+3, v.pos.Y))
			v.backs.under(t, p, 0xB4)
		}
		v.timeLabels(p, small)
		for _, l := range s.data.Limits {
			if l.Label == "" || l.Value <= 0 || l.Value > s.axis.top*1.001 {
				continue
			}
			t := v.limits.next(l.Label, small, p.Faint, false)
			m := t.MinSize()
			y := v.pos.Y + v.yAt(l.Value) - m.Height
			if y < v.pos.Y {
				y = v.pos.Y + v.yAt(l.Value)
			}
			t.Resize(m)
			t.Move(fyne.NewPos(v.pos.X+v.size.Width-m.Width-4, y))
			v.backs.under(t, p, 0xB4)
		}
	}
	v.backs.end()
	v.yLabels.end()
	v.xLabels.end()
	v.limits.end()
}

func (v *view) timeLabels(p *theme.Palette, small float32) {
	s := &v.c.snap
	last := float32(-1)
	for _, k := range s.ticks {
		t := v.xLabels.next(k.label, small, p.Faint, k.day)
		m := t.MinSize()
		x := v.pos.X + s.x(k.t, 1)*v.size.Width - m.Width/2
		x = min(max(x, v.pos.X-pad), v.pos.X+v.size.Width-m.Width+pad)
		if x < last { // a date between times is wider than its neighbours
			v.xLabels.used--
			continue
		}
		last = x + m.Width + 4
		t.Resize(m)
		t.Move(fyne.NewPos(x, v.pos.Y+v.size.Height+1))
	}
}

// yAt returns where a value stands below the top of the plot.
func (v *view) yAt(val float64) float32 {
	foot := v.c.snap.foot()
	return v.size.Height - foot - 1 - float32(val/v.c.snap.axis.top)*(v.size.Height-foot-2)
}

func (v *view) placeMissing(p *theme.Palette) {
	v.missing.begin()
	if s := v.c.data.Missing; s != "" {
		lines := widgets.Wrap(s, v.size.Width-2*pad, bodySize(), fyne.TextStyle{})
		h := bodySize() * 1.5
		y := v.pos.Y + (v.size.Height-h*float32(len(lines)))/2
		for _, l := range lines {
			t := v.missing.next(l, bodySize(), p.Faint, false)
			m := t.MinSize()
			t.Resize(m)
			t.Move(fyne.NewPos(v.pos.X+(v.size.Width-m.Width)/2, y))
			y += h
		}
	}
	v.missing.end()
}

// collect lists the objects anew when pools or legend have grown.
func (v *view) collect() {
	o := v.objects[:0]
	o = append(o, v.ground, v.c.raster, v.sel)
	for _, r := range v.backs.all {
		o = append(o, r)
	}
	for _, p := range [...]*pool{&v.yLabels, &v.xLabels, &v.limits, &v.missing} {
		for _, t := range p.all {
			o = append(o, t)
		}
	}
	o = append(o, v.wheel, v.title, v.value, v.notice)
	for _, i := range v.items {
		o = append(o, i)
	}
	o = append(o, v.line)
	v.objects = v.read.append(o)
}

// Objects implements fyne.WidgetRenderer.
func (v *view) Objects() []fyne.CanvasObject {
	if len(v.objects) == 0 {
		v.collect()
	}
	return v.objects
}

// Refresh implements fyne.WidgetRenderer.
func (v *view) Refresh() { v.c.redraw() }

// Destroy implements fyne.WidgetRenderer.
func (v *view) Destroy() {}
