package watch

import (
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/assets/texts"
	"rentgen/probe"
	"rentgen/probe/stream"
	"rentgen/ui/chart"
	"rentgen/ui/hosts"
	"rentgen/ui/live"
	"rentgen/ui/theme"
	"rentgen/ui/verdict"
	"rentgen/ui/widgets"
)

// board is the page of one host that gives readings. Its parts are built once
// for a set of cards and filled anew at every update.
type board struct {
	w     *Place
	host  *hosts.Host
	sig   string
	cards []probe.Device
	open  string // UUID of the card that is opened

	group  *chart.Group
	head   *head
	judged *judged // nil without a model, as verdicts is
	bands  verdict.Bands
	banner *banner
	tiles  []*tile
	charts []*gauge // of the open card, or of the machine without one
	more   *more
	strip  *strip
	procs  *procs
	events *events
	listed *verdicts
	nocard *nocard
	root   *fyne.Container

	version uint64
	judging uint64 // the version of the verdicts that are drawn
	phase   stream.Phase
	updated time.Time
	stale   bool
}

// signature tells when the parts of a board no longer fit.
func signature(inv *probe.Inventory) string {
	var b strings.Builder
	b.WriteString(string(inv.Mode))
	for _, d := range inv.GPUs {
		b.WriteString("|" + d.UUID + d.Name + d.Parent + d.Problem)
	}
	return b.String()
}

func (b *board) outdated(inv *probe.Inventory) bool { return b.sig != signature(inv) }

// retire takes the board out of drawing for good.
func (b *board) retire() {
	b.group.SetShown(false)
	if b.w.front == b {
		b.w.front = nil
	}
}

func newBoard(w *Place, h *hosts.Host, inv *probe.Inventory) *board {
	b := &board{w: w, host: h, sig: signature(inv), cards: h.Live().Cards(), group: chart.NewPacedGroup(w.p.Pace)}
	b.group.SetShown(false)
	b.group.SetSpan(w.span)
	if len(b.cards) > 0 {
		b.open = b.cards[0].UUID
		// A page that is built anew, for another language or a card that was
		// lost, stays with the card that was opened.
		if last := w.opened[h.ID]; b.device(last).UUID != "" {
			b.open = last
		}
	}
	b.head, b.banner = newHead(b), newBanner(b)
	b.strip, b.events = newStrip(b), newEvents(b)
	parts := []part{{o: b.head.box}}
	if w.p.Model != nil {
		b.judged, b.listed = newJudged(b), newVerdicts(b)
		parts = append(parts, part{o: b.judged.box})
	}
	parts = append(parts, part{o: b.banner.box})
	if len(b.cards) == 0 {
		b.nocard = newNoCard(b)
		b.charts = b.systemCharts()
		parts = append(parts, part{o: b.nocard.box}, part{o: grid(2, 150, b.charts...), weight: 6},
			part{o: b.events.box, weight: 1})
	} else {
		if len(b.cards) > 1 {
			parts = append(parts, part{o: b.tileGrid()})
		}
		b.charts = b.cardCharts()
		b.procs, b.more = newProcs(b), newMore(b)
		parts = append(parts,
			part{o: grid(2, 150, b.charts[:2]...), weight: 5},
			part{o: grid(3, 104, b.charts[2:]...), weight: 3},
			part{o: b.strip.box},
			part{o: container.New(&even{columns: always(2), gap: 4}, b.procs.box, b.events.box), weight: 2},
			part{o: b.more.box})
	}
	if b.listed != nil {
		parts = append(parts, part{o: b.listed.box})
	}
	objects := make([]fyne.CanvasObject, 0, len(parts))
	for _, p := range parts {
		objects = append(objects, p.o)
	}
	page := container.New(&rows{parts: parts, gap: 4}, objects...)
	b.root = container.NewStack(container.NewVScroll(widgets.Inset(4, page)))
	if b.more != nil && w.more {
		b.more.set(true)
	}
	if b.listed != nil && w.listed {
		b.listed.set(true)
	}
	return b
}

// tileGrid lays out the cards; four stand beside each other in a wide window.
func (b *board) tileGrid() fyne.CanvasObject {
	c := container.New(&even{columns: func(w float32) int {
		switch n := len(b.cards); {
		case n <= 2:
			return n
		case w < 760:
			return 2
		case w < 900:
			return 3
		}
		return 4
	}, gap: 4, width: 1000})
	for _, d := range b.cards {
		t := newTile(b, d)
		b.tiles = append(b.tiles, t)
		c.Add(t.tap)
	}
	return c
}

// gauge is a chart with what it shows behind its title.
type gauge struct {
	*chart.Chart
	value func() string
}

// grid lays charts beside each other, none lower than height.
func grid(cols int, height float32, g ...*gauge) fyne.CanvasObject {
	c := container.New(&even{columns: always(cols), gap: 4})
	for _, x := range g {
		c.Add(widgets.AtLeast(fyne.NewSize(150, height), x.Chart))
	}
	return c
}

func (b *board) gauge(title string, p plot, value func() string) *gauge {
	ch := chart.New(chart.Params{Title: title, Texts: b.w.c, Group: b.group, Legend: len(p.lines) > 1})
	ch.SetSource(b.source(p))
	return &gauge{Chart: ch, value: value}
}

// get returns the newest value of the open card.
func (b *board) get(m probe.Metric) probe.Value { return b.host.Live().Value(b.open, live.Of(m)) }

// choose opens a card below the grid.
func (b *board) choose(uuid string) {
	if b.open == uuid {
		return
	}
	b.open = uuid
	b.w.opened[b.host.ID] = uuid
	b.refresh()
	b.group.Touch()
}

// update brings the numbers up to date where something changed, and asks the
// charts to draw.
func (b *board) update() {
	l, st, now := b.host.Live(), b.host.State(), b.w.p.Now()
	version := l.Version()
	judging := b.judging
	if b.judged != nil {
		b.judged.update()
		b.listed.update()
		_, judging = b.w.p.Model.Verdicts(b.host.ID)
	}
	late := st.Phase != stream.Live
	// An old picture moves on once a second, so that its age is seen.
	if version == b.version && judging == b.judging && st.Phase == b.phase && (!late || now.Sub(b.updated) < time.Second) {
		return
	}
	b.version, b.judging, b.phase, b.updated, b.stale = version, judging, st.Phase, now, late
	newest := l.Newest()
	if late && st.Phase != stream.Paused && now.After(newest) {
		newest = now
	}
	if newest.IsZero() {
		newest = now
	}
	b.group.SetNow(newest)
	b.refresh()
	b.group.Redraw()
}

// refresh fills every text.
func (b *board) refresh() {
	b.head.update()
	b.banner.update()
	for _, t := range b.tiles {
		t.update()
	}
	for _, g := range b.charts {
		g.SetValue(b.aged(g.value()))
	}
	if b.nocard == nil {
		b.strip.update()
		b.procs.update()
		b.more.update()
	} else {
		b.nocard.update()
	}
	b.events.update()
}

// aged says beside an old value how old it is.
func (b *board) aged(value string) string {
	newest := b.host.Live().Newest()
	if !b.stale || newest.IsZero() || !strings.ContainsAny(value, "0123456789") {
		return value
	}
	return value + " · " + texts.Age(b.w.c, b.w.p.Now().Sub(newest))
}

// head is the line with the card, the span and the controls.
type head struct {
	b     *board
	info  *label
	spans []*widgets.Button
	pause *widgets.Button
	box   *fyne.Container
}

// spans are the spans of time that a live view can show.
var spans = []time.Duration{time.Minute, 5 * time.Minute, 30 * time.Minute, time.Hour, 6 * time.Hour}

func newHead(b *board) *head {
	c := b.w.c
	h := &head{b: b, info: truncated(newLabel())}
	h.info.TextStyle.Bold = true
	row := container.NewHBox()
	for i, s := range spans {
		btn := widgets.Quiet(c.T("watch.span."+spanKey(s)), nil, func() { h.span(i) })
		h.spans = append(h.spans, btn)
		row.Add(btn)
	}
	h.pause = widgets.Quiet("", theme.Icon("pause"), h.toggle)
	row.Add(h.pause)
	row.Add(widgets.Quiet("", theme.Icon("picture"), b.save))
	row.Add(widgets.Quiet("", theme.Icon("copy"), b.copy))
	var menu *widgets.Button
	menu = widgets.Quiet("", fynetheme.MoreHorizontalIcon(), func() { b.menu(menu) })
	row.Add(menu)
	h.box = container.NewBorder(nil, nil, nil, row, h.info)
	h.mark()
	return h
}

func spanKey(d time.Duration) string {
	if d < time.Hour {
		return strings.TrimSuffix(d.String(), "0s")
	}
	return strings.TrimSuffix(d.String(), "0m0s")
}

func (h *head) span(i int) {
	h.b.w.span = spans[i]
	h.b.group.SetSpan(spans[i])
	h.mark()
}

func (h *head) mark() {
	for i, s := range h.spans {
		want := widget.LowImportance
		if spans[i] == h.b.group.Span() {
			want = widget.MediumImportance
		}
		if s.Importance != want {
			s.Importance = want
			s.Refresh()
		}
	}
}

func (h *head) toggle() {
	if h.b.host.State().Phase == stream.Paused {
		h.b.host.Resume()
	} else {
		h.b.host.Pause()
	}
}

func (h *head) update() {
	h.info.set(h.b.infoText())
	icon := theme.Icon("pause")
	if h.b.host.State().Phase == stream.Paused {
		icon = theme.Icon("play")
	}
	if h.pause.Icon != icon && (h.pause.Icon == nil || h.pause.Icon.Name() != icon.Name()) {
		h.pause.SetIcon(icon)
	}
	h.mark()
}

// menu offers what is asked for now and then.
func (b *board) menu(under fyne.CanvasObject) {
	c := b.w.c
	on, _ := b.host.Logging()
	logs := c.T("watch.log.start")
	if on {
		logs = c.T("watch.log.stop")
	}
	items := []*fyne.MenuItem{
		fyne.NewMenuItem(logs, func() { b.host.Keep(!on) }),
		fyne.NewMenuItem(c.T("watch.forward"), func() { b.w.p.Actions.Forward(b.host) }),
		fyne.NewMenuItem(c.T("watch.diagnostics"), b.w.p.Actions.Diagnostics),
		fyne.NewMenuItemSeparator(),
		fyne.NewMenuItem(c.T("watch.disconnect"), func() { b.host.Leave() }),
	}
	if !b.host.Connected() {
		items[4] = fyne.NewMenuItem(c.T("watch.connect"), b.host.Connect)
	}
	if editable(b.host) {
		items = append(items, fyne.NewMenuItem(c.T("watch.edit"), func() { b.w.p.Actions.Edit(b.host) }))
	}
	// What can't be undone stands last.
	items = append(items, fyne.NewMenuItem(c.T("watch.forget"), func() { b.w.p.Actions.Forget(b.host) }))
	pop := widget.NewPopUpMenu(fyne.NewMenu("", items...), b.w.p.Window.Canvas())
	pop.ShowAtRelativePosition(fyne.NewPos(under.Size().Width-pop.MinSize().Width, under.Size().Height), under)
}
