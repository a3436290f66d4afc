package ui_test

import (
	"testing"
	"time"

	"fyne.io/fyne/v2"

	"rentgen/app/bill/offer"
	"rentgen/app/guide"
	"rentgen/app/guide/ledger"
	"rentgen/app/plan"
	"rentgen/app/workload"
	"rentgen/assets/texts"
	"rentgen/probe/demo"
	"rentgen/store"
	"rentgen/ui/hosts"
	"rentgen/ui/shots"
	"rentgen/ui/uitest"
)

// TestMeasuredReachesPlanAndBill: a start that Set up keeps of a saved host is offered
// in Plan and in Bill, by the log that was kept then; one of the demo isn't.
func TestMeasuredReachesPlanAndBill(t *testing.T) {
	kept := shots.Keep(t).(*store.Store)
	p := shots.Illustrator()
	l := ledger.Ledger{Started: shots.Now.Add(-45 * time.Minute), Job: workload.Load().Filled(p.Job).Key(), Card: "RTX 4090"}
	for s, v := range map[ledger.Stage]float64{ledger.Boot: 60, ledger.Pull: 12, ledger.Load: 24, ledger.First: 61, ledger.Warm: 37} {
		l.Set(s, v, ledger.Host, shots.Now.Add(-30*time.Minute))
	}
	e, err := guide.NewEntry(guide.KindLedger, guide.Stamp(l.Started), l.Started, l)
	if err != nil {
		t.Fatal(err)
	}
	track := guide.Entry{Kind: guide.KindTrack, Time: shots.Now, Body: []byte(`{"track":"shared","provider":"autodl"}`)}
	for _, host := range []string{"box", demo.ID} {
		if err := kept.SaveGuideEntries(t.Context(), host, []guide.Entry{e, track}); err != nil {
			t.Fatal(err)
		}
	}
	start := func(saved []hosts.Saved, demo bool) *shots.Stage {
		return open(t, shots.Options{Lang: texts.English, Hosts: saved, Demo: demo, Plans: []plan.Plan{p}, Guide: kept, History: kept})
	}
	const offered = "Measured on AutoDL 4090: start 96 s, 37 s a picture"
	s := start([]hosts.Saved{box}, false)
	for _, place := range []string{"plan", "bill"} {
		s.Win.Frame().Show(place)
		if !uitest.Sees(s.Canvas(), offered) {
			t.Fatalf("%s offers nothing: %q", place, uitest.Texts(s.Canvas()))
		}
	}
	uitest.Press(t, s.Canvas(), "Use it")
	got := s.Win.Desk().Plan()
	if len(got.Measured) != 1 || got.Measured[0].Source != "log 3" || got.Offers[0].Terms[offer.LoadWait].Value != "24.0" || len(got.Offers[1].Terms) > 0 {
		t.Errorf("%+v, %+v", got.Measured, got.Offers)
	}
	s.Canvas().(fyne.Shortcutable).TypedShortcut(&fyne.ShortcutUndo{})
	if len(s.Win.Desk().Plan().Measured) > 0 || !uitest.Sees(s.Canvas(), offered) {
		t.Error("Ctrl+Z doesn't take it back")
	}
	s = start(nil, true)
	s.Win.Frame().Show("plan")
	if uitest.Sees(s.Canvas(), "Measured on") || uitest.Sees(s.Canvas(), "37 s a picture") {
		t.Error("what the demo did is offered")
	}
}
