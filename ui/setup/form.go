package setup

import (
	"maps"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/guide"
	"rentgen/app/guide/track"
	"rentgen/assets/texts"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// form is something that only the user knows or does: a tick, fields, a note.
type form struct {
	d      *detail
	item   track.Item
	iv     track.ItemView
	tick   *widgets.Check
	fields []*formField
	note   *widgets.Entry
	find   *part
	shape  *widget.Icon
	box    *fyne.Container
	quiet  bool // it is filled by us
}

// formField is a field of a form: text, or a choice.
type formField struct {
	name   string
	entry  *widgets.Entry
	choice *widgets.Select
	codes  []string
	mark   *widget.Label // that we filled it in, and from what
}

func newForm(d *detail, iv track.ItemView) *form {
	c := d.p.w.c
	f := &form{d: d, item: iv.Item, iv: iv, find: newPart(""), shape: widget.NewIcon(nil)}
	key := "track.item." + f.item.ID
	f.tick = widgets.NewCheck(c.T(key), func(bool) { f.save() })
	f.tick.OnFocus = func() { d.see(f.tick) }
	col := container.NewVBox(container.NewBorder(nil, nil, container.NewCenter(f.shape), nil, f.tick))
	if why := key + ".why"; c.Has(why) {
		l := widgets.Words(c.T(why))
		l.Importance = widget.LowImportance
		col.Add(l)
	}
	for _, name := range f.item.Fields {
		x := f.newField(name)
		l := widget.NewLabel(c.T("track.field." + name))
		l.Truncation = fyne.TextTruncateEllipsis
		var control fyne.CanvasObject = x.choice
		if x.entry != nil {
			control = x.entry
		}
		col.Add(container.NewVBox(container.NewBorder(nil, nil, container.New(&fixed{fieldWidth}, l), nil, control), x.mark))
		f.fields = append(f.fields, x)
	}
	f.note = widgets.NewEntry()
	f.note.SetPlaceHolder(c.T("setup.note"))
	f.wire(f.note, "note")
	row := container.NewBorder(nil, nil, nil, f.pageButton(), f.note)
	col.Add(row)
	col.Add(f.find.box)
	f.box = widgets.Card(3, col)
	return f
}

const fieldWidth = 150

func (f *form) newField(name string) *formField {
	c := f.d.p.w.c
	x := &formField{name: name, mark: widgets.Small("")}
	x.mark.Importance = widget.LowImportance
	x.mark.Wrapping = fyne.TextWrapWord
	x.mark.Hide()
	if codes := f.item.Choices[name]; len(codes) > 0 {
		x.codes = codes
		names := make([]string, 0, len(codes))
		for _, code := range codes {
			names = append(names, c.T("track.choice."+code))
		}
		x.choice = widgets.NewSelect(names, func(string) { f.save() })
		x.choice.PlaceHolder = c.T("setup.choose")
		x.choice.OnFocus = func() { f.d.see(x.choice) }
		return x
	}
	x.entry = widgets.NewEntry()
	f.wire(x.entry, name)
	return x
}

// wire keeps what is typed as a draft, and saves it when the field is left.
func (f *form) wire(e *widgets.Entry, name string) {
	key := f.item.ID + "/" + name
	e.OnChanged = func(s string) {
		if !f.quiet {
			f.d.p.m.drafts[key] = s
		}
	}
	done := func() {
		if _, typed := f.d.p.m.drafts[key]; typed {
			f.save()
		}
	}
	e.OnSubmitted = func(string) { done() }
	e.OnLeave = done
	e.OnFocus = func() { f.d.see(e) }
}

// pageButton leads to the page that helps with the item, nil for none.
func (f *form) pageButton() fyne.CanvasObject {
	w, page := f.d.p.w, f.item.Page
	key := ""
	if page == "bill" && w.p.Open != nil {
		key = "setup.open.bill"
	}
	for _, p := range w.pages {
		if p.Key == page {
			key = p.Title
		}
	}
	if key == "" {
		return nil
	}
	return f.d.quiet(key, fynetheme.NavigateNextIcon(), func() { w.Show(page) })
}

// save hands the answer to the board.
func (f *form) save() {
	if f.quiet {
		return
	}
	w := f.d.p.w
	values := make(map[string]string)
	maps.Copy(values, f.iv.Value)
	for _, x := range f.fields {
		switch {
		case x.entry != nil:
			values[x.name] = x.entry.Text
		case x.choice.SelectedIndex() >= 0:
			values[x.name] = x.codes[x.choice.SelectedIndex()]
		}
	}
	for name := range values {
		delete(f.d.p.m.drafts, f.item.ID+"/"+name)
	}
	delete(f.d.p.m.drafts, f.item.ID+"/note")
	if err := w.board.Tick(f.item.ID, f.tick.Checked, f.note.Text, values); err != nil {
		w.note.say(guide.Fail, w.c.T("setup.unsaved"), err.Error())
	}
	w.Changed()
}

// sync brings the form up to date and reports whether its size may be another.
func (f *form) sync(iv *track.ItemView) (changed bool) {
	c := f.d.p.w.c
	f.iv = *iv
	f.quiet = true
	defer func() { f.quiet = false }()
	done, note := false, ""
	if iv.Tick != nil {
		done, note = iv.Tick.Done, iv.Tick.Note
	}
	if f.tick.Checked != done {
		f.tick.Checked = done
		f.tick.Refresh()
	}
	v := iv.Verdict
	res := shape(track.Done, v)
	if !iv.StaleWhy.IsZero() {
		res = shape(track.Stale, v)
	}
	if f.shape.Resource == nil || f.shape.Resource.Name() != res.Name() {
		f.shape.SetResource(res)
	}
	f.fill(f.note, "note", note)
	for _, x := range f.fields {
		if x.entry != nil {
			f.fill(x.entry, x.name, iv.Value[x.name])
		} else if i := slices.Index(x.codes, iv.Value[x.name]); i != x.choice.SelectedIndex() {
			if i < 0 {
				x.choice.ClearSelected()
			} else {
				x.choice.SetSelectedIndex(i)
			}
		}
		mark := ""
		if from, ok := iv.Filled[x.name]; ok {
			mark = c.T("setup.filled", "from", c.Say(from))
		}
		if x.mark.Text != mark {
			x.mark.SetText(mark)
		}
		changed = widgets.SetShown(x.mark, mark != "") || changed
	}
	var lines []string
	for _, e := range append([]texts.Phrase{iv.StaleWhy, iv.Finding, iv.Hint}, iv.Evidence...) {
		if !e.IsZero() {
			lines = append(lines, c.Say(e))
		}
	}
	key := strings.Join(lines, "\x00")
	return f.find.set(key, func() []fyne.CanvasObject {
		var rows []fyne.CanvasObject
		if !iv.StaleWhy.IsZero() {
			rows = append(rows, container.NewBorder(nil, nil, icon(theme.Stale.Icon()), nil, widgets.Words(c.Say(iv.StaleWhy))))
		}
		if !iv.Finding.IsZero() {
			rows = append(rows, said(v, c.Say(iv.Finding)))
		}
		for _, e := range iv.Evidence {
			if text := c.Say(e); text != c.Say(iv.Finding) {
				rows = append(rows, widgets.Words(text))
			}
		}
		if !iv.Hint.IsZero() {
			l := widgets.Words(c.Say(iv.Hint))
			l.Importance = widget.LowImportance
			rows = append(rows, l)
		}
		return rows
	}) || changed
}

// fill shows what is kept, or what was typed and isn't kept yet.
func (f *form) fill(e *widgets.Entry, name, kept string) {
	if draft, typed := f.d.p.m.drafts[f.item.ID+"/"+name]; typed {
		kept = draft
	}
	if e.Text != kept {
		e.SetText(kept)
	}
}
