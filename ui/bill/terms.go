package bill

import (
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/bill/offer"
	core "rentgen/app/plan"
	"rentgen/assets/texts"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// group is a fold of terms that belong together. Its rows are made when it is
// opened first.
type group struct {
	e    *editor
	id   offer.Group
	fold *widgets.Button
	box  *fyne.Container
	rows []*termRow
	high []float32 // of what stands in box
}

// termRow is a term: what it is, where that is known from, and what it means.
type termRow struct {
	e       *editor
	d       offer.Def
	box     *fyne.Container
	words   *fyne.Container
	in      *input          // of a number
	sel     *widgets.Select // of a yes or no, or a choice
	codes   []string
	told    *widgets.Check
	from    *prose
	also    *prose
	syncing bool
}

// terms adds the folds of the groups.
func (e *editor) terms() {
	c := e.w.c
	e.box.Add(widgets.Rule())
	e.box.Add(heading(c.T("billpage.terms")))
	e.box.Add(quiet(c.T("billpage.terms.how")))
	for _, id := range offer.Groups() {
		g := &group{e: e, id: id, box: container.NewVBox()}
		g.box.Hide()
		g.fold = widgets.Quiet(c.Say(id.Name()), fynetheme.MenuExpandIcon(), func() {
			if e.opened == id {
				e.refold()
				return
			}
			e.unfold(id, "")
		})
		g.fold.Alignment = widget.ButtonAlignLeading
		e.groups[id] = g
		e.box.Add(g.fold)
		e.box.Add(g.box)
	}
	notes := container.NewVBox()
	e.hidden = append(e.hidden, func(o offer.Offer) {
		if e.noted != o.Provider || len(notes.Objects) == 0 {
			e.noted = o.Provider
			notes.Objects = e.notes(o)
			if len(notes.Objects) > 0 {
				notes.Objects = append([]fyne.CanvasObject{widgets.Rule(), heading(c.T("billpage.notes"))}, notes.Objects...)
			}
		}
	})
	e.box.Add(notes)
}

// refold closes the open group.
func (e *editor) refold() {
	if g := e.groups[e.opened]; g != nil {
		g.box.Hide()
		g.fold.SetIcon(fynetheme.MenuExpandIcon())
	}
	e.opened = ""
	e.box.Refresh()
}

// unfold opens a group, and returns the control of a term of it.
func (e *editor) unfold(id offer.Group, term offer.TermID) fyne.Focusable {
	if e.opened != id {
		e.refold()
	}
	g := e.groups[id]
	e.opened = id
	if g.rows == nil {
		for _, d := range offer.Defs() {
			if d.Group == id {
				r := newTermRow(e, d)
				g.rows = append(g.rows, r)
				g.box.Add(r.box)
			}
		}
	}
	g.box.Show()
	g.fold.SetIcon(fynetheme.MenuDropDownIcon())
	g.sync(e.w.p.Desk.Plan())
	e.box.Refresh()
	for _, r := range g.rows {
		if r.d.ID == term {
			e.w.side.scrollTo(r.box)
			if r.in != nil {
				return r.in.entry
			}
			return r.sel
		}
	}
	return nil
}

func (g *group) sync(p core.Plan) {
	if g.e.i >= len(p.Offers) {
		return
	}
	// Behind the name of a group stands how many of its terms nobody knows and
	// could move the total: what is asked for, and nothing else.
	c, n := g.e.w.c, 0
	if bills := g.e.w.good.Sheet.Bills; g.e.i < len(bills) && !bills[g.e.i].Mixed {
		for _, q := range bills[g.e.i].Unknown {
			if d, ok := offer.DefOf(q.Term); ok && d.Group == g.id && (q.Spread == nil || !q.Spread.IsZero()) {
				n++
			}
		}
	}
	text := c.Say(g.id.Name())
	if n > 0 {
		text = c.T("billpage.group", "group", text, "n", n)
	}
	if g.fold.Text != text {
		g.fold.SetText(text)
	}
	if g.box.Hidden {
		return
	}
	f := p.Offers[g.e.i].Filled()
	for _, r := range g.rows {
		r.sync(p, f)
	}
	relay(g.box, &g.high)
}

const (
	byRule    = ""
	explicitQ = "?"
)

func newTermRow(e *editor, d offer.Def) *termRow {
	c := e.w.c
	r := &termRow{e: e, d: d, from: quiet(""), also: quiet("")}
	r.told = widgets.NewCheck(c.T("offer.status.told"), r.setTold)
	var control fyne.CanvasObject
	var err *prose
	unit := c.Say(d.UnitName())
	switch d.Kind {
	case offer.KindFlag, offer.KindChoice:
		r.options(offer.Offer{})
		control = r.sel
	default:
		r.in = newInput(e.w, field("offer.%d.terms.%s", e.i, d.ID), r.text, r.put)
		control, err = r.in.entry, r.in.err
	}
	name := c.Say(d.ID.Name())
	r.words = container.NewVBox(quiet(c.Say(d.ID.Help())), r.from, r.also)
	r.box = container.NewVBox(labelled(name, control, unit, err), r.words, r.told, widgets.Rule())
	return r
}

// options are what can be chosen of a yes or no, or a choice. The first is to
// leave it to the provider's rules.
func (r *termRow) options(rule offer.Offer) {
	c, d := r.e.w.c, r.d
	first := c.T("billpage.term.none")
	if t := rule.Term(d.ID); t.Status != offer.Unknown {
		first = c.T("billpage.term.rule", "value", d.ValueText(c, t.Value, rule.Currency))
	}
	codes, names := []string{byRule}, []string{first}
	options := d.Options
	if d.Kind == offer.KindFlag {
		options = []string{"true", "false"}
	}
	for _, o := range options {
		codes, names = append(codes, o), append(names, d.ValueText(c, o, ""))
	}
	codes, names = append(codes, explicitQ), append(names, c.T("billpage.term.unknown"))
	r.codes = codes
	if r.sel == nil {
		r.sel = widgets.NewSelect(names, nil)
		r.sel.OnChanged = func(string) {
			if i := r.sel.SelectedIndex(); i >= 0 && !r.syncing {
				r.e.change(func(o *offer.Offer) { r.assign(o, r.codes[i]) })
			}
		}
		return
	}
	if r.sel.Options[0] != first {
		r.sel.Options = names
		r.sel.Refresh()
	}
}

// assign gives the offer a value of its own, leaves the term to the rules, or
// says that nobody knows.
func (r *termRow) assign(o *offer.Offer, value string) {
	terms := make(map[offer.TermID]offer.Term, len(o.Terms)+1)
	for k, t := range o.Terms {
		terms[k] = t
	}
	old, own := terms[r.d.ID]
	switch value {
	case byRule:
		delete(terms, r.d.ID)
	case explicitQ, "？":
		terms[r.d.ID] = offer.Term{Status: offer.Unknown}
	default:
		t := offer.Term{Value: value, Status: offer.Typed}
		if own && old.Status == offer.Told {
			t.Status, t.Date = old.Status, old.Date
		}
		terms[r.d.ID] = t
	}
	o.Terms = terms
}

// text is the offer's own value as the field shows it.
func (r *termRow) text(p core.Plan) string {
	if r.e.i >= len(p.Offers) {
		return ""
	}
	t, own := p.Offers[r.e.i].Terms[r.d.ID]
	switch {
	case !own:
		return ""
	case t.Value == "":
		return explicitQ
	}
	return t.Value
}

func (r *termRow) put(p *core.Plan, s string) texts.Phrase {
	if r.e.i >= len(p.Offers) {
		return texts.Phrase{}
	}
	s = widgets.PlainNumber(s)
	if s != "" && s != explicitQ && s != "？" {
		if r.d.Check(s) != nil {
			return r.d.Allowed()
		}
		// The same number written otherwise is no edit.
		if t := p.Offers[r.e.i].Terms[r.d.ID]; t.Value == s {
			return texts.Phrase{}
		}
	}
	r.assign(&p.Offers[r.e.i], s)
	return texts.Phrase{}
}

// setTold says whether the provider said so, today, or the user typed it.
func (r *termRow) setTold(on bool) {
	if r.syncing {
		return
	}
	today := r.e.w.p.Now().Local().Format(time.DateOnly)
	r.e.change(func(o *offer.Offer) {
		t, own := o.Terms[r.d.ID]
		if !own || t.Value == "" {
			return
		}
		t.Status, t.Date = offer.Typed, ""
		if on {
			t.Status, t.Date = offer.Told, today
		}
		o.Terms[r.d.ID] = t
	})
}

// sync brings the row up to date; f is the offer with the provider's rules.
func (r *termRow) sync(p core.Plan, f offer.Offer) {
	r.syncing = true
	defer func() { r.syncing = false }()
	c, o := r.e.w.c, p.Offers[r.e.i]
	bare := o
	bare.Terms = nil
	rule := bare.Filled()
	own, has := o.Terms[r.d.ID]
	if r.in != nil {
		hint := c.T("offer.status.unknown")
		if t := rule.Term(r.d.ID); t.Status != offer.Unknown {
			hint = t.Value
		}
		if r.in.entry.PlaceHolder != hint {
			r.in.entry.SetPlaceHolder(hint)
		}
		r.in.sync(p)
	} else {
		r.options(rule)
		code := byRule
		if has {
			if code = own.Value; code == "" {
				code = explicitQ
			}
		}
		for i, k := range r.codes {
			if k == code && r.sel.SelectedIndex() != i {
				r.sel.SetSelectedIndex(i)
			}
		}
	}
	t := f.Term(r.d.ID)
	from := origin(c, t)
	if t.Status == offer.Unknown && r.d.Own() {
		from = c.T("billpage.term.own")
	}
	r.from.SetText(from)
	r.from.paint(theme.ColorFaint)
	if t.Status == offer.Unknown && !r.d.Own() {
		r.from.paint(theme.ColorWarn)
	}
	var also []string
	for _, a := range t.Also {
		also = append(also, c.T("bill.md.also", "value", c.T("bill.join", "a", r.d.ValueText(c, a.Value, o.Filled().Currency), "b", origin(c, a))))
	}
	if has {
		if k := rule.Term(r.d.ID); k.Status != offer.Unknown && own.Value != k.Value {
			also = append(also, c.T("billpage.term.instead", "value", r.d.ValueText(c, k.Value, rule.Currency), "origin", origin(c, k)))
		}
	}
	text := strings.Join(also, "\n")
	r.also.SetText(text)
	r.also.Hidden = text == ""
	r.told.Hidden = !has || own.Value == ""
	if on := own.Status == offer.Told; r.told.Checked != on {
		r.told.SetChecked(on)
	}
}

// scrollTo brings an object of what is open into view.
func (s *side) scrollTo(o fyne.CanvasObject) {
	d := fyne.CurrentApp().Driver()
	y := d.AbsolutePositionForObject(o).Y - d.AbsolutePositionForObject(s.holder).Y
	s.scroll.Offset.Y = max(y-8, 0)
	s.scroll.Refresh()
}
