package measured

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"rentgen/app/guide"
	"rentgen/app/guide/ledger"
	"rentgen/app/judge"
	"rentgen/app/judge/slow"
	"rentgen/app/plan"
	"rentgen/app/purse/meter"
	"rentgen/app/purse/tariff"
	"rentgen/app/workload"
	"rentgen/assets/texts"
	"rentgen/probe"
)

// steady is a steady phase of a log that shows a picture every s seconds, 0 for none.
func steady(recording int64, host string, d, seconds int, s float64) judge.Phase {
	p := judge.Phase{Recording: recording, Host: host, Card: "NVIDIA GeForce RTX 4090", From: day(d), To: day(d).Add(time.Duration(seconds) * time.Second), Seconds: seconds}
	if s > 0 {
		p.Stats = map[string]judge.Stat{slow.PictureKey: {N: 1, Mean: s}}
	}
	return p
}

// TestGather: a start is named by the log that was kept while it was measured, and of
// each log the longest phase with a rhythm counts, the newest three of a card.
func TestGather(t *testing.T) {
	e, err := guide.NewEntry(guide.KindLedger, "1", day(10), start(10, "k", 40, 20, 12, 5))
	if err != nil {
		t.Fatal(err)
	}
	old, err := guide.NewEntry(guide.KindLedger, "2", day(3), start(3, "k", 40, 20, 12, 5))
	if err != nil {
		t.Fatal(err)
	}
	ms := Gather(Of{
		Host: Host{ID: "h", Name: "mycard", Provider: "autodl"}, Entries: []guide.Entry{old, e},
		Sessions: []meter.SessionCost{{Session: meter.Session{Start: day(1), Last: day(1).Add(2 * time.Hour)}, BusyS: 3600, IdleS: 3600}},
		Logs:     []Log{{ID: 15, From: day(15), To: day(16), Card: "RTX 4090 48GB (modified)"}, {ID: 7, From: day(10).Add(-time.Minute), To: day(10).Add(time.Hour), Card: "RTX 4090"}},
		Phases: []judge.Phase{
			steady(15, "", 15, 600, 4), steady(15, "", 15, 900, 8), steady(15, "", 15, 2000, 0),
			steady(20, "h", 20, 100, 5), steady(21, "h", 21, 100, 5), steady(22, "h", 22, 100, 6), steady(23, "h", 23, 100, 7),
			steady(30, "other", 25, 100, 3), steady(0, "h", 26, 100, 2),
		},
	})
	var got []string
	for _, m := range ms {
		got = append(got, strings.Trim(strings.Join([]string{string(m.Kind), m.Part, m.Source, m.Host.Card}, "/"), "/"))
		if m.Kind == Pace && m.Source == "log 15" && m.Seconds != 8 {
			t.Errorf("log 15 paints one in %v s", m.Seconds)
		}
	}
	slices.Sort(got)
	want := []string{
		"interruptions//mycard/RTX 4090 48GB (modified)", "job//log 7/RTX 4090", "job//mycard/RTX 4090",
		"pace//log 15/RTX 4090 48GB (modified)", "pace//log 21/RTX 4090", "pace//log 22/RTX 4090", "pace//log 23/RTX 4090",
		"start/boot/log 7/RTX 4090", "start/boot/mycard/RTX 4090", "start/load/log 7/RTX 4090", "start/load/mycard/RTX 4090",
		"start/pull/log 7/RTX 4090", "start/pull/mycard/RTX 4090", "utilisation//mycard/RTX 4090 48GB (modified)",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if ms := Gather(Of{Host: Host{ID: "h"}}); len(ms) > 0 {
		t.Errorf("of nothing comes %+v", ms)
	}
}

// TestQueueCountsOnce: the wait for a card is a part of its own in a plan.
func TestQueueCountsOnce(t *testing.T) {
	l := start(10, "k", 40, 20, 12, 5)
	l.Set(ledger.Queue, 300, ledger.Waited, day(10))
	for _, m := range FromLedger(autodl, l, "") {
		if m.Kind == Job && *m.Job.StartupSeconds != 60 {
			t.Errorf("ready after %v s", *m.Job.StartupSeconds)
		}
	}
}

// TestOffered: what stands in the plan isn't offered again, what isn't sure waits for
// a word, and a job that isn't the plan's is left alone.
func TestOffered(t *testing.T) {
	p := fixture(t)
	key := plan.Evaluate(workload.Load(), p).Fit.Job.Key()
	ms := append(FromLedger(autodl, start(10, key, 40, 20, 12, 5), "log 1"), FromLedger(autodl, start(11, "another", 40, 20, 12, 50), "log 2")...)
	ms = append(ms, Gather(Of{Host: autodl, Phases: []judge.Phase{steady(9, "h", 20, 300, 7)}})...)
	ms = append(ms, FromSessions(autodl, []meter.SessionCost{{Session: meter.Session{Start: day(1), Last: day(1).Add(10 * time.Hour)}, BusyS: 900, IdleS: 9000}})...)
	all := Offered(p, nil, ms)
	var sure, unsure []string
	for _, c := range all {
		if c.Sure {
			sure = append(sure, c.ID)
		} else {
			unsure = append(unsure, c.ID)
		}
	}
	if !slices.Equal(sure, []string{"job/RTX 4090", "start.boot/A", "start.pull/A", "interruptions/A"}) || !slices.Equal(unsure, []string{"utilisation", "pace/RTX 4090/log 9"}) {
		t.Fatalf("sure %q, unsure %q", sure, unsure)
	}
	en := texts.For(texts.English).Say(all[0].Say)
	if !strings.Contains(en, "5 s a picture, measured (log 1, 10 Nov 2026). In place of the estimate of ") {
		t.Errorf("%q", en)
	}
	if zh := texts.For(texts.Chinese).Say(all[0].Say); !strings.Contains(zh, "监测记录") || strings.ContainsAny(zh, "{}") {
		t.Errorf("%q", zh)
	}
	got, said := Apply(p, ms)
	if len(said) != len(sure) || len(got.Measured) != 1 {
		t.Errorf("%d said, %+v", len(said), got.Measured)
	}
	for _, c := range Offered(got, nil, ms) {
		if c.Sure {
			t.Errorf("offered again: %s", texts.For(texts.English).Say(c.Say))
		}
	}
	one, made := Choose(p, ms, func(c Change) bool { return c.ID == "pace/RTX 4090/log 9" })
	if len(made) != 1 || len(one.Measured) != 1 || *one.Measured[0].SecondsPerPic != 7 || !reflect.DeepEqual(one.Offers[0].Terms, p.Offers[0].Terms) {
		t.Errorf("%+v, %+v", made, one.Measured)
	}
	p.Job.Batch = 4
	if one, _ := Choose(p, ms, func(c Change) bool { return c.Kind == Pace }); *one.Measured[0].SecondsPerPic != 1.75 {
		t.Errorf("four at once take %v s each", *one.Measured[0].SecondsPerPic)
	}
	p.Job = workload.Job{}
	for _, c := range Offered(p, nil, ms) {
		if c.Kind == Job || c.Kind == Pace || c.Kind == Utilisation {
			t.Errorf("a plan without a job is offered %s", c.ID)
		}
	}
}

func TestCardAndProvider(t *testing.T) {
	for _, c := range []struct {
		name  string
		total float64
		want  string
	}{
		{"NVIDIA GeForce RTX 4090", 24564, "RTX 4090"},
		{"NVIDIA GeForce RTX 4090", 49140, "RTX 4090 48GB (modified)"},
		{"Tomorrow\x1b[31m 1", 1, "Tomorrow 1"},
	} {
		if got := CardOf([]probe.Device{{Name: c.name, MemTotal: probe.Of(c.total)}}); got != c.want {
			t.Errorf("%q with %v MiB is %q", c.name, c.total, got)
		}
	}
	if CardOf(nil) != "" {
		t.Error("no device is a card")
	}
	chosen := []guide.Entry{{Kind: guide.KindTrack, Body: []byte(`{"provider":"runpod"}`)}}
	nobody := []guide.Entry{{Kind: guide.KindTrack, Body: []byte(`{"provider":"nobody"}`)}, {Kind: guide.KindTrack, Body: []byte(`{`)}}
	priced := &tariff.Tariff{Provider: "autodl"}
	for i, got := range []string{ProviderOf(chosen, priced, ""), ProviderOf(nobody, priced, ""), ProviderOf(nil, nil, "region-1.autodl.com"), ProviderOf(nil, nil, "192.0.2.1")} {
		if want := []string{"runpod", "autodl", "autodl", ""}[i]; got != want {
			t.Errorf("%d: %q, want %q", i, got, want)
		}
	}
}
