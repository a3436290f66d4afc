package watch

import (
	"strconv"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/judge"
	"rentgen/probe/stream"
	"rentgen/ui/chart"
	"rentgen/ui/home/cost"
	"rentgen/ui/hosts"
	"rentgen/ui/verdict"
	"rentgen/ui/widgets"
)

// judged is the line under the head: the verdict of now, the meter, and the
// question why it is slow.
type judged struct {
	b      *board
	line   *verdict.Line
	meter  *label
	press  *widgets.Tap // round the meter, nil where it opens nothing
	why    *widgets.Button
	second int64 // of the meter's words
	box    *fyne.Container
}

func newJudged(b *board) *judged {
	j := &judged{b: b, line: verdict.NewLine(b.verdictParams()), meter: newLabel(), second: -1}
	var meter fyne.CanvasObject = j.meter
	if b.w.p.Actions.Cost != nil {
		j.press = widgets.NewTap(j.meter, func() { b.w.p.Actions.Cost(b.host) })
		meter = j.press
	}
	j.why = widgets.NewButton(b.w.c.T("verdict.why"), nil, b.why)
	j.meter.Hide()
	j.box = container.NewBorder(nil, nil, nil, container.NewHBox(meter, j.why), j.line.Tap)
	return j
}

// update brings verdict and meter up to date; it costs next to nothing where
// neither changed.
func (j *judged) update() {
	m, host := j.b.w.p.Model, j.b.host.ID
	on := j.b.host.State().Phase == stream.Live
	j.line.SetStale(!on)
	widgets.Able(j.why, on)
	vs, version := m.Verdicts(host)
	j.line.Update(vs, version)
	second := j.b.w.p.Now().Unix()
	if second == j.second {
		return
	}
	j.second = second
	c := j.b.w.c
	g, ok := m.Glance(host)
	text := ""
	switch {
	case ok && g.Priced:
		text = c.T("watch.meter", "idle", cost.Idle(c, g), "today", cost.Today(c, g))
	case ok && j.b.w.p.Actions.Cost != nil:
		text = c.T("watch.meter", "idle", cost.Idle(c, g), "today", c.T("watch.meter.ask"))
	case ok:
		text = cost.Idle(c, g)
	}
	j.meter.set(text)
	if j.meter.Hidden == ok {
		j.meter.Hidden = !ok
		j.box.Refresh()
	}
}

// verdictParams are what the widgets of verdicts work with on this board.
func (b *board) verdictParams() verdict.Params {
	return verdict.Params{
		Texts: b.w.c, Canvas: b.w.p.Window.Canvas, Now: b.w.p.Now, Names: b.cardNames,
		Jump: func(v judge.Verdict) { b.jump(v) },
	}
}

// jump shows a verdict's span on the charts, those of its card.
func (b *board) jump(v judge.Verdict) {
	if v.GPU != "" && b.device(v.GPU).UUID != "" {
		b.choose(v.GPU)
	}
	b.group.SetView(verdict.Around(v, b.w.p.Now()))
}

// cardNames names a card where there are several.
func (b *board) cardNames(gpu string) string {
	if len(b.cards) < 2 {
		return ""
	}
	d := b.device(gpu)
	if d.UUID == "" {
		return ""
	}
	return b.w.c.T("verdict.card", "index", strconv.Itoa(d.Index))
}

func (b *board) why() { b.w.openWhy(b.host, b.verdictParams()) }

// openWhy opens the panel that looks for a minute.
func (w *Place) openWhy(h *hosts.Host, p verdict.Params) {
	verdict.OpenWhy(verdict.WhyParams{
		Params: p, Host: h.ID, Name: hosts.NameOf(w.c, h), Look: w.p.Model.Why, Do: w.p.Do, Go: w.p.Go, Copy: w.p.Actions.Copy,
	})
}

// ShowSpan opens a span of the chosen host's charts.
func (w *Place) ShowSpan(from, to time.Time) {
	w.Tick()
	if h := w.p.Book.Chosen(); h != nil && w.boards[h.ID] != nil {
		w.boards[h.ID].group.SetView(from, to)
	}
}

// addBands lays the verdicts of a card under a chart.
func (b *board) addBands(gpu string, from, to time.Time, d *chart.Data) {
	if b.w.p.Model == nil {
		return
	}
	vs, version := b.w.p.Model.Verdicts(b.host.ID)
	b.bands.Set(b.w.c, vs, version, gpu, b.cardNames)
	b.bands.Fill(d, from, to, b.w.p.Now())
}

// verdicts is the list of verdicts, folded at first.
type verdicts struct {
	b      *board
	toggle *widgets.Button
	list   *verdict.List
	body   *fyne.Container
	box    *fyne.Container
	count  int
}

func newVerdicts(b *board) *verdicts {
	v := &verdicts{b: b, list: verdict.NewList(b.verdictParams()), count: -1}
	v.toggle = widgets.Quiet("", fynetheme.MenuExpandIcon(), func() {
		b.w.listed = !b.w.listed
		v.set(b.w.listed)
	})
	v.toggle.Alignment = widget.ButtonAlignLeading
	v.body = container.NewStack(v.list.Content())
	v.body.Hide()
	v.box = container.NewVBox(v.toggle, v.body)
	v.update()
	return v
}

// set unfolds or folds the list.
func (v *verdicts) set(open bool) {
	icon := fynetheme.MenuExpandIcon()
	if open {
		icon = fynetheme.MenuDropDownIcon()
	}
	v.body.Hidden = !open
	v.toggle.SetIcon(icon)
	v.update()
	v.b.root.Refresh()
}

func (v *verdicts) update() {
	vs, version := v.b.w.p.Model.Verdicts(v.b.host.ID)
	if len(vs) != v.count {
		v.count = len(vs)
		v.toggle.SetText(v.b.w.c.T("verdict.list.count", "n", v.count))
	}
	if !v.body.Hidden {
		v.list.Update(vs, version)
	}
}
