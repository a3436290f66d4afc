package demo

import (
	"math"
	"time"

	"rentgen/probe"
)

// machineLoad is what the cards' jobs ask of the machine.
type machineLoad struct {
	loading, sampling, decoding, saving int
	model                               float64 // MiB held in RAM while loading
}

func (l *machineLoad) add(p phase, part float64, j job) {
	switch p {
	case loading:
		l.loading++
		l.model += j.model * (0.3 + 0.7*part)
	case sample:
		l.sampling++
	case decode:
		l.decoding++
	case saving:
		l.saving++
	}
}

// cores is the quota of the demo's container.
const cores = 16

// machine returns the readings beside the cards. While a model is loaded one
// thread does all the work, however many cores are paid for.
func (w *world) machine(t time.Duration, l machineLoad) *probe.System {
	s := &probe.System{}
	r := w.quiet
	pos := func(v float64) probe.Value { return probe.Of(math.Round(math.Max(0, v)*10) / 10) }
	if len(w.cards) == 0 {
		w.bare(s, t)
		return s
	}
	one := 100.0 / cores
	cpu := 1.2 + 0.5*r.Float64() + float64(l.loading)*one*1.15 + float64(l.sampling)*one*0.9 +
		float64(l.decoding)*one*0.5 + float64(l.saving)*one*1.6
	busiest := 9 + 6*r.Float64()
	switch {
	case l.loading > 0:
		busiest = 99 + r.Float64()
	case l.saving > 0:
		busiest = 88 + 10*r.Float64()
	case l.sampling > 0:
		busiest = 74 + 9*noise(r)
	}
	toward(&w.ram, 9200+float64(len(w.cards))*2300+l.model, time.Second, 2*time.Second)
	s.Set(probe.CPU, pos(math.Min(100, cpu)))
	s.Set(probe.CPUBusiest, pos(math.Min(100, busiest)))
	s.Set(probe.CPUQuota, probe.Of(cores))
	s.Set(probe.CPUThrottled, probe.Of(0))
	s.Set(probe.RAMUsed, pos(w.ram))
	s.Set(probe.RAMLimit, probe.Of(ramLimit))
	s.Set(probe.SwapIn, probe.Of(0))
	s.Set(probe.SwapOut, probe.Of(0))
	read, wait, psi := 0.1*r.Float64(), 0.0, 0.0
	if l.loading > 0 {
		read, wait, psi = 410+90*noise(r), 3+2*r.Float64(), 6+4*r.Float64()
	}
	s.Set(probe.DiskRead, pos(read))
	s.Set(probe.DiskWrite, pos(0.3*r.Float64()+float64(l.saving)*14))
	s.Set(probe.IOWait, pos(wait))
	s.Set(probe.NetRx, pos(0.02+0.05*r.Float64()))
	s.Set(probe.NetTx, pos(0.05+0.05*r.Float64()+float64(l.saving)*1.9))
	s.Set(probe.PSICPU, pos(0.4+0.4*r.Float64()))
	s.Set(probe.PSIMem, probe.Of(0))
	s.Set(probe.PSIIO, pos(psi))
	s.Set(probe.GPUClients, probe.Of(float64(len(w.cards)))) // one program a card, whose model stays in memory
	s.Set(probe.Queue, probe.Of(float64(l.loading+l.sampling+l.decoding+l.saving)))
	return s
}

// bare is a host without a card: an upload comes in.
func (w *world) bare(s *probe.System, t time.Duration) {
	r := w.quiet
	quota, limit := probe.Of(0.5), probe.Of(2048)
	if w.p.Fault == FaultNoDriver {
		quota, limit = probe.Missing(probe.Unsupported, "max"), probe.Of(64386)
	}
	busy := 6 * math.Abs(math.Sin(t.Seconds()/19))
	for m, v := range map[probe.Metric]probe.Value{
		probe.CPU: probe.Of(math.Round(4 + busy)), probe.CPUBusiest: probe.Of(math.Round(11 + 2*busy)),
		probe.CPUQuota: quota, probe.CPUThrottled: probe.Of(0), probe.RAMUsed: probe.Of(412), probe.RAMLimit: limit,
		probe.SwapIn: probe.Of(0), probe.SwapOut: probe.Of(0), probe.DiskRead: probe.Of(0),
		probe.DiskWrite: probe.Of(math.Round(10*(9+busy)) / 10), probe.IOWait: probe.Of(1),
		probe.NetRx: probe.Of(math.Round(10*(9+busy+0.3*r.Float64())) / 10), probe.NetTx: probe.Of(0.2),
		probe.PSICPU: probe.Of(0.3), probe.PSIMem: probe.Of(0), probe.PSIIO: probe.Of(0.8),
		probe.GPUClients: probe.Of(0), probe.Queue: probe.Missing(probe.Unsupported, ""),
	} {
		s.Set(m, v)
	}
}
