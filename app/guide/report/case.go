package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"rentgen/app/guide"
	"rentgen/app/guide/check"
)

// CaseColumns are the columns of the list of cases.
var CaseColumns = []string{"id", "file", "check", "track", "command", "exit_code", "context", "verdict", "facts", "remedy", "source"}

// Case is a wrong verdict as a test case: a row of the list and the raw output
// that it names.
type Case struct {
	File string
	Row  []string // by CaseColumns
	Raw  []byte
	// Got is the verdict that is disputed, and Kept says that the neutral output
	// still gets it: what was hidden was not what it was about.
	Got  guide.Verdict
	Kept bool
}

// CaseParams is what a case is made from.
type CaseParams struct {
	Record guide.Record
	Want   guide.Verdict // that would have been right
	Why    string        // in the user's words
	Mask   *Mask
}

// MakeCase writes a wrong verdict down. Names, addresses and secrets are hidden
// whatever the report does: a nil Mask hides by its rules alone.
func MakeCase(p CaseParams) (Case, error) {
	m := p.Mask
	if m == nil {
		m = NewMask(Known{})
	}
	in := p.Record.Input
	raw := guide.Clean(in.Stdout, 0)
	if s := guide.Clean(in.Stderr, 0); s != "" {
		if raw != "" && !strings.HasSuffix(raw, "\n") {
			raw += "\n"
		}
		raw += s
	}
	m.Learn(raw)
	before := check.Judge(in).Verdict
	in.Stdout, in.Stderr, in.Command = []byte(m.Text(raw)), nil, m.Text(guide.Clean([]byte(in.Command), 0))
	known, err := neutral(in.Context, m)
	if err != nil {
		return Case{}, err
	}
	in.Context, err = guide.ReadContext(known)
	if err != nil {
		return Case{}, fmt.Errorf("make a case: %w", err)
	}
	if string(known) == "{}" {
		known = nil
	}
	sum := sha256.Sum256(append([]byte(in.Command), in.Stdout...))
	id := "own-" + hex.EncodeToString(sum[:4])
	file := id + "-" + strings.ReplaceAll(string(in.Check), ".", "-") + ".txt"
	return Case{
		File: file, Raw: in.Stdout, Got: before, Kept: check.Judge(in).Verdict == before,
		Row: []string{
			id, file, string(in.Check), string(in.Track), in.Command, strconv.Itoa(in.Exit), string(known), string(p.Want), "", m.Text(tidy(p.Why)),
			"own (neutralised)",
		},
	}, nil
}

// neutral is a context with its texts hidden.
func neutral(c guide.Context, m *Mask) ([]byte, error) {
	b, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("make a case: %w", err)
	}
	var copied guide.Context
	if err := json.Unmarshal(b, &copied); err != nil {
		return nil, fmt.Errorf("make a case: %w", err)
	}
	hide(reflect.ValueOf(&copied).Elem(), m.Text)
	if b, err = json.Marshal(copied); err != nil {
		return nil, fmt.Errorf("make a case: %w", err)
	}
	return b, nil
}

// Index is the list with this case alone.
func (c Case) Index() ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	if err := w.WriteAll([][]string{CaseColumns, c.Row}); err != nil {
		return nil, fmt.Errorf("write a case: %w", err)
	}
	return b.Bytes(), nil
}
