package series

import (
	"slices"

	"rentgen/probe"
)

func (t *track) newSegment(k Kind, at int64, window bool) *Segment {
	g := &Segment{
		GPU: t.uuid, Kind: k, Window: window, from: at, to: at,
		hostStates: make([]probe.State, probe.SystemMetricCount), Tallies: make([]Tally, len(t.s.p.Rules)),
	}
	if t.uuid != "" {
		g.states = make([]probe.State, probe.GPUMetricCount)
	}
	if !window || t.spare == nil {
		g.host = make([]Dist, probe.SystemMetricCount)
		if t.uuid != "" {
			g.card, g.load = make([]Dist, probe.GPUMetricCount), make([]Dist, probe.GPUMetricCount)
		}
	}
	for i, r := range t.s.p.Rules {
		if r.Tally != nil && r.Asked(g) {
			g.Tallies[i] = r.Tally()
		}
	}
	return g
}

// newWindow begins a window in the room of the one before.
func (t *track) newWindow(at int64) *Segment {
	w := t.newSegment(t.kind, at, true)
	if o := t.spare; o != nil {
		w.card, w.load, w.host = o.card, o.load, o.host
		for _, ds := range [][]Dist{w.card, w.load, w.host} {
			for i := range ds {
				ds[i].reset()
			}
		}
	}
	t.spare = w
	return w
}

// Asked reports whether the rule has a say on the segment.
func (r *Rule) Asked(g *Segment) bool {
	if r.Windows != g.Window || r.Machine != (g.GPU == "") {
		return false
	}
	if r.Kinds == nil {
		return g.Kind != Gap
	}
	return slices.Contains(r.Kinds, g.Kind)
}

// add counts a second into the statistics.
func (g *Segment) add(s *Second) {
	g.Seconds++
	g.to = s.T + 1
	if s.Active {
		g.Active++
	}
	if s.Card != nil && g.card != nil {
		addAll(g.card, g.states, s.Card.cells, cardForms)
		if s.Active {
			for _, m := range loadMetrics {
				g.load[m].Add(s.Card.cells[m].V)
			}
		}
	}
	if s.Host != nil {
		addAll(g.host, g.hostStates, s.Host.cells, hostForms)
	}
}

func addAll(ds []Dist, states []probe.State, cells []Cell, fs []form) {
	for i := range cells {
		c := &cells[i]
		if c.State == probe.OK {
			// Counters and masks have no levels to count: least and greatest are enough.
			ds[i].add(c.V, fs[i].kind == probe.Gauge || fs[i].kind == probe.Level)
		} else if c.State != probe.Pending || states[i] == probe.Pending {
			states[i] = c.State
		}
	}
}

// merge counts a window into its phase.
func (g *Segment) merge(w *Segment) {
	g.Seconds += w.Seconds
	g.Active += w.Active
	g.to = max(g.to, w.to)
	for _, p := range [][2][]Dist{{g.card, w.card}, {g.load, w.load}, {g.host, w.host}} {
		for i := range p[1] {
			p[0][i].merge(&p[1][i])
		}
	}
	for _, p := range [][2][]probe.State{{g.states, w.states}, {g.hostStates, w.hostStates}} {
		for i, st := range p[1] {
			if st != probe.Pending {
				p[0][i] = st
			}
		}
	}
}

// clone copies a segment so that merging into it leaves the original alone.
// Tallies are shared: they are only read.
func (g *Segment) clone() *Segment {
	c := *g
	copyAll := func(ds []Dist) []Dist {
		out := slices.Clone(ds)
		for i := range out {
			out[i].counts = slices.Clone(out[i].counts)
		}
		return out
	}
	c.card, c.load, c.host = copyAll(g.card), copyAll(g.load), copyAll(g.host)
	c.states, c.hostStates = slices.Clone(g.states), slices.Clone(g.hostStates)
	return &c
}
