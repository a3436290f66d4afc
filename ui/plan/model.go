package plan

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	core "rentgen/app/plan"
	"rentgen/ui/widgets"
)

// modelField is the model of the job: there are too many for a plain list, so
// one is searched for.
type modelField struct {
	field
	w      *Place
	button *widgets.Button
}

func newModelField(w *Place) *modelField {
	f := &modelField{w: w}
	f.id, f.err = "job.model", newProblem()
	f.button = widgets.NewButton("", fynetheme.MenuDropDownIcon(), f.open)
	f.button.IconPlacement = widget.ButtonIconTrailingText
	f.button.Alignment = widget.ButtonAlignLeading
	f.box = line(w.c.T("plan.f.model"), container.New(&clipped{}, f.button), f.err)
	f.field.sync = f.show
	return f
}

func (f *modelField) show(p core.Plan) {
	name := f.w.modelName(p.Job.Model)
	want := widget.MediumImportance
	if p.Job.Model == "" {
		name, want = f.w.c.T("plan.model.choose"), widget.HighImportance
	}
	if f.button.Text != name || f.button.Importance != want {
		f.button.Importance = want
		f.button.SetText(name)
	}
	f.say(f.w.c, f.w.problemOf(&f.field))
}

// modelName is how a model is called, its id where the catalogue lacks it.
func (w *Place) modelName(id string) string {
	if m, ok := w.modelOf(id); ok {
		return m.Name
	}
	return id
}

// open lets a model be searched for.
func (f *modelField) open() {
	w := f.w
	found := w.models
	var panel *widgets.Panel
	take := func(m Model) {
		panel.Close()
		w.chooseModel(m)
	}
	list := &widget.List{
		Length: func() int { return len(found) },
		CreateItem: func() fyne.CanvasObject {
			family := widgets.Small("")
			family.Importance = widget.LowImportance
			name := widget.NewLabel("")
			name.Truncation = fyne.TextTruncateEllipsis
			return container.NewBorder(nil, nil, nil, family, name)
		},
	}
	list.UpdateItem = func(i widget.ListItemID, o fyne.CanvasObject) {
		if i >= len(found) {
			return
		}
		row := o.(*fyne.Container)
		row.Objects[0].(*widget.Label).SetText(found[i].Name)
		note := found[i].Family
		if found[i].Thin {
			note = w.c.T("plan.model.thin", "family", note)
		}
		row.Objects[1].(*widget.Label).SetText(note)
		row.Refresh() // the name takes what the note leaves
	}
	list.OnSelected = func(i widget.ListItemID) {
		if i < len(found) {
			take(found[i])
		}
	}
	list.ExtendBaseWidget(list)
	search := widgets.NewEntry()
	search.SetPlaceHolder(w.c.T("plan.model.search"))
	none := widgets.Words(w.c.T("plan.model.none"))
	none.Hide()
	search.OnChanged = func(text string) {
		found = found[:0:0]
		for _, m := range w.models {
			if matches(m, text) {
				found = append(found, m)
			}
		}
		none.Hidden = len(found) > 0
		none.Refresh()
		list.UnselectAll()
		list.Refresh()
	}
	search.OnSubmitted = func(string) {
		if len(found) > 0 {
			take(found[0])
		}
	}
	cancel := widgets.Quiet(w.c.T("plan.cancel"), nil, func() { panel.Cancel() })
	panel = widgets.NewPanel(widgets.PanelParams{
		Canvas: w.p.Window.Canvas(), Title: w.c.T("plan.model.title"),
		Content: container.NewBorder(container.NewVBox(search, none), nil, nil, nil,
			widgets.AtLeast(fyne.NewSize(10, 360), list)),
		Buttons: []fyne.CanvasObject{cancel}, First: search,
	})
	panel.Show()
}

// matches reports whether every word of a search is in a model's names.
func matches(m Model, text string) bool {
	all := strings.ToLower(m.Name + " " + m.Family + " " + m.ID)
	for _, word := range strings.Fields(strings.ToLower(text)) {
		if !strings.Contains(all, word) {
			return false
		}
	}
	return true
}

// chooseModel changes the model; what only the old one could have goes.
func (w *Place) chooseModel(m Model) {
	w.p.Desk.Edit("", func(p *core.Plan) {
		p.Job.Model = m.ID
		if p.Job.Quant != "" && len(m.Quants) > 0 && !contains(m.Quants, p.Job.Quant) {
			p.Job.Quant = ""
		}
		if p.Job.Kind != "" && len(m.Kinds) > 0 && !contains(m.Kinds, p.Job.Kind) {
			p.Job.Kind, p.Job.Training = "", nil
		}
	})
}

func contains[T comparable](all []T, one T) bool {
	for _, v := range all {
		if v == one {
			return true
		}
	}
	return false
}

// clipped lets its object be narrower than it would like.
type clipped struct{}

func (clipped) MinSize(o []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(40, o[0].MinSize().Height)
}

func (clipped) Layout(o []fyne.CanvasObject, size fyne.Size) {
	o[0].Move(fyne.NewPos(0, 0))
	o[0].Resize(size)
}
