package widgets

import (
	"strings"
	"unicode/utf8"

	"fyne.io/fyne/v2"
)

const (
	closing = "，。；：、？！）》」』〉”’％…" // never begin a line
	opening = "（《「『〈“‘"          // never end one
)

// Wrap breaks a text into lines of at most the given width: at its own ends of
// lines, at blanks, or after any Han character, and never inside of a word that
// a line could hold. A text without anything in it has no lines.
func Wrap(s string, width, size float32, style fyne.TextStyle) []string {
	var lines []string
	for p := range strings.SplitSeq(s, "\n") {
		lines = wrapParagraph(lines, p, func(t string) bool {
			return fyne.MeasureText(t, size, style).Width <= width
		})
	}
	return lines
}

// mayBreak reports whether a line may end between two characters.
func mayBreak(a, b rune) bool {
	if a == ' ' {
		return true
	}
	return a >= 0x2E80 && !strings.ContainsRune(opening, a) && !strings.ContainsRune(closing, b)
}

func wrapParagraph(lines []string, s string, fits func(string) bool) []string {
	if s != "" && fits(s) {
		return append(lines, strings.TrimRight(s, " "))
	}
	line, word := "", ""
	flush := func() {
		if line != "" && !fits(strings.TrimRight(line+word, " ")) {
			lines = append(lines, strings.TrimRight(line, " "))
			line, word = "", strings.TrimLeft(word, " \u2009")
		}
		line += word
		word = ""
	}
	rs := []rune(s)
	for i, r := range rs {
		if r != ' ' && word != "" && !fits(word+string(r)) { // longer than a line by itself
			// Rather behind the dash of a band, or within a path, than in a number.
			rest := ""
			if at := strings.LastIndexAny(word, "–/"); at > 0 {
				_, n := utf8.DecodeRuneInString(word[at:])
				word, rest = word[:at+n], word[at+n:]
			}
			flush()
			lines = append(lines, line)
			line, word = "", rest
		}
		word += string(r)
		if i+1 == len(rs) || mayBreak(r, rs[i+1]) {
			flush()
		}
	}
	if line = strings.TrimRight(line, " "); line != "" {
		lines = append(lines, line)
	}
	return lines
}
