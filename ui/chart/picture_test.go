package chart

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/software"
	"fyne.io/fyne/v2/test"

	"rentgen/assets/texts"
	"rentgen/ui/theme"
	"rentgen/ui/uitest"
)

// TestPictures writes charts as PNG into RENTGEN_PICTURES, to be looked at.
func TestPictures(t *testing.T) {
	dir := os.Getenv("RENTGEN_PICTURES")
	if dir == "" {
		t.Skip("RENTGEN_PICTURES is not set")
	}
	DefaultPace = Immediate
	t.Cleanup(func() { DefaultPace = Pace{} })
	a := test.NewTempApp(t)
	for _, lang := range texts.Langs() {
		for _, ground := range []theme.Ground{theme.Dark, theme.Light} {
			a.Settings().SetTheme(theme.New(theme.Params{Ground: ground}))
			c := texts.For(lang)
			g := NewGroup()
			o := container.NewGridWithColumns(2,
				sampleChart(c, g, "GPU", "%", 100, 0), sampleChart(c, g, "VRAM", "MiB", 24564, 1),
				sampleChart(c, g, "Power", "W", 0, 2), missingChart(c, g),
				sampleSpark(g), sampleSpark(g))
			cv := software.NewCanvas()
			cv.SetContent(o)
			cv.Resize(fyne.NewSize(1100, 620))
			g.SetCursor(base.Add(-150 * time.Second))
			g.Redraw()
			uitest.Save(t, filepath.Join(dir, "chart-"+string(lang)+"-"+string(ground)+".png"), cv)
			g.Pan(-time.Minute)
			g.SetCursor(base.Add(-210 * time.Second))
			g.Select(base.Add(-300*time.Second), base.Add(-250*time.Second))
			g.Redraw()
			uitest.Save(t, filepath.Join(dir, "chart-notlive-"+string(lang)+"-"+string(ground)+".png"), cv)
		}
	}
}

var base = time.Date(2026, 11, 29, 10, 55, 0, 0, time.Local)

func sampleChart(c *texts.Catalogue, g *Group, title, unit string, fixed float64, slot int) *Chart {
	ch := New(Params{Title: title, Texts: c, Group: g})
	r := rand.New(rand.NewPCG(1, uint64(slot)))
	var d Data
	d.Unit, d.Fixed = unit, fixed
	top := fixed
	if top == 0 {
		top = 460
		d.Limits = []Limit{{Value: 450, Label: "450 W"}}
	}
	for k := range 2 {
		s := d.Grow([]string{"GPU 0", "GPU 1"}[k], slot+k*6)
		s.Step, s.Fill = 1000, unit == "MiB" && k == 0
		for i := range 600 {
			v := top * (0.6 - 0.2*float64(k) + 0.25*math.Sin(float64(i)/40+float64(k)) + 0.1*r.Float64())
			s.AddSpan(base.UnixMilli()-int64(600-i)*1000, v*0.95, v*1.03, v)
		}
	}
	d.Gaps = []Gap{{From: base.UnixMilli() - 220_000, To: base.UnixMilli() - 200_000, Reason: c.T("gap.link")}}
	d.Marks = []Mark{{T: base.UnixMilli() - 148_000, Text: c.T("xid.13"), Level: Fail}, {T: base.UnixMilli() - 100_000, Text: "x", Level: Warn}}
	d.Bands = []Band{{From: base.UnixMilli() - 120_000, To: base.UnixMilli() - 20_000, Level: Good}}
	ch.SetData(d)
	ch.SetValue("97 %")
	g.SetNow(base)
	return ch
}

func missingChart(c *texts.Catalogue, g *Group) *Chart {
	ch := New(Params{Title: "PCIe", Texts: c, Group: g})
	ch.SetData(Data{Missing: texts.Missing(c, "denied", "")})
	return ch
}

func sampleSpark(g *Group) *Spark {
	s := NewSpark(SparkParams{Group: g})
	var d Data
	d.Unit, d.Fixed = "%", 100
	e := d.Grow("x", 0)
	for i := range 300 {
		e.Add(base.UnixMilli()-int64(300-i)*1000, 50+40*math.Sin(float64(i)/10))
	}
	s.SetData(d)
	return s
}
