package life

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/guide"
	"rentgen/app/guide/keep"
	"rentgen/app/provider"
	"rentgen/assets/texts"
	"rentgen/ui/setup"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// survival is the page "What survives".
type survival struct {
	h    *setup.Here
	v    *view
	root *container.Scroll

	look                  *widgets.Button
	state                 *widget.Label
	sentence, found, body *fyne.Container
	drawn                 int
	provider              string
	proofs                int
}

func newSurvival(h *setup.Here, v *view) *survival {
	s := &survival{h: h, v: v, drawn: -1, state: widgets.Words("")}
	s.look = widgets.Primary(h.Texts.T("life.look"), theme.Icon("play"), s.begin)
	s.sentence, s.found, s.body = container.NewStack(), container.NewVBox(), container.NewVBox()
	s.root = container.NewVScroll(widgets.Inset(6, container.NewVBox(
		widgets.Words(h.Texts.T("life.survival.why")), widgets.Row(s.look), s.state, s.sentence, s.found, s.body,
	)))
	return s
}

// Content is the page.
func (s *survival) Content() fyne.CanvasObject { return s.root }

// Leave says that it isn't seen any more.
func (s *survival) Leave() { s.v.leave(s) }

// Sync brings the page up to date. The first time it looks by itself: reading
// changes nothing.
func (s *survival) Sync() {
	s.v.seen = s
	live := s.h.Offline() == ""
	if live && s.v.survey == nil && !s.v.asked && !s.v.task.Busy() {
		s.v.asked = true
		s.begin()
		return
	}
	widgets.Able(s.look, live && !s.v.task.Busy())
	s.v.task.Show(s.state, s.h.Offline())
	if n := len(s.h.Board.Entries(guide.KindProof)); s.drawn != s.v.change || s.provider != s.h.Board.Provider() || s.proofs != n {
		s.drawn, s.provider, s.proofs = s.v.change, s.h.Board.Provider(), n
		s.draw()
	}
	s.root.Refresh()
}

// begin looks at the host, then at the markers that wait there.
func (s *survival) begin() {
	s.v.look(s.h, false, s.verify)
}

// verify looks for the markers.
func (s *survival) verify() {
	r, proofs := s.h.Runner(), kept(s.h)
	if r == nil || len(proofs) == 0 {
		return
	}
	s.work(func(ctx context.Context) (func(), error) {
		var checked []keep.Proof
		var fault error
		for _, p := range proofs {
			next, err := keep.Verify(ctx, r, p, s.h.Now())
			if err != nil {
				fault = err
				break
			}
			checked = append(checked, next)
		}
		return func() {
			for _, p := range checked {
				s.keep(p)
			}
		}, fault
	})
}

// kept are the markers that were written on this host.
func kept(h *setup.Here) []keep.Proof {
	var list []keep.Proof
	for _, e := range h.Board.Entries(guide.KindProof) {
		var p keep.Proof
		if json.Unmarshal(e.Body, &p) == nil {
			list = append(list, p)
		}
	}
	return list
}

func (s *survival) keep(p keep.Proof) {
	if err := s.h.Board.Put(guide.KindProof, p.Dir, p); err != nil {
		s.v.task.Fail(s.h.Texts.T("setup.task.unsaved", "err", err))
	}
}

// draw shows the sentence, what is wrong, and the table.
func (s *survival) draw() {
	c := s.h.Texts
	s.sentence.Objects, s.found.Objects, s.body.Objects = nil, nil, nil
	if s.v.survey == nil {
		s.body.Add(widgets.Words(c.T("life.survival.empty")))
		return
	}
	params := tableOf(s.h, s.v)
	rows := keep.Table(params)
	l := widgets.Words(c.Say(keep.Sentence(rows)))
	l.TextStyle.Bold = true
	s.sentence.Objects = []fyne.CanvasObject{l}
	for _, f := range keep.Findings(params, rows) {
		col := container.NewVBox(widgets.Words(c.Say(f.Says)))
		if !f.Do.IsZero() {
			do := widgets.Words(c.Say(f.Do))
			do.Importance = widget.LowImportance
			col.Add(do)
		}
		s.found.Add(container.NewBorder(nil, nil, setup.Sign(theme.Verdict(f.Verdict)), nil, col))
	}
	head := []fyne.CanvasObject{widgets.Small(c.T("life.survival.dir"))}
	for _, e := range provider.Events() {
		head = append(head, widgets.Small(c.T("life.event."+string(e))))
	}
	s.body.Add(container.New(columns, head...))
	s.body.Add(widgets.Rule())
	for _, r := range rows {
		s.row(r, params.Proofs)
	}
}

// row is a directory: what it is, then a cell for every event. Opened, it says
// where the rules were read and what was proved.
func (s *survival) row(r keep.Row, proofs []keep.Proof) {
	c, key := s.h.Texts, r.Place.Path+"\x00"+r.Place.Name
	toggle := func() {
		if s.v.open == key {
			s.v.open = ""
		} else {
			s.v.open = key
		}
		s.v.update()
	}
	name := c.T("keep.kind." + string(r.Place.Kind))
	if r.Place.Name != "" {
		name = c.T("life.survival.named", "kind", name, "name", guide.Clean([]byte(r.Place.Name), 80))
	}
	path := setup.Path(guide.Clean([]byte(r.Place.Path), 300))
	open := widgets.Quiet(widgets.Short(name, 40), fynetheme.MenuExpandIcon(), toggle)
	if s.v.open == key {
		open.Icon = fynetheme.MenuDropDownIcon()
	}
	open.Alignment = widget.ButtonAlignLeading
	cells := []fyne.CanvasObject{container.NewVBox(open, path)}
	for _, e := range provider.Events() {
		cell := r.At(e)
		b := widgets.Quiet(c.Say(short(cell)), fate(cell).Icon(), toggle)
		b.Alignment = widget.ButtonAlignLeading
		cells = append(cells, container.NewVBox(b))
	}
	s.body.Add(container.New(columns, cells...))
	if s.v.open == key {
		s.body.Add(widgets.Card(6, s.details(r, proofs)))
	}
	s.body.Add(widgets.Rule())
}

// details are a row's size, rules with source and date, and proofs.
func (s *survival) details(r keep.Row, proofs []keep.Proof) fyne.CanvasObject {
	c := s.h.Texts
	col := container.NewVBox()
	if says := r.Place.StateSays(); !says.IsZero() {
		col.Add(widgets.Words(c.Say(says)))
	} else {
		col.Add(widgets.Words(sizeOf(c, r.Place)))
	}
	if r.Place.Real != "" && r.Place.Real != r.Place.Path {
		col.Add(widgets.Words(c.T("life.survival.real", "path", guide.Clean([]byte(r.Place.Real), 300))))
	}
	for _, e := range provider.Events() {
		cell := r.At(e)
		text := c.T("life.survival.rule", "event", c.T("keep.event."+string(e)), "fate", c.Say(cell.Says()))
		if cell.Rule.Source != "" {
			text = c.T("life.survival.rule.source", "event", c.T("keep.event."+string(e)), "fate", c.Say(cell.Says()),
				"source", cell.Rule.Source, "date", dated(c, cell.Rule.Date), "mark", c.T("life.mark."+cell.Rule.Mark))
		}
		if note := cell.Note(c.Lang); note != "" {
			text = c.T("life.survival.note", "text", text, "note", note)
		}
		col.Add(container.NewBorder(nil, nil, setup.Sign(fate(cell)), nil, widgets.Words(text)))
	}
	dir := r.Place.Real
	if dir == "" {
		dir = r.Place.Path
	}
	i := slices.IndexFunc(proofs, func(p keep.Proof) bool { return p.Dir == dir })
	if i < 0 {
		b := widgets.NewButton(c.T("life.proof.mark"), nil, func() { s.askMark(dir) })
		widgets.Able(b, s.h.Runner() != nil && r.Place.State == keep.Seen)
		col.Add(container.NewBorder(nil, nil, container.NewVBox(b), nil, widgets.Words(c.T("life.proof.why"))))
		return col
	}
	p := proofs[i]
	text := c.T("life.proof.waiting", "date", texts.Date(c, p.Marked.Local()))
	v := theme.NotRun
	if o, ok := p.Latest(); ok {
		text, v = c.Say(o.Badge()), theme.Pass
		if !o.There {
			v = theme.Fail
		}
	} else if p.Lost {
		text, v = c.T("life.proof.lost"), theme.Warn
	}
	drop := widgets.NewButton(c.T("life.proof.unmark"), nil, func() { s.unmark(p) })
	check := widgets.NewButton(c.T("life.proof.check"), nil, s.begin)
	widgets.Able(check, s.h.Runner() != nil && !s.v.task.Busy())
	col.Add(container.NewBorder(nil, nil, setup.Sign(v), nil, widgets.Words(text)))
	col.Add(widgets.Row(check, drop))
	return col
}

// sizeOf says how much lies in a place and which file is the newest.
func sizeOf(c *texts.Catalogue, p keep.Place) string {
	if p.Bytes == nil || p.Files == nil {
		return c.T("life.survival.uncounted")
	}
	newest := texts.Dash
	if !p.Newest.Time.IsZero() {
		newest = texts.DateTime(c, p.Newest.Time.Local())
	}
	return c.T("life.survival.size", "size", texts.Bytes(float64(*p.Bytes)), "files", texts.Count(int64(*p.Files)), "n", *p.Files, "newest", newest)
}

// askMark shows which file is written before it is.
func (s *survival) askMark(dir string) {
	c := s.h.Texts
	var panel *widgets.Panel
	ok := widgets.Primary(c.T("life.proof.write"), nil, func() {
		panel.Close()
		s.mark(dir)
	})
	panel = widgets.NewPanel(widgets.PanelParams{
		Canvas: s.h.Window.Canvas(), Title: c.T("life.proof.ask"), First: ok, Width: 560,
		Content: widgets.Words(c.T("life.proof.ask.text", "file", guide.Clean([]byte(dir), 300)+"/"+keep.MarkerPattern)),
		Buttons: []fyne.CanvasObject{widgets.NewButton(c.T("life.cancel"), nil, func() { panel.Cancel() }), ok},
	})
	panel.Show()
}

func (s *survival) mark(dir string) {
	r := s.h.Runner()
	if r == nil {
		return
	}
	s.work(func(ctx context.Context) (func(), error) {
		p, err := keep.Mark(ctx, r, dir, s.h.Now())
		if err != nil {
			return nil, err
		}
		return func() { s.keep(p) }, nil
	})
}

func (s *survival) unmark(p keep.Proof) {
	r := s.h.Runner()
	if r == nil {
		return
	}
	s.work(func(ctx context.Context) (func(), error) {
		if err := keep.Unmark(ctx, r, p); err != nil {
			return nil, err
		}
		return func() {
			if err := s.h.Board.Drop(guide.KindProof, p.Dir); err != nil {
				s.v.task.Fail(s.h.Texts.T("setup.task.unsaved", "err", err))
			}
		}, nil
	})
}

// work runs f off the UI thread, then what it returns.
func (s *survival) work(f func(ctx context.Context) (func(), error)) {
	c := s.h.Texts
	s.v.task.Start(s.h, c.T("life.working"), func(err error) string {
		var no *keep.Refused
		if errors.As(err, &no) {
			return c.Say(no.Says())
		}
		return setup.Failed(c)(err)
	}, f)
}

// fate is a cell as a verdict's shape.
func fate(c keep.Cell) theme.Verdict {
	switch c.Fate {
	case provider.Lives:
		return theme.Pass
	case provider.Dies:
		return theme.Fail
	case provider.Depends:
		return theme.Warn
	}
	return theme.NotRun
}

// short is a cell in a word, or the day until which it holds.
func short(c keep.Cell) texts.Phrase {
	switch c.Fate {
	case provider.Lives, provider.Dies, provider.Depends:
		if c.Fate == provider.Lives && !c.Dies.IsZero() {
			return texts.P("life.fate.until", "day", func(t *texts.Catalogue) string { return texts.Date(t, c.Dies.Local()) })
		}
		return texts.P("life.fate." + string(c.Fate))
	}
	return texts.P("life.fate.unknown")
}

func dated(c *texts.Catalogue, date string) string {
	if date == provider.Undated {
		return c.T("life.undated")
	}
	return date
}

// columns are the directory and every event.
var columns = setup.Columns{0, 112, 112, 112, 112, 112}
