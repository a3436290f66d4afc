package compare

import (
	"math"

	"rentgen/app/judge"
	"rentgen/assets/texts"
	"rentgen/probe"
)

// figure is a number that is compared. more says how the time changes with it:
// with -1 twice as much halves the time. The exponents are those of a job that
// the card bounds; where they are fractions they are rules of thumb that only
// order the list.
type figure struct {
	what string // as Difference has it
	unit string
	of   func(Side) (float64, bool)
	more float64
	// low and rel are the least difference that counts, absolute and relative to
	// the larger one; both must be exceeded.
	low, rel float64
	// points says that it is a percentage of time lost: its effect is that of
	// what is left.
	points bool
	// needs says where the figure means something at all; nil: everywhere.
	needs func(a, b Side) bool
}

func mean(m probe.Metric) func(Side) (float64, bool) {
	return func(s Side) (float64, bool) {
		st, ok := s.Stats[m.String()]
		return st.Mean, ok && st.N > 0
	}
}

// level takes what held most of the time; the inventory's figure stands in for it.
func level(m probe.Metric) func(Side) (float64, bool) {
	return func(s Side) (float64, bool) {
		if st, ok := s.Stats[m.String()]; ok && st.N > 0 {
			return st.P50, true
		}
		v, ok := s.Limits[m.String()]
		return v, ok
	}
}

// link is the bandwidth of the PCIe link under load, GB/s one way: 0.985 GB/s
// a lane in the third generation, twice that in each one after it
// (https://en.wikipedia.org/wiki/PCI_Express, 2026-11-30).
func link(s Side) (float64, bool) {
	gen, ok1 := s.Stats[probe.PCIeGen.String()]
	width, ok2 := s.Stats[probe.PCIeWidth.String()]
	if !ok1 || !ok2 || gen.N == 0 || width.N == 0 || gen.P95 < 1 || gen.P95 > 7 {
		return 0, false
	}
	lane := 0.985 * math.Pow(2, gen.P95-3)
	if gen.P95 < 3 { // 8b/10b coding before the third
		lane = 0.25 * gen.P95
	}
	return lane * width.P95, true
}

// atWork reports whether both cards were at work: a link at rest is slow on purpose.
func atWork(a, b Side) bool {
	x, ok1 := mean(probe.UtilGPU)(a)
	y, ok2 := mean(probe.UtilGPU)(b)
	return ok1 && ok2 && x >= 30 && y >= 30
}

// either reports whether a metric reaches a level on one side.
func either(m probe.Metric, least float64) func(a, b Side) bool {
	return func(a, b Side) bool {
		return a.Stats[m.String()].P95 >= least || b.Stats[m.String()].P95 >= least
	}
}

// asked reports whether both disks were asked for something, or made their side
// wait: one that rests reads little and slows nobody.
func asked(a, b Side) bool {
	is := func(s Side) bool {
		return s.Stats[probe.DiskRead.String()].P95 >= 20 || s.Stats[probe.IOWait.String()].Mean >= 5 || s.Stats[probe.PSIIO.String()].Mean >= 8
	}
	return is(a) && is(b)
}

var figures = []figure{
	{what: probe.ClockSM.String(), unit: "MHz", of: mean(probe.ClockSM), more: -1, low: 15, rel: 0.02, needs: atWork},
	{what: probe.ClockMem.String(), unit: "MHz", of: mean(probe.ClockMem), more: -0.7, low: 25, rel: 0.02, needs: atWork},
	{what: probe.UtilGPU.String(), unit: "%", of: mean(probe.UtilGPU), more: -0.9, low: 4, rel: 0.05},
	{what: probe.PowerCap.String(), unit: "W", of: level(probe.PowerCap), more: -0.5, low: 4, rel: 0.02},
	{what: probe.Power.String(), unit: "W", of: mean(probe.Power), more: -0.2, low: 10, rel: 0.08},
	{what: "pcie", unit: "GB/s", of: link, more: -0.15, low: 0.5, rel: 0.1, needs: atWork},
	{what: probe.MemTotal.String(), unit: "MiB", of: level(probe.MemTotal), more: -0.1, low: 512, rel: 0.05},
	{what: probe.CPUQuota.String(), unit: "cores", of: level(probe.CPUQuota), more: -0.3, low: 0.5, rel: 0.1},
	{what: probe.CPUThrottled.String(), unit: "%", of: mean(probe.CPUThrottled), more: 1, low: 5, points: true},
	{what: probe.CPUBusiest.String(), unit: "%", of: mean(probe.CPUBusiest), more: 0.3, low: 15, points: true},
	{what: probe.RAMLimit.String(), unit: "MiB", of: level(probe.RAMLimit), more: -0.1, low: 1024, rel: 0.1},
	{what: probe.SwapIn.String(), unit: "MB/s", of: mean(probe.SwapIn), more: 0.15, low: 1, rel: 0.5},
	{what: probe.DiskRead.String(), unit: "MB/s", of: mean(probe.DiskRead), more: -0.25, low: 10, rel: 0.25, needs: asked},
	{what: probe.NetRx.String(), unit: "MB/s", of: mean(probe.NetRx), more: -0.1, low: 5, rel: 0.5, needs: either(probe.NetRx, 20)},
	{what: probe.PCIeRx.String(), unit: "MB/s", of: mean(probe.PCIeRx), more: 0.1, low: 800, rel: 0.5},
	{what: probe.IOWait.String(), unit: "%", of: mean(probe.IOWait), more: 0.8, low: 5, points: true},
	{what: probe.PSIIO.String(), unit: "%", of: mean(probe.PSIIO), more: 0.6, low: 8, points: true},
	{what: probe.PSIMem.String(), unit: "%", of: mean(probe.PSIMem), more: 1, low: 5, points: true},
	{what: probe.PSICPU.String(), unit: "%", of: mean(probe.PSICPU), more: 0.4, low: 10, points: true},
	{what: probe.Temp.String(), unit: "°C", of: mean(probe.Temp), more: 0.1, low: 5, rel: 0.05},
}

func (f figure) compare(a, b Side) (Difference, bool) {
	x, ok1 := f.of(a)
	y, ok2 := f.of(b)
	if !ok1 && !ok2 {
		return Difference{}, false
	}
	d := Difference{
		Metric: f.what,
		A:      Reading{Number: judge.Number{Value: x, Unit: f.unit}, Known: ok1},
		B:      Reading{Number: judge.Number{Value: y, Unit: f.unit}, Known: ok2},
	}
	if ok1 && ok2 {
		gap, big := math.Abs(x-y), max(math.Abs(x), math.Abs(y))
		if gap < f.low || gap < f.rel*big || f.needs != nil && !f.needs(a, b) {
			return Difference{}, false
		}
		effect := f.more * f.size(x, y) // above 0: b takes longer
		d.Share = share(math.Abs(effect))
		d.Slower = "b"
		if effect < 0 {
			d.Slower = "a"
		}
	} else if f.needs != nil && len(a.Stats) > 0 && len(b.Stats) > 0 && !f.needs(a, b) {
		return Difference{}, false
	}
	d.say(a, b, f.label(), f.value(x), f.value(y))
	return d, true
}

// size is how much more there is in b, as a logarithm.
func (f figure) size(x, y float64) float64 {
	if f.points {
		return math.Log((100 - min(x, 99)) / (100 - min(y, 99)))
	}
	const least = 0.1 // below every reading that counts: nothing is divided by 0
	return math.Log(max(y, least) / max(x, least))
}

func (f figure) label() texts.Phrase {
	if _, ok := probe.ParseMetric(f.what); ok {
		return texts.P("metric." + f.what)
	}
	return texts.P("judge.compare.what." + f.what)
}

// value writes a figure. It is the same in all languages, or a phrase.
func (f figure) value(v float64) any {
	switch f.unit {
	case "cores":
		return texts.P("format.cores", "n", texts.Number(math.Round(v*10)/10, decimals(v)))
	case "GB/s":
		return texts.WithUnit(texts.Number(v, 1), f.unit)
	}
	return texts.Value(texts.For(texts.English), v, f.unit)
}

func decimals(v float64) int {
	if math.Abs(v-math.Round(v)) < 0.05 {
		return 0
	}
	return 1
}
