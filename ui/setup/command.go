package setup

import (
	"regexp"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/guide"
	"rentgen/ui/widgets"
)

// command is the text of a check that is run, as it is shown, edited and filled.
type command struct {
	k      *card
	text   *widget.Label
	all    *widgets.Button // shows a long text to its end
	field  *widgets.Entry
	keep   *widgets.Button
	ours   *widgets.Button // goes back to the text that we would run
	change *widgets.Button
	note   *widget.Label
	edit   *fyne.Container
	values []*value
	root   *widgets.Check
	box    *fyne.Container
}

// value is a field of something that the command is filled with.
type value struct {
	name  string
	entry *widgets.Entry
	err   *widget.Label
	box   fyne.CanvasObject
}

func newCommand(k *card) *command {
	d, w, c := k.d, k.d.p.w, k.d.p.w.c
	t := &command{k: k, text: raw(""), field: widgets.NewArea(), note: widgets.Small("")}
	t.note.Wrapping = fyne.TextWrapWord
	t.field.SetMinRowsVisible(3)
	t.field.OnFocus = func() { d.see(t.field) }
	t.field.OnChanged = func(s string) {
		if _, on := d.p.m.edit[k.id]; on {
			d.p.m.edit[k.id] = s
		}
	}
	t.keep = d.button("setup.edit.keep", nil, func() { t.finish(t.field.Text) })
	t.ours = d.quiet("setup.edit.ours", nil, func() { t.finish("") })
	t.change = d.quiet("setup.edit", fynetheme.DocumentCreateIcon(), t.begin)
	t.root = widgets.NewCheck(c.T("setup.root"), nil)
	t.root.OnFocus = func() { d.see(t.root) }
	t.root.OnChanged = func(on bool) {
		v := "no"
		if on {
			v = "yes"
		}
		if err := w.board.SetValue("sudo", v); err != nil {
			w.note.say(guide.Fail, c.T("setup.unsaved"), err.Error())
		}
		w.Changed()
	}
	t.root.Hide()
	t.all = d.quiet("setup.whole", nil, func() {
		d.p.m.whole[k.id] = !d.p.m.whole[k.id]
		d.again()
	})
	t.edit = container.NewVBox(t.field, widgets.Row(t.keep, t.ours, d.quiet("setup.cancel", nil, func() {
		delete(d.p.m.edit, k.id)
		d.again()
	})))
	t.box = container.NewVBox(widgets.Card(2, t.text), t.edit, t.note, t.root)
	t.edit.Hide()
	t.note.Hide()
	return t
}

// begin opens the text for editing.
func (t *command) begin() {
	d := t.k.d
	d.p.m.edit[t.k.id] = t.k.cv.Command
	d.again()
	d.p.w.p.Window.Canvas().Focus(t.field)
}

// finish ends the editing; "" is the text that we would run.
func (t *command) finish(text string) {
	w := t.k.d.p.w
	delete(t.k.d.p.m.edit, t.k.id)
	w.board.Edit(t.k.id, strings.TrimSpace(text))
	w.Changed()
	t.k.d.again()
}

// sync brings the text up to date and reports whether its size may be another.
func (t *command) sync() (changed bool) {
	k, c := t.k, t.k.d.p.w.c
	text, cut := k.cv.Command, false
	if !k.d.p.m.whole[k.id] {
		text, cut = beginning(text)
	}
	if t.text.Text != text {
		t.text.SetText(text)
		changed = true
	}
	changed = widgets.SetShown(t.all, cut) || changed
	draft, on := k.d.p.m.edit[k.id]
	if on && t.field.Text != draft {
		t.field.SetText(draft)
	}
	changed = widgets.SetShown(t.box.Objects[0], !on) || changed
	changed = widgets.SetShown(t.edit, on) || changed
	changed = widgets.SetShown(t.change, !on) || changed
	changed = widgets.SetShown(t.ours, k.cv.Edited) || changed
	note := ""
	def := k.cv.Def
	switch {
	case k.cv.Edited:
		note = c.T("setup.edited")
	case def.Laptop:
		note = c.T("setup.laptop")
	case !def.Quiet && def.ID != "":
		note = c.T("setup.writes")
	}
	if t.note.Text != note {
		t.note.SetText(note)
		changed = true
	}
	changed = widgets.SetShown(t.note, note != "") || changed
	values := k.d.p.w.board.Values()
	changed = widgets.SetShown(t.root, def.Root) || changed
	if is := values["sudo"] == "yes"; t.root.Checked != is {
		t.root.Checked = is
		t.root.Refresh()
	}
	return t.syncValues(values) || changed
}

// beginning is the beginning of a long command, and whether it was cut.
func beginning(text string) (string, bool) {
	lines := strings.Split(text, "\n")
	if len(lines) <= 6 && len(text) <= 700 {
		return text, false
	}
	text = strings.Join(lines[:min(len(lines), 5)], "\n")
	return widgets.Short(text, 500) + "\n…", true
}

// placeholders are the names in braces of a command.
var placeholders = regexp.MustCompile(`\{([a-z_]+)\}`)

// ofOurs are filled by us and asked from nobody.
var ofOurs = []string{"sudo", "python", "driver", "ssh_port"}

// syncValues shows a field for everything that the command is filled with.
func (t *command) syncValues(values Values) (changed bool) {
	w, c := t.k.d.p.w, t.k.d.p.w.c
	if t.values == nil {
		for _, m := range placeholders.FindAllStringSubmatch(t.k.cv.Def.Command, -1) {
			name := m[1]
			if slices.Contains(ofOurs, name) || !c.Has("setup.value."+name) ||
				slices.ContainsFunc(t.values, func(v *value) bool { return v.name == name }) {
				continue
			}
			v := &value{name: name, entry: widgets.NewEntry(), err: widgets.Small("")}
			v.entry.SetText(values[name])
			v.err.Importance = widget.DangerImportance
			v.err.Wrapping = fyne.TextWrapWord
			v.err.Hide()
			set := func() { t.setValue(v) }
			v.entry.OnSubmitted = func(string) { set() }
			v.entry.OnLeave = set
			v.entry.OnFocus = func() { t.k.d.see(v.entry) }
			l := widgets.Small(c.T("setup.value." + name))
			l.Importance = widget.LowImportance
			v.box = container.NewVBox(container.NewBorder(nil, nil, l, nil, v.entry), v.err)
			t.values = append(t.values, v)
			t.box.Add(v.box)
			changed = true
		}
	}
	for _, v := range t.values {
		if want := values[v.name]; v.entry.Text != want && v.err.Hidden && w.p.Window.Canvas().Focused() != fyne.Focusable(v.entry) {
			v.entry.SetText(want)
		}
	}
	return changed
}

func (t *command) setValue(v *value) {
	w := t.k.d.p.w
	text := strings.TrimSpace(v.entry.Text)
	if v.err.Hidden && text == w.board.Values()[v.name] {
		return
	}
	err := w.board.SetValue(v.name, text)
	if err != nil {
		v.err.SetText(w.c.T("setup.value.bad"))
	}
	if widgets.SetShown(v.err, err != nil) {
		t.k.d.again()
	}
	if err == nil {
		w.Changed()
	}
}
