package bill

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/bill/sheet"
	"rentgen/app/money"
	core "rentgen/app/plan"
	"rentgen/assets/texts"
	"rentgen/ui/chart"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

const (
	curvePoints = 97
	mostHours   = 720 // of a month and machine
)

// pictures are the bill drawn: cost by hours, what each offer is made of, what
// would change the answer.
type pictures struct {
	w      *Place
	box    *fyne.Container
	curves *chart.XY
	said   *prose // what overtakes what
	lines  *chart.Bars
	moves  *chart.Bars
	scroll *container.Scroll

	drawn   drawing
	version uint64 // of the plan that drawn is of
	working bool
}

// drawing is what the curves came to.
type drawing struct {
	curves []sheet.Curve
	cross  []sheet.Crossing
	top    float64
	at     float64 // rented hours a month of the plan
}

func newPictures(w *Place) *pictures {
	p, c := &pictures{w: w, said: words("")}, w.c
	if old := w.pictures; old != nil {
		p.drawn, p.version = old.drawn, old.version
	}
	p.curves, p.lines, p.moves = chart.NewXY(""), chart.NewBars(""), chart.NewBars("")
	col := container.NewVBox(
		p.title("billpage.pic.curves", p.curvesPNG, w.curvesCSV),
		widgets.AtLeast(fyne.NewSize(200, widgets.Scaled(250)), p.curves), p.said,
		p.title("billpage.pic.lines", p.linesPNG, w.linesCSV), p.lines,
		p.title("billpage.pic.moves", p.movesPNG, w.movesCSV), quiet(c.T("billpage.pic.moves.how")), p.moves, widgets.Gap(1, 6))
	p.scroll = container.NewVScroll(container.New(&beside{}, col))
	p.box = widgets.Card(4, p.scroll)
	p.box.Hide()
	return p
}

func (p *pictures) title(key string, png, csv func()) fyne.CanvasObject {
	c := p.w.c
	l := widget.NewLabel(c.T(key))
	l.TextStyle.Bold = true
	l.Truncation = fyne.TextTruncateEllipsis
	return container.NewBorder(nil, nil, nil, container.NewHBox(
		widgets.Quiet(c.T("billpage.pic.png"), theme.Icon("picture"), png),
		widgets.Quiet("CSV", theme.Icon("table"), csv)), l)
}

// resize tells what is drawn how wide it will be: it is seen now.
func (p *pictures) resize(width float32) {
	inner := width - 8 - fynetheme.ScrollBarSize() - 2
	p.lines.SetWidth(inner)
	p.moves.SetWidth(inner)
	if p.w.shown {
		p.ensure()
	}
}

// slot is the colour of an offer: its place in the plan.
func (w *Place) slot(name string) int {
	for i, b := range w.good.Sheet.Bills {
		if b.Name == name {
			return i
		}
	}
	return 0
}

func (p *pictures) sync() {
	p.showLines()
	p.showMoves()
	p.showCurves()
}

// ensure draws the curves of the plan of now, off the UI thread and one
// drawing at a time.
func (p *pictures) ensure() {
	w := p.w
	if p.working || p.version == w.version || w.p.Curves == nil {
		return
	}
	p.working = true
	version, plan, result := w.version, w.p.Desk.Plan(), w.good
	w.p.Go(func() {
		d := draw(w.p.Curves, plan, result)
		w.p.Do(func() {
			p.working = false
			p.drawn, p.version = d, version
			if w.pictures != p { // the language changed meanwhile
				w.pictures.drawn, w.pictures.version = d, version
			}
			w.pictures.showCurves()
			if w.shown && w.pictures.box.Visible() {
				w.pictures.ensure()
			}
		})
	})
}

// draw finds the stretch of hours that shows where the answer turns.
func draw(curves func(core.Plan, core.Result, float64, int) ([]sheet.Curve, []sheet.Crossing), p core.Plan, r core.Result) drawing {
	d := drawing{top: mostHours}
	machines := 1.0
	for _, b := range r.Sheet.Bills {
		if b.Status == sheet.OK && !b.Offer.Hidden && !b.Mixed {
			d.at = b.Usage.Rented.Point.Float64() * 30 / float64(max(r.Sheet.Days, 1))
			machines = float64(max(b.Usage.Machines, 1) * max(b.Offer.Count, 1))
			break
		}
	}
	d.top = max(mostHours*min(machines, 1), mostHours)
	if d.at > mostHours {
		d.top = mostHours * machines
	}
	d.curves, d.cross = curves(p, r, d.top, curvePoints)
	last := 0.0
	for _, x := range d.cross {
		if x.Least {
			last = max(last, x.Hours)
		}
	}
	if want := max(last*1.35, d.at*1.6, 24); last > 0 && want < d.top*0.6 {
		d.top = want
		d.curves, d.cross = curves(p, r, d.top, curvePoints)
	}
	return d
}

func (p *pictures) curvesData() chart.XYData {
	w, c := p.w, p.w.c
	cur := w.good.Sheet.Currency
	d := chart.XYData{
		Top: p.drawn.top, XUnit: c.T("billpage.pic.hours"), Unit: string(cur), At: p.drawn.at,
		AtText: c.T("billpage.pic.you", "hours", texts.Number(p.drawn.at, 0)),
		Value:  func(v float64) string { return sheet.Money(c, money.Float(v), cur) },
	}
	for _, k := range p.drawn.curves {
		if len(k.Hours) > 0 {
			d.Series = append(d.Series, chart.XYSeries{Name: k.Offer, Slot: w.slot(k.Offer), X: k.Hours, Low: k.Low, Mid: k.Point, High: k.High})
		}
	}
	for _, x := range p.drawn.cross {
		text := texts.WithUnit(texts.Number(x.Hours, 0), c.T("term.unit.h"))
		d.Marks = append(d.Marks, chart.XYMark{X: x.Hours, Y: x.Cost, Text: text, Strong: x.Least})
	}
	if len(d.Series) == 0 {
		d.Missing = c.T("billpage.pic.none")
	}
	return d
}

func (p *pictures) showCurves() {
	c := p.w.c
	p.curves.SetData(p.curvesData())
	text := ""
	for _, x := range p.drawn.cross {
		if !x.Least {
			continue
		}
		s := c.T("billpage.pic.cross", "a", x.A, "b", x.B, "hours", texts.Number(x.Hours, 0))
		if text != "" {
			s = text + "\n" + s
		}
		text = s
	}
	if text == "" && len(p.drawn.curves) > 1 {
		text = c.T("billpage.pic.nocross")
	}
	p.said.SetText(text)
	p.said.Hidden = text == ""
}

// pieces are what the bars of a bill are made of, with the lines of each.
var pieces = []struct {
	id    string
	lines []string
}{
	{"paint", []string{sheet.LineCompute}},
	{"package", []string{sheet.LinePackage, sheet.LineOverage}},
	{"idle", []string{sheet.LineIdle}},
	{"start", []string{sheet.LineStart, sheet.LineRounding}},
	{"again", []string{sheet.LineRerun, sheet.LineMaxLife, sheet.LineRelease}},
	{"disk", []string{sheet.LineStopped, sheet.LineSystemDisk, sheet.LineDataDisk, sheet.LineSnapshot, sheet.LineSystemImage}},
	{"net", []string{sheet.LineBandwidth, sheet.LineTraffic, sheet.LineCrossRegion, sheet.LineIP, sheet.LineTransfer}},
	{"first", []string{sheet.LineValidation}},
	{"own", []string{sheet.LineOps}},
	{"tax", []string{sheet.LineTax}},
	{"unknown", []string{sheet.LineUnknown}},
	{"discount", []string{sheet.LineDiscount}},
}

func (p *pictures) linesData() chart.BarsData {
	w, c := p.w, p.w.c
	var d chart.BarsData
	used := map[int]bool{}
	for _, i := range w.columns() {
		b := w.good.Sheet.Bills[i]
		if b.Status != sheet.OK {
			d.Bars = append(d.Bars, chart.Bar{Name: b.Name, Text: c.T("bill.status." + string(b.Status))})
			continue
		}
		bar := chart.Bar{Name: b.Name, Text: sheet.MoneyBand(c, b.Total, b.Currency)}
		for slot, piece := range pieces {
			sum := money.Rat{}
			for _, l := range b.Lines {
				for _, id := range piece.lines {
					if l.ID == id && l.Hours == nil {
						sum = sum.Add(l.Amount.Point)
					}
				}
			}
			if !sum.IsZero() {
				bar.Parts = append(bar.Parts, chart.BarPart{Slot: slot, Value: sum.Float64()})
				used[slot] = true
			}
		}
		bar.Low, bar.High = b.Total.Low.Float64(), b.Total.High.Float64()
		d.Bars = append(d.Bars, bar)
	}
	for slot, piece := range pieces {
		if used[slot] {
			d.Legend = append(d.Legend, chart.BarKey{Slot: slot, Name: c.T("billpage.piece." + piece.id)})
		}
	}
	if len(d.Bars) == 0 {
		d.Missing = c.T("billpage.pic.none")
	}
	return d
}

func (p *pictures) showLines() { p.lines.SetData(p.linesData()) }

const mostMoves = 8

func (p *pictures) movesData() chart.BarsData {
	w, c := p.w, p.w.c
	d := chart.BarsData{Above: true}
	for i, m := range w.good.Sheet.Moves {
		if i == mostMoves {
			break
		}
		v := m.Share.Float64()
		text := "+" + texts.Percent(v*100)
		if m.To.Less(m.From) {
			v = -v
			text = texts.Percent(v * 100)
		}
		if m.From.IsZero() {
			text = "" // nothing to be a share of
		}
		if v > 3 { // a bar of its length would flatten the others
			v = 3
		}
		d.Bars = append(d.Bars, chart.Bar{
			Name: c.Say(m.Say()), Text: text, Side: true, Parts: []chart.BarPart{{Slot: w.slot(m.Then), Value: v}},
			Open: w.opener(m),
		})
	}
	if len(d.Bars) == 0 {
		d.Missing = c.T("billpage.pic.nomoves")
		if w.noMixed {
			d.Missing = c.T("billpage.pic.nomoves.hidden")
		}
	}
	return d
}

// opener opens the input that a move is of: the price of an offer, or the plan,
// which has the hours and the chance that trying out fails. It is nil where
// there is no way there.
func (w *Place) opener(m sheet.Move) func() {
	if m.Input != "price" && m.Input != "package_price" {
		return w.p.Plan
	}
	for i, o := range w.p.Desk.Plan().Offers {
		if o.Name == m.Offer {
			return func() { w.openEditor(i, "", priceField) }
		}
	}
	return nil
}

func (p *pictures) showMoves() { p.moves.SetData(p.movesData()) }
