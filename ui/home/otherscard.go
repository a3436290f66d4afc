package home

import (
	"slices"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"rentgen/assets/texts"
	"rentgen/probe"
	"rentgen/probe/stream"
	"rentgen/ui/home/cost"
	"rentgen/ui/hosts"
	"rentgen/ui/live"
	"rentgen/ui/verdict"
	"rentgen/ui/widgets"
)

const minute = time.Minute

// othersCard sums up what runs and lists the other hosts, to be chosen.
type othersCard struct {
	w    *Place
	sum  *widget.Label
	rows []*hostRow
	col  *fyne.Container
	box  *fyne.Container
}

// hostRow is one other host in a line.
type hostRow struct {
	id    string
	dot   *widgets.Dot
	shape *widget.Icon
	level string
	cells [5]*widget.Label // name, state, load, an hour, today
	tap   *widgets.Tap
}

var rowWidths = []float32{22, 26, 0, 250, 110, 110, 130}

func newOthersCard(w *Place) *othersCard {
	k := &othersCard{w: w, sum: oneLine(widget.NewLabel("")), col: widgets.Stacked(-4)}
	k.sum.Alignment = fyne.TextAlignTrailing
	add := widgets.Quiet(w.c.T("frame.add"), nil, w.p.Actions.Add)
	head := container.NewBorder(nil, nil, bold(w.c.T("home.others")), add, k.sum)
	k.box = widgets.Card(4, widgets.Stacked(0, head, k.col))
	return k
}

func (k *othersCard) row(i int) *hostRow {
	for i >= len(k.rows) {
		r := &hostRow{dot: widgets.NewDot(widgets.Off), shape: widget.NewIcon(nil)}
		objects := []fyne.CanvasObject{container.NewCenter(r.dot), r.shape}
		for n := range r.cells {
			r.cells[n] = oneLine(widget.NewLabel(""))
			if n > 1 {
				r.cells[n].Alignment = fyne.TextAlignTrailing
			}
			objects = append(objects, r.cells[n])
		}
		r.tap = widgets.NewTap(widgets.Columns(rowWidths, objects...), func() { k.w.p.Actions.Choose(r.id) })
		k.rows = append(k.rows, r)
		k.col.Add(r.tap)
	}
	return k.rows[i]
}

// rented reports whether a host is on the list that somebody bills for.
func (k *othersCard) rented() bool {
	return slices.ContainsFunc(k.w.p.Book.Hosts(), rented)
}

// rented reports whether somebody bills for a host: not for this computer, nor for
// one that is made up.
func rented(h *hosts.Host) bool { return h.Line != hosts.LineLocal && !h.Demo() }

func (k *othersCard) update(chosen *hosts.Host) {
	c, m := k.w.c, k.w.p.Model
	sum := ""
	if k.rented() {
		sum = c.T("home.running.none")
	}
	if all := cost.Running(c, m.Running(), false); all != "" {
		sum = c.T("home.running", "all", all)
	}
	widgets.SetText(k.sum, sum)
	n := 0
	moved := false
	for _, h := range k.w.p.Book.Hosts() {
		if h == chosen {
			continue
		}
		if n >= len(k.rows) {
			moved = true
		}
		r := k.row(n)
		n++
		r.id = h.ID
		words := hosts.WordsOf(c, h.State(), k.w.p.Now())
		r.dot.Set(words.State)
		vs, _ := m.Verdicts(h.ID)
		level := ""
		if i := verdict.Main(vs); i >= 0 && h.State().Phase == stream.Live {
			level = string(vs[i].Level)
			if r.level != level {
				r.shape.SetResource(verdict.Icon(vs[i].Level))
			}
		}
		r.level = level
		widgets.SetShown(r.shape, level != "")
		g, known := m.Glance(h.ID)
		price, today := texts.Dash, texts.Dash
		if known {
			price, today = cost.Price(c, g), cost.Today(c, g)
		}
		for i, s := range []string{hosts.NameOf(c, h), words.Short, load(c, h), price, today} {
			widgets.SetText(r.cells[i], s)
		}
		moved = widgets.SetShown(r.tap, true) || moved
	}
	for _, r := range k.rows[n:] {
		moved = widgets.SetShown(r.tap, false) || moved
	}
	if moved {
		k.box.Refresh()
		k.w.root.Refresh()
	}
}

// load is what a host's cards do now: the least and the greatest of them.
func load(c *texts.Catalogue, h *hosts.Host) string {
	if h.State().Phase != stream.Live {
		return texts.Dash
	}
	low, high, n := between(h.Live(), h.Live().Cards(), probe.UtilGPU)
	if n == 0 {
		return texts.Dash
	}
	return texts.Band(c, low, high, "%")
}

// between is the least and the greatest newest value of n cards; those without one
// don't count.
func between(l *live.Host, cards []probe.Device, m probe.Metric) (low, high float64, n int) {
	for _, d := range cards {
		v, ok := l.Value(d.UUID, live.Of(m)).Ok()
		if !ok {
			continue
		}
		if n == 0 {
			low, high = v, v
		}
		low, high = min(low, v), max(high, v)
		n++
	}
	return low, high, n
}
