package stream

import (
	"fmt"
	"testing"
	"time"

	"rentgen/probe"
	"rentgen/probe/wire"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// tickAt is one tick of some cards; a card's util below 0 can't be read.
func tickAt(at time.Duration, seq uint64, utils ...float64) *probe.Sample {
	s := &probe.Sample{Seq: seq, Time: noon.Add(at), Mono: time.Hour + at}
	for i, u := range utils {
		g := probe.GPU{Index: i, UUID: string(rune('A' + i))}
		g.Set(probe.MemTotal, probe.Of(24564))
		for m := range probe.Metric(probe.GPUMetricCount) {
			if m != probe.MemTotal && u < 0 {
				g.Values[m] = probe.Missing(probe.Error, "GPU is lost")
			}
		}
		if u >= 0 {
			g.Set(probe.UtilGPU, probe.Of(u))
		}
		s.GPUs = append(s.GPUs, g)
	}
	return s
}

const second = time.Second

func TestGaps(t *testing.T) {
	type step struct {
		s      *probe.Sample
		before func(*tracker)
		want   []probe.Gap
	}
	gap := func(from, to time.Duration, r probe.GapReason, gpu string) probe.Gap {
		return probe.Gap{From: noon.Add(from), To: noon.Add(to), Reason: r, GPU: gpu}
	}
	broke := func(r ...probe.GapReason) func(*tracker) {
		return func(tr *tracker) {
			for _, r := range r {
				tr.breakFor(r)
			}
			tr.restart()
		}
	}
	for name, steps := range map[string][]step{
		"no gap at the first tick": {{s: tickAt(0, 9, 1), before: broke(probe.GapLink)}, {s: tickAt(second, 10, 1)}},
		"lost ticks": {
			{s: tickAt(0, 1, 1)},
			{s: tickAt(4*second, 5, 1), want: []probe.Gap{gap(0, 4*second, probe.GapLink, "")}},
			{s: tickAt(5*second, 6, 1)},
		},
		"a broken link": {
			{s: tickAt(0, 5, 1)},
			{s: tickAt(30*second, 1, 1), before: broke(probe.GapLink), want: []probe.Gap{gap(0, 30*second, probe.GapLink, "")}},
			{s: tickAt(31*second, 2, 1)},
		},
		"the first reason of a break holds": {
			{s: tickAt(0, 5, 1)},
			{s: tickAt(30*second, 1, 1), before: broke(probe.GapPaused, probe.GapLink), want: []probe.Gap{gap(0, 30*second, probe.GapPaused, "")}},
		},
		"a break in which no tick was missed": {
			{s: tickAt(0, 5, 1)}, {s: tickAt(1200*time.Millisecond, 1, 1), before: broke(probe.GapAgent)},
		},
		"the machine stood still": {
			{s: tickAt(0, 5, 1)}, {s: tickAt(40*second, 6, 1), want: []probe.Gap{gap(0, 40*second, probe.GapHost, "")}},
		},
		"a gap that the reader told of is not told twice": {
			{s: tickAt(0, 5, 1)},
			{s: tickAt(40*second, 6, 1), before: func(tr *tracker) { tr.told = noon.Add(39 * second) }},
		},
		"one card is lost": {
			{s: tickAt(0, 1, 1, 2)},
			{s: tickAt(second, 2, 1, -1)},
			{s: tickAt(2*second, 3, 1)},
			{s: tickAt(3*second, 4, 1, 7), want: []probe.Gap{gap(0, 3*second, probe.GapGPU, "B")}},
			{s: tickAt(4*second, 5, 1, 7)},
		},
		"a card of another run is forgotten": {
			{s: tickAt(0, 1, 1, 2)},
			{s: tickAt(second, 2, 1)},
			{s: tickAt(2*second, 3, 1, 5), before: func(tr *tracker) { tr.reset() }},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var tr tracker
			for i, st := range steps {
				if st.before != nil {
					st.before(&tr)
				}
				got := tr.sample(st.s, second)
				if len(got) != len(st.want) {
					t.Fatalf("step %d: %d gaps %+v", i, len(got), got)
				}
				for k := range got {
					if *got[k] != st.want[k] {
						t.Fatalf("step %d: %+v, want %+v", i, *got[k], st.want[k])
					}
				}
				if st.s.Seq != uint64(i)+1 {
					t.Fatalf("step %d has number %d", i, st.s.Seq)
				}
			}
		})
	}
}

func TestCarriedForward(t *testing.T) {
	var tr tracker
	first := tickAt(0, 1, 5)
	first.System = &probe.System{}
	first.GPUs[0].Procs = &probe.Processes{State: probe.OK}
	first.GPUs[0].Set(probe.PowerCap, probe.Of(450))
	tr.sample(first, second/10)
	next := tickAt(second/10, 2, 6)
	tr.sample(next, second/10)
	if next.System != first.System || next.GPUs[0].Procs != first.GPUs[0].Procs || next.GPUs[0].Get(probe.PowerCap) != probe.Of(450) {
		t.Fatal("not carried forward")
	}
	if next.GPUs[0].Get(probe.Temp).State != probe.Pending {
		t.Fatal("a reading of every tick must not be carried forward")
	}
	lost := tickAt(2*second/10, 3, -1)
	tr.sample(lost, second/10)
	if lost.GPUs[0].Procs != nil || lost.GPUs[0].Get(probe.PowerCap).State != probe.Error {
		t.Fatal("a lost card repeats old readings")
	}
	late := tickAt(30*second, 4, 7)
	tr.sample(late, second/10)
	if late.System != nil || late.GPUs[0].Procs != nil {
		t.Fatal("old readings are carried forward for ever")
	}
	tr.restart()
	anew := tickAt(31*second, 1, 7)
	tr.sample(anew, second/10)
	if anew.GPUs[0].Get(probe.PowerCap).State != probe.Pending {
		t.Fatal("a new reader repeats what the old one read")
	}
}

func TestTimeNeverRunsBack(t *testing.T) {
	var tr tracker
	tr.sample(tickAt(10*second, 1, 1), second)
	s := tickAt(4*second, 2, 1)
	s.Mono = time.Hour + 11*second
	tr.sample(s, second)
	if !s.Time.After(noon.Add(10 * second)) {
		t.Fatalf("time is %v", s.Time)
	}
}

func TestHostClock(t *testing.T) {
	// The host's monotonic clock stands at mono when the laptop's is at noon+mono.
	pong := func(sent, way, back time.Duration, wall time.Duration) (time.Time, time.Time, wire.Pong) {
		mono := sent + way
		return noon.Add(sent), noon.Add(mono + back), wire.Pong{Mono: mono, Wall: noon.Add(mono + wall)}
	}
	t.Run("a late first guess is slewed away", func(t *testing.T) {
		var c hostClock
		c.arrived(0, noon.Add(300*time.Millisecond))
		c.pong(pong(0, 5*time.Millisecond, 5*time.Millisecond, 0))
		last := time.Time{}
		for m := time.Duration(0); m <= 10*second; m += second / 10 {
			now := c.at(m)
			if !now.After(last) {
				t.Fatalf("runs back at %v", m)
			}
			last = now
		}
		if d := last.Sub(noon.Add(10 * second)).Abs(); d > time.Millisecond {
			t.Fatalf("off by %v after 10 s", d)
		}
	})
	t.Run("the shortest round trip counts", func(t *testing.T) {
		var c hostClock
		c.pong(pong(0, 4*time.Millisecond, 4*time.Millisecond, 0))
		for i := 1; i < 10; i++ {
			c.pong(pong(time.Duration(i)*second, 400*time.Millisecond, 2*time.Millisecond, 0))
		}
		if b := c.best(); b.rtt != 8*time.Millisecond || b.base != noon {
			t.Fatalf("best %+v", b)
		}
	})
	t.Run("how far the host's wall clock is ahead", func(t *testing.T) {
		var c hostClock
		if c.pong(pong(0, second/100, second/100, 90*second)); c.wall != 90*second {
			t.Fatalf("ahead by %v", c.wall)
		}
		if at := c.at(5 * second); at.Sub(noon.Add(5*second)).Abs() > time.Millisecond {
			t.Fatalf("the wrong wall clock moves ticks: %v", at)
		}
	})
	t.Run("the host's wall clock is set", func(t *testing.T) {
		var c hostClock
		if c.pong(pong(0, second/100, second/100, 90*second)) {
			t.Fatal("told at the first measurement")
		}
		if !c.pong(pong(10*second, second/100, second/100, 0)) {
			t.Fatal("not noticed")
		}
		if c.wall != 0 {
			t.Fatalf("ahead by %v", c.wall)
		}
	})
	t.Run("the laptop's clock is set", func(t *testing.T) {
		var c hostClock
		c.pong(pong(0, second/100, second/100, 0))
		sent, got, p := pong(10*second, second/100, second/100, 0)
		c.pong(sent.Add(time.Hour), got.Add(time.Hour), p)
		if at := c.at(11 * second); at.Sub(noon.Add(time.Hour+11*second)).Abs() > time.Millisecond {
			t.Fatalf("time is %v", at)
		}
		c.pong(got, sent.Add(-time.Minute), p) // set back while the ping was under way
		if len(c.pings) != 1 {
			t.Fatal("a round trip below 0 was used")
		}
	})
	t.Run("16 are kept", func(t *testing.T) {
		var c hostClock
		c.pong(pong(0, 0, 0, 0))
		for i := 1; i <= pingsKept; i++ {
			c.pong(pong(time.Duration(i)*second, second/10, second/10, 0))
		}
		if len(c.pings) != pingsKept || c.best().rtt != second/5 {
			t.Fatalf("%d kept, best %v", len(c.pings), c.best().rtt)
		}
	})
}

func TestMode(t *testing.T) {
	small, large := int64(2<<30), int64(90<<30)
	for _, c := range []struct {
		name  string
		r     report
		cards int
		said  probe.Mode
		want  probe.Mode
	}{
		{"a card", report{}, 1, "", probe.ModeGPU},
		{"no-GPU mode: small container", report{Box: true, Limit: small}, 0, probe.ModeNoDriver, probe.ModeNoGPU},
		{"no-GPU mode: the machine has a driver", report{Box: true, Limit: large, Driver: "NVRM"}, 0, "", probe.ModeNoGPU},
		{"no-GPU mode: library of the image", report{Box: true, Limit: large, Libs: []string{"x"}}, 0, "", probe.ModeNoGPU},
		{"no-GPU mode as our program says", report{}, 0, probe.ModeNoGPU, probe.ModeNoGPU},
		{"device files, no card", report{Devices: []string{"/dev/nvidiactl", "/dev/nvidia0"}}, 0, "", probe.ModeFault},
		{"device files that may not be opened", report{Denied: []string{"/dev/nvidia3"}}, 0, probe.ModeNoDriver, probe.ModeFault},
		{"as our program says", report{}, 0, probe.ModeFault, probe.ModeFault},
		{"a control file alone is no card", report{Devices: []string{"/dev/nvidiactl", "/dev/nvidia-uvm"}}, 0, "", probe.ModeNoDriver},
		{"a machine without a driver", report{RAM: 64 << 20}, 0, "", probe.ModeNoDriver},
		{"a large container without anything", report{Box: true, RAM: 64 << 20}, 0, "", probe.ModeNoDriver},
	} {
		if got := modeOf(&c.r, c.cards, c.said); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestAHostThatNamesOtherCardsEveryTickIsBounded(t *testing.T) {
	var tr tracker
	for n := range 300 {
		s := tickAt(time.Duration(n)*second, uint64(n+1), 1, 2, 3)
		for i := range s.GPUs[1:] {
			s.GPUs[i+1].UUID = fmt.Sprint("new", n, i)
		}
		tr.sample(s, second)
		if len(tr.cards) > maxCards {
			t.Fatalf("%d cards are remembered", len(tr.cards))
		}
		if tr.cards["A"] == nil {
			t.Fatal("the card that is read with every tick was forgotten")
		}
	}
	flood := tickAt(300*second, 301, make([]float64, 2*maxCards)...)
	for i := range flood.GPUs {
		flood.GPUs[i].UUID = fmt.Sprint("flood", i)
	}
	if tr.sample(flood, second); len(tr.cards) != maxCards {
		t.Fatalf("%d cards are remembered", len(tr.cards))
	}
}
