package court

import (
	"runtime"
	"testing"
	"time"

	"rentgen/app/judge/judgetest"
	"rentgen/probe"
)

// day feeds a day of eight cards: a scene of an hour over and over.
func day(seconds int, add func(m probe.Message)) {
	s := judgetest.Scene{Cards: []judgetest.Card{
		judgetest.A100, judgetest.A100, judgetest.H100, judgetest.RTX4090, judgetest.RTX4090Hot, judgetest.RTX3090, judgetest.L4, judgetest.RTX2080S,
	}, Jobs: []judgetest.Job{judgetest.Training, judgetest.SDXL, judgetest.Flux, judgetest.Small}, Seconds: 1200, To: 800}
	ms := s.Messages(1, 1)
	for n := 0; n < seconds; {
		for _, m := range ms {
			if sm, ok := m.(*probe.Sample); ok {
				sm.Time = judgetest.Start.Add(time.Duration(n) * time.Second)
				n++
			}
			add(m)
		}
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestMemory holds what a court of eight cards keeps.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("two hours of eight cards")
	}
	before := heap()
	c := New(Params{})
	var early uint64
	n := 0
	day(2*3600, func(m probe.Message) {
		c.Add(m)
		if n++; n == 1800 {
			early = heap() - before
		}
	})
	after := heap() - before
	t.Logf("%d verdicts, %d phases; %.1f MB after half an hour, %.1f MB after two", len(c.Verdicts()), len(c.Phases()), float64(early)/1e6, float64(after)/1e6)
	if after > 12e6 {
		t.Errorf("%.1f MB are kept after two hours", float64(after)/1e6)
	}
	runtime.KeepAlive(c)
}

// BenchmarkDay judges a day of eight cards with all rules.
func BenchmarkDay(b *testing.B) {
	for b.Loop() {
		c := New(Params{})
		day(86400, c.Add)
		c.Close()
	}
}

// BenchmarkNow asks for what holds, as Watch does every second.
func BenchmarkNow(b *testing.B) {
	c := New(Params{})
	day(2400, c.Add)
	for b.Loop() {
		c.Now()
	}
}
