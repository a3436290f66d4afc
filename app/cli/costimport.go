package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"rentgen/app/bill/offer"
	"rentgen/app/bill/sheet"
	"rentgen/app/money"
	"rentgen/app/purse/reconcile"
	"rentgen/assets/texts"
)

type billPairJSON struct {
	Kind     string      `json:"kind"`
	Host     *string     `json:"host"`
	Instance *string     `json:"instance"`
	Lines    []int       `json:"lines"`
	From     *string     `json:"from"`
	To       *string     `json:"to"`
	BilledS  *int64      `json:"billed_s"`
	Billed   *string     `json:"billed"`
	Session  *string     `json:"session"` // its start
	Ours     *amountJSON `json:"counted"`
	More     *string     `json:"more"`
	MoreS    *int64      `json:"more_s"`
	Text     string      `json:"text"`
}

type billLineJSON struct {
	ID       string      `json:"id"`
	Text     string      `json:"text"`
	Billed   *string     `json:"billed"`
	Ours     *amountJSON `json:"counted"`
	Forecast *amountJSON `json:"forecast"`
}

type learnedJSON struct {
	Host         string  `json:"host"`
	PerHour      *string `json:"per_hour"`
	Exact        bool    `json:"exact"`
	GranularityS *int64  `json:"granularity_s"`
	IdleShare    *string `json:"idle_share"`
	Rows         int     `json:"rows"`
}

type stopJSON struct {
	Host  string `json:"host"`
	Start string `json:"session"`
	At    string `json:"at"`
}

type billImportJSON struct {
	Currency string         `json:"currency"`
	Rows     int            `json:"rows"`
	Columns  []string       `json:"columns"`
	Billed   string         `json:"billed"`
	Ours     *amountJSON    `json:"counted"`
	More     *string        `json:"more"`
	Lines    []billLineJSON `json:"lines"`
	Pairs    []billPairJSON `json:"pairs"`
	Learned  []learnedJSON  `json:"learned"`
	Stops    []stopJSON     `json:"stops"`
	Other    []string       `json:"left_out"`
	Notes    []string       `json:"notes"`
}

// runCostImport sets a platform's bill against what was counted, and takes the
// stops from it that nobody knew.
func runCostImport(ctx context.Context, j *job) error {
	b, err := j.billBytes(j.args[0])
	if err != nil {
		return err
	}
	zone, err := j.zone()
	if err != nil {
		return err
	}
	currency := money.Currency(currencyOf(j.flags["currency"]))
	if currency != "" && !currency.Valid() {
		return &UsageError{Code: "value", Field: "--currency", Value: j.flags["currency"], Allowed: "CNY, USD"}
	}
	bill, err := reconcile.Read(b, reconcile.Params{Currency: currency, Zone: zone})
	if err != nil {
		return j.noBill(err)
	}
	only := ""
	if len(j.args) > 1 {
		if only, _, err = j.costHost(ctx, j.args[1]); err != nil {
			return err
		}
	}
	p, err := j.purse(ctx, true)
	if err != nil {
		return err
	}
	defer p.close()
	r, err := reconcile.Take(ctx, bill, reconcile.Into{Book: p.Book, Store: p.store, Host: only, File: filepath.Base(j.args[0]), Name: p.name, Now: time.Now()})
	if err != nil {
		return err
	}
	if j.is("json") {
		return j.printJSON(j.importOut(p, bill, r))
	}
	j.printImport(p, bill, r)
	return nil
}

// noBill says of a file that is no bill as a whole what a bill is; other errors
// name a cell.
func (j *job) noBill(err error) error {
	if es := offer.Inputs(err); len(es) == 1 && es[0].Value == "" && (es[0].Field == "bill" || es[0].Field == "heading") {
		return &UsageError{Code: "bill", Field: "BILL.csv", Value: j.args[0], Allowed: j.c.Say(es[0].Allowed)}
	}
	return err
}

func (j *job) billBytes(path string) ([]byte, error) {
	from := j.in
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, &UsageError{Code: "file", Field: "BILL.csv", Value: path, Allowed: reason(err)}
		}
		defer f.Close()
		from = j.waits(f)
	}
	b, err := io.ReadAll(io.LimitReader(from, reconcile.MaxBytes+1)) // one more, so that too long is seen
	if err != nil {
		return nil, &UsageError{Code: "file", Field: "BILL.csv", Value: path, Allowed: reason(err)}
	}
	return b, nil
}

func (j *job) importOut(p *purseBook, b reconcile.Bill, r reconcile.Result) billImportJSON {
	scale := b.Currency.Scale() + finer
	out := billImportJSON{
		Currency: string(b.Currency), Rows: len(b.Rows), Columns: b.Columns, Billed: r.Billed.Fixed(scale), Lines: []billLineJSON{}, Pairs: []billPairJSON{}, Learned: []learnedJSON{}, Stops: []stopJSON{}, Other: []string{},
		Notes: j.notes(r.Say...),
	}
	out.Other = append(out.Other, r.Other...)
	if r.Priced {
		more := r.More.Fixed(scale)
		out.Ours, out.More = exact(r.Ours, b.Currency), &more
	}
	plain := func(v *money.Rat) *string {
		if v == nil {
			return nil
		}
		s := v.Fixed(scale)
		return &s
	}
	band := func(v *money.Band) *amountJSON {
		if v == nil {
			return nil
		}
		return exact(*v, b.Currency)
	}
	at := func(t time.Time) *string {
		if t.IsZero() {
			return nil
		}
		s := moment(t)
		return &s
	}
	for _, l := range r.Lines {
		out.Lines = append(out.Lines, billLineJSON{string(l.Kind), j.c.Say(l.Name()), plain(l.Billed), band(l.Ours), band(l.Forecast)})
	}
	for _, x := range r.Pairs {
		o := billPairJSON{
			Kind: string(x.Kind), Instance: orNull(x.Instance), Lines: append([]int{}, x.Lines...), From: at(x.From), To: at(x.To), BilledS: x.BilledS,
			MoreS: x.MoreS, Text: strings.TrimSpace(j.c.Say(x.Says(b.Currency))),
		}
		if x.Host != "" {
			o.Host = orNull(p.name(x.Host))
		}
		if x.Kind != reconcile.OnlyHere {
			o.Billed = plain(&x.Billed)
		}
		if x.Session != nil {
			o.Session = at(x.Session.Start)
		}
		if x.Priced {
			o.Ours, o.More = exact(x.Session.Cost, b.Currency), plain(&x.More)
		}
		out.Pairs = append(out.Pairs, o)
	}
	for _, l := range r.Learned {
		o := learnedJSON{Host: p.name(l.Host), Exact: l.Exact, GranularityS: l.GranularityS, Rows: l.Rows}
		if l.PerHour != nil {
			s := l.PerHour.String()
			o.PerHour = &s
		}
		if l.IdleShare != nil {
			s := l.IdleShare.Fixed(4)
			o.IdleShare = &s
		}
		out.Learned = append(out.Learned, o)
	}
	for _, s := range r.Stops {
		out.Stops = append(out.Stops, stopJSON{p.name(s.Host), moment(s.Start), moment(s.At)})
	}
	return out
}

func (j *job) printImport(p *purseBook, b reconcile.Bill, r reconcile.Result) {
	c, w := j.c, j.p.Stdout
	for _, s := range r.Say {
		fmt.Fprintln(w, c.Say(s))
	}
	rows := [][]string{{"", c.T("cli.cost.col.bill"), c.T("cli.cost.col.sofar"), c.T("cli.cost.col.plan")}}
	for _, l := range r.Lines {
		cells := []string{c.Say(l.Name()), texts.Dash, texts.Dash, texts.Dash}
		if l.Billed != nil {
			cells[1] = sheet.Money(c, *l.Billed, b.Currency)
		}
		if l.Ours != nil {
			cells[2] = sheet.MoneyBand(c, *l.Ours, b.Currency)
		}
		if l.Forecast != nil {
			cells[3] = sheet.MoneyBand(c, *l.Forecast, b.Currency)
		}
		rows = append(rows, cells)
	}
	fmt.Fprintln(w)
	tabular(w, rows, 1, 2, 3)
	if len(r.Pairs) > 0 {
		fmt.Fprintln(w)
	}
	for _, x := range r.Pairs {
		s := strings.TrimSpace(c.Say(x.Says(b.Currency)))
		if x.Host != "" {
			s = j.named(p.name(x.Host), s)
		}
		fmt.Fprintln(w, s)
	}
}
