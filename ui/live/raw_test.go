package live_test

import (
	"testing"
	"time"

	"rentgen/probe"
	"rentgen/ui/live"
)

// Fast readings show from the first moment, not only once they fill the span.
func TestFastReadingsShowFromTheStart(t *testing.T) {
	h := live.New()
	start := time.Date(2026, 11, 1, 8, 0, 0, 0, time.UTC)
	h.Message(&probe.Inventory{GPUs: []probe.Device{{UUID: "GPU-1"}}})
	at := start
	for i := range 100 {
		at = start.Add(time.Duration(i) * 100 * time.Millisecond)
		g := probe.GPU{UUID: "GPU-1"}
		g.Set(probe.UtilGPU, probe.Of(50))
		h.Message(&probe.Sample{Seq: uint64(i + 1), Time: at, GPUs: []probe.GPU{g}})
	}
	tr := h.Track("GPU-1", live.Of(probe.UtilGPU), at.Add(-5*time.Minute), at, 0)
	if len(tr.T) != 100 {
		t.Errorf("%d points of 100 readings in ten seconds", len(tr.T))
	}
}
