package plan

import (
	"fmt"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/advice"
	core "rentgen/app/plan"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// advicePart is the advice: one sentence at the foot of the answer, and the
// reasons further down in it.
type advicePart struct {
	w        *Place
	foot     *fyne.Container
	sentence *widget.Label
	box      *fyne.Container
	col      *fyne.Container
	key      string // what is shown
}

func newAdvicePart(w *Place) *advicePart {
	a := &advicePart{w: w, sentence: widgets.Words(""), col: container.NewVBox()}
	a.sentence.TextStyle.Bold = true
	why := widgets.Quiet(w.c.T("plan.advice.why"), fynetheme.MenuDropDownIcon(), func() { w.showAdvice() })
	bill := widgets.NewButton(w.c.T("plan.advice.bill"), theme.Icon("bill"), func() { w.p.Bill("", "") })
	a.foot = container.NewVBox(widgets.Gap(1, 2), widgets.Card(4, container.NewBorder(nil, nil, nil,
		container.NewHBox(why, bill), a.sentence)))
	a.box = section(heading(w.c.T("plan.advice")), a.col)
	return a
}

// showAdvice brings the reasons into view.
func (w *Place) showAdvice() {
	s := w.answer.scroll
	s.Offset.Y = min(w.answer.advice.box.Position().Y, max(s.Content.Size().Height-s.Size().Height, 0))
	s.Refresh()
}

func (a *advicePart) sync(r core.Result) {
	w, c, ad := a.w, a.w.c, r.Advice
	text := c.Say(ad.Sentence)
	if text == "" {
		text = c.T("advice.sentence.empty")
	}
	say(a.sentence, text)
	want := widget.MediumImportance
	if w.stale() {
		want = widget.LowImportance
	}
	if a.sentence.Importance != want {
		a.sentence.Importance = want
		a.sentence.Refresh()
	}
	key := a.keyOf(ad)
	if key == a.key {
		return
	}
	a.key = key
	var all []fyne.CanvasObject
	add := func(o fyne.CanvasObject) { all = append(all, o) }
	head := widgets.Words(text)
	head.TextStyle.Bold = true
	add(head)
	part := func(key string, rows []fyne.CanvasObject) {
		if len(rows) == 0 {
			return
		}
		add(widgets.Gap(1, 2))
		l := widgets.Small(c.T(key))
		l.TextStyle.Bold = true
		add(l)
		for _, row := range rows {
			add(row)
		}
	}
	var rows []fyne.CanvasObject
	told := map[string]bool{}
	for _, v := range ad.Vetoes {
		text := c.Say(v.Text)
		told[text] = true
		rows = append(rows, said(theme.Fail, text))
	}
	part("plan.advice.out", rows)
	rows = nil
	var against []fyne.CanvasObject
	for _, re := range ad.Reasons {
		if told[c.Say(re.Text)] {
			continue // it was ruled out with these words
		}
		row := said("", c.Say(re.Text), w.reasonLinks(re)...)
		if re.Against {
			against = append(against, row)
		} else {
			rows = append(rows, row)
		}
	}
	part("plan.advice.reasons", rows)
	part("plan.advice.against", against)
	rows = nil
	for _, ch := range ad.WouldChange {
		rows = append(rows, said("", c.Say(ch.Text)))
	}
	part("plan.advice.change", rows)
	rows = nil
	for _, q := range ad.Open {
		key := "advice.open." + q
		if c.Has(key) {
			rows = append(rows, said(theme.NotRun, c.T(key)))
		}
	}
	part("plan.advice.open", rows)
	add(widgets.Gap(1, 4))
	guide := container.New(&wrap{width: w.answer.inner, gap: 4},
		widgets.Quiet(c.T("article.table.title"), theme.Icon("table"), func() { w.openGuide("table") }),
		widgets.Quiet(c.T("article.pitfall.title"), theme.Icon("warn"), func() { w.openGuide("pitfall") }),
		widgets.Quiet(c.T("article.qa.title"), theme.Icon("help"), func() { w.openGuide("qa") }))
	add(guide)
	a.col.Objects = all // at once: each Add would lay out anew
	a.col.Refresh()
}

// keyOf tells two advices apart by what they say.
func (a *advicePart) keyOf(ad advice.Advice) string {
	c := a.w.c
	key := c.Say(ad.Sentence)
	for _, v := range ad.Vetoes {
		key += "\x00v" + c.Say(v.Text)
	}
	for _, r := range ad.Reasons {
		key += fmt.Sprint("\x00r", c.Say(r.Text), r.Row, r.Offer, r.Line, r.Against)
	}
	for _, ch := range ad.WouldChange {
		key += "\x00c" + c.Say(ch.Text)
	}
	return key + fmt.Sprint(ad.Open)
}

// reasonLinks lead to the row of the table or the line of the bill that carries
// a reason.
func (w *Place) reasonLinks(r advice.Reason) []fyne.CanvasObject {
	var links []fyne.CanvasObject
	if r.Row != "" {
		links = append(links, widgets.Quiet(w.c.T("plan.advice.row"), nil, func() { w.openGuide("table." + r.Row) }))
	}
	if r.Line != "" {
		links = append(links, widgets.Quiet(w.c.T("plan.advice.line"), nil, func() { w.p.Bill(r.Offer, r.Line) }))
	}
	return links
}

// said is a sentence with its shape and links.
func said(v theme.Verdict, text string, links ...fyne.CanvasObject) fyne.CanvasObject {
	var icon fyne.CanvasObject
	if v != "" {
		icon = container.NewVBox(widget.NewIcon(v.Icon()))
	}
	var right fyne.CanvasObject
	if len(links) > 0 {
		right = container.NewVBox(container.NewHBox(links...))
	}
	return container.NewBorder(nil, nil, icon, right, widgets.Words(text))
}
