package home

import (
	"strconv"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/judge"
	"rentgen/assets/texts"
	"rentgen/probe"
	"rentgen/probe/stream"
	"rentgen/ui/chart"
	"rentgen/ui/hosts"
	"rentgen/ui/live"
	"rentgen/ui/verdict"
	"rentgen/ui/widgets"
)

// nowCard is the chosen host at a glance: how its connection is, the verdict of
// now, three lines of its cards, and where to go from here.
type nowCard struct {
	w      *Place
	host   *hosts.Host
	cards  []probe.Device
	at     time.Time  // the end of the sparks
	reach  live.Track // what span looks at
	dot    *widgets.Dot
	name   *widget.Label
	state  *widget.Label
	line   *verdict.Line
	sparks []*spark
	live   *fyne.Container // what is shown while there are readings
	off    *widget.Label   // why there are none
	next   *widget.Label
	from   *widget.Label // where a number comes from
	said   string        // the source that was asked for by hand
	link   *widgets.Button
	do     func()
	why    *widgets.Button
	box    *fyne.Container
}

// spark is a metric of all cards of the host with its newest value.
type spark struct {
	k     *nowCard
	m     probe.Metric
	slot  int
	value *widget.Label
	chart *chart.Spark
	tap   *widgets.Tap
}

func newNowCard(w *Place) *nowCard {
	c := w.c
	k := &nowCard{
		w: w, dot: widgets.NewDot(widgets.Off), name: oneLine(bold("")), state: oneLine(widgets.Small("")),
		line: verdict.NewLine(w.verdictParams()).Wrapped(), off: widgets.Words(""), next: widgets.Words(""), from: faint(""),
	}
	k.next.TextStyle.Bold = true
	k.name.SizeName = fynetheme.SizeNameSubHeadingText
	row := container.New(&even{gap: 8})
	for i, m := range []probe.Metric{probe.UtilGPU, probe.MemUsed, probe.Power} {
		s := newSpark(k, m, []int{0, 1, 3}[i])
		k.sparks = append(k.sparks, s)
		row.Add(s.tap)
	}
	k.live = widgets.Stacked(2, k.line.Tap, row)
	k.link = widgets.Primary("", nil, func() {
		if k.do != nil {
			k.do()
		}
	})
	k.why = widgets.NewButton(c.T("verdict.why"), nil, w.Why)
	buttons := widgets.Row(k.link, widgets.NewButton(c.T("home.watch"), nil, w.p.Actions.Watch),
		widgets.NewButton(c.T("home.setup"), nil, w.p.Actions.Setup), k.why)
	head := container.NewBorder(nil, nil, container.NewHBox(widgets.Gap(2, 1), container.NewCenter(k.dot)), nil, k.name)
	k.box = widgets.Card(4, widgets.Stacked(0, head, k.state, k.live, k.off, k.next,
		container.New(&lines{1}, k.from), container.NewHBox(buttons)))
	return k
}

// verdictParams are what the widgets of verdicts work with here.
func (w *Place) verdictParams() verdict.Params {
	p := verdict.Params{Texts: w.c, Canvas: w.p.Window.Canvas, Now: w.p.Now, Names: w.cardNames}
	if jump := w.p.Actions.Jump; jump != nil {
		p.Jump = func(v judge.Verdict) { jump(verdict.Around(v, w.p.Now())) }
	}
	return p
}

// cardNames names a card of the chosen host where it has several.
func (w *Place) cardNames(gpu string) string {
	h := w.p.Book.Chosen()
	if h == nil {
		return ""
	}
	cards := h.Live().Cards()
	for _, d := range cards {
		if d.UUID == gpu && len(cards) > 1 {
			return w.c.T("verdict.card", "index", strconv.Itoa(d.Index))
		}
	}
	return ""
}

// retire takes the sparks out of drawing for good.
func (k *nowCard) retire() {
	for _, s := range k.sparks {
		k.w.group.Remove(s.chart)
	}
}

func newSpark(k *nowCard, m probe.Metric, slot int) *spark {
	s := &spark{k: k, m: m, slot: slot, value: oneLine(widgets.Small(""))}
	s.chart = chart.NewSpark(chart.SparkParams{Group: k.w.group, Size: fyne.NewSize(90, 40)})
	s.chart.SetSource(s.fill)
	s.tap = widgets.NewTap(container.NewBorder(s.value, nil, nil, nil, s.chart), k.w.p.Actions.Watch)
	s.tap.OnNear = func() { k.tell(s.source()) }
	return s
}

// points is how many points of a spark's line are asked for.
const points = 200

// fill draws a line of each card, those of one host in the colours of series.
func (s *spark) fill(from, to time.Time, d *chart.Data) {
	h := s.k.host
	if h == nil {
		return
	}
	l := h.Live()
	d.Unit, d.Fixed = s.m.Info().Unit, s.m.Info().Max
	step := max(1000, to.Sub(from).Milliseconds()/points)
	cards := s.k.cards
	for i, g := range cards {
		slot := s.slot
		if len(cards) > 1 {
			slot = i
		}
		x := d.Grow("", slot)
		tr := l.TrackInto(live.Track{T: x.T, Min: x.Min, Max: x.Max, Mean: x.Mean}, g.UUID, live.Of(s.m), from, to, points)
		x.T, x.Min, x.Max, x.Mean = tr.T, tr.Min, tr.Max, tr.Mean
		x.Fill, x.Step = len(cards) == 1, step
		if len(cards) > 1 { // the bands of many lines would hide each other
			x.Min, x.Max = append(x.Min[:0], x.Mean...), append(x.Max[:0], x.Mean...)
		}
		if s.m == probe.MemUsed {
			if n, ok := total(l, g).Ok(); ok {
				d.Fixed = max(d.Fixed, n)
			}
		}
	}
	for _, g := range l.Gaps("", from, to) {
		d.Gaps = append(d.Gaps, chart.Gap{From: g.From.UnixMilli(), To: g.To.UnixMilli()})
	}
}

// total is the memory of a card: as read, or as the inventory has it.
func total(l *live.Host, d probe.Device) probe.Value {
	if v := l.Value(d.UUID, live.Of(probe.MemTotal)); v.State == probe.OK {
		return v
	}
	return d.MemTotal
}

// text is the newest value: of several cards from the least to the greatest.
func (s *spark) text() string {
	c, l, cards := s.k.w.c, s.k.host.Live(), s.k.cards
	low, high, n := between(l, cards, s.m)
	name := texts.Metric(c, s.m.String())
	value := texts.Dash
	switch {
	case n == 0:
	case n == 1 && s.m == probe.MemUsed:
		whole, ok := total(l, cards[0]).Ok()
		if value = texts.MiB(low); ok {
			value = texts.MiBOf(c, low, whole)
		}
	case texts.Value(c, low, s.m.Info().Unit) == texts.Value(c, high, s.m.Info().Unit):
		value = texts.Value(c, high, s.m.Info().Unit)
	default:
		value = texts.Band(c, low, high, s.m.Info().Unit)
	}
	return c.T("home.value", "name", name, "value", value)
}

// source says where the value of a spark comes from, or why there is none.
func (s *spark) source() string {
	c := s.k.w.c
	if s.k.host == nil {
		return ""
	}
	l := s.k.host.Live()
	cards, newest := s.k.cards, l.Newest()
	inv := l.Inventory()
	if len(cards) == 0 || inv == nil || newest.IsZero() {
		return c.T("home.none")
	}
	name := texts.Metric(c, s.m.String())
	if v := l.Value(cards[0].UUID, live.Of(s.m)); v.State != probe.OK {
		return c.T("home.value", "name", name, "value", texts.Missing(c, v.State.String(), v.Raw))
	}
	return c.T("home.from.reading", "name", name, "source", hosts.SourceText(c, inv.Source), "time", texts.Clock(newest), "span", texts.Duration(c, s.k.w.group.Span()))
}

// tell says where a number comes from.
func (k *nowCard) tell(text string) {
	k.said = text
	say(k.from, text)
}

// update brings the card up to date.
func (k *nowCard) update(h *hosts.Host) {
	c, now := k.w.c, k.w.p.Now()
	if k.host != h {
		k.host, k.said = h, ""
	}
	st := h.State()
	words := hosts.WordsOf(c, st, now)
	k.dot.Set(words.State)
	k.cards = h.Live().Cards()
	widgets.SetText(k.name, hosts.NameOf(c, h))
	widgets.SetText(k.state, k.facts(h, words))
	newest := h.Live().Newest()
	there := !newest.IsZero() && len(k.cards) > 0
	moved := widgets.SetShown(k.live, there)
	if there {
		at := newest
		if st.Phase != stream.Live && st.Phase != stream.Paused && now.After(at) {
			at = now
		}
		if !at.Equal(k.at) {
			k.at = at
			k.w.group.SetNow(at)
			k.span(h.Live(), at)
		}
		for _, s := range k.sparks {
			widgets.SetText(s.value, s.text())
		}
	}
	off, next := "", ""
	if st.Phase != stream.Live || !there {
		off, next = words.Sentence, words.Next
		if !newest.IsZero() && st.Phase != stream.Paused && st.Phase != stream.Live {
			off = c.T("watch.banner.old", "sentence", off, "age", texts.Duration(c, now.Sub(newest)))
		}
		if off == "" || st.Phase == stream.Live && len(k.cards) > 0 {
			off = c.T("home.none")
		}
	}
	say(k.off, off)
	say(k.next, next)
	moved = widgets.SetShown(k.off, off != "") || moved
	moved = widgets.SetShown(k.next, next != "") || moved
	moved = widgets.SetShown(k.from, there) || moved
	moved = k.action(h, st) || moved
	moved = widgets.SetShown(k.why, there && st.Phase == stream.Live) || moved
	k.line.SetStale(st.Phase != stream.Live)
	if k.said == "" {
		say(k.from, c.T("home.point"))
	}
	if moved {
		k.box.Refresh()
	}
}

// spans are what the sparks may show: the least that holds what was read, so that
// the lines of a young connection fill their room.
var spans = []time.Duration{time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, sparkSpan}

// span takes the span of the sparks from what was read up to at.
func (k *nowCard) span(l *live.Host, at time.Time) {
	k.reach = l.TrackInto(k.reach, k.cards[0].UUID, live.Of(probe.UtilGPU), at.Add(-sparkSpan), at, points)
	read := time.Duration(0)
	if len(k.reach.T) > 0 {
		read = at.Sub(time.UnixMilli(k.reach.T[0]))
	}
	span := sparkSpan
	for _, d := range spans {
		if read <= d+d/20 { // what is a little longer fills it too
			span = d
			break
		}
	}
	if span != k.w.group.Span() {
		k.w.group.SetSpan(span)
	}
}

// facts is the line under the name: how it is connected, which cards it has.
func (k *nowCard) facts(h *hosts.Host, words hosts.Words) string {
	parts := []string{words.Short}
	if h.Demo() {
		parts = append(parts, k.w.c.T("watch.demo"))
	}
	if len(k.cards) > 0 {
		parts = append(parts, k.models())
		if s := k.memory(h.Live()); s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, " · ")
}

// models names the cards, those of one model together, in their order: "2 ×
// GeForce RTX 4090", "GeForce RTX 4090 + GeForce RTX 3090".
func (k *nowCard) models() string {
	var names []string
	count := map[string]int{}
	for _, d := range k.cards {
		name := strings.TrimPrefix(d.Name, "NVIDIA ")
		if count[name] == 0 {
			names = append(names, name)
		}
		count[name]++
	}
	for i, name := range names {
		if n := count[name]; n > 1 {
			names[i] = k.w.c.T("home.cards", "n", n, "name", name)
		}
	}
	return strings.Join(names, " + ")
}

// memory is the VRAM of a card, from the least to the greatest where they differ;
// "" where that of one isn't known.
func (k *nowCard) memory(l *live.Host) string {
	low, high := 0.0, 0.0
	for i, d := range k.cards {
		n, ok := total(l, d).Ok()
		if !ok {
			return ""
		}
		if i == 0 || n < low {
			low = n
		}
		high = max(high, n)
	}
	if texts.MiB(low) == texts.MiB(high) {
		return texts.MiB(high)
	}
	return texts.Band(k.w.c, low, high, "MiB")
}

// action is the one thing to do about the connection; none while it is fine. It
// reports whether the button came or went.
func (k *nowCard) action(h *hosts.Host, st stream.State) bool {
	key := ""
	k.do = h.Connect
	switch st.Phase {
	case stream.Off:
		key = "watch.connect"
	case stream.Failed, stream.Waiting, stream.Stale:
		key = "watch.retry"
	case stream.Paused:
		key, k.do = "watch.resume", h.Resume
	case stream.Connecting:
		key, k.do = "watch.cancel", h.Leave
	case stream.Live:
		k.do = nil
	}
	if key != "" {
		relabel(k.link, k.w.c.T(key))
	}
	return widgets.SetShown(k.link, key != "")
}
