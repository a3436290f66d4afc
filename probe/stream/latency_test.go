//go:build linux

package stream_test

import (
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"rentgen/probe"
	"rentgen/probe/stream"
)

// stopwatch notes how old a tick is when it has been decoded here; host and
// laptop share the clock.
type stopwatch struct {
	mu   sync.Mutex
	ages []time.Duration
	full chan struct{}
	want int
}

func (s *stopwatch) Message(m probe.Message) {
	tick, ok := m.(*probe.Sample)
	if !ok {
		return
	}
	age := time.Since(tick.HostTime)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ages = append(s.ages, age); len(s.ages) == s.want {
		close(s.full)
	}
}

// TestLatencyFigure prints the time from the stamp on the host to the decoded
// tick on the laptop, over OpenSSH on loopback, with eight made-up cards at
// 10 Hz.
func TestLatencyFigure(t *testing.T) {
	if os.Getenv("RENTGEN_BENCH") == "" {
		t.Skip("a figure, not a test: RENTGEN_BENCH=1 prints it")
	}
	r := newRig(t, rigOptions{scenario: "gpus 8\nset * util 70\nwave * power 180 440 8000\nset * mem_used 6000\nproc * self 512 3\n"})
	h, l := r.look(func(p *stream.Params) { p.Rate = 10 })
	reachPhase(t, h, stream.Live)
	ticks(t, l, 20) // warm
	w := &stopwatch{full: make(chan struct{}), want: 600}
	detach := h.Attach(w)
	select {
	case <-w.full:
	case <-time.After(3 * time.Minute):
		t.Fatal("ticks did not come")
	}
	detach()
	ages := w.ages[:w.want]
	slices.Sort(ages)
	ms := func(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
	const limit = 5.0
	for _, f := range []struct {
		name string
		at   float64
	}{{"p50", 0.50}, {"p99", 0.99}} {
		v := ms(ages[int(f.at*float64(len(ages)-1))])
		fmt.Printf("figure\tstamped on host to decoded, %s\t%.2f\tms\t%.0f\t%.2f\n", f.name, v, limit, v/limit)
	}
}
