package history

import (
	"image/color"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	fynetheme "fyne.io/fyne/v2/theme"

	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// slowAfter is how long an answer may take before the thin bar says that one is
// being waited for.
const slowAfter = 150 * time.Millisecond

// thinBar is the line over the charts that is lit while something is read.
type thinBar struct {
	w    *Place
	rect *canvas.Rectangle
	box  *fyne.Container
	on   bool
}

func newThinBar(w *Place) *thinBar {
	t := &thinBar{w: w, rect: canvas.NewRectangle(color.Transparent)}
	t.rect.SetMinSize(fyne.NewSize(10, 2))
	t.box = container.New(&rowsLayout{}, t.rect)
	return t
}

func (t *thinBar) busy(on bool) {
	t.on = on
	if !on {
		t.paint(false)
		return
	}
	t.w.p.After(slowAfter, func() { t.w.p.Do(func() { t.paint(t.on) }) })
}

func (t *thinBar) paint(lit bool) {
	t.rect.FillColor = color.Transparent
	if lit {
		t.rect.FillColor = theme.Current().Accent
	}
	t.rect.Refresh()
}

// rowsLayout shares the height among its rows, the first of several getting
// half as much again. least is the height of a row at the least.
type rowsLayout struct{ least float32 }

func (l *rowsLayout) MinSize(objects []fyne.CanvasObject) fyne.Size {
	var s fyne.Size
	for _, o := range objects {
		m := o.MinSize()
		s.Width = max(s.Width, m.Width)
		s.Height += max(m.Height, l.least*fynetheme.TextSize()/theme.Body)
	}
	return s
}

func (l *rowsLayout) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	if len(objects) == 0 {
		return
	}
	unit := size.Height / float32(len(objects))
	first := unit
	if len(objects) > 1 {
		unit = size.Height / (float32(len(objects)) + 0.5)
		first = unit * 1.5
	}
	y := float32(0)
	for i, o := range objects {
		h := unit
		if i == 0 {
			h = first
		}
		o.Move(fyne.NewPos(0, y))
		o.Resize(fyne.NewSize(size.Width, h))
		y += h
	}
}

// roomy gives a chooser the width of its longest choice; its own least width is
// that of its placeholder.
func roomy(names []string, s fyne.CanvasObject) *fyne.Container {
	w := float32(0)
	for _, n := range names {
		w = max(w, fyne.MeasureText(n, fynetheme.TextSize(), fyne.TextStyle{}).Width)
	}
	return widgets.AtLeast(fyne.NewSize(w+40, 0), s)
}
