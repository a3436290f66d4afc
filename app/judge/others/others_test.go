package others

import (
	"maps"
	"math"
	"strings"
	"testing"
	"time"

	"rentgen/app/judge"
	"rentgen/app/judge/series"
	"rentgen/assets/texts"
	"rentgen/probe"
)

type set = map[probe.Metric]float64

var none = math.NaN()

func with(s set, change set) set {
	c := maps.Clone(s)
	maps.Copy(c, change)
	return c
}

// paints is a card on which one program of ours paints and is seen.
func paints() set {
	return set{
		probe.UtilGPU: 97, probe.Power: 400, probe.MemUsed: 14300, probe.MemTotal: 24564, probe.MemReserved: 400,
		probe.OwnProcs: 1, probe.OtherProcs: 0, probe.OwnMem: 14000, probe.OwnUtil: 96, probe.GPUClients: 1,
		probe.CPU: 20, probe.CPUQuota: 16, probe.CPUThrottled: 0, probe.PSICPU: 2, probe.DiskRead: 1, probe.PSIIO: 1,
	}
}

// hidden is the same where the driver names no process of the container.
func hidden() set { return with(paints(), set{probe.OwnProcs: 0, probe.OwnMem: 0, probe.OwnUtil: 0}) }

// rests is a card on which nothing of ours is.
func rests() set {
	return with(paints(), set{
		probe.UtilGPU: 0, probe.Power: 25, probe.MemUsed: 330, probe.OwnProcs: 0, probe.OwnMem: 0, probe.OwnUtil: 0, probe.GPUClients: 0,
	})
}

// judged runs rules over a look that reads the same for its whole length, or
// as script says, and returns what they find.
func judged(seconds int, d probe.Device, st judge.Setting, past []judge.Phase, script func(int) set, beside set) []judge.Verdict {
	var out []judge.Verdict
	rules := Rules()
	s := series.New(series.Params{Rules: rules, Closed: func(g *series.Segment) {
		for i := range rules {
			if r := &rules[i]; r.Asked(g) && g.GPU != "GPU-1" {
				c := &series.Case{Segment: g, Tally: g.Tallies[i], Setting: st, Past: past}
				out = append(out, r.Judge(c)...)
			}
		}
	}})
	d.UUID = "GPU-0"
	s.Add(&probe.Inventory{GPUs: []probe.Device{d}})
	for i := range seconds {
		m := &probe.Sample{Time: time.Unix(1772445600+int64(i), 0), System: &probe.System{}}
		g := probe.GPU{UUID: d.UUID, Name: d.Name}
		for metric, v := range script(i) {
			val := probe.Of(v)
			if math.IsNaN(v) {
				val = probe.Missing(probe.Denied, "")
			}
			if metric.System() {
				m.System.Set(metric, val)
			} else {
				g.Set(metric, val)
			}
		}
		m.GPUs = []probe.GPU{g}
		if d.Index == 0 && beside != nil { // a second card of ours
			h := probe.GPU{UUID: "GPU-1", Index: 1, Name: d.Name}
			for metric, v := range beside {
				if !metric.System() {
					h.Set(metric, probe.Of(v))
				}
			}
			m.GPUs = append(m.GPUs, h)
		}
		s.Add(m)
	}
	s.Close()
	return out
}

func sound(t *testing.T, v judge.Verdict) {
	t.Helper()
	if v.Confidence <= 0 || v.Confidence > 1 || !v.From.Before(v.To) {
		t.Errorf("%+v", v)
	}
	for _, l := range texts.Langs() {
		c := texts.For(l)
		for _, p := range append([]texts.Phrase{v.Say, v.Next, texts.P("judge.rule." + v.Rule)}, v.Doubts...) {
			if s := c.Say(p); p.IsZero() && v.Confidence >= 0.5 || !p.IsZero() && !c.Has(p.Key) || strings.ContainsAny(s, "{}") || strings.Contains(s, texts.Dash) {
				t.Errorf("%s %q: %q", l, p.Key, s)
			}
		}
		for name := range v.Numbers {
			if !c.Has("judge.number."+name) && !c.Has("metric."+name) {
				t.Errorf("%s: %s has no name", l, name)
			}
		}
	}
}

func TestOthers(t *testing.T) {
	v1 := probe.Device{MemSource: "v1"}
	for _, c := range []struct {
		what   string
		script func(int) set
		device probe.Device
		set    judge.Setting
		past   []judge.Phase
		beside set        // a second card
		want   judge.Kind // "" for nothing
		say    string
		low    float64 // the least and the greatest confidence
		high   float64
	}{
		{what: "only us", script: at(paints())},
		{what: "nobody", script: at(rests())},
		{what: "only us, hidden", script: at(hidden())},
		{what: "only us, nothing but the driver's list is read", script: at(with(paints(), set{probe.GPUClients: none}))},
		{what: "hidden, and nothing tells how many we are", script: at(with(hidden(), set{probe.GPUClients: none}))},
		{what: "a driver and its contexts", script: at(with(rests(), set{probe.MemUsed: 820}))},
		{what: "what the driver keeps counts as used", script: at(with(rests(), set{probe.MemUsed: 1300, probe.MemReserved: 900})), device: v1},
		{what: "VRAM can't be read", script: at(with(rests(), set{probe.MemUsed: none}))},
		{what: "our program has just begun, hidden, and the count is old", script: func(i int) set {
			s := hidden()
			if i < 28 {
				s = with(s, set{probe.GPUClients: 0})
			}
			return s
		}},
		{what: "and it loads", script: func(i int) set {
			s := with(hidden(), set{probe.UtilGPU: 4, probe.MemUsed: 1000 + 200*float64(i)})
			if i < 30 {
				s = with(s, set{probe.GPUClients: 0})
			}
			return s
		}},
		{what: "our program loads fast, and the list is old", script: func(i int) set {
			return with(paints(), set{probe.UtilGPU: 4, probe.MemUsed: 3000 + 900*float64(min(i, 20)), probe.OwnMem: 3000 + 900*float64(min(i/5*5, 20)) - 300})
		}},
		{what: "VRAM rises for a moment in every picture, and the list is old", script: func(i int) set {
			s := paints()
			if i%6 == 0 {
				s = with(s, set{probe.MemUsed: 22000})
			}
			return s
		}},
		{what: "the older call counts what the driver keeps", script: at(with(rests(), set{probe.MemUsed: 1500, probe.MemReserved: none})), device: v1},
		{what: "our program loads", script: func(i int) set {
			return with(paints(), set{probe.UtilGPU: 4, probe.MemUsed: 1000 + 200*float64(i), probe.OwnMem: 700 + 200*float64(i)})
		}},

		{what: "VRAM of somebody while nothing of ours runs", script: at(with(rests(), set{probe.MemUsed: 9000})), want: judge.NeighbourGPU, say: "neighbour.gpu.vram", low: 0.9, high: 1},
		{what: "and it works too", script: at(with(rests(), set{probe.MemUsed: 9000, probe.UtilGPU: 80, probe.OtherProcs: 1})), want: judge.NeighbourGPU, say: "neighbour.gpu", low: 0.9, high: 1},
		{what: "work alone, VRAM is not read", script: at(with(rests(), set{probe.MemUsed: none, probe.UtilGPU: 40})), want: judge.NeighbourGPU, say: "neighbour.gpu.work", low: 0.9, high: 1},
		{what: "a little more than a context", script: at(with(rests(), set{probe.MemUsed: 1200})), want: judge.NeighbourGPU, say: "neighbour.gpu.vram", low: 0.7, high: 0.8},
		{what: "beside all of ours", script: at(with(paints(), set{probe.MemUsed: 20300})), want: judge.NeighbourGPU, say: "neighbour.gpu.vram", low: 0.75, high: 0.85},
		{what: "ours rests and the card works", script: at(with(paints(), set{probe.OwnUtil: 0, probe.UtilGPU: 60})), want: judge.NeighbourGPU, say: "neighbour.gpu.work.maybe", low: 0.5, high: 0.65},
		{what: "two of ours on two cards", script: at(with(paints(), set{probe.GPUClients: 2})), beside: paints()},
		{what: "beside one of ours on each of two cards", script: at(with(paints(), set{probe.MemUsed: 20300, probe.GPUClients: 2})), beside: paints(), want: judge.NeighbourGPU, say: "neighbour.gpu.vram", low: 0.75, high: 0.85},
		{what: "ours is on the other card", script: at(with(rests(), set{probe.MemUsed: 9000, probe.UtilGPU: 70, probe.GPUClients: 1})), beside: paints(), want: judge.NeighbourGPU, say: "neighbour.gpu", low: 0.75, high: 0.85},
		{what: "some of ours are hidden", script: at(with(paints(), set{probe.MemUsed: 20300, probe.GPUClients: 2})), want: judge.NeighbourGPU, low: 0.3, high: 0.5},
		{what: "more are listed than we have", script: at(with(paints(), set{probe.MemUsed: 20300, probe.GPUClients: 2, probe.OtherProcs: 3})), want: judge.NeighbourGPU, low: 0.6, high: 0.7},
		{what: "on a machine of one's own", script: at(with(rests(), set{probe.MemUsed: 9000, probe.UtilGPU: 50})), set: judge.Setting{Track: "dedicated"}, want: judge.NeighbourGPU, say: "neighbour.gpu.dedicated", low: 0.6, high: 0.7},
		{what: "a slice", script: at(with(rests(), set{probe.MemUsed: 9000})), device: probe.Device{Parent: "GPU-p"}},
		{what: "a virtual card", script: at(with(rests(), set{probe.MemUsed: 9000})), device: probe.Device{Virtual: true}},

		{what: "cores taken by others", script: at(with(paints(), set{probe.CPU: 99, probe.PSICPU: 45})), want: judge.NeighbourHost, say: "neighbour.host", low: 0.7, high: 0.8},
		{what: "cores, no quota is read", script: at(with(paints(), set{probe.CPU: 99, probe.PSICPU: 45, probe.CPUQuota: none, probe.CPUThrottled: none})), want: judge.NeighbourHost, low: 0.5, high: 0.6},
		{what: "cores, by our own quota", script: at(with(paints(), set{probe.CPU: 99, probe.PSICPU: 45, probe.CPUThrottled: 60}))},
		{what: "pressure without a busy machine", script: at(with(paints(), set{probe.CPU: 30, probe.PSICPU: 45}))},
		{what: "pressure can't be read", script: at(with(paints(), set{probe.CPU: 99, probe.PSICPU: none}))},
		{what: "cores of a machine of one's own", script: at(with(paints(), set{probe.CPU: 99, probe.PSICPU: 45})), set: judge.Setting{Track: "dedicated"}, want: judge.NeighbourHost, say: "neighbour.host.dedicated", low: 0.4, high: 0.6},

		{what: "the disk falls within one load", script: load(800, 90, 60), want: judge.NeighbourHost, say: "neighbour.host.disk", low: 0.5, high: 0.6},
		{what: "the disk was always so", script: load(90, 90, 60)},
		{what: "it reads less and nobody waits", script: load(800, 90, 1)},
		{what: "slower than in earlier phases", script: load(90, 90, 60), past: []judge.Phase{{GPU: "GPU-0", Stats: map[string]judge.Stat{"disk_read_mb_s": {N: 60, P95: 900}}}}, want: judge.NeighbourHost, say: "neighbour.host.disk", low: 0.5, high: 0.6},
		{what: "another card's phases", script: load(90, 90, 60), past: []judge.Phase{{GPU: "GPU-1", Stats: map[string]judge.Stat{"disk_read_mb_s": {N: 60, P95: 900}}}}},
	} {
		t.Run(c.what, func(t *testing.T) {
			list := judged(120, c.device, c.set, c.past, c.script, c.beside)
			if c.want == "" {
				if len(list) > 0 {
					t.Errorf("found %+v", list)
				}
				return
			}
			if len(list) == 0 {
				t.Fatal("nothing is found")
			}
			for _, v := range list {
				if v.Kind != c.want || v.Confidence < c.low || v.Confidence > c.high {
					t.Errorf("%s with %.2f, want %s with %.2f to %.2f", v.Kind, v.Confidence, c.want, c.low, c.high)
				}
				if c.say != "" && v.Say.Key != "judge.say."+c.say {
					t.Errorf("says %s, want %s", v.Say.Key, c.say)
				}
				if v.Confidence < 0.75 && len(v.Doubts) == 0 {
					t.Errorf("unsure without a doubt: %+v", v)
				}
				sound(t, v)
			}
		})
	}
}

func at(s set) func(int) set { return func(int) set { return s } }

// load is a model on its way into VRAM whose reading changes after a minute.
func load(first, then, psi float64) func(int) set {
	return func(i int) set {
		s := with(paints(), set{probe.UtilGPU: 4, probe.DiskRead: first, probe.MemUsed: 1000 + 150*float64(i), probe.OwnMem: 800 + 150*float64(i)})
		if i >= 60 {
			s = with(s, set{probe.DiskRead: then, probe.PSIIO: psi})
		}
		return s
	}
}

// No sentence names a program: what is hidden has no name.
func TestNobodyIsNamed(t *testing.T) {
	for _, v := range judged(60, probe.Device{}, judge.Setting{}, nil, at(with(rests(), set{probe.MemUsed: 9000})), nil) {
		for i := 0; i+1 < len(v.Say.Args); i += 2 {
			if name, _ := v.Say.Args[i].(string); name == "name" || name == "pid" || name == "process" {
				t.Errorf("the sentence has %s", name)
			}
		}
	}
}
