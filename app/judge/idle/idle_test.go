package idle

import (
	"testing"
	"time"

	"rentgen/probe"
)

var begin = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

type set = map[probe.Metric]float64

func tick(sec float64, cards ...set) *probe.Sample {
	s := &probe.Sample{Time: begin.Add(time.Duration(sec * float64(time.Second)))}
	for i, c := range cards {
		g := probe.GPU{Index: i, UUID: "GPU-" + string(rune('a'+i))}
		for m, v := range c {
			if m.System() {
				if s.System == nil {
					s.System = &probe.System{}
				}
				s.System.Set(m, probe.Of(v))
				continue
			}
			g.Set(m, probe.Of(v))
		}
		s.GPUs = append(s.GPUs, g)
	}
	return s
}

var (
	works = set{probe.UtilGPU: 97, probe.Power: 400}
	rests = set{probe.UtilGPU: 0, probe.Power: 22, probe.MemUsed: 12000}
)

// TestClassifier runs seconds through and looks at the last.
func TestClassifier(t *testing.T) {
	mixed := func(a set, more set) set {
		c := set{}
		for m, v := range a {
			c[m] = v
		}
		for m, v := range more {
			c[m] = v
		}
		return c
	}
	for _, c := range []struct {
		name   string
		script func(i int) []set
		want   State
	}{
		{"works", func(int) []set { return []set{works} }, Busy},
		{"rests with a model in VRAM", func(int) []set { return []set{rests} }, Idle},
		{"rests in P0 at 70 W", func(int) []set { return []set{mixed(rests, set{probe.PState: 0, probe.Power: 69.85})} }, Idle},
		{"one of two works", func(int) []set { return []set{rests, works} }, Busy},
		{"one of two is not readable", func(int) []set { return []set{rests, {}} }, Unknown},
		{"nothing is readable", func(int) []set { return []set{{}} }, Unknown},
		{"not readable, but nothing of ours has the card", func(int) []set { return []set{{probe.OwnProcs: 0}} }, Idle},
		{"not readable, and a program of ours has the card", func(int) []set { return []set{{probe.OwnProcs: 1}} }, Unknown},
		{"jobs wait", func(int) []set { return []set{mixed(rests, set{probe.Queue: 3})} }, Busy},
		{"a pause between pictures", func(i int) []set {
			if i < 30 {
				return []set{works}
			}
			return []set{rests}
		}, Busy},
		{"a model is read from the disk", func(int) []set { return []set{mixed(rests, set{probe.DiskRead: 40, probe.GPUClients: 1})} }, Busy},
		{"a download beside a resting card", func(int) []set {
			return []set{mixed(rests, set{probe.NetRx: 40, probe.DiskWrite: 40, probe.OwnProcs: 1})}
		}, Idle},
		{"no card", func(int) []set { return nil }, Unknown},
		{"a card is gone", func(i int) []set {
			if i > 20 {
				return []set{rests}
			}
			return []set{rests, rests}
		}, Unknown},
	} {
		k := New()
		var got State
		for i := range 40 {
			got = k.Second(tick(float64(i), c.script(i)...))
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s; cards %v", c.name, got, c.want, k.Cards())
		}
	}
}

func TestClassifierOfASlice(t *testing.T) {
	k := New()
	k.Inventory(&probe.Inventory{GPUs: []probe.Device{{UUID: "GPU-a", Parent: "GPU-p"}}})
	for i := range 30 {
		k.Second(tick(float64(i), set{probe.Power: 60}))
	}
	if got := k.Second(tick(30, set{probe.Power: 60})); got != Unknown {
		t.Errorf("a slice by its card's power: %s", got)
	}
}

// TestClassifierLetsGo expects rest sixteen seconds after the last work, at any
// rate of readings.
func TestClassifierLetsGo(t *testing.T) {
	for _, rate := range []int{1, 10} {
		k := New()
		for i := range 60 * rate {
			sec := float64(i) / float64(rate)
			now := works
			if sec >= 20 {
				now = rests
			}
			got := k.Second(tick(sec, now))
			want := Busy
			switch {
			case sec < 1:
				want = Unknown
			case sec >= 36: // the second 35 is judged when 36 begins
				want = Idle
			}
			if got != want {
				t.Fatalf("%d Hz, %g s: %s, want %s", rate, sec, got, want)
			}
		}
		if got := k.Worked(); !got.Equal(begin.Add(19 * time.Second)) {
			t.Errorf("worked until %v", got)
		}
	}
}

func TestClassifierForgetsOverAHole(t *testing.T) {
	k := New()
	for i := range 10 {
		k.Second(tick(float64(i), works))
	}
	k.Second(tick(100, rests))
	if got := k.Second(tick(101, rests)); got != Idle {
		t.Errorf("after a hole: %s", got)
	}
}
