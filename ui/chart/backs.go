package chart

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"rentgen/ui/theme"
)

// backs are grounds under texts that stand in the plot, so that they can be read
// over a line; those of the last drawing are used again.
type backs struct {
	all  []*canvas.Rectangle
	used int
}

// under lays the next ground below a text; alpha is how little shines through.
func (b *backs) under(t *canvas.Text, p *theme.Palette, alpha uint8) {
	if b.used == len(b.all) {
		b.all = append(b.all, canvas.NewRectangle(p.Panel))
	}
	r := b.all[b.used]
	b.used++
	c := p.Panel
	c.A = alpha
	r.FillColor = c
	m := t.MinSize()
	r.Resize(fyne.NewSize(m.Width+4, m.Height-2))
	r.Move(t.Position().AddXY(-2, 1))
	r.Show()
	r.Refresh()
}

// end hides the grounds that this drawing has no text for.
func (b *backs) end() {
	for _, r := range b.all[b.used:] {
		r.Hide()
	}
}
