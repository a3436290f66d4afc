package widgets

import (
	"strings"
	"unicode"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// Words returns text that wraps.
func Words(text string) *widget.Label {
	l := widget.NewLabel("")
	SetWords(l, text)
	return l
}

// SetWords gives a label another text that wraps, as Wrap does: Chinese between
// its characters, Latin words and numbers in one piece.
func SetWords(l *widget.Label, text string) {
	if text = breakable(text); l.Text == text && l.Wrapping == fyne.TextWrapWord {
		return
	}
	l.Wrapping = fyne.TextWrapWord
	l.SetText(text)
}

// breakable puts a carriage return wherever Chinese may break. Fyne's labels
// break at blanks and nowhere else, take this character for one, and neither
// draw it nor give it a width.
func breakable(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
		return text
	}
	var b strings.Builder
	rs := []rune(text)
	for i, r := range rs {
		b.WriteRune(r)
		if i+1 < len(rs) && mayBreak(r, rs[i+1]) && !unicode.IsSpace(r) && !unicode.IsSpace(rs[i+1]) {
			b.WriteByte('\r')
		}
	}
	return b.String()
}

// Small returns small, quieter text.
func Small(text string) *widget.Label {
	l := widget.NewLabel(text)
	l.SizeName = theme.SizeNameCaptionText
	return l
}
