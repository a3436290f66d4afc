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
	"rentgen/app/provider"
	"rentgen/assets/texts"
)

func (b *bench) check(t *testing.T, tr guide.Track, id guide.CheckID) track.CheckView {
	t.Helper()
	c, ok := b.View(tr).Check(id)
	if !ok {
		t.Fatalf("%s has no %s", tr, id)
	}
	return c
}

func TestRunAndKeep(t *testing.T) {
	b := newBench(t)
	b.ran(t, Scope{Track: guide.Dedicated, Step: "dedicated.5"}, guide.Quick)
	c := b.check(t, guide.Dedicated, guide.SessionTmux)
	if c.State != track.Done || c.Verdict != guide.Pass || c.Record.Run.Boot != "b1" {
		t.Fatalf("%+v", c)
	}
	if got := b.inst.asked; len(got) != 1 || !slices.Equal(got[0], []guide.CheckID{guide.SessionTmux}) {
		t.Errorf("asked for %v: docker.gpu is no quick check", got)
	}
	if b.Instance().Driver != "550.90.07" || b.store.count(guide.KindRun) != 0 || b.store.count(guide.KindCheck) != 1 {
		t.Errorf("instance %+v, %v", b.Instance(), b.store.entries)
	}

	b.open(t, Params{}) // the program was closed and opened
	c = b.check(t, guide.Dedicated, guide.SessionTmux)
	if c.State != track.Done || c.Verdict != guide.Pass || string(c.Record.Stdout) != good[guide.SessionTmux] {
		t.Errorf("after a restart: %+v", c)
	}
	if b.Instance().Boot != "b1" {
		t.Error("the run of the instance was forgotten")
	}
}

func TestRunErrors(t *testing.T) {
	b := newBench(t)
	b.open(t, Params{Runner: func() guide.Runner { return nil }})
	if err := b.Run(Scope{}, guide.Quick); !errors.Is(err, guide.ErrOffline) {
		t.Errorf("offline: %v", err)
	}
	if err := b.Look(t.Context()); !errors.Is(err, guide.ErrOffline) {
		t.Errorf("look offline: %v", err)
	}
	b.open(t, Params{})
	if err := b.Run(Scope{Stale: true}, guide.Quick); !errors.Is(err, ErrNothing) {
		t.Errorf("nothing stale: %v", err)
	}
	if err := b.Resume(); !errors.Is(err, ErrNothing) {
		t.Errorf("nothing to go on with: %v", err)
	}
	var in *texts.InputError
	for _, s := range []Scope{{Track: "elsewhere"}, {Step: "shared.8"}, {Check: "gpu.none"}, {Track: guide.Shared, Step: "dedicated.1"}} {
		if err := b.Run(s, guide.Quick); !errors.As(err, &in) {
			t.Errorf("%+v: %v", s, err)
		}
	}
}

func TestFirstRunHoldsTrackAndNetwork(t *testing.T) {
	b := newBench(t)
	b.ran(t, Scope{}, guide.Quick)
	if len(b.inst.asked) != 2 || slices.Contains(b.inst.asked[0], guide.GPULspci) || !slices.Contains(b.inst.asked[1], guide.NetPing) {
		t.Errorf("asked for %v", b.inst.asked)
	}
	for _, ids := range b.inst.asked {
		for _, id := range ids {
			if run.DefOf(id).Level != guide.Quick {
				t.Errorf("%s is no quick check", id)
			}
		}
	}
	for _, ids := range b.inst.asked {
		for i, id := range ids {
			for _, parent := range run.DefOf(id).Parents {
				if at := slices.Index(ids, parent); at > i {
					t.Errorf("%s runs before %s", id, parent)
				}
			}
		}
	}
}

func TestScopeOfOneCheck(t *testing.T) {
	b := newBench(t)
	b.ran(t, Scope{Check: guide.NetIperf3}, guide.Quick)
	if !slices.Equal(b.inst.asked[0], []guide.CheckID{guide.NetIperf3}) || b.inst.last.Track != guide.Network {
		t.Errorf("asked for %v on %s", b.inst.asked, b.inst.last.Track)
	}
	b.SetTrack(guide.Dedicated)
	b.ran(t, Scope{Check: guide.GPUSMI}, guide.Quick)
	if b.inst.last.Track != guide.Dedicated {
		t.Errorf("on %s, not on the chosen track", b.inst.last.Track)
	}
	// A check that is folded away can be asked for by name.
	b.ran(t, Scope{Track: guide.Shared, Check: guide.SecPorts}, guide.Quick)
	if b.inst.last.Track != guide.Shared {
		t.Error("not on the track that was named")
	}
}

func TestLive(t *testing.T) {
	b := newBench(t)
	b.inst.hold, b.inst.held = guide.MemCgroup, make(chan struct{})
	if err := b.Run(Scope{Track: guide.Shared}, guide.Quick); err != nil {
		t.Fatal(err)
	}
	<-b.inst.held
	v := b.View(guide.Shared)
	if !v.Running || v.Total != len(v.Levels[0].Checks) || v.Done == 0 || v.Done >= v.Total || v.Since.IsZero() {
		t.Errorf("running %v, %d of %d", v.Running, v.Done, v.Total)
	}
	states := map[track.State]int{}
	for _, s := range v.Steps {
		for _, c := range s.Checks {
			states[c.State]++
		}
	}
	if states[track.Running] != 1 || states[track.Queued]+states[track.Idle] == 0 {
		t.Errorf("%v", states)
	}
	if n := b.View(guide.Network); n.Running {
		t.Error("the network's track doesn't run")
	}
	if err := b.Run(Scope{}, guide.Quick); !errors.Is(err, ErrBusy) {
		t.Errorf("a second run: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.Wait(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("waiting was not given up: %v", err)
	}

	b.Stop()
	b.wait(t)
	w := b.View(guide.Shared)
	if w.Running || !w.Fault.IsZero() || w.Missing != v.Total-v.Done {
		t.Errorf("after Stop: running %v, fault %v, missing %d of %d", w.Running, w.Fault, w.Missing, v.Total-v.Done)
	}
	b.inst.hold = ""
	if err := b.Resume(); err != nil {
		t.Fatal(err)
	}
	b.wait(t)
	last := b.inst.asked[len(b.inst.asked)-1]
	if len(last) != v.Total-v.Done || last[0] != guide.MemCgroup {
		t.Errorf("went on with %v", last)
	}
	if w = b.View(guide.Shared); w.Missing != 0 || b.store.count(guide.KindRun) != 0 {
		t.Errorf("missing %d at the end", w.Missing)
	}
}

func TestLinkBreaks(t *testing.T) {
	b := newBench(t)
	b.inst.cut = guide.CPUCgroup
	b.ran(t, Scope{}, guide.Quick)
	v := b.View(guide.Shared)
	done := len(v.Levels[0].Checks) - v.Missing
	if v.Fault.Key != "track.fault.link" || v.Missing == 0 || done == 0 || b.check(t, guide.Shared, guide.GPUSMI).Record == nil {
		t.Fatalf("fault %v, missing %d", v.Fault, v.Missing)
	}
	n := b.View(guide.Network)
	if n.Missing == 0 {
		t.Error("the network's checks are not known to be missing")
	}

	b.open(t, Params{}) // and then the program was closed
	w := b.View(guide.Shared)
	if w.Missing != v.Missing || b.View(guide.Network).Missing != n.Missing || w.Running {
		t.Errorf("after a restart %d are missing, want %d", w.Missing, v.Missing)
	}
	b.inst.cut, b.inst.asked = "", nil
	if err := b.Resume(); err != nil {
		t.Fatal(err)
	}
	b.wait(t)
	if len(b.inst.asked[0]) != v.Missing || slices.Contains(b.inst.asked[0], guide.GPUSMI) || len(b.inst.asked) != 2 {
		t.Errorf("went on with %v", b.inst.asked)
	}
	if w = b.View(guide.Shared); w.Missing != 0 || !w.Fault.IsZero() {
		t.Errorf("missing %d, fault %v", w.Missing, w.Fault)
	}
}

func TestOtherFault(t *testing.T) {
	b := newBench(t)
	b.Board.do = func(context.Context, run.Params) (guide.Run, error) { return guide.Run{}, errors.New("no shell") }
	b.ran(t, Scope{Track: guide.Network}, guide.Quick)
	if v := b.View(guide.Network); v.Fault.Key != "track.fault.other" || v.Missing == 0 {
		t.Errorf("%v, %d", v.Fault, v.Missing)
	}
}

func TestStaleAfterRestart(t *testing.T) {
	b := newBench(t)
	b.ran(t, Scope{Track: guide.Dedicated, Step: "dedicated.5"}, guide.Quick)
	b.ran(t, Scope{Track: guide.Network, Step: "network.1"}, guide.Quick)
	b.inst.run.Boot = "b2"
	if err := b.Look(t.Context()); err != nil {
		t.Fatal(err)
	}
	v := b.View(guide.Dedicated)
	if c := b.check(t, guide.Dedicated, guide.SessionTmux); c.State != track.Stale || v.Stale != 1 || v.Changed.IsZero() || v.Running {
		t.Fatalf("%s, %d stale, offer %v, running %v: it is offered, not started", c.State, v.Stale, v.Changed, v.Running)
	}
	b.inst.asked = nil
	b.ran(t, Scope{Track: guide.Dedicated, Stale: true}, guide.Thorough)
	if !slices.Equal(b.inst.asked[0], []guide.CheckID{guide.SessionTmux}) {
		t.Errorf("ran %v", b.inst.asked)
	}
	if c := b.check(t, guide.Dedicated, guide.SessionTmux); c.State != track.Done || c.Record.Run.Boot != "b2" {
		t.Errorf("%+v", c)
	}
	if err := b.Look(t.Context()); err != nil || b.View(guide.Dedicated).Stale != 0 {
		t.Errorf("nothing changed, and yet %d are stale (%v)", b.View(guide.Dedicated).Stale, err)
	}

	// Another instance behind the same login: nothing of the old one holds.
	b.inst.run = guide.Run{Instance: "i2"}
	if err := b.Look(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := b.Instance(); got != (guide.Run{Instance: "i2"}) {
		t.Errorf("%+v", got)
	}
	// Time alone makes a pass old as well.
	b.inst.run = guide.Run{}
	b.clock.add(20 * 24 * time.Hour)
	if v := b.View(guide.Network); v.Stale != 1 {
		t.Errorf("%d are old after 20 days", v.Stale)
	}
}

func TestPaste(t *testing.T) {
	b := newBench(t)
	b.SetTrack(guide.Dedicated)
	r := b.Paste(guide.Input{Check: guide.SessionTmux, Stdout: []byte(good[guide.SessionTmux])})
	if !r.Pasted || r.Edited || r.Track != guide.Dedicated || r.Command == "" || r.Time.IsZero() {
		t.Errorf("%+v", r)
	}
	if c := b.check(t, guide.Dedicated, guide.SessionTmux); c.Verdict != guide.Pass || !c.Record.Pasted {
		t.Errorf("%+v", c)
	}
	ours, _ := run.CommandOf(guide.SessionTmux, guide.Dedicated, nil)
	if r = b.Paste(guide.Input{Check: guide.SessionTmux, Command: " " + ours + "\n", Stdout: []byte(good[guide.SessionTmux])}); r.Edited {
		t.Error("our own command was taken for another one")
	}
	if r = b.Paste(guide.Input{Check: guide.SessionTmux, Command: "tmux -V", Stdout: []byte("nonsense")}); !r.Edited {
		t.Error("another command is not marked")
	}
	if c := b.check(t, guide.Dedicated, guide.SessionTmux); c.Verdict != guide.Warn {
		t.Errorf("nonsense is %s", c.Verdict)
	}
	if n := len(b.Past(guide.Dedicated, guide.SessionTmux)); n != 2 {
		t.Errorf("%d records before", n)
	}
	if c := b.check(t, guide.Dedicated, guide.SessionTmux); !c.Fine.IsZero() {
		t.Error("a warning is fine")
	}
	b.Paste(guide.Input{Check: guide.SessionTmux, Stdout: []byte(good[guide.SessionTmux])})
	if c := b.check(t, guide.Dedicated, guide.SessionTmux); c.Fine.Key != "track.fine.now" {
		t.Errorf("after it was mended: %v", c.Fine)
	}
}

// TestCutOutputIsNoPass pastes more than is read.
func TestCutOutputIsNoPass(t *testing.T) {
	b := newBench(t)
	long := good[guide.SessionTmux] + strings.Repeat("\n", guide.MaxOutput)
	b.Paste(guide.Input{Check: guide.SessionTmux, Track: guide.Dedicated, Stdout: []byte(long)})
	for range 2 {
		if c := b.check(t, guide.Dedicated, guide.SessionTmux); c.Verdict != guide.Warn || c.Outcome.Rule != "cut" || len(c.Record.Stdout) > guide.MaxOutput {
			t.Errorf("%s by %s", c.Verdict, c.Outcome.Rule)
		}
		b.wait(t)
		b.open(t, Params{}) // judged anew
	}
}

func TestContextIsFilledIn(t *testing.T) {
	warm := 6.5
	b := newBench(t)
	b.open(t, Params{Login: Login{Port: 2222}, Needs: func() guide.Needs { return guide.Needs{WarmHighS: &warm} }})
	b.SetProvider("autodl")
	if err := b.Tick(track.ItemRegion, false, "", map[string]string{"data": "Shanghai", "instance": "Shanghai"}); err != nil {
		t.Fatal(err)
	}
	if err := b.SetValue(run.ValueHFEndpoint, "https://mirror.example.org"); err != nil {
		t.Fatal(err)
	}
	seven := 7
	r := b.Paste(guide.Input{Check: guide.NetPing, Track: guide.Network, Stdout: []byte(good[guide.NetPing]), Context: guide.Context{OwnProcesses: &seven}})
	c := r.Context
	if *c.OwnProcesses != 7 || *c.ExpectedWarmS != 6.5 || *c.Provider != "autodl" || !*c.SameRegion || *c.HFEndpoint != "https://mirror.example.org" || *c.Dir == "" {
		t.Errorf("%+v", c)
	}
	if c.VRAMGiB != nil || c.SMIGPUCount != nil {
		t.Error("what isn't known was filled in")
	}
	if v := b.Values(); v[run.ValueSSHPort] != "2222" || v[run.ValueDir] != "/root/autodl-tmp" {
		t.Errorf("%v", v)
	}
}

// TestRegionIsJudgedAnew answers the form after the run: what was measured counts
// by the answer.
func TestRegionIsJudgedAnew(t *testing.T) {
	b := newBench(t)
	b.ran(t, Scope{Track: guide.Network, Step: "network.1"}, guide.Quick)
	if c := b.check(t, guide.Network, guide.NetPing); c.Verdict != guide.Pass {
		t.Fatalf("%s: %+v", c.Verdict, c.Outcome.Worst())
	}
	tick := func(data string) {
		t.Helper()
		if err := b.Tick(track.ItemRegion, false, "", map[string]string{"data": data, "instance": "Shanghai", "storage": "Shanghai"}); err != nil {
			t.Fatal(err)
		}
	}
	tick("Shanghai")
	if c := b.check(t, guide.Network, guide.NetPing); c.Verdict != guide.Warn {
		t.Errorf("30 ms inside one region are %s", c.Verdict)
	}
	b.wait(t)
	b.open(t, Params{})
	if c := b.check(t, guide.Network, guide.NetPing); c.Verdict != guide.Warn {
		t.Errorf("after a restart: %s", c.Verdict)
	}
	tick("Beijing")
	if c := b.check(t, guide.Network, guide.NetPing); c.Verdict != guide.Pass {
		t.Errorf("30 ms to another region are %s", c.Verdict)
	}
}

func TestSkip(t *testing.T) {
	b := newBench(t)
	var in *texts.InputError
	for _, reason := range []string{"", " \n\t", "\x1b[0m"} {
		if err := b.Skip("disk.df", reason); !errors.As(err, &in) || in.Field != "skip.reason" {
			t.Errorf("%q: %v", reason, err)
		}
	}
	if err := b.Skip("disk.nothing", "because"); !errors.As(err, &in) {
		t.Errorf("%v", err)
	}
	if n := len(b.View(guide.Shared).Skips); n != 0 {
		t.Fatalf("%d skips", n)
	}
	if err := b.Skip("disk.df", "  a small job\x07 "); err != nil {
		t.Fatal(err)
	}
	if err := b.Skip("shared.6", "later"); err != nil {
		t.Fatal(err)
	}
	if c := b.check(t, guide.Shared, guide.DiskDf); c.State != track.Left || c.Skipped.Reason != "a small job" {
		t.Errorf("%+v", c)
	}
	b.ran(t, Scope{Track: guide.Shared}, guide.Thorough)
	if slices.Contains(b.inst.asked[0], guide.DiskDf) {
		t.Error("what was left out was run")
	}
	b.Unskip("disk.df")
	b.Unskip("disk.df")
	if c := b.check(t, guide.Shared, guide.DiskDf); c.State == track.Left {
		t.Errorf("%+v", c)
	}
	if err := b.Skip("disk.df", "once more"); err != nil {
		t.Fatal(err)
	}
	b.wait(t)
	b.open(t, Params{})
	s := b.View(guide.Shared).Skips
	if len(s) != 3 || s[0].Reason != "a small job" || s[0].Until.IsZero() || !s[2].Until.IsZero() || s[2].Reason != "once more" {
		t.Errorf("%+v", s)
	}
}

func TestEdit(t *testing.T) {
	b := newBench(t)
	b.SetTrack(guide.Dedicated)
	b.Edit(guide.SessionTmux, "/opt/tmux -V")
	b.wait(t)
	b.open(t, Params{})
	if c := b.check(t, guide.Dedicated, guide.SessionTmux); !c.Edited || c.Command != "/opt/tmux -V" {
		t.Errorf("%+v", c)
	}
	b.ran(t, Scope{Check: guide.SessionTmux}, guide.Quick)
	b.Edit(guide.SessionTmux, "")
	c := b.check(t, guide.Dedicated, guide.SessionTmux)
	if c.Edited || !c.Record.Edited || c.Record.Command != "/opt/tmux -V" {
		t.Errorf("the result lost its mark: %+v", c)
	}
	b.Edit(guide.SessionTmux, "x")
	b.Edit(guide.SessionTmux, c.Command)
	if b.check(t, guide.Dedicated, guide.SessionTmux).Edited {
		t.Error("our own command counts as edited")
	}
	b.Edit(guide.SessionTmux, strings.Repeat("x", 1<<20))
	if b.check(t, guide.Dedicated, guide.SessionTmux).Edited {
		t.Error("a command of a megabyte was taken")
	}
	b.wait(t)
	if n := b.store.count(guide.KindEdit); n != 0 {
		t.Errorf("%d edits are kept", n)
	}
}

func TestTick(t *testing.T) {
	b := newBench(t)
	var in *texts.InputError
	for _, err := range []error{
		b.Tick("nothing", true, "", nil),
		b.Tick("billing", true, "", map[string]string{"colour": "red"}),
		b.Tick("billing", true, "", map[string]string{"mode": "sometimes"}),
	} {
		if !errors.As(err, &in) {
			t.Errorf("%v", err)
		}
	}
	if err := b.Tick("backup", true, strings.Repeat("n", 5000)+"\x1b[31m", map[string]string{"where": " a\x00b "}); err != nil {
		t.Fatal(err)
	}
	b.wait(t)
	b.open(t, Params{})
	for _, s := range b.View(guide.Dedicated).Steps {
		for _, it := range s.Items {
			if it.Item.ID != "backup" {
				continue
			}
			if it.Verdict != guide.Pass || it.Value["where"] != "ab" || len(it.Tick.Note) != maxNote {
				t.Errorf("%+v", it)
			}
		}
	}
}

func TestValues(t *testing.T) {
	b := newBench(t)
	var in *texts.InputError
	for name, value := range map[string]string{"dir": "../x", "peer": "a; rm -rf /", "nothing": "x", "ssh_port": "0"} {
		if err := b.SetValue(name, value); !errors.As(err, &in) {
			t.Errorf("%s=%q: %v", name, value, err)
		}
	}
	if c := b.check(t, guide.Network, guide.NetIperf3); c.Wants != run.ValuePeer {
		t.Errorf("%+v", c)
	}
	if err := b.SetValue(run.ValuePeer, "10.0.0.5"); err != nil {
		t.Fatal(err)
	}
	if c := b.check(t, guide.Network, guide.NetIperf3); c.Wants != "" || !strings.Contains(c.Command, "10.0.0.5") {
		t.Errorf("%+v", c)
	}
	b.wait(t)
	b.open(t, Params{})
	if b.Values()[run.ValuePeer] != "10.0.0.5" {
		t.Error("a value was forgotten")
	}
	if err := b.SetValue(run.ValuePeer, ""); err != nil || b.Values()[run.ValuePeer] != "" {
		t.Errorf("%v, %v", err, b.Values())
	}
}

func TestTrackAndProvider(t *testing.T) {
	b := newBench(t)
	if b.Track() != guide.Shared || b.Provider() != "" || b.Profile().ID != provider.GenericContainer {
		t.Errorf("%s, %q, %s", b.Track(), b.Provider(), b.Profile().ID)
	}
	b.SetTrack(guide.Dedicated)
	if b.Profile().ID != provider.GenericVM {
		t.Errorf("%s", b.Profile().ID)
	}
	b.wait(t)
	b.open(t, Params{Login: Login{Host: "connect.westb.seetacloud.com"}})
	if b.Provider() != "autodl" || b.Track() != guide.Dedicated {
		t.Errorf("%q, %s", b.Provider(), b.Track())
	}
	b.SetProvider("runpod")
	b.wait(t)
	b.open(t, Params{Login: Login{Host: "connect.westb.seetacloud.com"}})
	if b.Provider() != "runpod" || b.View(guide.Shared).Provider != "runpod" {
		t.Errorf("%q", b.Provider())
	}
}

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
			for range 10 + i {
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
