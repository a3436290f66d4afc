package watch

import "fyne.io/fyne/v2"

// part is a row of a page with the share of spare height it takes.
type part struct {
	o      fyne.CanvasObject
	weight float32
}

// rows lays parts under each other: each at its least height, spare height by
// weight. Hidden parts take no room.
type rows struct {
	parts []part
	gap   float32
}

func (r *rows) MinSize([]fyne.CanvasObject) fyne.Size {
	var s fyne.Size
	for _, p := range r.parts {
		if !p.o.Visible() {
			continue
		}
		m := p.o.MinSize()
		s.Width = max(s.Width, m.Width)
		s.Height += m.Height + r.gap
	}
	return s
}

func (r *rows) Layout(_ []fyne.CanvasObject, size fyne.Size) {
	var need, weight float32
	for _, p := range r.parts {
		if p.o.Visible() {
			need += p.o.MinSize().Height + r.gap
			weight += p.weight
		}
	}
	spare := max(size.Height-need, 0)
	y := float32(0)
	for _, p := range r.parts {
		if !p.o.Visible() {
			continue
		}
		h := p.o.MinSize().Height
		if weight > 0 {
			h += spare * p.weight / weight
		}
		p.o.Move(fyne.NewPos(0, y))
		p.o.Resize(fyne.NewSize(size.Width, h))
		y += h + r.gap
	}
}

// even lays objects beside each other in equal columns, as many rows as needed.
// columns is asked with the width.
type even struct {
	columns func(width float32) int
	gap     float32
	width   float32 // of the last layout
}

func (e *even) grid(n int, width float32) (cols, lines int) {
	cols = max(min(e.columns(width), n), 1)
	return cols, (n + cols - 1) / cols
}

func visible(o []fyne.CanvasObject) []fyne.CanvasObject {
	out := make([]fyne.CanvasObject, 0, len(o))
	for _, c := range o {
		if c.Visible() {
			out = append(out, c)
		}
	}
	return out
}

func (e *even) MinSize(o []fyne.CanvasObject) fyne.Size {
	o = visible(o)
	var s fyne.Size
	for _, c := range o {
		s = s.Max(c.MinSize())
	}
	if len(o) == 0 {
		return s
	}
	_, lines := e.grid(len(o), e.width)
	return fyne.NewSize(s.Width, float32(lines)*(s.Height+e.gap)-e.gap)
}

func (e *even) Layout(o []fyne.CanvasObject, size fyne.Size) {
	o = visible(o)
	e.width = size.Width
	if len(o) == 0 {
		return
	}
	cols, lines := e.grid(len(o), size.Width)
	w := (size.Width - float32(cols-1)*e.gap) / float32(cols)
	h := (size.Height - float32(lines-1)*e.gap) / float32(lines)
	for i, c := range o {
		c.Move(fyne.NewPos(float32(i%cols)*(w+e.gap), float32(i/cols)*(h+e.gap)))
		c.Resize(fyne.NewSize(w, h))
	}
}

func always(n int) func(float32) int { return func(float32) int { return n } }
