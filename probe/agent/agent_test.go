//go:build linux && cgo

package main

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"rentgen/probe"
	"rentgen/probe/agent/agenttest"
	"rentgen/probe/wire"
)

// One plausible card and its neighbour: everything the first ticks must hold.
func TestReadsAllMetrics(t *testing.T) {
	h := launch(t, setup{scenario: `gpus 2
set 0 name NVIDIA H100 80GB HBM3
set 0 util 55
set 0 mem_total 81559
set 0 mem_used 61263
set 0 mem_reserved 479
set 0 power 412.34
set 0 reasons 5
set 0 nvlinks 18
set 0 nvlink_tx 2000
set 0 nvlink_rx 1000
set 0 ecc_corrected 3
set 0 ecc_uncorrected 1
set 0 retired 2
proc 0 self 512 30
proc 0 4000000 1024 12 graphics
`})
	if h.hello.Proto != wire.Proto || h.hello.Driver != "550.54.15" || h.hello.NoLibrary != "" || len(h.hello.SHA) != 64 {
		t.Errorf("hello %+v", h.hello)
	}
	if h.hello.BootID == "" || h.hello.Init.IsZero() || h.hello.PID != h.cmd.Process.Pid {
		t.Errorf("hello %+v does not name the run", h.hello)
	}
	inv := h.inventory()
	if inv.Driver != "550.54.15" || inv.CUDA != "12.4" || inv.Mode != probe.ModeGPU || len(inv.GPUs) != 2 || inv.Source != probe.SourceAgent {
		t.Errorf("inventory %+v", inv)
	}
	d := inv.GPUs[0]
	if d.Name != "NVIDIA H100 80GB HBM3" || d.BusID != "00000000:01:00.0" || d.ComputeCap != "8.9" ||
		d.Persistence != "on" || d.MemSource != "v2" || d.MIG != "" || d.TempSlow.Num != 84 || d.PowerMax.Num != 600 {
		t.Errorf("device %+v", d)
	}
	if inv.System.Kernel == "" || inv.Run.BootID != h.hello.BootID {
		t.Errorf("machine %+v, run %+v", inv.System, inv.Run)
	}
	first := h.first()
	if first.Seq != 1 || first.System == nil || first.HostTime.IsZero() || first.Mono == 0 {
		t.Errorf("first tick: seq %d, system %v, %v, %v", first.Seq, first.System, first.HostTime, first.Mono)
	}
	s := h.sample("a complete tick", func(s *probe.Sample) bool {
		_, ok := s.GPUs[0].Get(probe.PCIeTx).Ok()
		_, link := s.GPUs[0].Get(probe.NVLinkTx).Ok()
		return ok && link && s.System != nil
	})
	g := &s.GPUs[0]
	for m, want := range map[probe.Metric]float64{
		probe.UtilGPU: 55, probe.UtilMem: 21, probe.UtilEnc: 0, probe.MemUsed: 61263, probe.MemReserved: 479,
		probe.MemTotal: 81559, probe.Power: 412.3, probe.PowerCap: 450, probe.Temp: 61, probe.TempMem: 70, probe.Fan: 42,
		probe.ClockSM: 2520, probe.ClockMem: 10501, probe.PState: 2, probe.PCIeGen: 4, probe.PCIeWidth: 16, probe.PCIeTx: 120,
		probe.PCIeRx: 340, probe.EventReasons: 5, probe.NVLinkActive: 18, probe.ECCCorrected: 3, probe.ECCUncorrected: 1,
		probe.RetiredPages: 4,
	} {
		wantNum(t, g, m, want)
	}
	for m, want := range map[probe.Metric]float64{probe.NVLinkTx: 2000, probe.NVLinkRx: 1000} {
		if n, ok := g.Get(m).Ok(); !ok || n < want*0.8 || n > want*1.2 {
			t.Errorf("%v is %+v, want about %v", m, g.Get(m), want)
		}
	}
	if _, ok := g.Get(probe.Energy).Ok(); !ok {
		t.Errorf("energy is %+v", g.Get(probe.Energy))
	}
	if p := g.Procs; p == nil || len(p.List) != 2 || p.State != probe.OK {
		t.Fatalf("processes %+v", g.Procs)
	}
	if own := g.Procs.List[0]; own.PID != h.cmd.Process.Pid || !own.Own || own.Name == "" || own.Mem.Num != 512 || own.Util.Num != 30 {
		t.Errorf("own process %+v", own)
	}
	if s.GPUs[1].Index != 1 || s.GPUs[1].UUID == g.UUID || s.GPUs[1].Name == "" {
		t.Errorf("second card %+v", s.GPUs[1])
	}
	if _, ok := s.System.Get(probe.RAMUsed).Ok(); !ok {
		t.Errorf("memory of the machine is %+v", s.System.Get(probe.RAMUsed))
	}
}

func TestRatesPauseAndPing(t *testing.T) {
	h := launch(t, setup{scenario: "gpus 1\n"})
	h.first()
	h.control(wire.Control{Rate: 10})
	begin := h.first()
	before, last := begin.Seq, begin.Mono
	var lists, systems int
	for range 20 {
		s := h.first()
		if s.Seq != before+1 {
			t.Fatalf("tick %d after %d", s.Seq, before)
		}
		before, last = s.Seq, s.Mono
		if s.System != nil {
			systems++
		}
		if s.GPUs[0].Procs != nil {
			lists++
		}
	}
	if most := int((last - begin.Mono).Seconds()) + 2; systems < 1 || systems > most || lists != systems {
		t.Errorf("in 20 ticks over %v %d readings of the machine, %d process lists; both belong to whole seconds", last-begin.Mono, systems, lists)
	}
	h.control(wire.Control{Rate: 10, Paused: true, Ping: 77})
	pong := h.until("a pong", func(f wire.Frame) bool { return f.Pong != nil }).Pong
	if pong.Ping != 77 || pong.Wall.IsZero() || pong.Mono == 0 {
		t.Errorf("pong %+v", pong)
	}
	// Two heartbeats without a tick between them.
	beats := 0
	h.until("two quiet heartbeats", func(f wire.Frame) bool {
		if f.Sample != nil {
			beats = 0
		}
		if f.Heartbeat != nil {
			beats++
		}
		return beats >= 3
	})
	h.control(wire.Control{Rate: 2})
	h.first()
	h.control(wire.Control{Rate: 1e9})
	h.first()
}

func TestEnds(t *testing.T) {
	ended := func(t *testing.T, h *host, code int) {
		t.Helper()
		select {
		case <-h.exited:
		case <-time.After(wait):
			t.Fatal("it did not end")
		}
		if h.code != code {
			t.Errorf("exit code %d, want %d\n%s", h.code, code, h.stderr.text())
		}
	}
	t.Run("remote 14 with its input", func(t *testing.T) {
		h := launch(t, setup{scenario: "gpus 1\n"})
		h.first()
		h.in.Close()
		ended(t, h, 0)
	})
	for _, sig := range []syscall.Signal{syscall.SIGHUP, syscall.SIGTERM, syscall.SIGPIPE} {
		t.Run(sig.String(), func(t *testing.T) {
			h := launch(t, setup{scenario: "gpus 1\n"})
			h.first()
			if err := h.cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			ended(t, h, 0)
		})
	}
	t.Run("while a driver call hangs", func(t *testing.T) {
		h := launch(t, setup{scenario: "gpus 1\nslow 0 nvmlDeviceGetUtilizationRates 3600000 500\n"})
		h.event(probe.EventStalled)
		h.in.Close()
		ended(t, h, 0)
	})
	t.Run("remote 14 when nobody reads", func(t *testing.T) {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		in, feed, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer feed.Close()
		cmd := exec.Command(agenttest.Agent(t), "stdio", "--marker", "M")
		cmd.Env = append(os.Environ(), agenttest.Environ(agenttest.Library(t), agenttest.Scenario(t, "gpus 1\n"), "")...)
		cmd.Stdin, cmd.Stdout = in, w
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		in.Close()
		w.Close()
		r.Close() // the link is gone, the input still open
		done := make(chan error, 1)
		go func() { done <- cmd.Wait() }()
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("ended with %v", err)
			}
		case <-time.After(wait):
			cmd.Process.Kill()
			t.Fatal("it goes on writing to nobody")
		}
	})
}

func TestNoLibrary(t *testing.T) {
	h := launch(t, setup{noLib: true})
	if !strings.Contains(h.hello.NoLibrary, "libnvidia-ml.so.1") {
		t.Errorf("hello says %q", h.hello.NoLibrary)
	}
	inv := h.inventory()
	if inv.Mode != probe.ModeNoDriver && inv.Mode != probe.ModeNoGPU {
		t.Errorf("mode %q", inv.Mode)
	}
	s := h.sample("a second tick", func(s *probe.Sample) bool { return s.Seq == 2 })
	if s.System == nil || len(s.GPUs) != 0 {
		t.Errorf("tick %+v", s)
	}
	h.in.Close()
	<-h.exited
	if h.code != exitNoLibrary {
		t.Errorf("exit code %d, want %d", h.code, exitNoLibrary)
	}
}

func TestNoCards(t *testing.T) {
	h := launch(t, setup{scenario: "gpus 0\n"})
	if inv := h.inventory(); inv.Mode != probe.ModeNoGPU || len(inv.GPUs) != 0 {
		t.Errorf("inventory %+v", inv)
	}
	if s := h.first(); s.System == nil {
		t.Error("no reading of the machine")
	}
}

func TestCommandLine(t *testing.T) {
	path := agenttest.Agent(t)
	for _, c := range []struct {
		args []string
		code int
		out  string
	}{
		{[]string{"--version"}, 0, "dev\n"},
		{nil, 64, ""},
		{[]string{"stdio"}, 64, ""},
		{[]string{"stdio", "--marker"}, 64, ""},
		{[]string{"stdio", "--format=xml", "--marker", "M"}, 64, ""},
		{[]string{"stdio", "--what", "1"}, 64, ""},
	} {
		cmd := exec.Command(path, c.args...)
		out, err := cmd.Output()
		if code := cmd.ProcessState.ExitCode(); code != c.code || (c.out != "" && string(out) != c.out) {
			t.Errorf("%q: code %d, %q (%v)", c.args, code, out, err)
		}
	}
}

func TestJSONFormat(t *testing.T) {
	cmd := exec.Command(agenttest.Agent(t), "stdio", "--format=json")
	cmd.Env = append(os.Environ(), agenttest.Environ(agenttest.Library(t), agenttest.Scenario(t, "gpus 1\n"), "")...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out := &watchBuffer{want: `"tick"`, seen: make(chan struct{})}
	cmd.Stdout = out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-out.seen:
	case <-time.After(wait):
		t.Error("no tick")
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	for _, key := range []string{`{"hello":`, `{"inventory":`, `"util_pct":37`, `"retired_pages":`} {
		if !strings.Contains(out.buf.text(), key) {
			t.Errorf("%s is missing in %s", key, out.buf.text())
		}
	}
}

type watchBuffer struct {
	buf  lockedBuffer
	want string
	seen chan struct{}
	done bool
}

func (w *watchBuffer) Write(p []byte) (int, error) {
	n, err := w.buf.Write(p)
	if !w.done && strings.Contains(w.buf.text(), w.want) {
		w.done = true
		close(w.seen)
	}
	return n, err
}

// The program opens no socket and runs no other.
func TestOpensNoSocket(t *testing.T) {
	h := launch(t, setup{scenario: "gpus 1\n"})
	h.first()
	h.first()
	dir := "/proc/" + strconv.Itoa(h.cmd.Process.Pid) + "/fd"
	fds, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range fds {
		if to, err := os.Readlink(dir + "/" + fd.Name()); err == nil && strings.HasPrefix(to, "socket:") {
			t.Errorf("descriptor %s is %s", fd.Name(), to)
		}
	}
	kids, err := os.ReadFile("/proc/" + strconv.Itoa(h.cmd.Process.Pid) + "/task/" + strconv.Itoa(h.cmd.Process.Pid) + "/children")
	if err == nil && len(kids) > 0 {
		t.Errorf("it has children: %s", kids)
	}
}
