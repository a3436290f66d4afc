package guard

import (
	"testing"
	"time"

	"rentgen/probe"
)

// BenchmarkRead is what reading the signals of this machine takes each second, the
// processes every fifth time.
func BenchmarkRead(b *testing.B) {
	m := NewMeter("")
	ports := []int{6006, 7860, 8188}
	now := time.Now()
	i := 0
	for b.Loop() {
		m.Read(now, time.Duration(i)*time.Second, ports)
		i++
	}
}

// BenchmarkLook is what deciding takes each second.
func BenchmarkLook(b *testing.B) {
	w := New(Order{Action: Shutdown, After: MaxAfter, Countdown: MinCountdown}, State{}, "")
	w.Refuse(WhyNoDry, "")
	w.state.Phase = Watching
	in := Input{Sample: &probe.Sample{GPUs: make([]probe.GPU, 8), System: &probe.System{}}}
	for b.Loop() {
		in.Mono += time.Second
		w.Look(in)
	}
}
