package judgetest

import (
	"rentgen/app/judge"
	"rentgen/probe"
)

// card sets a metric of the i-th card in every tick.
func (m *Moment) card(i int, k probe.Metric, v float64) { m.Sample.GPUs[i].Set(k, probe.Of(v)) }

// host sets a metric of the machine in the ticks that have it.
func (m *Moment) host(k probe.Metric, v float64) {
	if m.Sample.System != nil {
		m.Sample.System.Set(k, probe.Of(max(0, v+0.01*v*m.Rand.NormFloat64())))
	}
}

// full is a share that is noisy below its top.
func (m *Moment) full(k probe.Metric) {
	if m.Sample.System != nil {
		m.Sample.System.Set(k, probe.Of(100-2*m.Rand.Float64()))
	}
}

// slowly is a job that loads for long.
var slowly = Job{Name: "slow load", Load: 170, Model: 11000, Work: 2600, Picture: 24, Between: 1.6, Batch: 4, Pause: 4, Util: 98, Watts: 1}

// Waiting returns scenes in which the card waits for something, one for every
// cause, and their likes in which it doesn't.
func Waiting() []Scene {
	gaps := func(name string, want judge.Kind, f func(m *Moment)) Scene {
		return Scene{Name: name, Want: want, Cards: []Card{RTX4090}, Jobs: []Job{Gaps}, Seconds: 400, Hook: f}
	}
	saving := func(f func(m *Moment)) func(m *Moment) {
		return func(m *Moment) {
			if m.Doing[0] == Saving {
				f(m)
			}
		}
	}
	loads := func(name string, want judge.Kind, f func(m *Moment)) Scene {
		return Scene{Name: name, Want: want, Cards: []Card{RTX4090}, Jobs: []Job{slowly}, Seconds: 400, Hook: func(m *Moment) {
			if m.Doing[0] == Loading {
				for i := range m.Sample.GPUs {
					m.card(i, probe.PCIeRx, 70)
				}
				f(m)
			}
		}}
	}
	half := func(_ *Moment, _ int, b *Body) { b.Util, b.Watts = 0.5, 0.6 }
	links := func(own, peer float64) func(m *Moment) {
		return func(m *Moment) {
			for i := range m.Sample.GPUs {
				m.card(i, probe.NVLinkActive, peer)
			}
			m.card(0, probe.NVLinkActive, own)
		}
	}
	return []Scene{
		{Name: "the card itself", Want: judge.BoundGPU, Level: judge.Good, Quiet: true, Cards: []Card{RTX4090}, Jobs: []Job{Flux}, Seconds: 400},

		{Name: "one core starts every kernel", Want: judge.SlowCPUThread, Cards: []Card{RTX4090}, Jobs: []Job{Small}, Seconds: 400, Body: half, Hook: func(m *Moment) {
			m.full(probe.CPUBusiest)
		}},
		gaps("one core between pictures", judge.SlowCPUThread, saving(func(m *Moment) { m.full(probe.CPUBusiest) })),
		{Name: "clean a core that waits for the card", Quiet: true, Cards: []Card{RTX4090}, Jobs: []Job{Flux}, Seconds: 400, Hook: func(m *Moment) {
			m.full(probe.CPUBusiest)
		}},

		gaps("a CPU quota", judge.SlowCPUQuota, func(m *Moment) {
			m.host(probe.CPUQuota, 2)
			m.host(probe.CPUThrottled, 80)
			m.full(probe.CPUBusiest)
		}),
		gaps("RAM is short", judge.SlowMemory, func(m *Moment) {
			m.host(probe.RAMUsed, 94500)
			m.host(probe.PSIMem, 30)
			m.host(probe.SwapIn, 40)
		}),
		gaps("clean RAM full of files", "", func(m *Moment) { m.host(probe.RAMUsed, 94500) }).quiet(),

		loads("a slow disk", judge.SlowDisk, func(m *Moment) {
			m.host(probe.DiskRead, 65)
			m.host(probe.PSIIO, 70)
			m.host(probe.IOWait, 6)
		}),
		loads("a network disk", judge.SlowDisk, func(m *Moment) {
			m.host(probe.DiskRead, 0)
			m.host(probe.DiskWrite, 0)
			m.host(probe.NetRx, 68)
		}),

		gaps("data over the network", judge.SlowNetwork, saving(func(m *Moment) { m.host(probe.NetRx, 12) })),
		gaps("pictures sent away", judge.SlowNetwork, saving(func(m *Moment) { m.host(probe.NetTx, 9) })),

		{Name: "weights that don't stay in VRAM", Want: judge.SlowOffload, Cards: []Card{RTX3090}, Jobs: []Job{Flux}, Seconds: 400, Body: half, Hook: func(m *Moment) {
			if m.Doing[0] == Painting {
				m.card(0, probe.MemUsed, 24100)
				m.card(0, probe.OwnMem, 23700)
				m.card(0, probe.PCIeRx, 9000+500*m.Rand.NormFloat64())
			}
		}},

		{Name: "a narrow PCIe link", Want: judge.SlowLink, Cards: []Card{RTX4090}, Jobs: []Job{SDXL}, Seconds: 400, Hook: func(m *Moment) {
			m.card(0, probe.PCIeWidth, 1)
		}},

		{Name: "NVLink links missing", Want: judge.SlowNVLink, Cards: []Card{A100, A100}, Jobs: []Job{Training}, Seconds: 400, Hook: links(6, 12)},
		{Name: "clean NVLink links", Quiet: true, Cards: []Card{A100, A100}, Jobs: []Job{Training}, Seconds: 400, Hook: links(12, 12)},

		{Name: "a card behind its peers", Want: judge.SlowStraggler, Cards: []Card{A100, A100, A100, A100}, Jobs: []Job{Training}, Seconds: 400, Body: func(m *Moment, i int, b *Body) {
			if i == 0 {
				b.Clock = 0.7
			}
		}, Hook: func(m *Moment) {
			for i := range m.Sample.GPUs {
				if m.Doing[i] == Painting {
					m.card(i, probe.NVLinkTx, 4000)
					m.card(i, probe.NVLinkRx, 4000)
				}
			}
		}},

		{Name: "an empty queue between jobs", Want: judge.SlowQueueEmpty, Level: judge.Info, Quiet: true, Cards: []Card{RTX4090}, Jobs: []Job{Gaps}, Seconds: 400, Hook: func(m *Moment) {
			if m.Doing[0] == Saving {
				m.host(probe.Queue, 0)
			}
		}},
		{Name: "an empty queue", Want: judge.SlowQueueEmpty, Level: judge.Info, Quiet: true, Cards: []Card{RTX4090}, Jobs: []Job{SDXL}, Seconds: 400, To: 150},
	}
}

// quiet says that nothing may be warned of.
func (s Scene) quiet() Scene {
	s.Quiet = true
	return s
}

// Crowded returns scenes in which others use the card or the machine while
// nothing tells who, and their likes in which nobody does.
func Crowded() []Scene {
	hidden := func(m *Moment) {
		for _, k := range []probe.Metric{probe.OwnProcs, probe.OwnMem, probe.OwnUtil, probe.OtherProcs} {
			m.card(0, k, 0)
		}
		m.host(probe.GPUClients, 1)
	}
	return []Scene{
		{Name: "a tenant while nothing of ours runs", Want: judge.NeighbourGPU, Cards: []Card{RTX4090}, Seconds: 400, Hook: func(m *Moment) {
			m.card(0, probe.MemUsed, 9300)
			m.card(0, probe.UtilGPU, 60+8*m.Rand.Float64())
			m.card(0, probe.Power, 250)
			m.host(probe.GPUClients, 0)
		}},
		{Name: "a tenant at rest while nothing of ours runs", Want: judge.NeighbourGPU, Cards: []Card{RTX4090}, Seconds: 400, Hook: func(m *Moment) {
			m.card(0, probe.MemUsed, 9300)
			m.host(probe.GPUClients, 0)
		}},
		{Name: "clean ours is hidden and the list is empty", Quiet: true, Cards: []Card{RTX4090}, Jobs: []Job{SDXL}, Seconds: 400, Hook: hidden},
		{Name: "clean a driver's own VRAM", Quiet: true, Cards: []Card{H100}, Seconds: 400, Hook: func(m *Moment) {
			m.card(0, probe.MemUsed, 860)
			m.host(probe.GPUClients, 0)
		}},
		{Name: "cores taken by others", Want: judge.NeighbourHost, Cards: []Card{RTX4090}, Jobs: []Job{SDXL}, Seconds: 400, Setting: judge.Setting{Track: "shared"}, Hook: func(m *Moment) {
			if m.T >= 100 {
				m.host(probe.CPU, 96)
				m.host(probe.PSICPU, 45)
			}
		}},
		{Name: "a disk that others read", Want: judge.NeighbourHost, Cards: []Card{RTX4090}, Jobs: []Job{slowly}, Seconds: 400, Hook: func(m *Moment) {
			if m.Doing[0] == Loading && m.T > 80 {
				m.host(probe.DiskRead, 120)
				m.host(probe.PSIIO, 60)
			}
		}},
	}
}
