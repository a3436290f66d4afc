package plan

import (
	"fmt"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
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
	// rows are what stands in the column, by its shape: only words change with
	// most edits, and making a row anew costs more than saying other ones in it.
	rows map[string]*adviceRow
}

// adviceRow is a line of the advice.
type adviceRow struct {
	box   fyne.CanvasObject
	label *widget.Label // nil where nothing is said
}

func newAdvicePart(w *Place) *advicePart {
	a := &advicePart{w: w, sentence: widgets.Words(""), col: container.NewVBox()}
	a.sentence.TextStyle.Bold = true
	why := widgets.Quiet(w.c.T("plan.advice.why"), fynetheme.MenuDropDownIcon(), func() { w.showAdvice() })
	bill := widgets.NewButton(w.c.T("plan.advice.bill"), theme.Icon("bill"), func() { w.p.Bill("", "") })
	a.foot = container.NewVBox(widgets.Gap(1, 2), widgets.Card(4, container.NewBorder(nil, nil, nil,
		container.NewCenter(container.NewHBox(why, bill)), a.sentence)))
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
	old, rows := a.rows, make(map[string]*adviceRow)
	var all []fyne.CanvasObject
	row := func(shape string, make func() *adviceRow) *adviceRow {
		for rows[shape] != nil {
			shape += "+" // another one of the kind
		}
		r := old[shape]
		if r == nil {
			r = make()
		}
		rows[shape] = r
		all = append(all, r.box)
		return r
	}
	gap := func(height float32) {
		row(fmt.Sprint("gap", height), func() *adviceRow { return &adviceRow{box: widgets.Gap(1, height)} })
	}
	head := row("head", func() *adviceRow {
		l := widgets.Words("")
		l.TextStyle.Bold = true
		return &adviceRow{l, l}
	})
	say(head.label, text)
	type line struct {
		shape, text string
		v           theme.Verdict
		links       func() []fyne.CanvasObject
	}
	part := func(key string, lines []line) {
		if len(lines) == 0 {
			return
		}
		gap(2)
		row(key, func() *adviceRow {
			l := widgets.Small(c.T(key))
			l.TextStyle.Bold = true
			return &adviceRow{box: l}
		})
		for _, li := range lines {
			r := row(fmt.Sprint("said", li.v, li.shape), func() *adviceRow {
				var links []fyne.CanvasObject
				if li.links != nil {
					links = li.links()
				}
				box, l := said(li.v, "", links...)
				return &adviceRow{box, l}
			})
			say(r.label, li.text)
		}
	}
	var lines []line
	told := map[string]bool{}
	for _, v := range ad.Vetoes {
		text := c.Say(v.Text)
		told[text] = true
		lines = append(lines, line{text: text, v: theme.Fail})
	}
	part("plan.advice.out", lines)
	lines = nil
	var against []line
	for _, re := range ad.Reasons {
		text := c.Say(re.Text)
		if told[text] {
			continue // it was ruled out with these words
		}
		li := line{text: text, shape: fmt.Sprintf("%q", []string{re.Row, re.Offer, re.Line}), links: func() []fyne.CanvasObject { return w.reasonLinks(re) }}
		if re.Against {
			against = append(against, li)
		} else {
			lines = append(lines, li)
		}
	}
	part("plan.advice.reasons", lines)
	part("plan.advice.against", against)
	lines = nil
	for _, ch := range ad.WouldChange {
		lines = append(lines, line{text: c.Say(ch.Text)})
	}
	part("plan.advice.change", lines)
	lines = nil
	for _, q := range ad.Open {
		key := "advice.open." + q
		if c.Has(key) {
			lines = append(lines, line{text: c.T(key), v: theme.NotRun})
		}
	}
	part("plan.advice.open", lines)
	gap(4)
	row("guide", func() *adviceRow {
		return &adviceRow{box: container.New(widgets.NewFlow(4, w.answer.inner),
			widgets.Quiet(c.T("article.table.title"), theme.Icon("table"), func() { w.openGuide("table") }),
			widgets.Quiet(c.T("article.pitfall.title"), theme.Icon("warn"), func() { w.openGuide("pitfall") }),
			widgets.Quiet(c.T("article.qa.title"), theme.Icon("help"), func() { w.openGuide("qa") }))}
	})
	a.rows = rows
	if !slices.Equal(a.col.Objects, all) {
		a.col.Objects = all
		canvas.Refresh(a.col) // the answer lays it out; a refresh would draw every row anew
	}
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
func said(v theme.Verdict, text string, links ...fyne.CanvasObject) (fyne.CanvasObject, *widget.Label) {
	var icon fyne.CanvasObject
	if v != "" {
		icon = container.NewVBox(widget.NewIcon(v.Icon()))
	}
	var right fyne.CanvasObject
	if len(links) > 0 {
		right = container.NewVBox(container.NewHBox(links...))
	}
	l := widgets.Words(text)
	return container.NewBorder(nil, nil, icon, right, l), l
}
