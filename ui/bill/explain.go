package bill

import (
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/advice"
	"rentgen/app/bill/offer"
	"rentgen/app/bill/sheet"
	"rentgen/app/money"
	"rentgen/app/purse/measured"
	"rentgen/assets/texts"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// explain opens what a cell is made of: row is a line's id or one of the other
// rows.
func (w *Place) explain(i int, row string) {
	if row == sheet.LineUnknown {
		w.ask(i)
		return
	}
	col := container.NewVBox()
	of := ""
	fill := func() bool {
		if i >= len(w.good.Sheet.Bills) {
			return false
		}
		b := w.good.Sheet.Bills[i]
		if of == "" {
			of = b.Name
		}
		if b.Name != of { // the columns were moved: this is another offer
			return false
		}
		col.Objects = w.explained(b, i, row)
		col.Refresh()
		return true
	}
	if !fill() {
		return
	}
	w.side.open(w.c.T("billpage.of", "what", w.rowName(row), "offer", of), i, col, nil, func() { w.explain(i, row) }, fill)
}

func (w *Place) rowName(row string) string {
	switch row {
	case rowTotal:
		return w.c.T("bill.total")
	case rowLasts:
		return w.c.T("bill.lasts")
	case rowWait:
		return w.c.T("billpage.wait")
	case rowDies:
		return w.c.T("billpage.dies")
	}
	return w.c.T("bill.line." + row)
}

func (w *Place) explained(b sheet.Bill, i int, row string) []fyne.CanvasObject {
	switch row {
	case rowTotal:
		return w.explainTotal(b, i)
	case rowLasts:
		return w.explainLasts(b)
	case rowWait:
		return w.explainWait(b, i)
	case rowDies:
		return w.explainDies(b, i)
	}
	var all []fyne.CanvasObject
	for _, l := range b.Lines {
		if l.ID != row {
			continue
		}
		if len(all) > 0 {
			all = append(all, widgets.Rule())
		}
		all = append(all, w.explainLine(b, l, i)...)
	}
	if all == nil {
		all = append(all, quiet(w.c.T("billpage.noline")))
	}
	return all
}

// explainLine is a line with its formula, inputs, rule and rounding.
func (w *Place) explainLine(b sheet.Bill, l sheet.Line, i int) []fyne.CanvasObject {
	c := w.c
	x := sheet.Explain(c, b, l)
	sum := newProse(x.Amount, part{large: true, bold: true})
	all := []fyne.CanvasObject{sum}
	if x.Formula != "" {
		all = append(all, words(x.Formula))
	}
	if x.Note != "" {
		all = append(all, noted(theme.Warn, x.Note))
	}
	if len(x.Inputs) > 0 {
		all = append(all, heading(c.T("billpage.inputs")))
	}
	for _, in := range x.Inputs {
		all = append(all, w.inputRow(in))
	}
	if x.Rule != "" {
		text := x.Rule
		if x.Origin != "" {
			text = c.T("billpage.rule", "rule", x.Rule, "origin", x.Origin)
		}
		all = append(all, heading(c.T("billpage.rule.title")), quiet(text))
		if d, ok := offer.DefOf(offer.TermID(l.Rule)); ok && !b.Mixed {
			all = append(all, buttons(widgets.NewButton(c.T("billpage.rule.edit"), nil, func() { w.editTerm(i, d.ID) })))
		}
	}
	if x.Rounding != "" {
		all = append(all, heading(c.T("billpage.rounding")), quiet(x.Rounding))
	}
	return append(all, w.pitfalls(pitfallsOf(l))...)
}

// inputRow is a number of a formula and where it is known from.
func (w *Place) inputRow(in sheet.ExplainedInput) fyne.CanvasObject {
	col := container.NewVBox(pair(in.Name, in.Value, false))
	from := in.Origin
	if in.Source != "" {
		from = w.c.T("bill.join", "a", from, "b", measured.SourceIn(w.c, in.Source))
	}
	col.Add(faint(from))
	for _, a := range in.Also {
		col.Add(noted(theme.Warn, w.c.T("bill.md.also", "value", a)))
	}
	return container.NewVBox(col, widgets.Rule())
}

// noted is a sentence behind its sign.
func noted(v theme.Verdict, text string) fyne.CanvasObject {
	return container.NewBorder(nil, nil, container.NewVBox(widget.NewIcon(v.Icon())), nil, quiet(text))
}

// pair is a name with an amount at the right.
func pair(name, value string, bold bool) fyne.CanvasObject {
	v := newProse(value, part{bold: bold})
	v.right = true
	return container.New(&halves{}, newProse(name, part{bold: bold}), v)
}

// explainTotal is the sum with its lines, and what stands in its place.
func (w *Place) explainTotal(b sheet.Bill, i int) []fyne.CanvasObject {
	c := w.c
	if b.Status != sheet.OK {
		v := theme.Warn
		if b.Status == sheet.CannotFinish || b.Status == sheet.CardTooSmall {
			v = theme.Fail
		}
		all := []fyne.CanvasObject{noted(v, c.T("bill.status."+string(b.Status))), words(c.Say(b.Why))}
		switch b.Status {
		case sheet.NoPrice, sheet.BadTerms:
			all = append(all, buttons(widgets.Primary(c.T("billpage.col.edit"), nil, func() { w.edit(i) })))
		case sheet.NoRate:
			all = append(all, buttons(widgets.Primary(c.T("billpage.rates.open"), nil, w.settings)))
		case sheet.OK, sheet.CannotFinish, sheet.CardTooSmall, sheet.NoHours:
			if w.p.Plan != nil {
				all = append(all, buttons(widgets.Primary(c.T("billpage.plan"), nil, w.p.Plan)))
			}
		}
		return slices.Concat(all, w.notes(b), w.pitfalls(advice.PitfallsFor(b)))
	}
	all := w.notes(b)
	for _, l := range b.Lines {
		all = append(all, pair(c.T("bill.line."+l.ID), sheet.AmountText(c, l, b.Currency), false))
	}
	all = append(all, widgets.Rule(), pair(c.T("bill.total"), sheet.MoneyBand(c, b.Total, b.Currency), true),
		pair(c.T("billpage.likely"), sheet.Money(c, b.Total.Point, b.Currency), false))
	if b.PerHead != nil {
		all = append(all, pair(c.T("bill.per_head"), sheet.MoneyBand(c, *b.PerHead, b.Currency), false))
	}
	if b.Per1000 != nil {
		all = append(all, pair(c.T("bill.per_1000"), sheet.MoneyBand(c, *b.Per1000, b.Currency), false))
	}
	if b.Mixed {
		all = append(all, pair(c.T("billpage.failshare"), share(b.FailShare.Float64()), false))
		if b.PaysFrom != nil {
			all = append(all, pair(c.T("billpage.paysfrom"), share(b.PaysFrom.Float64()), false))
		}
	}
	if b.RateDate != "" {
		all = append(all, quiet(c.T("billpage.rate", "date", b.RateDate)))
	}
	all = append(all, quiet(c.T("billpage.total.how")))
	if facts := sheet.Facts(w.good.Sheet, i); len(facts) > 0 {
		all = append(all, widgets.Rule(), heading(c.T("billpage.facts")))
		for _, f := range facts {
			all = append(all, words(c.Say(f.Text)))
		}
	}
	return append(all, w.pitfalls(advice.PitfallsFor(b))...)
}

func (w *Place) explainLasts(b sheet.Bill) []fyne.CanvasObject {
	if b.LastsH == nil {
		return nil
	}
	c := w.c
	balance := b.Offer.Term(offer.Balance)
	d, _ := offer.DefOf(offer.Balance)
	return []fyne.CanvasObject{
		heading(hoursText(c, *b.LastsH)),
		pair(c.Say(offer.Balance.Name()), d.ValueText(c, balance.Value, b.Offer.Currency), false),
		pair(c.T("bill.input.price"), priceText(c, b.Offer), false),
		quiet(c.T("billpage.lasts.how")),
	}
}

func (w *Place) explainWait(b sheet.Bill, i int) []fyne.CanvasObject {
	c := w.c
	all := []fyne.CanvasObject{heading(secondsText(c, b.WaitH.Times(money.Int(3600)))), quiet(c.T("billpage.wait.how"))}
	for _, x := range b.Waits {
		text := c.T("offer.status.unknown")
		if !x.Unknown {
			text = secondsText(c, x.Seconds)
		}
		from := c.T("bill.origin.estimated")
		switch {
		case x.Measured:
			from = w.measuredFrom(b.Offer, x.ID)
		case x.Unknown:
			from = ""
		}
		if x.Billed {
			from = c.T("bill.join", "a", from, "b", c.T("billpage.wait.clock"))
		}
		all = append(all, pair(c.T("bill.wait."+x.ID), text, false))
		if from != "" {
			all = append(all, faint(from))
		}
	}
	if !b.Mixed {
		all = append(all, buttons(widgets.NewButton(c.T("billpage.wait.edit"), nil, func() { w.editTerm(i, offer.QueueWait) })))
	}
	return all
}

// measuredFrom says of a part of a start that it was measured, where and when.
func (w *Place) measuredFrom(o offer.Offer, part string) string {
	c := w.c
	source, date := "", ""
	if t := o.Term(offer.TermID(part + "_s")); t.Mark == offer.Seen {
		source, date = t.Source, t.Date
	}
	key := w.good.Fit.Job.Key()
	for _, m := range w.p.Desk.Plan().Measured { // what was measured of the job counts first
		of := m.StartupSeconds
		if part == "first" {
			of = m.FirstPictureSecs
		}
		if m.Job == key && strings.EqualFold(m.Card, o.Card.Name) && of != nil && (part == "boot" || part == "first") {
			source, date = m.Source, m.Date
		}
	}
	if source == "" || source == "typed" {
		return c.T("bill.origin.measured")
	}
	return c.T("bill.join", "a", c.T("bill.origin.measured"), "b", c.T("bill.join", "a", measured.SourceIn(c, source), "b", date))
}

func (w *Place) explainDies(b sheet.Bill, i int) []fyne.CanvasObject {
	c := w.c
	all := []fyne.CanvasObject{words(c.Say(b.Dies))}
	for _, id := range []offer.TermID{offer.ReleaseAfter, offer.WipeAfter} {
		t := b.Offer.Term(id)
		d, _ := offer.DefOf(id)
		value := c.T("offer.status.unknown")
		if t.Status != offer.Unknown {
			value = d.ValueText(c, t.Value, b.Offer.Currency)
		}
		all = append(all, pair(c.Say(id.Name()), value, false), faint(origin(c, t)))
		for _, a := range t.Also {
			all = append(all, noted(theme.Warn, c.T("bill.md.also", "value", c.T("bill.join", "a", d.ValueText(c, a.Value, b.Offer.Currency), "b", origin(c, a)))))
		}
	}
	if !b.Mixed {
		all = append(all, buttons(widgets.NewButton(c.T("billpage.rule.edit"), nil, func() { w.editTerm(i, offer.ReleaseAfter) })))
	}
	return all
}

// origin says where a term is known from: its status, page, date and whose
// page it is.
func origin(c *texts.Catalogue, t offer.Term) string {
	s := c.Say(t.Status.Name())
	for _, p := range []string{measured.SourceIn(c, t.Source), c.Say(t.When())} {
		if p != "" {
			s = c.T("bill.join", "a", s, "b", p)
		}
	}
	if t.Mark != "" && t.Status == offer.Known {
		s = c.T("bill.join", "a", s, "b", c.Say(t.Mark.Name()))
	}
	return s
}
