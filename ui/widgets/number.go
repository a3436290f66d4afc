package widgets

import "strings"

// PlainNumber takes full-width digits and blanks out of what was typed; "1,000"
// is 1000, but "1,5" stays what can't be read.
func PlainNumber(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case r >= '０' && r <= '９':
			return r - '０' + '0'
		case r == '．' || r == '。':
			return '.'
		case r == '，':
			return ','
		case r == ' ' || r == '\u2009' || r == '\u00a0' || r == '\u3000':
			return -1
		}
		return r
	}, strings.TrimSpace(text))
	parts := strings.Split(text, ",")
	for i, p := range parts[1:] {
		if i == len(parts)-2 {
			p, _, _ = strings.Cut(p, ".")
		}
		if len(p) != 3 {
			return text
		}
	}
	return strings.Join(parts, "")
}
