package ui_test

import (
	"context"
	"testing"
	"time"

	"fyne.io/fyne/v2/test"

	"rentgen/app/guide"
	"rentgen/app/guide/track"
	"rentgen/app/settings"
	"rentgen/assets/texts"
	"rentgen/ui"
	"rentgen/ui/chart"
	"rentgen/ui/hosts/hoststest"
	"rentgen/ui/setup"
)

// TestTheWayToThePageIsTriedFromHere runs the check over the real connection of the
// demo, whose page answers a forward and whose shell knows no such command.
func TestTheWayToThePageIsTriedFromHere(t *testing.T) {
	thread := make(chan func(), 4096) // the UI thread is this goroutine
	do := func(f func()) { thread <- f }
	w := ui.New(ui.Params{
		App: test.NewTempApp(t), Settings: settings.Default(t.TempDir() + "/settings.json"),
		Store: &hoststest.Store{}, Opener: eightCards{}, Demo: true, System: texts.English,
		Do: do, Pace: chart.Pace{Do: do},
	})
	t.Cleanup(w.Close)
	if err := w.Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	limit := time.After(time.Minute)
	pump := func(until func() bool) {
		for !until() {
			select {
			case f := <-thread:
				f()
			case <-limit:
				t.Fatal("waited in vain")
			}
		}
	}
	pump(func() bool { h := w.Book().Chosen(); return h != nil && !h.Live().Newest().IsZero() })
	b := w.Guide(w.Book().Chosen().ID)
	if err := b.Run(setup.Scope{Track: guide.Network, Check: guide.Tunnel}, guide.Quick); err != nil {
		t.Fatal(err)
	}
	var got track.CheckView
	pump(func() bool {
		v := b.View(guide.Network)
		got, _ = v.Check(guide.Tunnel)
		return got.Record != nil
	})
	if got.Verdict != guide.Pass || !got.Record.Laptop {
		t.Errorf("%s: %s", got.Verdict, got.Record.Stderr)
	}
}
