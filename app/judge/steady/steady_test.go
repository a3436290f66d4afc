package steady

import (
	"math/rand/v2"
	"testing"
	"time"

	"rentgen/app/judge"
	"rentgen/app/judge/series"
	"rentgen/assets/texts"
	"rentgen/probe"
)

type set = map[probe.Metric]float64

// phase runs seconds of one card and returns what the phase means.
func phase(seconds int, setting judge.Setting, past []judge.Phase, script func(i int, r *rand.Rand) set) []judge.Verdict {
	rules := Rules()
	r := rand.New(rand.NewPCG(1, 2))
	var out []judge.Verdict
	s := series.New(series.Params{Rules: rules, Closed: func(g *series.Segment) {
		if rules[0].Asked(g) {
			out = append(out, rules[0].Judge(&series.Case{Segment: g, Tally: g.Tallies[0], Setting: setting, Past: past})...)
		}
	}})
	for i := range seconds {
		g := probe.GPU{UUID: "GPU-a", Name: "NVIDIA A100"}
		for m, v := range script(i, r) {
			g.Set(m, probe.Of(v))
		}
		s.Add(&probe.Sample{Time: time.Unix(int64(1000+i), 0), GPUs: []probe.GPU{g}})
	}
	s.Close()
	return out
}

func even(_ int, r *rand.Rand) set {
	return set{probe.UtilGPU: 97 + r.Float64(), probe.ClockSM: 1400 + 10*r.NormFloat64(), probe.Power: 350 + 8*r.NormFloat64(), probe.MemUsed: 20000}
}

func with(f func(i int, s set)) func(int, *rand.Rand) set {
	return func(i int, r *rand.Rand) set {
		s := even(i, r)
		f(i, s)
		return s
	}
}

// before is an earlier phase of the card with a clock, a power and VRAM in use.
func before(gpu, card, job string, clock, power, mem float64) judge.Phase {
	stat := func(v float64) judge.Stat { return judge.Stat{N: 600, Mean: v, P50: v} }
	return judge.Phase{GPU: gpu, Card: card, Job: job, Stats: map[string]judge.Stat{
		"clock_sm_mhz": stat(clock), "power_w": stat(power), "mem_used_mib": stat(mem), "util_pct": stat(98),
	}}
}

func TestVary(t *testing.T) {
	for _, c := range []struct {
		name    string
		seconds int
		setting judge.Setting
		past    []judge.Phase
		script  func(int, *rand.Rand) set
		say     string // behind "judge.say."; "" for no verdict
		level   judge.Level
	}{
		{"too short", 100, judge.Setting{}, nil, even, "", ""},
		{"even", 600, judge.Setting{}, nil, even, "stable", judge.Good},
		{"pictures with pauses", 600, judge.Setting{}, nil, with(func(i int, s set) {
			if i%25 > 15 {
				s[probe.UtilGPU], s[probe.Power] = 3, 90
			}
		}), "stable", judge.Good},
		{"the clock differs a little", 600, judge.Setting{}, nil, with(func(i int, s set) {
			if i/60%2 == 0 {
				s[probe.ClockSM] *= 0.92
			}
		}), "stable.loose", judge.Good},
		{"the clock goes up and down", 600, judge.Setting{}, nil, with(func(i int, s set) {
			if i/60%2 == 0 {
				s[probe.ClockSM] *= 0.7
			}
		}), "unstable", judge.Info},
		{"uneven work", 600, judge.Setting{}, nil, with(func(i int, s set) {
			if i/60%2 == 0 {
				s[probe.UtilGPU], s[probe.Power] = 30, 150
			}
		}), "unstable.work", judge.Info},
		{"the clock is unread", 600, judge.Setting{}, nil, with(func(_ int, s set) { delete(s, probe.ClockSM) }), "stable.clock-unread", judge.Good},
		{"too little is read", 600, judge.Setting{}, nil, with(func(i int, s set) {
			delete(s, probe.ClockSM)
			delete(s, probe.Power)
			if i%3 != 0 { // utilisation is hardly ever read
				delete(s, probe.UtilGPU)
			}
		}), "not-enough-data.busy", judge.Unknown},
		{"as before", 600, judge.Setting{}, []judge.Phase{before("GPU-a", "NVIDIA A100", "", 1400, 350, 20100)}, even, "stable.as-earlier", judge.Good},
		{"slower than before", 600, judge.Setting{}, []judge.Phase{before("GPU-a", "NVIDIA A100", "", 1700, 450, 20100)}, even, "unstable.slower", judge.Warn},
		{"slower than another card of the product", 600, judge.Setting{Earlier: []judge.Phase{before("GPU-b", "NVIDIA A100", "", 1700, 450, 20100)}}, nil, even, "unstable.slower", judge.Warn},
		{"another product", 600, judge.Setting{Earlier: []judge.Phase{before("GPU-b", "NVIDIA L4", "", 1700, 450, 20100)}}, nil, even, "stable", judge.Good},
		{"another job by its VRAM", 600, judge.Setting{}, []judge.Phase{before("GPU-a", "NVIDIA A100", "", 1700, 450, 9000)}, even, "stable", judge.Good},
		{"another job by its name", 600, judge.Setting{Job: "flux"}, []judge.Phase{before("GPU-a", "NVIDIA A100", "sdxl", 1700, 450, 20000)}, even, "stable", judge.Good},
		{"the same job by its name", 600, judge.Setting{Job: "flux"}, []judge.Phase{before("GPU-a", "NVIDIA A100", "flux", 1700, 450, 9000)}, even, "unstable.slower", judge.Warn},
		{"a heavier job at the same power", 600, judge.Setting{}, []judge.Phase{before("GPU-a", "NVIDIA A100", "", 1700, 352, 20000)}, even, "stable", judge.Good},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := phase(c.seconds, c.setting, c.past, c.script)
			if c.say == "" {
				if len(got) != 0 {
					t.Errorf("got %+v", got)
				}
				return
			}
			if len(got) != 1 || got[0].Say.Key != "judge.say."+c.say || got[0].Level != c.level {
				t.Fatalf("got %+v", got)
			}
			if v := got[0]; v.Numbers["seconds"].Value != float64(c.seconds) || texts.For(texts.English).Say(v.Say) == v.Say.Key {
				t.Errorf("got %+v", v)
			}
		})
	}
}

func TestSureGrowsWithTime(t *testing.T) {
	last := 0.0
	for _, s := range []int{120, 300, 900, 3600, 86400} {
		now := sure(s)
		if now <= last || now > 1 || now < 0.5 {
			t.Errorf("%d s: %g after %g", s, now, last)
		}
		last = now
	}
}
