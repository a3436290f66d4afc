package board

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"rentgen/app/guide"
	"rentgen/app/guide/run"
	"rentgen/app/guide/track"
)

func TestStoreRefuses(t *testing.T) {
	b := newBench(t)
	b.store.set(errDisk)
	if err := b.Skip("disk.df", "a small job"); err != nil {
		t.Fatal(err)
	}
	b.ran(t, Scope{Track: guide.Dedicated, Step: "dedicated.5"}, guide.Quick)
	if err := b.Fault(); !errors.Is(err, errDisk) {
		t.Fatalf("%v", err)
	}
	if c := b.check(t, guide.Dedicated, guide.SessionTmux); c.Verdict != guide.Pass {
		t.Error("the result is not shown")
	}
	b.Retry()
	b.wait(t)
	if b.Fault() == nil {
		t.Error("the fault went without being mended")
	}
	b.store.set(nil)
	b.Retry()
	b.wait(t)
	if err := b.Fault(); err != nil {
		t.Fatal(err)
	}
	b.open(t, Params{})
	if c := b.check(t, guide.Dedicated, guide.SessionTmux); c.Verdict != guide.Pass || len(b.View(guide.Shared).Skips) != 1 {
		t.Error("something was lost while the store refused")
	}

	// One entry that is never taken keeps no other back.
	b.store.bad = "bad"
	for i, key := range []string{"a", "bad", "b"} {
		if err := b.Put(guide.KindDay, key, i); err != nil {
			t.Fatal(err)
		}
	}
	b.wait(t)
	b.Retry()
	b.wait(t)
	if b.store.count(guide.KindDay) != 2 || b.Fault() == nil {
		t.Errorf("%d kept, %v", b.store.count(guide.KindDay), b.Fault())
	}
	if err := b.Put(guide.KindDay, "x", make(chan int)); err == nil {
		t.Error("what is no JSON was taken")
	}
}

func TestLoadFails(t *testing.T) {
	b := &bench{clock: &clock{}, store: &memory{refuse: errDisk}, inst: &instance{}}
	b.Board = newBoard(Params{Host: "host", Store: b.store, Now: b.clock.now}, b.inst.do)
	t.Cleanup(b.Close)
	if err := b.Load(t.Context()); !errors.Is(err, errDisk) {
		t.Errorf("%v", err)
	}
	b.store.set(nil)
	if err := b.store.SaveGuideEntries(t.Context(), "host", []guide.Entry{
		{Kind: guide.KindCheck, Key: "shared/disk.df", Time: b.clock.now(), Body: []byte(`{"check": 3}`)},
		{Kind: guide.KindTick, Key: "backup", Time: b.clock.now(), Body: []byte(`{"item": "backup", "done": true}`)},
	}); err != nil {
		t.Fatal(err)
	}
	if err := b.Load(t.Context()); err == nil || !strings.Contains(err.Error(), "shared/disk.df") {
		t.Errorf("a damaged entry: %v", err)
	}
	b.mu.Lock()
	done := b.ticks["backup"].Done
	b.mu.Unlock()
	if !done {
		t.Error("what could be read was not taken")
	}
	b.wait(t)
	if b.store.count(guide.KindCheck) != 1 {
		t.Error("the damaged entry was thrown away")
	}
}

// TestLoadKeepsNewer loads after the user did something.
func TestLoadKeepsNewer(t *testing.T) {
	b := newBench(t)
	b.SetTrack(guide.Network)
	b.Paste(guide.Input{Check: guide.SessionTmux, Track: guide.Dedicated, Stdout: []byte(good[guide.SessionTmux])})
	b.wait(t)
	late := newBoard(Params{Host: "host", Store: b.store, Now: b.clock.now}, b.inst.do)
	t.Cleanup(late.Close)
	late.SetTrack(guide.Dedicated)
	late.Paste(guide.Input{Check: guide.SessionTmux, Track: guide.Dedicated, Stdout: []byte("nonsense")})
	if err := late.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	late.mu.Lock()
	late.latest[slot{guide.Dedicated, guide.CUDANvcc}] = judged{}
	late.mu.Unlock()
	if err := late.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	if c, _ := late.View(guide.Dedicated).Check(guide.SessionTmux); late.Track() != guide.Dedicated || c.Verdict != guide.Warn {
		t.Errorf("%s, %s", late.Track(), c.Verdict)
	}
}

func TestEntries(t *testing.T) {
	b := newBench(t)
	for i := range 3 {
		if err := b.Put(guide.KindTenant, fmt.Sprint(9-i), i); err != nil {
			t.Fatal(err)
		}
	}
	list := b.Entries(guide.KindTenant)
	if len(list) != 3 || list[0].Key != "9" || string(list[2].Body) != "2" {
		t.Errorf("%v", list)
	}
	if err := b.Drop(guide.KindTenant, "9", "no such key"); err != nil || len(b.Entries(guide.KindTenant)) != 2 {
		t.Errorf("%v, %v", err, b.Entries(guide.KindTenant))
	}
	if err := b.Drop(guide.KindTenant); err != nil || len(b.Entries(guide.KindTenant)) != 0 {
		t.Errorf("%v", err)
	}
	b.wait(t)
	if n := b.store.count(guide.KindTenant); n != 0 {
		t.Errorf("%d are kept", n)
	}
}

func TestPastIsBounded(t *testing.T) {
	b := newBench(t)
	for i := range maxPast + 5 {
		b.Paste(guide.Input{Check: guide.SessionTmux, Track: guide.Dedicated, Stdout: fmt.Appendf(nil, "tmux 3.%d\nno server running on /tmp/x\n", i)})
	}
	b.Paste(guide.Input{Check: guide.SessionTmux, Track: guide.Dedicated, Stdout: []byte(strings.Repeat("x", maxPastBytes+1))})
	b.Paste(guide.Input{Check: guide.SessionTmux, Track: guide.Dedicated, Stdout: []byte(good[guide.SessionTmux])})
	b.wait(t)
	past := b.Past(guide.Dedicated, guide.SessionTmux)
	if len(past) != maxPast || b.store.count(guide.KindPast) != maxPast || !strings.HasPrefix(string(past[maxPast-1].Stdout), fmt.Sprintf("tmux 3.%d", maxPast+4)) {
		t.Errorf("%d, %d, last %q", len(past), b.store.count(guide.KindPast), past[len(past)-1].Stdout)
	}
}

func TestViewsAreKept(t *testing.T) {
	b := newBench(t)
	b.clock.add(time.Hour)
	made := func() time.Time {
		b.View(guide.Shared)
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.views[guide.Shared].at
	}
	first := made()
	if made() != first {
		t.Error("nothing changed, and the view was made anew")
	}
	if err := b.Skip("disk.df", "a small job"); err != nil {
		t.Fatal(err)
	}
	second := made()
	if second == first {
		t.Error("a change didn't reach the view")
	}
	b.clock.add(fresh)
	if made() == second {
		t.Error("ages in the view stand still")
	}
}

// TestNeedsReachTheView changes the plan.
func TestNeedsReachTheView(t *testing.T) {
	b := newBench(t)
	var mu sync.Mutex
	low := 10.0
	b.open(t, Params{Needs: func() guide.Needs {
		mu.Lock()
		defer mu.Unlock()
		v := low
		return guide.Needs{VRAMLowGiB: &v, VRAMHighGiB: &v}
	}})
	b.Paste(guide.Input{Check: guide.GPUSMI, Track: guide.Shared, Stdout: []byte("x")})
	b.mu.Lock()
	s := slot{guide.Shared, guide.GPUSMI}
	j := b.latest[s]
	j.Outcome = guide.Outcome{Check: guide.GPUSMI, Verdict: guide.Pass, Facts: guide.Facts{"mem_total_mib": []any{24564}}, Findings: []guide.Finding{{Verdict: guide.Pass}}}
	b.latest[s] = j
	b.mu.Unlock()
	b.changed()
	if c := b.check(t, guide.Shared, guide.GPUSMI); c.Blocks {
		t.Errorf("%+v", c.Job)
	}
	mu.Lock()
	low = 40
	mu.Unlock()
	if c := b.check(t, guide.Shared, guide.GPUSMI); !c.Blocks {
		t.Error("a larger job didn't reach the view")
	}
}

func TestTwoBoards(t *testing.T) {
	a, b := newBench(t), newBench(t)
	a.inst.hold, a.inst.held = guide.SessionTmux, make(chan struct{})
	if err := a.Run(Scope{Track: guide.Dedicated, Step: "dedicated.5"}, guide.Quick); err != nil {
		t.Fatal(err)
	}
	<-a.inst.held
	b.ran(t, Scope{Track: guide.Dedicated, Step: "dedicated.5"}, guide.Quick)
	if b.View(guide.Dedicated).Running || !a.View(guide.Dedicated).Running {
		t.Error("two boards are not apart")
	}
}

// TestManyGoroutines does everything at once, for the race detector.
func TestManyGoroutines(t *testing.T) {
	b := newBench(t)
	var wg sync.WaitGroup
	var seen sync.Map
	b.open(t, Params{Changed: func() { seen.Store("changed", true) }})
	for i, f := range []func(){
		func() { _ = b.Run(Scope{}, guide.Quick) },
		func() { b.Stop() },
		func() { _ = b.Resume() },
		func() { b.View(guide.Shared); b.View(guide.Network) },
		func() {
			b.Paste(guide.Input{Check: guide.NetPing, Track: guide.Network, Stdout: []byte(good[guide.NetPing])})
		},
		func() { _ = b.Skip("disk.df", "x"); b.Unskip("disk.df") },
		func() {
			_ = b.Tick(track.ItemRegion, false, "", map[string]string{"data": "a", "instance": "a"})
		},
		func() { b.Edit(guide.GPUSMI, "x"); b.Edit(guide.GPUSMI, "") },
		func() { _ = b.Put(guide.KindDay, "k", 1); _ = b.Drop(guide.KindDay) },
		func() { _ = b.Load(context.Background()) },
		func() { _ = b.Look(context.Background()) },
		func() { b.SetTrack(guide.Dedicated); b.SetProvider("autodl"); b.Track(); b.Profile() },
		func() { _ = b.SetValue(run.ValuePeer, "10.0.0.5"); b.Values(); b.Instance() },
		func() { b.Retry(); _ = b.Fault(); b.Entries(guide.KindDay); b.Past(guide.Network, guide.NetPing) },
	} {
		wg.Go(func() {
			for range 3 + i%4 {
				f()
			}
		})
	}
	wg.Wait()
	b.wait(t)
	if _, ok := seen.Load("changed"); !ok {
		t.Error("nobody was told")
	}
	if err := b.Fault(); err != nil {
		t.Error(err)
	}
}

// TestLoadTakesOutWhatIsUnknown loads what another version kept.
func TestLoadTakesOutWhatIsUnknown(t *testing.T) {
	b := newBench(t)
	at := b.clock.now()
	if err := b.store.SaveGuideEntries(t.Context(), "host", []guide.Entry{
		{Kind: guide.KindTrack, Time: at, Body: []byte(`{"track":"elsewhere","provider":"nobody","values":{"dir":"../x","peer":"10.0.0.5","nothing":"x"}}`)},
		{Kind: guide.KindRun, Time: at, Body: []byte(`{"level":"quick","since":"2026-11-29T10:00:00Z","legs":[{"track":"elsewhere","checks":["gpu.smi"]},{"track":"shared","checks":["gpu.none","disk.df"]}]}`)},
		{Kind: guide.KindTick, Key: "billing", Time: at, Body: []byte(`{"item":"billing","values":{"mode":"sometimes"}}`)},
	}); err != nil {
		t.Fatal(err)
	}
	b.open(t, Params{})
	if b.Track() != guide.Shared || b.Provider() != "" || b.Values()[run.ValueDir] != "" || b.Values()[run.ValuePeer] != "10.0.0.5" {
		t.Errorf("%s, %q, %v", b.Track(), b.Provider(), b.Values())
	}
	if v := b.View(guide.Shared); v.Missing != 1 || !slices.Contains(v.Open, "billing") {
		t.Errorf("%d missing, open %v", v.Missing, v.Open)
	}
	if err := b.Resume(); err != nil {
		t.Fatal(err)
	}
	b.wait(t)
	if !slices.Equal(slices.Concat(b.inst.asked...), []guide.CheckID{guide.DiskDf}) {
		t.Errorf("went on with %v", b.inst.asked)
	}
}

func BenchmarkView(b *testing.B) {
	in := &instance{}
	c := clock{}
	x := newBoard(Params{Now: c.now, Runner: func() guide.Runner { return online{} }}, in.do)
	if err := x.Run(Scope{}, guide.Thorough); err != nil {
		b.Fatal(err)
	}
	if err := x.Wait(b.Context()); err != nil {
		b.Fatal(err)
	}
	for _, fresh := range []bool{false, true} {
		b.Run(fmt.Sprintf("changed=%v", fresh), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if fresh {
					x.stir()
				}
				x.View(guide.Shared)
			}
		})
	}
}

// TestWithoutGoroutines runs everything where it is asked for.
func TestWithoutGoroutines(t *testing.T) {
	b := newBench(t)
	b.open(t, Params{Go: func(f func()) { f() }})
	if err := b.Run(Scope{}, guide.Quick); err != nil {
		t.Fatal(err)
	}
	if v := b.View(guide.Dedicated); v.Running || b.store.count(guide.KindCheck) == 0 {
		t.Errorf("running %v, %d kept", v.Running, b.store.count(guide.KindCheck))
	}
}

// FuzzLoad reads entries that a damaged or foreign store may hold.
func FuzzLoad(f *testing.F) {
	for _, s := range []struct{ kind, key, body string }{
		{guide.KindCheck, "shared/gpu.smi", `{"check":"gpu.smi","track":"shared","stdout":"eA==","time":"2026-11-29T10:00:00Z","run":{"boot":"b"}}`},
		{guide.KindPast, "x", `{"check":"net.ping","track":"network"}`},
		{guide.KindRun, "", `{"level":"quick","legs":[{"track":"shared","checks":["gpu.smi","gpu.none"]}]}`},
		{guide.KindTrack, "", `{"track":"elsewhere","provider":"nobody","values":{"dir":"../x"}}`},
		{guide.KindSkip, "x", `{"on":"shared.4","reason":""}`},
		{guide.KindTick, "region", `{"item":"region","values":{"data":"\u0000","instance":"a","nothing":"b"}}`},
		{guide.KindEdit, "gpu.none", `"rm"`},
		{guide.KindTick, "region", `null`},
	} {
		f.Add(s.kind, s.key, []byte(s.body))
	}
	f.Fuzz(func(t *testing.T, kind, key string, body []byte) {
		m := &memory{entries: map[string]guide.Entry{"host|" + kind + "|" + key: {Kind: kind, Key: key, Time: time.Unix(1, 0), Body: body}}}
		in := &instance{}
		b := newBoard(Params{Host: "host", Store: m, Now: (&clock{}).now, Runner: func() guide.Runner { return online{} }}, in.do)
		defer b.Close()
		_ = b.Load(t.Context())
		for _, tr := range guide.Tracks() {
			if v := b.View(tr); v.Verdict == guide.Pass {
				t.Errorf("%s passes by one entry: %s", tr, body)
			}
		}
		_ = b.Resume()
	})
}
