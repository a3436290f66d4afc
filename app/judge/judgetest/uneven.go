package judgetest

import (
	"math"

	"rentgen/app/judge"
	"rentgen/probe"
)

// article leaves what the one line of guides logs: utilisation and VRAM.
func article(m *Moment) {
	for i := range m.Sample.GPUs {
		g := &m.Sample.GPUs[i]
		for _, k := range probe.GPUMetrics() {
			if k != probe.UtilGPU && k != probe.MemUsed {
				g.Set(k, probe.Missing(probe.Unsupported, ""))
			}
		}
	}
	m.Sample.System = nil
}

// Uneven returns scenes in which a card works unevenly within minutes, and their
// likes in which its load goes with its pictures.
func Uneven() []Scene {
	// steady is a job without pictures.
	steady := Job{Name: "steady", Load: 1, Model: 15000, Work: 3000, Picture: 1e6, Batch: 1, Util: 97, Watts: 1}
	scene := func(name string, want judge.Kind, level judge.Level, job Job, read func(m *Moment)) Scene {
		return Scene{Name: name, Want: want, Level: level, Quiet: true, Cards: []Card{RTX4090}, Jobs: []Job{job}, Seconds: 500, Hook: read}
	}
	uneven := func(name string, job Job, change func(m *Moment)) Scene {
		return scene(name, judge.Unstable, judge.Info, job, func(m *Moment) {
			if m.Doing[0] == Painting {
				change(m)
			}
			article(m)
		})
	}
	even := func(name string, job Job, change func(m *Moment)) Scene {
		return scene("clean "+name, judge.Stable, judge.Good, job, func(m *Moment) {
			change(m)
			article(m)
		})
	}
	low := func(m *Moment) bool { return math.Mod(m.T, 30) >= 15 }
	vram := func(m *Moment, more float64) {
		used, _ := m.Sample.GPUs[0].Get(probe.MemUsed).Ok()
		m.card(0, probe.MemUsed, used+more)
	}
	swing := func(m *Moment) { m.card(0, probe.UtilGPU, 50+44*m.Rand.Float64()) }
	blocks := func(m *Moment) {
		if low(m) {
			m.card(0, probe.UtilGPU, 40+2*m.Rand.Float64())
		}
	}
	return []Scene{
		uneven("load swings without a rhythm, two columns", steady, swing),
		uneven("load swings within pictures, two columns", Flux, swing),
		uneven("load in blocks, two columns", steady, blocks),
		uneven("load in blocks with VRAM, two columns", steady, func(m *Moment) {
			blocks(m)
			if low(m) {
				vram(m, 3000)
			}
		}),
		scene("load swings without a rhythm", judge.Unstable, judge.Info, steady, func(m *Moment) {
			if m.Doing[0] == Painting {
				swing(m)
			}
		}),
		scene("power swings, clock unread", judge.Unstable, judge.Info, steady, func(m *Moment) {
			if m.Doing[0] == Painting {
				m.card(0, probe.Power, 200+200*m.Rand.Float64())
			}
			unread(m, probe.Unsupported, probe.ClockSM)
		}),
		even("two columns, without pictures", steady, func(*Moment) {}),
		even("two columns, pictures", Flux, func(*Moment) {}),
		even("two columns, short pictures", SDXL, func(*Moment) {}),
		even("two columns, gaps", Gaps, func(*Moment) {}),
		even("two columns, pictures that end slowly", steady, func(m *Moment) {
			if math.Mod(m.T, 7) >= 5 {
				m.card(0, probe.UtilGPU, 35+20*m.Rand.Float64())
			}
		}),
		even("two columns, VRAM that comes and goes", steady, func(m *Moment) {
			if math.Mod(m.T, 90) >= 45 {
				vram(m, 3000)
			}
		}),
		even("two columns, VRAM that goes with pictures", Flux, func(m *Moment) {
			if m.Doing[0] == Painting {
				vram(m, 1500)
			}
		}),
	}
}
