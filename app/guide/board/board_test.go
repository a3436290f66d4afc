package board

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
	all := slices.Concat(b.inst.asked...) // the two go at the same time
	if len(b.inst.asked) != 2 || slices.Contains(all, guide.GPULspci) || !slices.Contains(all, guide.NetPing) || !slices.Contains(all, guide.GPUSMI) {
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

func TestNetworkAlone(t *testing.T) {
	b := newBench(t)
	b.SetTrack(guide.Network)
	b.ran(t, Scope{}, guide.Quick)
	if len(b.inst.asked) != 1 {
		t.Errorf("ran %v", b.inst.asked)
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

// TestOneCheckThoughItsParentFailed asks for a check by name.
func TestOneCheckThoughItsParentFailed(t *testing.T) {
	b := newBench(t)
	b.inst.out = map[guide.CheckID]string{guide.GPUSMI: "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n"}
	b.inst.exit = map[guide.CheckID]int{guide.GPUSMI: 9}
	b.ran(t, Scope{Check: guide.GPUSMI}, guide.Quick)
	if c := b.check(t, guide.Shared, guide.TorchCUDA); c.State != track.Blocked {
		t.Fatalf("%s", c.State)
	}
	b.ran(t, Scope{Step: "shared.2"}, guide.Quick)
	if !b.inst.last.Failed[guide.GPUSMI] {
		t.Error("the run doesn't know what failed before")
	}
	b.ran(t, Scope{Check: guide.TorchCUDA}, guide.Quick)
	if b.inst.last.Failed[guide.GPUSMI] {
		t.Error("what was asked for by name is blocked")
	}
	if c := b.check(t, guide.Shared, guide.TorchCUDA); c.State != track.Done {
		t.Errorf("%s", c.State)
	}
}

// TestAnotherTrack finds out late that it is a whole machine.
func TestAnotherTrack(t *testing.T) {
	b := newBench(t)
	smi := "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n"
	b.SetTrack(guide.Shared)
	b.Paste(guide.Input{Check: guide.GPUSMI, Stdout: []byte(smi), Exit: 9})
	b.Paste(guide.Input{Check: guide.DiskDf, Command: "df -h /data", Stdout: []byte("x")})
	b.SetTrack(guide.Dedicated)
	c := b.check(t, guide.Dedicated, guide.GPUSMI)
	if c.Verdict != guide.Fail || c.Record.Track != guide.Dedicated || c.Outcome.Worst().Do.Key == b.check(t, guide.Shared, guide.GPUSMI).Outcome.Worst().Do.Key {
		t.Errorf("%s, %v: a whole machine has another remedy", c.Verdict, c.Outcome.Worst().Do)
	}
	if c = b.check(t, guide.Dedicated, guide.DiskDf); c.Record != nil {
		t.Error("the output of another command was taken over")
	}
	b.Paste(guide.Input{Check: guide.GPUSMI, Stdout: []byte("nonsense")})
	b.SetTrack(guide.Shared)
	b.SetTrack(guide.Dedicated)
	if c = b.check(t, guide.Dedicated, guide.GPUSMI); c.Verdict != guide.Warn {
		t.Errorf("the track's own result was replaced: %s", c.Verdict)
	}
}

func TestEstimate(t *testing.T) {
	b := newBench(t)
	b.open(t, Params{Needs: func() guide.Needs {
		return guide.Needs{Cost: func(d time.Duration) string { return d.String() }}
	}})
	last := time.Duration(0)
	for _, l := range guide.Levels() {
		e, err := b.Estimate(Scope{}, l)
		if err != nil || e.Takes <= last || e.Cost != e.Takes.String() || !slices.Contains(e.Checks, guide.NetPing) || !slices.Contains(e.Checks, guide.GPUSMI) {
			t.Errorf("%s: %+v, %v", l, e, err)
		}
		last = e.Takes
	}
	if e, _ := b.Estimate(Scope{}, guide.Quick); e.Takes > 30*time.Second {
		t.Errorf("the first answer takes %v", e.Takes)
	}
	if e, err := b.Estimate(Scope{Stale: true}, guide.Quick); err != nil || e.Takes != 0 || e.Cost != "" {
		t.Errorf("nothing to run: %+v, %v", e, err)
	}
	if _, err := b.Estimate(Scope{Step: "shared.9"}, guide.Quick); err == nil {
		t.Error("an item that isn't there has an estimate")
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
	b.ran(t, Scope{}, guide.Standard)
	v := b.View(guide.Shared)
	done := len(v.Levels[1].Checks) - v.Missing
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
	if all := slices.Concat(b.inst.asked...); len(all) != v.Missing+n.Missing || slices.Contains(all, guide.GPUSMI) {
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

// TestCardOfAnotherInstanceIsNotKnown holds that a run on a new instance isn't judged
// by the card of the one before.
func TestCardOfAnotherInstanceIsNotKnown(t *testing.T) {
	b := newBench(t)
	smi, err := os.ReadFile(filepath.Join("..", "testdata", "cases", "checks", "005-smi-570-vgpu48-shared.txt"))
	if err != nil {
		t.Fatal(err)
	}
	b.inst.out = map[guide.CheckID]string{guide.GPUSMI: string(smi)}
	b.ran(t, Scope{Track: guide.Shared, Check: guide.GPUSMI}, guide.Quick)
	paste := func() guide.Context {
		return b.Paste(guide.Input{Check: guide.DiskDf, Track: guide.Shared, Stdout: []byte(good[guide.DiskDf])}).Context
	}
	if c := paste(); c.VRAMGiB == nil || c.SMIGPUCount == nil {
		t.Fatalf("the card is not known: %+v", c)
	}
	b.inst.run = guide.Run{Boot: "b2", PID1: "11", Driver: "550.90.07", Instance: "i2"}
	if err := b.Look(t.Context()); err != nil {
		t.Fatal(err)
	}
	if c := paste(); c.VRAMGiB != nil || c.SMIGPUCount != nil {
		t.Errorf("the card of another instance: %+v", c)
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
	for l, want := range map[Login]guide.Track{
		{User: "root", Port: 40022}: guide.Shared, {User: "ubuntu", Port: 22}: guide.Dedicated, {User: "ubuntu"}: guide.Dedicated,
		{User: "user", Port: 2222}: guide.Shared, {Host: "connect.westb.seetacloud.com", User: "ubuntu"}: guide.Shared, {}: guide.Shared,
	} {
		if got := New(Params{Login: l}).Track(); got != want {
			t.Errorf("%+v: %s, want %s", l, got, want)
		}
	}
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
