package chart

import (
	"image/color"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"

	"rentgen/assets/texts"
	"rentgen/ui/theme"
)

func TestWheelZoomsAtTheHand(t *testing.T) {
	f := newFixture(t, tenMinutes())
	p := f.at(150_000)
	before := f.timeAt(p)
	f.view.wheel.Scrolled(&fyne.ScrollEvent{PointEvent: fyne.PointEvent{Position: p}, Scrolled: fyne.NewDelta(0, 10)})
	f.settle()
	from, to := f.g.View()
	if to.Sub(from) >= 10*time.Minute {
		t.Errorf("zoomed in to %v", to.Sub(from))
	}
	if d := f.timeAt(p) - before; d > 2000 || d < -2000 {
		t.Errorf("the moment under the hand moved by %d ms", d)
	}
	if f.g.Live() {
		t.Error("still live after a zoom into the past")
	}
}

// TestWheelReachesTheChart turns the wheel over the canvas, where the driver
// looks for what can be scrolled.
func TestWheelReachesTheChart(t *testing.T) {
	f := newFixture(t, tenMinutes())
	test.Scroll(f.w.Canvas(), f.at(150_000), 0, 10)
	if from, to := f.g.View(); to.Sub(from) >= 10*time.Minute {
		t.Error("a turn of the wheel over the plot changes nothing")
	}
}

func TestDragPansAndDoubleClickReturns(t *testing.T) {
	f := newFixture(t, tenMinutes())
	f.Dragged(&fyne.DragEvent{PointEvent: fyne.PointEvent{Position: f.at(300_000)}, Dragged: fyne.NewDelta(f.view.size.Width/2, 0)})
	f.DragEnd()
	f.settle()
	if _, to := f.g.View(); f.g.Live() || to.UnixMilli() > 301_000 || to.UnixMilli() < 299_000 {
		t.Errorf("after dragging by half the plot the view ends at %d", to.UnixMilli())
	}
	if !f.view.notice.Visible() || f.view.notice.text.Text != texts.For(texts.English).T("chart.notlive") {
		t.Error("a chart that is not live must say so")
	}
	test.DoubleTap(f.Chart)
	f.settle()
	if !f.g.Live() || f.view.notice.Visible() {
		t.Error("double click returns to live")
	}
}

func TestNoticeReturnsToLive(t *testing.T) {
	f := newFixture(t, tenMinutes())
	f.g.Pan(-time.Minute)
	f.settle()
	test.Tap(f.view.notice)
	if !f.g.Live() {
		t.Error("pressing the notice must return to live")
	}
}

func TestShiftDragMarksASpan(t *testing.T) {
	f := newFixture(t, tenMinutes())
	var from, to int64
	f.g.OnSelect(func(a, b time.Time) { from, to = a.UnixMilli(), b.UnixMilli() })
	f.MouseDown(&desktop.MouseEvent{PointEvent: fyne.PointEvent{Position: f.at(200_000)}, Modifier: fyne.KeyModifierShift})
	f.Dragged(&fyne.DragEvent{PointEvent: fyne.PointEvent{Position: f.at(100_000)}})
	f.DragEnd()
	if from < 98_000 || from > 102_000 || to < 198_000 || to > 202_000 {
		t.Errorf("marked %d to %d", from, to)
	}
	if !f.g.Live() {
		t.Error("marking must not pan")
	}
	if !f.view.sel.Visible() {
		t.Error("the marked span is not shown")
	}
}

func TestKeyboard(t *testing.T) {
	f := newFixture(t, tenMinutes())
	f.w.Canvas().Focus(f.Chart)
	if !f.focused || f.view.ground.StrokeColor != color.Color(theme.Current().Accent) {
		t.Error("the focus can't be seen")
	}
	f.TypedKey(&fyne.KeyEvent{Name: fyne.KeyLeft})
	if _, to := f.g.View(); to.UnixMilli() != 540_000 {
		t.Errorf("left pans by a tenth: view ends at %d", to.UnixMilli())
	}
	f.TypedRune('+')
	if a, b := f.g.View(); b.Sub(a) != 8*time.Minute {
		t.Errorf("plus shows %v", b.Sub(a))
	}
	f.TypedRune('-')
	if a, b := f.g.View(); b.Sub(a) != 10*time.Minute {
		t.Errorf("minus shows %v", b.Sub(a))
	}
	f.TypedRune(',')
	first, ok := f.g.Cursor()
	f.TypedRune(',')
	second, _ := f.g.Cursor()
	if !ok || !second.Before(first) {
		t.Error("comma must move the crosshair back")
	}
	f.TypedKey(&fyne.KeyEvent{Name: fyne.KeyHome})
	if !f.g.Live() {
		t.Error("Home returns to live")
	}
	f.w.Canvas().Unfocus()
	if _, ok := f.g.Cursor(); ok || f.focused {
		t.Error("losing the focus takes the crosshair away")
	}
}

func TestLegendToggles(t *testing.T) {
	f := newFixture(t, tenMinutes())
	if len(f.view.items) != 2 {
		t.Fatalf("legend has %d entries, want 2", len(f.view.items))
	}
	f.g.SetCursor(time.UnixMilli(300_000))
	test.Tap(f.view.items[1])
	if got := joined(f.Chart); strings.Contains(got, "GPU 1") || !strings.Contains(got, "GPU 0") {
		t.Errorf("after hiding GPU 1 the readout is %q", got)
	}
	f.view.items[1].TypedKey(&fyne.KeyEvent{Name: fyne.KeySpace})
	if got := joined(f.Chart); !strings.Contains(got, "GPU 1") {
		t.Errorf("the space bar must bring it back: %q", got)
	}
}
