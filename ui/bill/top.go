package bill

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/bill/sheet"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// top is the answer: one band and one sentence.
type top struct {
	w        *Place
	band     *widget.Label
	what     *widget.Label
	sentence *prose
	drafts   *prose
	box      *fyne.Container
}

func newTop(w *Place) *top {
	t := &top{w: w, band: widget.NewLabel(""), what: widgets.Small(""), sentence: words(""), drafts: newProse("", part{small: true, colour: theme.ColorWarn})}
	t.band.SizeName = theme.SizeHeadline
	t.band.TextStyle.Bold = true
	left := container.NewVBox(t.band, t.what)
	t.box = widgets.Card(2, container.NewBorder(nil, nil, left, nil,
		container.NewBorder(nil, t.drafts, nil, nil, container.NewVBox(t.sentence))))
	return t
}

func (t *top) sync(none bool) {
	w, c, s := t.w, t.w.c, t.w.good.Sheet
	t.box.Hidden = none
	if none {
		return
	}
	var ch *sheet.Chance
	if w.chances {
		ch, _, _ = w.p.Desk.Chance()
	}
	band, what := "", c.T("billpage.span", "days", s.Days)
	if len(s.Cheapest) > 0 {
		b := s.Bills[s.Cheapest[0]]
		band = sheet.MoneyBand(c, b.Total, s.Currency)
		what = c.T("billpage.span.of", "offer", short(b.Name, 34), "days", s.Days)
	}
	set(t.band, band)
	t.band.Hidden = band == ""
	set(t.what, what)
	sentence := c.Say(sheet.Sentence(s, ch))
	if len(w.columns()) == 0 {
		sentence = c.T("billpage.allhidden")
	}
	t.sentence.SetText(sentence)
	text := ""
	switch n := w.p.Desk.Drafts(); {
	case n == 1:
		text = c.T("billpage.draft")
	case n > 1:
		text = c.T("billpage.drafts", "n", n)
	}
	t.drafts.SetText(text)
	t.drafts.Hidden = text == ""
	t.box.Refresh()
}

func set(l *widget.Label, text string) {
	if l.Text != text {
		l.SetText(text)
	}
}

// notice is a line below the head: what happened, and what can be done.
type notice struct {
	w   *Place
	box *fyne.Container
	own fyne.CanvasObject // what was said last, nil when it was read
	key string
}

func newNotice(w *Place) *notice {
	n := &notice{w: w, box: container.NewVBox()}
	if old := w.notice; old != nil {
		n.own = old.own
	}
	return n
}

// say shows a sentence until it is closed or another one comes. v is "" for no
// sign, raw what the system said.
func (n *notice) say(v theme.Verdict, text, raw, do string, f func()) {
	var buttons []fyne.CanvasObject
	if f != nil {
		buttons = append(buttons, widgets.NewButton(do, nil, func() {
			n.clear()
			f()
		}))
	}
	buttons = append(buttons, widgets.Quiet(n.w.c.T("billpage.close"), nil, n.clear))
	n.own = line1(v, text, raw, buttons...)
	n.key = "" // what is shown is another one
	n.sync()
	n.w.root.Refresh()
}

func (n *notice) clear() {
	n.own, n.key = nil, ""
	n.sync()
	n.w.root.Refresh()
}

func line1(v theme.Verdict, text, raw string, do ...fyne.CanvasObject) fyne.CanvasObject {
	body := container.NewVBox(words(text))
	if raw != "" {
		said := widgets.Words(raw)
		said.Selectable = true
		body.Add(said)
	}
	var icon fyne.CanvasObject
	if v != "" {
		icon = container.NewVBox(widget.NewIcon(v.Icon()))
	}
	return widgets.Card(3, container.NewBorder(nil, nil, icon, widgets.Row(do...), body))
}

func (n *notice) sync() {
	c, d := n.w.c, n.w.p.Desk
	key := "own"
	if n.own == nil {
		key = "none"
	}
	var all []fyne.CanvasObject
	if err := d.Fault(); err != nil {
		key += "fault" + err.Error()
		all = append(all, line1(theme.Fail, c.T("billpage.fault"), err.Error(), widgets.NewButton(c.T("billpage.retry"), nil, d.Retry)))
	}
	if _, err := d.Unreadable(); err != nil {
		key += "broken" + d.ID()
		all = append(all, line1(theme.Fail, c.T("billpage.broken", "name", d.Name()), err.Error()))
	}
	if key == n.key {
		return
	}
	n.key = key
	if n.own != nil {
		all = append(all, n.own)
	}
	n.box.Objects = all
	n.box.Refresh()
}

// firstUse says what belongs here and offers what to do next.
func (w *Place) firstUse() *fyne.Container {
	c := w.c
	title := widget.NewLabel(c.T("billpage.empty.title"))
	title.TextStyle.Bold = true
	title.SizeName = theme.SizeHeadline
	title.Wrapping = fyne.TextWrapWord
	next := widgets.Row(widgets.Primary(c.T("billpage.new"), theme.Icon("add"), w.newOffer))
	if w.p.Examples != nil {
		next.Add(widgets.Quiet(c.T("billpage.file.examples"), nil, w.addExamples))
	}
	next.Add(widgets.Quiet(c.T("billpage.file.import"), nil, w.importOffers))
	return container.NewCenter(container.NewVBox(
		widgets.AtLeast(fyne.NewSize(440, 0), title),
		words(c.T("billpage.empty.what")),
		widgets.Gap(1, 6),
		next,
	))
}
