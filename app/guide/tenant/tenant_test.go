package tenant

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"rentgen/app/guide"
	"rentgen/assets/texts"
)

// local runs a script in this computer's shell.
type local struct {
	path string
	fail error
}

func (l local) Exec(ctx context.Context, e guide.Exec) (guide.Output, error) {
	c := exec.CommandContext(ctx, "/bin/sh", append([]string{"-s", "--"}, e.Args...)...)
	c.Env = append(os.Environ(), "LC_ALL=C", "PATH="+l.path+":"+os.Getenv("PATH"))
	c.Stdin = strings.NewReader(e.Script)
	c.Stdout = feeder(e.Out)
	if err := c.Run(); err != nil && ctx.Err() != nil {
		return guide.Output{}, ctx.Err()
	}
	return guide.Output{}, l.fail
}

type feeder func([]byte)

func (f feeder) Write(b []byte) (int, error) { f(b); return len(b), nil }

// tool puts a program of that name on the path.
func tool(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text), 0o755); err != nil {
		t.Fatal(err)
	}
}

func TestLook(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc")
	}
	bin, dir := t.TempDir(), t.TempDir()
	tool(t, bin, "nvidia-smi", `case "$*" in *compute-apps*) echo 1; echo 99999999;; *) echo "37, 1200, 24564";; esac`)
	tool(t, bin, "ping", `echo "64 bytes from 192.0.2.1: icmp_seq=1 ttl=64 time=0.514 ms"`)
	var live int
	test, err := Look(t.Context(), Params{Runner: local{path: bin}, For: 2 * time.Second, Dir: dir, Target: "192.0.2.1", Reading: func(Reading) { live++ }})
	if err != nil || !test.Ended {
		t.Fatal(test.Ended, err)
	}
	if len(test.Readings) < 1 || live != len(test.Readings) {
		t.Fatalf("%d readings, %d live", len(test.Readings), live)
	}
	r := test.Readings[0]
	if len(r.GPUs) != 1 || *r.GPUs[0].Util != 37 || *r.GPUs[0].UsedMiB != 1200 || *r.Own != 1 || *r.Foreign != 1 {
		t.Errorf("%+v", r)
	}
	if r.CPUWorkMs == nil || *r.CPUWorkMs <= 0 || r.DiskWorkMs == nil || r.NetRTTMs == nil || *r.NetRTTMs != 0.514 || r.Cores == nil {
		t.Errorf("%+v", r)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestLookStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	test, err := Look(ctx, Params{Runner: local{path: t.TempDir()}, For: time.Minute, Reading: func(Reading) { cancel() }})
	if !errors.Is(err, context.Canceled) || test.Ended || len(test.Readings) == 0 {
		t.Errorf("%d readings, ended %v, %v", len(test.Readings), test.Ended, err)
	}
	if _, err := Look(t.Context(), Params{Runner: local{}, Target: "-f"}); err == nil {
		t.Error("an option was taken for a target")
	}
	_, err = Look(t.Context(), Params{Runner: local{fail: guide.ErrOffline}, For: time.Second})
	if !errors.Is(err, guide.ErrOffline) {
		t.Error(err)
	}
}

// scene makes readings of a machine: how often others are there, by resource.
type scene struct {
	n                   int
	gpu, cpu, disk, net float64 // share of the seconds
	sticky              float64 // how likely a second is like the one before
	noGPU, hidden, own  bool
	lost                float64
}

func (s scene) readings(seed uint64) []Reading {
	rng := rand.New(rand.NewPCG(seed, 7))
	p := func(v float64) *float64 { return &v }
	at := map[*float64]bool{}
	busy := func(share *float64) bool {
		if _, ok := at[share]; !ok || rng.Float64() >= s.sticky {
			at[share] = rng.Float64() < *share
		}
		return at[share]
	}
	var out []Reading
	zero, one := 0, 1
	for i := range s.n {
		r := Reading{At: time.Duration(i) * time.Second, Cores: p(32), OthersCores: p(3)}
		if !s.noGPU {
			g := GPU{Util: p(0), UsedMiB: p(300), TotalMiB: p(24564)}
			if busy(&s.gpu) {
				g.Util, g.UsedMiB = p(60+30*rng.Float64()), p(9000)
			}
			r.GPUs = []GPU{g}
		}
		if !s.hidden {
			r.Own, r.Foreign = &zero, &zero
		}
		if s.own {
			r.Own = &one
		}
		r.CPUWorkMs = p(10 + rng.Float64())
		if busy(&s.cpu) {
			r.CPUWorkMs = p(30 + 10*rng.Float64())
		}
		r.DiskWorkMs = p(4 + 3*rng.Float64())
		if busy(&s.disk) {
			r.DiskWorkMs = p(150 + 100*rng.Float64())
		}
		r.NetRTTMs = p(0.5 + 0.2*rng.Float64())
		if busy(&s.net) {
			r.NetRTTMs = p(20)
		}
		if rng.Float64() < s.lost {
			r.NetRTTMs, r.NetLost = nil, true
		}
		out = append(out, r)
	}
	return out
}

func level(res Result, r Resource) Finding {
	for _, f := range res.Findings {
		if f.Resource == r {
			return f
		}
	}
	return Finding{}
}

func TestJudge(t *testing.T) {
	for name, c := range map[string]struct {
		s       scene
		verdict guide.Verdict
		want    map[Resource]Level
	}{
		"quiet":             {scene{n: 180}, guide.Pass, map[Resource]Level{Card: Quiet, CPU: Quiet, Disk: Quiet, Net: Quiet}},
		"neighbour on card": {scene{n: 180, gpu: 0.9}, guide.Warn, map[Resource]Level{Card: Clear, Disk: Quiet}},
		"disk squeezed":     {scene{n: 180, disk: 0.5}, guide.Warn, map[Resource]Level{Card: Quiet, Disk: Clear}},
		"cpu squeezed":      {scene{n: 180, cpu: 0.2}, guide.Warn, map[Resource]Level{CPU: Some}},
		"packets lost":      {scene{n: 180, lost: 0.4}, guide.Warn, map[Resource]Level{Net: Clear}},
		"too short":         {scene{n: 8}, guide.Warn, map[Resource]Level{Card: Unknown, CPU: Unknown}},
		"short and quiet":   {scene{n: 30}, guide.Warn, map[Resource]Level{Card: Unknown}},
		"one burst":         {scene{n: 60, gpu: 0.1, sticky: 0.97}, guide.Warn, nil},
		"own job":           {scene{n: 180, gpu: 0.9, own: true}, guide.Pass, map[Resource]Level{Card: Unknown}},
		"hidden processes":  {scene{n: 180, gpu: 0.9, hidden: true}, guide.Warn, map[Resource]Level{Card: Some}},
		"no card to read":   {scene{n: 180, noGPU: true}, guide.Pass, map[Resource]Level{Card: Unknown, CPU: Quiet}},
	} {
		t.Run(name, func(t *testing.T) {
			res := Judge(c.s.readings(1))
			if name != "one burst" && res.Verdict != c.verdict {
				t.Errorf("verdict %q, want %q", res.Verdict, c.verdict)
			}
			for r, want := range c.want {
				if f := level(res, r); f.Level != want {
					t.Errorf("%s is %s (share %.2f, confidence %.2f), want %s", r, f.Level, f.Share, f.Confidence, want)
				}
			}
			if f := level(res, Card); f.Confidence > 0.8 && c.s.hidden {
				t.Errorf("confidence %.2f though the processes are hidden", f.Confidence)
			}
			for _, l := range texts.Langs() {
				cat := texts.For(l)
				for _, f := range res.Findings {
					if s := cat.Say(f.Says); s == "" || strings.Contains(s, "{") || strings.Contains(s, "NaN") || !cat.Has(f.Says.Key) {
						t.Errorf("%s says %q", f.Resource, s)
					}
				}
				if s := cat.Say(res.Sentence); strings.Contains(s, "{") || !cat.Has(res.Sentence.Key) {
					t.Errorf("sentence %q", s)
				}
			}
		})
	}
}

// TestQuietIsNotAlarming counts false alarms over many quiet machines.
func TestQuietIsNotAlarming(t *testing.T) {
	alarms := 0
	for seed := range uint64(300) {
		if Judge(scene{n: 180}.readings(seed)).Verdict != guide.Pass {
			alarms++
		}
	}
	if alarms > 0 {
		t.Errorf("%d alarms on 300 quiet machines", alarms)
	}
}

// TestStickyIsLessSure: the same share in one piece proves less than spread out.
func TestStickyIsLessSure(t *testing.T) {
	spread, block := make([]bool, 100), make([]bool, 100)
	for i := range 12 {
		spread[i*8] = true
		block[40+i] = true
	}
	var a, b Finding
	a.weigh(spread)
	b.weigh(block)
	if a.Confidence <= b.Confidence {
		t.Errorf("spread %.3f, in one piece %.3f", a.Confidence, b.Confidence)
	}
}

func TestCompare(t *testing.T) {
	day := func(h int) time.Time { return time.Date(2026, 11, 20, h, 5, 0, 0, time.UTC) }
	quiet, busy := scene{n: 180}.readings(1), scene{n: 180, disk: 0.6}.readings(2)
	list, p := Compare([]Test{{Start: day(3), Readings: quiet}, {Start: day(20), Readings: busy}}, time.UTC)
	if list[3].Seen[Disk] != 1 || list[0].Seen[Disk] != 0 || list[1].Tests != 0 || p.Key != "tenant.times.differ" {
		t.Errorf("%+v, %q", list, texts.For(texts.English).Say(p))
	}
	if s := texts.For(texts.Chinese).Say(p); strings.Contains(s, "{") || !strings.Contains(s, "晚上") || !strings.Contains(s, "深夜") {
		t.Error(s)
	}
	if _, p := Compare([]Test{{Start: day(3), Readings: quiet}}, time.UTC); p.Key != "tenant.times.one" {
		t.Error(p.Key)
	}
	if _, p := Compare([]Test{{Start: day(3), Readings: quiet}, {Start: day(9), Readings: quiet}}, time.UTC); p.Key != "tenant.times.same" {
		t.Error(p.Key)
	}
}

func FuzzReader(f *testing.F) {
	f.Add([]byte("m time 10.5\nm gpu\n5, 300, 24564\nm stat\ncpu 1 2 3 4 5 6 7 8\ncpu0 1 2 3 4\nm usage\nusage_usec 100\nm cpu 1 2\nm time 11.5\nm stat\ncpu 9 9 9 9 9 9 9 9\ncpu0 1\nm end\n"), 7)
	f.Add([]byte("m time NaN\nm gpu\n[N/A], 99999999, -1\nm ping\ntime=1e999 ms\nm pong 1\nm end"), 3)
	f.Fuzz(func(t *testing.T, b []byte, cut int) {
		var rs []Reading
		r := newReader("m", func(x Reading) { rs = append(rs, x) })
		if cut < 0 || cut > len(b) {
			cut = len(b) / 2
		}
		r.feed(b[:cut])
		r.feed(b[cut:])
		for _, x := range rs {
			for _, v := range []*float64{x.OthersCores, x.StealPct, x.CPUWorkMs, x.DiskWorkMs, x.NetRTTMs} {
				if v != nil && (math.IsNaN(*v) || math.IsInf(*v, 0) || *v < 0) {
					t.Fatalf("%v", *v)
				}
			}
		}
		Judge(rs)
	})
}
