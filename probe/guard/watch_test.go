package guard

import (
	"slices"
	"strings"
	"testing"
	"time"

	"rentgen/probe"
)

var epoch = time.Date(2026, 11, 30, 2, 0, 0, 0, time.UTC)

// still is a second in which nothing happens on a machine with two cards.
func still() Input {
	s := &probe.Sample{System: &probe.System{}}
	for range 2 {
		g := probe.GPU{UUID: "GPU-x"}
		g.Set(probe.UtilGPU, probe.Of(0))
		s.GPUs = append(s.GPUs, g)
	}
	for _, m := range []probe.Metric{probe.CPU, probe.DiskRead, probe.DiskWrite, probe.NetRx, probe.NetTx} {
		s.System.Set(m, probe.Of(0))
	}
	return Input{Sample: s, Signals: Signals{
		CPU: probe.Of(0.01), Disk: probe.Of(0), Cores: 16, Terminal: probe.Of(3600), Conns: probe.Of(0), Sent: probe.Missing(probe.Unsupported, ""), Queue: probe.Of(0),
	}}
}

func order() Order {
	return Order{Action: Shutdown, After: 10 * time.Minute, Countdown: 2 * time.Minute, QueuePort: 8188}
}

// armed is a state that lets an order act.
var armed = State{DryAt: epoch.Add(-time.Hour), DryOf: Shutdown}

const boot = "b@1000"

// at puts an input at a second of the test.
func at(in Input, second int) Input {
	in.Now = epoch.Add(time.Duration(second) * time.Second)
	in.Mono = time.Duration(second) * time.Second
	return in
}

// play looks at seconds from..to and returns the second of the stop, -1 without.
func play(w *Watch, from, to int, second func(i int) Input) (acted int, last State) {
	acted = -1
	for i := from; i < to; i++ {
		s, act := w.Look(at(second(i), i))
		last = s
		if act && acted < 0 {
			acted = i
		}
	}
	return acted, last
}

func quietly(int) Input { return still() }

func TestStopsAfterTheTimeAndTheCountdown(t *testing.T) {
	w := New(order(), armed, boot)
	acted, last := play(w, 0, 600, quietly)
	if acted >= 0 || last.Phase != Watching || last.Idle != 599*time.Second {
		t.Fatal(acted, last.Phase, last.Idle)
	}
	_, last = play(w, 600, 601, quietly)
	if last.Phase != Counting || last.Cause != CauseIdle || !last.StopAt.Equal(epoch.Add(720*time.Second)) {
		t.Fatalf("%+v", last)
	}
	acted, last = play(w, 601, 2000, quietly)
	if acted != 720 || last.Phase != Stopping || !last.Since.Equal(epoch) {
		t.Fatalf("acted at %d: %+v", acted, last)
	}
	if p := w.Peaks(); p.Looks < 720 || p.GPU != 0 || p.CPU < 0.009 || p.CPU > 0.011 {
		t.Errorf("%+v", p)
	}
}

// TestEachSignal holds each signal busy, then unreadable, from the ninth minute
// on: nothing may be stopped, the reason is named, and afterwards the whole time
// starts over.
func TestEachSignal(t *testing.T) {
	gone := probe.Missing(probe.Denied, "permission denied")
	for _, c := range []struct {
		name   string
		signal Signal
		unread bool
		turn   func(*Input)
	}{
		{"one card works", SignalGPU, false, func(in *Input) { in.Sample.GPUs[1].Set(probe.UtilGPU, probe.Of(6)) }},
		{"the video engine works", SignalGPU, false, func(in *Input) { in.Sample.GPUs[0].Set(probe.UtilEnc, probe.Of(40)) }},
		{"a card without utilisation", SignalGPU, true, func(in *Input) { in.Sample.GPUs[0].Set(probe.UtilGPU, probe.Missing(probe.Unsupported, "N/A")) }},
		{"a card that was not read yet", SignalGPU, true, func(in *Input) { in.Sample.GPUs[0] = probe.GPU{} }},
		{"no card", SignalGPU, true, func(in *Input) { in.Sample.GPUs = nil }},
		{"no sample", SignalGPU, true, func(in *Input) { in.Sample = nil }},
		{"CPU", SignalCPU, false, func(in *Input) { in.Signals.CPU = probe.Of(13) }},
		{"CPU of the machine", SignalCPU, false, func(in *Input) {
			in.Signals.CPU = probe.Value{}
			in.Sample.System.Set(probe.CPU, probe.Of(90)) // of 16 cores
		}},
		{"CPU not readable", SignalCPU, true, func(in *Input) {
			in.Signals.CPU = gone
			in.Sample.System.Set(probe.CPU, gone)
		}},
		{"CPU of unknown cores", SignalCPU, true, func(in *Input) { in.Signals.CPU, in.Signals.Cores = gone, 0 }},
		{"disk", SignalDisk, false, func(in *Input) { in.Signals.Disk = probe.Of(80) }},
		{"disk of the machine", SignalDisk, false, func(in *Input) {
			in.Signals.Disk = gone
			in.Sample.System.Set(probe.DiskWrite, probe.Of(90))
		}},
		{"disk not readable", SignalDisk, true, func(in *Input) {
			in.Signals.Disk = gone
			in.Sample.System.Set(probe.DiskRead, gone)
		}},
		{"download", SignalNet, false, func(in *Input) { in.Sample.System.Set(probe.NetRx, probe.Of(4)) }},
		{"upload", SignalNet, false, func(in *Input) { in.Sample.System.Set(probe.NetTx, probe.Of(4)) }},
		{"network not readable", SignalNet, true, func(in *Input) { in.Sample.System.Set(probe.NetTx, gone) }},
		{"no machine readings", SignalNet, true, func(in *Input) { in.Sample.System = nil }},
		{"somebody types", SignalTerminal, false, func(in *Input) { in.Signals.Terminal = probe.Of(3) }},
		{"terminals not readable", SignalTerminal, true, func(in *Input) { in.Signals.Terminal = gone }},
		{"somebody is connected", SignalForward, false, func(in *Input) { in.Signals.Conns = probe.Of(1) }},
		{"somebody sends", SignalForward, false, func(in *Input) { in.Signals.Conns, in.Signals.Sent = probe.Of(1), probe.Of(1) }},
		{"connections not readable", SignalForward, true, func(in *Input) { in.Signals.Conns = gone }},
		{"jobs", SignalQueue, false, func(in *Input) { in.Signals.Queue = probe.Of(1) }},
		{"queue not readable", SignalQueue, true, func(in *Input) { in.Signals.Queue = gone }},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := order()
			o.OnQueue = c.signal == SignalQueue
			w := New(o, armed, boot)
			busy := func(int) Input { in := still(); c.turn(&in); return in }
			acted, _ := play(w, 0, 540, quietly)
			more, last := play(w, 540, 1300, busy)
			if acted >= 0 || more >= 0 {
				t.Fatalf("stopped at %d %d", acted, more)
			}
			i := slices.IndexFunc(last.Busy, func(r Reason) bool { return r.Signal == c.signal })
			if i < 0 || last.Busy[i].Unread != c.unread || last.Phase != Watching || last.Idle != 0 {
				t.Fatalf("%+v", last)
			}
			// The mean of a minute may keep a load up for a minute.
			again, _ := play(w, 1300, 2200, quietly)
			least := 1300 + 600 + 120 - 1
			if c.signal == SignalQueue && !c.unread {
				least = 1300 + int(QueueQuiet/time.Second) + 120 - 1
			}
			if again < least || again > least+61 {
				t.Errorf("stopped at %d, at least %d", again, least)
			}
		})
	}
}

// TestQuietEnough holds what is no work: a page that stays open, a terminal that
// nobody types at, jobs of the system.
func TestQuietEnough(t *testing.T) {
	for name, turn := range map[string]func(i int, in *Input){
		"an open page":     func(_ int, in *Input) { in.Signals.Conns, in.Signals.Sent = probe.Of(2), probe.Of(1800) },
		"cron":             func(i int, in *Input) { in.Signals.CPU = probe.Of([]float64{0.02, 4}[b2i(i%60 == 0)]) },
		"journal":          func(i int, in *Input) { in.Signals.Disk = probe.Of([]float64{0, 20}[b2i(i%60 == 7)]) },
		"our own readings": func(_ int, in *Input) { in.Sample.System.Set(probe.NetTx, probe.Of(0.02)) },
		"asking the card":  func(_ int, in *Input) { in.Sample.GPUs[0].Set(probe.UtilGPU, probe.Of(2)) },
		"the neighbours' CPU and disk": func(_ int, in *Input) {
			in.Sample.System.Set(probe.CPU, probe.Of(80))
			in.Sample.System.Set(probe.DiskRead, probe.Of(500))
		},
	} {
		w := New(order(), armed, boot)
		acted, last := play(w, 0, 1000, func(i int) Input { in := still(); turn(i, &in); return in })
		if acted < 0 {
			t.Errorf("%s: %+v", name, last)
		}
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestBusyEndsTheCountdown(t *testing.T) {
	w := New(order(), armed, boot)
	play(w, 0, 719, quietly)
	if s := w.State(); s.Phase != Counting {
		t.Fatal(s.Phase)
	}
	acted, last := play(w, 719, 721, func(int) Input {
		in := still()
		in.Sample.GPUs[0].Set(probe.UtilGPU, probe.Of(99))
		return in
	})
	if acted >= 0 || last.Phase != Watching || !last.StopAt.IsZero() {
		t.Fatalf("%+v", last)
	}
}

func TestDryRunStopsNothingAndIsRemembered(t *testing.T) {
	o := order()
	o.DryRun = true
	w := New(o, State{}, boot)
	acted, last := play(w, 0, 3000, quietly)
	if acted >= 0 || last.Phase != Would || !last.DryAt.Equal(epoch.Add(720*time.Second)) {
		t.Fatalf("%d %+v", acted, last)
	}
	o.DryRun = false
	if acted, _ := play(New(o, last, boot), 5000, 7000, quietly); acted != 5720 {
		t.Errorf("armed after a dry run: %d", acted)
	}
}

func TestArmedWithoutADryRunIsRefused(t *testing.T) {
	for name, before := range map[string]State{"never": {}, "of another command": {DryAt: epoch, DryOf: RunPod}} {
		w := New(order(), before, boot)
		if acted, last := play(w, 0, 3000, quietly); acted >= 0 || last.Phase != Refused || last.Why != WhyNoDry {
			t.Errorf("%s: %d %+v", name, acted, last)
		}
	}
}

func TestQueue(t *testing.T) {
	o := order()
	o.OnQueue = true
	w := New(o, armed, boot)
	jobs := func(n float64) func(int) Input {
		return func(int) Input { in := still(); in.Signals.Queue = probe.Of(n); return in }
	}
	play(w, 0, 100, jobs(0)) // nothing was queued yet: the queue has not ended
	if s := w.State(); s.Queued || s.Phase != Watching {
		t.Fatalf("%+v", s)
	}
	play(w, 100, 300, jobs(3))
	acted, last := play(w, 300, 1000, jobs(0))
	if want := 299 + 120 + 120; acted != want || last.Cause != CauseQueue {
		t.Errorf("acted at %d, want %d: %+v", acted, want, last)
	}
}

func TestKeep(t *testing.T) {
	kept := func(k Keep) func(int) Input { return func(int) Input { in := still(); in.Keep = k; return in } }
	w := New(order(), armed, boot)
	play(w, 0, 700, quietly)
	acted, last := play(w, 700, 5000, kept(Keep{On: true}))
	if acted >= 0 || last.Phase != Kept || !last.KeepUntil.IsZero() || !last.StopAt.IsZero() {
		t.Fatalf("%d %+v", acted, last)
	}
	if acted, _ := play(w, 5000, 6000, quietly); acted != 4999+720 {
		t.Errorf("after letting go: %d", acted)
	}

	until := epoch.Add(2 * time.Hour)
	w = New(order(), armed, boot)
	acted, last = play(w, 0, 7200, kept(Keep{On: true, Until: until}))
	if acted >= 0 || last.Phase != Kept || !last.KeepUntil.Equal(until) {
		t.Fatalf("%d %+v", acted, last)
	}
	if acted, _ := play(w, 7200, 9000, kept(Keep{On: true, Until: until})); acted != 7199+720 {
		t.Errorf("after the time: %d", acted)
	}

	o := order()
	o.KeepUntil = epoch.Add(time.Hour)
	if acted, _ := play(New(o, armed, boot), 0, 5000, quietly); acted != 3599+720 {
		t.Errorf("kept by the order: %d", acted)
	}
}

// TestTimeNobodyLooked stands for a driver that hung, a machine that slept and a
// program that was stopped: what happened then is not known.
func TestTimeNobodyLooked(t *testing.T) {
	w := New(order(), armed, boot)
	play(w, 0, 500, quietly)
	acted, last := play(w, 900, 1600, quietly)
	if acted != 1620 && acted >= 0 {
		t.Fatal(acted)
	}
	if last.Phase != Counting && last.Phase != Watching {
		t.Fatal(last.Phase)
	}
	if acted, _ := play(w, 1600, 2000, quietly); acted != 900+720 {
		t.Error(acted)
	}
	w = New(order(), armed, boot)
	play(w, 1000, 1500, quietly)
	if s, act := w.Look(at(still(), 3)); act || len(s.Busy) != 1 || s.Busy[0].Signal != SignalWatch {
		t.Errorf("a clock that ran backwards: %+v", s.Busy)
	}
}

func TestWallClockDecidesNothing(t *testing.T) {
	w := New(order(), armed, boot)
	acted := -1
	for i := range 719 {
		in := at(still(), i)
		in.Now = in.Now.Add(time.Duration(i) * time.Hour)
		if _, act := w.Look(in); act {
			acted = i
		}
	}
	if acted >= 0 {
		t.Error(acted)
	}
}

// TestRefusalOutlivesTheProgram: a command that failed is not tried again by the
// next program, until the user gives the order anew or the machine was started anew.
func TestRefusalOutlivesTheProgram(t *testing.T) {
	o := order()
	o.Given = epoch
	w := New(o, armed, boot)
	play(w, 0, 721, quietly)
	s := w.Refuse(WhyFailed, "shutdown: \x1b[31mdenied")
	if strings.ContainsRune(s.Detail, 0x1b) {
		t.Errorf("%q", s.Detail)
	}
	if acted, last := play(w, 721, 3000, quietly); acted >= 0 || last.Phase != Refused {
		t.Error(acted, last.Phase)
	}
	if acted, last := play(New(o, s, "b@1001"), 0, 3000, quietly); acted >= 0 || last.Why != WhyFailed {
		t.Error(acted, last.Why)
	}
	anew := o
	anew.Given = epoch.Add(time.Hour)
	for name, w := range map[string]*Watch{"ordered anew": New(anew, s, boot), "started anew": New(o, s, "b@5000"), "another boot": New(o, s, "c@1000")} {
		if acted, _ := play(w, 0, 3000, quietly); acted != 720 {
			t.Errorf("%s: %d", name, acted)
		}
	}
}

func TestStopIsAskedForOnce(t *testing.T) {
	w := New(order(), armed, boot)
	n := 0
	for i := range 5000 {
		if _, act := w.Look(at(still(), i)); act {
			n++
		}
	}
	if n != 1 {
		t.Error(n)
	}
}
