package slow

import (
	"math"
	"strings"
	"testing"
	"time"

	"rentgen/app/judge"
	"rentgen/app/judge/series"
	"rentgen/assets/texts"
	"rentgen/probe"
)

// painting is a job that needs so many seconds a picture, of which the last
// part is written to disk.
func painting(period float64, change set) func(int) set {
	return func(i int) set {
		s := with(paints(), set{probe.UtilGPU: 98, probe.Power: 400})
		if math.Mod(float64(i), period) < period/5 {
			s = with(s, set{probe.UtilGPU: 30, probe.Power: 150})
		}
		return with(s, change)
	}
}

// phases runs a scene and returns what would be kept of it.
func phases(s scene) []judge.Phase {
	var out []judge.Phase
	rules := Rules()
	ser := series.New(series.Params{Rules: rules, Closed: func(g *series.Segment) {
		if g.Window || g.GPU == "" || g.Kind != series.Busy {
			return
		}
		p := g.Phase(s.set)
		for _, t := range g.Tallies {
			Sum(t, &p)
		}
		out = append(out, p)
	}})
	ser.Add(&probe.Inventory{GPUs: []probe.Device{s.device0(0)}})
	for i := range s.seconds {
		m := &probe.Sample{Time: s.from.Add(time.Duration(i) * time.Second), System: &probe.System{}}
		g := probe.GPU{UUID: "GPU-0", Name: s.device0(0).Name}
		for metric, v := range s.card(i) {
			if metric.System() {
				m.System.Set(metric, probe.Of(v))
			} else {
				g.Set(metric, probe.Of(v))
			}
		}
		m.GPUs = []probe.GPU{g}
		ser.Add(m)
	}
	ser.Close()
	return out
}

func TestEarlier(t *testing.T) {
	day := begin.Add(-24 * time.Hour)
	then := func(job string, s scene) []judge.Phase {
		s.from, s.seconds, s.set.Job = day, 300, job
		return phases(s)
	}
	usual := scene{card: painting(20, nil)}
	for _, c := range []struct {
		what  string
		past  []judge.Phase
		job   string
		now   func(int) set
		want  judge.Kind // "" for nothing
		says  string
		doubt bool
	}{
		{"as fast as before", then("sdxl", usual), "sdxl", painting(20, nil), "", "", false},
		{
			"a clock that is lower, 50 s instead of 20 s", then("sdxl", usual), "sdxl",
			painting(50, set{probe.ClockSM: 1000, probe.PowerCap: 200}), judge.Unstable, "1,000 MHz", false,
		},
		{"a disk that is slower", then("sdxl", scene{card: painting(20, set{probe.DiskRead: 800})}), "sdxl", painting(45, set{probe.DiskRead: 40, probe.IOWait: 40}), judge.SlowDisk, "", false},
		{"a quota", then("sdxl", usual), "sdxl", painting(45, set{probe.CPUThrottled: 80}), judge.SlowCPUQuota, "80 %", false},
		{"nothing that shows why", then("sdxl", usual), "sdxl", painting(50, nil), judge.Unstable, "no reading says why", false},
		{"another job", then("flux", usual), "sdxl", painting(50, nil), "", "", false},
		{"no name, the same VRAM", then("", usual), "", painting(50, set{probe.ClockSM: 1000}), judge.Unstable, "1,000 MHz", true},
		{"no name, other VRAM", then("", scene{card: painting(20, set{probe.MemUsed: 6000})}), "", painting(50, nil), "", "", false},
		{"no rhythm, a lower clock", then("sdxl", scene{card: steady(paints())}), "sdxl", steady(with(paints(), set{probe.ClockSM: 1200})), judge.Unstable, "1,200 MHz", true},
		{"no past", nil, "sdxl", painting(50, nil), "", "", false},
	} {
		t.Run(c.what, func(t *testing.T) {
			var found []judge.Verdict
			for _, v := range (scene{seconds: 300, card: c.now, set: judge.Setting{Job: c.job, Earlier: c.past}}).verdicts() {
				if v.Rule == "slow/earlier" {
					found = append(found, v)
				}
			}
			if c.want == "" {
				if len(found) > 0 {
					t.Errorf("%+v", found)
				}
				return
			}
			if len(found) != 1 || found[0].Kind != c.want {
				t.Fatalf("found %+v, want %s", found, c.want)
			}
			v := found[0]
			sound(t, v)
			if s := strings.ReplaceAll(texts.For(texts.English).Say(v.Say), "\u2009", " "); !strings.Contains(s, c.says) {
				t.Errorf("says %q, want %q in it", s, c.says)
			}
			if c.doubt != (len(v.Doubts) > 0) {
				t.Errorf("doubts %v", v.Doubts)
			}
		})
	}
}

// A phase keeps the time of a picture where it can be seen, and nothing else.
func TestSum(t *testing.T) {
	p := phases(scene{card: painting(20, nil), seconds: 300, from: begin})
	if len(p) != 1 || math.Abs(p[0].Stats[PictureKey].Mean-20) > 0.3 {
		t.Errorf("%+v", p)
	}
	p = phases(scene{card: steady(paints()), seconds: 300, from: begin})
	if _, ok := p[0].Stats[PictureKey]; ok || len(p) != 1 {
		t.Errorf("a rhythm where there is none: %+v", p)
	}
	Sum(nil, &judge.Phase{}) // no tally is no mistake
}

// Ten hours of one phase cost no more than what is looked at.
func TestRhythmIsBounded(t *testing.T) {
	r := &rhythm{}
	for i := range 36000 {
		r.Add(&series.Second{T: int64(i)})
	}
	if len(r.power) > 2*maxRhythm || len(r.power) != len(r.util) {
		t.Errorf("%d readings are kept", len(r.power))
	}
	r.Add(&series.Second{T: 36010})
	if len(r.power) > 2*maxRhythm {
		t.Errorf("%d readings are kept", len(r.power))
	}
}
