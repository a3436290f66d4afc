package plan

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/advice"
	"rentgen/ui/widgets"
)

// openGuide opens the guide at a part: "table", "table.<row>", "pitfall", "qa",
// or "" for its beginning.
func (w *Place) openGuide(at string) {
	c := w.c
	col := container.NewVBox()
	var goal fyne.CanvasObject
	mark := func(id string, o fyne.CanvasObject) {
		if id != "" && id == at {
			goal = o
		}
		col.Add(o)
	}
	title := func(id, key string) {
		if len(col.Objects) > 0 {
			col.Add(widgets.Gap(1, 6))
		}
		l := heading(c.T(key))
		l.Wrapping, l.Truncation = fyne.TextWrapWord, fyne.TextTruncateOff
		mark(id, l)
	}
	passage := func(p advice.Part) {
		title(p.Name, "article."+p.Name+".title")
		for _, id := range p.IDs {
			col.Add(widgets.Words(c.T("article." + p.Name + "." + id)))
		}
	}
	title("table", "article.table.title")
	width := min(widgets.Scaled(guideWidth), w.p.Window.Canvas().Size().Width-80) - 60
	grid := func(id string, bold bool, cells ...string) {
		var labels []fyne.CanvasObject
		for i, text := range cells {
			l := widgets.Words(text)
			l.TextStyle.Bold = bold || i == 0
			labels = append(labels, l)
		}
		mark(id, container.New(&tableRow{width}, labels...))
		col.Add(widgets.Rule())
	}
	grid("", true, c.T("article.table.dimension"), c.T("article.table.shared"), c.T("article.table.dedicated"))
	for _, r := range advice.Table() {
		grid("table."+r.ID, false, c.Say(r.Name()), c.Say(r.Cell(advice.Shared)), c.Say(r.Cell(advice.Dedicated)))
	}
	for _, p := range advice.Parts() {
		passage(p)
	}
	title("uses", "plan.guide.uses")
	for _, u := range advice.Uses() {
		col.Add(widgets.Words(c.T("plan.guide.use", "kind", c.T("article.table."+string(u.Kind)),
			"use", c.T("article.uses.item", "group", c.T("article.group."+u.Group), "use", c.T("article.use."+u.ID)))))
	}
	title("pitfall", "article.pitfall.title")
	for _, id := range advice.Pitfalls() {
		l := widget.NewLabel(c.T("article.pitfall." + id + ".title"))
		l.TextStyle.Bold = true
		l.Wrapping = fyne.TextWrapWord
		col.Add(l)
		col.Add(widgets.Words(c.T("article.pitfall." + id + ".text")))
	}
	title("qa", "article.qa.title")
	for _, id := range advice.QA() {
		l := widgets.Words(c.T("article.qa." + id + ".q"))
		l.TextStyle.Bold = true
		col.Add(l)
		col.Add(widgets.Words(c.T("article.qa." + id + ".a")))
	}
	scroll := container.NewVScroll(container.New(&besideBar{}, col))
	var panel *widgets.Panel
	done := widgets.Primary(c.T("frame.close"), nil, func() { panel.Close() })
	height := w.p.Window.Canvas().Size().Height - 90
	panel = widgets.NewPanel(widgets.PanelParams{
		Canvas: w.p.Window.Canvas(), Title: c.T("plan.guide"), Width: guideWidth, Height: height,
		Content: scroll, Buttons: []fyne.CanvasObject{done}, First: done,
	})
	panel.Show()
	if goal != nil {
		scroll.Offset.Y = min(goal.Position().Y, max(col.Size().Height-scroll.Size().Height, 0))
		scroll.Refresh()
	}
	if strings.HasPrefix(at, "table.") && goal != nil {
		for _, o := range goal.(*fyne.Container).Objects {
			l := o.(*widget.Label)
			l.Importance = widget.HighImportance
			l.Refresh()
		}
	}
}

// guideWidth is the width of the guide beside text of the usual size.
const guideWidth = 760

// tableRow gives the first of three cells a fifth of the width.
type tableRow struct{ width float32 }

func (t *tableRow) widths(width float32) [3]float32 {
	return [3]float32{width * 0.2, width * 0.4, width * 0.4}
}

// MinSize asks each cell for its height at its width.
func (t *tableRow) MinSize(o []fyne.CanvasObject) fyne.Size {
	h := float32(0)
	for i, w := range t.widths(t.width) {
		o[i].Resize(fyne.NewSize(w, o[i].Size().Height))
		h = max(h, o[i].MinSize().Height)
	}
	return fyne.NewSize(10, h)
}

// Layout places the cells beside each other.
func (t *tableRow) Layout(o []fyne.CanvasObject, size fyne.Size) {
	t.width = size.Width
	x := float32(0)
	for i, w := range t.widths(size.Width) {
		o[i].Move(fyne.NewPos(x, 0))
		o[i].Resize(fyne.NewSize(w, size.Height))
		x += w
	}
}
