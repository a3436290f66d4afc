package widgets

import (
	"math"
	"strings"
	"unicode/utf8"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
)

// Baseline is how far below its top a canvas text stands when it is drawn. Fyne
// stands every text on the height of the face of its first character, and
// measures that of a blank: beside each other, a number and a Chinese word are
// at different heights unless this is taken away.
func Baseline(text string, size float32, style fyne.TextStyle) float32 {
	d := fyne.CurrentApp().Driver()
	_, b := d.RenderedTextSize(" ", size, style, nil)
	if first, n := utf8.DecodeRuneInString(text); n > 0 && !ofHanFace(first) {
		_, b = d.RenderedTextSize(" ", size, style, theme.DefaultTextFont())
	}
	return float32(math.Ceil(float64(b)))
}

// ofHanFace reports whether a character is drawn with the face that carries
// Chinese and, with it, the blank.
func ofHanFace(r rune) bool { return r >= 0x2E80 || strings.ContainsRune(" \u2009\u00a0−≥≤", r) }
