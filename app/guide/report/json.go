package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"

	"rentgen/app/guide"
)

// MaxFile is the most bytes that a saved report may have.
const MaxFile = 64 << 20

// ErrNoReport says that a file holds something else.
var ErrNoReport = errors.New("not a report of Set up")

// JSON writes the report for programs.
func (r *Report) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(r); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// Read reads a saved report. Somebody else may have written it: its size is
// bounded and control characters are taken out. The error is ErrNoReport in its
// chain where it is something else.
func Read(from io.Reader) (*Report, error) {
	b, err := io.ReadAll(io.LimitReader(from, MaxFile+1))
	if err != nil {
		return nil, fmt.Errorf("read a report: %w", err)
	}
	if len(b) > MaxFile {
		return nil, fmt.Errorf("read a report: %w: over %d bytes", ErrNoReport, MaxFile)
	}
	b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	var r Report
	if err := json.Unmarshal(b, &r); err != nil {
		return nil, fmt.Errorf("read a report: %w: %w", ErrNoReport, err)
	}
	if r.Steps == nil {
		return nil, fmt.Errorf("read a report: %w: no steps", ErrNoReport)
	}
	good := func(v Verdict) bool {
		return slices.Contains([]guide.Verdict{guide.NotRun, guide.Pass, guide.Warn, guide.Fail, guide.Skip}, guide.Verdict(v))
	}
	bad := !good(r.Verdict)
	for _, s := range r.Steps {
		bad = bad || !good(s.Verdict)
		for _, c := range s.Checks {
			bad = bad || !good(c.Verdict)
		}
	}
	if bad {
		return nil, fmt.Errorf("read a report: %w: a verdict of another kind", ErrNoReport)
	}
	hide(reflect.ValueOf(&r).Elem(), func(s string) string { return guide.Clean([]byte(s), 0) })
	return &r, nil
}
