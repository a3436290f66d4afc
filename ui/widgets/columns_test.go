package widgets

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"
)

func TestColumns(t *testing.T) {
	test.NewTempApp(t)
	cells := make([]*canvas.Rectangle, 3)
	var o []fyne.CanvasObject
	for i, high := range []float32{10, 30, 20} {
		cells[i] = canvas.NewRectangle(nil)
		cells[i].SetMinSize(fyne.NewSize(1, high))
		o = append(o, cells[i])
	}
	row := Columns([]float32{40, 0, 60}, o...)
	a, b := Scaled(40), Scaled(60)
	if got := row.MinSize(); got != fyne.NewSize(a+b, 30) {
		t.Errorf("needs %v", got)
	}
	for _, c := range []struct{ width, rest float32 }{{a + b + 100, 100}, {a + b - 10, 0}} {
		row.Resize(fyne.NewSize(c.width, 50))
		x := float32(0)
		for i, w := range []float32{a, c.rest, b} {
			high := cells[i].MinSize().Height
			if p, s := cells[i].Position(), cells[i].Size(); p != fyne.NewPos(x, (50-high)/2) || s != fyne.NewSize(w, high) {
				t.Errorf("%v wide: cell %d at %v of %v", c.width, i, p, s)
			}
			x += w
		}
	}
}
