package setup

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/guide/track"
	"rentgen/assets/texts"
	"rentgen/ui/widgets"
)

// list is the items of the track and, below, those of the network.
type list struct {
	p      *items
	rows   []*row
	ids    []string
	folds  *widgets.Button
	folded *fyne.Container
	col    *fyne.Container
	scroll *container.Scroll
	box    fyne.CanvasObject
}

// row is an item in the list. Its height never changes, so that nothing jumps
// while results land.
type row struct {
	tap        *widgets.Tap
	icon       *widget.Icon
	name, line *widget.Label
}

func newList(p *items) *list {
	l := &list{p: p, col: container.New(layout.NewCustomPaddedVBoxLayout(0)), folded: container.NewVBox()}
	l.folds = widgets.Quiet("", nil, func() {
		p.m.folded = !p.m.folded
		l.sync()
	})
	l.folds.Alignment = widget.ButtonAlignLeading
	l.scroll = container.NewVScroll(l.col)
	l.box = widgets.Card(2, l.scroll)
	return l
}

func (l *list) newRow(i int, id string) *row {
	r := &row{icon: widget.NewIcon(nil), name: widget.NewLabel(""), line: widgets.Small("")}
	r.name.Truncation, r.line.Truncation = fyne.TextTruncateEllipsis, fyne.TextTruncateEllipsis
	r.line.Importance = widget.LowImportance
	r.tap = widgets.NewTap(container.NewBorder(nil, nil, container.NewCenter(r.icon), nil, tightly(r.name, r.line)),
		func() { l.p.open(id) })
	r.tap.OnKey = func(ev *fyne.KeyEvent) bool {
		to := i
		switch ev.Name {
		case fyne.KeyUp:
			to--
		case fyne.KeyDown:
			to++
		case fyne.KeyHome:
			to = 0
		case fyne.KeyEnd:
			to = len(l.rows) - 1
		case fyne.KeyRight: // into the item, past the rest of the list
			l.p.open(id)
			canvas := l.p.w.p.Window.Canvas()
			canvas.Focus(l.last())
			canvas.FocusNext()
			return true
		default:
			return false
		}
		if to >= 0 && to < len(l.rows) {
			l.p.open(l.ids[to])
			l.p.w.p.Window.Canvas().Focus(l.rows[to].tap)
		}
		return true
	}
	r.tap.OnNear = func() {
		if l.p.w.p.Window.Canvas().Focused() == fyne.Focusable(r.tap) {
			see(l.scroll, r.tap)
		}
	}
	return r
}

// last is what the keyboard comes to last in the list.
func (l *list) last() fyne.Focusable {
	if l.folds.Visible() {
		return l.folds
	}
	return l.rows[len(l.rows)-1].tap
}

// sync brings the list up to date; rows stay the same objects.
func (l *list) sync() {
	c := l.p.w.c
	var ids []string
	for _, s := range l.p.steps() {
		ids = append(ids, s.Step.ID)
	}
	if !slices.Equal(ids, l.ids) || len(l.col.Objects) == 0 {
		l.build(ids)
	}
	for i, s := range l.p.steps() {
		r := l.rows[i]
		widgets.SetText(r.name, c.T("setup.item", "n", s.Step.Number, "title", stepTitle(c, s.Step)))
		line := c.Say(s.Line)
		if s.Line.IsZero() {
			line = stateWords(c, s.State, s.Verdict)
		}
		widgets.SetText(r.line, line)
		if res := shape(s.State, s.Verdict); r.icon.Resource == nil || r.icon.Resource.Name() != res.Name() {
			r.icon.SetResource(res)
		}
		r.tap.SetChosen(s.Step.ID == l.p.m.at)
	}
	l.syncFolded()
}

func (l *list) build(ids []string) {
	c := l.p.w.c
	l.ids, l.rows = ids, nil
	l.col.Objects = nil
	for i, id := range ids {
		if i == len(l.p.shared.Steps) && len(l.p.net.Steps) > 0 {
			title := widgets.Small(c.T("setup.network"))
			title.TextStyle.Bold = true
			l.col.Add(widgets.Rule())
			l.col.Add(title)
		}
		r := l.newRow(i, id)
		l.rows = append(l.rows, r)
		l.col.Add(r.tap)
	}
	l.col.Add(l.folds)
	l.col.Add(l.folded)
	l.col.Refresh()
}

// syncFolded says which checks can't apply here, and why where that is asked.
func (l *list) syncFolded() {
	c := l.p.w.c
	all := l.p.shared.Folded
	changed := widgets.SetShown(l.folds, len(all) > 0)
	text := c.T("setup.folded", "n", len(all))
	sign := fynetheme.MenuExpandIcon()
	if l.p.m.folded {
		sign = fynetheme.MenuDropDownIcon()
	}
	if l.folds.Text != text || l.folds.Icon != sign {
		l.folds.Icon = sign
		l.folds.SetText(text)
	}
	var rows []fyne.CanvasObject
	if l.p.m.folded {
		for _, cv := range all {
			rows = append(rows, container.NewBorder(nil, nil, icon(shape(track.Folded, cv.Outcome.Verdict)), nil,
				widgets.Words(c.T("setup.folded.why", "name", checkName(c, cv.ID), "why", l.why(c, cv)))))
		}
	}
	if len(rows) != len(l.folded.Objects) {
		l.folded.Objects = rows
		changed = true
	}
	if changed {
		l.col.Refresh()
	}
}

func (l *list) why(c *texts.Catalogue, cv track.CheckView) string {
	if !cv.Why.IsZero() {
		return c.Say(cv.Why)
	}
	return c.T("setup.folded.kind")
}

// see scrolls what holds o so that all of o is seen.
func see(s *container.Scroll, o fyne.CanvasObject) {
	d := fyne.CurrentApp().Driver()
	y := d.AbsolutePositionForObject(o).Y - d.AbsolutePositionForObject(s.Content).Y
	top, high := s.Offset.Y, s.Size().Height
	switch {
	case y < top:
		top = max(y-4, 0)
	case y+o.Size().Height > top+high:
		top = min(y+o.Size().Height-high+4, max(s.Content.MinSize().Height-high, 0))
	default:
		return
	}
	s.ScrollToOffset(fyne.NewPos(0, top))
}
