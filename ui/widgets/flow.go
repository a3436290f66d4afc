package widgets

import "fyne.io/fyne/v2"

// NewFlow returns a Flow with room between the objects; width is asked for how
// wide it may be.
func NewFlow(gap float32, width func() float32) *Flow { return &Flow{width: width, gap: gap} }

// Flow lays objects in rows as wide as there is room. A layout is not told its
// width when it is asked for its height, so it asks for that itself.
type Flow struct {
	width func() float32
	gap   float32
	less  float32 // how much narrower than that it was laid out last
}

// MinSize implements fyne.Layout.
func (l *Flow) MinSize(o []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(10, l.place(o, l.width()-l.less, false))
}

// Layout implements fyne.Layout.
func (l *Flow) Layout(o []fyne.CanvasObject, size fyne.Size) {
	if size.Width > 0 {
		l.less = l.width() - size.Width
	}
	l.place(o, size.Width, true)
}

func (l *Flow) place(o []fyne.CanvasObject, width float32, move bool) float32 {
	x, y, row := float32(0), float32(0), float32(0)
	for _, c := range o {
		if !c.Visible() {
			continue
		}
		m := c.MinSize()
		if x > 0 && x+m.Width > width {
			x, y, row = 0, y+row+l.gap, 0
		}
		if move {
			c.Move(fyne.NewPos(x, y))
			c.Resize(fyne.NewSize(min(m.Width, width), m.Height))
		}
		x += m.Width + l.gap
		row = max(row, m.Height)
	}
	return y + row
}
