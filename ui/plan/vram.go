package plan

import (
	"fmt"
	"image/color"

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

// vram is how much VRAM the job takes, phase by phase, and what lowers it.
type vram struct {
	w      *Place
	box    *fyne.Container
	number *widget.Label
	note   *widget.Label
	bars   *bars
	levers *fyne.Container
	lever  *widget.Label
	doubt  *widget.Label
	all    bool   // every lever is shown
	shown  string // what levers are shown
}

// fewLevers is how many levers are shown at first.
const fewLevers = 4

func newVRAM(w *Place) *vram {
	v := &vram{w: w, number: widget.NewLabel(""), note: widgets.Words(""), doubt: widgets.Words("")}
	v.number.SizeName = theme.SizeHeadline
	v.number.TextStyle.Bold = true
	v.bars = newBars(w)
	v.levers = container.New(widgets.NewFlow(4, w.answer.inner))
	v.lever = widgets.Small(w.c.T("plan.levers"))
	v.doubt.SizeName = fynetheme.SizeNameCaptionText
	v.box = section(heading(w.c.T("plan.vram")),
		container.NewBorder(nil, nil, v.number, nil, container.NewVBox(widgets.Gap(1, 3), v.note)),
		v.bars, v.lever, v.levers, v.doubt)
	return v
}

func (v *vram) sync(f workload.Answer) {
	c := v.w.c
	widgets.SetText(v.number, gib(c, f.VRAM))
	say(v.note, c.T("plan.vram.peak", "phase", c.T("plan.phase."+string(f.Peak))))
	v.bars.set(f)
	v.showLevers(f)
	doubt := ""
	switch {
	case f.Rows == 0:
		doubt = c.T("plan.vram.norows")
	case f.Rows < 3:
		doubt = c.T("plan.vram.thin", "n", f.Rows)
	default:
		doubt = c.T("plan.vram.rows", "n", f.Rows)
	}
	for _, n := range f.Notes {
		doubt += "\n" + c.Say(n)
	}
	say(v.doubt, doubt)
}

// showLevers offers what lowers the peak.
func (v *vram) showLevers(f workload.Answer) {
	c := v.w.c
	key := fmt.Sprint(v.all)
	for _, l := range f.Levers {
		key += fmt.Sprintf(" %s %.1f", l.ID, l.SaveGiB)
	}
	if key == v.shown {
		return
	}
	v.shown = key
	v.levers.Objects = nil
	left := 0
	for _, l := range f.Levers {
		if l.SaveGiB < 0.05 {
			continue
		}
		if len(v.levers.Objects) >= fewLevers && !v.all {
			left++
			continue
		}
		label := c.T("plan.lever.do", "lever", c.T("lever."+l.ID), "gib", texts.WithUnit(texts.Number(l.SaveGiB, 1), "GiB"))
		v.levers.Add(widgets.NewButton(label, nil, func() {
			v.w.p.Desk.Edit("", func(p *core.Plan) { p.Job = l.Apply(p.Job) })
		}))
	}
	if left > 0 {
		v.levers.Add(widgets.Quiet(c.T("plan.levers.more", "n", left), nil, func() {
			v.all = true
			v.w.answer.sync(v.w.p.Desk.Plan())
		}))
	}
	none := len(v.levers.Objects) == 0
	v.levers.Hidden, v.lever.Hidden = none, none
	v.levers.Refresh()
}

// gib says a band of GiB.
func gib(c *texts.Catalogue, b workload.Band) string {
	return oneDigit(c, b.Low, b.High, "GiB")
}

// oneDigit says a band with one digit after the point.
func oneDigit(c *texts.Catalogue, low, high float64, unit string) string {
	l, h := texts.Number(low, 1), texts.Number(high, 1)
	if l == h {
		return texts.WithUnit(h, unit)
	}
	return c.T("format.band", "low", l, "high", texts.WithUnit(h, unit))
}

// bars draws the phases as bars along one scale with the sizes of cards.
type bars struct {
	widget.BaseWidget
	w    *Place
	fit  workload.Answer
	rend *barsRenderer
}

func newBars(w *Place) *bars {
	b := &bars{w: w}
	b.ExtendBaseWidget(b)
	return b
}

func (b *bars) set(f workload.Answer) {
	b.fit = f
	b.Refresh()
}

// sizes are those in which cards come, in GB as they are sold.
var sizes = []float64{8, 12, 16, 24, 32, 40, 48, 80, 96, 141, 192}

// scale returns the greatest GiB shown: the peak and at least one size of card
// beyond it.
func (b *bars) scale() float64 {
	high := b.fit.VRAM.High
	for _, p := range b.fit.Phases {
		high = max(high, p.High)
	}
	for _, s := range sizes {
		if s >= high*1.04 {
			return s * 1.06
		}
	}
	return high * 1.08
}

// CreateRenderer draws the bars.
func (b *bars) CreateRenderer() fyne.WidgetRenderer {
	b.rend = &barsRenderer{b: b}
	b.rend.Refresh()
	return b.rend
}

type barsRenderer struct {
	b       *bars
	objects []fyne.CanvasObject
	lines   []*canvas.Line
	marks   []*canvas.Text
	rows    []barRow
	key     []fyne.CanvasObject // of the colours: patch, word, ...
}

type barRow struct {
	name, value          *canvas.Text
	weights, work, doubt *canvas.Rectangle
	weightsTo, low, high float64
	peak                 bool
}

func (r *barsRenderer) Destroy()                     {}
func (r *barsRenderer) Objects() []fyne.CanvasObject { return r.objects }

func (r *barsRenderer) rowHeight() float32 { return widgets.Scaled(20) }

func (r *barsRenderer) MinSize() fyne.Size {
	n := float32(len(r.rows))
	return fyne.NewSize(200, r.top()+n*r.rowHeight()+widgets.Scaled(20))
}

func (r *barsRenderer) top() float32 { return widgets.Scaled(18) }

// Refresh makes the objects anew: there are few, and they change with the job.
func (r *barsRenderer) Refresh() {
	pal, c := theme.Current(), r.b.w.c
	small, body := fynetheme.CaptionTextSize(), fynetheme.TextSize()
	word := func(s string, size float32, col color.Color, bold bool) *canvas.Text {
		t := canvas.NewText(s, col)
		t.TextSize, t.TextStyle.Bold = size, bold
		return t
	}
	r.objects, r.lines, r.marks, r.rows, r.key = nil, nil, nil, nil, nil
	top := r.b.scale()
	for _, s := range sizes {
		if s > top {
			break
		}
		l := canvas.NewLine(pal.Line)
		l.StrokeWidth = 1
		r.lines = append(r.lines, l)
		r.marks = append(r.marks, word(texts.WithUnit(texts.Number(s, 0), "GB"), small, pal.Faint, false))
		r.objects = append(r.objects, l, r.marks[len(r.marks)-1])
	}
	for _, p := range r.b.fit.Phases {
		peak := p.Phase == r.b.fit.Peak
		row := barRow{
			name:      word(c.T("plan.phase."+string(p.Phase)), body, pal.Text, peak),
			value:     word(gib(c, p.Band), body, pal.Text, peak),
			weights:   canvas.NewRectangle(pal.Series[0]),
			work:      canvas.NewRectangle(pal.Series[1]),
			doubt:     canvas.NewRectangle(color.Transparent),
			weightsTo: min(p.WeightsGiB, p.Low), low: p.Low, high: p.High, peak: peak,
		}
		row.doubt.StrokeColor, row.doubt.StrokeWidth = pal.Text, 1
		d := pal.Text
		d.A = 0x38
		row.doubt.FillColor = d
		row.value.Alignment = fyne.TextAlignTrailing
		if !peak {
			row.value.Color = pal.Faint
		}
		r.rows = append(r.rows, row)
		r.objects = append(r.objects, row.weights, row.work, row.doubt, row.name, row.value)
	}
	for i, key := range []string{"plan.bar.weights", "plan.bar.work", "plan.bar.doubt"} {
		patch := canvas.NewRectangle(color.Transparent)
		switch i {
		case 0:
			patch.FillColor = pal.Series[0]
		case 1:
			patch.FillColor = pal.Series[1]
		default:
			d := pal.Text
			d.A = 0x38
			patch.FillColor, patch.StrokeColor, patch.StrokeWidth = d, pal.Text, 1
		}
		t := word(c.T(key), small, pal.Faint, false)
		r.key = append(r.key, patch, t)
		r.objects = append(r.objects, patch, t)
	}
	r.Layout(r.b.Size())
	canvas.Refresh(r.b)
}

// Layout places names at the left, values at the right and bars between.
func (r *barsRenderer) Layout(size fyne.Size) {
	names, values := float32(0), float32(0)
	for _, row := range r.rows {
		names = max(names, row.name.MinSize().Width)
		values = max(values, row.value.MinSize().Width)
	}
	left, right := names+10, size.Width-values-10
	if right <= left+10 {
		right = left + 10
	}
	top := r.b.scale()
	x := func(v float64) float32 { return left + float32(v/top)*(right-left) }
	h, y0 := r.rowHeight(), r.top()
	bottom := y0 + h*float32(len(r.rows))
	last := left - 100
	n := 0
	for _, s := range sizes {
		if n >= len(r.lines) {
			break
		}
		px := x(s)
		r.lines[n].Position1, r.lines[n].Position2 = fyne.NewPos(px, y0-2), fyne.NewPos(px, bottom)
		m := r.marks[n].MinSize()
		r.marks[n].Move(fyne.NewPos(px-m.Width/2, y0-2-m.Height))
		r.marks[n].Resize(m)
		r.marks[n].Hidden = px-m.Width/2 < last+6 // no room beside the one before
		if !r.marks[n].Hidden {
			last = px + m.Width/2
		}
		n++
	}
	for i, row := range r.rows {
		y := y0 + float32(i)*h
		nm, vm := row.name.MinSize(), row.value.MinSize()
		row.name.Move(fyne.NewPos(0, y+(h-nm.Height)/2))
		row.name.Resize(nm)
		row.value.Move(fyne.NewPos(size.Width-vm.Width, y+(h-vm.Height)/2))
		row.value.Resize(vm)
		thick := h * 0.5
		if row.peak {
			thick = h * 0.74
		}
		bar := func(o *canvas.Rectangle, from, to float64) {
			o.Move(fyne.NewPos(x(from), y+(h-thick)/2))
			o.Resize(fyne.NewSize(max(x(to)-x(from), 0), thick))
		}
		bar(row.weights, 0, row.weightsTo)
		bar(row.work, row.weightsTo, row.low)
		bar(row.doubt, row.low, row.high)
	}
	kx := left
	for i := 0; i+1 < len(r.key); i += 2 {
		d := widgets.Scaled(9)
		m := r.key[i+1].MinSize()
		r.key[i].Move(fyne.NewPos(kx, bottom+5+(m.Height-d)/2))
		r.key[i].Resize(fyne.NewSize(d, d))
		r.key[i+1].Move(fyne.NewPos(kx+d+4, bottom+5))
		r.key[i+1].Resize(m)
		kx += d + m.Width + 16
	}
}
