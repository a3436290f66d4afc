package bill

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"rentgen/app/money"
	core "rentgen/app/plan"
	"rentgen/assets/texts"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// input is a field of text that shows a part of the plan and changes it. What
// can't be used stays in the field, with the reason beside it; the plan keeps
// its last good value.
type input struct {
	w       *Place
	id      string
	entry   *widgets.Entry
	err     *prose
	box     *fyne.Container
	get     func(p core.Plan) string
	set     func(p *core.Plan, text string) texts.Phrase
	syncing bool
}

func newProblem() *prose {
	l := newProse("", part{small: true, colour: theme.ColorFail})
	l.Hide()
	return l
}

// problem says what is allowed, nothing for the zero phrase.
func problem(l *prose, c *texts.Catalogue, allowed texts.Phrase) {
	text := ""
	if !allowed.IsZero() {
		text = c.T("billpage.allowed", "allowed", c.Say(allowed))
	}
	l.SetText(text)
	l.Hidden = text == ""
}

func newInput(w *Place, id string, get func(core.Plan) string, put func(*core.Plan, string) texts.Phrase) *input {
	f := &input{w: w, id: id, entry: widgets.NewEntry(), err: newProblem(), get: get, set: put}
	f.entry.PassUndo = true
	f.entry.OnChanged = f.typed
	return f
}

// judge says what is wrong with a text, nothing when the plan can take it.
func (f *input) judge(text string) (trial core.Plan, bad texts.Phrase) {
	trial = f.w.p.Desk.Trial(func(p *core.Plan) { bad = f.set(p, text) })
	return trial, bad
}

func (f *input) typed(text string) {
	if f.syncing {
		return
	}
	d := f.w.p.Desk
	if _, bad := f.judge(text); !bad.IsZero() {
		f.w.mine[f.id] = true
		d.SetDraft(f.id, text)
		return
	}
	delete(f.w.mine, f.id)
	d.DropDraft(f.id)
	d.Edit(f.id, func(p *core.Plan) { f.set(p, text) })
}

// sync brings the text up to date, and leaves one alone that says the same.
func (f *input) sync(p core.Plan) {
	f.syncing = true
	defer func() { f.syncing = false }()
	if text, bad := f.w.p.Desk.Draft(f.id); bad {
		f.put(text)
		_, why := f.judge(text)
		problem(f.err, f.w.c, why)
		return
	}
	want := f.get(p)
	if f.entry.Text != want {
		if trial, bad := f.judge(f.entry.Text); !bad.IsZero() || f.get(trial) != want {
			f.put(want)
		}
	}
	problem(f.err, f.w.c, texts.Phrase{})
}

func (f *input) put(text string) {
	if f.entry.Text != text {
		f.entry.SetText(text)
		f.entry.CursorColumn = len([]rune(text))
	}
}

// dropDrafts forgets what was typed into fields of a list whose entries stand
// elsewhere now.
func (w *Place) dropDrafts(list string) {
	for id := range w.mine {
		if strings.HasPrefix(id, list) {
			delete(w.mine, id)
			w.p.Desk.DropDraft(id)
		}
	}
}

// labelled sets a control below its name, with a unit behind and room for a
// problem.
func labelled(name string, control fyne.CanvasObject, unit string, err *prose) *fyne.Container {
	if unit != "" {
		control = container.NewBorder(nil, nil, nil, widgets.Small(unit), control)
	}
	box := container.New(&halves{}, words(name), control)
	if err == nil {
		return box
	}
	return container.NewVBox(box, err)
}

// halves gives the name of a field two fifths of the width and the control the
// rest.
type halves struct{}

func (*halves) MinSize(o []fyne.CanvasObject) fyne.Size {
	a, b := o[0].MinSize(), o[1].MinSize()
	return fyne.NewSize(120, max(a.Height, b.Height))
}

func (*halves) Layout(o []fyne.CanvasObject, size fyne.Size) {
	left := size.Width * 0.4
	o[0].Resize(fyne.NewSize(left, size.Height))
	o[0].Move(fyne.NewPos(0, max((o[1].MinSize().Height-o[0].MinSize().Height)/2, 0)))
	o[1].Resize(fyne.NewSize(size.Width-left, o[1].MinSize().Height))
	o[1].Resize(fyne.NewSize(size.Width-left, o[1].MinSize().Height)) // wrapped for its width by now
	o[1].Move(fyne.NewPos(left, 0))
}

// amount reads a number of 0 or more; nothing is none.
func amount(text string) (v *money.Rat, bad texts.Phrase) {
	text = widgets.PlainNumber(text)
	if text == "" {
		return nil, texts.Phrase{}
	}
	r, err := money.Parse(text)
	if err != nil || r.Sign() < 0 {
		return nil, texts.P("offer.allowed.number")
	}
	return &r, texts.Phrase{}
}

// ratText is a number in a field, "" for 0.
func ratText(v money.Rat) string {
	if v.IsZero() {
		return ""
	}
	return v.String()
}
