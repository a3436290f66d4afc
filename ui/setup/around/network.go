package around

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/guide"
	"rentgen/app/guide/network"
	"rentgen/ui/chart"
	"rentgen/ui/setup"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// ways are what is known of the network of one host; UI thread.
type ways struct {
	near, far setup.Task
	latency   *network.Latency
	reached   *network.Ways
	seen      *netPage
	change    int
}

func newWays() *ways {
	w := &ways{}
	w.near.Changed, w.far.Changed = w.update, w.update
	return w
}

func (w *ways) update() {
	w.change++
	if w.seen != nil {
		w.seen.Sync()
	}
}

// netPage is the page "Network over time".
type netPage struct {
	p    Params
	h    *setup.Here
	w    *ways
	root *container.Scroll

	measure, ask, stop  *widgets.Button
	nearState, farState *widget.Label
	near, far           *fyne.Container
	sources             map[string]*widgets.Check
	own                 *widgets.Entry
	series              *fyne.Container
	group               *chart.Group
	charts              map[network.What]*chart.Chart
	drawn               int
	points              string // tells what the charts show
}

func newNetPage(p Params, h *setup.Here, w *ways) *netPage {
	c := h.Texts
	n := &netPage{
		p: p, h: h, w: w, drawn: -1, nearState: widgets.Words(""), farState: widgets.Words(""), near: container.NewVBox(), far: container.NewVBox(),
		sources: make(map[string]*widgets.Check), own: widgets.NewArea(), series: container.NewVBox(),
		group: chart.NewPacedGroup(p.Pace), charts: make(map[network.What]*chart.Chart),
	}
	n.measure = widgets.Primary(c.T("around.net.measure"), theme.Icon("play"), n.latency)
	n.ask = widgets.Primary(c.T("around.net.ask"), theme.Icon("play"), n.reach)
	n.stop = widgets.NewButton(c.T("around.stop"), fynetheme.MediaStopIcon(), func() {
		w.near.Stop()
		w.far.Stop()
	})
	for _, what := range network.Whats() {
		if what.Unit() != "" {
			n.charts[what] = chart.New(chart.Params{Title: c.Say(what.Name()), Texts: c, Group: n.group})
		}
	}
	ask, why := network.Question()
	grid := container.NewGridWithColumns(3)
	a := n.answer()
	for _, s := range network.Sources() {
		if s.URL == "" {
			continue
		}
		b := widgets.NewCheck(s.NameIn(c.Lang), nil)
		b.SetChecked(slices.Contains(a.Sources, s.ID))
		b.OnChanged = func(bool) { n.keepAnswer() }
		n.sources[s.ID] = b
		grid.Add(b)
	}
	n.own.SetPlaceHolder(c.T("around.net.own.form"))
	n.own.SetMinRowsVisible(2)
	n.own.SetText(strings.Join(a.Own, "\n"))
	n.root = container.NewVScroll(widgets.Left(900, widgets.Inset(6, container.NewVBox(
		setup.Heading(c.T("around.net.here")), widgets.Words(c.T("around.net.here.why")),
		widgets.Row(n.measure, n.stop), n.nearState, n.near,
		widgets.Rule(),
		setup.Heading(c.Say(ask)), widgets.Words(c.Say(why)), grid,
		widgets.Small(c.T("around.net.own")), n.own, widgets.Row(n.ask), n.farState, n.far,
		widgets.Rule(),
		setup.Heading(c.T("around.net.time")), n.series,
	))))
	return n
}

// Content is the page.
func (n *netPage) Content() fyne.CanvasObject { return n.root }

// Leave says that it isn't seen any more; what was begun goes on.
func (n *netPage) Leave() {
	n.group.SetShown(false)
	if n.w.seen == n {
		n.w.seen = nil
	}
}

// Sync brings the page up to date.
func (n *netPage) Sync() {
	n.w.seen = n
	n.group.SetShown(true)
	c, off, addr := n.h.Texts, n.h.Offline(), n.addr()
	widgets.Able(n.measure, addr != "" && !n.w.near.Busy())
	widgets.Able(n.ask, off == "" && !n.w.far.Busy())
	widgets.Able(n.stop, n.w.near.Busy() || n.w.far.Busy())
	idle := c.T("around.net.here.none")
	if addr != "" {
		idle = c.T("around.net.here.addr", "addr", addr)
	}
	n.w.near.Show(n.nearState, idle)
	n.w.far.Show(n.farState, off)
	if n.drawn != n.w.change {
		n.drawn = n.w.change
		n.draw()
	}
	n.drawSeries()
	n.root.Refresh()
}

func (n *netPage) addr() string {
	if n.p.Addr == nil || n.h.Host().Demo {
		return ""
	}
	return n.p.Addr(n.h.Host().ID)
}

// latency measures the way from this computer to the login.
func (n *netPage) latency() {
	h, w, addr, measure := n.h, n.w, n.addr(), n.p.Measure
	if addr == "" {
		return
	}
	w.near.Start(h, h.Texts.T("around.net.measuring"), setup.Failed(h.Texts), func(ctx context.Context) (func(), error) {
		l, err := measure(ctx, network.LatencyParams{Addr: addr, Now: h.Now})
		if err != nil {
			return nil, err
		}
		return func() {
			w.latency = &l
			n.put(network.FromLatency(l, h.Now()))
		}, nil
	})
}

// put keeps a reading, and drops those beyond what is kept.
func (n *netPage) put(p network.Point) {
	e, err := p.Entry()
	if err == nil {
		err = n.h.Board.Put(e.Kind, e.Key, e.Body)
	}
	if err != nil {
		n.h.Say(guide.Warn, n.h.Texts.T("setup.task.unsaved", "err", err), "")
		return
	}
	if old := network.Old(n.h.Board.Entries(guide.KindNet)); len(old) > 0 {
		_ = n.h.Board.Drop(guide.KindNet, old...) // some more do no harm
	}
}

// stages are the parts of the latest download, as the board judged it.
func (n *netPage) stages() []network.Stage {
	for _, s := range n.h.Board.View(guide.Network).Steps {
		for _, cv := range s.Checks {
			if cv.ID == guide.NetCurl && cv.Record != nil && cv.Record.BlockedBy == "" {
				return network.Stages(cv.Outcome.Facts)
			}
		}
	}
	return nil
}

// answerKey is where the answer to the question about the region is kept among the
// readings.
const answerKey = "answer"

// answer is what the user said about where models and pictures come from.
func (n *netPage) answer() network.Answer {
	var a network.Answer
	for _, e := range n.h.Board.Entries(guide.KindNet) {
		var got network.Answer
		if e.Key == answerKey && json.Unmarshal(e.Body, &got) == nil && got.Check() == nil {
			a = got
		}
	}
	return a
}

// typed is the answer as it stands on the page.
func (n *netPage) typed() network.Answer {
	var a network.Answer
	for _, s := range network.Sources() {
		if b := n.sources[s.ID]; b != nil && b.Checked {
			a.Sources = append(a.Sources, s.ID)
		}
	}
	a.Own = strings.Fields(n.own.Text)
	return a
}

func (n *netPage) keepAnswer() bool {
	c, a := n.h.Texts, n.typed()
	if a.Check() != nil {
		n.h.Say(guide.Warn, c.T("around.net.own.bad"), "")
		return false
	}
	if err := n.h.Board.Put(guide.KindNet, answerKey, a); err != nil {
		n.h.Say(guide.Warn, c.T("setup.task.unsaved", "err", err), "")
	}
	return true
}

// reach asks the places from the instance.
func (n *netPage) reach() {
	r, h, w := n.h.Runner(), n.h, n.w
	if r == nil || !n.keepAnswer() {
		return
	}
	probes := n.typed().Probes()
	w.far.Start(h, h.Texts.T("around.net.asking", "n", len(probes)), setup.Failed(h.Texts), func(ctx context.Context) (func(), error) {
		got, err := network.Reach(ctx, r, probes)
		if err != nil {
			return nil, err
		}
		return func() { w.reached = &got }, nil
	})
}

// draw shows what was measured last.
func (n *netPage) draw() {
	c := n.h.Texts
	n.near.Objects, n.far.Objects = nil, nil
	defer n.near.Refresh()
	defer n.far.Refresh()
	if l := n.w.latency; l != nil {
		n.near.Add(setup.Signed(setup.Verdict(network.FromLatency(*l, time.Time{}).Verdict), widgets.Words(c.Say(l.Says()))))
	}
	if n.w.reached == nil {
		return
	}
	got := *n.w.reached
	v := guide.Pass
	for _, p := range got.Places {
		v = guide.Worse(v, p.Verdict)
	}
	n.far.Add(setup.Signed(setup.Verdict(v), setup.Heading(c.Say(got.Says()))))
	for _, p := range got.Places {
		name := c.T("around.net.own.one")
		if s, ok := network.SourceOf(p.Source); ok {
			name = s.NameIn(c.Lang)
		}
		key := "around.net.place"
		if p.Used {
			key = "around.net.place.used"
		}
		n.far.Add(setup.Signed(setup.Verdict(p.Verdict), widgets.Words(c.T(key, "name", name, "says", c.Say(p.Says()), "env", p.Env))))
	}
	for _, name := range slices.Sorted(maps.Keys(got.Vars)) {
		n.far.Add(setup.Aside(c.T("around.net.var", "name", name, "value", got.Vars[name])))
	}
	if len(got.Servers) > 0 {
		n.far.Add(setup.Aside(c.T("around.net.dns", "list", strings.Join(got.Servers, " "))))
	}
	if !got.Whole {
		n.far.Add(setup.Signed(theme.Warn, widgets.Words(c.T("around.net.cut"))))
	}
}
