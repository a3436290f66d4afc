package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"rentgen/app/advice"
	"rentgen/app/bill/offer"
	"rentgen/app/bill/sheet"
	"rentgen/app/money"
	"rentgen/app/plan"
	"rentgen/assets/texts"
)

const (
	// draws of the chances; with the plan's seed they come out the same each time.
	draws = 100_000
	// finer is how many more digits a line has than the currency's minor unit.
	finer = 4
)

// amountJSON is a band of money, as decimals.
type amountJSON struct {
	Low   string `json:"low"`
	Point string `json:"point"`
	High  string `json:"high"`
}

type lineJSON struct {
	ID string `json:"id"`
	amountJSON
	Rule    *string     `json:"rule"`
	Source  *string     `json:"source"`
	Date    *string     `json:"date"`
	Mark    *string     `json:"mark"`
	Formula int         `json:"formula"` // of the list of formulas, 1 to 23
	Hours   *amountJSON `json:"own_hours"`
	Text    string      `json:"text"`
}

type unknownJSON struct {
	Term     string  `json:"term"`
	Question string  `json:"question"`
	Spread   *string `json:"spread"`
}

type waitJSON struct {
	ID       string `json:"id"`
	Low      string `json:"low_s"`
	Point    string `json:"point_s"`
	High     string `json:"high_s"`
	Billed   bool   `json:"billed"`
	Measured bool   `json:"measured"`
}

type billJSON struct {
	Name     string        `json:"name"`
	Currency string        `json:"currency"`
	RateDate *string       `json:"rate_date"`
	Lines    []lineJSON    `json:"lines"`
	Total    *amountJSON   `json:"total"` // the exact sum of the lines
	Rounded  *amountJSON   `json:"total_rounded"`
	PerHead  *amountJSON   `json:"per_head"`
	Per1000  *amountJSON   `json:"per_1000_images"`
	Waits    []waitJSON    `json:"waits"`
	Unknown  []unknownJSON `json:"unknown"`
	Status   sheet.Status  `json:"status"`
	Why      *string       `json:"why"`
	Example  bool          `json:"example"`
	Mixed    bool          `json:"mixed"`
	Chance   *float64      `json:"chance_cheapest"`
	Notes    []string      `json:"notes"`
}

type sheetJSON struct {
	Days     int        `json:"days"`
	Currency string     `json:"currency"`
	Offers   []billJSON `json:"offers"`
	Cheapest []string   `json:"cheapest"`
	Overlap  bool       `json:"bands_overlap"`
	Notes    []string   `json:"notes"`
}

// runBill prints the bills of a plan's offers.
func runBill(ctx context.Context, j *job) error {
	f, err := j.readPlan(needJob | needOffers)
	if err != nil {
		return err
	}
	ch, err := f.chances(ctx)
	if err != nil {
		return err
	}
	if j.is("json") {
		out := j.sheetOut(f.result.Sheet, ch)
		out.Notes = j.notes(f.result.Notes...)
		return j.printJSON(out)
	}
	if j.flags["format"] == "md" {
		s := f.result.Sheet
		for _, n := range j.notes(f.result.Notes...) {
			fmt.Fprintln(j.p.Stdout, "> "+n+"\n")
		}
		_, err := io.WriteString(j.p.Stdout, sheet.Markdown(j.c, s, ch)+"\n"+advice.PitfallsMarkdown(j.c, s))
		return err
	}
	j.printBill(f, ch)
	return nil
}

// chances draws where two bills compete; nil where nothing does.
func (f *planFile) chances(ctx context.Context) (*sheet.Chance, error) {
	n := 0
	for _, b := range f.result.Sheet.Bills {
		if b.Status == sheet.OK {
			n++
		}
	}
	if n < 2 {
		return nil, nil
	}
	ch, err := plan.Chances(ctx, f.cat, f.Plan, f.result, draws, nil)
	if err != nil {
		return nil, fmt.Errorf("draw the chances: %w", err)
	}
	return &ch, nil
}

// decimals writes a band with a fixed number of digits after the point.
func decimals(b money.Band, scale int) amountJSON {
	return amountJSON{b.Low.Fixed(scale), b.Point.Fixed(scale), b.High.Fixed(scale)}
}

func (j *job) sheetOut(s sheet.Sheet, ch *sheet.Chance) sheetJSON {
	out := sheetJSON{Days: s.Days, Currency: string(s.Currency), Offers: []billJSON{}, Cheapest: []string{}, Overlap: s.Overlap}
	for i, b := range s.Bills {
		if b.Offer.Hidden {
			continue
		}
		one := j.billOut(b)
		if ch != nil && i < len(ch.Cheapest) && b.Status == sheet.OK {
			one.Chance = &ch.Cheapest[i]
		}
		out.Offers = append(out.Offers, one)
	}
	for _, i := range s.Cheapest {
		out.Cheapest = append(out.Cheapest, s.Bills[i].Name)
	}
	return out
}

// billOut rounds each line to a fraction of the minor unit and sums what it
// wrote, so that a reader who adds the lines up finds the total.
func (j *job) billOut(b sheet.Bill) billJSON {
	scale := b.Currency.Scale()
	out := billJSON{
		Name: b.Name, Currency: string(b.Currency), RateDate: orNull(b.RateDate), Lines: []lineJSON{}, Waits: []waitJSON{},
		Unknown: []unknownJSON{}, Status: b.Status, Why: orNull(j.c.Say(b.Why)), Example: b.Offer.Example, Mixed: b.Mixed, Notes: j.notes(b.Notes...),
	}
	for _, w := range b.Waits {
		if !w.Unknown {
			d := decimals(w.Seconds, 0)
			out.Waits = append(out.Waits, waitJSON{w.ID, d.Low, d.Point, d.High, w.Billed, w.Measured})
		}
	}
	for _, q := range b.Unknown {
		u := unknownJSON{Term: string(q.Term), Question: j.c.Say(q.Term.Question())}
		if q.Spread != nil {
			s := q.Spread.Fixed(scale)
			u.Spread = &s
		}
		out.Unknown = append(out.Unknown, u)
	}
	if b.Status != sheet.OK {
		return out
	}
	var sum money.Band
	for _, l := range b.Lines {
		amount := money.Band{
			Low: l.Amount.Low.Round(scale+finer, money.HalfUp), Point: l.Amount.Point.Round(scale+finer, money.HalfUp),
			High: l.Amount.High.Round(scale+finer, money.HalfUp),
		}
		sum = sum.Add(amount)
		line := lineJSON{
			ID: l.ID, amountJSON: decimals(amount, scale+finer), Rule: orNull(cmp.Or(l.Rule, l.Formula)), Source: orNull(l.Source), Date: orNull(l.Date),
			Mark: orNull(string(l.Mark)), Formula: l.Group, Text: j.c.T("bill.line." + l.ID),
		}
		if l.Hours != nil {
			h := decimals(*l.Hours, 2)
			line.Hours = &h
		}
		out.Lines = append(out.Lines, line)
	}
	exact, rounded := decimals(sum, scale+finer), decimals(sum, scale)
	out.Total, out.Rounded = &exact, &rounded
	put := func(to **amountJSON, from *money.Band) {
		if from != nil {
			d := decimals(*from, scale)
			*to = &d
		}
	}
	put(&out.PerHead, b.PerHead)
	put(&out.Per1000, b.Per1000)
	return out
}

func (j *job) printBill(f *planFile, ch *sheet.Chance) {
	c, w, s := j.c, j.p.Stdout, f.result.Sheet
	j.printNotes(f)
	fmt.Fprintln(w, j.billTitle(f))
	fmt.Fprintln(w, c.Say(f.result.Advice.Sentence))
	for i, b := range s.Bills {
		if b.Offer.Hidden {
			continue
		}
		fmt.Fprintln(w)
		name := b.Name
		if b.Offer.Example {
			name += " " + c.T("cli.bill.example")
		}
		fmt.Fprintln(w, name)
		if !b.Mixed { // its offers say it already
			for _, n := range j.notes(b.Notes...) {
				fmt.Fprintln(w, "  "+n)
			}
		}
		if b.Status != sheet.OK {
			fmt.Fprintln(w, "  "+c.Say(b.Why))
			continue
		}
		rows := make([][]string, 0, len(b.Lines)+1)
		for _, l := range b.Lines {
			rows = append(rows, []string{c.T("bill.line." + l.ID), j.lineText(l, b.Currency)})
		}
		rows = append(rows, []string{c.T("cli.bill.total"), sheet.MoneyBand(c, b.Total, b.Currency)})
		if b.PerHead != nil {
			rows = append(rows, []string{c.T("cli.bill.head"), sheet.MoneyBand(c, *b.PerHead, b.Currency)})
		}
		if b.Per1000 != nil {
			rows = append(rows, []string{c.T("cli.bill.per1000"), sheet.MoneyBand(c, *b.Per1000, b.Currency)})
		}
		rows = append(rows, []string{c.T("cli.bill.wait"), texts.Band(c, b.WaitH.Low.Float64()*60, b.WaitH.High.Float64()*60, texts.Unit(c, "min"))})
		if ch != nil && i < len(ch.Cheapest) {
			rows = append(rows, []string{c.T("cli.bill.chance"), texts.Chance(ch.Cheapest[i])})
		}
		tabular(w, rows, 1)
		if b.Usage.Short() {
			fmt.Fprintln(w, "  "+c.T("bill.note.short"))
		}
	}
	j.printQuestions(s)
}

func (j *job) billTitle(f *planFile) string {
	title := j.c.T("cli.bill.title", "days", f.result.Sheet.Days, "currency", string(f.result.Sheet.Currency))
	if f.Name != "" {
		title = f.Name + ": " + title
	}
	return title
}

// lineText is a line's amount, or hours that have no price.
func (j *job) lineText(l sheet.Line, cur money.Currency) string {
	if l.Hours != nil {
		return texts.Band(j.c, l.Hours.Low.Float64(), l.Hours.High.Float64(), texts.Unit(j.c, "h"))
	}
	return sheet.MoneyBand(j.c, l.Amount, cur)
}

// printQuestions ends the bill with what to ask.
func (j *job) printQuestions(s sheet.Sheet) {
	var qs []offer.Question
	for _, b := range s.Bills {
		if !b.Offer.Hidden && !b.Mixed { // its offers' questions are asked already
			qs = append(qs, b.Unknown...)
		}
	}
	if len(qs) > 0 {
		fmt.Fprintln(j.p.Stdout, "\n"+j.c.T("cli.bill.ask")+"\n\n"+offer.QuestionText(j.c, qs))
	}
}
