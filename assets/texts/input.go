package texts

import (
	"strings"
	"unicode"
)

// InputError is an input that can't be used: which field, what stood there and
// what is allowed, in words for people.
type InputError struct {
	Field   string // "payment.price", "job.steps"
	Value   string
	Allowed Phrase
	// Line and Column say where, from 1; 0 when it wasn't read from a file. The
	// column of a table is the table's, so that 1 is column A.
	Line, Column int
}

// Phrase is the sentence of the error.
func (e *InputError) Phrase() Phrase {
	value := P("input.value", "value", shown(e.Value))
	if e.Value == "" {
		value = P("input.empty")
	}
	p := P("input.bad", "field", e.Field, "value", value, "allowed", e.Allowed)
	if e.Line == 0 {
		return p
	}
	return P("input.at", "line", e.Line, "column", e.Column, "what", p)
}

// Error is the sentence in English.
func (e *InputError) Error() string { return For(English).Say(e.Phrase()) }

// shown is a value as an error repeats it: not longer than a line, and without
// characters that a terminal would obey.
func shown(s string) string {
	const most = 60
	s = strings.Map(func(r rune) rune {
		if unicode.IsGraphic(r) || unicode.IsSpace(r) {
			return r
		}
		return unicode.ReplacementChar
	}, s)
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
