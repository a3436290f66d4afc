package steady

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"rentgen/app/judge"
	"rentgen/probe"
)

// bare is what a log of two columns has.
func bare(util, mem float64) set { return set{probe.UtilGPU: util, probe.MemUsed: mem} }

// TestWithin judges variation within minutes whose means are alike.
func TestWithin(t *testing.T) {
	swing := func(r *rand.Rand) float64 { return 50 + 44*r.Float64() }
	block := func(i int, a, b float64) float64 {
		if i/15%2 == 0 {
			return a
		}
		return b
	}
	for _, c := range []struct {
		name   string
		script func(i int, r *rand.Rand) set
		say    string
		level  judge.Level
		steps  bool
		doubts []string
	}{
		{"even, two columns", func(_ int, r *rand.Rand) set { return bare(97+2*r.Float64(), 18000) }, "stable.clock-unread", judge.Good, false, []string{"clock-unread", "others-untold"}},
		{"swings, two columns", func(_ int, r *rand.Rand) set { return bare(swing(r), 18000) }, "unstable.work.swing", judge.Info, false, []string{"clock-unread", "others-untold"}},
		{"every other second, two columns", func(i int, _ *rand.Rand) set { return bare(50+44*float64(i%2), 18000) }, "unstable.work.swing", judge.Info, false, []string{"clock-unread", "rhythm-short", "others-untold"}},
		{"blocks, two columns", func(i int, _ *rand.Rand) set { return bare(block(i, 96, 40), 18000) }, "unstable.work.levels", judge.Info, false, []string{"clock-unread", "others-untold"}},
		{"blocks with VRAM", func(i int, _ *rand.Rand) set { return bare(block(i, 96, 40), block(i, 18000, 21000)) }, "unstable.work.levels", judge.Info, true, []string{"clock-unread", "others-untold", "vram-steps"}},
		{"VRAM alone", func(i int, _ *rand.Rand) set { return bare(97, block(i, 18000, 21000)) }, "stable.clock-unread", judge.Good, true, []string{"clock-unread", "others-untold", "vram-steps"}},
		{"VRAM of listed programs", func(i int, _ *rand.Rand) set {
			s := bare(97, block(i, 18000, 21000))
			s[probe.OwnProcs], s[probe.OwnMem] = 1, s[probe.MemUsed]-400
			return s
		}, "stable.clock-unread", judge.Good, false, []string{"clock-unread"}},
		{"VRAM that goes with pauses", func(i int, _ *rand.Rand) set {
			if i%20 < 3 {
				return bare(2, 16000)
			}
			return bare(98, 18000)
		}, "stable.clock-unread", judge.Good, false, []string{"clock-unread", "others-untold"}},
		{"pictures of six seconds", func(i int, _ *rand.Rand) set {
			if i%6 > 3 {
				return bare(45, 18000)
			}
			return bare(98, 18000)
		}, "stable.clock-unread.rhythm", judge.Good, false, []string{"clock-unread", "others-untold"}},
		{"short dips", func(i int, r *rand.Rand) set {
			if r.Float64() < 0.1 {
				return bare(30, 18000)
			}
			return bare(98, 18000)
		}, "stable.clock-unread.dips", judge.Good, false, []string{"clock-unread", "others-untold"}},
		{"swings beside an even clock", with(func(i int, s set) { s[probe.UtilGPU] = 50 + 44*math.Abs(math.Sin(float64(i*i))) }), "unstable.work.swing", judge.Info, false, []string{"others-untold"}},
		{"rhythm beside an even clock", with(func(i int, s set) {
			if i%6 > 3 {
				s[probe.UtilGPU] = 45
			}
		}), "stable", judge.Good, false, nil},
		{"power swings at full load", func(_ int, r *rand.Rand) set {
			s := bare(99, 18000)
			s[probe.Power] = 150 + 250*r.Float64()
			return s
		}, "unstable.power", judge.Info, false, []string{"clock-unread", "others-untold"}},
		{"nothing but power", func(i int, r *rand.Rand) set {
			if i%20 < 4 {
				return set{probe.Power: 80}
			}
			return set{probe.Power: 350 + 4*r.NormFloat64()}
		}, "stable.clock-unread.power", judge.Good, false, []string{"clock-unread", "util-unread", "others-untold"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := phase(600, judge.Setting{}, nil, c.script)
			if len(got) != 1 || got[0].Say.Key != "judge.say."+c.say || got[0].Level != c.level {
				t.Fatalf("got %+v", got)
			}
			var doubts []string
			for _, d := range got[0].Doubts {
				doubts = append(doubts, d.Key[len("judge.doubt."):])
			}
			if !slices.Equal(doubts, c.doubts) {
				t.Errorf("doubts %q", doubts)
			}
			if n, ok := got[0].Numbers["vram_steps"]; ok != c.steps || ok && (n.Value < 10 || got[0].Numbers["vram_step_mib"].Value < 2900) {
				t.Errorf("steps %v", got[0].Numbers)
			}
		})
	}
}

func TestBands(t *testing.T) {
	n := phase(600, judge.Setting{}, nil, even)[0].Numbers
	for _, k := range []string{"clock", "util", "power"} {
		low, mid, high := n[k+"_p05"], n[k+"_p50"], n[k+"_p95"]
		if !(low.Value > 0 && low.Value <= mid.Value && mid.Value <= high.Value) || low.Unit == "" {
			t.Errorf("%s: %v %v %v", k, low, mid, high)
		}
	}
	n = phase(600, judge.Setting{}, nil, func(_ int, r *rand.Rand) set { return bare(97+2*r.Float64(), 18000) })[0].Numbers
	if _, ok := n["clock_p50"]; ok || n["util_p50"].Value < 90 {
		t.Errorf("got %v", n)
	}
	if _, ok := n["power_p50"]; ok {
		t.Errorf("got %v", n)
	}
}

// TestEarlierWithoutClock compares by what there is.
func TestEarlierWithoutClock(t *testing.T) {
	power := func(_ int, r *rand.Rand) set {
		s := even(0, r)
		delete(s, probe.ClockSM)
		return s
	}
	load := func(_ int, r *rand.Rand) set { return bare(70+r.Float64(), 20000) }
	pictures := func(i int, _ *rand.Rand) set {
		if i%20 < 3 {
			return bare(2, 20000)
		}
		return bare(98, 20000)
	}
	round := func(s float64) judge.Phase {
		p := before("GPU-a", "NVIDIA A100", "", 0, 0, 20000)
		delete(p.Stats, "clock_sm_mhz")
		delete(p.Stats, "power_w")
		p.Stats["picture_s"] = judge.Stat{N: 1, Mean: s, P50: s}
		return p
	}
	for _, c := range []struct {
		name   string
		past   judge.Phase
		job    string
		script func(int, *rand.Rand) set
		say    string
		level  judge.Level
	}{
		{"as much power", before("GPU-a", "NVIDIA A100", "", 1700, 360, 20000), "", power, "stable.clock-unread", judge.Good},
		{"less power", before("GPU-a", "NVIDIA A100", "", 1700, 500, 20000), "", power, "unstable.slower.power", judge.Info},
		{"less power in the same job", before("GPU-a", "NVIDIA A100", "flux", 1700, 500, 9000), "flux", power, "unstable.slower.power", judge.Warn},
		{"another job", before("GPU-a", "NVIDIA A100", "sdxl", 1700, 500, 20000), "flux", power, "stable.clock-unread", judge.Good},
		{"less load", before("GPU-a", "NVIDIA A100", "", 1700, 500, 20000), "", load, "unstable.slower.util", judge.Info},
		{"pictures as fast", round(20), "", pictures, "stable.clock-unread", judge.Good},
		{"pictures that take longer", round(12), "", pictures, "unstable.slower.round", judge.Info},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := phase(600, judge.Setting{Job: c.job}, []judge.Phase{c.past}, c.script)
			if len(got) != 1 || got[0].Say.Key != "judge.say."+c.say || got[0].Level != c.level {
				t.Fatalf("got %+v", got)
			}
		})
	}
}

// TestRepeats finds rhythms and none in chance.
func TestRepeats(t *testing.T) {
	curve := func(f func(i int, r *rand.Rand) float64, seed uint64) []float64 {
		r := rand.New(rand.NewPCG(seed, 2))
		x := make([]float64, 600)
		for i := range x {
			x[i] = f(i, r)
		}
		return x
	}
	level, left := 0.0, 0
	for seed := range uint64(20) {
		for name, f := range map[string]func(i int, r *rand.Rand) float64{
			"white": func(_ int, r *rand.Rand) float64 { return 50 + 44*r.Float64() },
			"blocks of any length": func(_ int, r *rand.Rand) float64 {
				if left--; left < 0 {
					level, left = 40+56*r.Float64(), 3+r.IntN(40)
				}
				return level + r.Float64()
			},
		} {
			if lag := repeats(curve(f, seed)); lag != 0 {
				t.Errorf("%s, seed %d: repeats after %d s", name, seed, lag)
			}
		}
	}
	for _, period := range []int{2, 5, 7, 25, 60} {
		x := curve(func(i int, r *rand.Rand) float64 {
			if i%period < (period+3)/4 {
				return 40 + r.Float64()
			}
			return 95 + r.Float64()
		}, 1)
		if lag := repeats(x); lag != period {
			t.Errorf("period %d: %d", period, lag)
		}
	}
	if repeats(nil) != 0 || repeats(make([]float64, 300)) != 0 {
		t.Error("a flat curve repeats")
	}
}
