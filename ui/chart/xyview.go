package chart

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"rentgen/assets/texts"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// xyView is the renderer of an XY.
type xyView struct {
	x       *XY
	ground  *canvas.Rectangle
	title   *canvas.Text
	items   []*legendItem
	labels  pool
	missing pool
	backs   backs // ground under labels that stand in the plot
	line    *canvas.Line
	read    *readout
	axis    yAxis
	xStep   float64
	pos     fyne.Position // of the plot
	size    fyne.Size
	unit    fyne.Size // of the name of the unit, which stands in the plot
	taken   []box     // where texts stand in the plot
	objects []fyne.CanvasObject
}

func newXYView(x *XY) *xyView {
	v := &xyView{
		x: x, ground: canvas.NewRectangle(color.Transparent), title: canvas.NewText("", color.Black),
		line: canvas.NewLine(color.Black), read: newReadout(),
	}
	v.ground.CornerRadius, v.ground.StrokeWidth = 3, 1
	v.title.TextStyle.Bold = true
	v.line.StrokeWidth = 1
	v.line.Hide()
	return v
}

func (v *xyView) MinSize() fyne.Size { return fyne.NewSize(220*scaleOfText(), 150*scaleOfText()) }

func (v *xyView) Layout(size fyne.Size) {
	if size.Width < 2 || size.Height < 2 {
		return
	}
	p := theme.Current()
	v.ground.FillColor, v.ground.StrokeColor = p.Panel, p.Line
	if v.x.focused {
		v.ground.StrokeColor = p.Accent
	}
	v.ground.Resize(size)
	v.ground.Refresh()
	setText(v.title, v.x.title, bodySize(), p.Text)
	v.title.Resize(v.title.MinSize())
	v.title.Move(fyne.NewPos(pad+2, 3))
	top := float32(3)
	if v.x.title != "" {
		top += v.title.MinSize().Height + 2
	}
	top = v.legend(size, top)
	th := textHeight()
	v.pos.Y, v.size.Height = top+4, max(size.Height-top-4-th-5, 8)
	v.scale()
	widest := fyne.MeasureText("000", smallSize(), fyne.TextStyle{}).Width
	for _, val := range v.ticks(v.axis.top, v.axis.step) {
		widest = max(widest, fyne.MeasureText(v.axis.label(val), smallSize(), fyne.TextStyle{}).Width)
	}
	v.pos.X = pad + widest + 5
	v.size.Width = max(size.Width-v.pos.X-pad-4, 8)
	v.x.raster.Move(v.pos)
	v.x.raster.Resize(v.size)
	v.axes(p)
	v.placeCursor()
	v.collect()
	v.x.raster.Refresh()
}

// legend places an entry for each series and returns where it ends.
func (v *xyView) legend(size fyne.Size, top float32) float32 {
	d := &v.x.data
	n := len(d.Series)
	if d.Missing != "" {
		n = 0
	}
	if n < len(v.items) {
		v.items = v.items[:n]
	}
	lx := pad
	for i := range n {
		s := &d.Series[i]
		if i == len(v.items) {
			v.items = append(v.items, newLegendItem(nil))
		}
		it := v.items[i]
		it.press = func() { v.x.Toggle(it.name) }
		_, dashed := theme.Current().SeriesOf(s.Slot)
		it.set(s.Name, short(s.Name, max(size.Width/3, 90), smallSize()), s.Slot, dashed, v.x.hidden[s.Name])
		m := it.MinSize()
		if lx+m.Width > size.Width-pad && lx > pad {
			lx, top = pad, top+m.Height
		}
		it.Resize(m)
		it.Move(fyne.NewPos(lx, top))
		lx += m.Width + pad
		if i == n-1 {
			top += m.Height
		}
	}
	return top
}

// scale finds the axes.
func (v *xyView) scale() {
	d, high := &v.x.data, 0.0
	for i := range d.Series {
		if v.x.hidden[d.Series[i].Name] {
			continue
		}
		for _, y := range d.Series[i].High {
			high = max(high, y)
		}
	}
	v.axis = newAxis(d.Unit, 0, high, min(max(int(v.size.Height/(textHeight()*1.9)), 1), 8))
	label := fyne.MeasureText(texts.Count(int64(v.x.top())), smallSize(), fyne.TextStyle{}).Width
	_, v.xStep = niceTop(v.x.top(), min(max(int(v.size.Width/(label+24)), 1), 12))
}

func (v *xyView) ticks(top, step float64) []float64 {
	var all []float64
	for t := 0.0; t <= top*1.0001; t += step {
		all = append(all, t)
	}
	return all
}

func (v *xyView) xAt(x float64) float32 { return v.pos.X + float32(x/v.x.top())*v.size.Width }

func (v *xyView) yAt(y float64) float32 {
	return v.pos.Y + v.size.Height - 1 - float32(y/v.axis.top)*(v.size.Height-2)
}

func (v *xyView) axes(p *theme.Palette) {
	d, small := &v.x.data, smallSize()
	v.labels.begin()
	v.missing.begin()
	v.backs.used = 0
	defer func() {
		v.backs.end()
	}()
	put := func(s string, c color.Color, bold bool) (*canvas.Text, fyne.Size) {
		t := v.labels.next(s, small, c, bold)
		m := t.MinSize()
		t.Resize(m)
		return t, m
	}
	if d.Missing != "" {
		lines := widgets.Wrap(d.Missing, v.size.Width-2*pad, bodySize(), fyne.TextStyle{})
		y := v.pos.Y + (v.size.Height-bodySize()*1.5*float32(len(lines)))/2
		for _, l := range lines {
			t := v.missing.next(l, bodySize(), p.Faint, false)
			m := t.MinSize()
			t.Resize(m)
			t.Move(fyne.NewPos(v.pos.X+(v.size.Width-m.Width)/2, y))
			y += bodySize() * 1.5
		}
		v.labels.end()
		v.missing.end()
		return
	}
	for i, val := range v.ticks(v.axis.top, v.axis.step) {
		t, m := put(v.axis.label(val), p.Faint, false)
		y := v.yAt(val) - m.Height/2
		if i == 0 {
			y = min(y, v.pos.Y+v.size.Height-m.Height+3)
		}
		t.Move(fyne.NewPos(v.pos.X-m.Width-4, max(y, v.pos.Y-4)))
	}
	if d.Unit != "" {
		t, m := put(d.Unit, p.Faint, false)
		t.Move(fyne.NewPos(v.pos.X+3, v.pos.Y))
		v.unit = m
		v.backs.under(t, p, 0xC8)
	}
	below := v.pos.Y + v.size.Height + 1
	end := v.pos.X + v.size.Width
	unit, um := put(d.XUnit, p.Faint, false)
	unit.Move(fyne.NewPos(end-um.Width, below))
	for _, val := range v.ticks(v.x.top(), v.xStep) {
		s := texts.Number(val, 0)
		if v.xStep < 1 {
			s = texts.Number(val, 1)
		}
		w := fyne.MeasureText(s, small, fyne.TextStyle{}).Width
		at := max(v.xAt(val)-w/2, v.pos.X-pad)
		if at+w > end-um.Width-4 {
			continue
		}
		t, _ := put(s, p.Faint, false)
		t.Move(fyne.NewPos(at, below))
	}
	v.named(p, put)
	v.labels.end()
	v.missing.end()
}

// box is where a text stands.
type box struct{ x0, y0, x1, y1 float32 }

func (b box) meets(o box) bool { return b.x1 >= o.x0 && o.x1 >= b.x0 && b.y1 >= o.y0 && o.y1 >= b.y0 }

// named writes at the marks and at the place that has a name; a label that
// would lie over another one is left to the readout.
func (v *xyView) named(p *theme.Palette, put func(string, color.Color, bool) (*canvas.Text, fyne.Size)) {
	d := &v.x.data
	v.taken = append(v.taken[:0], box{v.pos.X, v.pos.Y, v.pos.X + 3 + v.unit.Width, v.pos.Y + v.unit.Height})
	right := v.pos.X + v.size.Width
	// place tries the sides of a point in turn: left above it, where a rising
	// line leaves most room, then right below.
	place := func(s string, bold bool, c color.Color, px, py float32, sides ...fyne.Position) {
		m := fyne.MeasureText(s, smallSize(), fyne.TextStyle{Bold: bold})
		for _, side := range sides {
			x, try := px+side.X, py+side.Y
			if side.X < 0 {
				x -= m.Width
			}
			if side.Y < 0 {
				try -= m.Height
			}
			x = min(max(x, v.pos.X+2), right-m.Width-2)
			b := box{x - 2, try, x + m.Width + 2, try + m.Height}
			if b.y0 < v.pos.Y || b.y1 > v.pos.Y+v.size.Height {
				continue
			}
			free := true
			for _, o := range v.taken {
				free = free && !b.meets(o)
			}
			if free {
				v.taken = append(v.taken, b)
				t, _ := put(s, c, bold)
				t.Move(fyne.NewPos(x, try))
				v.backs.under(t, p, 0xC8)
				return
			}
		}
	}
	for _, m := range d.Marks {
		if m.Strong && m.Text != "" && m.X <= v.x.top() {
			place(m.Text, true, p.Text, v.xAt(m.X), v.yAt(m.Y), fyne.NewPos(-6, -5), fyne.NewPos(7, 5), fyne.NewPos(-6, 5),
				fyne.NewPos(7, -5), fyne.NewPos(-6, -22), fyne.NewPos(7, 22))
		}
	}
	if d.AtText != "" && d.At > 0 && d.At <= v.x.top() {
		at := fyne.NewPos(4, 2)
		place(d.AtText, false, p.Faint, v.xAt(d.At), v.pos.Y, at, at.AddXY(0, textHeight()), at.AddXY(0, 2*textHeight()))
	}
}

func (v *xyView) placeCursor() {
	x, p := v.x, theme.Current()
	before := len(v.read.keys) + len(v.read.rows.all)
	if !x.hand || x.data.Missing != "" || len(x.data.Series) == 0 {
		v.line.Hide()
		v.read.hide()
		return
	}
	at := v.xAt(x.cursor)
	v.line.StrokeColor = p.Crosshair
	v.line.Position1, v.line.Position2 = fyne.NewPos(at, v.pos.Y), fyne.NewPos(at, v.pos.Y+v.size.Height)
	v.line.Show()
	v.line.Refresh()
	v.read.place(x.Size().Width, v.pos.Y, x.rows(), at, p)
	if before != len(v.read.keys)+len(v.read.rows.all) {
		v.collect()
	}
}

func (v *xyView) collect() {
	o := append(v.objects[:0], v.ground, v.x.raster, v.title)
	for _, r := range v.backs.all {
		o = append(o, r)
	}
	for _, ps := range [...]*pool{&v.labels, &v.missing} {
		for _, t := range ps.all {
			o = append(o, t)
		}
	}
	for _, i := range v.items {
		o = append(o, i)
	}
	o = append(o, v.line)
	v.objects = v.read.append(o)
}

// Objects implements fyne.WidgetRenderer.
func (v *xyView) Objects() []fyne.CanvasObject {
	if len(v.objects) == 0 {
		v.collect()
	}
	return v.objects
}

// Refresh implements fyne.WidgetRenderer.
func (v *xyView) Refresh() { v.Layout(v.x.Size()) }

// Destroy implements fyne.WidgetRenderer.
func (v *xyView) Destroy() {}
