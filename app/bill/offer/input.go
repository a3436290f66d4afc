package offer

import (
	"errors"
	"strings"

	"rentgen/assets/texts"
)

// InputError is an input that can't be used: which field, what stood there and
// what is allowed.
type InputError struct {
	Field   string // "payment.price", "terms.ip_price_h"
	Value   string
	Allowed texts.Phrase
	// Line and Column say where, from 1; 0 when it wasn't read from a file. The
	// column of a table is the table's, so that 1 is column A.
	Line, Column int
}

// Phrase is the sentence of the error.
func (e *InputError) Phrase() texts.Phrase {
	value := texts.P("offer.input.value", "value", shown(e.Value))
	if e.Value == "" {
		value = texts.P("offer.input.empty")
	}
	p := texts.P("offer.input", "field", e.Field, "value", value, "allowed", e.Allowed)
	if e.Line == 0 {
		return p
	}
	return texts.P("offer.input.at", "line", e.Line, "column", e.Column, "what", p)
}

// Error is the sentence in English.
func (e *InputError) Error() string { return texts.For(texts.English).Say(e.Phrase()) }

// shown is a value as an error repeats it: not longer than a line.
func shown(s string) string {
	const most = 60
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// InputErrors are all errors of a file; errors.As finds the first.
type InputErrors []*InputError

// Error joins the sentences, one a line.
func (es InputErrors) Error() string {
	lines := make([]string, len(es))
	for i, e := range es {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns each error.
func (es InputErrors) Unwrap() []error {
	all := make([]error, len(es))
	for i, e := range es {
		all[i] = e
	}
	return all
}

// or returns the errors as an error, nil for none.
func (es InputErrors) or() error {
	if len(es) == 0 {
		return nil
	}
	return es
}

// Inputs returns the input errors within an error, in order.
func Inputs(err error) []*InputError {
	var es InputErrors
	if errors.As(err, &es) {
		return es
	}
	var e *InputError
	if errors.As(err, &e) {
		return []*InputError{e}
	}
	return nil
}
