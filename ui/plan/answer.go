package plan

import (
	"image/color"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	core "rentgen/app/plan"
	"rentgen/app/workload"
	"rentgen/assets/texts"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// answer is what the job needs, and the advice.
type answer struct {
	w      *Place
	width  float32 // of the column
	box    *fyne.Container
	scroll *container.Scroll
	col    *fyne.Container
	empty  *fyne.Container // what stands here at first
	old    *fyne.Container // over an answer to earlier values
	veil   *canvas.Rectangle
	why    *widget.Label
	full   *fyne.Container

	job    *widget.Label
	vram   *vram
	cards  *cards
	time   *timePart
	disk   *diskPart
	advice *advicePart
}

func newAnswer(w *Place) *answer {
	a := &answer{w: w, width: 600}
	w.answer = a
	a.job = widget.NewLabel("")
	a.job.SizeName = fynetheme.SizeNameSubHeadingText
	a.job.TextStyle.Bold = true
	a.job.Wrapping = fyne.TextWrapWord
	a.vram = newVRAM(w)
	a.cards = newCards(w)
	a.time = newTimePart(w)
	a.disk = newDiskPart(w)
	a.advice = newAdvicePart(w)
	a.col = container.NewVBox(a.job, a.vram.box, a.cards.box, a.time.box, a.disk.box, a.advice.box, widgets.Gap(1, 8))
	a.veil = canvas.NewRectangle(color.Transparent)
	a.why = widgets.Words("")
	a.why.Importance = widget.WarningImportance
	a.old = container.NewVBox(widgets.Card(3, container.NewBorder(nil, nil,
		container.NewVBox(widget.NewIcon(theme.Stale.Icon())), nil, a.why)))
	a.scroll = container.NewVScroll(container.New(&besideBar{}, a.col))
	a.empty = w.firstUse()
	a.full = container.NewBorder(a.old, a.advice.foot, nil, nil, container.NewStack(a.scroll, a.veil))
	a.box = container.NewStack(a.full, a.empty)
	return a
}

// inner is the width of what stands in the column's cards.
func (a *answer) inner() float32 { return a.width - barWidth - 2*cardInset - 2 }

// cardInset is the room round what stands in a card.
const cardInset = 6

// section is a card with a heading.
func section(title fyne.CanvasObject, o ...fyne.CanvasObject) *fyne.Container {
	return widgets.Card(cardInset, container.NewVBox(append([]fyne.CanvasObject{title}, o...)...))
}

// firstUse says what belongs here and offers the next action.
func (w *Place) firstUse() *fyne.Container {
	c := w.c
	title := widget.NewLabel(c.T("plan.empty.title"))
	title.TextStyle.Bold = true
	title.SizeName = theme.SizeHeadline
	title.Wrapping = fyne.TextWrapWord
	doors := widgets.Row(widgets.Primary(c.T("plan.empty.model"), nil, func() { w.form.model.open() }))
	col := container.NewVBox(
		widgets.AtLeast(fyne.NewSize(440, 0), title), widgets.Words(c.T("plan.empty.what")), widgets.Gap(1, 4), doors)
	if w.p.ReadFile != nil {
		doors.Add(widgets.NewButton(c.T("plan.read.file"), fynetheme.FolderOpenIcon(), w.pickWorkflow))
		col.Add(widgets.Gap(1, 4))
		col.Add(widgets.Words(c.T("plan.empty.drop")))
	}
	return container.NewCenter(col)
}

func (a *answer) sync(p core.Plan) {
	w, c := a.w, a.w.c
	_, broken := w.p.Desk.Unreadable()
	r := w.good
	has := r.Fit.Job.Model != ""
	before := a.state()
	a.empty.Hidden = has || broken != nil
	a.full.Hidden = !has || broken != nil
	if broken != nil || !has {
		// A job that can't be answered yet says why at its fields.
		a.box.Refresh()
		return
	}
	old := w.stale()
	a.old.Hidden = !old
	veil := a.veil.FillColor
	a.veil.FillColor = color.Transparent
	if old {
		g := theme.Current().Ground
		g.A = 0xA0
		a.veil.FillColor = g
		key := "plan.old"
		if w.p.Desk.Pending() && len(w.problems) == 0 && w.p.Desk.Drafts() == 0 {
			key = "plan.pending"
		}
		say(a.why, c.T(key))
	}
	if veil != a.veil.FillColor {
		a.veil.Refresh()
	}
	say(a.job, w.jobText(p, r.Fit.Job))
	a.vram.sync(r.Fit)
	a.cards.sync(r.Fit)
	a.time.sync(p, r)
	a.disk.sync(r.Fit)
	a.advice.sync(r)
	if a.state() != before {
		a.box.Refresh()
		return
	}
	relay(a.full)
	a.scroll.Content.Resize(a.scroll.Content.MinSize().Max(a.scroll.Size()))
	relay(a.scroll.Content.(*fyne.Container))
	relay(a.col)
}

// state is what of the column is shown at all.
func (a *answer) state() [3]bool { return [3]bool{a.empty.Hidden, a.full.Hidden, a.old.Hidden} }

// jobText says the job in a line.
func (w *Place) jobText(p core.Plan, j workload.Job) string {
	c := w.c
	parts := []string{w.modelName(j.Model)}
	if j.Width > 0 && j.Height > 0 {
		parts = append(parts, c.T("plan.job.size", "w", j.Width, "h", j.Height))
	}
	if j.Quant != "" {
		parts = append(parts, j.Quant)
	}
	if j.Batch > 1 {
		parts = append(parts, c.T("plan.job.at_once", "n", j.Batch))
	}
	if j.Frames > 1 {
		parts = append(parts, c.T("plan.job.frames", "n", j.Frames))
	}
	for _, of := range []struct {
		n   int
		key string
	}{{j.ControlNets, "plan.job.controlnets"}, {j.LoRAs, "plan.job.loras"}, {j.IPAdapter, "plan.job.ip_adapter"}} {
		if of.n > 0 {
			parts = append(parts, c.T(of.key, "n", of.n))
		}
	}
	if j.Hires != nil {
		parts = append(parts, c.T("plan.job.hires", "x", texts.Number(j.Hires.Scale, decimalsOf(j.Hires.Scale))))
	}
	if j.Upscaler != nil {
		key := "plan.job.upscaler"
		if j.Upscaler.Tile == nil || *j.Upscaler.Tile > 0 {
			key = "plan.job.upscaler.tiled"
		}
		parts = append(parts, c.T(key, "x", max(j.Upscaler.Scale, 1)))
	}
	if j.Kind.Training() {
		parts = append(parts, c.T("plan.kind."+string(j.Kind)))
	}
	switch n := p.Use.Pictures; {
	case j.Kind.Training():
	case n.PerDay > 0 && p.Use.Pattern == workload.Timetable:
		parts = append(parts, c.T("plan.job.lesson", "n", texts.Count(int64(n.PerDay))))
	case n.PerDay > 0:
		parts = append(parts, c.T("plan.job.daily", "n", texts.Count(int64(n.PerDay))))
	case n.Total > 0:
		parts = append(parts, c.T("plan.job.total", "n", texts.Count(int64(n.Total))))
	}
	return strings.Join(parts, " · ")
}

func decimalsOf(v float64) int {
	if v == float64(int(v)) {
		return 0
	}
	return 1
}
