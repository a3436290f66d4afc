package offer

import (
	"errors"
	"strings"

	"rentgen/assets/texts"
)

// InputError is an input that can't be used.
type InputError = texts.InputError

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
