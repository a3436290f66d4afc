package chart

import (
	"math"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"

	"rentgen/assets/texts"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// fixture is a chart on a test canvas whose time stands still.
type fixture struct {
	*Chart
	h *hand
	g *Group
	w fyne.Window
}

func newFixture(t *testing.T, d Data) *fixture {
	t.Helper()
	a := test.NewTempApp(t)
	a.Settings().SetTheme(theme.New(theme.Params{Ground: theme.Dark}))
	f := &fixture{h: newHand()}
	f.h.now = time.UnixMilli(600_000)
	f.g = NewPacedGroup(f.h.pace())
	f.g.SetSpan(10 * time.Minute)
	f.g.SetNow(f.h.now)
	f.Chart = New(Params{Title: "GPU", Texts: texts.For(texts.English), Group: f.g})
	f.w = test.NewTempWindow(t, f.Chart)
	f.w.SetPadded(false)
	f.w.Resize(fyne.NewSize(640, 260))
	f.SetData(d)
	f.settle()
	return f
}

// settle lets what is due be drawn.
func (f *fixture) settle() { f.h.run(time.Second) }

// tenMinutes is two series of 600 readings that end at 600 s.
func tenMinutes() Data {
	var d Data
	d.Unit = "W"
	for k, name := range []string{"GPU 0", "GPU 1"} {
		s := d.Grow(name, k)
		s.Step = 1000
		for i := range 601 {
			s.Add(int64(i)*1000, float64(100+100*k))
		}
	}
	d.Gaps = []Gap{{From: 100_500, To: 200_500, Reason: "no connection to the host"}}
	d.Marks = []Mark{{T: 400_000, Text: "GPU error 13", Level: Fail}}
	d.Limits = []Limit{{Value: 450, Label: "450 W"}}
	return d
}

// at is the position of a moment in the plot.
func (f *fixture) at(ms int64) fyne.Position {
	s := &f.snap
	return fyne.NewPos(f.view.pos.X+s.x(ms, 1)*f.view.size.Width, f.view.pos.Y+f.view.size.Height/2)
}

func (f *fixture) move(ms int64) {
	f.MouseMoved(&desktop.MouseEvent{PointEvent: fyne.PointEvent{Position: f.at(ms)}})
}

func joined(c *Chart) string { return strings.Join(c.Values(), "\n") }

func TestReadoutSaysTimeAndValues(t *testing.T) {
	f := newFixture(t, tenMinutes())
	f.move(300_000)
	got := joined(f.Chart)
	want := texts.Clock(f.g.members[0].(*Chart).cursorTime())
	for _, w := range []string{want, "GPU 0 100\u2009W", "GPU 1 200\u2009W"} {
		if !strings.Contains(got, w) {
			t.Errorf("readout %q lacks %q", got, w)
		}
	}
	if !f.view.line.Visible() || !f.view.read.box.Visible() {
		t.Error("crosshair or readout is not shown")
	}
	f.MouseOut()
	if f.view.line.Visible() || f.view.read.box.Visible() || f.Values() != nil {
		t.Error("crosshair stays after the hand has left")
	}
}

// cursorTime is where the group's crosshair stands.
func (c *Chart) cursorTime() time.Time { t, _ := c.group.Cursor(); return t }

func TestGapSaysItsReason(t *testing.T) {
	f := newFixture(t, tenMinutes())
	f.move(150_000)
	if got := joined(f.Chart); !strings.Contains(got, "no connection to the host") || strings.Contains(got, "GPU 0") {
		t.Errorf("readout in a gap is %q", got)
	}
}

func TestMarkSaysItsText(t *testing.T) {
	f := newFixture(t, tenMinutes())
	f.move(401_000)
	if got := joined(f.Chart); !strings.Contains(got, "GPU error 13") {
		t.Errorf("readout near a mark is %q", got)
	}
	f.move(450_000)
	if got := joined(f.Chart); strings.Contains(got, "GPU error 13") {
		t.Errorf("readout far from the mark is %q", got)
	}
}

func TestMissingReadingIsADash(t *testing.T) {
	d := tenMinutes()
	for i := 290; i < 310; i++ {
		d.Series[0].Mean[i] = nan32
	}
	f := newFixture(t, d)
	f.move(300_000)
	if got := joined(f.Chart); !strings.Contains(got, "GPU 0 –") {
		t.Errorf("readout of a missing reading is %q", got)
	}
}

func TestSharedCrosshair(t *testing.T) {
	f := newFixture(t, tenMinutes())
	other := New(Params{Title: "Power", Group: f.g})
	w := test.NewTempWindow(t, other)
	w.Resize(fyne.NewSize(300, 200))
	other.SetData(tenMinutes())
	f.settle()
	f.move(300_000)
	if !other.view.line.Visible() || len(other.Values()) != 3 {
		t.Errorf("the other chart says %q", other.Values())
	}
}

func TestRecordingIsNeverCalledNotLive(t *testing.T) {
	f := newFixture(t, tenMinutes())
	f.g.SetHome(time.UnixMilli(0), time.UnixMilli(600_000))
	f.settle()
	if f.view.notice.Visible() {
		t.Error("a recording has no live")
	}
}

func TestSeriesStartsHidden(t *testing.T) {
	d := tenMinutes()
	d.Series[1].Hidden = true
	f := newFixture(t, d)
	if !f.isHidden("GPU 1") || f.isHidden("GPU 0") {
		t.Error("a series that says so starts hidden")
	}
	f.Toggle("GPU 1")
	f.SetData(d)
	f.settle()
	if f.isHidden("GPU 1") {
		t.Error("new data must not undo what the user chose")
	}
}

func TestAxisStandsWhileTheHandIsOnIt(t *testing.T) {
	f := newFixture(t, tenMinutes())
	f.MouseIn(&desktop.MouseEvent{PointEvent: fyne.PointEvent{Position: f.at(300_000)}})
	before := f.axis.top
	d := tenMinutes()
	for i := range d.Series[0].Max {
		d.Series[0].Max[i], d.Series[0].Mean[i] = 2000, 2000
	}
	f.SetData(d)
	f.settle()
	if f.axis.top != before {
		t.Errorf("the axis went from %v to %v under the hand", before, f.axis.top)
	}
	f.MouseOut()
	f.settle()
	if f.axis.top < 2000 {
		t.Errorf("the axis stays at %v after the hand has left", f.axis.top)
	}
}

func TestAxisDoesNotJumpToAndFro(t *testing.T) {
	f := newFixture(t, Data{})
	flat := func(v float64) {
		var d Data
		d.Unit = "MB/s"
		s := d.Grow("a", 0)
		for i := range 601 {
			s.Add(int64(i)*1000, v)
		}
		f.SetData(d)
		f.settle()
	}
	flat(410)
	top := f.axis.top
	flat(390)
	if f.axis.top != top {
		t.Errorf("the axis went from %v to %v for a few less", top, f.axis.top)
	}
	flat(100)
	if f.axis.top >= top {
		t.Errorf("the axis stays at %v far above the line", f.axis.top)
	}
}

func TestMissingSaysWhy(t *testing.T) {
	f := newFixture(t, Data{Missing: "not offered by this card"})
	f.move(300_000)
	if f.view.missing.used != 1 || f.view.missing.all[0].Text != "not offered by this card" {
		t.Error("the sentence is not shown")
	}
	if f.view.yLabels.used != 0 || f.view.line.Visible() {
		t.Error("an axis or a crosshair is drawn where there is nothing")
	}
	f.SetData(tenMinutes())
	f.settle()
	if f.view.missing.used != 0 || f.view.yLabels.used == 0 {
		t.Error("the chart does not come back")
	}
}

func TestSourceIsAskedOnlyWhileShown(t *testing.T) {
	f := newFixture(t, Data{})
	asked := 0
	f.SetSource(func(from, to time.Time, d *Data) {
		asked++
		d.Unit, d.Fixed = "%", 100
		d.Grow("a", 0).Add(from.UnixMilli(), 1)
	})
	f.settle()
	if asked == 0 {
		t.Fatal("the source was not asked")
	}
	before := asked
	f.Hide()
	f.g.SetNow(f.h.now)
	f.settle()
	if asked != before {
		t.Error("a hidden chart asks for data")
	}
	f.Show()
	if asked != before+1 {
		t.Errorf("coming back asks %d times, want once", asked-before)
	}
}

func TestImage(t *testing.T) {
	f := newFixture(t, tenMinutes())
	f.SetValue("97 %")
	img := f.Image(800, 300)
	if b := img.Bounds(); b.Dx() != 800 || b.Dy() != 300 {
		t.Fatalf("picture is %v", b)
	}
	blue, _ := theme.Current().SeriesOf(0)
	n := 0
	for y := range 300 {
		for x := range 800 {
			r, g, b, _ := img.At(x, y).RGBA()
			if uint8(r>>8) == blue.R && uint8(g>>8) == blue.G && uint8(b>>8) == blue.B {
				n++
			}
		}
	}
	if n < 200 {
		t.Errorf("only %d pixels of the first series in the picture", n)
	}
	if f.view == nil || !f.Visible() || len(f.g.members) != 1 {
		t.Error("taking a picture must leave the chart alone")
	}
}

func TestSpark(t *testing.T) {
	test.NewTempApp(t)
	h := newHand()
	g := NewPacedGroup(h.pace())
	g.SetNow(time.UnixMilli(600_000))
	s := NewSpark(SparkParams{Group: g})
	w := test.NewTempWindow(t, s)
	w.Resize(fyne.NewSize(80, 24))
	h.run(time.Second)
	if !s.dash.Visible() {
		t.Error("a spark without data shows a dash")
	}
	s.SetData(tenMinutes())
	h.run(time.Second)
	if s.dash.Visible() {
		t.Error("the dash stays")
	}
	s.SetData(Data{Missing: "denied"})
	h.run(time.Second)
	if !s.dash.Visible() {
		t.Error("a missing metric shows a dash")
	}
	g.Remove(s)
	if len(g.members) != 0 {
		t.Error("the spark was not removed")
	}
}

func TestWrap(t *testing.T) {
	test.NewTempApp(t)
	for _, s := range []string{"not offered by this card and its driver", "这张卡不提供这一项读数，请换一张卡试试", "x", ""} {
		lines := widgets.Wrap(s, 80, 13, fyne.TextStyle{})
		if got := strings.Join(lines, ""); strings.ReplaceAll(got, " ", "") != strings.ReplaceAll(s, " ", "") {
			t.Errorf("wrapping lost text: %q from %q", got, s)
		}
		for _, l := range lines {
			if fyne.MeasureText(l, 13, fyne.TextStyle{}).Width > 90 {
				t.Errorf("line %q is too wide", l)
			}
		}
	}
}

// BenchmarkRedraw is all that a redraw costs on the UI thread beside the
// upload: snapshot, labels and frame.
func BenchmarkRedraw(b *testing.B) {
	a := test.NewTempApp(b)
	a.Settings().SetTheme(theme.New(theme.Params{Ground: theme.Dark}))
	g := NewPacedGroup(Immediate)
	g.SetHome(time.UnixMilli(0), time.UnixMilli(3600_000))
	c := New(Params{Title: "GPU", Group: g})
	w := test.NewTempWindow(b, c)
	w.Resize(fyne.NewSize(1200, 300))
	c.SetData(*longData())
	b.ReportAllocs()
	for b.Loop() {
		c.redraw()
		c.generate(1150, 250)
	}
}

var nan32 = float32(math.NaN())
