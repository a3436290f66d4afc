package series

import (
	"math"

	"rentgen/probe"
)

// Cell is one metric in one second: the mean with the least and the greatest,
// in the metric's unit and rounded to its step. V is NaN where State isn't OK.
type Cell struct {
	V, Lo, Hi float64
	State     probe.State
}

// Part is what one card or the machine read in one second.
type Part struct {
	UUID   string // "" for the machine
	Name   string // of the card
	Index  int
	Active bool // the card was at work
	cells  []Cell
}

// Cell returns a metric of the part; one that it doesn't have is Pending.
func (p *Part) Cell(m probe.Metric) Cell {
	i := int(m)
	if p == nil || m.System() != (p.UUID == "") {
		return missing
	}
	if m.System() {
		i -= firstSystem
	}
	if i >= len(p.cells) {
		return missing
	}
	return p.cells[i]
}

// V returns the mean of a metric, NaN where there is none.
func (p *Part) V(m probe.Metric) float64 { return p.Cell(m).V }

var missing = Cell{V: math.NaN(), Lo: math.NaN(), Hi: math.NaN(), State: probe.Pending}

const firstSystem = int(probe.CPU)

// Second is one second as a rule sees it. It is only valid during the call.
type Second struct {
	T     int64 // Unix time
	Card  *Part // the card judged; nil on the machine's track and where it wasn't read
	Host  *Part // nil where the machine wasn't read
	Cards []*Part
	// Step is how many seconds a reading stands for. Held says that this second
	// has none of its own: it is the reading before, which still stands.
	Step int
	Held bool
	// Raw is what the second looks like on its own, before pauses are bridged.
	Raw Kind
	// Active says that the track was at work in this second (Raw is Busy),
	// going by utilisation, or by power where that can't be read.
	Active bool
}

// Cell returns a metric of the card or of the machine.
func (s *Second) Cell(m probe.Metric) Cell {
	if m.System() {
		return s.Host.Cell(m)
	}
	return s.Card.Cell(m)
}

// V returns the mean of a metric of the card or of the machine, NaN for none.
func (s *Second) V(m probe.Metric) float64 { return s.Cell(m).V }

// Bits returns the bits of a mask that were set at any reading of the second.
func (s *Second) Bits(m probe.Metric) (uint64, bool) {
	v := s.V(m)
	if math.IsNaN(v) || v < 0 || v >= 1<<53 {
		return 0, false
	}
	return uint64(v), true
}

// acc puts the readings of one metric within a second together. The arithmetic
// is the store's (store/second.go), so that seconds judged live and seconds out
// of history are the same.
type acc struct {
	n             int
	sum, min, max float64
	last          float64
	or            uint64
	state         probe.State
}

func (a *acc) add(v *probe.Value) {
	x, ok := v.Ok()
	if !ok || math.IsNaN(x) || math.IsInf(x, 0) {
		if v.State != probe.Pending || a.state == probe.Pending {
			a.state = v.State
			if v.State == probe.OK {
				a.state = probe.Error
			}
		}
		return
	}
	if a.n == 0 {
		a.min, a.max = x, x
	}
	a.n++
	a.sum += x
	a.last = x
	a.min, a.max = min(a.min, x), max(a.max, x)
	if bits, ok := v.Mask(); ok {
		a.or |= bits
	}
}

// spread widens the band by what happened between two ticks.
func (a *acc) spread(s probe.Spread) {
	if a.n == 0 || s.N < 1 || math.IsNaN(s.Min) || math.IsNaN(s.Max) || s.Min > s.Max {
		return
	}
	a.min, a.max = min(a.min, s.Min), max(a.max, s.Max)
}

// form is what a metric's second is rounded by, and the most that it can be.
type form struct {
	kind  probe.Kind
	steps float64
	most  float64 // 0 for no bound
}

// most bounds metrics that have no fixed top. A column of another metric now and
// then stands in for a reading (utilisation of 2,619 and of 808,334,905 % were
// seen); history keeps it, but nothing is judged by it.
var most = map[probe.Metric]float64{
	probe.Power: 5000, probe.PowerCap: 5000, probe.Temp: 150, probe.TempMem: 150, probe.ClockSM: 6000, probe.ClockMem: 30000,
	probe.OwnUtil: 110, // a sum over processes
}

func forms(list []probe.Metric) []form {
	fs := make([]form, len(list))
	for i, m := range list {
		in := m.Info()
		fs[i] = form{in.Kind, 1, in.Max}
		if x, ok := most[m]; ok {
			fs[i].most = x
		}
		if n := math.Round(1 / in.Step); in.Step > 0 && n >= 1 {
			fs[i].steps = n
		}
	}
	return fs
}

var (
	cardForms = forms(probe.GPUMetrics())
	hostForms = forms(probe.SystemMetrics())
)

func (a *acc) cell(f form) Cell {
	none := Cell{V: math.NaN(), Lo: math.NaN(), Hi: math.NaN(), State: a.state}
	if a.n == 0 {
		return none
	}
	mean, lo, hi := a.sum/float64(a.n), a.min, a.max
	switch f.kind {
	case probe.Counter:
		mean, lo, hi = a.last, a.last, a.last
	case probe.Mask:
		v := float64(a.or)
		return Cell{V: v, Lo: v, Hi: v, State: probe.OK}
	case probe.Level:
		mean = a.last
	case probe.Gauge:
	}
	v, ok1 := round(mean, f.steps)
	if lo == mean && hi == mean && ok1 && !(f.most > 0 && v > f.most*f.steps) { // one reading, mostly
		v /= f.steps
		return Cell{V: v, Lo: v, Hi: v, State: probe.OK}
	}
	l, ok2 := round(lo, f.steps)
	h, ok3 := round(hi, f.steps)
	if !ok1 || !ok2 || !ok3 || f.most > 0 && v > f.most*f.steps {
		none.State = probe.Error
		return none
	}
	return Cell{V: v / f.steps, Lo: min(l, v) / f.steps, Hi: max(h, v) / f.steps, State: probe.OK}
}

// round returns x in steps; numbers too large to be held exactly are refused.
func round(x, steps float64) (float64, bool) {
	r := math.Round(x * steps)
	return r, r < 1<<53 && r > -1<<53
}

// gather is a part that is being put together.
type gather struct {
	Part
	accs []acc
	seen bool // in the second under way
}

func newGather(uuid string, metrics int) *gather {
	return &gather{Part: Part{UUID: uuid, cells: make([]Cell, metrics)}, accs: make([]acc, metrics)}
}

// begin forgets the second before.
func (g *gather) begin() {
	clear(g.accs)
	g.seen = true
}

// finish works the cells out.
func (g *gather) finish(fs []form) *Part {
	for i := range g.accs {
		g.cells[i] = g.accs[i].cell(fs[i])
	}
	return &g.Part
}

// clone copies a part so that it outlives its second.
func (p *Part) clone() *Part {
	if p == nil {
		return nil
	}
	q := *p
	q.cells = append([]Cell(nil), p.cells...)
	return &q
}
