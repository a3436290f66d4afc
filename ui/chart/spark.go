package chart

import (
	"image/color"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"rentgen/assets/texts"
	"rentgen/ui/theme"
)

// SparkParams make a spark.
type SparkParams struct {
	// Group shares view and pace; nil gives the spark its own.
	Group *Group
	// Size is the least size; 0 means 64 x 20 times the font scale.
	Size fyne.Size
}

// Spark is a small line without axes, for cards and strips. It shows the
// group's view; where there is nothing to show it shows a dash.
type Spark struct {
	widget.BaseWidget
	group  *Group
	least  fyne.Size
	data   Data
	source func(from, to time.Time, d *Data)
	frame
	dash *canvas.Text
}

// NewSpark returns an empty spark.
func NewSpark(p SparkParams) *Spark {
	s := &Spark{group: p.Group, least: p.Size, dash: canvas.NewText(texts.Dash, color.Black)}
	if s.group == nil {
		s.group = NewGroup()
	}
	s.frame.open()
	s.dash.Alignment = fyne.TextAlignCenter
	s.ExtendBaseWidget(s)
	s.group.add(s)
	return s
}

// SetData shows d from the next redraw on, which it asks for.
func (s *Spark) SetData(d Data) {
	s.source, s.data = nil, d
	s.group.Touch()
}

// SetSource is Chart.SetSource.
func (s *Spark) SetSource(fill func(from, to time.Time, d *Data)) {
	s.source = fill
	s.group.Touch()
}

func (s *Spark) cursorMoved() {}

func (s *Spark) redraw() {
	if !s.Visible() || s.Size().Width < 1 {
		return
	}
	if s.source != nil {
		from, to := s.group.View()
		s.data.Clear()
		s.source(from, to, &s.data)
	}
	s.prepare()
	s.raster.Refresh()
}

func (s *Spark) prepare() {
	n := &s.snap
	n.data, n.palette, n.plain = &s.data, theme.Current(), true
	n.from, n.to = s.group.from, s.group.to
	n.hidden = n.hidden[:0]
	points := false
	for i := range s.data.Series {
		n.hidden = append(n.hidden, s.data.Series[i].Hidden)
		points = points || s.data.Series[i].Len() > 0
	}
	n.axis = newAxis(s.data.Unit, s.data.Fixed, n.highest(), 2)
	s.drawn = false
	setText(s.dash, texts.Dash, smallSize(), n.palette.Faint)
	if none := s.data.Missing != "" || !points; none != s.dash.Visible() {
		s.dash.Hidden = !none
		s.dash.Refresh()
	}
}

// CreateRenderer implements fyne.Widget.
func (s *Spark) CreateRenderer() fyne.WidgetRenderer { return &sparkView{s} }

type sparkView struct{ s *Spark }

func (v *sparkView) MinSize() fyne.Size {
	if v.s.least.Width > 0 {
		return v.s.least
	}
	return fyne.NewSize(64*scaleOfText(), 20*scaleOfText())
}

func (v *sparkView) Layout(size fyne.Size) {
	v.s.raster.Resize(size)
	m := v.s.dash.MinSize()
	v.s.dash.Resize(fyne.NewSize(size.Width, m.Height))
	v.s.dash.Move(fyne.NewPos(0, (size.Height-m.Height)/2))
	v.s.prepare()
}

func (v *sparkView) Refresh() { v.s.redraw() }

func (v *sparkView) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{v.s.raster, v.s.dash}
}

func (v *sparkView) Destroy() {}
