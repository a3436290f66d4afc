package watch

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/assets/texts"
	"rentgen/probe"
	"rentgen/ui/chart"
	"rentgen/ui/live"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// maxRows bounds both tables.
const maxRows = 12

// unseenAtLeast is how many MiB must be unaccounted for before they are called
// another's: drivers and contexts take some that no process is named for.
const unseenAtLeast = 128

// procs is the process table of the open card.
type procs struct {
	b     *board
	title *label
	note  *label
	rows  []procRow
	list  *fyne.Container
	box   *fyne.Container
}

// procWidths are the columns of the processes, unscaled: whose, pid, name, memory,
// load.
var procWidths = []float32{110, 70, 0, 80, 56}

type procRow struct {
	cells [5]*label // whose, pid, name, memory, load
	box   *fyne.Container
}

func newProcs(b *board) *procs {
	p := &procs{b: b, title: newLabel(), note: newSmall(), list: container.NewVBox()}
	p.title.TextStyle.Bold = true
	p.title.set(b.w.c.T("watch.procs"))
	truncated(p.note)
	scroll := container.NewVScroll(p.list)
	scroll.SetMinSize(fyne.NewSize(200, 62))
	p.box = widgets.Card(2, container.NewBorder(container.NewBorder(nil, nil, p.title, nil, p.note), nil, nil, nil, scroll))
	return p
}

func (p *procs) row(i int) procRow {
	for i >= len(p.rows) {
		r := procRow{}
		objects := make([]fyne.CanvasObject, 0, len(r.cells))
		for k := range r.cells {
			r.cells[k] = truncated(newSmall())
			if k > 2 {
				r.cells[k].Alignment = fyne.TextAlignTrailing
			}
			objects = append(objects, r.cells[k])
		}
		r.box = widgets.Columns(procWidths, objects...)
		p.rows = append(p.rows, r)
		p.list.Add(r.box)
	}
	return p.rows[i]
}

func (p *procs) update() {
	c := p.b.w.c
	list := p.b.host.Live().Processes(p.b.open)
	used := p.b.get(probe.MemUsed)
	n := 0
	switch {
	case list == nil:
		p.note.set(c.T("state.pending"))
	case list.State != probe.OK:
		p.note.set(texts.Missing(c, list.State.String(), list.Raw))
	default:
		p.note.set(procNote(c, list, used))
		all := slices.Clone(list.List)
		slices.SortStableFunc(all, func(a, b probe.Process) int {
			if a.Own != b.Own {
				if a.Own {
					return -1
				}
				return 1
			}
			return cmp.Compare(b.Mem.Num, a.Mem.Num)
		})
		for _, q := range all[:min(len(all), maxRows)] {
			r := p.row(n)
			whose := c.T("watch.procs.other")
			if q.Own {
				whose = c.T("watch.procs.own")
			}
			name := q.Name
			if name == "" {
				name = texts.Dash
			}
			for k, s := range []string{
				whose, strconv.Itoa(q.PID), name,
				valueText(c, q.Mem, probe.MemUsed), valueText(c, q.Util, probe.UtilGPU),
			} {
				r.cells[k].set(s)
			}
			n++
		}
		if unseen, ok := Unseen(list, used); ok {
			r := p.row(n)
			for k, s := range []string{c.T("watch.procs.unseen"), "", c.T("watch.procs.unseen.what"), texts.MiB(unseen), ""} {
				r.cells[k].set(s)
			}
			n++
		}
	}
	for i, r := range p.rows {
		if show := i < n; r.box.Visible() != show {
			if show {
				r.box.Show()
			} else {
				r.box.Hide()
			}
		}
	}
}

// procNote counts who holds what: own, outside this container, and memory no
// listed process accounts for.
func procNote(c *texts.Catalogue, p *probe.Processes, used probe.Value) string {
	own := 0
	for _, q := range p.List {
		if q.Own {
			own++
		}
	}
	unseen := texts.MiB(0)
	if n, ok := Unseen(p, used); ok {
		unseen = texts.MiB(n)
	} else if _, _, known := live.Shares(p); !known || used.State != probe.OK {
		unseen = texts.Dash
	}
	return c.T("watch.procs.note", "own", own, "other", len(p.List)-own, "unseen", unseen)
}

// Unseen returns how many MiB are in use that no listed process holds; false
// where there are none worth naming or it can't be told.
func Unseen(p *probe.Processes, used probe.Value) (mib float64, ok bool) {
	own, other, known := live.Shares(p)
	n, read := used.Ok()
	if !known || !read {
		return 0, false
	}
	rest := n - own - other
	return rest, rest >= unseenAtLeast
}

// events is the list of what happened, newest first.
type events struct {
	b     *board
	title *label
	rows  []eventRow
	empty *label
	list  *fyne.Container
	box   *fyne.Container
}

type eventRow struct {
	icon  *widget.Icon
	level chart.Level
	text  *label
	box   *fyne.Container
}

func newEvents(b *board) *events {
	e := &events{b: b, title: newLabel(), empty: newSmall(), list: container.NewVBox()}
	e.title.TextStyle.Bold = true
	e.title.set(b.w.c.T("watch.events"))
	e.empty.set(b.w.c.T("watch.events.none"))
	scroll := container.NewVScroll(e.list)
	scroll.SetMinSize(fyne.NewSize(200, 62))
	e.box = widgets.Card(2, container.NewBorder(container.NewHBox(e.title, e.empty), nil, nil, nil, scroll))
	return e
}

func levelIcon(l chart.Level) fyne.Resource {
	switch l {
	case chart.Fail:
		return theme.Fail.Icon()
	case chart.Warn:
		return theme.Warn.Icon()
	case chart.Info, chart.Good:
	}
	return fynetheme.InfoIcon()
}

func (e *events) update() {
	c := e.b.w.c
	all := e.b.host.Live().Events("", time.Time{}, e.b.w.p.Now().Add(time.Hour))
	slices.Reverse(all)
	n := min(len(all), maxRows)
	for i, ev := range all[:n] {
		if i == len(e.rows) {
			r := eventRow{icon: widget.NewIcon(fynetheme.InfoIcon()), text: truncated(newSmall())}
			r.box = container.NewBorder(nil, nil, r.icon, nil, r.text)
			e.rows = append(e.rows, r)
			e.list.Add(r.box)
		}
		r := &e.rows[i]
		mark := chart.EventMark(c, ev)
		if mark.Level != r.level {
			r.level = mark.Level
			r.icon.SetResource(levelIcon(mark.Level))
		}
		text := mark.Text
		if ev.GPU != "" && len(e.b.cards) > 1 {
			if d := e.b.device(ev.GPU); d.UUID != "" {
				text = c.T("watch.event.card", "index", strconv.Itoa(d.Index), "text", text)
			}
		}
		r.text.set(c.T("watch.event", "time", texts.Clock(ev.Time), "text", text))
		r.box.Show()
	}
	for _, r := range e.rows[n:] {
		r.box.Hide()
	}
	if hide := n > 0; hide != e.empty.Hidden {
		e.empty.Hidden = hide
		e.empty.Refresh()
	}
}
