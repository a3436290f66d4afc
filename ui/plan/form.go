package plan

import (
	"fmt"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	core "rentgen/app/plan"
	"rentgen/app/workload"
	"rentgen/ui/widgets"
)

// form is what the user fills in: five things at first, the rest on demand.
type form struct {
	w       *Place
	box     *fyne.Container
	scroll  *container.Scroll
	col     *fyne.Container
	model   *modelField
	fields  []*field
	more    *fyne.Container // the lesser fields
	fold    *widgets.Button
	vram    *widget.Label // what the form of four items takes from the job
	idle    *widget.Label
	syncing bool
	// entries and selects by the names of their fields.
	entries map[*widgets.Entry]string
	selects map[string]*widgets.Select
}

func newForm(w *Place) *form {
	f := &form{
		w: w, col: container.NewVBox(),
		entries: make(map[*widgets.Entry]string), selects: make(map[string]*widgets.Select),
	}
	w.form = f // fields look for it
	f.title("plan.part.job")
	f.model = newModelField(w)
	f.add(f.col, &f.model.field)
	f.jobFields()
	f.title("plan.part.use")
	f.useFields()
	f.title("plan.part.more")
	f.fold = widgets.Quiet("", nil, func() {
		w.more = !w.more
		f.unfold()
	})
	f.fold.Alignment = widget.ButtonAlignLeading
	f.more = container.NewVBox()
	f.moreFields()
	f.col.Objects = f.col.Objects[:len(f.col.Objects)-1] // the fold is its own title
	f.col.Add(f.fold)
	f.col.Add(f.more)
	f.title("plan.part.questions")
	f.questionFields()
	f.col.Add(widgets.Gap(1, 12))
	f.scroll = container.NewVScroll(container.New(&besideBar{}, f.col))
	f.box = widgets.Card(4, f.scroll)
	f.unfold()
	return f
}

func (f *form) title(key string) {
	if len(f.col.Objects) > 0 {
		f.col.Add(widgets.Gap(1, 2))
		f.col.Add(widgets.Rule())
	}
	f.col.Add(heading(f.w.c.T(key)))
}

// heading is the name of a part.
func heading(text string) *widget.Label {
	l := widget.NewLabel(text)
	l.TextStyle.Bold = true
	l.Truncation = fyne.TextTruncateEllipsis
	return l
}

func (f *form) add(to *fyne.Container, fl *field) {
	f.fields = append(f.fields, fl)
	to.Add(fl.box)
}

// unfold shows or hides the lesser fields.
func (f *form) unfold() {
	f.more.Hidden = !f.w.more
	icon, key := fynetheme.MenuExpandIcon(), "plan.part.more"
	if f.w.more {
		icon, key = fynetheme.MenuDropDownIcon(), "plan.part.less"
	}
	f.fold.SetIcon(icon)
	f.fold.SetText(f.w.c.T(key))
	f.col.Refresh()
}

// sync brings every field up to date.
func (f *form) sync(p core.Plan) {
	f.syncing = true
	defer func() { f.syncing = false }()
	_, err := f.w.p.Desk.Unreadable()
	f.box.Hidden = err != nil
	f.model.sync(p)
	before, was := f.w.more, f.lines()
	for _, fl := range f.fields {
		fl.box.Hidden = fl.seen != nil && !fl.seen(p)
		fl.sync(p)
	}
	// A problem is never hidden in the fold.
	if !f.w.more && f.hidesProblem() {
		f.w.more = true
	}
	if f.w.more != before {
		f.unfold()
	}
	f.fromAnswer()
	if f.lines() != was {
		f.col.Refresh()
		f.scroll.Refresh()
	}
}

// lines tells which fields and problems are shown.
func (f *form) lines() string {
	key := make([]byte, 0, 2*len(f.fields))
	for _, fl := range f.fields {
		key = append(key, letter(fl.box.Hidden), letter(fl.err.Hidden))
	}
	return string(key) + fmt.Sprint(f.box.Hidden)
}

func letter(on bool) byte {
	if on {
		return '1'
	}
	return '0'
}

func (f *form) hidesProblem() bool {
	for _, fl := range f.fields {
		if fl.err.Hidden || fl.box.Hidden {
			continue
		}
		for _, o := range f.more.Objects {
			if o == fl.box {
				return true
			}
		}
	}
	return false
}

// text adds a field of text under its name.
func (f *form) text(to *fyne.Container, key string, in *input, unit string) *input {
	var control fyne.CanvasObject = in.entry
	if unit != "" {
		control = container.NewBorder(nil, nil, nil, widgets.Small(unit), in.entry)
	}
	in.box = line(f.w.c.T(key), control, in.err)
	f.add(to, &in.field)
	return in
}

// list adds a field with a list under its name.
func (f *form) list(to *fyne.Container, key string, p *pick, codes, names []string) *pick {
	p.offer(codes, names)
	p.box = line(f.w.c.T(key), p.sel, p.err)
	f.add(to, &p.field)
	return p
}

// words says codes through texts.
func (f *form) words(prefix string, codes ...string) (same, names []string) {
	for _, code := range codes {
		key := code
		if key == "" {
			key = "usual"
		}
		names = append(names, f.w.c.T(prefix+key))
	}
	return codes, names
}

func (f *form) jobFields() {
	w, c := f.w, f.w.c
	wide := whole(w, "job.width", func(p core.Plan) int { return p.Job.Width }, func(p *core.Plan, n int) { p.Job.Width = n })
	high := whole(w, "job.height", func(p core.Plan) int { return p.Job.Height }, func(p *core.Plan, n int) { p.Job.Height = n })
	wide.usual = func(j workload.Job) string { return usualNumber(j.Width) }
	high.usual = func(j workload.Job) string { return usualNumber(j.Height) }
	wide.name, high.name = c.T("plan.f.width"), c.T("plan.f.height")
	size := container.NewBorder(nil, nil, nil, widgets.Small("px"),
		container.New(&pair{}, wide.entry, widget.NewLabel("×"), high.entry))
	wide.box = line(c.T("plan.f.size"), size, wide.err)
	high.box = container.NewVBox(high.err)
	f.add(f.col, &wide.field)
	f.add(f.col, &high.field)
	steps := whole(w, "job.steps", func(p core.Plan) int { return p.Job.Steps }, func(p *core.Plan, n int) { p.Job.Steps = n })
	steps.usual = func(j workload.Job) string { return usualNumber(j.Steps) }
	steps.seen = func(p core.Plan) bool { return !p.Job.Kind.Training() }
	f.text(f.col, "plan.f.steps", steps, "")
}

// besideBar keeps its object clear of the scroll bar.
type besideBar struct{}

const barWidth = 10

func (besideBar) MinSize(o []fyne.CanvasObject) fyne.Size {
	return o[0].MinSize().AddWidthHeight(barWidth, 0)
}

func (besideBar) Layout(o []fyne.CanvasObject, size fyne.Size) {
	o[0].Move(fyne.NewPos(0, 0))
	o[0].Resize(size.SubtractWidthHeight(barWidth, 0))
}
