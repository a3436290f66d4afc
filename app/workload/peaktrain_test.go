package workload

import (
	"math"
	"testing"
)

// Training rows mostly lack their batch: they are compared with each other, and
// the complete ones lie in their wide bands.
const (
	apart        = 1.1  // two rows differ by more than measuring
	barDirection = 0.75 // of pairs that the estimate orders as measured
	barTraining  = 0.75 // of complete rows in band
)

func TestMeasuredVRAMOfTraining(t *testing.T) {
	e := Load().estimator()
	var rows []vramRow
	in, complete := 0, 0
	for _, r := range readVRAM(t, vramCases()) {
		if !r.job.Kind.Training() || !r.hard || r.unmapped != "" {
			continue
		}
		rows = append(rows, r)
		b, ok := e.best(r)
		if r.complete {
			complete++
			if ok {
				in++
			}
			t.Logf("%s %s %s %d px batch %d: %.1f, estimated %.1f (%.1f to %.1f)", r.id, r.job.Model, r.job.Quant, r.job.Width, r.job.Batch, r.peak, b.point, b.low, b.high)
		}
	}
	right, pairs := 0, 0
	for i, a := range rows {
		for _, b := range rows[:i] {
			if a.source != b.source || a.job.Model != b.job.Model || a.metric != b.metric || math.Max(a.peak/b.peak, b.peak/a.peak) < apart {
				continue
			}
			pa, pb := e.points(a)[0], e.points(b)[0]
			if pa == pb {
				continue // differ in what a job doesn't say
			}
			pairs++
			if (pa > pb) == (a.peak > b.peak) {
				right++
			}
		}
	}
	t.Logf("training: %d of %d complete rows in band; %d of %d pairs in the measured order", in, complete, right, pairs)
	if complete > 0 {
		atLeast(t, "training rows in band", float64(in)/float64(complete), barTraining)
	}
	if pairs > 0 {
		atLeast(t, "training pairs in order", float64(right)/float64(pairs), barDirection)
	}
}
