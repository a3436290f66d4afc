package setup

import (
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/guide"
	"rentgen/app/guide/track"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// detail is the chosen item: why it is asked, what only the user can know, and
// each check from why to raw output.
type detail struct {
	p      *items
	of     string // the item that is built
	cards  []*card
	forms  []*form
	shape  *widget.Icon
	title  *widget.Label
	state  *widget.Label
	why    *widget.Label
	more   *part // what else is said of it, where asked
	fold   *widgets.Button
	left   *part // that it was left out, and why
	run    *widgets.Button
	skip   *widgets.Button
	box    *fyne.Container
	col    *fyne.Container
	scroll *container.Scroll
}

func newDetail(p *items) *detail {
	d := &detail{p: p, col: container.NewVBox()}
	d.scroll = container.NewVScroll(container.New(&besideBar{}, d.col))
	d.box = widgets.Card(4, d.scroll)
	return d
}

// besideBar leaves room for the scroll bar, which lies over the content.
type besideBar struct{}

// MinSize implements fyne.Layout.
func (besideBar) MinSize(o []fyne.CanvasObject) fyne.Size {
	return o[0].MinSize().AddWidthHeight(10, 4)
}

// Layout implements fyne.Layout.
func (besideBar) Layout(o []fyne.CanvasObject, size fyne.Size) {
	o[0].Move(fyne.NewPos(0, 0))
	o[0].Resize(size.SubtractWidthHeight(10, 4))
}

// width is how wide the texts of a card may be.
func (d *detail) width() float32 { return max(d.scroll.Size().Width-24-widgets.Scaled(nameWidth), 100) }

// sync brings the item up to date. What is seen stays where it is while results
// land above it.
func (d *detail) sync() {
	s := d.p.chosen()
	if s == nil {
		d.of, d.cards, d.forms = "", nil, nil
		d.col.Objects = []fyne.CanvasObject{widgets.Words(d.p.w.c.T("setup.noitems"))}
		d.col.Refresh()
		return
	}
	if d.of != s.Step.ID || len(d.cards) != len(s.Checks) {
		d.build(s)
		d.update(s)
		d.col.Refresh()
		d.scroll.Refresh()
		d.scroll.ScrollToOffset(fyne.NewPos(0, d.p.m.offset))
		return
	}
	anchor := d.anchor()
	before := float32(0)
	if anchor != nil {
		before = anchor.Position().Y
	}
	if !d.update(s) {
		return
	}
	d.col.Refresh()
	d.scroll.Refresh()
	if anchor != nil {
		if by := anchor.Position().Y - before; by != 0 {
			d.scroll.ScrollToOffset(fyne.NewPos(0, max(d.scroll.Offset.Y+by, 0)))
		}
	}
}

// anchor is the first part of the item that is seen from its top, or the one that
// fills all that is seen; nothing above it may move it.
func (d *detail) anchor() (found fyne.CanvasObject) {
	top := d.scroll.Offset.Y
	if top == 0 {
		return nil
	}
	for _, o := range d.col.Objects {
		y := o.Position().Y
		switch {
		case !o.Visible() || y+o.Size().Height <= top:
		case y < top:
			found = o
		case y < top+d.scroll.Size().Height:
			return o
		}
	}
	return found
}

// build makes the parts of another item.
func (d *detail) build(s *track.StepView) {
	c := d.p.w.c
	d.of = s.Step.ID
	d.shape = widget.NewIcon(nil)
	d.title = heading("")
	d.title.SizeName = fynetheme.SizeNameSubHeadingText
	d.state = widget.NewLabel("")
	d.why = widgets.Words(c.T("track." + s.Step.ID + ".why"))
	d.left = newPart("")
	d.run = d.button("setup.run.this", theme.Icon("play"), func() { d.p.w.start(Scope{Track: d.p.trackOf(d.of), Step: d.of}, guide.Thorough) })
	d.skip = d.quiet("setup.skip.item", nil, func() { d.p.w.askSkip(d.of, d.title.Text) })
	d.col.Objects = nil
	d.col.Add(container.NewBorder(nil, nil, container.NewCenter(d.shape), container.NewHBox(container.NewCenter(d.state), d.run, d.skip), d.title))
	d.col.Add(d.why)
	d.more = newPart("")
	d.fold = d.quiet("setup.more", nil, func() {
		d.p.m.more = !d.p.m.more
		d.again()
	})
	d.fold.Alignment = widget.ButtonAlignLeading
	d.col.Add(container.NewHBox(d.fold))
	d.col.Add(d.more.box)
	d.col.Add(d.left.box)
	d.cards, d.forms = nil, nil
	first := d.first(s)
	for _, cv := range s.Checks {
		k := newCard(d, cv.ID)
		if _, by := d.p.m.open[cv.ID]; !by && cv.ID == first {
			k.opened = true
		}
		d.cards = append(d.cards, k)
		d.col.Add(k.box)
	}
	for _, it := range s.Items {
		f := newForm(d, it)
		d.forms = append(d.forms, f)
		d.col.Add(f.box)
	}
}

// first is the check to look at: the worst one, and the first of those.
func (d *detail) first(s *track.StepView) guide.CheckID {
	var worst *track.CheckView
	for i := range s.Checks {
		cv := &s.Checks[i]
		if worst == nil || guide.Worse(cv.Verdict, worst.Verdict) != worst.Verdict {
			worst = cv
		}
	}
	if worst == nil {
		return ""
	}
	return worst.ID
}

// update brings the parts up to date and reports whether any may have another
// size.
func (d *detail) update(s *track.StepView) (changed bool) {
	c := d.p.w.c
	widgets.SetText(d.title, c.T("setup.item", "n", s.Step.Number, "title", stepTitle(c, s.Step)))
	widgets.SetText(d.state, stateWords(c, s.State, s.Verdict))
	if res := shape(s.State, s.Verdict); d.shape.Resource == nil || d.shape.Resource.Name() != res.Name() {
		d.shape.SetResource(res)
	}
	v := d.p.viewOf(s.Step.ID)
	changed = widgets.SetShown(d.run, len(s.Checks) > 0) || changed
	widgets.Able(d.run, d.p.w.host.Live && !v.Running)
	changed = widgets.SetShown(d.skip, s.Skipped == nil) || changed
	changed = d.syncMore(s.Step.ID) || changed
	changed = d.left.set(leftKey(s.Skipped), func() []fyne.CanvasObject { return d.leftOut(s.Step.ID, s.Skipped) }) || changed
	for i := range s.Checks {
		changed = d.cards[i].sync(&s.Checks[i], v) || changed
	}
	for i := range s.Items {
		changed = d.forms[i].sync(&s.Items[i]) || changed
	}
	return changed
}

// syncMore shows what is looked at and what else there is to know, where asked.
func (d *detail) syncMore(step string) bool {
	c := d.p.w.c
	of, _, _ := strings.Cut(step, ".")
	all := []string{c.T("track." + of + ".intro")}
	for _, tail := range []string{".look", ".note"} {
		if key := "track." + step + tail; c.Has(key) {
			all = append(all, c.T(key))
		}
	}
	changed := widgets.SetShown(d.fold, len(all) > 0)
	sign, key := fynetheme.MenuExpandIcon(), ""
	if d.p.m.more {
		sign, key = fynetheme.MenuDropDownIcon(), strings.Join(all, "\x00")
	}
	if d.fold.Icon != sign {
		d.fold.SetIcon(sign)
	}
	return d.more.set(key, func() []fyne.CanvasObject {
		var rows []fyne.CanvasObject
		for _, text := range all {
			l := widgets.Words(text)
			l.Importance = widget.LowImportance
			rows = append(rows, l)
		}
		return rows
	}) || changed
}

// escape ends the editing of a command.
func (d *detail) escape() bool {
	for _, k := range d.cards {
		if _, on := d.p.m.edit[k.id]; on {
			delete(d.p.m.edit, k.id)
			d.again()
			return true
		}
	}
	return false
}

// again draws the item after something was folded or opened in it.
func (d *detail) again() {
	if s := d.p.chosen(); s != nil && d.of == s.Step.ID {
		d.update(s)
		d.col.Refresh()
		d.scroll.Refresh()
	}
}

// see scrolls to what got the keyboard.
func (d *detail) see(o fyne.CanvasObject) { see(d.scroll, o) }

// button and quiet make buttons of the item that are scrolled to when the
// keyboard comes to them.
func (d *detail) button(key string, icon fyne.Resource, do func()) *widgets.Button {
	b := widgets.NewButton(d.p.w.c.T(key), icon, do)
	b.OnFocus = func() { d.see(b) }
	return b
}

func (d *detail) quiet(key string, icon fyne.Resource, do func()) *widgets.Button {
	b := d.button(key, icon, do)
	b.Importance = widget.LowImportance
	return b
}

// leftOut says that something was skipped, why, and takes that back.
func (d *detail) leftOut(on string, s *guide.Skipped) []fyne.CanvasObject {
	if s == nil {
		return nil
	}
	w, c := d.p.w, d.p.w.c
	back := d.button("setup.unskip", nil, func() {
		w.board.Unskip(on)
		w.Changed()
	})
	return []fyne.CanvasObject{container.NewBorder(nil, nil, icon(theme.Skip.Icon()), container.NewVBox(back),
		widgets.Words(c.T("setup.skipped", "reason", guide.Clean([]byte(s.Reason), 500), "time", when(c, s.Time, w.p.Now()))))}
}

func leftKey(s *guide.Skipped) string {
	if s == nil {
		return ""
	}
	return s.Reason + s.Time.String()
}

// part is a part of an item that is drawn anew only when it says something else.
type part struct {
	box    *fyne.Container
	holder *fyne.Container
	key    string
}

// newPart makes a part with its name at the left, "" for none. It is hidden
// while there is nothing in it.
func newPart(name string) *part {
	p := &part{holder: container.NewVBox()}
	p.box = p.holder
	if name != "" {
		p.box = container.NewStack(named(name, p.holder))
	}
	p.box.Hide()
	return p
}

// set fills the part where key is another than before; "" empties it.
func (p *part) set(key string, make func() []fyne.CanvasObject) (changed bool) {
	if key == p.key {
		return false
	}
	p.key = key
	p.holder.Objects = nil
	if key != "" {
		p.holder.Objects = slices.Clone(make())
	}
	widgets.SetShown(p.box, len(p.holder.Objects) > 0)
	p.holder.Refresh()
	return true
}
