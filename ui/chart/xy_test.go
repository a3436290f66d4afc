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
