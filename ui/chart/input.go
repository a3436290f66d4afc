package chart

import (
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"
)

var (
	_ desktop.Hoverable   = (*Chart)(nil)
	_ desktop.Mouseable   = (*Chart)(nil)
	_ desktop.Cursorable  = (*Chart)(nil)
	_ fyne.Draggable      = (*Chart)(nil)
	_ fyne.Scrollable     = (*wheel)(nil)
	_ fyne.DoubleTappable = (*Chart)(nil)
	_ fyne.Focusable      = (*Chart)(nil)
)

// timeAt returns the moment under a position, held within the view.
func (c *Chart) timeAt(p fyne.Position) int64 {
	if c.view == nil || c.view.size.Width <= 0 {
		return c.group.to
	}
	f := float64(p.X-c.view.pos.X) / float64(c.view.size.Width)
	f = min(max(f, 0), 1)
	return c.group.from + int64(f*float64(c.group.to-c.group.from))
}

// MouseIn implements desktop.Hoverable.
func (c *Chart) MouseIn(e *desktop.MouseEvent) {
	c.hover = true
	c.MouseMoved(e)
}

// MouseMoved moves the crosshair.
func (c *Chart) MouseMoved(e *desktop.MouseEvent) { c.group.setCursor(c.timeAt(e.Position), true) }

// MouseOut takes the crosshair away and lets the axis follow the data again.
func (c *Chart) MouseOut() {
	c.hover = false
	c.group.setCursor(0, false)
	c.group.touch(dataPace)
}

// Cursor implements desktop.Cursorable.
func (c *Chart) Cursor() desktop.Cursor {
	if c.group.marking {
		return desktop.CrosshairCursor
	}
	return desktop.DefaultCursor
}

// MouseDown takes the focus; with shift held the drag that follows marks a span.
func (c *Chart) MouseDown(e *desktop.MouseEvent) {
	c.marking = c.group.marking || e.Modifier&fyne.KeyModifierShift != 0
	c.markFrom = c.timeAt(e.Position)
	if cv := fyne.CurrentApp().Driver().CanvasForObject(c); cv != nil {
		cv.Focus(c)
	}
}

// MouseUp implements desktop.Mouseable.
func (c *Chart) MouseUp(*desktop.MouseEvent) {}

// Dragged pans, or marks a span.
func (c *Chart) Dragged(e *fyne.DragEvent) {
	c.dragging = true
	if c.marking {
		c.group.mark(c.markFrom, c.timeAt(e.Position))
		return
	}
	if c.view == nil || c.view.size.Width <= 0 {
		return
	}
	ms := float64(e.Dragged.DX) / float64(c.view.size.Width) * float64(c.group.to-c.group.from)
	c.group.Pan(-time.Duration(ms) * time.Millisecond)
}

// DragEnd tells what was marked.
func (c *Chart) DragEnd() {
	if c.dragging && c.marking {
		if a, b, ok := c.group.Selection(); ok {
			c.group.Select(a, b)
		}
	}
	c.dragging, c.marking = false, false
}

// wheel lies over a chart and hears the wheel. The chart itself must not:
// Fyne clips whatever can be scrolled to itself, and its software painter then
// forgets the clip of a scroll container round it.
type wheel struct {
	widget.BaseWidget
	c *Chart
}

func newWheel(c *Chart) *wheel {
	w := &wheel{c: c}
	w.ExtendBaseWidget(w)
	return w
}

// CreateRenderer draws nothing.
func (w *wheel) CreateRenderer() fyne.WidgetRenderer {
	return widget.NewSimpleRenderer(container.NewWithoutLayout())
}

// Scrolled hands the turn of the wheel to the chart.
func (w *wheel) Scrolled(e *fyne.ScrollEvent) { w.c.turned(e) }

// turned zooms at the hand; a sideways turn pans.
func (c *Chart) turned(e *fyne.ScrollEvent) {
	if dx := e.Scrolled.DX; dx != 0 && abs32(dx) > abs32(e.Scrolled.DY) {
		c.group.Pan(-time.Duration(float64(dx)/400*float64(c.group.to-c.group.from)) * time.Millisecond)
		return
	}
	factor := 1.0
	switch {
	case e.Scrolled.DY > 0:
		factor = 0.8
	case e.Scrolled.DY < 0:
		factor = 1.25
	default:
		return
	}
	at := time.UnixMilli(c.timeAt(e.Position))
	if c.group.live && at.UnixMilli() > c.group.to-(c.group.to-c.group.from)/20 {
		at = time.UnixMilli(c.group.to) // at the live edge the newest stays in view
	}
	c.group.Zoom(at, factor)
	c.group.setCursor(c.timeAt(e.Position), true)
}

func abs32(f float32) float32 {
	if f < 0 {
		return -f
	}
	return f
}

// DoubleTapped returns to live, or to the whole recording.
func (c *Chart) DoubleTapped(*fyne.PointEvent) {
	if _, _, marked := c.group.Selection(); marked {
		c.group.Select(time.Time{}, time.Time{})
	}
	c.group.GoLive()
}

// FocusGained implements fyne.Focusable.
func (c *Chart) FocusGained() {
	c.focused = true
	c.layout()
}

// FocusLost implements fyne.Focusable.
func (c *Chart) FocusLost() {
	c.focused = false
	if !c.hover {
		c.group.setCursor(0, false)
	}
	c.layout()
}

// TypedRune zooms with plus and minus and moves the crosshair with comma and
// full stop, also in their full-width forms.
func (c *Chart) TypedRune(r rune) {
	switch r {
	case '+', '=', '＋':
		c.zoomKey(0.8)
	case '-', '_', '－', '−':
		c.zoomKey(1.25)
	case ',', '<', '，':
		c.stepCursor(-1)
	case '.', '>', '。':
		c.stepCursor(1)
	}
}

// TypedKey pans with the arrows and returns to live with Home.
func (c *Chart) TypedKey(e *fyne.KeyEvent) {
	tenth := time.Duration(c.group.to-c.group.from) * time.Millisecond / 10
	switch e.Name {
	case fyne.KeyLeft:
		c.group.Pan(-tenth)
	case fyne.KeyRight:
		c.group.Pan(tenth)
	case fyne.KeyPageUp:
		c.group.Pan(-9 * tenth)
	case fyne.KeyPageDown:
		c.group.Pan(9 * tenth)
	case fyne.KeyUp:
		c.zoomKey(0.8)
	case fyne.KeyDown:
		c.zoomKey(1.25)
	case fyne.KeyHome:
		c.group.GoLive()
	case fyne.KeyEscape:
		if _, _, marked := c.group.Selection(); !marked && !c.group.hasHand {
			passKey(c, e)
			return
		}
		c.group.Select(time.Time{}, time.Time{})
		c.group.setCursor(0, false)
	default:
		passKey(c, e)
	}
}

// passKey hands a key that means nothing here to the window, which would not
// see it otherwise: Fyne gives keys to the focused widget alone.
func passKey(o fyne.CanvasObject, e *fyne.KeyEvent) {
	if cv := fyne.CurrentApp().Driver().CanvasForObject(o); cv != nil && cv.OnTypedKey() != nil {
		cv.OnTypedKey()(e)
	}
}

// zoomKey zooms at the crosshair, or at the newest end without one.
func (c *Chart) zoomKey(factor float64) {
	at := c.group.to
	if c.group.hasHand {
		at = c.group.cursor
	}
	c.group.Zoom(time.UnixMilli(at), factor)
}

// stepCursor moves the crosshair by a hundredth of the view.
func (c *Chart) stepCursor(n int64) {
	g := c.group
	step := max((g.to-g.from)/100, 1)
	t := g.cursor + n*step
	if !g.hasHand {
		t = g.from + (g.to-g.from)/2
	}
	g.setCursor(min(max(t, g.from), g.to), true)
}

// SetMarking makes the next drags mark a span instead of panning; shift does
// the same for one drag.
func (g *Group) SetMarking(on bool) { g.marking = on }

// Marking reports what SetMarking said.
func (g *Group) Marking() bool { return g.marking }
