package resident

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"rentgen/probe"
	"rentgen/probe/wire"
)

// BenchmarkRing writes a night of a card that paints: 40 s under load, 20 s at
// rest, every metric with the noise of its sensor (util 3 points, power 6 W,
// clocks 8 MHz, PCIe a tenth, processors 4 points; one deviation each). It
// reports what a second of a card takes packed, with the machine's metrics
// counted in, and how many hours fit in the preset bound.
func BenchmarkRing(b *testing.B) {
	for _, cards := range []int{1, 8} {
		b.Run(fmt.Sprintf("%d cards", cards), func(b *testing.B) {
			for range b.N {
				benchmarkRing(b, cards)
			}
		})
	}
}

func benchmarkRing(b *testing.B, cards int) {
	const seconds = 8 * 3600
	dir := b.TempDir()
	w, err := OpenRing(Params{Dir: dir, MaxBytes: MaxBytes, Start: wire.Start{Ring: ringName}})
	if err != nil {
		b.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	noise := func(mean, sd float64) probe.Value { return probe.Of(max(0, mean+sd*r.NormFloat64())) }
	inv := &probe.Inventory{}
	for c := range cards {
		inv.GPUs = append(inv.GPUs, probe.Device{Index: c, UUID: fmt.Sprintf("GPU-%036d", c), Name: "NVIDIA GeForce RTX 4090"})
	}
	w.Write(wire.Frame{Inventory: inv}, 0)
	var tidy Tidy
	energy := make([]float64, cards)
	temp := 50.0
	for i := range seconds {
		busy := i%60 < 40
		load := 0.0
		if busy {
			load = 1
		}
		temp += (40 + 35*load - temp) / 60
		s := &probe.Sample{Mono: time.Duration(i+1) * time.Second, Time: zero.Add(time.Duration(i) * time.Second)}
		s.HostTime = s.Time.Add(time.Duration(r.IntN(3_000_000)))
		for c := range cards {
			g := probe.GPU{Index: c, UUID: inv.GPUs[c].UUID, Name: inv.GPUs[c].Name}
			for m := range g.Values {
				g.Values[m] = probe.Missing(probe.Unsupported, "Not Supported")
			}
			watts := 25 + 380*load
			energy[c] += watts
			for m, v := range map[probe.Metric]probe.Value{
				probe.UtilGPU: noise(97*load, 3*load), probe.UtilMem: noise(60*load, 3*load), probe.MemUsed: noise(9000+4000*load, 2*load),
				probe.MemTotal: probe.Of(24564), probe.MemReserved: probe.Of(400), probe.Power: noise(watts, 6), probe.Energy: probe.Of(energy[c]),
				probe.Temp: noise(temp, 0.4), probe.Fan: noise(30+30*load, 0.6), probe.ClockSM: noise(300+2300*load, 8*load), probe.ClockMem: probe.Of(405 + 10096*load),
				probe.PState: probe.Of(8 - 6*load), probe.PCIeTx: noise(5+200*load, 20*load), probe.PCIeRx: noise(5+300*load, 30*load), probe.EventReasons: probe.OfMask(4),
			} {
				g.Set(m, v)
			}
			if busy {
				p := g.Get(probe.Power).Num
				g.Spreads = []probe.Spread{{Metric: probe.Power, Min: p - 20, Max: p + 15, N: 50}, {Metric: probe.UtilGPU, Min: 80, Max: 100, N: 6}}
			}
			s.GPUs = append(s.GPUs, g)
		}
		s.System = &probe.System{}
		for _, m := range probe.SystemMetrics() {
			s.System.Set(m, probe.Missing(probe.Unsupported, ""))
		}
		for m, v := range map[probe.Metric]probe.Value{
			probe.CPU: noise(20*load+2, 4), probe.CPUBusiest: noise(90*load+5, 4), probe.RAMUsed: noise(20000, 30), probe.RAMLimit: probe.Of(64000),
			probe.DiskRead: noise(0, 0.3), probe.DiskWrite: noise(2*load, 1), probe.NetRx: noise(0.2, 0.1), probe.NetTx: noise(0.2, 0.1), probe.IOWait: noise(0, 0.5),
		} {
			s.System.Set(m, v)
		}
		w.Write(wire.Frame{Sample: tidy.Sample(s)}, s.Mono)
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	list, err := segments(dir)
	if err != nil {
		b.Fatal(err)
	}
	var packed, n int64
	for _, s := range list {
		if s.packed {
			sum, err := summarise(dir, s)
			if err != nil {
				b.Fatal(err)
			}
			packed, n = packed+s.size, n+int64(sum.Samples)
		}
	}
	perSecond := float64(packed) / float64(n)
	b.ReportMetric(perSecond/float64(cards), "B/GPU-s")
	b.ReportMetric(float64(DefaultBytes)/perSecond/3600, "hours/64MiB")
}
