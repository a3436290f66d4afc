package smi

import (
	"time"

	"rentgen/probe"
)

// sample makes one tick: every device of the inventory, those without a row
// with the reason why.
func (s *session) sample(cards []card, why probe.Value) *probe.Sample {
	now := s.l.p.Now()
	s.seq++
	out := &probe.Sample{Seq: s.seq, Time: now.UTC(), Mono: now.Sub(s.start), System: s.sys}
	s.sys = nil
	used := make([]bool, len(cards))
	for _, d := range s.inv.GPUs {
		g := probe.GPU{Index: d.Index, UUID: d.UUID, Name: d.Name}
		switch i := find(cards, d); {
		case d.Profile != "":
			g.Values = s.instance(d)
		case i >= 0:
			used[i] = true
			g.Values = cards[i].gpu.Values
			s.addShared(&g, d)
		default:
			for m := range g.Values {
				g.Values[m] = why
			}
		}
		out.GPUs = append(out.GPUs, g)
	}
	for i, c := range cards {
		if !used[i] {
			g := c.gpu
			out.GPUs = append(out.GPUs, g)
			s.strange = true // the inventory lacks it
		}
	}
	s.addProcs(out)
	return out
}

func find(cards []card, d probe.Device) int {
	for i, c := range cards {
		if c.gpu.UUID == d.UUID {
			return i
		}
	}
	if d.Problem != probe.EventLost {
		return -1
	}
	for i, c := range cards {
		if k := busKey(c.bus); k != "" && k == busKey(d.BusID) {
			return i
		}
	}
	return -1
}

// instance returns the values of a MIG instance: memory from the last table,
// as long as that is fresh; nothing else is read.
func (s *session) instance(d probe.Device) (v [probe.GPUMetricCount]probe.Value) {
	for m := range v {
		v[m] = probe.Missing(probe.Unsupported, "MIG instance")
	}
	parent := -1
	for _, p := range s.inv.GPUs {
		if p.UUID == d.Parent {
			parent = p.Index
		}
	}
	v[probe.MemUsed], v[probe.MemTotal] = probe.Value{}, d.MemTotal
	if s.l.p.Now().Sub(s.sliced) > 5*s.l.p.ProcsEvery/2 {
		return v
	}
	for _, sl := range s.slices {
		if sl.GPU == parent && sl.Device == d.Index {
			v[probe.MemUsed], v[probe.MemTotal] = sl.Used, sl.Total
		}
	}
	return v
}

// addShared fills in the machine's memory where card and processor share it.
func (s *session) addShared(g *probe.GPU, d probe.Device) {
	if d.MemSource != "meminfo" || s.shared == nil || s.l.p.Now().Sub(s.sharedAt) > 3*time.Second {
		return
	}
	for m, from := range map[probe.Metric]probe.Metric{probe.MemUsed: probe.RAMUsed, probe.MemTotal: probe.RAMLimit} {
		if v := g.Get(m); noMemory(v) || v.State == probe.OK && v.Num == 0 {
			g.Set(m, s.shared.Get(from))
		}
	}
}

// addProcs hands out a fresh list of processes, once.
func (s *session) addProcs(out *probe.Sample) {
	if !s.procsFresh {
		return
	}
	s.procsFresh = false
	for i := range out.GPUs {
		g := &out.GPUs[i]
		p := s.procs[g.UUID]
		switch {
		case s.procsBad != nil:
			p = &probe.Processes{State: s.procsBad.state(), Raw: s.procsBad.Raw}
		case p == nil:
			p = &probe.Processes{State: probe.OK}
		}
		g.Procs = p
	}
}

// dead reports whether no card shows any sign of life: what a loop prints
// whose driver went away under it.
func dead(cards []card) bool {
	for _, c := range cards {
		for _, m := range []probe.Metric{probe.UtilGPU, probe.Power, probe.Temp, probe.MemUsed, probe.ClockSM} {
			if n, ok := c.gpu.Get(m).Ok(); ok && n != 0 {
				return false
			}
		}
	}
	return true
}

// same reports whether two ticks hold the same readings.
func same(a, b []card) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].key != b[i].key || a[i].gpu.Values != b[i].gpu.Values {
			return false
		}
	}
	return true
}
