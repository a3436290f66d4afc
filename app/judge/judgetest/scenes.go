package judgetest

import (
	"time"

	"rentgen/app/judge"
	"rentgen/probe"
)

// Clean returns scenes in which nothing is wrong.
func Clean() []Scene {
	one := func(name string, c Card, j Job) Scene {
		return Scene{Name: "clean " + name, Quiet: true, Cards: []Card{c}, Jobs: []Job{j}, From: 20}
	}
	return []Scene{
		one("4090 sdxl", RTX4090, SDXL),
		one("4090 flux", RTX4090, Flux),
		one("4090 small", RTX4090, Small),
		one("4090 at its limit", RTX4090Hot, Flux),
		one("3090 at its limit", RTX3090, SDXL),
		one("2080S with flickering reasons", RTX2080S, Small),
		one("A100 training", A100, Training),
		one("A100 video", A100, Video),
		one("H100 at its limit", H100, Flux),
		one("L4 at its limit", L4, SDXL),
		one("batch gaps", RTX4090, Gaps),
		{Name: "clean loading phase", Quiet: true, Cards: []Card{RTX4090}, Jobs: []Job{{
			Load: 170, Model: 21000, Work: 1500, Picture: 24, Between: 1.5, Batch: 4, Pause: 6, Util: 98, Watts: 1,
		}}, From: 20},
		{Name: "clean eight cards", Quiet: true, Cards: []Card{A100, A100, A100, A100, A100, A100, A100, A100}, Jobs: []Job{Training, Flux, SDXL, Training}, Seconds: 400},
		{Name: "clean two runs with a rest", Quiet: true, Cards: []Card{RTX4090}, Jobs: []Job{SDXL}, Seconds: 900, From: 20, To: 500},
		{Name: "clean link blips", Quiet: true, Cards: []Card{RTX4090}, Jobs: []Job{SDXL}, Hook: func(m *Moment) {
			if int(m.T)%97 > 90 {
				m.Sample = nil
			}
		}},
		{Name: "clean reasons raised while the P-state changes", Quiet: true, Cards: []Card{RTX4090}, Jobs: []Job{Small}, Body: func(m *Moment, i int, b *Body) {
			if int(m.T)%23 < 2 {
				b.Reasons |= 0x8
			}
		}},
		{Name: "clean clocks set by an application", Quiet: true, Cards: []Card{A100}, Jobs: []Job{Training}, Body: func(m *Moment, i int, b *Body) {
			b.Clock, b.Reasons = 0.78, 0x2
		}},
		{Name: "clean clocks for a display", Quiet: true, Cards: []Card{RTX4090}, Jobs: []Job{SDXL}, Body: func(m *Moment, i int, b *Body) { b.Reasons = 0x100 }},
	}
}

// later turns something on at a second.
func later(at float64, f func(b *Body)) func(*Moment, int, *Body) {
	return func(m *Moment, i int, b *Body) {
		if m.T >= at && i == 0 {
			f(b)
		}
	}
}

// Slowed returns scenes in which something holds the clock down.
func Slowed() []Scene {
	lowered := func(m *Moment) {
		for i := range m.Sample.GPUs {
			if m.T >= 200 {
				m.Sample.GPUs[i].Set(probe.PowerCap, probe.Of(300))
			}
		}
	}
	heat := func(b *Body) { b.Reasons, b.Clock, b.Air = 0x20, 0.82, 52 }
	return []Scene{
		{Name: "usual power limit", Want: judge.ThrottlePower, Level: judge.Info, Quiet: true, Cards: []Card{RTX4090Hot}, Jobs: []Job{Flux}},
		{Name: "usual power limit of an H100", Want: judge.ThrottlePower, Level: judge.Info, Quiet: true, Cards: []Card{H100}, Jobs: []Job{Training}},
		{Name: "lowered power limit", Want: judge.ThrottlePower, Cards: []Card{RTX4090}, Jobs: []Job{Flux}, Body: later(200, func(b *Body) { b.Limit = 300 }), Hook: lowered},
		{Name: "lowered power limit from the beginning", Want: judge.ThrottlePower, Cards: []Card{RTX3090}, Jobs: []Job{SDXL}, Body: later(0, func(b *Body) { b.Limit = 240 })},
		{Name: "lowered power limit, default untold", Want: judge.ThrottlePower, Cards: []Card{RTX4090}, Jobs: []Job{Training}, Body: later(200, func(b *Body) { b.Limit = 280 }), Device: func(i int, d *probe.Device) {
			d.PowerDefault = probe.Missing(probe.Unsupported, "[N/A]")
		}},
		{Name: "heat", Want: judge.ThrottleThermal, Cards: []Card{RTX4090}, Jobs: []Job{SDXL}, Body: later(200, heat)},
		{Name: "heat from the beginning", Want: judge.ThrottleThermal, Cards: []Card{RTX3090}, Jobs: []Job{Flux}, Body: later(0, heat)},
		{Name: "heat in hardware", Want: judge.ThrottleThermal, Cards: []Card{A100}, Jobs: []Job{Training}, Body: later(150, func(b *Body) { b.Reasons, b.Clock, b.Air = 0x48, 0.6, 58 })},
		{Name: "heat, temperature unread", Want: judge.ThrottleThermal, Cards: []Card{RTX4090}, Jobs: []Job{SDXL}, Body: later(200, heat), Hook: func(m *Moment) {
			m.Sample.GPUs[0].Set(probe.Temp, probe.Missing(probe.Denied, "[Insufficient Permissions]"))
		}},
		{Name: "brake", Want: judge.ThrottleBrake, Cards: []Card{H100}, Jobs: []Job{Training}, Body: later(200, func(b *Body) { b.Reasons, b.Clock = 0x88, 0.55 })},
		{Name: "slowdown without a reason told", Want: judge.ThrottleBrake, Cards: []Card{A100}, Jobs: []Job{Training}, Body: later(200, func(b *Body) { b.Reasons, b.Clock = 0x8, 0.55 })},
		{Name: "sync", Want: judge.ThrottleSync, Cards: []Card{A100, A100}, Jobs: []Job{Training}, Body: func(m *Moment, i int, b *Body) {
			if m.T >= 200 {
				b.Reasons, b.Clock = 0x10, 0.8
			}
		}},
	}
}

// Rest returns scenes in which the card rests.
func Rest() []Scene {
	return []Scene{
		{Name: "idle from the beginning", Want: judge.Idle, Level: judge.Info, Quiet: true, Cards: []Card{RTX4090}},
		{Name: "idle with a model in VRAM", Want: judge.Idle, Level: judge.Info, Quiet: true, Cards: []Card{RTX4090}, Jobs: []Job{SDXL}, To: 200},
		{Name: "idle in P0", Want: judge.Idle, Level: judge.Info, Quiet: true, Cards: []Card{H100}, Jobs: []Job{SDXL}, To: 200},
		{Name: "idle while others read the machine's disks", Want: judge.Idle, Level: judge.Info, Cards: []Card{RTX4090}, Jobs: []Job{SDXL}, To: 200, Seconds: 1100, Hook: func(m *Moment) {
			if s := m.Sample.System; s != nil {
				s.Set(probe.DiskRead, probe.Of(120+20*m.Rand.NormFloat64()))
				s.Set(probe.PSIIO, probe.Of(8))
			}
		}},
		{Name: "idle, utilisation unread", Want: judge.Idle, Level: judge.Info, Quiet: true, Cards: []Card{A100}, Jobs: []Job{SDXL}, To: 200, Hook: func(m *Moment) {
			unread(m, probe.Unsupported, probe.UtilGPU, probe.UtilMem, probe.OwnUtil)
		}},
	}
}

func unread(m *Moment, st probe.State, list ...probe.Metric) {
	for i := range m.Sample.GPUs {
		for _, k := range list {
			m.Sample.GPUs[i].Set(k, probe.Missing(st, "[N/A]"))
		}
	}
}

// Blind returns scenes in which too little can be read.
func Blind() []Scene {
	return []Scene{
		{Name: "slice without utilisation", Want: judge.NotEnoughData, Level: judge.Unknown, Quiet: true, Cards: []Card{A100}, Jobs: []Job{SDXL}, Device: func(i int, d *probe.Device) {
			d.Parent, d.Profile = "GPU-parent", "1g.10gb"
		}, Hook: func(m *Moment) {
			unread(m, probe.Unsupported, probe.UtilGPU, probe.UtilMem, probe.OwnUtil, probe.OwnProcs, probe.OwnMem, probe.OtherProcs)
		}},
		{Name: "nothing readable", Want: judge.NotEnoughData, Level: judge.Unknown, Quiet: true, Cards: []Card{RTX4090}, Jobs: []Job{SDXL}, Hook: func(m *Moment) {
			unread(m, probe.Denied, probe.GPUMetrics()...)
			if m.Sample.System != nil {
				for _, k := range probe.SystemMetrics() {
					m.Sample.System.Set(k, probe.Missing(probe.Denied, ""))
				}
			}
		}},
		{Name: "clean hidden processes", Quiet: true, Cards: []Card{RTX4090}, Jobs: []Job{SDXL}, Hook: func(m *Moment) {
			unread(m, probe.Denied, probe.OwnMem, probe.OwnUtil, probe.OwnProcs, probe.OtherProcs)
		}},
		{Name: "clean reasons and clocks missing", Quiet: true, Cards: []Card{RTX4090}, Jobs: []Job{Flux}, Hook: func(m *Moment) {
			unread(m, probe.Unsupported, probe.EventReasons, probe.ClockSM, probe.ClockMem, probe.PowerCap)
		}},
		{Name: "clean power missing", Quiet: true, Cards: []Card{RTX4090Hot}, Jobs: []Job{Flux}, Hook: func(m *Moment) {
			unread(m, probe.Unsupported, probe.Power, probe.PowerCap)
		}},
	}
}

// at sends messages once, at the first tick of a second.
func at(sec float64, make func(at time.Time) []probe.Message) func(*Moment) []probe.Message {
	return func(m *Moment) []probe.Message {
		if m.T != sec || m.Sample == nil {
			return nil
		}
		return make(m.Sample.Time)
	}
}

func event(kind string, code int, gpu string) func(at time.Time) []probe.Message {
	return func(at time.Time) []probe.Message {
		return []probe.Message{&probe.Event{Time: at, Kind: kind, Code: code, GPU: gpu}}
	}
}

// Broken returns scenes in which something is at fault.
func Broken() []Scene {
	lost := func(from float64) func(*Moment) {
		return func(m *Moment) {
			if m.T < from {
				return
			}
			g := &m.Sample.GPUs[0]
			for k := range g.Values {
				g.Values[k] = probe.Missing(probe.Error, "GPU is lost")
			}
		}
	}
	count := func(metric probe.Metric, from float64, step int, by float64) func(*Moment) {
		return func(m *Moment) {
			v := 3.0
			if m.T >= from {
				v += by * float64(1+int(m.T-from)/step)
			}
			m.Sample.GPUs[0].Set(metric, probe.Of(v))
		}
	}
	one := func(name string, want judge.Kind) Scene {
		return Scene{Name: name, Want: want, Cards: []Card{RTX4090}, Jobs: []Job{SDXL}, Seconds: 400}
	}
	with := func(s Scene, f func(s *Scene)) Scene { f(&s); return s }
	return []Scene{
		with(one("xid of the card", judge.FaultXid), func(s *Scene) { s.More = at(200, event(probe.EventXid, 79, UUID(0))) }),
		with(one("xid of a program", judge.FaultXid), func(s *Scene) { s.More = at(200, event(probe.EventXid, 31, UUID(0))) }),
		with(one("xid that ends a program", judge.FaultXid), func(s *Scene) {
			s.More, s.Level, s.Quiet = at(200, event(probe.EventXid, 43, UUID(0))), judge.Info, true
		}),
		with(one("uncorrected errors", judge.FaultECC), func(s *Scene) { s.Hook = count(probe.ECCUncorrected, 200, 1000, 1) }),
		with(one("corrected errors", judge.FaultECC), func(s *Scene) { s.Hook = count(probe.ECCCorrected, 100, 20, 9) }),
		with(one("one corrected error", judge.FaultECC), func(s *Scene) {
			s.Hook, s.Level, s.Quiet = count(probe.ECCCorrected, 200, 1000, 1), judge.Info, true
		}),
		with(one("lost", judge.FaultLost), func(s *Scene) { s.Hook, s.More = lost(200), at(200, event(probe.EventLost, 79, UUID(0))) }),
		with(one("lost by its own words", judge.FaultLost), func(s *Scene) { s.Hook = lost(200) }),
		with(one("lost in silence", judge.FaultLost), func(s *Scene) {
			s.Cards = []Card{RTX4090, RTX4090}
			s.Hook = func(m *Moment) {
				if m.T >= 200 {
					m.Sample.GPUs = m.Sample.GPUs[1:]
				}
			}
		}),
		with(one("needs a reset", judge.FaultReset), func(s *Scene) {
			s.Hook = func(m *Moment) {
				if m.T < 200 {
					return
				}
				g := &m.Sample.GPUs[0]
				for k := range g.Values {
					g.Values[k] = probe.Missing(probe.Error, "[GPU requires reset]")
				}
				g.Set(probe.MemUsed, probe.Of(0)) // a plausible number, and wrong
			}
		}),
		with(one("driver does not fit", judge.FaultDriver), func(s *Scene) { s.More = at(200, event(probe.EventDriverMismatch, 18, "")) }),
		with(one("driver stands still", judge.FaultDriver), func(s *Scene) { s.More = at(200, event(probe.EventStalled, 0, "")) }),
		with(one("container lost its cards", judge.FaultContainer), func(s *Scene) { s.More = at(200, event(probe.EventAccess, 255, "")) }),
	}
}

// Shared returns scenes in which others use the card.
func Shared() []Scene {
	return []Scene{
		{Name: "another tenant on the card", Want: judge.NeighbourGPU, Cards: []Card{RTX4090}, Jobs: []Job{SDXL}, Setting: judge.Setting{Track: "shared"}, Hook: func(m *Moment) {
			if m.T < 200 {
				return
			}
			g := &m.Sample.GPUs[0]
			used, _ := g.Get(probe.MemUsed).Ok()
			g.Set(probe.MemUsed, probe.Of(used+6200))
			g.Set(probe.UtilGPU, whole(min(100, 97+2*m.Rand.NormFloat64())))
			g.Set(probe.Power, whole(395+5*m.Rand.NormFloat64()))
			g.Set(probe.OtherProcs, probe.Of(1))
			own, _ := g.Get(probe.OwnUtil).Ok()
			g.Set(probe.OwnUtil, whole(0.5*own))
		}},
	}
}

// All returns all scenes.
func All() []Scene {
	var list []Scene
	for _, f := range []func() []Scene{Clean, Slowed, Rest, Blind, Broken, Shared, Waiting, Crowded, Uneven} {
		list = append(list, f()...)
	}
	return list
}
