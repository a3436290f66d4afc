package chart

import (
	"image/color"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"rentgen/assets/texts"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// readout is the box beside the crosshair.
type readout struct {
	box   *canvas.Rectangle
	rows  pool
	keys  []*canvas.Rectangle // colour swatches, by row
	shown bool
}

func newReadout() *readout {
	r := &readout{box: canvas.NewRectangle(color.Transparent)}
	r.box.CornerRadius, r.box.StrokeWidth = 3, 1
	r.box.Hide()
	return r
}

func (r *readout) append(o []fyne.CanvasObject) []fyne.CanvasObject {
	o = append(o, r.box)
	for _, k := range r.keys {
		o = append(o, k)
	}
	for _, t := range r.rows.all {
		o = append(o, t)
	}
	return o
}

func (r *readout) hide() {
	if !r.shown {
		return
	}
	r.shown = false
	r.box.Hide()
	r.rows.begin()
	r.rows.end()
	for _, k := range r.keys {
		k.Hide()
	}
}

// row is one line of the box; slot is -1 where there is no swatch.
type row struct {
	text string
	slot int
	bold bool
}

// placeCursor puts crosshair, selection and readout where the group says.
func (v *view) placeCursor() {
	s, g := &v.c.snap, v.c.group
	p := theme.Current()
	before := len(v.read.keys) + len(v.read.rows.all)
	v.placeSelection(p)
	if !g.hasHand || g.cursor < s.from || g.cursor > s.to || s.to <= s.from || v.c.data.Missing != "" {
		v.line.Hide()
		v.read.hide()
		return
	}
	x := v.pos.X + s.x(g.cursor, 1)*v.size.Width
	v.line.StrokeColor = p.Crosshair
	v.line.Position1, v.line.Position2 = fyne.NewPos(x, v.pos.Y), fyne.NewPos(x, v.pos.Y+v.size.Height)
	v.line.Show()
	v.line.Refresh()
	v.read.place(v.c.Size().Width, v.pos.Y, v.c.rows(g.cursor), x, p)
	if before != len(v.read.keys)+len(v.read.rows.all) {
		v.collect()
	}
}

func (v *view) placeSelection(p *theme.Palette) {
	s, g := &v.c.snap, v.c.group
	a, b := max(g.selFrom, s.from), min(g.selTo, s.to)
	if b <= a || v.c.data.Missing != "" {
		v.sel.Hide()
		return
	}
	x0, x1 := s.x(a, 1)*v.size.Width, s.x(b, 1)*v.size.Width
	fill := p.Accent
	fill.A = 0x38
	v.sel.FillColor = fill
	v.sel.Move(fyne.NewPos(v.pos.X+x0, v.pos.Y))
	v.sel.Resize(fyne.NewSize(max(x1-x0, 1), v.size.Height))
	v.sel.Show()
	v.sel.Refresh()
}

// place puts the box beside x, below top, within width.
func (r *readout) place(whole, y0 float32, rows []row, x float32, p *theme.Palette) {
	if len(rows) == 0 {
		r.hide()
		return
	}
	r.shown = true
	small := smallSize()
	r.rows.begin()
	for len(r.keys) < len(rows) {
		r.keys = append(r.keys, canvas.NewRectangle(color.Transparent))
	}
	width := float32(0)
	placed := make([]*canvas.Text, len(rows))
	for i, w := range rows {
		t := r.rows.next(w.text, small, p.Text, w.bold)
		placed[i] = t
		m := t.MinSize().Width
		if w.slot >= 0 {
			m += 13
		}
		width = max(width, m)
	}
	r.rows.end()
	lh := textHeight()
	box := fyne.NewSize(width+10, lh*float32(len(rows))+6)
	left, top := x+8, y0+2
	if left+box.Width > whole-1 {
		left = max(x-8-box.Width, 1)
	}
	r.box.FillColor, r.box.StrokeColor = p.Ground, p.Line
	r.box.Resize(box)
	r.box.Move(fyne.NewPos(left, top))
	r.box.Show()
	r.box.Refresh()
	for i, w := range rows {
		y := top + 3 + lh*float32(i)
		tx := left + 5
		key := r.keys[i]
		if w.slot >= 0 {
			key.FillColor, _ = p.SeriesOf(w.slot)
			key.Resize(fyne.NewSize(9, 3))
			key.Move(fyne.NewPos(tx, y+lh/2-1))
			key.Show()
			key.Refresh()
			tx += 13
		} else {
			key.Hide()
		}
		placed[i].Resize(placed[i].MinSize())
		placed[i].Move(fyne.NewPos(tx, y))
	}
	for _, k := range r.keys[len(rows):] {
		k.Hide()
	}
}

// rows says what is at a moment: its exact time, events near it, the reason of
// a gap, and the value of every shown series.
func (c *Chart) rows(t int64) []row {
	s := &c.snap
	perPx := float64(s.to-s.from) / float64(max(c.raster.Size().Width, 1))
	near := int64(perPx * markHalf)
	var rows []row
	when := texts.Clock(time.UnixMilli(t))
	if s.to-s.from < 120_000 {
		when = texts.ClockMillis(time.UnixMilli(t))
	}
	if s.to-s.from > 12*3600_000 || time.UnixMilli(t).Local().YearDay() != time.UnixMilli(max(c.group.now, s.to)).Local().YearDay() {
		when = texts.Date(c.texts, time.UnixMilli(t)) + " " + when
	}
	rows = append(rows, row{text: when + "  " + texts.Zone(time.UnixMilli(t)), slot: -1, bold: true})
	width := min(c.Size().Width*0.6, 280)
	add := func(text string) {
		for _, l := range widgets.Wrap(text, width, smallSize(), fyne.TextStyle{}) {
			rows = append(rows, row{text: l, slot: -1})
		}
	}
	for _, m := range s.data.Marks {
		if m.Text != "" && m.T >= t-near && m.T <= t+near {
			add(texts.Clock(time.UnixMilli(m.T)) + " " + m.Text)
		}
	}
	gap := false
	for _, g := range s.data.Gaps {
		if g.From <= t && t <= g.To {
			add(g.Reason)
			gap = true
			break
		}
	}
	for _, b := range s.data.Bands {
		if b.From <= t && t <= b.To && b.Text != "" {
			add(b.Text)
		}
	}
	if gap {
		return rows
	}
	for i := range s.data.Series {
		d := &s.data.Series[i]
		if i < len(s.hidden) && s.hidden[i] {
			continue
		}
		rows = append(rows, row{text: c.reading(d, t, max(int64(perPx*2), d.Step)), slot: d.Slot})
	}
	return rows
}

// reading is the value of a series at a moment, with its spread where the
// point stands for several readings.
func (c *Chart) reading(d *Series, t, reach int64) string {
	text := texts.Dash
	if i := d.nearest(t, reach); i >= 0 {
		unit := c.snap.data.Unit
		text = texts.Value(c.texts, float64(d.Mean[i]), unit)
		low, high := float64(d.Min[i]), float64(d.Max[i])
		if texts.Value(c.texts, low, unit) != texts.Value(c.texts, high, unit) {
			text = c.texts.T("chart.spread", "mean", text, "band", texts.Band(c.texts, low, high, unit))
		}
	}
	if d.Name == "" {
		return text
	}
	return d.Name + " " + text
}

// Values returns what the readout says at the crosshair, line by line, for
// copying; nil without a crosshair.
func (c *Chart) Values() []string {
	if !c.group.hasHand {
		return nil
	}
	var out []string
	for _, r := range c.rows(c.group.cursor) {
		out = append(out, r.text)
	}
	return out
}
