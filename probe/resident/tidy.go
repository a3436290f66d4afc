package resident

import (
	"math"

	"rentgen/probe"
)

// Tidy makes of a reading what history keeps of it: values as coarse as the
// sensor is true, what is read every ten seconds repeated in between, and in
// place of the list of processes what follows from it.
type Tidy struct {
	cards map[string]*[probe.GPUMetricCount]probe.Value
}

// maxCards bounds what is remembered.
const maxCards = 512

// Sample returns the tidied reading; s stays as it is.
func (t *Tidy) Sample(s *probe.Sample) *probe.Sample {
	out := *s
	out.GPUs = append([]probe.GPU(nil), s.GPUs...)
	if t.cards == nil || len(t.cards) > maxCards {
		t.cards = map[string]*[probe.GPUMetricCount]probe.Value{}
	}
	for i := range out.GPUs {
		g := &out.GPUs[i]
		g.Attribute()
		g.Procs = nil
		last := t.cards[g.UUID]
		if last == nil {
			last = new([probe.GPUMetricCount]probe.Value)
			t.cards[g.UUID] = last
		}
		for m := range probe.Metric(probe.GPUMetricCount) {
			v := &g.Values[m]
			info := m.Info()
			switch {
			case info.Slow && v.State == probe.Pending:
				*v = last[m]
			case info.Slow:
				last[m] = *v
			}
			round(v, info)
		}
		g.Spreads = append([]probe.Spread(nil), g.Spreads...)
		for k := range g.Spreads {
			if step := g.Spreads[k].Metric.Info().Step; step > 0 {
				g.Spreads[k].Min, g.Spreads[k].Max = snap(g.Spreads[k].Min, step), snap(g.Spreads[k].Max, step)
			}
		}
	}
	if s.System != nil {
		sys := *s.System
		for _, m := range probe.SystemMetrics() {
			v := sys.Get(m)
			round(&v, m.Info())
			sys.Set(m, v)
		}
		out.System = &sys
	}
	return &out
}

func round(v *probe.Value, info probe.Info) {
	if v.State == probe.OK && info.Step > 0 && info.Kind != probe.Mask {
		v.Num = snap(v.Num, info.Step)
	}
}

// snap rounds to a multiple of step; by its inverse where that is whole, since
// a tenth is no float.
func snap(x, step float64) float64 {
	if inv := math.Round(1 / step); inv >= 1 && math.Abs(step*inv-1) < 1e-9 {
		return math.Round(x*inv) / inv
	}
	return math.Round(x/step) * step
}
