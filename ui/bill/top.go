package bill

import (
	"image/color"
	"math"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/bill/sheet"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// top is the answer: one band and one sentence, which stands on the line of the
// band, or below it where there is no room beside it.
type top struct {
	w        *Place
	band     *canvas.Text
	what     *canvas.Text
	sentence *prose
	drafts   *prose
	inner    *fyne.Container
	box      *fyne.Container
	width    float32 // of the last layout
}

func newTop(w *Place) *top {
	t := &top{
		w: w, band: canvas.NewText("", color.Transparent), what: canvas.NewText("", color.Transparent),
		sentence: words(""), drafts: newProse("", part{small: true, colour: theme.ColorWarn}),
	}
	t.band.TextStyle.Bold = true
	t.inner = container.New(t, t.band, t.what, t.sentence, t.drafts)
	t.box = widgets.Card(2, t.inner)
	return t
}

// placed is where the parts of the answer stand in a width.
type placed struct {
	number, under  float32 // the lines that the band and what it is for stand on
	beside         bool
	x, y, wide     float32 // of the sentence
	draftX, draftY float32
	draftWide      float32
	high           float32
}

// leastBeside is the room beside the band from which the sentence stands there.
const leastBeside = 300

func (t *top) place(width float32) placed {
	pad, size := fynetheme.InnerPadding(), t.band.TextSize
	line := fynetheme.TextSize() * 1.42 // as in prose
	k := placed{number: float32(math.Round(float64(size) * 1.15))}
	k.under = k.number + float32(math.Round(float64(line)))
	x := pad
	if t.band.Text != "" {
		x += t.band.MinSize().Width + 2*pad
	}
	high := k.under + 7
	first := prosePad + line*0.78 // the line that a sentence stands on first
	count := func(wide float32) float32 {
		n := len(widgets.Wrap(t.sentence.Text, wide-2*pad, fynetheme.TextSize(), fyne.TextStyle{}))
		return float32(max(n, 1))
	}
	k.x, k.wide = x-pad, width-x+pad
	k.beside = t.band.Text == "" || k.wide >= widgets.Scaled(leastBeside) && count(k.wide) <= 2
	n := count(k.wide)
	k.y = k.number - float32(math.Round(float64(first)))
	if !k.beside {
		k.x, k.wide = 0, width
		n = count(width)
		k.y = k.number + 6
	}
	end := k.y + n*line + 2*prosePad
	k.high = max(high, end+1)
	if k.beside && t.what.Text == "" {
		k.high = max(k.number+7, end+1)
	}
	if t.drafts.Visible() {
		k.draftX, k.draftY, k.draftWide = k.x, end-prosePad, k.wide
		rows := len(widgets.Wrap(t.drafts.Text, k.draftWide-2*pad, fynetheme.CaptionTextSize(), fyne.TextStyle{}))
		k.high = max(k.high, k.draftY+float32(rows)*fynetheme.CaptionTextSize()*1.42+2*prosePad)
	}
	return k
}

// MinSize implements fyne.Layout.
func (t *top) MinSize([]fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(200, t.place(max(t.width, 200)).high)
}

// Layout implements fyne.Layout.
func (t *top) Layout(_ []fyne.CanvasObject, size fyne.Size) {
	t.width = size.Width
	k, pad := t.place(size.Width), fynetheme.InnerPadding()
	put := func(x *canvas.Text, at, line float32) {
		x.Resize(x.MinSize())
		x.Move(fyne.NewPos(at, line-widgets.Baseline(x.Text, x.TextSize, x.TextStyle)))
	}
	put(t.band, pad, k.number)
	if k.beside {
		put(t.what, pad, k.under)
	} else {
		put(t.what, pad+t.band.MinSize().Width+2*pad, k.number)
	}
	t.sentence.Move(fyne.NewPos(k.x, k.y))
	t.sentence.Resize(fyne.NewSize(k.wide, t.sentence.MinSize().Height))
	t.sentence.Resize(fyne.NewSize(k.wide, t.sentence.MinSize().Height)) // wrapped for its width by now
	t.drafts.Move(fyne.NewPos(k.draftX, k.draftY))
	t.drafts.Resize(fyne.NewSize(k.draftWide, t.drafts.MinSize().Height))
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
		what = c.T("billpage.span.of", "offer", widgets.Short(b.Name, 34), "days", s.Days)
	}
	text := func(x *canvas.Text, s string, size float32, name fyne.ThemeColorName) {
		ink := fynetheme.Color(name)
		if x.Text != s || x.TextSize != size || x.Color != ink {
			x.Text, x.TextSize, x.Color = s, size, ink
			x.Refresh()
		}
	}
	text(t.band, band, fynetheme.Size(theme.SizeHeadline), fynetheme.ColorNameForeground)
	text(t.what, what, fynetheme.CaptionTextSize(), theme.ColorFaint)
	sentence := c.Say(sheet.Sentence(s, ch))
	if len(w.columns()) == 0 {
		sentence = c.T("billpage.allhidden")
	}
	t.sentence.SetText(sentence)
	drafts := ""
	switch n := w.p.Desk.Drafts(); {
	case n == 1:
		drafts = c.T("billpage.draft")
	case n > 1:
		drafts = c.T("billpage.drafts", "n", n)
	}
	t.drafts.SetText(drafts)
	t.drafts.Hidden = drafts == ""
	high := t.inner.MinSize().Height
	t.Layout(nil, t.inner.Size())
	if high != t.inner.Size().Height {
		t.box.Refresh()
		w.root.Refresh()
	}
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
