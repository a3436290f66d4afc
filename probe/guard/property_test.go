package guard

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"rentgen/probe"
)

// TestNeverStopsWhileBusy plays random days: a stop must have been preceded by
// the order's time, or by QueueQuiet after a queue that ended, in which each
// second was looked at and each signal was readable and quiet.
func TestNeverStopsWhileBusy(t *testing.T) {
	stops := 0
	for seed := range uint64(24) {
		r := rand.New(rand.NewPCG(seed, 5))
		o := Order{Action: Shutdown, After: MinAfter, Countdown: MinCountdown, OnQueue: seed%3 == 0, QueuePort: 8188}
		w := New(o, armed, boot)
		upsets := upsets
		if o.OnQueue {
			upsets = append(slices.Clone(upsets), func(in *Input) { in.Signals.Queue = probe.Of(2) }, func(in *Input) { in.Signals.Queue = probe.Value{} })
		}
		var ok []bool // by second: everything quiet and readable as raw readings
		turn, left, rate := 0, 0, []float64{0.0005, 0.002, 0.02}[seed%3]
		for i, second := 0, 0; i < 6000; i, second = i+1, second+1 {
			if r.Float64() < 0.0002 {
				jump := 6 + r.IntN(400)
				for range jump {
					ok = append(ok, false)
				}
				second += jump
			}
			in := still()
			if left == 0 && r.Float64() < rate {
				turn, left = r.IntN(len(upsets)), 1+r.IntN(90)
			}
			clean := left == 0
			if left > 0 {
				left--
				upsets[turn](&in)
			}
			ok = append(ok, clean)
			s, act := w.Look(at(in, second))
			if !act {
				continue
			}
			stops++
			need := o.After
			if s.Cause == CauseQueue {
				need = QueueQuiet
			}
			for back := range int((need + o.Countdown) / time.Second) {
				if j := second - back; j < 0 || !ok[j] {
					t.Fatalf("seed %d: stopped at %d, and second %d was not quiet (%+v)", seed, second, j, s)
				}
			}
			w, ok = New(o, armed, boot), nil
			second = -1
		}
	}
	if stops < 24 {
		t.Errorf("only %d stops: the test shows little", stops)
	}
}

// upsets are loads so high that one second of them is above the mean of a minute,
// and signals that can't be read.
var upsets = []func(*Input){
	func(in *Input) { in.Sample.GPUs[1].Set(probe.UtilGPU, probe.Of(7)) },
	func(in *Input) { in.Sample.GPUs[0].Set(probe.UtilGPU, probe.Missing(probe.Error, "lost")) },
	func(in *Input) { in.Sample = nil },
	func(in *Input) { in.Signals.CPU = probe.Of(16) },
	func(in *Input) { in.Signals.CPU, in.Signals.Cores = probe.Value{}, 0 },
	func(in *Input) { in.Signals.Disk = probe.Of(100) },
	func(in *Input) { in.Sample.System.Set(probe.NetRx, probe.Of(10)) },
	func(in *Input) { in.Sample.System.Set(probe.NetTx, probe.Missing(probe.Denied, "")) },
	func(in *Input) { in.Signals.Terminal = probe.Of(0) },
	func(in *Input) { in.Signals.Conns = probe.Of(1) },
	func(in *Input) { in.Signals.Conns = probe.Value{} },
	func(in *Input) { in.Keep.On = true },
}
