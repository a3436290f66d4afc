package chart

import "fyne.io/fyne/v2"

// wrap breaks a sentence into lines of at most the given width: at blanks, or
// after any Han character.
func wrap(s string, width, size float32) []string {
	var lines []string
	line, word := "", ""
	fits := func(t string) bool { return fyne.MeasureText(t, size, fyne.TextStyle{}).Width <= width }
	flush := func() {
		if line != "" && !fits(line+word) {
			lines = append(lines, trimRight(line))
			line = ""
		}
		line += word
		word = ""
	}
	for _, r := range s {
		word += string(r)
		if r == ' ' || r >= 0x2E80 {
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
