package texts

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// spaced puts a thin space between Chinese and Latin, where a text has a blank
// or nothing. A blank between Chinese and a placeholder goes: fill decides when
// it knows the value.
func spaced(s string) string {
	var b strings.Builder
	rs := []rune(s)
	for i, r := range rs {
		var before, after rune
		if i > 0 {
			before = rs[i-1]
		}
		if i+1 < len(rs) {
			after = rs[i+1]
		}
		if r == ' ' {
			switch {
			case han(before) && latin(after) || latin(before) && han(after):
				b.WriteString(thin)
				continue
			case han(before) && after == '{' || before == '}' && han(after):
				continue
			}
		}
		if han(before) && latin(r) || latin(before) && han(r) {
			b.WriteString(thin)
		}
		b.WriteRune(r)
	}
	return b.String()
}

func han(r rune) bool { return r >= 0x4E00 && r <= 0x9FFF }

// latin holds for letters, digits and the signs that begin or end a number.
func latin(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '%' || r == '°' || r == '¥' || r == '€' || r == '£'
}

// fill replaces each {name} by its value. With gaps set, a value and the
// Chinese beside it get a thin space where one of them is Latin.
func fill(s string, pairs []any, gaps bool) string {
	var b strings.Builder
	for {
		open := strings.IndexByte(s, '{')
		if open < 0 {
			b.WriteString(s)
			return b.String()
		}
		end := strings.IndexByte(s[open:], '}')
		if end < 0 {
			b.WriteString(s)
			return b.String()
		}
		end += open
		value, found := valueOf(s[open+1:end], pairs)
		if !found {
			b.WriteString(s[:open+1])
			s = s[open+1:]
			continue
		}
		b.WriteString(s[:open])
		if gaps {
			last, _ := utf8.DecodeLastRuneInString(b.String())
			b.WriteString(gapOf(last, head(value)))
		}
		b.WriteString(value)
		s = s[end+1:]
		if value == "" && strings.HasSuffix(b.String(), " ") && strings.HasPrefix(s, " ") {
			s = s[1:] // what isn't known leaves no hole
		}
		if gaps {
			first, _ := utf8.DecodeRuneInString(s)
			b.WriteString(gapOf(tail(value), first))
		}
	}
}

// head is the first character of a value. A path, a flag, a variable or code that
// begins with a sign counts as Latin, "/月" of a price doesn't.
func head(value string) rune {
	first, n := utf8.DecodeRuneInString(value)
	next, _ := utf8.DecodeRuneInString(value[n:])
	if strings.ContainsRune("/~-_.$#{[@`", first) && !han(next) {
		return 'a'
	}
	return first
}

// tail is the last character of a value; that of a path or of code counts as Latin.
func tail(value string) rune {
	last, n := utf8.DecodeLastRuneInString(value)
	before, _ := utf8.DecodeLastRuneInString(value[:len(value)-n])
	if strings.ContainsRune("/~_}]`", last) && !han(before) {
		return 'a'
	}
	return last
}

func gapOf(a, b rune) string {
	if han(a) && latin(b) || latin(a) && han(b) {
		return thin
	}
	return ""
}

// valueOf returns what a placeholder stands for: the value of its name, or of
// {name|day|days} the form of the word that goes with that number.
func valueOf(name string, pairs []any) (string, bool) {
	if number, forms, ok := strings.Cut(name, "|"); ok {
		n, found := valueOf(number, pairs)
		one, more, _ := strings.Cut(forms, "|")
		if n == "1" {
			return one, found
		}
		return more, found
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		if fmt.Sprint(pairs[i]) == name {
			return fmt.Sprint(pairs[i+1]), true
		}
	}
	return "", false
}
