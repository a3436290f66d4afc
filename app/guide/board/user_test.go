package board

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"rentgen/app/guide"
	"rentgen/app/guide/day"
	"rentgen/app/guide/keep"
	"rentgen/app/guide/ledger"
	"rentgen/app/guide/network"
	"rentgen/app/guide/run"
	"rentgen/app/guide/track"
	"rentgen/assets/texts"
)

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

func (b *bench) item(t *testing.T, tr guide.Track, id string) track.ItemView {
	t.Helper()
	for _, s := range b.View(tr).Steps {
		for _, it := range s.Items {
			if it.Item.ID == id {
				return it
			}
		}
	}
	t.Fatalf("%s has no item %s", tr, id)
	return track.ItemView{}
}

// TestGuardsTicks answers what the release guard asks.
func TestGuardsTicks(t *testing.T) {
	b := newBench(t)
	for _, id := range []string{"release.not_needed:/root/a b", day.TickImage} {
		if err := b.Tick(id, true, "", nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range []string{"release.not_needed:/a\nb", "release." + strings.Repeat("x", 600), "other.x"} {
		if err := b.Tick(id, true, "", nil); err == nil {
			t.Errorf("%q was taken", id)
		}
	}
	if err := b.Tick(day.TickImage, true, "", map[string]string{"x": "y"}); err == nil {
		t.Error("a field was taken that isn't there")
	}
	if len(b.Entries(guide.KindTick)) != 3 || b.item(t, guide.Shared, track.ItemSaved).Verdict != guide.Pass {
		t.Errorf("%v", b.Entries(guide.KindTick))
	}
	if err := b.Tick(track.ItemSaved, false, "", nil); err != nil {
		t.Fatal(err)
	}
	for _, e := range b.Entries(guide.KindTick) {
		var tick guide.Tick
		if err := json.Unmarshal(e.Body, &tick); err != nil || e.Key == day.TickImage && tick.Done {
			t.Errorf("%s: %+v, %v: the guard and the list disagree", e.Key, tick, err)
		}
	}
}

// TestEvidence shows at items what other rooms measured and proved.
func TestEvidence(t *testing.T) {
	b := newBench(t)
	at := b.clock.now()
	put := func(kind, key string, body any) {
		t.Helper()
		if err := b.Put(kind, key, body); err != nil {
			t.Fatal(err)
		}
	}
	put(guide.KindProof, "/a", keep.Proof{Dir: "/a", Marked: at})
	if it := b.item(t, guide.Shared, track.ItemSurvival); it.Verdict != guide.NotRun || it.Finding.Key != "track.evidence.waiting" {
		t.Errorf("%+v", it)
	}
	put(guide.KindProof, "/b", keep.Proof{Dir: "/b", Lost: true, Outlived: []keep.Outlived{{Change: keep.ContainerRestart, Seen: at}}})
	if it := b.item(t, guide.Shared, track.ItemSurvival); it.Verdict != guide.NotRun || len(it.Evidence) != 2 {
		t.Errorf("%+v", it)
	}
	put(guide.KindProof, "/a", keep.Proof{Dir: "/a", Outlived: []keep.Outlived{{Change: keep.MachineRestart, There: true, Seen: at}}})
	if it := b.item(t, guide.Shared, track.ItemSurvival); it.Verdict != guide.Pass {
		t.Errorf("%+v", it)
	}
	b.inst.run.Instance = "i2"
	if err := b.Look(t.Context()); err != nil {
		t.Fatal(err)
	}
	put(guide.KindProof, "/a", keep.Proof{Dir: "/a", Run: guide.Run{Instance: "i1"}, Outlived: []keep.Outlived{{Change: keep.MachineRestart, There: true, Seen: at}}})
	if it := b.item(t, guide.Shared, track.ItemSurvival); it.Verdict != guide.NotRun {
		t.Error("what another instance proved holds for this one")
	}
	put(guide.KindProof, "bad", 3)

	peak := 20480.0
	put(guide.KindLedger, "1", ledger.Ledger{Started: at, Stages: map[ledger.Stage]ledger.Figure{
		ledger.Queue: {Seconds: 300}, ledger.Boot: {Seconds: 40}, ledger.Page: {Seconds: 35}, ledger.Warm: {Seconds: 6.5},
	}, Peak: ledger.Peak{MemMiB: &peak}})
	times, load := b.item(t, guide.Shared, track.ItemTimes), b.item(t, guide.Dedicated, track.ItemLoad)
	if times.Value["queue"] != "5\u2009min" || times.Value["start"] != "1\u2009min" || times.Filled["queue"].IsZero() || times.Verdict != guide.NotRun {
		t.Errorf("%v", times.Value)
	}
	if load.Value["pictures"] != "553" || load.Value["latency"] != "6.5\u2009s" || load.Value["vram"] != "20.0\u2009GiB" || load.Value["celsius"] != "" {
		t.Errorf("%v", load.Value)
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

// TestNetworkIsAlsoAReading: what ping measured stands in its series, also where it
// was pasted.
func TestNetworkIsAlsoAReading(t *testing.T) {
	b := newBench(t)
	out := "PING 192.0.2.10 (192.0.2.10) 56(84) bytes of data.\n--- 192.0.2.10 ping statistics ---\n5 packets transmitted, 5 received, 0% packet loss, time 4006ms\nrtt min/avg/max/mdev = 2.010/2.039/2.071/0.019 ms\n"
	b.Paste(guide.Input{Check: guide.NetPing, Track: guide.Network, Command: "ping -c 5 192.0.2.10", Stdout: []byte(out)})
	list := network.Points(b.Entries(guide.KindNet), network.Ping)
	if len(list) != 1 || list[0].Value == nil || *list[0].Value != 2.039 {
		t.Fatalf("%+v", list)
	}
	b.Paste(guide.Input{Check: guide.DiskDf, Track: guide.Shared, Command: "df -h", Stdout: []byte("x")})
	if n := len(b.Entries(guide.KindNet)); n != 1 {
		t.Errorf("%d readings", n)
	}
}

// stressed is a connection on which only the load test is run.
type stressed struct {
	out, err string
	asked    int
	link     error
}

func (l *stressed) Exec(_ context.Context, e guide.Exec) (guide.Output, error) {
	if e.Script != ledger.LoadCommand {
		return guide.Output{}, guide.ErrOffline
	}
	l.asked++
	return guide.Output{Stdout: []byte(l.out), Stderr: []byte(l.err)}, l.link
}

// TestThoroughEndsWithALoadTest: where PyTorch can use the card, and only in a run
// of a whole instance.
func TestThoroughEndsWithALoadTest(t *testing.T) {
	const torch = `{"torch_version": "2.8.0+cu128", "torch_cuda": "12.8", "cuda_available": true, "device_count": 1, "arch_list": ["sm_89"], "devices": [{"name": "NVIDIA GeForce RTX 4090", "capability": "8.9", "total_memory": 25386352640}]}
torch.ones(1, device="cuda") + 1 = tensor([2.], device='cuda:0')
`
	figures := strings.Repeat("load 0.007400\n", 12) + "gpu 71, 402.10, 2520, 1210\nend 0\n"
	for _, c := range []struct {
		name  string
		l     guide.Level
		s     Scope
		torch string
		run   stressed
		asked int
		want  string
	}{
		{"thorough", guide.Thorough, Scope{}, torch, stressed{out: figures}, 1, "149"},
		{"standard", guide.Standard, Scope{}, torch, stressed{out: figures}, 0, ""},
		{"one check", guide.Thorough, Scope{Check: guide.TorchCUDA}, torch, stressed{out: figures}, 0, ""},
		{"no card to use", guide.Thorough, Scope{}, "False\n", stressed{out: figures}, 0, ""},
		{"no figures", guide.Thorough, Scope{}, torch, stressed{err: "CUDA out of memory"}, 1, "CUDA out of memory"},
		{"link lost", guide.Thorough, Scope{}, torch, stressed{link: guide.ErrOffline}, 1, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			b.inst.out = map[guide.CheckID]string{guide.TorchCUDA: c.torch}
			b.p.Runner = func() guide.Runner { return &c.run }
			b.ran(t, c.s, c.l)
			if c.run.asked != c.asked {
				t.Errorf("asked %d times, want %d", c.run.asked, c.asked)
			}
			said := ""
			for _, s := range b.View(guide.Dedicated).Steps {
				for _, i := range s.Items {
					if i.Item.ID == track.ItemLoad {
						for _, e := range i.Evidence {
							said += texts.For(texts.English).Say(e)
						}
					}
				}
			}
			if (said == "") != (c.want == "") || !strings.Contains(said, c.want) {
				t.Errorf("said %q, want %q", said, c.want)
			}
			if lost := c.run.link != nil; lost != (b.View(guide.Shared).Fault.Key != "") {
				t.Errorf("fault %+v", b.View(guide.Shared).Fault)
			}
		})
	}
}
