package chart

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"rentgen/ui/theme"
)

// at returns the bar at a height, -1 for none.
func (v *barsView) at(y float32) int {
	for i, r := range v.rows {
		if y >= r[0]-2 && y < r[1]+3 {
			return i
		}
	}
	return -1
}

// opens reports whether a bar can be pressed.
func (b *Bars) opens(i int) bool {
	return i >= 0 && i < len(b.data.Bars) && b.data.Missing == "" && b.data.Bars[i].Open != nil
}

// mark shows the bar under the hand and that of the keyboard.
func (v *barsView) mark() {
	b, p := v.b, theme.Current()
	at := b.hover
	if b.focused {
		at = b.chosen
	}
	v.under.Hidden = !b.opens(at) || at >= len(v.rows)
	if v.under.Hidden {
		return
	}
	fill := p.Text
	fill.A = 0x14
	v.under.FillColor, v.under.StrokeColor, v.under.StrokeWidth = fill, color.Transparent, 0
	if b.focused {
		v.under.StrokeColor, v.under.StrokeWidth = p.Accent, 1
	}
	r := v.rows[at]
	v.under.Move(fyne.NewPos(2, r[0]-1))
	v.under.Resize(fyne.NewSize(b.Size().Width-4, r[1]-r[0]+4))
	v.under.Refresh()
}

func (b *Bars) marked() {
	if b.view != nil {
		b.view.mark()
		b.view.under.Refresh()
	}
}

// Tapped opens what a bar is of.
func (b *Bars) Tapped(e *fyne.PointEvent) {
	if b.view == nil {
		return
	}
	if i := b.view.at(e.Position.Y); b.opens(i) {
		b.chosen = i
		b.data.Bars[i].Open()
	}
}

// Cursor is a hand over a bar that opens something.
func (b *Bars) Cursor() desktop.Cursor {
	if b.opens(b.hover) {
		return desktop.PointerCursor
	}
	return desktop.DefaultCursor
}

// MouseIn shows which bar can be pressed.
func (b *Bars) MouseIn(e *desktop.MouseEvent) { b.MouseMoved(e) }

// MouseMoved shows which bar can be pressed.
func (b *Bars) MouseMoved(e *desktop.MouseEvent) {
	if b.view == nil {
		return
	}
	if at := b.view.at(e.Position.Y); at != b.hover {
		b.hover = at
		b.marked()
	}
}

// MouseOut takes the sign away.
func (b *Bars) MouseOut() {
	b.hover = -1
	b.marked()
}

// Disabled reports whether no bar opens anything: the focus passes by.
func (b *Bars) Disabled() bool {
	for i := range b.data.Bars {
		if b.opens(i) {
			return false
		}
	}
	return true
}

// Enable is of fyne.Disableable; the bars decide.
func (b *Bars) Enable() {}

// Disable does nothing.
func (b *Bars) Disable() {}

// FocusGained shows the focus.
func (b *Bars) FocusGained() {
	b.focused = true
	b.step(0)
}

// FocusLost hides the focus.
func (b *Bars) FocusLost() {
	b.focused = false
	b.marked()
}

// step goes to another bar that opens something.
func (b *Bars) step(by int) {
	way := 1
	if by < 0 {
		way = -1
	}
	for i := min(b.chosen, len(b.data.Bars)-1) + by; i >= 0 && i < len(b.data.Bars); i += way {
		if b.opens(i) {
			b.chosen = i
			break
		}
	}
	b.marked()
}

// TypedRune does nothing.
func (b *Bars) TypedRune(rune) {}

// TypedKey goes from bar to bar with the arrows, and opens one with Enter or
// the space bar.
func (b *Bars) TypedKey(e *fyne.KeyEvent) {
	switch e.Name {
	case fyne.KeyUp:
		b.step(-1)
	case fyne.KeyDown:
		b.step(1)
	case fyne.KeySpace, fyne.KeyReturn, fyne.KeyEnter:
		if b.opens(b.chosen) {
			b.data.Bars[b.chosen].Open()
		}
	default:
		passKey(b, e)
	}
}
