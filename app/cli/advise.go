package cli

import (
	"context"
	"fmt"
	"io"
	"math"

	"rentgen/app/advice"
	"rentgen/app/bill/sheet"
	"rentgen/app/plan"
)

type vetoJSON struct {
	Item  string  `json:"item"`
	Kind  *string `json:"kind"`
	Offer *string `json:"offer"`
	Text  string  `json:"text"`
}

type reasonJSON struct {
	Item    string  `json:"item"`
	Text    string  `json:"text"`
	Weight  float64 `json:"weight"`
	Against bool    `json:"against"` // speaks for the other side
	Row     *string `json:"row"`     // of the comparison table
	Offer   *string `json:"offer"`
	Line    *string `json:"line"` // of the bill
}

type changeJSON struct {
	Input string  `json:"input"`
	From  string  `json:"from"`
	To    string  `json:"to"`
	Then  *string `json:"then"`
	Text  string  `json:"text"`
}

type adviceJSON struct {
	Choice      advice.Choice `json:"choice"`
	Basis       advice.Basis  `json:"basis"`
	Sentence    string        `json:"sentence"`
	Offer       *string       `json:"offer"`
	Second      *string       `json:"second"`
	Currency    string        `json:"currency"`
	Total       *amountJSON   `json:"total"`
	Chance      *float64      `json:"chance_cheaper"`
	Vetoes      []vetoJSON    `json:"vetoes"`
	Reasons     []reasonJSON  `json:"reasons"`
	WouldChange []changeJSON  `json:"would_change"`
	Open        []string      `json:"open"`
	Notes       []string      `json:"notes"`
}

// runAdvise prints which kind of card to rent and why.
func runAdvise(ctx context.Context, j *job) error {
	f, err := j.readPlan(needJob)
	if err != nil {
		return err
	}
	ch, err := f.chances(ctx)
	if err != nil {
		return err
	}
	a := plan.Advise(f.Plan, f.result, ch)
	if j.is("json") {
		out := j.adviceOut(a, f.result.Sheet)
		out.Notes = j.notes(f.result.Notes...)
		return j.printJSON(out)
	}
	if j.flags["format"] == "md" {
		for _, n := range j.notes(f.result.Notes...) {
			fmt.Fprintln(j.p.Stdout, "> "+n+"\n")
		}
		_, err := io.WriteString(j.p.Stdout, advice.Markdown(j.c, a))
		return err
	}
	j.printNotes(f)
	j.printAdvice(a)
	return nil
}

func (j *job) adviceOut(a advice.Advice, s sheet.Sheet) adviceJSON {
	out := adviceJSON{
		Choice: a.Choice, Basis: a.Basis, Sentence: j.c.Say(a.Sentence), Offer: orNull(a.Offer), Second: orNull(a.Second),
		Currency: string(s.Currency), Chance: a.Chance, Vetoes: []vetoJSON{}, Reasons: []reasonJSON{}, WouldChange: []changeJSON{},
		Open: append([]string{}, a.Open...),
	}
	if a.Total != nil {
		d := decimals(*a.Total, s.Currency.Scale())
		out.Total = &d
	}
	for _, v := range a.Vetoes {
		out.Vetoes = append(out.Vetoes, vetoJSON{v.Item, orNull(string(v.Kind)), orNull(v.Offer), j.c.Say(v.Text)})
	}
	for _, r := range a.Reasons {
		out.Reasons = append(out.Reasons, reasonJSON{
			Item: r.Item, Text: j.c.Say(r.Text), Weight: math.Round(r.Weight*100) / 100, Against: r.Against, Row: orNull(r.Row), Offer: orNull(r.Offer), Line: orNull(r.Line),
		})
	}
	for _, ch := range a.WouldChange {
		out.WouldChange = append(out.WouldChange, changeJSON{ch.Input, ch.From, ch.To, orNull(string(ch.Then)), j.c.Say(ch.Text)})
	}
	return out
}

func (j *job) printAdvice(a advice.Advice) {
	c, w := j.c, j.p.Stdout
	fmt.Fprintln(w, c.Say(a.Sentence))
	block := func(key string, items []string) {
		if len(items) == 0 {
			return
		}
		fmt.Fprintln(w, "\n"+c.T(key))
		for _, s := range items {
			fmt.Fprintln(w, "  "+s)
		}
	}
	var out, because, against, change, open []string
	for _, v := range a.Vetoes {
		out = append(out, c.Say(v.Text))
	}
	for _, r := range a.For() {
		because = append(because, c.Say(r.Text))
	}
	for _, r := range a.Against() {
		against = append(against, c.Say(r.Text))
	}
	for _, ch := range a.WouldChange {
		change = append(change, c.Say(ch.Text))
	}
	for _, id := range a.Open {
		open = append(open, c.T("advice.open."+id))
	}
	block("advice.md.out", out)
	block("advice.md.because", because)
	block("advice.md.against", against)
	block("advice.md.change", change)
	block("advice.md.open", open)
}
