// Package reconcile reads a platform's bill and sets it against what the meter
// counted and the plan expected: row by row, and what can be learned from it.
package reconcile

import (
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"rentgen/app/bill/offer"
	"rentgen/app/money"
	"rentgen/assets/texts"
)

// Bounds of a bill.
const (
	MaxBytes   = 3 << 20
	maxRows    = 50_000
	maxColumns = 200
	maxCell    = 300 // characters that are kept of a text
	maxErrors  = 20
	// before is how many rows may stand before the headings: titles and notes.
	before = 30
)

// Row is a row of a bill.
type Row struct {
	Line     int       // of the file
	From, To time.Time // zero: not said
	Instance string
	Item     string
	Kind     Kind
	Amount   money.Rat // what was paid; a refund is below 0
	Seconds  *int64    // billed, nil: not said
	Price    *money.Rat
}

// Bill is a platform's bill as it was read.
type Bill struct {
	Currency money.Currency
	Rows     []Row
	// Columns are the headings that were understood, in their order.
	Columns []string
}

// Params say how a bill is read.
type Params struct {
	// Currency is that of amounts which name none; "" where such a bill is refused.
	Currency money.Currency
	Zone     *time.Location // of times that name none; nil is the system's
}

// Read reads a platform's bill, all or nothing: commas, semicolons, tabs or bars
// between the cells, UTF-8, UTF-16 or GB18030, headings in English or Chinese. The
// error is an offer.InputErrors that names line, column and what is allowed there.
func Read(b []byte, p Params) (Bill, error) {
	if p.Zone == nil {
		p.Zone = time.Local
	}
	r := &reader{p: p}
	if len(b) > MaxBytes {
		r.fault("bill", texts.Bytes(float64(len(b))), texts.P("offer.allowed.size", "most", texts.Bytes(MaxBytes)), 1, 0)
		return Bill{}, r.errs
	}
	text, err := offer.PlainText(b)
	if err != nil {
		r.fault("bill", "", texts.P("offer.allowed.encoding"), 1, 0)
		return Bill{}, r.errs
	}
	r.read(text)
	if len(r.errs) > 0 {
		return Bill{}, r.errs
	}
	r.settle()
	return r.bill, nil
}

type reader struct {
	p     Params
	bill  Bill
	errs  offer.InputErrors
	cols  [fields]column
	comma bool // decimals are written with one
}

func (r *reader) fault(field, value string, allowed texts.Phrase, line, col int) {
	if len(r.errs) < maxErrors {
		r.errs = append(r.errs, &offer.InputError{Field: field, Value: value, Allowed: allowed, Line: line, Column: col + 1})
	}
}

// separator is what stands between the cells: the one by which a line of headings
// is found, for titles may stand above it.
func separator(text string) rune {
	for _, sep := range []rune{',', '\t', ';', '|'} {
		n := 0
		for line := range strings.Lines(text) {
			if n++; n > before {
				break
			}
			if _, ok := heading(split(line, sep)); ok {
				return sep
			}
		}
	}
	return offer.SeparatorOf(text)
}

func split(line string, sep rune) []string {
	cr := csv.NewReader(strings.NewReader(line))
	cr.Comma, cr.LazyQuotes = sep, true
	cells, err := cr.Read()
	if err != nil {
		return nil
	}
	for i := range cells {
		cells[i] = tidy(cells[i])
	}
	return cells
}

// tidy strips what a terminal would obey, and the marks by which spreadsheets are
// told that a number is a text.
func tidy(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\r' || r == '\t':
			return ' '
		case unicode.IsControl(r) || r == unicode.ReplacementChar || r == '\ufeff':
			return -1
		}
		return r
	}, s)
	s = strings.TrimSpace(s)
	if inner, ok := strings.CutPrefix(s, `="`); ok {
		s = strings.TrimSuffix(inner, `"`)
	}
	return strings.TrimSpace(strings.TrimPrefix(s, "'"))
}

func cut(s string) string {
	if rs := []rune(s); len(rs) > maxCell {
		return string(rs[:maxCell])
	}
	return s
}

func (r *reader) read(text string) {
	cr := csv.NewReader(strings.NewReader(text))
	cr.Comma, cr.FieldsPerRecord, cr.LazyQuotes = separator(text), -1, true
	r.comma = cr.Comma == ';' || cr.Comma == '\t'
	found := false
	for n := 0; ; n++ {
		cells, err := cr.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		line, _ := cr.FieldPos(0)
		var at *csv.ParseError
		if errors.As(err, &at) {
			r.fault("CSV", at.Err.Error(), texts.P("offer.allowed.csv"), at.Line, at.Column)
			return
		}
		if len(cells) > maxColumns || len(r.bill.Rows) >= maxRows {
			r.fault("bill", strconv.Itoa(max(len(cells), n)), texts.P("purse.allowed.rows", "rows", maxRows, "columns", maxColumns), line, 0)
			return
		}
		for i := range cells {
			cells[i] = tidy(cells[i])
		}
		if !found {
			if r.cols, found = heading(cells); !found && n >= before {
				break
			}
			continue
		}
		r.row(cells, line)
		if len(r.errs) >= maxErrors {
			return
		}
	}
	switch {
	case !found:
		r.fault("heading", "", texts.P("purse.allowed.heading", "list", headings), 1, 0)
	case len(r.bill.Rows) == 0 && len(r.errs) == 0:
		r.fault("bill", "", texts.P("purse.allowed.bill"), 1, 0)
	}
	for _, c := range r.cols {
		if c.at >= 0 {
			r.bill.Columns = append(r.bill.Columns, cut(c.name))
		}
	}
}

func headings(c *texts.Catalogue) string { return known(string(c.Lang)) }

// summed begins the rows that sum up others.
var summed = []string{"合计", "总计", "小计", "汇总", "total", "subtotal", "sum", "grand total"}

// row reads a row; an empty one and one that sums others up are none.
func (r *reader) row(cells []string, line int) {
	i := slices.IndexFunc(cells, func(c string) bool { return c != "" })
	if i < 0 || slices.Contains(summed, strings.ToLower(strings.Trim(cells[i], ":："))) {
		return
	}
	get := func(f field) string {
		if at := r.cols[f].at; at >= 0 && at < len(cells) {
			return cells[at]
		}
		return ""
	}
	bad := func(f field, key string) {
		r.fault(cut(r.cols[f].name), get(f), texts.P("purse.allowed."+key), line, r.cols[f].at)
	}
	w := Row{Line: line, Instance: cut(get(fieldInstance)), Item: cut(get(fieldItem))}
	if get(fieldAmount) == "" && get(fieldFrom) == "" && get(fieldTo) == "" && get(fieldMoment) == "" && get(fieldSpan) == "" {
		return // a note below the table
	}
	amount, currency, ok := parseAmount(get(fieldAmount), r.comma)
	if !ok {
		bad(fieldAmount, "amount")
		return
	}
	w.Amount = amount
	for _, c := range []string{get(fieldCurrency), r.cols[fieldAmount].unit, r.cols[fieldAmount].name} {
		if currency == "" && c != "" {
			if currency = parseCurrency(c); !currency.Valid() {
				currency = ""
			}
		}
	}
	if currency == "" {
		currency = r.p.Currency
	}
	switch {
	case currency == "":
		r.fault(cut(r.cols[fieldAmount].name), get(fieldAmount), texts.P("purse.allowed.currency"), line, r.cols[fieldAmount].at)
		return
	case r.bill.Currency == "":
		r.bill.Currency = currency
	case r.bill.Currency != currency:
		r.fault(cut(r.cols[fieldAmount].name), string(currency), texts.P("purse.allowed.one_currency", "currency", string(r.bill.Currency)), line, r.cols[fieldAmount].at)
		return
	}
	if !r.times(&w, get, bad) {
		return
	}
	if s := get(fieldPrice); s != "" {
		if v, _, ok := parseAmount(s, r.comma); ok && v.Sign() > 0 {
			w.Price = &v
		}
	}
	w.Kind = kindOf(w.Item + " " + get(fieldInstance))
	r.bill.Rows = append(r.bill.Rows, w)
}

// times reads when a row was for, and for how long.
func (r *reader) times(w *Row, get func(field) string, bad func(field, string)) bool {
	read := func(f field, to *time.Time, end bool) bool {
		s := get(f)
		if s == "" {
			return true
		}
		t, whole, ok := parseTime(s, r.p.Zone)
		if !ok {
			bad(f, "time")
			return false
		}
		if whole && end {
			t = t.AddDate(0, 0, 1)
		}
		*to = t
		return true
	}
	if !read(fieldFrom, &w.From, false) || !read(fieldTo, &w.To, true) {
		return false
	}
	if s := get(fieldSpan); s != "" && w.From.IsZero() && w.To.IsZero() {
		from, to, ok := parseSpan(s, r.p.Zone)
		if t, whole, one := parseTime(s, r.p.Zone); !ok && one {
			from, to, ok = t, t, true
			if whole {
				to = t.AddDate(0, 0, 1)
			}
		}
		if !ok {
			bad(fieldSpan, "span")
			return false
		}
		w.From, w.To = from, to
	}
	if s := get(fieldQuantity); s != "" {
		unit := get(fieldUnit)
		if unit == "" {
			unit = r.cols[fieldQuantity].unit
		}
		n, isTime, ok := parseSeconds(s, unit, r.comma)
		if !ok {
			bad(fieldQuantity, "duration")
			return false
		}
		if isTime {
			w.Seconds = &n
		}
	}
	if s := get(fieldMoment); s != "" && w.From.IsZero() && w.To.IsZero() {
		t, whole, ok := parseTime(s, r.p.Zone)
		if !ok {
			bad(fieldMoment, "time")
			return false
		}
		w.To = t
		if whole {
			w.From, w.To = t, t.AddDate(0, 0, 1)
		}
	}
	if w.Seconds != nil {
		d := time.Duration(*w.Seconds) * time.Second
		switch {
		case w.From.IsZero() && !w.To.IsZero():
			w.From = w.To.Add(-d)
		case w.To.IsZero() && !w.From.IsZero():
			w.To = w.From.Add(d)
		}
	}
	if !w.From.IsZero() && !w.To.IsZero() && w.To.Before(w.From) {
		bad(fieldTo, "order")
		return false
	}
	if w.From.IsZero() && w.To.IsZero() {
		bad(firstOf(r.cols), "time")
		return false
	}
	return true
}

// firstOf is the field that a time should have stood in.
func firstOf(cols [fields]column) field {
	for _, f := range []field{fieldFrom, fieldTo, fieldSpan, fieldMoment} {
		if cols[f].at >= 0 {
			return f
		}
	}
	return fieldAmount
}

// settle gives amounts one sign: who counts what leaves the balance writes costs
// below 0.
func (r *reader) settle() {
	below, above := 0, 0
	for _, w := range r.bill.Rows {
		if w.Kind == TopUp || w.Kind == Refund {
			continue
		}
		switch w.Amount.Sign() {
		case -1:
			below++
		case 1:
			above++
		}
	}
	flip := below > above
	for i := range r.bill.Rows {
		w := &r.bill.Rows[i]
		switch {
		case w.Kind == TopUp:
			w.Amount = w.Amount.Max(w.Amount.Neg())
		case w.Kind == Refund:
			w.Amount = w.Amount.Min(w.Amount.Neg())
		case flip:
			w.Amount = w.Amount.Neg()
		}
	}
}
