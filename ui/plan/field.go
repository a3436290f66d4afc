package plan

import (
	"slices"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	core "rentgen/app/plan"
	"rentgen/app/workload"
	"rentgen/assets/texts"
	"rentgen/ui/widgets"
)

// field is a line of the form that shows a part of the plan and changes it.
type field struct {
	id   string // as in a plan file
	box  *fyne.Container
	err  *widget.Label
	sync func(p core.Plan)
	// seen says whether the field has a meaning now; nil: always.
	seen func(p core.Plan) bool
	// name says which of the fields in a line a problem is of, "" where it has a
	// line of its own.
	name string
	// also are further names under which a problem belongs here.
	also []string
}

// say shows what is wrong beside the field, nothing for the zero phrase.
func (f *field) say(c *texts.Catalogue, allowed texts.Phrase) {
	text := ""
	if !allowed.IsZero() {
		text = c.T("plan.allowed", "allowed", c.Say(allowed))
		if f.name != "" {
			text = c.T("plan.allowed.of", "name", f.name, "allowed", c.Say(allowed))
		}
	}
	if f.err.Text != text {
		widgets.SetWords(f.err, text)
	}
	f.err.Hidden = text == ""
}

func newProblem() *widget.Label {
	l := widgets.Small("")
	l.Importance = widget.DangerImportance
	l.Hide()
	return l
}

// line sets a control beside its name, with room for a problem below.
func line(name string, control fyne.CanvasObject, err *widget.Label) *fyne.Container {
	l := widget.NewLabel(name)
	l.Truncation = fyne.TextTruncateEllipsis
	label := container.New(&fixed{widgets.Scaled(nameWidth)}, l)
	return container.NewVBox(container.NewBorder(nil, nil, label, nil, control), err)
}

// nameWidth is the width of the names of fields.
const nameWidth = 122

// input is a field of text.
type input struct {
	field
	w     *Place
	entry *widgets.Entry
	get   func(p core.Plan) string
	set   func(p *core.Plan, text string) texts.Phrase
	// usual is what an empty field stands for, nil for nothing.
	usual func(j workload.Job) string
}

// newInput makes a field of text without its box.
func newInput(w *Place, id string, get func(core.Plan) string, set func(*core.Plan, string) texts.Phrase) *input {
	f := &input{w: w, entry: widgets.NewEntry(), get: get, set: set}
	f.id, f.err = id, newProblem()
	f.entry.PassUndo = true
	f.entry.OnChanged = f.typed
	f.field.sync = f.show
	w.form.entries[f.entry] = id
	return f
}

// judge says what is wrong with a text, nothing when the plan can take it.
func (f *input) judge(text string) (trial core.Plan, bad texts.Phrase) {
	trial = f.w.p.Desk.Trial(func(p *core.Plan) { bad = f.set(p, text) })
	if bad.IsZero() && f.usual != nil && plainNumber(text) != "" && f.get(trial) == "" {
		return trial, texts.P("plan.whole.usual") // "0" would say one thing and count as another
	}
	if bad.IsZero() && f.w.p.Check != nil {
		for _, pr := range f.w.p.Check(trial) {
			if pr.Field == f.id || slices.Contains(f.also, pr.Field) {
				return trial, pr.Allowed
			}
		}
	}
	return trial, bad
}

func (f *input) typed(text string) {
	if f.w.form.syncing {
		return
	}
	d := f.w.p.Desk
	if _, bad := f.judge(text); !bad.IsZero() {
		d.SetDraft(f.id, text)
		return
	}
	d.DropDraft(f.id)
	d.Edit(f.id, func(p *core.Plan) { f.set(p, text) })
}

// show brings the text up to date, and leaves one alone that says the same.
func (f *input) show(p core.Plan) {
	if f.usual != nil {
		hint := ""
		if f.w.good.Fit.Job.Model == p.Job.Model && p.Job.Model != "" {
			hint = f.usual(f.w.good.Fit.Job)
		}
		if f.entry.PlaceHolder != hint {
			f.entry.SetPlaceHolder(hint)
		}
	}
	if text, bad := f.w.p.Desk.Draft(f.id); bad {
		f.put(text)
		_, why := f.judge(text)
		f.say(f.w.c, why)
		return
	}
	want := f.get(p)
	if f.entry.Text != want {
		if trial, bad := f.judge(f.entry.Text); !bad.IsZero() || f.get(trial) != want {
			f.put(want)
		}
	}
	f.say(f.w.c, f.w.problemOf(&f.field))
}

func (f *input) put(text string) {
	if f.entry.Text != text {
		f.entry.SetText(text)
		f.entry.CursorColumn = len([]rune(text))
	}
}

func (w *Place) problemOf(f *field) texts.Phrase {
	for _, id := range append([]string{f.id}, f.also...) {
		if p, ok := w.problems[id]; ok {
			return p
		}
	}
	return texts.Phrase{}
}

// whole makes a field of a whole number; an empty one is 0.
func whole(w *Place, id string, get func(core.Plan) int, set func(*core.Plan, int)) *input {
	return newInput(w, id, func(p core.Plan) string {
		if n := get(p); n != 0 {
			return strconv.Itoa(n)
		}
		return ""
	}, func(p *core.Plan, text string) texts.Phrase {
		text = plainNumber(text)
		if text == "" {
			set(p, 0)
			return texts.Phrase{}
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return texts.P("plan.whole")
		}
		set(p, n)
		return texts.Phrase{}
	})
}

// decimal makes a field of a number; an empty one is 0.
func decimal(w *Place, id string, get func(core.Plan) float64, set func(*core.Plan, float64)) *input {
	return newInput(w, id, func(p core.Plan) string {
		if v := get(p); v != 0 {
			return strconv.FormatFloat(v, 'f', -1, 64)
		}
		return ""
	}, func(p *core.Plan, text string) texts.Phrase {
		v, bad := number(text)
		if bad.IsZero() {
			set(p, v)
		}
		return bad
	})
}

// number reads a number of a person: nothing is 0, and a comma groups thousands.
func number(text string) (float64, texts.Phrase) {
	text = plainNumber(text)
	if text == "" {
		return 0, texts.Phrase{}
	}
	if strings.Contains(text, ",") {
		return 0, texts.P("plan.number.point")
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v >= 0 && v <= 1e12) || strings.ContainsAny(text, "xXpP_") {
		return 0, texts.P("plan.number")
	}
	return v, texts.Phrase{}
}

func plainNumber(text string) string { return widgets.PlainNumber(text) }

// pick is a field with a list to choose from.
type pick struct {
	field
	w     *Place
	sel   *widgets.Select
	codes []string
	names []string
	get   func(p core.Plan) string
	set   func(p *core.Plan, code string)
}

func newPick(w *Place, id string, get func(core.Plan) string, set func(*core.Plan, string)) *pick {
	f := &pick{w: w, sel: widgets.NewSelect(nil, nil), get: get, set: set}
	f.id, f.err = id, newProblem()
	f.sel.OnChanged = func(string) {
		i := f.sel.SelectedIndex()
		if w.form.syncing || i < 0 || i >= len(f.codes) {
			return
		}
		code := f.codes[i]
		w.p.Desk.Edit("", func(p *core.Plan) { f.set(p, code) })
	}
	f.field.sync = f.show
	w.form.selects[id] = f.sel
	return f
}

// offer sets what can be chosen.
func (f *pick) offer(codes, names []string) {
	if slices.Equal(f.codes, codes) && slices.Equal(f.names, names) {
		return
	}
	f.codes, f.names = codes, names
	f.sel.Options = names
	f.sel.Refresh()
}

func (f *pick) show(p core.Plan) {
	code := f.get(p)
	i := slices.Index(f.codes, code)
	switch {
	case i >= 0:
		f.sel.PlaceHolder = ""
		if f.sel.SelectedIndex() != i || f.sel.Selected != f.names[i] {
			f.sel.SetSelectedIndex(i)
		}
	case code == "":
		f.sel.PlaceHolder = f.w.c.T("plan.choose")
		f.sel.ClearSelected()
	default: // a value that no list has: it is shown, and problems say the rest
		f.sel.PlaceHolder = code
		f.sel.ClearSelected()
	}
	f.say(f.w.c, f.w.problemOf(&f.field))
}

// newTick makes a field that is on or off.
func newTick(w *Place, id, name string, get func(core.Plan) bool, set func(*core.Plan, bool)) *field {
	t := widgets.NewCheck(name, nil)
	f := &field{id: id, err: newProblem()}
	t.OnChanged = func(on bool) {
		if !w.form.syncing {
			w.p.Desk.Edit("", func(p *core.Plan) { set(p, on) })
		}
	}
	f.sync = func(p core.Plan) {
		if on := get(p); t.Checked != on {
			t.SetChecked(on)
		}
		f.say(w.c, w.problemOf(f))
	}
	f.box = container.NewVBox(t, f.err)
	return f
}

// fixed keeps its object at one width.
type fixed struct{ width float32 }

func (l *fixed) MinSize(o []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(l.width, o[0].MinSize().Height)
}

func (l *fixed) Layout(o []fyne.CanvasObject, size fyne.Size) {
	o[0].Move(fyne.NewPos(0, 0))
	o[0].Resize(size)
}

// pair lays two fields out at equal widths, with a sign between them.
type pair struct{}

func (pair) MinSize(o []fyne.CanvasObject) fyne.Size {
	a, x, b := o[0].MinSize(), o[1].MinSize(), o[2].MinSize()
	return fyne.NewSize(2*max(a.Width, b.Width)+x.Width, max(a.Height, x.Height, b.Height))
}

func (pair) Layout(o []fyne.CanvasObject, size fyne.Size) {
	sign := o[1].MinSize().Width
	each := (size.Width - sign) / 2
	for i, at := range []struct{ x, w float32 }{{0, each}, {each, sign}, {each + sign, each}} {
		o[i].Move(fyne.NewPos(at.x, 0))
		o[i].Resize(fyne.NewSize(at.w, size.Height))
	}
}
