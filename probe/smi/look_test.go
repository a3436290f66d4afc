package smi_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"rentgen/probe"
	"rentgen/probe/remote"
	"rentgen/probe/smi"
	"rentgen/probe/smi/smitest"
)

const patience = 30 * time.Second

// host is a fake host with a look at it.
type host struct {
	t      *testing.T
	dir    string
	params smi.Params
	look   *smi.Look

	mu   sync.Mutex
	got  []probe.Message
	news chan struct{}
	stop context.CancelFunc
	done chan error
}

func open(t *testing.T, s smitest.Scenario, change ...func(*smi.Params)) *host {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the fake is a shell script")
	}
	t.Parallel() // they wait most of the time
	h := &host{t: t, dir: smitest.Install(t, s), news: make(chan struct{}, 1), done: make(chan error, 1)}
	conn := remote.Local(remote.LocalParams{Env: append(os.Environ(), "PATH="+h.dir+":"+os.Getenv("PATH"))})
	t.Cleanup(func() { _ = conn.Close() })
	h.params = smi.Params{
		Run: conn, Rate: 2, Backoff: []time.Duration{50 * time.Millisecond},
		Silence: 4 * time.Second, ProofEvery: time.Hour, ProcsEvery: time.Hour,
	}
	for _, c := range change {
		c(&h.params)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	look, err := smi.Open(ctx, h.params)
	if err != nil {
		t.Fatal(err)
	}
	h.look = look
	return h
}

// run starts the look; the test's end stops it.
func (h *host) run() *host {
	ctx, cancel := context.WithCancel(context.Background())
	h.stop = cancel
	go func() {
		h.done <- h.look.Run(ctx, func(m probe.Message) {
			h.mu.Lock()
			h.got = append(h.got, m)
			h.mu.Unlock()
			select {
			case h.news <- struct{}{}:
			default:
			}
		})
	}()
	h.t.Cleanup(h.end)
	return h
}

func (h *host) end() {
	h.stop()
	select {
	case <-h.done:
		h.done <- nil
	case <-time.After(patience):
		h.t.Error("Run does not return")
	}
}

// wait returns the first message from index on that pick accepts, with the
// index behind it.
func (h *host) wait(what string, from int, pick func(probe.Message) bool) (probe.Message, int) {
	h.t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for i := from; ; {
		h.mu.Lock()
		got := h.got
		h.mu.Unlock()
		for ; i < len(got); i++ {
			if pick(got[i]) {
				return got[i], i + 1
			}
		}
		select {
		case <-h.news:
		case err := <-h.done:
			h.done <- err
			h.t.Fatalf("waiting for %s: Run returned %v", what, err)
		case <-deadline.C:
			for _, m := range got {
				h.t.Logf("%T %+v", m, brief(m))
			}
			h.t.Fatalf("waited in vain for %s", what)
		}
	}
}

func brief(m probe.Message) any {
	if s, ok := m.(*probe.Sample); ok {
		return fmt.Sprintf("seq %d, %d cards", s.Seq, len(s.GPUs))
	}
	return m
}

func (h *host) sample(from int, pick func(*probe.Sample) bool) (*probe.Sample, int) {
	h.t.Helper()
	m, i := h.wait("a sample", from, func(m probe.Message) bool {
		s, ok := m.(*probe.Sample)
		return ok && pick(s)
	})
	return m.(*probe.Sample), i
}

func (h *host) event(kind string, from int) (*probe.Event, int) {
	h.t.Helper()
	m, i := h.wait("an event "+kind, from, func(m probe.Message) bool {
		e, ok := m.(*probe.Event)
		return ok && e.Kind == kind
	})
	return m.(*probe.Event), i
}

func (h *host) events(kind string) (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, m := range h.got {
		if e, ok := m.(*probe.Event); ok && e.Kind == kind {
			n++
		}
	}
	return n
}

func whole(*probe.Sample) bool { return true }

// read accepts a sample in which the first card's utilisation could be read.
func read(s *probe.Sample) bool {
	_, ok := s.GPUs[0].Get(probe.UtilGPU).Ok()
	return ok
}

func wantValue(t *testing.T, g probe.GPU, m probe.Metric, n float64) {
	t.Helper()
	if got, ok := g.Get(m).Ok(); !ok || got != n {
		t.Errorf("%v: %+v, want %v", m, g.Get(m), n)
	}
}

func wantMissing(t *testing.T, g probe.GPU, m probe.Metric, state probe.State, raw string) {
	t.Helper()
	v := g.Get(m)
	if v.State != state || v.Num != 0 || !strings.Contains(v.Raw, raw) {
		t.Errorf("%v: %+v, want %v %q", m, v, state, raw)
	}
}

func TestHealthyHost(t *testing.T) {
	h := open(t, smitest.Healthy(2), func(p *smi.Params) {
		p.System = true
		p.Reason, p.Detail = probe.ReasonNoExec, "/tmp is noexec"
	})
	inv := h.look.Inventory()
	if inv.Source != probe.SourceSMI || inv.Mode != probe.ModeGPU || inv.Driver != "550.54.15" || inv.CUDA != "12.4" ||
		inv.Reason != probe.ReasonNoExec || len(inv.GPUs) != 2 || inv.System.Cores == 0 || inv.Run.BootID == "" {
		t.Fatalf("inventory %+v", inv)
	}
	d := inv.GPUs[1]
	if d.UUID != smitest.UUID(1) || d.BusID != "00000000:17:00.0" || d.Name != "NVIDIA GeForce RTX 4090" || d.MemTotal.Num != 24564 ||
		d.PowerMax.Num != 600 || d.Persistence != "on" || d.ComputeCap != "8.9" || d.Virtual || d.ClockMaxSM.Num != 3105 {
		t.Errorf("device %+v", d)
	}
	h.run()
	if _, ok := h.got0().(*probe.Inventory); !ok {
		t.Errorf("the first message is %T", h.got0())
	}
	first, i := h.sample(0, whole)
	g := first.GPUs[0]
	wantValue(t, g, probe.UtilGPU, 90)
	wantValue(t, g, probe.MemUsed, 17342)
	wantValue(t, g, probe.Power, 400.5)
	wantValue(t, g, probe.PState, 2)
	wantValue(t, g, probe.EventReasons, 4)
	wantMissing(t, g, probe.TempMem, probe.Unsupported, "N/A")
	wantMissing(t, g, probe.Energy, probe.Unsupported, "")
	wantMissing(t, g, probe.PCIeTx, probe.Unsupported, "")
	if first.Seq != 1 || g.Name != "NVIDIA GeForce RTX 4090" {
		t.Errorf("first sample %+v", first)
	}
	seq := first.Seq
	for _, util := range []float64{90, 91, 92, 93, 93} {
		var s *probe.Sample
		s, i = h.sample(i, func(s *probe.Sample) bool { return read(s) })
		if s.Seq != seq+1 || len(s.GPUs) != 2 {
			t.Errorf("sample %+v after %d", s, seq)
		}
		seq = s.Seq
		wantValue(t, s.GPUs[1], probe.UtilGPU, util)
	}
	s, _ := h.sample(0, func(s *probe.Sample) bool { return s.System != nil })
	if _, ok := s.System.Get(probe.RAMUsed).Ok(); !ok {
		t.Errorf("system %+v", s.System)
	}
	s, _ = h.sample(0, func(s *probe.Sample) bool { return s.GPUs[0].Procs != nil })
	p := s.GPUs[0].Procs
	if p.State != probe.OK || len(p.List) != 1 || p.List[0].PID != 4242 || p.List[0].Name != "python3" || p.List[0].Mem.Num != 16800 ||
		p.List[0].Util.State != probe.Unsupported {
		t.Errorf("processes %+v", p)
	}
	if s.GPUs[1].Procs == nil || len(s.GPUs[1].Procs.List) != 0 {
		t.Errorf("the other card's processes: %+v", s.GPUs[1].Procs)
	}
}

func (h *host) got0() probe.Message {
	m, _ := h.wait("any message", 0, func(probe.Message) bool { return true })
	return m
}

// loopPID waits until the fake's loop runs and returns its process id.
func (h *host) loopPID() int {
	h.t.Helper()
	h.sample(0, func(s *probe.Sample) bool { return s.Seq >= 2 && read(s) })
	for _, c := range smitest.Calls(h.t, h.dir) {
		if c.Loop() {
			return c.PID
		}
	}
	h.t.Fatal("no loop was started")
	return 0
}

// gone waits until a process has ended.
func gone(t *testing.T, pid int) {
	t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || strings.Contains(string(b), ") Z ") {
			return
		}
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatalf("process %d is still there: %s", pid, b)
		}
	}
}

func TestLoopEndsWithRun(t *testing.T) {
	h := open(t, smitest.Healthy(1), func(p *smi.Params) { p.System = true }).run()
	pid := h.loopPID()
	h.stop()
	if err := <-h.done; !errors.Is(err, context.Canceled) {
		t.Errorf("Run returned %v", err)
	}
	h.done <- nil
	gone(t, pid)
}

// oddity 38: without a terminal nothing tells the loop that its channel is
// gone; its input's end does. Connection case 14.
func TestOddity38LoopEndsWithItsInput(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc")
	}
	for _, shell := range []string{"/bin/sh", "dash", "bash", "busybox"} {
		t.Run(filepath.Base(shell), func(t *testing.T) {
			path, err := exec.LookPath(shell)
			if err != nil {
				t.Skipf("no %s here", shell)
			}
			dir := smitest.Install(t, smitest.Healthy(1))
			args := []string{"-s"}
			if shell == "busybox" {
				args = []string{"sh", "-s"}
			}
			cmd := exec.Command(path, args...)
			in, err1 := cmd.StdinPipe()
			out, err2 := cmd.StdoutPipe()
			if err := errors.Join(err1, err2, cmd.Start()); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
			if _, err := in.Write([]byte(smi.LoopScriptForTest(dir + "/nvidia-smi"))); err != nil {
				t.Fatal(err)
			}
			if _, err := out.Read(make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
			calls := smitest.Calls(t, dir)
			if len(calls) != 1 || !calls[0].Loop() {
				t.Fatalf("calls %v", calls)
			}
			if err := in.Close(); err != nil {
				t.Fatal(err)
			}
			gone(t, calls[0].PID)
			gone(t, cmd.Process.Pid)
		})
	}
}
