package widgets

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"
)

// SetText gives a label of one line another text, if it is another: drawing texts
// is most of what an update costs. SetWords is for text that wraps.
func SetText(l *widget.Label, text string) {
	if l.Text != text {
		l.SetText(text)
	}
}

// SetShown shows an object or not, and reports whether that is another than before.
func SetShown(o fyne.CanvasObject, on bool) bool {
	if o.Visible() == on {
		return false
	}
	if on {
		o.Show()
	} else {
		o.Hide()
	}
	return true
}

// Able makes a button one that can be pressed or not; it is drawn anew only where
// that changes.
func Able(b *Button, on bool) {
	if b.Disabled() == !on {
		return
	}
	if on {
		b.Enable()
	} else {
		b.Disable()
	}
}

// Short returns s with at most so many characters, the last of a longer one "…".
func Short(s string, most int) string {
	if rs := []rune(s); len(rs) > most {
		return string(rs[:most-1]) + "…"
	}
	return s
}
