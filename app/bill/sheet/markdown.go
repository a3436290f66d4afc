package sheet

import (
	"fmt"
	"slices"
	"strings"

	"rentgen/app/money"
	"rentgen/assets/texts"
)

// Markdown returns the whole bill for a file or a message: the sentence, the
// lines side by side, what would change it, the questions, and every formula
// with its inputs. ch may be nil.
func Markdown(c *texts.Catalogue, s Sheet, ch *Chance) string {
	w := &writer{c: c, s: s}
	w.line("# %s", c.T("bill.md.title", "days", s.Days))
	w.para(c.Say(Sentence(s, ch)))
	w.table(ch)
	for _, b := range s.Bills {
		if b.Status != OK {
			why := c.T("bill.md.stop", "a", c.T("bill.status."+string(b.Status)), "b", c.Say(b.Why))
			w.para(c.T("bill.md.colon", "a", "**"+cell(b.Name)+"**", "b", cell(why)))
		}
		if !b.Mixed {
			for _, n := range b.Notes {
				w.para(c.T("bill.md.colon", "a", "**"+cell(b.Name)+"**", "b", cell(c.Say(n))))
			}
		}
	}
	if len(s.Moves) > 0 {
		w.line("## %s", c.T("bill.md.moves"))
		for _, m := range s.Moves {
			w.line("- %s", cell(c.Say(m.Say())))
		}
		w.line("")
	}
	w.questions()
	w.waits()
	w.facts()
	for _, b := range s.Bills {
		w.formulas(b)
	}
	return w.b.String()
}

type writer struct {
	c *texts.Catalogue
	s Sheet
	b strings.Builder
}

func (w *writer) line(format string, args ...any) { fmt.Fprintf(&w.b, format+"\n", args...) }

// item writes "- a: b".
func (w *writer) item(indent, a, b string) {
	w.line("%s- %s", indent, w.c.T("bill.md.colon", "a", a, "b", b))
}

func (w *writer) para(s string) { w.line("\n%s\n", s) }

// cell makes a text safe for a cell of a table: names come from the user.
func cell(s string) string {
	s = strings.NewReplacer("\r", " ", "\n", " ", "\\", "\\\\", "|", "\\|", "<", "&lt;", "*", "\\*", "_", "\\_", "`", "\\`", "[", "\\[").Replace(s)
	return strings.TrimSpace(s)
}

func (w *writer) row(name string, f func(Bill) string) {
	cells := make([]string, len(w.s.Bills))
	empty := true
	for i, b := range w.s.Bills {
		cells[i] = f(b)
		empty = empty && cells[i] == ""
		if cells[i] == "" {
			cells[i] = texts.Dash
		}
	}
	if !empty {
		w.line("| %s | %s |", name, strings.Join(cells, " | "))
	}
}

func (w *writer) table(ch *Chance) {
	if len(w.s.Bills) == 0 {
		return
	}
	c := w.c
	names := make([]string, len(w.s.Bills))
	for i, b := range w.s.Bills {
		names[i] = cell(b.Name)
	}
	w.line("| | %s |", strings.Join(names, " | "))
	w.line("|---|%s", strings.Repeat("---:|", len(names)))
	for _, id := range w.ids() {
		w.row(c.T("bill.line."+id), func(b Bill) string { return lineText(c, b, id) })
	}
	bold := func(s string) string {
		if s == "" {
			return ""
		}
		return "**" + s + "**"
	}
	of := func(v *money.Band, b Bill) string {
		if v == nil || b.Status != OK {
			return ""
		}
		return MoneyBand(c, *v, b.Currency)
	}
	w.row("**"+c.T("bill.total")+"**", func(b Bill) string { return bold(of(&b.Total, b)) })
	w.row(c.T("bill.per_head"), func(b Bill) string { return of(b.PerHead, b) })
	w.row(c.T("bill.per_1000"), func(b Bill) string { return of(b.Per1000, b) })
	w.row(c.T("bill.lasts"), func(b Bill) string {
		if b.LastsH == nil {
			return ""
		}
		return hoursText(b.LastsH.Point)(c)
	})
	w.row(c.T("bill.rate_date"), func(b Bill) string { return b.RateDate })
	if ch == nil {
		w.line("")
		return
	}
	at := func(b Bill) int { return slices.IndexFunc(w.s.Bills, func(o Bill) bool { return o.Name == b.Name }) }
	w.row(c.T("bill.chance"), func(b Bill) string {
		if i := at(b); i < len(ch.Cheapest) && b.Status == OK {
			return texts.Chance(ch.Cheapest[i])
		}
		return ""
	})
	w.row(c.T("bill.p10_p90"), func(b Bill) string {
		if i := at(b); i < len(ch.P10) && b.Status == OK {
			return MoneyBand(c, money.Band{Low: money.Float(ch.P10[i]), Point: money.Float(ch.P10[i]), High: money.Float(ch.P90[i])}, w.s.Currency)
		}
		return ""
	})
	w.line("\n%s\n", c.T("bill.md.draws", "n", texts.Count(int64(ch.Draws)), "seed", fmt.Sprint(ch.Seed)))
}

// ids are the lines that any bill has, in the order of the page.
func (w *writer) ids() []string {
	var ids []string
	for _, b := range w.s.Bills {
		for _, l := range b.Lines {
			if !slices.Contains(ids, l.ID) {
				ids = append(ids, l.ID)
			}
		}
	}
	slices.SortFunc(ids, func(a, b string) int { return order[a] - order[b] })
	return ids
}

// lineText says a bill's amount of a line; two lines of one id are summed.
func lineText(c *texts.Catalogue, b Bill, id string) string {
	var sum money.Band
	found := false
	for _, l := range b.Lines {
		if l.ID != id {
			continue
		}
		if l.Hours != nil || id == LineIdle && l.Note.Key == "bill.note.in_package" {
			if l.Hours == nil {
				return c.T("bill.in_package")
			}
			return AmountText(c, l, b.Currency)
		}
		sum, found = sum.Add(l.Amount), true
	}
	if !found {
		return ""
	}
	return MoneyBand(c, sum, b.Currency)
}

func (w *writer) questions() {
	c, any := w.c, false
	for _, b := range w.s.Bills {
		if b.Mixed {
			continue
		}
		for _, q := range b.Unknown {
			if !any {
				w.line("## %s", c.T("bill.md.questions"))
				any = true
			}
			ask := c.T("question." + string(q.Term))
			text := c.T("bill.md.spread_unknown", "question", ask)
			if q.Spread != nil {
				text = c.T("bill.md.spread", "question", ask, "amount", Money(c, *q.Spread, w.s.Currency))
			}
			w.item("", cell(b.Name), text)
		}
	}
	if any {
		w.line("")
	}
}

func (w *writer) waits() {
	c := w.c
	w.line("## %s", c.T("bill.md.waits"))
	for _, b := range w.s.Bills {
		if b.Mixed || len(b.Waits) == 0 {
			continue
		}
		var parts []string
		for _, wait := range b.Waits {
			parts = append(parts, wait.Text(c))
		}
		s := join(c, parts)
		if p := c.Say(b.Dies); p != "" {
			s = c.T("bill.md.stop", "a", s, "b", p)
		}
		w.item("", cell(b.Name), s)
	}
	w.line("")
}

func (w *writer) facts() {
	c, any := w.c, false
	for i, b := range w.s.Bills {
		for _, f := range Facts(w.s, i) {
			if !any {
				w.line("## %s", c.T("bill.md.facts"))
				any = true
			}
			w.item("", cell(b.Name), cell(c.Say(f.Text)))
		}
	}
	if any {
		w.line("")
	}
}

// Text says a part of a start: "load 20 s (measured)".
func (w Wait) Text(c *texts.Catalogue) string {
	name := c.T("bill.wait." + w.ID)
	if w.Unknown {
		return c.T("bill.wait.unknown", "name", name)
	}
	key := "bill.wait.estimated"
	if w.Measured {
		key = "bill.wait.measured"
	}
	s := c.T(key, "name", name, "time", inputText(c, Input{Value: w.Seconds, Unit: "s", Status: Estimated}))
	if w.Billed {
		return c.T("bill.wait.billed", "wait", s)
	}
	return s
}

func (w *writer) formulas(b Bill) {
	if b.Status != OK || b.Mixed {
		return
	}
	c := w.c
	w.line("## %s", cell(b.Name))
	for _, l := range b.Lines {
		x := Explain(c, b, l)
		w.item("", "**"+x.Title+"** "+x.Amount, cell(x.Formula))
		if x.Note != "" {
			w.line("  - %s", cell(x.Note))
		}
		for _, in := range x.Inputs {
			from := join(c, []string{in.Origin, in.Source})
			w.item("  ", in.Name, c.T("bill.md.origin", "value", cell(in.Value), "origin", cell(from)))
			for _, a := range in.Also {
				w.line("    - %s", c.T("bill.md.also", "value", cell(a)))
			}
		}
		if x.Rule != "" {
			w.item("  ", cell(x.Rule), cell(x.Origin))
		}
		w.line("  - %s", cell(x.Rounding))
	}
	w.line("")
}
