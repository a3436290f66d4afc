package offer

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	"rentgen/assets/texts"
)

// columns are the columns before the terms: heading and field of the YAML form.
var columns = [][2]string{
	{"name", "name"},
	{"provider", "provider"},
	{"currency", "currency"},
	{"count", "count"},
	{"cards", "cards"},
	{"card", "card.name"},
	{"part", "card.part"},
	{"vram_mib", "card.vram_mib"},
	{"guaranteed", "card.guaranteed"},
	{"machine", "machine"},
	{"unit", "payment.unit"},
	{"price", "payment.price"},
	{"hours", "payment.hours"},
	{"included_hours", "payment.included_hours"},
	{"overage", "payment.overage"},
	{"draw_per_hour", "payment.draw_per_hour"},
	{"units", "payment.units"},
	{"hidden", "hidden"},
	{"example", "example"},
	{"note", "note"},
}

// numeric reports whether a column holds a number, so that a decimal comma in
// it is one.
func numeric(field string) bool {
	if id, ok := strings.CutPrefix(field, "terms."); ok {
		d, known := DefOf(TermID(id))
		return known && d.Kind != KindFlag && d.Kind != KindChoice
	}
	return field == "card.vram_mib" || strings.HasPrefix(field, "payment.") && field != "payment.unit"
}

// fieldOf returns the field of a heading.
func fieldOf(heading string) (string, bool) {
	for _, c := range columns {
		if c[0] == heading {
			return c[1], true
		}
	}
	_, ok := DefOf(TermID(heading))
	return "terms." + heading, ok
}

// headingOf returns a field as the table names it.
func headingOf(field string) string {
	for _, c := range columns {
		if c[1] == field {
			return c[0]
		}
	}
	return strings.TrimPrefix(field, "terms.")
}

func headings() []string {
	var hs []string
	for _, c := range columns {
		hs = append(hs, c[0])
	}
	return append(hs, termIDs()...)
}

// ReadCSV reads a table of offers, a row each, all or none: commas, semicolons
// or tabs between the cells, UTF-8, UTF-16 or GB18030, as Excel saves it. An
// error is InputErrors with the line of the file and the column of the table.
func ReadCSV(b []byte) ([]Offer, error) {
	if len(b) > maxFile {
		return nil, tooLarge(len(b))
	}
	text, err := PlainText(b)
	if err != nil {
		return nil, unreadable(err)
	}
	t := &table{sep: SeparatorOf(text)}
	if !t.read(text) {
		return nil, t.errs
	}
	if t.sep == ';' {
		t.decimalCommas()
	}
	if len(t.errs) > 0 {
		return nil, t.errs
	}
	var offers []Offer
	var from []int // rows
	for i := range t.rows {
		if o, filled := t.offer(i); filled {
			offers, from = append(offers, o), append(from, i)
		}
	}
	if len(t.errs) > 0 {
		return nil, t.errs
	}
	for _, i := range Doubles(offers) {
		j := max(slices.Index(t.fields, "name"), 0)
		t.fault("name", offers[i].Name, texts.P("offer.allowed.other_name"), t.rows[from[i]].line[0], j+1)
	}
	if len(t.errs) > 0 {
		return nil, t.errs
	}
	return offers, nil
}

type row struct {
	cells []string
	line  []int // of each cell
}

type table struct {
	sep    rune
	fields []string // by column, "" for an empty heading
	rows   []row
	errs   InputErrors
}

func (t *table) fault(field, value string, allowed texts.Phrase, line, column int) {
	if len(t.errs) < maxErrors {
		t.errs = append(t.errs, &InputError{Field: field, Value: value, Allowed: allowed, Line: line, Column: column})
	}
}

// read splits the text into rows; false means that the table can't be read.
func (t *table) read(text string) bool {
	r := csv.NewReader(strings.NewReader(text))
	r.Comma, r.FieldsPerRecord = t.sep, -1
	for {
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.malformed(err)
			return false
		}
		w := row{cells: cells}
		for i := range cells {
			line, _ := r.FieldPos(i)
			w.line = append(w.line, line)
			w.cells[i] = tidied(cells[i])
		}
		if t.fields == nil {
			t.heading(w)
			continue
		}
		t.rows = append(t.rows, w)
	}
	if t.fields == nil {
		t.fault("heading", "", texts.P("offer.allowed.heading", "list", strings.Join(headings()[:12], ", ")), 1, 1)
	}
	if len(t.rows) > maxOffers {
		t.fault("offers", strconv.Itoa(len(t.rows)), texts.P("offer.allowed.offers", "most", maxOffers), t.rows[maxOffers].line[0], 1)
	}
	return len(t.errs) == 0
}

func (t *table) malformed(err error) {
	var p *csv.ParseError
	if !errors.As(err, &p) {
		t.fault("CSV", err.Error(), texts.P("offer.allowed.csv"), 1, 1)
		return
	}
	t.fault("CSV", p.Err.Error(), texts.P("offer.allowed.csv"), p.Line, p.Column)
}

func (t *table) heading(w row) {
	for i, h := range w.cells {
		if len(t.errs) >= maxErrors {
			return
		}
		h = strings.ToLower(h)
		field, ok := fieldOf(h)
		switch {
		case h == "":
			field = ""
		case !ok:
			t.fault(w.cells[i], w.cells[i], among(headings(), h), w.line[i], i+1)
		case slices.Contains(t.fields, field):
			t.fault(h, h, texts.P("offer.allowed.once"), w.line[i], i+1)
		}
		t.fields = append(t.fields, field)
	}
}

var (
	commaNumber = regexp.MustCompile(`^[+-]?\d+,\d+(\||$)`)
	pointNumber = regexp.MustCompile(`^[+-]?\d+\.\d+(\||$)`)
)

// decimalCommas turns the commas of a table from a place that writes 1,88 into
// points. A table with both leaves open which is which: its points are then
// errors, for 1.880 would be another number there.
func (t *table) decimalCommas() {
	each := func(form *regexp.Regexp, f func(r row, i int)) (n int) {
		for _, r := range t.rows {
			for i, c := range r.cells {
				if i < len(t.fields) && numeric(t.fields[i]) && form.MatchString(c) {
					n++
					f(r, i)
				}
			}
		}
		return n
	}
	none := func(row, int) {}
	if each(commaNumber, none) == 0 {
		return
	}
	if each(pointNumber, func(r row, i int) {
		t.fault(headingOf(t.fields[i]), r.cells[i], texts.P("offer.allowed.one_point"), r.line[i], i+1)
	}) == 0 {
		each(commaNumber, func(r row, i int) { r.cells[i] = strings.Replace(r.cells[i], ",", ".", 1) })
	}
}

// offer reads a row; filled is false of an empty one.
func (t *table) offer(i int) (o Offer, filled bool) {
	w := t.rows[i]
	if !slices.ContainsFunc(w.cells, func(c string) bool { return c != "" }) {
		return Offer{}, false
	}
	root := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: w.line[0], Column: 1}
	before := len(t.errs)
	for j, c := range w.cells {
		switch {
		case c == "":
		case j >= len(t.fields) || t.fields[j] == "":
			t.fault("column "+strconv.Itoa(j+1), c, texts.P("offer.allowed.no_heading"), w.line[j], j+1)
		default:
			t.put(root, t.fields[j], c, w.line[j], j+1)
		}
	}
	if len(t.errs) > before {
		return Offer{}, true
	}
	o, err := DecodeWhole(root)
	for _, e := range Inputs(err) {
		t.fault(headingOf(e.Field), e.Value, e.Allowed, e.Line, max(e.Column, 1))
	}
	return o, true
}

// put adds a cell to the mapping of its row.
func (t *table) put(root *yaml.Node, field, cell string, line, column int) {
	at := &yaml.Node{Line: line, Column: column}
	outer, key, nested := strings.Cut(field, ".")
	m := root
	if nested {
		m = child(root, outer, at)
	} else {
		key = outer
	}
	d, term := DefOf(TermID(key))
	if !term || outer != "terms" {
		if field == "name" || field == "note" || field == "card.name" {
			cell = unguarded(cell)
		} else if flagged(field) {
			cell = flagWord(cell)
		}
		m.Content = append(m.Content, wordNode(key, at), wordNode(cell, at))
		return
	}
	if d.Kind == KindFlag {
		value, rest, more := strings.Cut(cell, "|")
		cell = flagWord(value)
		if more {
			cell += "|" + rest
		}
	}
	n, ok := termNode(unguarded(cell), at)
	if !ok {
		t.fault(headingOf(field), cell, texts.P("offer.allowed.cell"), line, column)
		return
	}
	m.Content = append(m.Content, wordNode(key, at), n)
}

func child(root *yaml.Node, key string, at *yaml.Node) *yaml.Node {
	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value == key {
			return root.Content[i+1]
		}
	}
	m := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: at.Line, Column: at.Column}
	root.Content = append(root.Content, wordNode(key, at), m)
	return m
}

func flagged(field string) bool {
	return field == "card.guaranteed" || field == "hidden" || field == "example"
}

// flagWord reads the yes and no of spreadsheets; other words stay.
func flagWord(s string) string {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "true", "yes", "是", "有":
		return "true"
	case "false", "no", "否", "无":
		return "false"
	}
	return s
}

// WriteCSV writes offers as ReadCSV reads them, in UTF-8 with the mark that
// Excel needs. An offer that Check faults can't be written; the error is then
// InputErrors.
func WriteCSV(offers []Offer) ([]byte, error) {
	if err := writable(offers); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString(bom)
	w := csv.NewWriter(&b)
	rows := [][]string{headings()}
	for _, o := range offers {
		rows = append(rows, o.cells())
	}
	if err := w.WriteAll(rows); err != nil {
		return nil, fmt.Errorf("write offers: %w", err)
	}
	return b.Bytes(), nil
}

func (o Offer) cells() []string {
	n, _ := o.Encode()
	cells := make([]string, len(columns), len(columns)+len(Defs()))
	for i, c := range columns {
		cells[i] = guarded(valueAt(n, c[1]))
	}
	for _, d := range Defs() {
		c := ""
		if t, ok := o.Terms[d.ID]; ok {
			c = guarded(t.cell())
		}
		cells = append(cells, c)
	}
	return cells
}

// valueAt returns the scalar at a field, "" for none.
func valueAt(n *yaml.Node, field string) string {
	key, rest, nested := strings.Cut(field, ".")
	for i := 0; i+1 < len(n.Content); i += 2 {
		switch {
		case n.Content[i].Value != key:
		case nested:
			return valueAt(n.Content[i+1], rest)
		default:
			return n.Content[i+1].Value
		}
	}
	return ""
}
