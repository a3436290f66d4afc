package ui_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"

	"rentgen/app/settings"
	"rentgen/assets/texts"
	"rentgen/probe/demo"
	"rentgen/probe/stream"
	"rentgen/ui"
	"rentgen/ui/chart"
	"rentgen/ui/hosts"
	"rentgen/ui/hosts/hoststest"
)

// eightCards opens the demo with eight cards through the real connection.
type eightCards struct{}

func (eightCards) Open(s hosts.Saved, _ string, rate float64) (hosts.Stream, error) {
	return stream.New(demo.StreamParams(demo.Params{Name: s.Name, Cards: 8, Rate: rate, Start: time.Now()})), nil
}

func (eightCards) Forget(string) error { return nil }

// TestRasterFigure measures the age of a reading when the charts that show it
// have been drawn: from its stamp on the host through the connection, the
// memory and the window's loop to the last raster.
func TestRasterFigure(t *testing.T) {
	if os.Getenv("RENTGEN_BENCH") == "" {
		t.Skip("RENTGEN_BENCH is not set; make bench sets it")
	}
	const want = 60
	thread := make(chan func(), 4096) // the UI thread is this goroutine
	do := func(f func()) { thread <- f }
	w := ui.New(ui.Params{
		App: test.NewTempApp(t), Settings: settings.Default(t.TempDir() + "/settings.json"),
		Store: &hoststest.Store{}, Opener: eightCards{}, Demo: true, System: texts.English,
		Do: do, Pace: chart.Pace{Do: do},
	})
	t.Cleanup(w.Close)
	w.Fyne().Resize(fyne.NewSize(1280, 800))
	if err := w.Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	var ages []time.Duration
	var seen time.Time
	limit := time.After(3 * time.Minute)
	for len(ages) < want {
		select {
		case f := <-thread:
			f()
		case <-limit:
			t.Fatal("not enough readings came")
		}
		h := w.Book().Chosen()
		if h == nil || !h.Live().Newest().After(seen) {
			continue
		}
		first := seen.IsZero()
		seen = h.Live().Newest()
		generate(w.Fyne().Canvas().Content())
		if !first { // the page is built with the first one
			ages = append(ages, time.Since(seen))
		}
	}
	slices.Sort(ages)
	for _, f := range []struct {
		name string
		at   int
	}{{"p50", want / 2}, {"p99", want - 1}} {
		ms := float64(ages[f.at].Microseconds()) / 1000
		fmt.Printf("figure\tstamped on host to rasters drawn, 8 cards at 1 Hz, %s\t%.2f\tms\t60\t%.2f\n", f.name, ms, ms/60)
	}
}

// generate draws every raster that shows, as the painter would.
func generate(o fyne.CanvasObject) {
	if !o.Visible() {
		return
	}
	switch o := o.(type) {
	case *canvas.Raster:
		if s := o.Size(); s.Width >= 1 && s.Height >= 1 {
			o.Generator(int(s.Width), int(s.Height))
		}
	case *fyne.Container:
		for _, c := range o.Objects {
			generate(c)
		}
	case fyne.Widget:
		for _, c := range test.WidgetRenderer(o).Objects() {
			generate(c)
		}
	}
}
