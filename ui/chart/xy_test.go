package chart

import (
	"image"
	"image/color"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"rentgen/ui/theme"
)

// twoLines cross at 50, where both are 100.
func twoLines() XYData {
	return XYData{
		Top: 100, XUnit: "h", Unit: "CNY", At: 20, AtText: "you: 20 h",
		Series: []XYSeries{
			{Name: "rising", Slot: 0, X: []float64{0, 100}, Low: []float64{0, 150}, Mid: []float64{0, 200}, High: []float64{0, 250}},
			{Name: "flat", Slot: 7, X: []float64{0, 80}, Low: []float64{100, 100}, Mid: []float64{100, 100}, High: []float64{100, 100}},
		},
		Marks: []XYMark{{X: 50, Y: 100, Text: "50 h", Strong: true}},
	}
}

func shownXY(t *testing.T, d XYData) *XY {
	a := test.NewTempApp(t)
	a.Settings().SetTheme(theme.New(theme.Params{Ground: theme.Dark}))
	x := NewXY("Cost")
	x.SetData(d)
	w := a.NewWindow("")
	w.SetPadded(false)
	w.SetContent(x)
	w.Resize(fyne.NewSize(400, 300))
	return x
}

func TestXYSaysWhatIsAtTheHand(t *testing.T) {
	x := shownXY(t, twoLines())
	if x.Values() != nil {
		t.Error("values without a hand")
	}
	x.SetCursor(50)
	got := strings.Join(x.Values(), "|")
	want := "50\u2009h|rising  75.00\u2009CNY – 125.00\u2009CNY|flat  100.00\u2009CNY|50 h"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	x.SetCursor(90) // beyond the second line
	if n := len(x.Values()); n != 2 {
		t.Errorf("%d values where one line has ended", n)
	}
	x.Toggle("rising")
	if n := len(x.Values()); n != 1 {
		t.Errorf("%d values with the line hidden", n)
	}
	x.TypedKey(&fyne.KeyEvent{Name: fyne.KeyHome})
	if x.cursor != 0 {
		t.Errorf("Home leads to %v", x.cursor)
	}
	x.TypedKey(&fyne.KeyEvent{Name: fyne.KeyLeft})
	if x.cursor != 0 {
		t.Errorf("the hand leaves the axis: %v", x.cursor)
	}
}

// near reports whether a colour is seen within two pixels of a point.
func near(img image.Image, x, y int, c color.NRGBA) bool {
	for dx := -2; dx <= 2; dx++ {
		for dy := -2; dy <= 2; dy++ {
			r, g, b, _ := img.At(x+dx, y+dy).RGBA()
			if uint8(r>>8) == c.R && uint8(g>>8) == c.G && uint8(b>>8) == c.B {
				return true
			}
		}
	}
	return false
}

func TestXYDrawsItsLines(t *testing.T) {
	d := twoLines()
	d.Marks = nil
	x := shownXY(t, d)
	img := x.plot.draw(x, 400, 200, 1)
	p := theme.Current()
	y := func(v float64) int { return int(float64(199) - v/x.view.axis.top*198) }
	if !near(img, 300, y(150), p.Series[0]) {
		t.Error("the rising line is not where its values are")
	}
	if !near(img, 100, y(100), p.Series[1]) && !near(img, 105, y(100), p.Series[1]) {
		t.Error("the dashed line is not drawn")
	}
	if near(img, 380, y(100), p.Series[1]) {
		t.Error("a line goes on beyond its end")
	}
	d.Missing = "nothing to show"
	x.SetData(d)
	img = x.plot.draw(x, 400, 200, 1)
	if near(img, 300, y(150), p.Series[0]) {
		t.Error("a line under the sentence that says there is none")
	}
	if b := x.Image(600, 320).Bounds(); b.Dx() != 600 || b.Dy() != 320 {
		t.Errorf("a picture of %v", b)
	}
}

func TestBarsPlaceTheirParts(t *testing.T) {
	a := test.NewTempApp(t)
	a.Settings().SetTheme(theme.New(theme.Params{Ground: theme.Light}))
	b := NewBars("Parts")
	b.SetData(BarsData{
		Bars: []Bar{
			{Name: "a", Parts: []BarPart{{0, 60}, {2, 40}}, Low: 90, High: 120, Text: "100"},
			{Name: "b", Parts: []BarPart{{0, 60}, {11, -10}}, Text: "50"},
		},
		Legend: []BarKey{{0, "first"}, {2, "second"}},
	})
	w := a.NewWindow("")
	w.SetPadded(false)
	w.SetContent(b)
	w.Resize(fyne.NewSize(500, 200))
	v := test.WidgetRenderer(b).(*barsView)
	if v.min != 0 || v.max != 120 {
		t.Errorf("the axis is from %v to %v", v.min, v.max)
	}
	img := v.draw(240, 60)
	p := theme.Current()
	if !near(img, 60, 4, p.Series[0]) || !near(img, 160, 4, p.Series[2]) || near(img, 230, 2, p.Series[2]) {
		t.Error("the parts are not where their values are")
	}
	if b.Image(700).Bounds().Dx() != 700 {
		t.Error("the picture has another width")
	}
}

func TestBarsOfChangesGoBothWays(t *testing.T) {
	a := test.NewTempApp(t)
	a.Settings().SetTheme(theme.New(theme.Params{Ground: theme.Dark}))
	b := NewBars("")
	long := strings.Repeat("a sentence that is longer than the bar ", 5)
	b.SetData(BarsData{Above: true, Bars: []Bar{
		{Name: long, Side: true, Parts: []BarPart{{0, -0.5}}, Text: "−50 %"},
		{Name: "up", Side: true, Parts: []BarPart{{1, 1}}, Text: "+100 %"},
	}})
	b.SetWidth(900)
	wide := b.MinSize().Height
	b.SetWidth(260)
	if narrow := b.MinSize().Height; narrow <= wide {
		t.Errorf("wrapped into %v it needs %v, else %v", 260, narrow, wide)
	}
	w := a.NewWindow("")
	w.SetPadded(false)
	w.SetContent(b)
	w.Resize(fyne.NewSize(500, 300))
	v := test.WidgetRenderer(b).(*barsView)
	if v.min != -0.5 || v.max != 1 {
		t.Errorf("the axis is from %v to %v", v.min, v.max)
	}
	b.SetData(BarsData{Missing: "no change turns it"})
	if v.raster.Visible() {
		t.Error("bars are drawn beside the sentence that says there are none")
	}
}

// TestXYLabelsNeverOverlap draws twelve lines that cross everywhere.
func TestXYLabelsNeverOverlap(t *testing.T) {
	d := XYData{Top: 720, XUnit: "h a month", Unit: "CNY", At: 84, AtText: "you: 84 h"}
	for i := range 12 {
		y := func(x float64) float64 { return float64(i)*90 + x*(2.4-float64(i)*0.2) }
		d.Series = append(d.Series, XYSeries{
			Name: strings.Repeat("offer of a long name ", 1+i%3), Slot: i, X: []float64{0, 720},
			Low: []float64{y(0) * 0.9, y(720) * 0.9}, Mid: []float64{y(0), y(720)}, High: []float64{y(0) * 1.2, y(720) * 1.2},
		})
		for j := range i {
			x := 40 + float64(j*53+i*31)
			d.Marks = append(d.Marks, XYMark{X: x, Y: y(x), Text: "212 h", Strong: true})
		}
	}
	x := shownXY(t, d)
	for _, size := range []fyne.Size{{Width: 380, Height: 250}, {Width: 500, Height: 260}, {Width: 1200, Height: 640}} {
		x.Resize(size)
		var all []box
		var said []string
		for _, l := range x.view.labels.all {
			if !l.Visible() || l.Text == "" {
				continue
			}
			p, m := l.Position(), l.MinSize()
			b := box{p.X, p.Y + 3, p.X + m.Width, p.Y + m.Height - 3}
			for k, o := range all {
				if b.meets(o) {
					t.Errorf("%v: %q lies over %q", size, l.Text, said[k])
				}
			}
			all, said = append(all, b), append(said, l.Text)
		}
		end := float32(0)
		for i, it := range x.view.items {
			if p := it.Position(); p.X < 0 || p.X+it.Size().Width > size.Width {
				t.Errorf("%v: entry %d of the legend goes beyond the chart", size, i)
			}
			end = max(end, it.Position().Y+it.Size().Height)
		}
		if x.view.pos.Y < end || x.view.size.Height < 60 {
			t.Errorf("%v: the legend ends at %v, the plot begins at %v and is %v high", size, end, x.view.pos.Y, x.view.size.Height)
		}
	}
}

// TestBandsHaveEnds looks for the ends of a band in the colour of its line.
func TestBandsHaveEnds(t *testing.T) {
	d := twoLines()
	d.Marks, d.At = nil, 0
	d.Series = d.Series[:1]
	x := shownXY(t, d)
	img := x.plot.draw(x, 400, 200, 1)
	p := theme.Current()
	far := func(x, y int) int { // from the ground
		r, g, b, _ := img.At(x, y).RGBA()
		abs := func(a uint32, c uint8) int { return max(int(a>>8)-int(c), int(c)-int(a>>8)) }
		return abs(r, p.Panel.R) + abs(g, p.Panel.G) + abs(b, p.Panel.B)
	}
	for _, v := range []float64{250 * 0.75, 150 * 0.75} { // at 75 of 100
		y := int(199 - v/x.view.axis.top*198)
		edge := max(far(299, y-2), far(299, y-1), far(299, y), far(299, y+1), far(299, y+2))
		if in := far(299, int(199-170*0.75/x.view.axis.top*198)); edge < in+20 {
			t.Errorf("the end at %v is %d from the ground, the band itself %d", v, edge, in)
		}
	}
}

func TestBarsArePressed(t *testing.T) {
	a := test.NewTempApp(t)
	a.Settings().SetTheme(theme.New(theme.Params{Ground: theme.Dark}))
	b := NewBars("")
	opened := ""
	b.SetData(BarsData{Above: true, Bars: []Bar{
		{Name: "first", Side: true, Parts: []BarPart{{0, 1}}, Open: func() { opened = "first" }},
		{Name: "no way", Side: true, Parts: []BarPart{{0, 1}}},
		{Name: "third", Side: true, Parts: []BarPart{{1, -1}}, Open: func() { opened = "third" }},
	}})
	w := a.NewWindow("")
	w.SetPadded(false)
	w.SetContent(b)
	w.Resize(fyne.NewSize(500, 200))
	rows := b.view.rows
	for i, want := range []string{"first", "", "third"} {
		opened = ""
		b.Tapped(&fyne.PointEvent{Position: fyne.NewPos(60, rows[i][1]-3)})
		if opened != want {
			t.Errorf("bar %d opens %q", i, opened)
		}
	}
	w.Canvas().Focus(b)
	opened = ""
	b.chosen = 0
	b.TypedKey(&fyne.KeyEvent{Name: fyne.KeyDown})
	b.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	if opened != "third" || !b.view.under.Visible() {
		t.Errorf("the keyboard opens %q", opened)
	}
	b.SetData(BarsData{Missing: "none"})
	if !b.Disabled() {
		t.Error("the keyboard stops where nothing opens")
	}
}
