package court

import (
	"slices"
	"strings"
	"testing"

	"rentgen/app/judge"
	"rentgen/app/judge/judgetest"
	"rentgen/probe"
)

// TestTraps holds readings that look like a slowdown or like work and are
// neither; seen on real cards.
func TestTraps(t *testing.T) {
	idleP0 := judgetest.H100
	idleP0.IdleWatts = 69.85
	for _, c := range []struct {
		name  string
		scene judgetest.Scene
		none  []string // kinds, or beginnings of them, that must not be told
		want  judge.Kind
	}{
		{
			"the power reason and its counter move at 98 of 250 W",
			judgetest.Scene{Cards: []judgetest.Card{judgetest.RTX2080S}, Jobs: []judgetest.Job{judgetest.Small}, Body: func(m *judgetest.Moment, _ int, b *judgetest.Body) {
				b.Watts, b.Clock = 0.5, 0.93
				if m.Rand.Float64() < 0.6 {
					b.Reasons = 0x4
				}
			}},
			[]string{"throttle."},
			judge.Stable,
		},
		{
			"a slowdown of the hardware while the P-state changes",
			judgetest.Scene{Cards: []judgetest.Card{judgetest.RTX4090}, Jobs: []judgetest.Job{judgetest.Gaps}, Body: func(m *judgetest.Moment, _ int, b *judgetest.Body) {
				if int(m.T)%9 == 0 {
					b.Reasons, b.Clock = 0x8, 0.7
				}
			}},
			[]string{"throttle."},
			judge.Stable,
		},
		{
			"a reason without a lower clock",
			judgetest.Scene{Cards: []judgetest.Card{judgetest.A100}, Jobs: []judgetest.Job{judgetest.Training}, Body: func(_ *judgetest.Moment, _ int, b *judgetest.Body) {
				b.Reasons = 0x20
			}},
			[]string{"throttle."},
			judge.Stable,
		},
		{
			"a lower clock without a reason",
			judgetest.Scene{Cards: []judgetest.Card{judgetest.A100}, Jobs: []judgetest.Job{judgetest.Training}, Body: func(m *judgetest.Moment, _ int, b *judgetest.Body) {
				if m.T > 200 {
					b.Clock = 0.7
				}
			}},
			[]string{"throttle."},
			judge.Unstable,
		},
		{
			"PCIe generation 1 at rest",
			judgetest.Scene{Cards: []judgetest.Card{judgetest.RTX2080S}, Jobs: []judgetest.Job{judgetest.Small}, To: 200},
			[]string{"slow.link"},
			judge.Idle,
		},
		{
			"rest in P0 at 69.85 W",
			judgetest.Scene{Cards: []judgetest.Card{idleP0}},
			[]string{"throttle.", "bound.", "stable"},
			judge.Idle,
		},
		{
			"utilisation without work while VRAM is scrubbed",
			judgetest.Scene{Cards: []judgetest.Card{idleP0}, Hook: func(m *judgetest.Moment) {
				if m.T < 25 {
					m.Sample.GPUs[0].Set(probe.UtilGPU, probe.Of(100))
				}
			}},
			[]string{"throttle.", "stable", "unstable"},
			judge.Idle,
		},
		{
			"the driver's buffer of a resting card is empty",
			judgetest.Scene{Cards: []judgetest.Card{judgetest.RTX4090}, Hook: func(m *judgetest.Moment) {
				if m.T > 100 && m.T < 500 {
					m.Sample.GPUs[0].Set(probe.UtilGPU, probe.Missing(probe.Error, "Not Found"))
				}
			}},
			[]string{"not-enough-data", "fault."},
			judge.Idle,
		},
		{
			"looking at a card makes it draw 75 W",
			judgetest.Scene{Cards: []judgetest.Card{judgetest.RTX3090}, Hook: func(m *judgetest.Moment) {
				if m.T > 30 {
					m.Sample.GPUs[0].Set(probe.Power, probe.Of(75))
				}
			}},
			[]string{"throttle.", "bound.", "stable"},
			judge.Idle,
		},
		{
			"draw above the limit",
			judgetest.Scene{Cards: []judgetest.Card{judgetest.A100}, Jobs: []judgetest.Job{judgetest.Training}, Hook: func(m *judgetest.Moment) {
				g := &m.Sample.GPUs[0]
				w, _ := g.Get(probe.Power).Ok()
				g.Set(probe.PowerCap, probe.Of(w*0.92))
			}},
			[]string{"throttle."},
			judge.Stable,
		},
		{
			"one reading is another column's",
			judgetest.Scene{Cards: []judgetest.Card{judgetest.A100}, Jobs: []judgetest.Job{judgetest.Training}, Hook: func(m *judgetest.Moment) {
				if int(m.T)%150 == 77 {
					g := &m.Sample.GPUs[0]
					g.Set(probe.UtilGPU, probe.Of(2619))
					g.Set(probe.ECCUncorrected, probe.Of(1980))
					g.Set(probe.ClockSM, probe.Of(808334905))
				} else {
					m.Sample.GPUs[0].Set(probe.ECCUncorrected, probe.Of(0))
				}
			}},
			[]string{"fault.", "throttle.", "unstable"},
			judge.Stable,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			for seed := range uint64(3) {
				list := over(t, &c.scene, seed, 1).Verdicts
				for _, v := range list {
					for _, bad := range c.none {
						if strings.HasPrefix(string(v.Kind), bad) {
							t.Errorf("seed %d: %s", seed, show([]judge.Verdict{v}))
						}
					}
				}
				if !slices.ContainsFunc(list, func(v judge.Verdict) bool { return v.Kind == c.want }) {
					t.Errorf("seed %d: no %s in\n%s", seed, c.want, show(list))
				}
			}
		})
	}
}
