package chart

import (
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"rentgen/assets/texts"
	"rentgen/ui/theme"
)

// Params make a chart.
type Params struct {
	Title string
	// Texts is the language of labels and hovers; nil is English.
	Texts *texts.Catalogue
	// Group shares view and crosshair; nil gives the chart its own.
	Group *Group
	// Legend shows the legend also for a single series.
	Legend bool
}

// Chart is one plot with its axes, title and legend. It can be focused: left
// and right pan, plus and minus zoom, comma and full stop move the crosshair,
// Home returns to live.
type Chart struct {
	widget.BaseWidget
	texts  *texts.Catalogue
	group  *Group
	title  string
	value  string
	legend bool

	data   *Data
	own    Data // what source fills
	source func(from, to time.Time, d *Data)
	hidden map[string]bool // by series name, as toggled
	seen   map[string]bool // names whose own Hidden was taken over

	axis     yAxis
	hover    bool
	focused  bool
	dragging bool
	marking  bool // the drag marks a span
	markFrom int64
	frame
	view *view
}

// New returns an empty chart.
func New(p Params) *Chart {
	c := &Chart{
		texts: p.Texts, group: p.Group, title: p.Title, legend: p.Legend,
		data: &Data{}, hidden: map[string]bool{}, seen: map[string]bool{},
	}
	if c.texts == nil {
		c.texts = texts.For(texts.English)
	}
	if c.group == nil {
		c.group = NewGroup()
	}
	c.finish()
	c.group.add(c)
	return c
}

func (c *Chart) finish() {
	c.ExtendBaseWidget(c)
	c.frame.open()
}

// Group returns what the chart shares with others.
func (c *Chart) Group() *Group { return c.group }

// SetTitle changes the title.
func (c *Chart) SetTitle(s string) {
	if c.title != s {
		c.title = s
		c.layout()
	}
}

// SetValue sets the current value that stands behind the title.
func (c *Chart) SetValue(s string) {
	if c.value != s {
		c.value = s
		c.layout()
	}
}

// SetData shows d from the next redraw on, which it asks for.
func (c *Chart) SetData(d Data) {
	c.source, c.own = nil, d
	c.data = &c.own
	c.group.Touch()
}

// Data returns what is drawn. It must not be changed.
func (c *Chart) Data() *Data { return c.data }

// SetSource lets the chart fetch what it shows whenever it is about to draw:
// fill appends the points between from and to (and one on either side, so that
// lines reach the edges) to the cleared d. It is called on the UI thread and
// only while the chart is on screen.
func (c *Chart) SetSource(fill func(from, to time.Time, d *Data)) {
	c.source = fill
	c.group.Touch()
}

// SetView shows a span in all charts of the group.
func (c *Chart) SetView(from, to time.Time) { c.group.SetView(from, to) }

// OnView is told when the view was changed by hand or call.
func (c *Chart) OnView(f func(from, to time.Time)) {
	c.group.OnView(func(a, b time.Time, _ bool) { f(a, b) })
}

// SetCursor puts the group's crosshair at t.
func (c *Chart) SetCursor(t time.Time) { c.group.SetCursor(t) }

// OnCursor is told where the crosshair stands.
func (c *Chart) OnCursor(f func(t time.Time, ok bool)) { c.group.OnCursor(f) }

// Toggle hides or shows a series as its entry in the legend does.
func (c *Chart) Toggle(name string) {
	c.hidden[name] = !c.isHidden(name)
	c.seen[name] = true
	c.redraw()
}

func (c *Chart) isHidden(name string) bool { return c.hidden[name] }

// redraw takes a new snapshot and has it drawn.
func (c *Chart) redraw() {
	if !c.Visible() || c.view == nil {
		return
	}
	if c.source != nil {
		c.own.Clear()
		from, to := c.group.View()
		c.source(from, to, &c.own)
		c.data = &c.own
	}
	c.layout()
}

// prepare makes the snapshot for a plot of the given size.
func (c *Chart) prepare(size fyne.Size) {
	d, s := c.data, &c.snap
	for i := range d.Series {
		if name := d.Series[i].Name; !c.seen[name] {
			c.seen[name] = true
			c.hidden[name] = d.Series[i].Hidden
		}
	}
	s.data, s.palette = d, theme.Current()
	s.from, s.to = c.group.from, c.group.to
	s.hidden = s.hidden[:0]
	for i := range d.Series {
		s.hidden = append(s.hidden, c.isHidden(d.Series[i].Name))
	}
	th := textHeight()
	n := max(int(size.Height/(th*1.9)), 1)
	if held := c.hover && c.axis.top > 0 && c.axis.unit == d.Unit; !held {
		c.rescale(min(n, 10))
	}
	s.axis = c.axis
	s.yTicks = s.yTicks[:0]
	for v := 0.0; v <= s.axis.top*1.0001; v += s.axis.step {
		s.yTicks = append(s.yTicks, v)
	}
	s.ticks = timeTicks(s.ticks, c.texts, s.from, s.to, max(int(size.Width/c.tickWidth()), 1))
	c.drawn = false
}

// rescale gives the axis the top that the values need. While readings come it
// shrinks by one step only when they stay well below: a line that hovers about a round
// number would make it jump to and fro otherwise.
func (c *Chart) rescale(ticks int) {
	high := c.snap.highest()
	next := newAxis(c.data.Unit, c.data.Fixed, high, ticks)
	next.ticks = ticks
	if c.group.live && c.axis.unit == next.unit && c.axis.ticks == ticks && c.data.Fixed == 0 &&
		next.top < c.axis.top && c.axis.top <= next.top*1.6 && high > next.top*0.85 {
		return
	}
	c.axis = next
}

// highest returns the greatest value and limit in view.
func (s *snapshot) highest() float64 {
	high := float32(0)
	for k := range s.data.Series {
		if s.hidden[k] {
			continue
		}
		d := &s.data.Series[k]
		for i := max(d.first(s.from)-1, 0); i < len(d.T); i++ {
			if v := d.Max[i]; v > high {
				high = v
			}
			if d.T[i] > s.to {
				break
			}
		}
	}
	top := float64(high)
	for _, l := range s.data.Limits {
		top = max(top, l.Value)
	}
	return top
}

// MinSize is what a chart needs to be read.
func (c *Chart) MinSize() fyne.Size {
	c.ExtendBaseWidget(c)
	return c.BaseWidget.MinSize()
}

// CreateRenderer implements fyne.Widget.
func (c *Chart) CreateRenderer() fyne.WidgetRenderer {
	c.view = newView(c)
	return c.view
}

func (c *Chart) layout() {
	if c.view != nil {
		c.view.Layout(c.Size())
	}
}

// cursorMoved follows the group's crosshair without drawing the plot anew.
func (c *Chart) cursorMoved() {
	if c.view != nil && c.Visible() {
		c.view.placeCursor()
	}
}
