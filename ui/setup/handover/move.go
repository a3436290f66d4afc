package handover

import (
	"context"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/guide"
	"rentgen/app/guide/keep"
	"rentgen/app/guide/move"
	"rentgen/assets/texts"
	"rentgen/ui/setup"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// moving is what was written down of one host; UI thread.
type moving struct {
	task   setup.Task
	hash   bool
	read   move.List // the list of the entry readKey
	got    bool      // there is one
	key    string
	want   *move.List // of the earlier machine
	spans  []move.Span
	asked  bool // spans were asked for
	seen   *mover
	change int
}

func (m *moving) update() {
	m.change++
	if m.seen != nil {
		m.seen.Sync()
	}
}

// latest is the newest list that is kept; it is read once.
func (m *moving) latest(h *setup.Here) (move.List, bool) {
	all := h.Board.Entries(guide.KindMove)
	for i := len(all) - 1; i >= 0; i-- {
		e := all[i]
		if e.Key == packageKey {
			continue
		}
		if e.Key != m.key {
			l, err := move.ReadList(e.Body)
			m.read, m.got, m.key = l, err == nil, e.Key
			m.change++
		}
		return m.read, m.got
	}
	return move.List{}, false
}

// mover is the page "Move list".
type mover struct {
	p    Params
	h    *setup.Here
	m    *moving
	root *container.Scroll

	write, stop, open   *widgets.Button
	copied, saveMD, out *widgets.Button
	hash                *widgets.Check
	state               *widget.Label
	list, compared      *fyne.Container
	renew               *renewal
	drawn               int
}

func newMover(p Params, h *setup.Here, m *moving) *mover {
	c := h.Texts
	w := &mover{p: p, h: h, m: m, drawn: -1, state: widgets.Words(""), list: container.NewVBox(), compared: container.NewVBox()}
	m.task.Changed = m.update
	w.write = widgets.Primary(c.T("handover.move.write"), theme.Icon("play"), w.collect)
	w.stop = widgets.NewButton(c.T("handover.stop"), fynetheme.MediaStopIcon(), m.task.Stop)
	w.hash = widgets.NewCheck(c.T("handover.move.hash"), func(on bool) { m.hash = on })
	w.hash.SetChecked(m.hash)
	w.copied = widgets.NewButton(c.T("handover.move.copy"), theme.Icon("copy"), func() {
		if l, ok := m.latest(h); ok {
			h.Copy(l.Markdown(c))
			h.Say(guide.Pass, c.T("setup.copied"), "")
		}
	})
	w.saveMD = widgets.NewButton(c.T("handover.move.md"), fynetheme.DocumentSaveIcon(), func() {
		if l, ok := m.latest(h); ok {
			h.Save(c.T("handover.move.file")+".md", []byte(l.Markdown(c)))
		}
	})
	w.out = widgets.NewButton(c.T("handover.move.json"), fynetheme.DocumentSaveIcon(), w.saveList)
	w.open = widgets.NewButton(c.T("handover.move.open"), fynetheme.FolderOpenIcon(), w.earlier)
	w.renew = newRenewal(w)
	w.root = container.NewVScroll(widgets.Left(860, widgets.Inset(6, container.NewVBox(
		setup.Heading(c.T("handover.move.here")), widgets.Words(c.T("handover.move.why")),
		widgets.Row(w.write, w.stop, w.hash), w.state, w.list, widgets.Row(w.copied, w.saveMD, w.out),
		widgets.Rule(),
		setup.Heading(c.T("handover.move.next")), widgets.Words(c.T("handover.move.next.why")), widgets.Row(w.open), w.compared,
		widgets.Rule(), w.renew.box,
	))))
	return w
}

// Content is the page.
func (w *mover) Content() fyne.CanvasObject { return w.root }

// Leave says that it isn't seen any more; what was begun goes on.
func (w *mover) Leave() {
	if w.m.seen == w {
		w.m.seen = nil
	}
}

// Sync brings the page up to date.
func (w *mover) Sync() {
	w.m.seen = w
	off, busy := w.h.Offline(), w.m.task.Busy()
	l, ok := w.m.latest(w.h)
	widgets.Able(w.write, off == "" && !busy)
	widgets.Able(w.stop, busy)
	for _, b := range []*widgets.Button{w.copied, w.saveMD, w.out} {
		widgets.Able(b, ok)
	}
	w.m.task.Show(w.state, off)
	w.renew.sync()
	if w.drawn != w.m.change {
		w.drawn = w.m.change
		w.draw(l, ok)
	}
	w.root.Refresh()
}

// collect writes down what this machine is made of.
func (w *mover) collect() {
	r, m, h := w.h.Runner(), w.m, w.h
	if r == nil {
		return
	}
	c, profile, p := h.Texts, h.Board.Profile(), move.Params{Runner: r, Host: h.Host().Name, Hash: m.hash}
	p.Progress = func(done, of int64) {
		h.Do(func() {
			if m.task.Busy() {
				m.task.Tell(c.T("handover.move.hashing", "done", texts.Bytes(float64(done)), "of", texts.Bytes(float64(of))))
			}
		})
	}
	m.task.Start(h, c.T("handover.move.writing"), setup.Failed(c), func(ctx context.Context) (func(), error) {
		var err error
		if p.Survey, err = keep.Look(ctx, r, profile); err != nil {
			return nil, err
		}
		p.Now = h.Now()
		l, err := move.Collect(ctx, p)
		if err != nil {
			return nil, err
		}
		return func() { w.keep(l) }, nil
	})
}

// kept is how many lists are kept of a host.
const kept = 3

// keep keeps a list and drops those before the latest few: a list may be long.
func (w *mover) keep(l move.List) {
	e, err := l.Entry()
	if err == nil {
		err = w.h.Board.Put(e.Kind, e.Key, e.Body)
	}
	if err != nil {
		w.m.task.Fail(w.h.Texts.T("setup.task.unsaved", "err", err))
		return
	}
	var keys []string
	for _, e := range w.h.Board.Entries(guide.KindMove) {
		if e.Key != packageKey {
			keys = append(keys, e.Key)
		}
	}
	if n := len(keys) - kept; n > 0 {
		_ = w.h.Board.Drop(guide.KindMove, keys[:n]...) // one more list does no harm
	}
}

func (w *mover) saveList() {
	l, ok := w.m.latest(w.h)
	if !ok {
		return
	}
	b, err := l.JSON()
	if err != nil {
		w.h.Say(guide.Warn, w.h.Texts.T("setup.task.failed", "err", err), "")
		return
	}
	w.h.Save(w.h.Texts.T("handover.move.file")+".json", b)
}

// maxList bounds a list that is read, in bytes.
const maxList = 16 << 20

// earlier reads the list of the machine before this one.
func (w *mover) earlier() {
	w.h.Read(w.p.Ask, []string{".json"}, maxList, func(name string, b []byte) {
		l, err := move.ReadList(b)
		if err != nil {
			w.h.Say(guide.Warn, w.h.Texts.T("handover.move.nolist", "name", name), err.Error())
			return
		}
		w.m.want = &l
		w.m.update()
	})
}

// draw shows the list of this machine, and how it stands against the earlier one.
func (w *mover) draw(l move.List, ok bool) {
	c := w.h.Texts
	w.list.Objects, w.compared.Objects = nil, nil
	defer w.list.Refresh()
	defer w.compared.Refresh()
	if !ok {
		w.list.Add(widgets.Words(c.T("handover.move.empty")))
	} else {
		w.list.Add(setup.Heading(c.T("move.of", "host", l.Host, "day", texts.DateTime(c, l.Time))))
		for _, part := range parts(c, l) {
			w.list.Add(part)
		}
		for _, m := range l.Missing {
			w.list.Add(setup.Signed(theme.Warn, widgets.Words(c.T("move.missing."+m))))
		}
	}
	switch {
	case w.m.want == nil:
		return
	case !ok:
		w.compared.Add(widgets.Words(c.T("handover.move.first", "host", w.m.want.Host)))
		return
	}
	w.compare(*w.m.want, l)
}

// named are how many names of a part are spelled out.
const named = 8

// parts are models, nodes, workflows and packages in a line each.
func parts(c *texts.Catalogue, l move.List) []fyne.CanvasObject {
	var out []fyne.CanvasObject
	part := func(head string, names []string) {
		if len(names) == 0 {
			return
		}
		n := len(names)
		text := listed(c, names[:min(n, named)])
		if n > named {
			text = c.T("handover.list.more", "list", text, "n", n-named)
		}
		out = append(out, widgets.Words(c.T("handover.move.part", "what", head, "n", n, "list", text)))
	}
	files := func(list []move.File) (names []string) {
		for _, f := range list {
			names = append(names, c.T("handover.move.sized", "name", f.Name, "size", texts.Bytes(float64(f.Size))))
		}
		return names
	}
	part(c.T("move.models", "size", texts.Bytes(float64(l.Size()))), files(l.Models))
	var nodes, packages []string
	for _, n := range l.Nodes {
		nodes = append(nodes, n.Name)
	}
	for _, p := range l.Packages {
		packages = append(packages, p.Name+" "+p.Version)
	}
	part(c.T("move.nodes"), nodes)
	part(c.T("move.workflows"), files(l.Workflows))
	part(c.T("move.packages", "python", l.Python), packages)
	if len(out) == 0 {
		out = append(out, widgets.Words(c.T("handover.move.nothing")))
	}
	return out
}

// most is how many things of a comparison are listed.
const most = 60

// compare says of everything on the earlier list how it stands here.
func (w *mover) compare(want, have move.List) {
	c := w.h.Texts
	k := move.Compare(want, have)
	v := theme.Pass
	switch {
	case !k.Done():
		v = theme.Warn
	case k.Count[move.Alike] > 0:
		v = theme.NotRun
	}
	w.compared.Add(setup.Signed(v, setup.Heading(c.Say(k.Sentence()))))
	w.compared.Add(setup.Aside(c.T("handover.move.against", "host", want.Host, "day", texts.DateTime(c, want.Time))))
	n := 0
	for _, i := range k.Items {
		if i.State == move.Same {
			break
		}
		if n++; n > most {
			continue
		}
		w.compared.Add(setup.Signed(sign(i.State), widgets.Words(c.T("handover.move.item", "kind", c.T("handover.move.kind."+i.Kind), "says", c.Say(i.Says())))))
	}
	if n > most {
		w.compared.Add(setup.Aside(c.T("handover.move.rest", "n", n-most)))
	}
	if n > 0 {
		w.compared.Add(widgets.Row(widgets.NewButton(c.T("handover.move.copyopen"), theme.Icon("copy"), func() {
			w.h.Copy(openItems(c, k))
			w.h.Say(guide.Pass, c.T("setup.copied"), "")
		})))
	}
}

// openItems are the things that aren't the same, a line each.
func openItems(c *texts.Catalogue, k move.Comparison) string {
	var b strings.Builder
	for _, i := range k.Items {
		if i.State != move.Same {
			b.WriteString(c.T("handover.move.item", "kind", c.T("handover.move.kind."+i.Kind), "says", c.Say(i.Says())) + "\n")
		}
	}
	return b.String()
}

func sign(s move.State) theme.Verdict {
	switch s {
	case move.Same:
		return theme.Pass
	case move.Missing:
		return theme.Fail
	case move.Different:
		return theme.Warn
	}
	return theme.NotRun
}
