package handover

import (
	"context"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/guide"
	"rentgen/app/guide/client"
	"rentgen/app/guide/keep"
	"rentgen/app/provider"
	"rentgen/assets/texts"
	"rentgen/ui/setup"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// job is what was seen of a client's files on one host; UI thread.
type job struct {
	task   setup.Task
	look   *client.Look
	seen   *custody
	change int
}

func (j *job) update() {
	j.change++
	if j.seen != nil {
		j.seen.Sync()
	}
}

// custody is the page "Client data".
type custody struct {
	h    *setup.Here
	j    *job
	root *container.Scroll

	look, stop       *widgets.Button
	state            *widget.Label
	contract         *widget.Label
	found, list      *fyne.Container
	begin, copied    *widgets.Button
	save             *widgets.Button
	drawn, records   int
	provider, record string
}

func newClient(h *setup.Here, j *job) *custody {
	c := h.Texts
	w := &custody{h: h, j: j, drawn: -1, state: widgets.Words(""), contract: setup.Aside(""), found: container.NewVBox(), list: container.NewVBox()}
	j.task.Changed = j.update
	w.look = widgets.Primary(c.T("handover.client.look"), theme.Icon("play"), w.again)
	w.stop = widgets.NewButton(c.T("handover.stop"), fynetheme.MediaStopIcon(), j.task.Stop)
	w.begin = widgets.NewButton(c.T("handover.client.begin"), nil, w.start)
	w.copied = widgets.NewButton(c.T("handover.client.copy"), theme.Icon("copy"), func() {
		if r, ok := w.current(); ok {
			h.Copy(r.Markdown(c))
			h.Say(guide.Pass, c.T("setup.copied"), "")
		}
	})
	w.save = widgets.NewButton(c.T("handover.client.save"), fynetheme.DocumentSaveIcon(), func() {
		if r, ok := w.current(); ok {
			h.Save(c.T("handover.client.file")+".md", []byte(r.Markdown(c)))
		}
	})
	ask := widgets.NewButton(c.T("handover.client.question.copy"), theme.Icon("copy"), func() {
		h.Copy(c.Say(client.Question()))
		h.Say(guide.Pass, c.T("setup.copied"), "")
	})
	w.root = container.NewVScroll(widgets.Left(900, widgets.Inset(6, container.NewVBox(
		widgets.Words(c.T("handover.client.why")), w.contract,
		widgets.Row(w.look, w.stop), w.state, w.found,
		widgets.Rule(),
		setup.Heading(c.T("handover.client.question")),
		widgets.Card(6, container.NewBorder(nil, nil, nil, container.NewVBox(ask), widgets.Words(c.Say(client.Question())))),
		widgets.Rule(),
		setup.Heading(c.T("handover.client.list")), widgets.Words(c.T("handover.client.list.why")),
		widgets.Row(w.begin, w.copied, w.save), w.list,
	))))
	return w
}

// Content is the page.
func (w *custody) Content() fyne.CanvasObject { return w.root }

// Leave says that it isn't seen any more.
func (w *custody) Leave() {
	if w.j.seen == w {
		w.j.seen = nil
	}
}

// Sync brings the page up to date.
func (w *custody) Sync() {
	w.j.seen = w
	c, off, busy := w.h.Texts, w.h.Offline(), w.j.task.Busy()
	widgets.Able(w.look, off == "" && !busy)
	widgets.Able(w.stop, busy)
	r, ok := w.current()
	widgets.Able(w.begin, w.j.look != nil && (!ok || !r.Time.Equal(w.j.look.Time)))
	widgets.Able(w.copied, ok)
	widgets.Able(w.save, ok)
	w.j.task.Show(w.state, off)
	contract := ""
	if !client.Applies(w.h.Needs()) {
		contract = c.T("handover.client.nocontract")
	}
	widgets.SetWords(w.contract, contract)
	setup.Show(w.contract, contract != "")
	n, record := len(w.h.Board.Entries(guide.KindClient)), mark(w.h.Board.Entries(guide.KindClient))
	if w.drawn != w.j.change || w.records != n || w.record != record || w.provider != w.h.Board.Provider() {
		w.drawn, w.records, w.record, w.provider = w.j.change, n, record, w.h.Board.Provider()
		w.draw()
		w.drawList(r, ok)
	}
	w.root.Refresh()
}

// mark tells the latest entry from one that was changed.
func mark(entries []guide.Entry) string {
	if len(entries) == 0 {
		return ""
	}
	e := entries[len(entries)-1]
	return e.Key + string(e.Body)
}

// current is the latest record that is kept.
func (w *custody) current() (client.Record, bool) {
	all := client.Records(w.h.Board.Entries(guide.KindClient))
	if len(all) == 0 {
		return client.Record{}, false
	}
	return all[len(all)-1], true
}

// again looks at the host; what is on the list is looked for.
func (w *custody) again() {
	r, h, j := w.h.Runner(), w.h, w.j
	if r == nil {
		return
	}
	p := client.Params{Runner: r, Profile: h.Board.Profile()}
	j.task.Start(h, h.Texts.T("handover.client.looking"), setup.Failed(h.Texts), func(ctx context.Context) (func(), error) {
		var err error
		if p.Survey, err = keep.Look(ctx, r, p.Profile); err != nil {
			return nil, err
		}
		p.Now = h.Now()
		l, err := client.At(ctx, p)
		if err != nil {
			return nil, err
		}
		return func() {
			j.look = &l
			if rec, ok := w.current(); ok && !rec.Done() {
				w.put(rec.Again(l))
			}
		}, nil
	})
}

// start makes the list to delete from what was seen.
func (w *custody) start() {
	if w.j.look == nil {
		return
	}
	w.put(client.NewRecord(*w.j.look, w.h.Needs().Job, w.h.Host().Name))
	w.j.update()
}

func (w *custody) put(r client.Record) {
	e, err := r.Entry()
	if err == nil {
		err = w.h.Board.Put(e.Kind, e.Key, e.Body)
	}
	if err != nil {
		w.j.task.Fail(w.h.Texts.T("setup.task.unsaved", "err", err))
	}
}

// draw shows the sentence, what is wrong, the places and who can read them.
func (w *custody) draw() {
	c := w.h.Texts
	w.found.Objects = nil
	defer w.found.Refresh()
	if w.j.look == nil {
		w.found.Add(widgets.Words(c.T("handover.client.empty")))
		return
	}
	l, profile := *w.j.look, w.h.Board.Profile()
	findings := client.Findings(l)
	v := guide.Pass
	for _, f := range findings {
		v = guide.Worse(v, f.Verdict)
	}
	w.found.Add(setup.Signed(setup.Verdict(v), setup.Heading(c.Say(client.Sentence(l)))))
	for _, f := range findings {
		w.found.Add(setup.Found(c, f))
	}
	if len(l.Places) > 0 {
		w.found.Add(setup.Heading(c.T("handover.client.places")))
		w.found.Add(container.New(placeColumns, widgets.Small(c.T("client.record.kind")), widgets.Small(c.T("client.record.path")),
			widgets.Small(c.T("client.record.size")), widgets.Small(c.T("handover.client.rest")), widgets.Small(c.T("handover.client.release"))))
		w.found.Add(widgets.Rule())
		for _, p := range l.Places {
			w.found.Add(placeLine(c, p))
		}
	}
	w.found.Add(setup.Heading(c.T("handover.client.readers")))
	for _, r := range client.Readers(l, profile) {
		w.found.Add(setup.Signed(theme.NotRun, widgets.Words(c.Say(r.Says))))
	}
}

// placeLine is a place of the table in one line; a long path is cut.
func placeLine(c *texts.Catalogue, p client.Place) fyne.CanvasObject {
	size := texts.Bytes(float64(p.Bytes))
	if !p.Whole {
		size = "≥ " + size
	}
	rest, fate := c.T("client.rest.unknown"), c.T("life.fate.unknown")
	if p.Rest != client.RestUnknown {
		rest = c.Say(p.Rest.Says())
	}
	switch p.Fate {
	case provider.Lives, provider.Dies, provider.Depends:
		fate = c.T("life.fate." + string(p.Fate))
	}
	return container.New(placeColumns, setup.Line(c.T("client.kind."+string(p.Kind))), setup.Path(guide.Clean([]byte(p.Path), 300)), setup.Line(size), setup.Line(rest), setup.Line(fate))
}

// placeColumns are kind, path, size, encryption and what a release does.
var placeColumns = setup.Columns{150, 0, 90, 170, 110}

// drawList shows the list to delete and what became of it.
func (w *custody) drawList(r client.Record, ok bool) {
	c := w.h.Texts
	w.list.Objects = nil
	defer w.list.Refresh()
	if !ok {
		w.list.Add(widgets.Words(c.T("handover.client.list.empty")))
		return
	}
	v, says := theme.Warn, c.T("client.record.open")
	if r.Done() {
		v, says = theme.Pass, c.T("client.record.done")
	}
	w.list.Add(setup.Signed(v, setup.Heading(says)))
	w.list.Add(setup.Aside(c.T("handover.client.of", "job", jobName(c, r.Job), "day", texts.DateTime(c, r.Time))))
	for _, i := range r.Items {
		w.list.Add(w.item(i))
	}
	if len(r.Items) == 0 {
		w.list.Add(widgets.Words(c.Say(texts.P("client.sentence.none"))))
	}
}

func jobName(c *texts.Catalogue, job string) string {
	if job == "" {
		return c.T("handover.client.nojob")
	}
	return job
}

// item is a place on the list to delete.
func (w *custody) item(i client.Item) fyne.CanvasObject {
	c := w.h.Texts
	text := c.T("handover.client.item", "kind", c.T("client.kind."+string(i.Place.Kind)), "path", guide.Clean([]byte(i.Place.Path), 300),
		"size", texts.Bytes(float64(i.Place.Bytes)), "fate", c.T("client.fate."+string(i.Fate)))
	if i.Reason != "" {
		text = c.T("client.record.why", "fate", text, "reason", i.Reason)
	}
	keep := widgets.Quiet(c.T("handover.client.keep"), nil, func() { w.askKeep(i.Place.Path) })
	row := container.NewBorder(nil, nil, nil, container.NewVBox(keep), widgets.Words(text))
	if i.Fate == client.Gone || i.Fate == client.Kept {
		row = container.NewBorder(nil, nil, nil, nil, widgets.Words(text))
	}
	return setup.Signed(fateOf(i.Fate), row)
}

func fateOf(f client.Fate) theme.Verdict {
	switch f {
	case client.Gone:
		return theme.Pass
	case client.Kept:
		return theme.Skip
	case client.There:
		return theme.Fail
	case client.Unclear:
		return theme.Warn
	}
	return theme.NotRun
}

// askKeep asks why a place is kept.
func (w *custody) askKeep(path string) {
	c := w.h.Texts
	reason := widgets.NewEntry()
	reason.SetPlaceHolder(c.T("handover.client.keep.form"))
	var panel *widgets.Panel
	ok := widgets.Primary(c.T("handover.client.keep.ok"), nil, nil)
	ok.OnTapped = func() {
		r, known := w.current()
		if reason.Text == "" || !known || !slices.ContainsFunc(r.Items, func(i client.Item) bool { return i.Place.Path == path }) {
			return
		}
		panel.Close()
		w.put(r.Keep(path, reason.Text, w.h.Now()))
		w.j.update()
	}
	reason.OnSubmitted = func(string) { ok.OnTapped() }
	panel = widgets.NewPanel(widgets.PanelParams{
		Canvas: w.h.Window.Canvas(), Title: c.T("handover.client.keep.title"), First: reason, Width: 520,
		Content: container.NewVBox(widgets.Words(c.T("handover.client.keep.what", "path", guide.Clean([]byte(path), 300))), reason),
		Buttons: []fyne.CanvasObject{widgets.NewButton(c.T("handover.cancel"), nil, func() { panel.Cancel() }), ok},
	})
	panel.Show()
}
