package smi_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"rentgen/probe"
	"rentgen/probe/remote"
	"rentgen/probe/smi"
	"rentgen/probe/smi/smitest"
)

func isInventory(mode probe.Mode) func(probe.Message) bool {
	return func(m probe.Message) bool {
		inv, ok := m.(*probe.Inventory)
		return ok && inv.Mode == mode
	}
}

// oddity 22: fields that the driver refuses although its help lists them are
// dropped one by one; all else is read.
func TestOddity22QueryDropsRefusedFields(t *testing.T) {
	s := smitest.Healthy(1)
	s.Help = smitest.Help(smitest.AllFields)
	for _, f := range smitest.AllFields {
		if f != "utilization.encoder" && f != "clocks_throttle_reasons.active" && f != "retired_pages.single_bit_ecc.count" {
			s.Fields = append(s.Fields, f)
		}
	}
	h := open(t, s).run()
	got, _ := h.sample(0, func(s *probe.Sample) bool { return s.Seq > 1 })
	wantMissing(t, got.GPUs[0], probe.UtilEnc, probe.Unsupported, "not offered")
	wantValue(t, got.GPUs[0], probe.EventReasons, 4)
	wantValue(t, got.GPUs[0], probe.UtilDec, 0)
}

// A driver that gives no help text is asked by the oldest names.
func TestNoHelpText(t *testing.T) {
	s := smitest.Healthy(1)
	s.HelpFail = &smitest.Fail{Out: "Option \"--help-query-gpu\" is not recognized.\n", Exit: 2}
	s.Fields = []string{"gpu_uuid", "uuid", "index", "pci.bus_id", "name", "driver_version", "utilization.gpu", "memory.used", "memory.total", "clocks_throttle_reasons.active"}
	h := open(t, s).run()
	got, _ := h.sample(0, func(s *probe.Sample) bool { return s.Seq > 1 })
	wantValue(t, got.GPUs[0], probe.MemUsed, 17342)
	wantValue(t, got.GPUs[0], probe.EventReasons, 4)
	wantMissing(t, got.GPUs[0], probe.Temp, probe.Unsupported, "not offered")
}

// oddity 24: log lines of a layer around, between and beside the rows are
// events, and the memory is marked as a share.
func TestOddity24NoiseInTheLoop(t *testing.T) {
	s := smitest.Healthy(2)
	for i := range s.Ticks {
		s.Ticks[i].Before = "[HAMI-core Msg(187:140077780113216:libvgpu.c:836)]: Initializing.....\n\n"
		s.Ticks[i].Stderr = "[HAMI-core Warn(187:1:utils.c:183)]: get default cuda from (null)\n"
		s.Ticks[i].After = "Exiting.....\n"
	}
	h := open(t, s).run()
	if d := h.look.Inventory().GPUs[0]; !d.Virtual {
		t.Errorf("device %+v", d)
	}
	_, i := h.sample(0, func(s *probe.Sample) bool { return s.Seq >= 4 && read(s) })
	h.sample(i, whole)
	// The same line again and again is told once.
	if n := h.events(probe.EventNoise); n < 1 || n > 4 {
		t.Errorf("%d noise events", n)
	}
}

// oddity 28: a card that is lost while the loop runs is an event and a reason;
// the others go on; it comes back. Connection case 45.
func TestOddity28OneLostCardHidesNoOther(t *testing.T) {
	s := smitest.Healthy(3)
	h := open(t, s).run()
	_, i := h.sample(0, func(s *probe.Sample) bool { return s.Seq > 1 && read(s) })
	lost := s
	lost.Ticks = []smitest.Tick{{Cards: []smitest.Card{
		smitest.RTX4090(0),
		{"line": "Unable to determine the device handle for GPU1: 0000:17:00.0: Unknown Error"},
		smitest.RTX4090(2),
	}}}
	smitest.Set(t, h.dir, lost)
	e, i := h.event(probe.EventLost, i)
	if e.GPU != smitest.UUID(1) || !strings.Contains(e.Raw, "0000:17:00.0") {
		t.Errorf("event %+v", e)
	}
	got, i := h.sample(i, whole)
	if len(got.GPUs) != 3 {
		t.Fatalf("%d cards", len(got.GPUs))
	}
	wantValue(t, got.GPUs[0], probe.Temp, 61)
	wantValue(t, got.GPUs[2], probe.Temp, 61)
	wantMissing(t, got.GPUs[1], probe.Temp, probe.Error, "no row")
	_, i = h.sample(i, whole)
	if n := h.events(probe.EventLost); n != 1 {
		t.Errorf("%d events of one loss", n)
	}
	smitest.Set(t, h.dir, s)
	e, i = h.event(probe.EventBack, i)
	if e.GPU != smitest.UUID(1) {
		t.Errorf("event %+v", e)
	}
	got, _ = h.sample(i-1, func(s *probe.Sample) bool { _, ok := s.GPUs[1].Get(probe.Temp).Ok(); return ok })
	if len(got.GPUs) != 3 {
		t.Errorf("%d cards", len(got.GPUs))
	}
}

// oddity 28: a card that is lost from the start is in the inventory all the
// same, and in every sample with the reason.
func TestOddity28LostFromTheStart(t *testing.T) {
	s := smitest.Healthy(2)
	for i := range s.Ticks {
		s.Ticks[i].Before = "Unable to determine the device handle for GPU 0000:CB:00.0: GPU is lost.  Reboot the system to recover this GPU\n"
	}
	h := open(t, s).run()
	inv := h.look.Inventory()
	if inv.Mode != probe.ModeGPU || len(inv.GPUs) != 3 || inv.GPUs[2].Problem != probe.EventLost || inv.GPUs[2].BusID != "0000:CB:00.0" {
		t.Fatalf("inventory %+v", inv.GPUs)
	}
	e, _ := h.event(probe.EventLost, 0)
	if e.GPU != inv.GPUs[2].UUID {
		t.Errorf("event %+v", e)
	}
	got, _ := h.sample(0, func(s *probe.Sample) bool { return s.Seq > 2 })
	wantMissing(t, got.GPUs[2], probe.MemUsed, probe.Error, "")
	wantValue(t, got.GPUs[1], probe.MemUsed, 17342)

	back := smitest.Healthy(2)
	for i := range back.Ticks {
		back.Ticks[i].Cards = append(back.Ticks[i].Cards, smitest.RTX4090(7).With("index", "2", "pci.bus_id", "00000000:CB:00.0"))
	}
	smitest.Set(t, h.dir, back)
	e, i := h.event(probe.EventBack, 0)
	got, _ = h.sample(i, func(s *probe.Sample) bool { return len(s.GPUs) == 3 })
	if got.GPUs[2].UUID != smitest.UUID(7) || e.GPU != smitest.UUID(7) {
		t.Errorf("event %+v, cards %+v", e, got.GPUs)
	}
	wantValue(t, got.GPUs[2], probe.MemUsed, 17342)
}

// oddities 29 to 32: a failure at the start or later has a name, is tried
// again, and goes over. Connection cases 36 and 37.
func TestOddity30FailuresGoOver(t *testing.T) {
	for _, c := range []struct {
		text string
		exit int
		kind smi.FailureKind
		ev   string
	}{
		{"Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 550.144\n", 18, smi.FailMismatch, probe.EventDriverMismatch},
		{"Failed to initialize NVML: Unknown Error\n", 255, smi.FailAccess, probe.EventAccess},
		{"Failed to initialize NVML: Insufficient Permissions\n", 4, smi.FailPermission, probe.EventAccess},
		{"NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.\n", 9, smi.FailDriver, probe.EventSource},
	} {
		t.Run(string(c.kind), func(t *testing.T) {
			bad := smitest.Healthy(1)
			bad.All = &smitest.Fail{Out: c.text, Exit: c.exit}
			h := open(t, bad)
			if f := h.look.Failure(); f == nil || f.Kind != c.kind || f.Exit != c.exit {
				t.Fatalf("failure %+v", f)
			}
			if inv := h.look.Inventory(); inv.Mode == probe.ModeGPU || len(inv.GPUs) != 0 {
				t.Errorf("inventory %+v", inv)
			}
			h.run()
			e, i := h.event(c.ev, 0)
			if e.Code != c.exit || !strings.HasPrefix(c.text, e.Raw[:20]) {
				t.Errorf("event %+v", e)
			}
			smitest.Set(t, h.dir, smitest.Healthy(1))
			_, i = h.wait("an inventory", i, isInventory(probe.ModeGPU))
			_, i = h.event(probe.EventBack, i)
			_, i = h.sample(i, read)
			smitest.Set(t, h.dir, bad) // and now while the loop runs
			_, i = h.event(c.ev, i)
			got, i := h.sample(i, whole)
			state := probe.Error
			if c.kind == smi.FailPermission {
				state = probe.Denied
			}
			wantMissing(t, got.GPUs[0], probe.UtilGPU, state, c.text[:20])
			if h.look.Failure() == nil || h.look.Inventory().Mode != probe.ModeFault {
				t.Errorf("failure %v, mode %v", h.look.Failure(), h.look.Inventory().Mode)
			}
			smitest.Set(t, h.dir, smitest.Healthy(1))
			_, i = h.event(probe.EventBack, i)
			h.sample(i, read)
			if h.look.Failure() != nil {
				t.Errorf("failure %v", h.look.Failure())
			}
		})
	}
}

// oddity 33: no card in a container is the platform's no-GPU mode, no fault.
func TestOddity33NoDevices(t *testing.T) {
	h := open(t, smitest.Scenario{All: &smitest.Fail{Out: "No devices were found\n", Exit: 6}}, func(p *smi.Params) { p.System = true })
	if f := h.look.Failure(); f == nil || f.Kind != smi.FailNoDevices {
		t.Fatalf("failure %+v", f)
	}
	kind := probe.EventNoGPU
	switch m := h.look.Inventory().Mode; m {
	case probe.ModeNoGPU: // where the tests run in a container
	case probe.ModeFault:
		kind = probe.EventLost
	default:
		t.Errorf("mode %v", m)
	}
	h.run()
	h.event(kind, 0)
	got, _ := h.sample(0, func(s *probe.Sample) bool { return s.System != nil })
	if _, ok := got.System.Get(probe.RAMUsed).Ok(); !ok || len(got.GPUs) != 0 {
		t.Errorf("sample %+v", got)
	}
}

func TestNoTool(t *testing.T) {
	h := open(t, smitest.Healthy(1), func(p *smi.Params) { p.Path = "/nonexistent/nvidia-smi" })
	if f := h.look.Failure(); f == nil || f.Kind != smi.FailNotFound {
		t.Errorf("failure %+v", f)
	}
}

// oddity 34: a loop that goes on printing zeros while a fresh call fails is
// not believed.
func TestOddity34LyingLoop(t *testing.T) {
	s := smitest.Healthy(1)
	h := open(t, s, func(p *smi.Params) { p.ProofEvery = 700 * time.Millisecond }).run()
	_, i := h.sample(0, func(s *probe.Sample) bool { return s.Seq > 1 && read(s) })
	zero := smitest.RTX4090(0)
	for _, f := range []string{"utilization.gpu", "utilization.memory", "memory.used", "temperature.gpu", "power.draw", "clocks.current.sm", "clocks.current.memory"} {
		zero[f] = "0"
	}
	lying := s
	lying.Ticks = []smitest.Tick{{Cards: []smitest.Card{zero}}}
	smitest.Set(t, h.dir, lying)
	_, i = h.sample(i, func(s *probe.Sample) bool { n, ok := s.GPUs[0].Get(probe.Temp).Ok(); return ok && n == 0 })
	lying.FreshFail = &smitest.Fail{Out: "Failed to initialize NVML: Unknown Error\n", Exit: 255}
	smitest.Set(t, h.dir, lying)
	e, i := h.event(probe.EventAccess, i)
	if !strings.Contains(e.Raw, "Unknown Error") {
		t.Errorf("event %+v", e)
	}
	got, i := h.sample(i, whole)
	wantMissing(t, got.GPUs[0], probe.MemUsed, probe.Error, "Unknown Error")
	smitest.Set(t, h.dir, s)
	h.event(probe.EventBack, i)
}

// oddity 34: where a fresh call reads other values, the loop is started anew.
func TestOddity34StaleLoopIsStartedAnew(t *testing.T) {
	s := smitest.Healthy(1)
	h := open(t, s, func(p *smi.Params) { p.ProofEvery = 700 * time.Millisecond }).run()
	_, i := h.sample(0, func(s *probe.Sample) bool { return s.Seq > 1 && read(s) })
	zero := smitest.RTX4090(0)
	for _, f := range []string{"utilization.gpu", "utilization.memory", "memory.used", "temperature.gpu", "power.draw", "clocks.current.sm"} {
		zero[f] = "0"
	}
	stale := s
	stale.Ticks = []smitest.Tick{{Cards: []smitest.Card{zero}}}
	stale.Fresh = &smitest.Tick{Cards: []smitest.Card{smitest.RTX4090(0)}}
	smitest.Set(t, h.dir, stale)
	e, i := h.event(probe.EventSource, i)
	if !strings.Contains(e.Text, "started anew") {
		t.Errorf("event %+v", e)
	}
	smitest.Set(t, h.dir, s)
	h.sample(i, read)
	loops := 0
	for _, c := range smitest.Calls(t, h.dir) {
		if c.Loop() {
			loops++
		}
	}
	if loops < 2 {
		t.Errorf("%d loops", loops)
	}
}

// oddity 34, the other side: a loop that still reads a living card goes on
// when only a fresh call fails, and that is told.
func TestOddity34LivingLoopGoesOn(t *testing.T) {
	s := smitest.Healthy(1)
	h := open(t, s, func(p *smi.Params) { p.ProofEvery = 700 * time.Millisecond }).run()
	_, i := h.sample(0, func(s *probe.Sample) bool { return s.Seq > 1 && read(s) })
	s.FreshFail = &smitest.Fail{Out: "Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 550.144\n", Exit: 18}
	smitest.Set(t, h.dir, s)
	e, i := h.event(probe.EventDriverMismatch, i)
	if !strings.Contains(e.Text, "while the running loop still reads") {
		t.Errorf("event %+v", e)
	}
	got, i := h.sample(i, whole)
	wantValue(t, got.GPUs[0], probe.Temp, 61)
	h.sample(i, read)
	if h.look.Failure() != nil {
		t.Errorf("failure %v", h.look.Failure())
	}
}

// oddity 35: exit code 14 beside good rows is no failure.
func TestOddity35GoodRowsDespiteExitCode(t *testing.T) {
	s := smitest.Healthy(1)
	s.Exit = 14
	for i := range s.Ticks {
		s.Ticks[i].After = "WARNING: infoROM is corrupted at gpu 00000000:16:00.0\n"
	}
	h := open(t, s).run()
	if h.look.Failure() != nil || h.look.Inventory().Mode != probe.ModeGPU {
		t.Fatalf("failure %v", h.look.Failure())
	}
	e, _ := h.event(probe.EventNoise, 0)
	if e.GPU != smitest.UUID(0) || !strings.Contains(e.Raw, "infoROM") {
		t.Errorf("event %+v", e)
	}
	h.sample(0, func(s *probe.Sample) bool { return s.Seq > 2 && read(s) })
}

// oddity 36: a call that does not return costs its time limit, not the look.
// Connection case 38.
func TestOddity36Hang(t *testing.T) {
	h := open(t, smitest.Scenario{Hang: true}, func(p *smi.Params) { p.Timeout = time.Second })
	if f := h.look.Failure(); f == nil || f.Kind != smi.FailHang || f.EventKind() != probe.EventStalled {
		t.Fatalf("failure %+v", h.look.Failure())
	}
	if inv := h.look.Inventory(); inv.System.Cores == 0 {
		t.Errorf("what was told before the hang is lost: %+v", inv)
	}
	h.run()
	_, i := h.event(probe.EventStalled, 0)
	smitest.Set(t, h.dir, smitest.Healthy(1))
	_, i = h.event(probe.EventBack, i)
	h.sample(i, read)
}

// A loop that falls silent is ended and started anew.
func TestSilentLoop(t *testing.T) {
	s := smitest.Healthy(1)
	s.Stall = true
	h := open(t, s, func(p *smi.Params) { p.Silence = 500 * time.Millisecond })
	h.run()
	pid := h.loopPID()
	e, i := h.event(probe.EventStalled, 0)
	if !strings.Contains(e.Raw, "silent") {
		t.Errorf("event %+v", e)
	}
	gone(t, pid)
	got, i := h.sample(i, whole)
	wantMissing(t, got.GPUs[0], probe.UtilGPU, probe.Error, "silent")
	h.sample(i, read)
}

// An nvidia-smi that holds its rows back in the loop is called for each tick.
func TestLoopThatHoldsBack(t *testing.T) {
	s := smitest.Healthy(1)
	s.Hold = true
	h := open(t, s, func(p *smi.Params) { p.First = 300 * time.Millisecond })
	h.run()
	_, i := h.event(probe.EventStalled, 0)
	_, i = h.sample(i, read)
	_, i = h.sample(i, read)
	h.sample(i, read)
}

// A loop that ends by itself is started anew.
func TestLoopThatEnds(t *testing.T) {
	s := smitest.Healthy(1)
	s.LoopFail = &smitest.Fail{Signal: "SEGV", Exit: 1}
	h := open(t, s).run()
	e, i := h.event(probe.EventSource, 0)
	if e.Code != 139 {
		t.Errorf("event %+v", e)
	}
	_, i = h.event(probe.EventBack, i)
	h.sample(i, read)
}

// refusing is a link that starts nothing.
type refusing struct{ err error }

func (r refusing) Start(context.Context, string) (remote.Proc, error) { return nil, r.err }

func TestLinkThatStartsNothing(t *testing.T) {
	broken := errors.New("link is down")
	if _, err := smi.Open(t.Context(), smi.Params{Run: refusing{broken}}); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

// A login that runs nothing is an error with the host's words, no missing card.
func TestLoginThatRunsNothing(t *testing.T) {
	h := open(t, smitest.Healthy(1))
	p := h.params
	p.Run = nologin{p.Run.(remote.Conn)}
	if _, err := smi.Open(t.Context(), p); err == nil || !strings.Contains(err.Error(), "not available") {
		t.Errorf("got %v", err)
	}
}

type nologin struct{ remote.Conn }

func (n nologin) Start(ctx context.Context, _ string) (remote.Proc, error) {
	return n.Conn.Start(ctx, "echo This account is currently not available.; exit 1")
}

// A link that breaks under the look ends Run with the link's error.
func TestLinkThatBreaks(t *testing.T) {
	h := open(t, smitest.Healthy(1))
	conn := h.params.Run.(remote.Conn)
	h.run()
	h.loopPID()
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	select {
	case err := <-h.done:
		h.done <- nil
		if err == nil || errors.Is(err, context.Canceled) {
			t.Errorf("Run returned %v", err)
		}
	case <-deadline.C:
		t.Error("Run goes on without a link")
	}
}

// shellless is a host whose shell is another one, as under Windows.
type shellless struct{ remote.Conn }

func (s shellless) Start(ctx context.Context, command string) (remote.Proc, error) {
	if strings.HasPrefix(command, "/bin/sh") {
		command = "echo The system cannot find the path specified. >&2; exit 1"
	}
	return s.Conn.Start(ctx, command)
}

// A host without a POSIX shell is asked directly, in quotes that every shell
// knows.
func TestHostWithoutPOSIXShell(t *testing.T) {
	h := open(t, smitest.Healthy(2), func(p *smi.Params) {
		p.Run, p.System = shellless{p.Run.(remote.Conn)}, true
	})
	inv := h.look.Inventory()
	if h.look.Failure() != nil || len(inv.GPUs) != 2 || inv.CUDA != "12.4" {
		t.Fatalf("failure %v, inventory %+v", h.look.Failure(), inv)
	}
	h.run()
	pid := h.loopPID()
	got, _ := h.sample(0, func(s *probe.Sample) bool { return s.GPUs[0].Procs != nil })
	if p := got.GPUs[0].Procs; p.State != probe.OK || len(p.List) != 1 || p.List[0].Own {
		t.Errorf("processes %+v", p)
	}
	h.stop()
	<-h.done
	h.done <- nil
	gone(t, pid)
}
