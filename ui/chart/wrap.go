package chart

import (
	"strings"

	"fyne.io/fyne/v2"
)

// closing are the marks that never begin a line.
const closing = "，。；：、？）》”’％"

// wrap breaks a sentence into lines of at most the given width: at blanks, or
// after any Han character.
func wrap(s string, width, size float32) []string {
	return wrapIn(s, width, size, fyne.TextStyle{})
}

func wrapIn(s string, width, size float32, style fyne.TextStyle) []string {
	var lines []string
	line, word := "", ""
	fits := func(t string) bool { return fyne.MeasureText(t, size, style).Width <= width }
	flush := func() {
		if line != "" && !fits(line+word) {
			lines = append(lines, trimRight(line))
			line, word = "", strings.TrimLeft(word, " \u2009")
		}
		line += word
		word = ""
	}
	rs := []rune(s)
	for i, r := range rs {
		if r != ' ' && word != "" && !fits(word+string(r)) { // longer than a line by itself
			flush()
			lines = append(lines, line)
			line = ""
		}
		word += string(r)
		if r == ' ' || r >= 0x2E80 && (i+1 == len(rs) || !strings.ContainsRune(closing, rs[i+1])) {
			flush()
		}
	}
	flush()
	if line != "" {
		lines = append(lines, trimRight(line))
	}
	return lines
}

func trimRight(s string) string {
	for len(s) > 0 && s[len(s)-1] == ' ' {
		s = s[:len(s)-1]
	}
	return s
}

// Wrap breaks a text into lines of at most the given width: at blanks, or after
// any Han character.
func Wrap(s string, width, size float32, bold bool) []string {
	return wrapIn(s, width, size, fyne.TextStyle{Bold: bold})
}
