package slow

import (
	"fmt"
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

// none takes a reading away: the card or the login doesn't tell it.
var none = math.NaN()

// paints is a card that paints and a machine that feeds it.
func paints() set {
	return set{
		probe.UtilGPU: 97, probe.Power: 410, probe.PowerCap: 450, probe.ClockSM: 2520, probe.MemUsed: 14000, probe.MemTotal: 24564,
		probe.PCIeGen: 4, probe.PCIeWidth: 16, probe.PCIeRx: 40, probe.PCIeTx: 25, probe.OwnProcs: 1, probe.OwnMem: 13500, probe.OwnUtil: 96,
		probe.CPU: 12, probe.CPUBusiest: 60, probe.CPUQuota: 16, probe.CPUThrottled: 0, probe.RAMUsed: 40000, probe.RAMLimit: 120000,
		probe.SwapIn: 0, probe.SwapOut: 0, probe.DiskRead: 1, probe.DiskWrite: 1, probe.IOWait: 0, probe.NetRx: 0.1, probe.NetTx: 0.1,
		probe.PSICPU: 1, probe.PSIMem: 0, probe.PSIIO: 0, probe.GPUClients: 1,
	}
}

// rests is the same card with its model loaded and nothing to do.
func rests() set {
	s := paints()
	s[probe.UtilGPU], s[probe.Power], s[probe.ClockSM], s[probe.PCIeGen], s[probe.CPUBusiest] = 0, 25, 210, 1, 5
	return s
}

func with(s set, change set) set {
	c := maps.Clone(s)
	maps.Copy(c, change)
	return c
}

// every shows b in the first half of n seconds and a in the second.
func every(n int, a, b set) func(int) set {
	return func(i int) set {
		if i%n < n/2 {
			return b
		}
		return a
	}
}

var begin = time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)

// scene is a scripted look; cards beside the first one take their readings from
// others.
type scene struct {
	seconds int
	card    func(sec int) set
	others  []func(sec int) set
	device  probe.Device
	set     judge.Setting
	from    time.Time
}

func steady(s set) func(int) set { return every(2, s, s) }

func (s scene) device0(i int) probe.Device {
	d := s.device
	if d.Name == "" {
		d.Name, d.PCIeGenMax, d.PCIeWidthMax, d.MemTotal = "NVIDIA GeForce RTX 4090", probe.Of(4), probe.Of(16), probe.Of(24564)
	}
	d.UUID, d.Index = fmt.Sprintf("GPU-%d", i), i
	return d
}

// verdicts are those on the first card's windows and phases.
func (s scene) verdicts() []judge.Verdict {
	var out []judge.Verdict
	rules := Rules()
	ser := series.New(series.Params{Rules: rules, Closed: func(g *series.Segment) {
		for i := range rules {
			if r := &rules[i]; r.Asked(g) && g.GPU == "GPU-0" {
				out = append(out, r.Judge(&series.Case{Segment: g, Tally: g.Tallies[i], Setting: s.set})...)
			}
		}
	}})
	if s.from.IsZero() {
		s.from = begin
	}
	inv := &probe.Inventory{}
	for i := range 1 + len(s.others) {
		inv.GPUs = append(inv.GPUs, s.device0(i))
	}
	ser.Add(inv)
	for i := range s.seconds {
		m := &probe.Sample{Time: s.from.Add(time.Duration(i) * time.Second), System: &probe.System{}}
		for k, read := range append([]func(int) set{s.card}, s.others...) {
			g := probe.GPU{UUID: inv.GPUs[k].UUID, Index: k, Name: inv.GPUs[k].Name}
			for metric, v := range read(i) {
				switch {
				case math.IsNaN(v):
					g.Set(metric, probe.Missing(probe.Denied, ""))
					m.System.Set(metric, probe.Missing(probe.Denied, ""))
				case metric.System():
					m.System.Set(metric, probe.Of(v))
				default:
					g.Set(metric, probe.Of(v))
				}
			}
			m.GPUs = append(m.GPUs, g)
		}
		ser.Add(m)
	}
	ser.Close()
	return out
}

// kinds are the kinds that were found, each once, in their order.
func kinds(list []judge.Verdict) string {
	var out []string
	for _, v := range list {
		if len(out) == 0 || out[len(out)-1] != string(v.Kind) {
			out = append(out, string(v.Kind))
		}
	}
	return strings.Join(out, " ")
}

// filling is a model on its way into VRAM, at so many MiB a second.
func filling(rate float64, change set) func(int) set {
	return func(i int) set {
		s := with(rests(), set{probe.UtilGPU: 4, probe.ClockSM: 2200, probe.MemUsed: 900 + rate*float64(i), probe.PCIeRx: rate})
		return with(s, change)
	}
}

func TestBound(t *testing.T) {
	waiting := with(rests(), set{probe.ClockSM: 2400, probe.CPUBusiest: 100})
	a100 := probe.Device{Name: "NVIDIA A100-SXM4-80GB", PCIeGenMax: probe.Of(4), PCIeWidthMax: probe.Of(16), MemTotal: probe.Of(81920)}
	for _, c := range []struct {
		what string
		scene
		want string
	}{
		{"the card itself", scene{card: steady(paints())}, "bound.gpu"},
		{"a thread that only waits for the card", scene{card: steady(with(paints(), set{probe.CPUBusiest: 100}))}, "bound.gpu"},

		{"one core while the card waits", scene{card: every(10, paints(), waiting)}, "slow.cpu-thread"},
		{"kernels started one by one", scene{card: steady(with(paints(), set{probe.UtilGPU: 55, probe.CPUBusiest: 99}))}, "slow.cpu-thread"},
		{"pauses without a reason", scene{card: every(10, paints(), with(rests(), set{probe.CPUBusiest: 20}))}, "not-enough-data"},
		{"short pauses", scene{card: every(10, paints(), with(paints(), set{probe.UtilGPU: 70}))}, "bound.gpu"},
		{"pauses, the core can't be read", scene{card: every(10, with(paints(), set{probe.CPUBusiest: none}), with(waiting, set{probe.CPUBusiest: none}))}, "not-enough-data"},
		{"utilisation can't be read", scene{card: every(10, with(paints(), set{probe.UtilGPU: none}), with(waiting, set{probe.UtilGPU: none, probe.Power: 300}))}, ""},

		{"a quota", scene{card: every(10, paints(), with(waiting, set{probe.CPUThrottled: 90, probe.CPUQuota: 1.5}))}, "slow.cpu-quota"},
		{"a quota that holds nobody up", scene{card: steady(with(paints(), set{probe.CPUThrottled: 60}))}, "bound.gpu"},

		{"RAM is short all along", scene{card: every(10, with(paints(), set{probe.PSIMem: 20, probe.RAMUsed: 118000}), with(rests(), set{probe.PSIMem: 60, probe.RAMUsed: 119000, probe.SwapIn: 30}))}, "slow.memory"},
		{"RAM full of cache", scene{card: every(10, with(paints(), set{probe.RAMUsed: 118000}), with(rests(), set{probe.RAMUsed: 119000}))}, "not-enough-data"},
		{"swapping by others", scene{card: every(10, with(paints(), set{probe.SwapIn: 40}), with(rests(), set{probe.SwapOut: 40}))}, "not-enough-data"},

		{"a slow disk", scene{card: filling(60, set{probe.DiskRead: 62, probe.PSIIO: 70, probe.IOWait: 9})}, "slow.disk"},
		{"a slow disk, pressure can't be read", scene{card: filling(60, set{probe.DiskRead: 62, probe.PSIIO: none})}, "slow.disk"},
		{"a fast disk", scene{card: filling(900, set{probe.DiskRead: 950, probe.PSIIO: 15})}, ""},
		{"others read while nothing of ours loads", scene{card: steady(with(rests(), set{probe.DiskRead: 80}))}, ""},
		{"a network disk", scene{card: filling(90, set{probe.DiskRead: 0, probe.NetRx: 95, probe.DiskWrite: 0})}, "slow.disk"},
		{"a fast network disk", scene{card: filling(900, set{probe.DiskRead: 0, probe.NetRx: 950, probe.DiskWrite: 0})}, ""},
		{"the disk between pictures", scene{card: every(10, paints(), with(rests(), set{probe.DiskRead: 60, probe.PSIIO: 60}))}, "slow.disk"},

		{"data over the network", scene{card: every(10, paints(), with(rests(), set{probe.NetRx: 12}))}, "slow.network"},
		{"pictures going out", scene{card: every(10, paints(), with(rests(), set{probe.NetTx: 9}))}, "slow.network"},
		{"a download while a program waits", scene{card: steady(with(rests(), set{probe.NetRx: 11, probe.DiskWrite: 11}))}, "slow.network"},
		{"a download and nobody waits", scene{card: steady(with(rests(), set{probe.NetRx: 11, probe.DiskWrite: 11, probe.OwnProcs: 0, probe.GPUClients: 0}))}, ""},

		{"weights that don't stay", scene{card: every(4, with(paints(), set{probe.UtilGPU: 80, probe.MemUsed: 23900}), with(paints(), set{probe.UtilGPU: 15, probe.MemUsed: 23900, probe.PCIeRx: 9000}))}, "slow.offload"},
		{"weights that don't stay, the card hardly works", scene{card: steady(with(paints(), set{probe.UtilGPU: 18, probe.MemUsed: 23900, probe.PCIeRx: 9000}))}, "slow.offload"},
		{"held back by a setting", scene{card: every(4, with(paints(), set{probe.UtilGPU: 80, probe.MemUsed: 6000}), with(paints(), set{probe.UtilGPU: 15, probe.MemUsed: 6000, probe.PCIeRx: 9000}))}, "slow.offload"},
		{"traffic can't be read", scene{card: every(4, with(paints(), set{probe.UtilGPU: 80, probe.MemUsed: 23900, probe.PCIeRx: none}), with(paints(), set{probe.UtilGPU: 15, probe.MemUsed: 23900, probe.PCIeRx: none}))}, "not-enough-data"},

		{"a narrow link", scene{card: steady(with(paints(), set{probe.PCIeGen: 1, probe.PCIeWidth: 1}))}, "bound.gpu slow.link"},
		{"a link at rest", scene{card: steady(rests())}, "slow.queue-empty"},
		{"a link in use", scene{card: every(10, paints(), rests())}, "not-enough-data"},

		{"links below those of a peer", scene{
			card: steady(with(paints(), set{probe.NVLinkActive: 8})), others: []func(int) set{steady(with(paints(), set{probe.NVLinkActive: 12}))}, device: a100,
		}, "bound.gpu slow.nvlink"},
		{"links of one kind", scene{
			card: steady(with(paints(), set{probe.NVLinkActive: 12})), others: []func(int) set{steady(with(paints(), set{probe.NVLinkActive: 12}))}, device: a100,
		}, "bound.gpu"},
		{"no link, and they talk", scene{
			card:   steady(with(paints(), set{probe.NVLinkActive: 0, probe.PCIeRx: 9000, probe.PCIeTx: 9000})),
			others: []func(int) set{steady(with(paints(), set{probe.NVLinkActive: 0, probe.PCIeRx: 9000, probe.PCIeTx: 9000}))}, device: a100,
		}, "bound.gpu slow.nvlink"},
		{"no link where none was made", scene{
			card:   steady(with(paints(), set{probe.NVLinkActive: 0, probe.PCIeRx: 9000, probe.PCIeTx: 9000})),
			others: []func(int) set{steady(with(paints(), set{probe.NVLinkActive: 0, probe.PCIeRx: 9000, probe.PCIeTx: 9000}))},
		}, "bound.gpu"},

		{"a card behind the others", scene{
			card: steady(with(paints(), set{probe.ClockSM: 1500})), others: []func(int) set{steady(paints()), steady(paints()), steady(paints())},
		}, "bound.gpu slow.straggler"},
		{"cards in step", scene{card: steady(with(paints(), set{probe.ClockSM: 2400})), others: []func(int) set{steady(paints()), steady(paints())}}, "bound.gpu"},
		{"others that rest", scene{card: steady(with(paints(), set{probe.ClockSM: 1500})), others: []func(int) set{steady(rests())}}, "bound.gpu"},

		{"an empty queue between jobs", scene{card: every(20, with(paints(), set{probe.Queue: 1}), with(rests(), set{probe.Queue: 0}))}, "slow.queue-empty"},
		{"an empty queue", scene{card: steady(with(rests(), set{probe.Queue: 0}))}, "slow.queue-empty"},
		{"a queue that isn't empty", scene{card: steady(with(rests(), set{probe.Queue: 3}))}, ""},
		{"nothing of ours is there", scene{card: steady(with(rests(), set{probe.OwnProcs: 0, probe.GPUClients: 0}))}, ""},
	} {
		t.Run(c.what, func(t *testing.T) {
			if c.seconds == 0 {
				c.seconds = 120
			}
			list := c.verdicts()
			if got := kinds(list); dedupe(got) != c.want {
				t.Errorf("found %q, want %q", got, c.want)
			}
			for _, v := range list {
				sound(t, v)
			}
		})
	}
}

// dedupe keeps the first of every kind: a look of two minutes says each twice.
func dedupe(s string) string {
	var out []string
	seen := map[string]bool{}
	for _, k := range strings.Fields(s) {
		if !seen[k] {
			out = append(out, k)
		}
		seen[k] = true
	}
	return strings.Join(out, " ")
}

// sound checks what every verdict must have: texts without holes, numbers that
// are numbers.
func sound(t *testing.T, v judge.Verdict) {
	t.Helper()
	if v.Confidence <= 0 || v.Confidence > 1 || !v.From.Before(v.To) || v.Rule == "" {
		t.Errorf("%+v", v)
	}
	for name, n := range v.Numbers {
		if math.IsNaN(n.Value) || math.IsInf(n.Value, 0) {
			t.Errorf("%s is %v", name, n.Value)
		}
	}
	for _, l := range texts.Langs() {
		c := texts.For(l)
		for _, p := range append([]texts.Phrase{v.Say, v.Next, texts.P("judge.rule." + v.Rule)}, v.Doubts...) {
			if s := c.Say(p); !p.IsZero() && (!c.Has(p.Key) || strings.ContainsAny(s, "{}") || strings.Contains(s, texts.Dash)) {
				t.Errorf("%s %s: %q", l, p.Key, s)
			}
		}
	}
}

// A shared machine's figures count others in: less is sure, and it is said.
func TestDoubtsByTrack(t *testing.T) {
	card := every(10, paints(), with(rests(), set{probe.ClockSM: 2400, probe.CPUBusiest: 100}))
	at := map[string]judge.Verdict{}
	for _, track := range []string{"shared", "dedicated", ""} {
		list := scene{seconds: 60, card: card, set: judge.Setting{Track: track}}.verdicts()
		if len(list) == 0 || list[0].Kind != judge.SlowCPUThread {
			t.Fatalf("%q: %+v", track, list)
		}
		sound(t, list[0])
		at[track] = list[0]
	}
	if at["shared"].Confidence >= at["dedicated"].Confidence || len(at["shared"].Doubts) == 0 || len(at["dedicated"].Doubts) != 0 {
		t.Errorf("shared %v %v, dedicated %v %v", at["shared"].Confidence, at["shared"].Doubts, at["dedicated"].Confidence, at["dedicated"].Doubts)
	}
	if at["shared"].Next.Key == at["dedicated"].Next.Key || at[""].Next.Key == at["shared"].Next.Key {
		t.Errorf("the next step is the same on every track: %s", at[""].Next.Key)
	}
}
