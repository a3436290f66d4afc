package store

import (
	"math"
	"strconv"

	"rentgen/probe"
	"rentgen/store/column"
)

// machineUUID is the track of the machine beside the cards.
const machineUUID = ""

// second puts the readings of one second of one run together.
type second struct {
	t      int64 // Unix time
	run    *run
	lo, hi uint64 // sequence numbers held
	dirty  bool   // not written since the last reading
	late   bool   // came after a later second
	slot   int64  // second of the host's monotonic clock, 0 unknown
	tracks []*trackSecond
}

// trackSecond is the part of a second that belongs to one card or the machine.
type trackSecond struct {
	device probe.Device // UUID, index and name, as the sample has them
	accs   []acc
}

// acc puts the readings of one metric within a second together; as the judge's
// (app/judge/series), which a test holds to it.
type acc struct {
	n             int
	sum, min, max float64
	last          float64
	or, and       uint64
	state         probe.State
	raw           string
}

func (s *second) track(uuid string, index int, name string, metrics int) *trackSecond {
	for _, t := range s.tracks {
		if t.device.UUID == uuid {
			return t
		}
	}
	t := &trackSecond{device: probe.Device{UUID: uuid, Index: index, Name: name}, accs: make([]acc, metrics)}
	s.tracks = append(s.tracks, t)
	return t
}

// add counts one tick in.
func (s *second) add(tick *probe.Sample) {
	s.dirty = true
	for i := range tick.GPUs {
		g := &tick.GPUs[i]
		t := s.track(trackName(g.UUID, g.Index), g.Index, g.Name, probe.GPUMetricCount)
		for m := range g.Values {
			t.accs[m].add(&g.Values[m])
		}
		for _, sp := range g.Spreads {
			if int(sp.Metric) < probe.GPUMetricCount {
				t.accs[sp.Metric].spread(sp)
			}
		}
	}
	if tick.System != nil {
		t := s.track(machineUUID, 0, "", probe.SystemMetricCount)
		for i := range tick.System.Values {
			t.accs[i].add(&tick.System.Values[i])
		}
	}
}

// cells returns the part of the second as it is stored.
func (t *trackSecond) cells() []column.Cell {
	metrics := metricsOf(t.device.UUID == machineUUID)
	cells := make([]column.Cell, len(metrics))
	for i, m := range metrics {
		cells[i] = t.accs[i].cell(m)
	}
	return cells
}

// trackName is the UUID, or a stand-in for a card that tells none.
func trackName(uuid string, index int) string {
	if uuid == "" {
		return "#" + strconv.Itoa(index)
	}
	return uuid
}

func (a *acc) add(v *probe.Value) {
	x, ok := v.Ok()
	if !ok || math.IsNaN(x) || math.IsInf(x, 0) {
		// A reason says more than "not read yet".
		if v.State != probe.Pending || a.state == probe.Pending {
			a.state, a.raw = v.State, v.Raw
			if v.State == probe.OK {
				a.state = probe.Error
			}
		}
		return
	}
	if a.n == 0 {
		a.min, a.max, a.and = x, x, math.MaxUint64
	}
	a.n++
	a.sum += x
	a.last = x
	a.min, a.max = min(a.min, x), max(a.max, x)
	if bits, ok := v.Mask(); ok {
		a.or |= bits
		a.and &= bits
	}
}

// spread widens the band by what happened between two ticks.
func (a *acc) spread(s probe.Spread) {
	if a.n == 0 || s.N < 1 || math.IsNaN(s.Min) || math.IsNaN(s.Max) || s.Min > s.Max {
		return
	}
	a.min, a.max = min(a.min, s.Min), max(a.max, s.Max)
}

// cell returns the second in steps of m.
func (a *acc) cell(m probe.Metric) column.Cell {
	if a.n == 0 {
		return column.Cell{State: a.state, Raw: column.Clip(a.raw)}
	}
	steps := column.Steps(m)
	mean, lo, hi := a.sum/float64(a.n), a.min, a.max
	switch m.Info().Kind {
	case probe.Counter:
		mean, lo, hi = a.last, a.last, a.last
	case probe.Mask:
		return column.Cell{State: probe.OK, V: int64(a.or), Lo: int64(a.and & a.or), Hi: int64(a.or)}
	case probe.Level:
		mean = a.last
	case probe.Gauge:
	}
	v, ok1 := toSteps(mean, steps)
	l, ok2 := toSteps(lo, steps)
	h, ok3 := toSteps(hi, steps)
	if !ok1 || !ok2 || !ok3 {
		return column.Cell{State: probe.Error, Raw: strconv.FormatFloat(mean, 'g', -1, 64)}
	}
	return column.Cell{State: probe.OK, V: v, Lo: min(l, v), Hi: max(h, v)}
}

// toSteps rounds x to steps; numbers too large to be held exactly are refused.
func toSteps(x float64, steps int64) (int64, bool) {
	r := math.Round(x * float64(steps))
	if r >= 1<<53 || r <= -1<<53 {
		return 0, false
	}
	return int64(r), true
}
