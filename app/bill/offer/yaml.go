package offer

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	"rentgen/assets/texts"
)

// Bounds of a file that is read.
const (
	maxFile   = 4 << 20 // bytes
	maxOffers = 500
)

// ReadYAML reads a list of offers, all or none. An error is InputErrors, each
// with its line and column.
func ReadYAML(b []byte) ([]Offer, error) {
	if len(b) > maxFile {
		return nil, tooLarge(len(b))
	}
	text, err := PlainText(b)
	if err != nil {
		return nil, unreadable(err)
	}
	b = []byte(text)
	dec := yaml.NewDecoder(bytes.NewReader(b))
	var doc yaml.Node
	if err := decode(dec, &doc, b); err != nil {
		return nil, err
	}
	var next yaml.Node
	if err := decode(dec, &next, b); err != nil {
		return nil, err
	}
	list := texts.P("offer.allowed.offers", "most", maxOffers)
	if next.Kind != 0 {
		return nil, InputErrors{{Field: "offers", Value: "---", Allowed: list, Line: next.Line, Column: next.Column}}
	}
	if len(doc.Content) == 0 {
		return nil, InputErrors{{Field: "offers", Allowed: list, Line: 1, Column: 1}}
	}
	n := follow(doc.Content[0])
	if n.Kind != yaml.SequenceNode || len(n.Content) > maxOffers {
		d := &decoder{}
		d.add("offers", n, list)
		return nil, d.errs
	}
	var offers []Offer
	var errs InputErrors
	for i, c := range n.Content {
		o, err := DecodeWhole(c)
		for _, e := range Inputs(err) {
			e.Field = join(fmt.Sprintf("offers[%d]", i), e.Field)
			errs = append(errs, e)
		}
		offers = append(offers, o)
	}
	if len(errs) > 0 {
		return nil, errs
	}
	for _, i := range Doubles(offers) {
		at := follow(n.Content[i])
		if k := valueOf(at, "name"); k != nil {
			at = k
		}
		errs = append(errs, &InputError{
			Field: fmt.Sprintf("offers[%d].name", i), Value: offers[i].Name, Allowed: texts.P("offer.allowed.other_name"), Line: at.Line, Column: at.Column,
		})
	}
	if len(errs) > 0 {
		return nil, errs
	}
	return offers, nil
}

// Doubles returns the indices of offers that bear the name of an earlier one:
// advice and bills tell offers apart by their names.
func Doubles(offers []Offer) []int {
	var all []int
	seen := make(map[string]bool, len(offers))
	for i, o := range offers {
		if o.Name != "" && seen[o.Name] {
			all = append(all, i)
		}
		seen[o.Name] = true
	}
	return all
}

// valueOf returns the value of a mapping's key, nil for none.
func valueOf(n *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

var lineOf = regexp.MustCompile(`line (\d+)`)

// decode reads the next document; none is no error. The reader may panic on
// what it can't read, which is an error like another.
func decode(dec *yaml.Decoder, n *yaml.Node, b []byte) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = syntax(fmt.Sprint(r), b)
		}
	}()
	if err := dec.Decode(n); err != nil && !errors.Is(err, io.EOF) {
		return syntax(err.Error(), b)
	}
	return nil
}

var tabbed = regexp.MustCompile(`(?m)^ *\t`)

// syntax is the error of a text that is no YAML. Of a tab in the indentation,
// which people make most, the reader names the line where the mapping began.
func syntax(said string, b []byte) error {
	if at := tabbed.FindIndex(b); at != nil && strings.Contains(said, "tab character") {
		line := 1 + bytes.Count(b[:at[0]], []byte("\n"))
		return InputErrors{{Field: "YAML", Value: "TAB", Allowed: texts.P("offer.allowed.indent"), Line: line, Column: at[1] - at[0]}}
	}
	line := 1
	if m := lineOf.FindStringSubmatch(said); m != nil {
		line, _ = strconv.Atoi(m[1])
	}
	return InputErrors{{Field: "YAML", Value: LineAt(b, line), Allowed: NotYAML(said, texts.P("offer.allowed.yaml")), Line: max(line, 1), Column: 1}}
}

// LineAt returns a line of a text, counted from 1, "" beyond it.
func LineAt(b []byte, line int) string {
	lines := bytes.Split(b, []byte("\n"))
	if line < 1 || line > len(lines) {
		return ""
	}
	return strings.TrimSpace(string(lines[line-1]))
}

// notYAML are the faults that the reader finds, by a part of its message.
var notYAML = [...][2]string{
	{"',' or ']'", "bracket"},
	{"',' or '}'", "brace"},
	{"did not find expected key", "indent"},
	{"'-' indicator", "indent"},
	{"block sequence entries", "indent"},
	{"mapping values are not", "colon"},
	{"mapping keys are not", "colon"},
	{"expected ':'", "colon"},
	{"unexpected end of stream", "quote"},
	{"unexpected document indicator", "quote"},
	{"cannot start any token", "sign"},
	{"escape", "escape"},
	{"hexdecimal", "escape"},
	{"anchor", "reference"},
	{"alias", "reference"},
	{"control characters", "control"},
	{"tag", "tag"},
	{"<document start>", "document"},
	{"tab character", "tab"},
}

// NotYAML says in the reader's language what the YAML reader found wrong, and
// what is taken.
func NotYAML(said string, allowed texts.Phrase) texts.Phrase {
	for _, f := range notYAML {
		if strings.Contains(said, f[0]) {
			return texts.P("offer.yaml", "what", texts.P("offer.yaml."+f[1]), "allowed", allowed)
		}
	}
	return texts.P("offer.yaml", "what", texts.P("offer.yaml.other", "said", said), "allowed", allowed)
}

// unreadable is the error of a file in an unknown encoding.
func unreadable(err error) error {
	return InputErrors{{Field: "file", Value: err.Error(), Allowed: texts.P("offer.allowed.encoding"), Line: 1, Column: 1}}
}

func tooLarge(n int) error {
	return InputErrors{{
		Field: "file", Value: texts.Bytes(float64(n)), Allowed: texts.P("offer.allowed.size", "most", texts.Bytes(maxFile)), Line: 1, Column: 1,
	}}
}

// WriteYAML writes offers as ReadYAML reads them. An offer that Check faults
// can't be written; the error is then InputErrors.
func WriteYAML(offers []Offer) ([]byte, error) {
	if err := writable(offers); err != nil {
		return nil, err
	}
	list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	for _, o := range offers {
		n, err := o.Encode()
		if err != nil {
			return nil, err
		}
		list.Content = append(list.Content, n)
	}
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(list); err != nil {
		return nil, fmt.Errorf("write offers: %w", err)
	}
	if err := enc.Close(); err != nil {
		return nil, fmt.Errorf("write offers: %w", err)
	}
	return b.Bytes(), nil
}

// writable returns what is wrong with offers that are to be written.
func writable(offers []Offer) error {
	var errs InputErrors
	for i, o := range offers {
		for _, e := range o.Check() {
			e.Field = join(fmt.Sprintf("offers[%d]", i), e.Field)
			errs = append(errs, e)
		}
	}
	for _, i := range Doubles(offers) {
		errs = append(errs, &InputError{Field: fmt.Sprintf("offers[%d].name", i), Value: offers[i].Name, Allowed: texts.P("offer.allowed.other_name")})
	}
	return errs.or()
}
