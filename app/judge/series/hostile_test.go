package series

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"rentgen/probe"
)

// TestHostileHostIsBounded lets a host name ever new cards with readings over
// the whole range of numbers.
func TestHostileHostIsBounded(t *testing.T) {
	heap := func() float64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc) / 1e6
	}
	before := heap()
	r := rand.New(rand.NewPCG(1, 2))
	s := New(Params{})
	for sec := range 400 {
		m := &probe.Sample{Time: start.Add(time.Duration(sec) * time.Second), System: &probe.System{}}
		any := func() probe.Value { return probe.Of(math.Exp(r.Float64()*40 - 3)) }
		for i := range 40 {
			g := probe.GPU{Index: i, UUID: fmt.Sprint("GPU-", (sec/20)*40+i)}
			for k := range g.Values {
				g.Values[k] = any()
			}
			m.GPUs = append(m.GPUs, g)
		}
		for _, k := range probe.SystemMetrics() {
			m.System.Set(k, any())
		}
		s.Add(m)
		s.Add(&probe.Gap{})
		s.Add(&probe.Inventory{GPUs: []probe.Device{{UUID: fmt.Sprint("GPU-", sec)}}})
	}
	if n := len(s.Open()); n > 2*maxTracks || len(s.devices) > maxTracks || len(s.gaps) > maxGaps {
		t.Errorf("%d segments, %d devices, %d gaps", n, len(s.devices), len(s.gaps))
	}
	if mb := heap() - before; mb > 100 {
		t.Errorf("%.0f MB are kept", mb)
	} else {
		t.Logf("%.0f MB are kept", mb)
	}
	runtime.KeepAlive(s)
}
