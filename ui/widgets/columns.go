package widgets

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
)

// Columns sets objects beside each other as a row of a table, each in the middle
// of the row's height: a width for each, unscaled; one of 0 takes the rest.
func Columns(widths []float32, o ...fyne.CanvasObject) *fyne.Container {
	return container.New(&columns{widths}, o...)
}

type columns struct{ widths []float32 }

func (t *columns) MinSize(o []fyne.CanvasObject) fyne.Size {
	var s fyne.Size
	for i, c := range o {
		s.Height = max(s.Height, c.MinSize().Height)
		s.Width += Scaled(t.widths[i])
	}
	return s
}

func (t *columns) Layout(o []fyne.CanvasObject, size fyne.Size) {
	rest := size.Width
	for _, w := range t.widths {
		rest -= Scaled(w)
	}
	x := float32(0)
	for i, c := range o {
		w := Scaled(t.widths[i])
		if w == 0 {
			w = max(rest, 0)
		}
		m := c.MinSize().Height
		c.Move(fyne.NewPos(x, (size.Height-m)/2))
		c.Resize(fyne.NewSize(w, m))
		x += w
	}
}
