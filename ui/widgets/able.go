package widgets

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
