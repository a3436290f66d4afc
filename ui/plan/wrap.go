package plan

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"rentgen/ui/widgets"
)

// say gives a label of words another text, if it is another: drawing texts is
// most of what an edit costs.
func say(l *widget.Label, text string) {
	if l.Text != text {
		widgets.SetWords(l, text)
	}
}

// put is say for a label of one line.
func put(l *widget.Label, text string) {
	if l.Text != text {
		l.SetText(text)
	}
}

// relay lays a container out anew without drawing what is in it.
func relay(c *fyne.Container) {
	if c.Layout != nil {
		c.Layout.Layout(c.Objects, c.Size())
	}
}

// wrap lays objects in rows as wide as the answer allows. A layout is not told
// its width when it is asked for its height, so it asks for that itself.
type wrap struct {
	width func() float32
	gap   float32
	less  float32 // how much narrower than that it was laid out last
}

func (l *wrap) MinSize(o []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(10, l.place(o, l.width()-l.less, false))
}

func (l *wrap) Layout(o []fyne.CanvasObject, size fyne.Size) {
	if size.Width > 0 {
		l.less = l.width() - size.Width
	}
	l.place(o, size.Width, true)
}

func (l *wrap) place(o []fyne.CanvasObject, width float32, move bool) float32 {
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
