//go:build linux && cgo

package nvml

import (
	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"rentgen/probe"
)

// sampler remembers up to where the driver's own buffers were read.
type sampler struct {
	seen [2]uint64 // µs, per entry of drained
}

// drained are the metrics whose buffer is read: a burst of load between two
// ticks is in it. Their order is that of sampler.seen.
var drained = [...]struct {
	metric probe.Metric
	kind   nvml.SamplingType
	scale  float64
	max    float64
}{
	{probe.UtilGPU, nvml.GPU_UTILIZATION_SAMPLES, 1, 100},
	{probe.Power, nvml.TOTAL_POWER_SAMPLES, 0.001, maxWatt},
}

// drain reads the buffers. An idle card empties them ("Not Found"), and then
// the reading of the moment stands.
func (d *device) drain() {
	if !d.l.has[fnSamples] {
		return
	}
	for i, s := range drained {
		if _, ok := d.gpu.Values[s.metric].Ok(); !ok {
			continue // not offered, or the card is in trouble
		}
		if d.samples.seen[i] == 0 {
			// Not from the beginning: the buffer may hold a minute that is over.
			d.samples.seen[i] = uint64(d.l.p.Now().UnixMicro()) - 1e6
		}
		t, list, ret := getSamples(d.h, s.kind, d.samples.seen[i])
		if ret != nvml.SUCCESS {
			continue
		}
		sp, mean, newest := spread(t, list, d.samples.seen[i], s.scale, s.max)
		d.samples.seen[i] = newest
		if sp.N == 0 {
			continue
		}
		sp.Metric = s.metric
		d.gpu.Spreads = append(d.gpu.Spreads, sp)
		d.gpu.Values[s.metric] = probe.Of(tenths(mean))
	}
}

// getSamples guards against a count that changes between go-nvml's two calls.
func getSamples(h nvml.Device, kind nvml.SamplingType, seen uint64) (t nvml.ValueType, list []nvml.Sample, ret nvml.Return) {
	defer func() {
		if recover() != nil {
			list, ret = nil, nvml.ERROR_INSUFFICIENT_SIZE
		}
	}()
	return h.GetSamples(kind, seen)
}

// spread sums up samples newer than seen; entries never filled (time 0) and
// numbers that cannot be are left out.
func spread(t nvml.ValueType, list []nvml.Sample, seen uint64, scale, hi float64) (sp probe.Spread, mean float64, newest uint64) {
	newest = seen
	for _, s := range list {
		if s.TimeStamp <= seen {
			continue
		}
		n, ret := number(t, s.SampleValue)
		v := n * scale
		if ret != nvml.SUCCESS || v < 0 || v > hi {
			continue
		}
		newest = max(newest, s.TimeStamp)
		if sp.N == 0 || v < sp.Min {
			sp.Min = v
		}
		if sp.N == 0 || v > sp.Max {
			sp.Max = v
		}
		sp.N++
		mean += (v - mean) / float64(sp.N)
	}
	sp.Min, sp.Max = tenths(sp.Min), tenths(sp.Max)
	return sp, mean, newest
}
