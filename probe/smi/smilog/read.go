package smilog

import (
	"cmp"
	"errors"
	"io"
	"iter"
	"strings"
	"time"

	"rentgen/probe"
	"rentgen/probe/smi"
)

// Read reads a log as messages by time: an inventory of the cards, again where
// one comes to it, then samples, with gaps where the log is silent for three of
// its steps (probe.GapLog) and events for lines that are no readings: an Xid, a
// lost card, a driver that can't be reached, noise. A card without a UUID is
// named by its place, "#0".
//
// Where the clock goes back, readings of a time that is there already are left
// out; one event of kind probe.EventClock then says since when, with their number
// in Code. The last line of a file counts only where it is ended. Of a rentgen
// export, rows that sum up minutes or hours become a gap (probe.GapRolled).
//
// The error, an *Error or what r returned, is the last thing yielded.
func Read(r io.Reader, p Params) iter.Seq2[probe.Message, error] {
	return func(yield func(probe.Message, error) bool) {
		if p.Location == nil {
			p.Location = time.Local
		}
		err := (&reader{p: p, out: out{yield: yield, clock: clock{loc: p.Location}}}).run(r)
		if err != nil && !errors.Is(err, errStop) {
			yield(nil, err)
		}
	}
}

var errStop = errors.New("stop")

// reader reads one log.
type reader struct {
	p     Params
	text  *text
	out   out
	form  form // nil until the columns are known
	rows  int
	blank bool // nothing but blank lines so far
}

// form is what a kind of log makes of its lines.
type form interface {
	// row reads a line. ok is false where it is no row of this form.
	row(cells []string) (ok bool, err error)
	// flush ends what is open.
	flush() error
}

func (r *reader) fail(why Why, column int, field, value string) error {
	return &Error{Name: r.p.Name, Line: r.text.n, Column: column, Field: clean(field), Value: clean(value), Why: why}
}

func (r *reader) run(in io.Reader) error {
	var err error
	if r.text, err = newText(in); err != nil {
		return err
	}
	r.blank = true
	if len(r.p.Columns) > 0 {
		if r.form, err = r.columns(r.p.Columns); err != nil {
			return err
		}
	}
	for {
		line, whole, err := r.text.line()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if strings.TrimSpace(line) == "" {
			continue
		}
		r.blank = false
		if err := r.line(line, whole); err != nil {
			return err
		}
	}
	return r.end()
}

func (r *reader) end() error {
	switch {
	case r.blank:
		return &Error{Name: r.p.Name, Why: WhyEmpty}
	case r.form == nil:
		return &Error{Name: r.p.Name, Line: 1, Why: WhyNoHeading}
	}
	if err := r.form.flush(); err != nil {
		return err
	}
	if r.rows == 0 {
		return &Error{Name: r.p.Name, Line: r.text.n, Why: WhyNoRows}
	}
	return r.out.end()
}

// headless is how many lines may stand before the heading: what a shell or a
// layer between program and driver prints.
const headless = 200

// line takes one line of the log.
func (r *reader) line(line string, whole bool) error {
	if r.text.n == 1 && strings.ContainsRune(line, 0) {
		return r.fail(WhyBinary, 0, "", "")
	}
	cells, ok := split(line)
	if ok && heading(cells) {
		if len(r.p.Columns) > 0 {
			return nil
		}
		return r.heading(cells)
	}
	if r.form == nil {
		if r.text.n > headless {
			return &Error{Name: r.p.Name, Line: 1, Why: WhyNoHeading}
		}
		return r.out.note(line)
	}
	if !whole && r.rows > 0 {
		// It may be cut in the middle of a number.
		return nil
	}
	if ok {
		ok, err := r.form.row(cells)
		if err != nil || ok {
			return err
		}
	}
	if i := stamp(line); i > 0 { // a line of another library ran into the row
		if cells, ok := split(line[i:]); ok {
			ok, err := r.form.row(cells)
			if err != nil {
				return err
			}
			if ok {
				return r.out.note(line[:i])
			}
		}
	}
	return r.out.note(line)
}

// stamp finds where a time of nvidia-smi begins in a line; -1 where none does.
func stamp(line string) int {
	for i := 0; i+11 <= len(line); i++ {
		s := line[i:]
		if s[4] == '/' && s[7] == '/' && s[10] == ' ' && s[0] == '2' && strings.Trim(s[:4]+s[5:7]+s[8:10], "0123456789") == "" {
			return i
		}
	}
	return -1
}

// heading recognises the line of names.
func heading(cells []string) bool {
	// Of every row this is asked: what begins with a number names no column.
	if len(cells) < 2 || strings.ContainsAny(cells[0], "0123456789") {
		return false
	}
	known := 0
	for _, c := range cells {
		name := bare(c)
		if name == "timestamp" || name == "time" || name == "width_s" {
			known++
		}
	}
	if _, unknown := smi.Bind(cells); len(unknown) < len(cells) {
		known++
	}
	return known > 0
}

func bare(name string) string {
	name, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(name)), " [")
	return name
}

// heading takes the names of the columns: at the start, again where the log was
// written to by more than one run, with others where it was asked otherwise.
func (r *reader) heading(cells []string) error {
	if r.form != nil {
		if err := r.form.flush(); err != nil {
			return err
		}
	}
	f, err := r.columns(cells)
	if err != nil {
		return err
	}
	r.form = f
	return nil
}

func (r *reader) columns(names []string) (form, error) {
	at := -1
	own := false
	for i, n := range names {
		switch bare(n) {
		case "timestamp":
			at = i
		case "time":
			if at < 0 {
				at = i
			}
		case "width_s":
			own = true
		}
	}
	if at < 0 {
		return nil, r.fail(WhyNoTime, 0, "", strings.Join(names[:min(len(names), 8)], ", "))
	}
	if own {
		return newExport(r, names, at)
	}
	b, _ := smi.Bind(names)
	if b.Metrics() == 0 {
		return nil, r.fail(WhyNoMetric, 0, "", strings.Join(names[:min(len(names), 8)], ", "))
	}
	return &query{r: r, bind: b, n: len(names), at: at}, nil
}

// time reads the time of a row. Of the first row it must be one.
func (r *reader) time(cells []string, at int) (t time.Time, ok bool, err error) {
	t, ok = r.out.clock.read(cells[at])
	if !ok && r.rows == 0 {
		if _, token := smi.Token(cells[at]); !token && strings.ContainsAny(cells[at], "0123456789") {
			return t, false, r.fail(WhyTime, at+1, cmp.Or(r.field(at), "timestamp"), cells[at])
		}
	}
	return t, ok, nil
}

func (r *reader) field(at int) string {
	if at < len(r.p.Columns) {
		return r.p.Columns[at]
	}
	return ""
}
