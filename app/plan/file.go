package plan

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"rentgen/app/advice"
	"rentgen/app/bill/offer"
	"rentgen/app/money"
	"rentgen/app/workload"
	"rentgen/assets/texts"
)

// MaxBytes is the longest plan file that is taken.
const MaxBytes = 512 << 10

// file is the YAML form of a plan, in the order of its keys.
type file struct {
	Version     int                 `yaml:"version"`
	Name        string              `yaml:"name,omitempty"`
	Currency    money.Currency      `yaml:"currency,omitempty"`
	Days        int                 `yaml:"days,omitempty"`
	Start       string              `yaml:"start,omitempty"`
	Job         workload.Job        `yaml:"job,omitempty"`
	Use         workload.Use        `yaml:"use,omitempty"`
	Questions   advice.Questions    `yaml:"questions,omitempty"`
	Own         ownForm             `yaml:"own"`
	CrossRegion bool                `yaml:"cross_region,omitempty"`
	SaveEvery   int                 `yaml:"save_every,omitempty"`
	Rates       []rateForm          `yaml:"rates,omitempty"`
	Measured    []workload.Measured `yaml:"measured,omitempty"`
	Offers      []*yaml.Node        `yaml:"offers,omitempty"`
	Seed        uint64              `yaml:"seed"`
}

type ownForm struct {
	HourlyRate *money.Rat `yaml:"hourly_rate,omitempty"`
	SetupH     money.Rat  `yaml:"setup_h"`
	WeeklyH    money.Rat  `yaml:"weekly_h"`
}

type rateForm struct {
	From money.Currency `yaml:"from"`
	To   money.Currency `yaml:"to"`
	Rate money.Rat      `yaml:"rate"`
	Date string         `yaml:"date"`
}

// New returns the plan that a person starts from: 30 days, in CNY, and the
// hours that a whole machine usually takes of its user, to be corrected.
func New() Plan {
	return Plan{Currency: "CNY", Days: 30, Own: Own{SetupH: money.Int(4), WeeklyH: money.Frac(1, 2)}, Seed: 1}
}

// Read reads a plan file. What isn't in it stays as New has it. The error is an
// offer.InputErrors with all that is wrong, first things first; errors.As finds
// the first *offer.InputError, each with its line and column. Whether model,
// card and offers make sense is for Check to say.
func Read(b []byte) (Plan, error) {
	p, d := read(b)
	return p, d.result()
}

// result sorts the errors by where they stand.
func (d *decoder) result() error {
	if len(d.errs) == 0 {
		return nil
	}
	slices.SortStableFunc(d.errs, func(a, b *offer.InputError) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	return d.errs
}

// place finds where a field stands, or the block it is missing from.
func (d *decoder) place(field string) *yaml.Node {
	for field != "" {
		if n := d.at[field]; n != nil {
			return n
		}
		cut := strings.LastIndexAny(field, ".[")
		if cut < 0 {
			return nil
		}
		field = field[:cut]
	}
	return nil
}

func read(b []byte) (Plan, *decoder) {
	d := &decoder{at: map[string]*yaml.Node{}}
	top := &yaml.Node{Line: 1, Column: 1}
	if len(b) > MaxBytes {
		d.bad("plan", fmt.Sprintf("%d B", len(b)), top, texts.P("planfile.allowed.size", "n", texts.Bytes(MaxBytes)))
		return Plan{}, d
	}
	root, fault := parse(b)
	if fault != nil {
		d.errs = append(d.errs, fault)
		return Plan{}, d
	}
	blank := New()
	f := file{
		Version: Version, Currency: blank.Currency, Days: blank.Days, Seed: blank.Seed,
		Own: ownForm{SetupH: blank.Own.SetupH, WeeklyH: blank.Own.WeeklyH},
	}
	d.decode(root, &f)
	p := Plan{
		Name: f.Name, Currency: f.Currency, Days: f.Days, Start: f.Start, Job: f.Job, Use: f.Use, Questions: f.Questions,
		Own:         Own{HourlyRate: f.Own.HourlyRate, SetupH: f.Own.SetupH, WeeklyH: f.Own.WeeklyH},
		CrossRegion: f.CrossRegion, SaveEvery: f.SaveEvery, Measured: f.Measured, Seed: f.Seed,
	}
	for _, r := range f.Rates {
		p.Rates = append(p.Rates, money.Rate{From: r.From, To: r.To, Value: r.Rate, Date: r.Date})
	}
	for i, n := range f.Offers {
		if n == nil {
			continue // refused already: a reference to another one
		}
		field := fmt.Sprintf("offers[%d]", i)
		o, err := offer.Decode(n)
		if err == nil {
			d.index(field, n)
			p.Offers = append(p.Offers, o)
			continue
		}
		found := offer.Inputs(err)
		if len(found) == 0 {
			d.bad(field, err.Error(), n, texts.P("planfile.allowed.offer"))
		}
		for _, e := range found {
			if !strings.HasPrefix(e.Field, "offers") {
				e.Field = within(field, e.Field)
			}
			if e.Line == 0 {
				e.Line, e.Column = n.Line, n.Column
			}
			d.errs = append(d.errs, e)
		}
	}
	if f.Version != Version {
		d.reject("version", strconv.Itoa(f.Version), texts.P("planfile.allowed.version", "version", Version))
	}
	d.check(p)
	if f.Days == 0 {
		d.reject("days", "0", texts.P("planfile.allowed.between", "low", 1, "high", MostDays))
	}
	if len(d.errs) > 0 {
		return Plan{}, d
	}
	return p, d
}

// index remembers where the parts of an offer stand.
func (d *decoder) index(field string, n *yaml.Node) {
	d.at[field] = n
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			d.index(within(field, n.Content[i].Value), n.Content[i+1])
		}
	case yaml.SequenceNode:
		for i, item := range n.Content {
			d.index(fmt.Sprintf("%s[%d]", field, i), item)
		}
	}
}

var (
	lineOf = regexp.MustCompile(`line (\d+): `)
	// tabbed finds a tab that indents, which people type most and the reader
	// blames on another line.
	tabbed = regexp.MustCompile(`(?m)^ *\t+`)
)

// parse returns the only document of a file; nil for an empty one.
func parse(b []byte) (*yaml.Node, *offer.InputError) {
	fault := func(line int, value string) *offer.InputError {
		return &offer.InputError{Field: "plan", Value: value, Allowed: texts.P("planfile.allowed.yaml"), Line: max(line, 1), Column: 1}
	}
	if at := tabbed.FindIndex(b); at != nil {
		e := fault(1+bytes.Count(b[:at[0]], []byte("\n")), "TAB")
		e.Column = at[1] - at[0]
		return nil, e
	}
	if wide := bytes.HasPrefix(b, []byte("\xff\xfe")) || bytes.HasPrefix(b, []byte("\xfe\xff")); !wide && !utf8.Valid(b) {
		return nil, notUTF8(b)
	}
	dec := yaml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(b, []byte("\ufeff"))))
	var doc yaml.Node
	err := next(dec, &doc)
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err != nil {
		text, line := strings.TrimPrefix(err.Error(), "yaml: "), 0
		if m := lineOf.FindStringSubmatch(text); m != nil {
			line, _ = strconv.Atoi(m[1]) // digits by the pattern
			text = strings.Replace(text, m[0], "", 1)
		}
		e := fault(line, offer.LineAt(b, max(line, 1)))
		e.Allowed = offer.NotYAML(text, e.Allowed)
		return nil, e
	}
	var second yaml.Node
	if err := next(dec, &second); !errors.Is(err, io.EOF) {
		return nil, fault(max(second.Line, doc.Line), "---")
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 {
		return nil, fault(doc.Line, shown(&doc))
	}
	return doc.Content[0], nil
}

// notUTF8 says where a file stops being UTF-8: an editor on Windows may have
// saved Chinese in the system's own encoding.
func notUTF8(b []byte) *offer.InputError {
	e := &offer.InputError{Field: "plan", Allowed: texts.P("planfile.allowed.utf8"), Line: 1, Column: 1}
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			e.Value = fmt.Sprintf("0x%02X", b[i])
			break
		}
		e.Column++
		if r == '\n' {
			e.Line, e.Column = e.Line+1, 1
		}
		i += n
	}
	return e
}

// next reads a document. What the reader panics on is an error like another.
func next(dec *yaml.Decoder, n *yaml.Node) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("yaml: %v", r)
		}
	}()
	return dec.Decode(n)
}

// Write writes the file form of a plan. Reading it gives the plan back.
func Write(p Plan) ([]byte, error) {
	f := file{
		Version: Version, Name: p.Name, Currency: p.Currency, Days: p.Days, Start: p.Start, Job: p.Job, Use: p.Use, Questions: p.Questions,
		Own:         ownForm{p.Own.HourlyRate, p.Own.SetupH, p.Own.WeeklyH},
		CrossRegion: p.CrossRegion, SaveEvery: p.SaveEvery, Measured: p.Measured, Seed: p.Seed,
	}
	for _, r := range p.Rates {
		f.Rates = append(f.Rates, rateForm{r.From, r.To, r.Value, r.Date})
	}
	for i, o := range p.Offers {
		n, err := o.Encode()
		if err != nil {
			return nil, fmt.Errorf("write plan: offer %d: %w", i, err)
		}
		f.Offers = append(f.Offers, n)
	}
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := errors.Join(e.Encode(f), e.Close()); err != nil {
		return nil, fmt.Errorf("write plan: %w", err)
	}
	return b.Bytes(), nil
}
