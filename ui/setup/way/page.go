package way

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/guide"
	"rentgen/app/guide/open"
	"rentgen/assets/texts"
	"rentgen/ui/setup"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// doors are the ways that are open to one host; UI thread.
type doors struct {
	task      setup.Task // looking for ports, opening one
	outside   setup.Task
	listening []int
	looked    bool
	open      []*door
	seen      []open.Seen
	own       bool // the address leads to this instance alone
	shown     *page
	change    int
}

// door is an open way and what answered last.
type door struct {
	s    *open.Session
	last *open.Result
}

func newDoors() *doors {
	d := &doors{}
	d.task.Changed, d.outside.Changed = d.update, d.update
	return d
}

func (d *doors) update() {
	d.change++
	if d.shown != nil {
		d.shown.Sync()
	}
}

// page is the page "Open the UI".
type page struct {
	p    Params
	h    *setup.Here
	d    *doors
	root *container.Scroll

	look, openPort       *widgets.Button
	port                 *widgets.Entry
	state, outState      *widget.Label
	open, ports, outside *fyne.Container
	probe, stop          *widgets.Button
	own                  *widgets.Check
	drawn                int
	provider             string
}

func newPage(p Params, h *setup.Here, d *doors) *page {
	c := h.Texts
	w := &page{
		p: p, h: h, d: d, drawn: -1, state: widgets.Words(""), outState: widgets.Words(""),
		open: container.NewVBox(), ports: container.NewVBox(), outside: container.NewVBox(), port: widgets.NewEntry(),
	}
	w.look = widgets.Primary(c.T("way.look"), theme.Icon("play"), w.listen)
	w.port.SetPlaceHolder(c.T("way.port"))
	w.port.OnSubmitted = func(string) { w.typed() }
	w.openPort = widgets.NewButton(c.T("way.port.open"), nil, w.typed)
	w.probe = widgets.NewButton(c.T("way.probe"), nil, w.lookIn)
	w.stop = widgets.NewButton(c.T("way.stop"), fynetheme.MediaStopIcon(), d.outside.Stop)
	w.own = widgets.NewCheck(c.T("way.own"), func(on bool) {
		d.own = on
		w.Sync()
	})
	w.own.SetChecked(d.own)
	w.root = container.NewVScroll(widgets.Left(860, widgets.Inset(6, container.NewVBox(
		widgets.Words(c.T("way.why")), w.open,
		widgets.Row(w.look, widgets.AtLeast(fyne.NewSize(widgets.Scaled(120), 0), w.port), w.openPort), w.state, w.ports,
		widgets.Rule(),
		heading(c.T("way.outside")), widgets.Words(c.T("way.outside.why")), w.own, widgets.Row(w.probe, w.stop), w.outState, w.outside,
	))))
	return w
}

// Content is the page.
func (w *page) Content() fyne.CanvasObject { return w.root }

// Leave says that it isn't seen any more; open ways stay.
func (w *page) Leave() {
	if w.d.shown == w {
		w.d.shown = nil
	}
}

// Sync brings the page up to date. The first time it looks by itself.
func (w *page) Sync() {
	w.d.shown = w
	off := w.h.Offline()
	if off == "" && !w.d.looked && !w.d.task.Busy() {
		w.d.looked = true
		w.listen()
		return
	}
	able := off == "" && !w.d.task.Busy()
	widgets.Able(w.look, able)
	widgets.Able(w.openPort, able)
	w.d.task.Show(w.state, off)
	address := w.address()
	widgets.Able(w.probe, address != "" && !w.d.outside.Busy() && !w.h.Host().Demo)
	widgets.Able(w.stop, w.d.outside.Busy())
	idle := w.h.Texts.T("way.outside.none")
	if address != "" {
		idle = w.h.Texts.T("way.outside.address", "host", address)
	}
	w.d.outside.Show(w.outState, idle)
	if w.drawn != w.d.change || w.provider != w.h.Board.Provider() {
		w.drawn, w.provider = w.d.change, w.h.Board.Provider()
		w.draw(able)
	}
	w.root.Refresh()
}

func (w *page) address() string {
	if w.p.Address == nil {
		return ""
	}
	return w.p.Address(w.h.Host().ID)
}

// listen looks which ports of the instance somebody listens at.
func (w *page) listen() {
	r := w.h.Runner()
	if r == nil {
		return
	}
	w.d.task.Start(w.h, w.h.Texts.T("way.looking"), w.said, func(ctx context.Context) (func(), error) {
		ports, err := open.Listening(ctx, r)
		if err != nil {
			return nil, err
		}
		return func() { w.d.listening, w.d.looked = ports, true }, nil
	})
}

// said puts an error in words.
func (w *page) said(err error) string {
	if p := open.Why(err); !p.IsZero() {
		return w.h.Texts.Say(p)
	}
	return setup.Failed(w.h.Texts)(err)
}

// typed opens the port that was typed.
func (w *page) typed() {
	n, err := strconv.Atoi(widgets.PlainNumber(w.port.Text))
	if err != nil || n < 1 || n > 65535 {
		w.h.Say(guide.Warn, w.h.Texts.T("way.port.bad", "value", w.port.Text), "")
		return
	}
	w.enter(n)
}

// enter opens a way to a port, tests it, and leads the browser there when a
// program answers.
func (w *page) enter(port int) {
	fw := w.h.Forwarder()
	if fw == nil {
		return
	}
	d := w.d
	if i := slices.IndexFunc(d.open, func(x *door) bool { return x.s.Port() == port }); i >= 0 {
		w.test(d.open[i], true)
		return
	}
	d.task.Start(w.h, w.h.Texts.T("way.opening", "port", port), w.said, func(ctx context.Context) (func(), error) {
		s, err := open.Start(ctx, open.Params{Forwarder: fw, Port: port, Track: w.h.Board.Track(), Now: w.h.Now})
		if err != nil {
			return nil, err
		}
		res := s.Test(ctx)
		return func() {
			x := &door{s: s}
			d.open = append(d.open, x)
			w.tested(x, res, true)
		}, nil
	})
}

// test asks again what answers at an open way.
func (w *page) test(x *door, browse bool) {
	w.d.task.Start(w.h, w.h.Texts.T("way.testing"), w.said, func(ctx context.Context) (func(), error) {
		res := x.s.Test(ctx)
		return func() { w.tested(x, res, browse) }, ctx.Err()
	})
}

func (w *page) tested(x *door, res open.Result, browse bool) {
	x.last = &res
	if w.p.Keep != nil {
		w.p.Keep(w.h.Host().ID, res.Record)
	}
	if browse && res.Answer.Code != 0 {
		w.browse(x)
	}
}

func (w *page) browse(x *door) {
	if w.p.Browse == nil {
		return
	}
	if err := w.p.Browse(x.s.URL()); err != nil {
		w.h.Say(guide.Warn, w.h.Texts.T("way.browse.failed", "url", x.s.URL()), err.Error())
	}
}

func (w *page) shut(x *door) {
	w.d.open = slices.DeleteFunc(w.d.open, func(o *door) bool { return o == x })
	w.h.Go(func() { _ = x.s.Close() }) // what goes through it breaks off, as the button says
	w.d.update()
}

// draw shows the open ways, the ports and what was seen from outside.
func (w *page) draw(able bool) {
	c := w.h.Texts
	w.open.Objects, w.ports.Objects, w.outside.Objects = nil, nil, nil
	for _, x := range w.d.open {
		w.open.Add(w.doorRow(x))
	}
	for _, t := range open.Targets(w.h.Board.Profile(), w.d.listening) {
		if slices.ContainsFunc(w.d.open, func(x *door) bool { return x.s.Port() == t.Port }) {
			continue
		}
		b := widgets.NewButton(c.T("way.enter"), nil, func() { w.enter(t.Port) })
		widgets.Able(b, able)
		v, state := theme.NotRun, c.T("way.silent")
		if t.Listening {
			v, state = theme.Pass, c.T("way.listening")
		}
		w.ports.Add(container.NewBorder(nil, nil, setup.Sign(v), container.NewVBox(b), widgets.Words(c.T("way.target", "port", t.Port, "name", nameOf(c, t), "state", state))))
	}
	for _, s := range w.d.seen {
		col := container.NewVBox(widgets.Words(c.Say(s.Says)))
		if !s.Do.IsZero() {
			do := widgets.Words(c.Say(s.Do))
			do.Importance = widget.LowImportance
			col.Add(do)
		}
		w.outside.Add(container.NewBorder(nil, nil, setup.Sign(theme.Verdict(s.Verdict)), nil, col))
	}
	for _, o := range []*fyne.Container{w.open, w.ports, w.outside} {
		o.Refresh()
	}
}

// nameOf is what is said to answer at a target.
func nameOf(c *texts.Catalogue, t open.Target) string {
	if n := t.Provider[c.Lang]; n != "" {
		return n
	}
	if !t.Name.IsZero() {
		return c.Say(t.Name)
	}
	return c.T("way.unnamed")
}

// doorRow is an open way: its address, what answered, and what can be done.
func (w *page) doorRow(x *door) fyne.CanvasObject {
	c := w.h.Texts
	col := container.NewVBox(heading(c.T("way.door", "port", x.s.Port(), "url", x.s.URL())))
	if m := x.s.Moved(); !m.IsZero() {
		col.Add(widgets.Words(c.Say(m)))
	}
	v := theme.NotRun
	if x.last != nil {
		v = theme.Verdict(x.last.Outcome.Verdict)
		col.Add(widgets.Words(c.Say(x.last.Answer.Says())))
		if do := x.last.Outcome.Worst().Do; !do.IsZero() && x.last.Outcome.Verdict != guide.Pass {
			col.Add(widgets.Words(c.Say(do)))
		}
	}
	buttons := widgets.Row(
		widgets.Primary(c.T("way.browse"), nil, func() { w.browse(x) }),
		widgets.NewButton(c.T("way.copy"), nil, func() { w.h.Copy(x.s.URL()) }),
		widgets.NewButton(c.T("way.test"), nil, func() { w.test(x, false) }),
		widgets.NewButton(c.T("way.shut"), nil, func() { w.shut(x) }),
	)
	col.Add(buttons)
	return widgets.Card(6, container.NewBorder(nil, nil, setup.Sign(v), nil, col))
}

// lookIn asks the ports from this computer.
func (w *page) lookIn() {
	address := w.address()
	if address == "" {
		return
	}
	d, h := w.d, w.h
	d.seen = nil
	p := open.ProbeParams{Host: address, Track: h.Board.Track(), Own: d.own || h.Board.Track() == guide.Dedicated, Ports: open.ProbePorts(w.d.listening)}
	p.Each = func(s open.Seen) {
		h.Do(func() {
			d.seen = append(d.seen, s)
			d.update()
		})
	}
	d.outside.Start(h, h.Texts.T("way.probing", "host", address), w.said, func(ctx context.Context) (func(), error) {
		look := w.p.Probe
		if look == nil {
			look = open.Probe
		}
		seen, err := look(ctx, p)
		if errors.Is(err, context.Canceled) {
			return nil, err
		}
		return func() { d.seen = seen }, err
	})
}

func heading(text string) *widget.Label {
	l := widgets.Words(text)
	l.TextStyle.Bold = true
	return l
}
