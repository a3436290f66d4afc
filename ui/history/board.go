package history

import (
	"context"
	"slices"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/assets/texts"
	"rentgen/probe"
	"rentgen/store"
	"rentgen/ui/chart"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// leastChart is the height a chart needs to be read, before the font scale.
const leastChart = 116

// mostCharts is how many metrics can be seen one below the other at 1024 x 700.
const mostCharts = 4

// board is one open log: what it is of, the tools, and its charts.
type board struct {
	w       *Place
	group   *chart.Group
	log     *store.Recording
	gpu     string // UUID of the only card shown, "" for all
	rows    []*chartRow
	have    answer // what the charts hold
	asked   time.Duration
	reader  loader
	setting bool // choosers are being set, not chosen

	// Each has its own, so that none gives up or hides another.
	exporting, painting, deleting, judging, comparing, reporting loader

	meaning    judged
	other      *other
	comparison *comparison
	verdict    *widget.Label
	more       *widgets.Button
	verdictRow *fyne.Container

	box     *fyne.Container
	title   *widget.Label
	sub     *widget.Label
	cards   *widgets.Select
	add     *widgets.Button
	marking *widgets.Button
	clear   *widgets.Button
	zoomTo  *widgets.Button
	csv     *widgets.Button
	remove  *widgets.Button
	view    *widget.Label
	bar     *thinBar
	fail    *failure
	charts  *fyne.Container
	working *fyne.Container // the export that runs, with its stop
	doing   *widget.Label
}

func newBoard(w *Place) *board {
	b := &board{w: w, group: chart.NewPacedGroup(w.p.Pace), charts: container.New(&rowsLayout{least: leastChart})}
	b.group.SetShown(w.shown)
	for _, l := range []*loader{&b.reader, &b.exporting, &b.painting, &b.deleting, &b.judging, &b.comparing, &b.reporting} {
		l.p = &w.p
	}
	b.bar = newThinBar(w)
	b.reader.onBusy, b.exporting.onBusy, b.judging.onBusy = b.bar.busy, b.exports, b.judges
	b.fail = newFailure(w.c, b.load)
	b.title = widget.NewLabel("")
	b.title.TextStyle.Bold = true
	b.title.SizeName = fynetheme.SizeNameSubHeadingText
	b.title.Truncation = fyne.TextTruncateEllipsis
	b.sub, b.view = widgets.Small(""), widgets.Small("")
	b.sub.Truncation, b.view.Truncation = fyne.TextTruncateEllipsis, fyne.TextTruncateEllipsis
	b.tools()
	for _, m := range []probe.Metric{probe.UtilGPU, probe.MemUsed, probe.Power} {
		b.addChart(m)
	}
	b.group.OnView(func(_, _ time.Time, _ bool) { b.moved() })
	b.group.OnSelect(func(time.Time, time.Time) { b.selected() })
	return b
}

// tools makes head and tool bar.
func (b *board) tools() {
	c := b.w.c
	t := func(key, icon string, do func()) *widgets.Button {
		return widgets.Quiet(c.T(key), theme.Icon(icon), do)
	}
	b.csv = t("history.csv", "table", b.export)
	picture := t("history.picture", "picture", b.picture)
	b.remove = t("history.delete", "delete", b.askDelete)
	b.cards = widgets.NewSelect(nil, func(string) { b.pickCard() })
	b.add = t("history.chart.add", "add", func() { b.addChart(b.nextMetric()); b.load() })
	compare := t("history.compare", "history", b.askCompare)
	report := t("history.report", "table", b.report)
	report.Hidden = b.w.p.Report == nil
	b.verdict = widgets.Small("")
	b.verdict.Truncation = fyne.TextTruncateEllipsis
	b.more = widgets.Quiet(c.T("history.verdict.all"), nil, b.seeVerdicts)
	b.verdictRow = container.NewBorder(nil, nil, nil, b.more, b.verdict)
	b.verdictRow.Hide()
	b.comparison = newComparison(b)
	whole := t("history.whole", "history", func() { b.group.GoLive() })
	in := widgets.Quiet("", theme.Icon("add"), func() { b.zoom(0.5) })
	out := widgets.Quiet("", theme.Icon("skip"), func() { b.zoom(2) })
	b.marking = t("history.mark", "select", func() { b.setMarking(!b.group.Marking()) })
	b.zoomTo = widgets.Quiet(c.T("history.mark.zoom"), nil, b.zoomToSelection)
	b.clear = widgets.Quiet(c.T("history.mark.clear"), nil, func() { b.group.Select(time.Time{}, time.Time{}) })
	b.zoomTo.Hide()
	b.clear.Hide()
	b.doing = widgets.Small("")
	stop := widgets.NewButton(c.T("history.stop"), nil, b.exporting.stop)
	b.working = container.NewHBox(b.doing, stop)
	b.working.Hide()
	head := container.NewBorder(nil, nil, nil, container.NewHBox(report, b.csv, picture, b.remove),
		container.New(layout.NewCustomPaddedVBoxLayout(-8), b.title, b.sub))
	row := container.NewHBox(b.cards, in, out, whole, b.marking, layout.NewSpacer(), compare, b.add)
	foot := container.NewBorder(nil, nil, nil, container.NewHBox(b.zoomTo, b.clear, b.working), b.view)
	b.box = container.NewBorder(container.NewVBox(head, row, b.comparison.box, b.verdictRow, b.bar.box, b.fail.box), foot, nil, nil, container.NewVScroll(b.charts))
}

// take keeps what the user had open in a board of another language.
func (b *board) take(old *board) {
	if old == nil {
		return
	}
	old.reader.stop()
	old.group.SetShown(false)
	for _, r := range b.rows {
		b.group.Remove(r.chart)
	}
	b.rows = nil
	b.charts.RemoveAll()
	for _, r := range old.rows {
		b.addChart(r.metric)
	}
	b.gpu = old.gpu
	if old.log == nil {
		return
	}
	b.open(old.log)
	b.meaning = old.meaning
	if old.other != nil {
		b.comparison.align.SetSelectedIndex(int(old.other.align))
		b.other = old.other
		b.compared()
	}
	b.setVerdicts()
	from, to := old.group.View()
	b.group.SetView(from, to)
	if from, to, ok := old.group.Selection(); ok {
		b.group.Select(from, to)
	}
}

// id is the open log's, 0 for none.
func (b *board) id() int64 {
	if b.log == nil {
		return 0
	}
	return b.log.ID
}

// open shows a log, or more of the open one when it has grown.
func (b *board) open(log *store.Recording) {
	if log == nil {
		b.log = nil
		b.reader.stop()
		return
	}
	was := b.log
	b.log = log
	same := was != nil && was.ID == log.ID
	b.title.SetText(nameOf(b.w.c, log))
	b.sub.SetText(spanOf(b.w.c, log) + " · " + restOf(b.w.c, log))
	if log.Open {
		b.remove.Disable()
	} else {
		b.remove.Enable()
	}
	if !same && !holds(log.Devices, b.gpu) {
		b.gpu = ""
	}
	if !same && b.other != nil {
		b.compare(nil)
	}
	b.listCards()
	b.judge()
	if same && was.To.Equal(log.To) && len(was.Devices) == len(log.Devices) {
		return
	}
	if log.From.IsZero() { // just begun, or nothing ever came
		b.view.SetText("")
		b.load()
		return
	}
	from, to := b.group.View()
	whole := !same || !b.group.Recorded() || was.From.IsZero() || (from.Equal(was.From) && !to.Before(was.To))
	b.have = answer{}
	end := log.To.Add(time.Second) // the last second is seen too
	b.group.SetHome(log.From, end)
	if !whole {
		b.group.SetView(from, to)
	}
	b.selected()
	b.load()
}

// listCards fills the chooser of cards; with one card there is nothing to choose.
func (b *board) listCards() {
	b.setting = true
	defer func() { b.setting = false }()
	options := []string{b.w.c.T("history.allcards")}
	at := 0
	for i, d := range b.log.Devices {
		options = append(options, cardName(b.w.c, d)+" · "+shortName(d.Name))
		if d.UUID == b.gpu {
			at = i + 1
		}
	}
	if !slices.Equal(b.cards.Options, options) {
		b.cards.SetOptions(options)
	}
	b.cards.SetSelectedIndex(at)
	b.cards.Hidden = len(b.log.Devices) < 2
	b.box.Refresh()
}

// cardName is how a card is called among others.
func cardName(c *texts.Catalogue, d probe.Device) string {
	if d.Parent != "" && d.Profile != "" {
		return c.T("history.slice", "n", d.Index, "profile", d.Profile)
	}
	return c.T("history.card", "n", d.Index)
}

func (b *board) pickCard() {
	if b.setting || b.log == nil {
		return
	}
	b.gpu = ""
	if i := b.cards.SelectedIndex(); i > 0 && i <= len(b.log.Devices) {
		b.gpu = b.log.Devices[i-1].UUID
	}
	b.load()
}

// shownCards are the cards whose lines are drawn.
func (b *board) shownCards() []probe.Device {
	for _, d := range b.log.Devices {
		if d.UUID == b.gpu {
			return []probe.Device{d}
		}
	}
	return b.log.Devices
}

// moved asks for finer or other points when the view left what there is.
func (b *board) moved() {
	b.viewed()
	from, to := b.group.View()
	span := to.Sub(from)
	inside := !from.Before(b.have.from) && !to.After(b.have.to)
	enough := b.have.step == time.Second && span <= b.asked || span > b.asked*3/4 && span < b.asked*5/4
	if b.log == nil || inside && enough {
		return
	}
	b.load()
}

// viewed says which span is seen.
func (b *board) viewed() {
	from, to := b.group.View()
	text := b.w.c.T("history.view", "span", spanText(b.w.c, from, to), "d", texts.Duration(b.w.c, to.Sub(from).Round(time.Second)))
	if a, z, ok := b.group.Selection(); ok {
		text = b.w.c.T("history.marked", "span", spanText(b.w.c, a, z), "d", texts.Duration(b.w.c, z.Sub(a).Round(time.Second)))
	}
	b.view.SetText(text)
}

// spanText says a span to the second where it is short.
func spanText(c *texts.Catalogue, from, to time.Time) string {
	if to.Sub(from) > time.Hour {
		return texts.Span(c, from, to)
	}
	return c.T("format.span", "from", texts.Date(c, from)+" "+texts.Clock(from), "to", texts.Clock(to))
}

// load reads the view's points off the UI thread; what is drawn stays till then.
func (b *board) load() {
	if b.log == nil || b.log.From.IsZero() {
		b.reader.stop()
		for _, r := range b.rows {
			r.value.SetText("")
			r.chart.SetData(chart.Data{Missing: b.w.c.T("history.noreadings")})
		}
		return
	}
	from, to := b.group.View()
	r := request{log: *b.log, other: b.other, gpus: b.shownCards(), from: from, to: to, verdicts: b.verdictsIn(b.log.From, b.log.To.Add(time.Second))}
	for _, row := range b.rows {
		r.metrics = append(r.metrics, row.metric)
	}
	c := b.w.c
	ask(&b.reader, func(ctx context.Context) (answer, error) {
		return fetch(ctx, b.w.p.Store, c, r)
	}, func(a answer, err error) {
		if err != nil {
			b.trouble("history.fail.read", err)
			return
		}
		b.fail.box.Hide()
		b.have, b.asked = a, to.Sub(from)
		for i, row := range b.rows {
			if i < len(a.plots) && row.metric == r.metrics[i] {
				row.value.SetText(a.plots[i].value)
				row.chart.SetData(a.plots[i].data)
			}
		}
		b.group.Redraw()
	})
}

func (b *board) zoom(factor float64) {
	from, to := b.group.View()
	at := from.Add(to.Sub(from) / 2)
	if t, ok := b.group.Cursor(); ok {
		at = t
	}
	b.group.Zoom(at, factor)
}

func (b *board) setMarking(on bool) {
	b.group.SetMarking(on)
	b.marking.Importance = widget.LowImportance
	if on {
		b.marking.Importance = widget.HighImportance
	}
	b.marking.Refresh()
}

// selected follows the span that was marked.
func (b *board) selected() {
	_, _, ok := b.group.Selection()
	b.zoomTo.Hidden, b.clear.Hidden = !ok, !ok
	if ok {
		b.setMarking(false)
	}
	b.viewed()
	b.setVerdicts()
	b.box.Refresh()
}

func (b *board) zoomToSelection() {
	if from, to, ok := b.group.Selection(); ok {
		b.group.SetView(from, to)
		b.group.Select(time.Time{}, time.Time{})
	}
}
