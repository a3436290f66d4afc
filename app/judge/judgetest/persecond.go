package judgetest

import (
	"math"
	"time"

	"rentgen/probe"
)

// PerSecond puts ticks of a second together as history does: the mean in steps
// of the metric with least and greatest, the last of a level, the OR of a mask.
func PerSecond(ms []probe.Message) []probe.Message {
	var out []probe.Message
	var ticks []*probe.Sample
	flush := func() {
		if len(ticks) > 0 {
			out = append(out, second(ticks))
		}
		ticks = nil
	}
	for _, m := range ms {
		s, ok := m.(*probe.Sample)
		if !ok {
			out = append(out, m)
			continue
		}
		if len(ticks) > 0 && ticks[0].Time.Unix() != s.Time.Unix() {
			flush()
		}
		ticks = append(ticks, s)
	}
	flush()
	return out
}

func second(ticks []*probe.Sample) *probe.Sample {
	out := &probe.Sample{Seq: ticks[len(ticks)-1].Seq, Time: ticks[0].Time.Truncate(time.Second)}
	byCard := map[string][]*probe.GPU{}
	var names []string
	for _, s := range ticks {
		for i := range s.GPUs {
			g := &s.GPUs[i]
			if byCard[g.UUID] == nil {
				names = append(names, g.UUID)
			}
			byCard[g.UUID] = append(byCard[g.UUID], g)
		}
		if s.System != nil {
			out.System = &probe.System{}
			for _, m := range probe.SystemMetrics() {
				v, _ := mean(m, []probe.Value{s.System.Get(m)})
				out.System.Set(m, v)
			}
		}
	}
	for _, name := range names {
		list := byCard[name]
		g := probe.GPU{Index: list[0].Index, UUID: name, Name: list[0].Name}
		for _, m := range probe.GPUMetrics() {
			var vs []probe.Value
			for _, p := range list {
				vs = append(vs, p.Get(m))
			}
			v, sp := mean(m, vs)
			g.Set(m, v)
			if sp.Min != sp.Max {
				g.Spreads = append(g.Spreads, sp)
			}
		}
		out.GPUs = append(out.GPUs, g)
	}
	return out
}

func mean(m probe.Metric, vs []probe.Value) (probe.Value, probe.Spread) {
	sp := probe.Spread{Metric: m, N: 2}
	sum, last, bits, n := 0.0, 0.0, uint64(0), 0
	missing := vs[0]
	step := m.Info().Step
	for _, v := range vs {
		x, ok := v.Ok()
		if !ok {
			missing = v
			continue
		}
		if n == 0 {
			sp.Min, sp.Max = x, x
		}
		sum, last, n = sum+x, x, n+1
		sp.Min, sp.Max = min(sp.Min, x), max(sp.Max, x)
		if b, ok := v.Mask(); ok {
			bits |= b
		}
	}
	if n == 0 {
		return missing, probe.Spread{}
	}
	steps := math.Round(1 / step)
	in := func(x float64) float64 { return math.Round(x*steps) / steps }
	sp.Min, sp.Max = in(sp.Min), in(sp.Max)
	switch m.Info().Kind {
	case probe.Mask:
		return probe.OfMask(bits), probe.Spread{}
	case probe.Counter:
		return probe.Of(in(last)), probe.Spread{}
	case probe.Level:
		return probe.Of(in(last)), sp
	case probe.Gauge:
	}
	return probe.Of(in(sum / float64(n))), sp
}
