package store

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"rentgen/app/judge/series"
	"rentgen/probe"
	"rentgen/store/column"
)

// TestSecondsAreKeptAsTheyAreJudged puts the same readings together in the
// store's way and in the judge's: what is judged live must be what history says.
func TestSecondsAreKeptAsTheyAreJudged(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	seen := map[probe.State]int{}
	for range 300 {
		ticks := oddTicks(r, 1+r.IntN(12))
		var kept second
		var judged *series.Second
		s := series.New(series.Params{Second: func(x *series.Second) {
			if judged == nil && x.Card == nil {
				judged = x
				compareSeconds(t, &kept, x, seen)
			}
		}})
		for i := range ticks {
			kept.add(&ticks[i])
		}
		for i := range ticks {
			s.Add(&ticks[i])
		}
		s.Add(&probe.Sample{Time: ticks[0].Time.Add(time.Second)})
		if judged == nil {
			t.Fatal("no second was judged")
		}
	}
	if len(seen) != 5 || seen[probe.OK] < 1000 {
		t.Errorf("states seen: %v", seen)
	}
}

func compareSeconds(t *testing.T, kept *second, judged *series.Second, seen map[probe.State]int) {
	t.Helper()
	if len(kept.tracks) != len(judged.Cards)+1 {
		t.Fatalf("%d tracks kept, %d cards judged", len(kept.tracks), len(judged.Cards))
	}
	for _, track := range kept.tracks {
		part := judged.Host
		for _, p := range judged.Cards {
			if p.UUID == track.device.UUID {
				part = p
			}
		}
		cells := track.cells()
		for i, m := range metricsOf(track.device.UUID == machineUUID) {
			a, b := cells[i], part.Cell(m)
			seen[a.State]++
			if a.State != b.State {
				t.Fatalf("%s: kept as %v, judged as %v", m.Info().Key, a.State, b.State)
			}
			if !a.OK() {
				continue
			}
			steps := column.Steps(m)
			v, lo, hi := column.Float(a.V, steps), column.Float(a.Lo, steps), column.Float(a.Hi, steps)
			if m.Info().Kind == probe.Mask { // its band is history's alone
				lo, hi = v, v
			}
			if v != b.V || lo != b.Lo || hi != b.Hi {
				t.Fatalf("%s: kept as %v (%v to %v), judged as %+v", m.Info().Key, v, lo, hi, b)
			}
		}
	}
}

// oddTicks are n readings within one second, with all that a host may say.
func oddTicks(r *rand.Rand, n int) []probe.Sample {
	value := func(m probe.Metric) probe.Value {
		switch r.IntN(24) {
		case 0:
			return probe.Value{}
		case 1:
			return probe.Missing(probe.Unsupported, "[N/A]")
		case 2:
			return probe.Missing(probe.Denied, "no")
		case 3:
			return probe.Missing(probe.Error, "gone")
		case 4:
			odd := []float64{math.NaN(), math.Inf(1), math.Inf(-1), -3, 1 << 60, 1e300}
			return probe.Value{Num: odd[r.IntN(len(odd))], State: probe.OK}
		}
		if m.Info().Kind == probe.Mask {
			return probe.OfMask(uint64(r.IntN(1 << 10)))
		}
		return probe.Of(100 * r.Float64())
	}
	// A metric that can't be read mostly stays so for the whole second.
	gone := make(map[probe.Metric]bool)
	for _, m := range append(probe.GPUMetrics(), probe.SystemMetrics()...) {
		gone[m] = r.IntN(3) == 0
	}
	fixed := make(map[probe.Metric]probe.Value)
	ticks := make([]probe.Sample, n)
	for i := range ticks {
		s := probe.Sample{Time: time.Unix(1_700_000_000, int64(i)*1e6), System: &probe.System{}}
		s.GPUs = []probe.GPU{{UUID: "GPU-a", Index: 0}, {Index: 1}}
		read := func(m probe.Metric) probe.Value {
			v := value(m)
			if x, ok := fixed[m]; ok && gone[m] {
				return x
			}
			fixed[m] = v
			return v
		}
		for g := range s.GPUs {
			for k, m := range probe.GPUMetrics() {
				s.GPUs[g].Values[k] = read(m)
				if r.IntN(8) == 0 {
					lo := 100 * r.Float64()
					s.GPUs[g].Spreads = append(s.GPUs[g].Spreads, probe.Spread{Metric: m, Min: lo, Max: lo + 40*r.Float64() - 10, N: r.IntN(3)})
				}
			}
		}
		for k, m := range probe.SystemMetrics() {
			s.System.Values[k] = read(m)
		}
		ticks[i] = s
	}
	return ticks
}
