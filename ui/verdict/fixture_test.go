package verdict_test

import (
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/judge"
	"rentgen/assets/texts"
	"rentgen/ui/theme"
	"rentgen/ui/uitest"
	"rentgen/ui/verdict"
	"rentgen/ui/widgets"
)

var now = time.Date(2026, 11, 30, 10, 57, 30, 0, time.Local)

// rig is a window with parameters for widgets in it.
type rig struct {
	win    fyne.Window
	p      verdict.Params
	now    time.Time
	jumped []judge.Verdict
}

func newRig(t testing.TB, l texts.Lang, ground theme.Ground, size fyne.Size) *rig {
	t.Helper()
	test.NewTempApp(t).Settings().SetTheme(theme.New(theme.Params{Ground: ground}))
	r := &rig{win: test.NewTempWindow(t, nil), now: now}
	r.win.Resize(size)
	r.p = verdict.Params{
		Texts: texts.For(l), Canvas: r.win.Canvas, Now: func() time.Time { return r.now },
		Jump: func(v judge.Verdict) { r.jumped = append(r.jumped, v) },
	}
	return r
}

func (r *rig) show(o fyne.CanvasObject) {
	size := r.win.Canvas().Size()
	r.win.SetContent(o)
	r.win.Resize(size)
}

// settle lays out what is shown until wrapped texts know their height.
func (r *rig) settle() {
	c := r.win.Canvas()
	for range 2 {
		c.Content().Refresh()
		if top := c.Overlays().Top(); top != nil {
			top.Refresh()
		}
	}
}

// tap presses the first thing to press that holds a text.
func (r *rig) tap(t testing.TB, text string) {
	t.Helper()
	var found *widgets.Tap
	uitest.Visible(r.win.Canvas(), func(o fyne.CanvasObject) {
		p, ok := o.(*widgets.Tap)
		if !ok || found != nil {
			return
		}
		for _, in := range test.LaidOutObjects(p) {
			if l, ok := in.(*widget.Label); ok && strings.Contains(strings.ReplaceAll(l.Text, "\r", ""), text) {
				found = p
			}
		}
	})
	if found == nil {
		t.Fatalf("nothing to press holds %q; seen: %q", text, uitest.Texts(r.win.Canvas()))
	}
	test.Tap(found)
}
