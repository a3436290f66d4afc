package bill

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"rentgen/app/bill/offer"
	"rentgen/app/bill/sheet"
	"rentgen/assets/texts"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// ask opens the questions for the provider of an offer, or of all shown ones
// for -1. They can be copied in either language, and answered.
func (w *Place) ask(i int) {
	col := container.NewVBox()
	of := ""
	fill := func() bool {
		bills := w.good.Sheet.Bills
		if i >= len(bills) {
			return false
		}
		if i >= 0 {
			if of == "" {
				of = bills[i].Name
			}
			if bills[i].Name != of {
				return false
			}
		}
		col.Objects = w.questions(i)
		col.Refresh()
		return true
	}
	if !fill() {
		return
	}
	title := w.c.T("billpage.ask")
	if of != "" {
		title = w.c.T("billpage.of", "what", title, "offer", of)
	}
	w.side.open(title, i, col, nil, func() { w.ask(i) }, fill)
}

// asked are the offers whose questions are asked: one, both of a way over two,
// or all shown ones.
func (w *Place) asked(i int) (of []int) {
	bills := w.good.Sheet.Bills
	wanted := func(k int, b sheet.Bill) bool {
		if i >= 0 && bills[i].Mixed {
			return b.Name == bills[i].ValidateOn || b.Name == bills[i].RunOn
		}
		return k == i || i < 0 && !b.Offer.Hidden
	}
	for k, b := range bills {
		if len(b.Unknown) > 0 && !b.Mixed && wanted(k, b) {
			of = append(of, k)
		}
	}
	return of
}

func (w *Place) questions(i int) []fyne.CanvasObject {
	c := w.c
	of := w.asked(i)
	var all []offer.Question
	for _, k := range of {
		all = append(all, w.good.Sheet.Bills[k].Unknown...)
	}
	if len(all) == 0 {
		return []fyne.CanvasObject{noted(theme.Pass, c.T("billpage.ask.none"))}
	}
	copied := func(l texts.Lang) func() {
		return func() {
			fyne.CurrentApp().Clipboard().SetContent(offer.QuestionText(texts.For(l), all))
			w.notice.say(theme.Pass, c.T("billpage.copied"), "", "", nil)
		}
	}
	rows := []fyne.CanvasObject{
		quiet(c.T("billpage.ask.how")),
		buttons(widgets.NewButton(c.T("billpage.ask.zh"), theme.Icon("copy"), copied(texts.Chinese)),
			widgets.NewButton(c.T("billpage.ask.en"), theme.Icon("copy"), copied(texts.English))),
	}
	for _, k := range of {
		b := w.good.Sheet.Bills[k]
		if k != i {
			rows = append(rows, heading(b.Name))
		}
		for n, q := range b.Unknown {
			rows = append(rows, w.questionRow(k, n, q, b))
		}
		if k == i {
			rows = append(rows, w.unbounded(b)...)
		}
	}
	return rows
}

// questionRow is a question, by how much its answer could move the total, and
// the way to enter it.
func (w *Place) questionRow(k, n int, q offer.Question, b sheet.Bill) fyne.CanvasObject {
	c := w.c
	text := c.T("offer.ask.item", "n", n+1, "question", c.Say(q.Term.Question()))
	spread := c.T("billpage.ask.nobound")
	if q.Spread != nil {
		spread = c.T("billpage.ask.spread", "amount", sheet.Money(c, *q.Spread, b.Currency))
	}
	return container.NewVBox(words(text),
		container.NewBorder(nil, nil, nil, widgets.Quiet(c.T("billpage.ask.answer"), nil, func() { w.editTerm(k, q.Term) }),
			container.New(&middle{}, quiet(spread))),
		widgets.Rule())
}

// unbounded says what the line of unknown terms holds besides.
func (w *Place) unbounded(b sheet.Bill) []fyne.CanvasObject {
	var all []fyne.CanvasObject
	for _, l := range b.Lines {
		if l.ID != sheet.LineUnknown {
			continue
		}
		x := sheet.Explain(w.c, b, l)
		all = append(all, heading(w.c.T("bill.line.unknown")), words(x.Formula))
		for _, in := range x.Inputs {
			all = append(all, w.inputRow(in))
		}
		if x.Note != "" {
			all = append(all, noted(theme.Warn, x.Note))
		}
	}
	return all
}
