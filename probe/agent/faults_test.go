//go:build linux && cgo

package main

import (
	"testing"

	"rentgen/probe"
	"rentgen/probe/wire"
)

// Cards and drivers that fail, at the start or later. One bad card never hides
// the others.

func TestLostCards(t *testing.T) {
	t.Parallel()
	t.Run("oddity 28 lost at the start", func(t *testing.T) {
		t.Parallel()
		h := launch(t, setup{scenario: "gpus 4\nlost 2\n"})
		inv := h.inventory()
		if len(inv.GPUs) != 4 || inv.GPUs[2].Problem != probe.EventLost || inv.Mode != probe.ModeGPU {
			t.Fatalf("inventory %+v", inv)
		}
		s := h.first()
		for i := range s.GPUs {
			if i == 2 {
				wantState(t, &s.GPUs[i], probe.UtilGPU, probe.Error, "GPU is lost")
				wantState(t, &s.GPUs[i], probe.MemUsed, probe.Error, "GPU is lost")
				continue
			}
			wantNum(t, &s.GPUs[i], probe.UtilGPU, 37)
		}
		if ev := h.event(probe.EventLost); ev.Code != 15 || ev.GPU != inv.GPUs[2].UUID {
			t.Errorf("event %+v", ev)
		}
	})
	t.Run("lost while running and back", func(t *testing.T) {
		t.Parallel()
		h := launch(t, setup{scenario: "gpus 2\nlost 1 1500 6000\n"})
		uuid := h.inventory().GPUs[1].UUID
		s := h.sample("the loss", func(s *probe.Sample) bool { return s.GPUs[1].Get(probe.UtilGPU).State == probe.Error })
		for _, m := range probe.GPUMetrics() {
			if v := s.GPUs[1].Get(m); v.State == probe.OK {
				t.Errorf("%v of a lost card is %+v", m, v)
			}
		}
		wantNum(t, &s.GPUs[0], probe.UtilGPU, 37)
		if ev := h.event(probe.EventBack); ev.GPU != uuid {
			t.Errorf("event %+v", ev)
		}
		s = h.sample("the card again", func(s *probe.Sample) bool { return s.GPUs[1].Get(probe.UtilGPU).State == probe.OK })
		wantNum(t, &s.GPUs[1], probe.UtilGPU, 37)
	})
	t.Run("oddity 5 reset required", func(t *testing.T) {
		t.Parallel()
		h := launch(t, setup{scenario: "gpus 1\nrc 0 * 16 1500\n"})
		if ev := h.event(probe.EventReset); ev.Code != 16 || ev.Raw != "GPU requires reset" {
			t.Errorf("event %+v", ev)
		}
		s := h.sample("a tick", func(s *probe.Sample) bool { return true })
		wantState(t, &s.GPUs[0], probe.MemUsed, probe.Error, "GPU requires reset")
	})
	t.Run("remote 37 oddity 30 unknown error of everything", func(t *testing.T) {
		t.Parallel()
		h := launch(t, setup{scenario: "gpus 2\nrc * * 999 1500\n"})
		for range 2 {
			if ev := h.event(probe.EventAccess); ev.Code != 999 || ev.GPU == "" {
				t.Errorf("event %+v", ev)
			}
		}
		s := h.first()
		wantState(t, &s.GPUs[0], probe.UtilGPU, probe.Error, "Unknown Error")
		h.inventoryWhere("both cards out of reach", func(inv *probe.Inventory) bool {
			return inv.Mode == probe.ModeFault && inv.GPUs[0].Problem == probe.EventAccess && inv.GPUs[1].Problem == probe.EventAccess
		})
	})
	t.Run("oddity 28 cannot be opened, later it can", func(t *testing.T) {
		t.Parallel()
		h := launch(t, setup{scenario: "gpus 2\nrc 1 nvmlDeviceGetHandleByIndex_v2 999 0 3000\n"})
		if d := h.inventory().GPUs[1]; d.Problem != probe.EventAccess || d.UUID == "" {
			t.Errorf("device %+v", d)
		}
		h.sample("a tick", func(s *probe.Sample) bool { return s.Seq == 6 })
		h.control(wire.Control{Slow: true})
		s := h.sample("the second card", func(s *probe.Sample) bool { return s.GPUs[1].Get(probe.UtilGPU).State == probe.OK })
		if s.GPUs[1].UUID != "GPU-00000001-fa4e-fa4e-fa4e-000000000000" {
			t.Errorf("card %+v", s.GPUs[1].UUID)
		}
		h.sample("its throughput", func(s *probe.Sample) bool { return s.GPUs[1].Get(probe.PCIeTx).State == probe.OK })
	})
}

func TestHungCalls(t *testing.T) {
	t.Parallel()
	t.Run("remote 38 oddity 36 a call does not return", func(t *testing.T) {
		t.Parallel()
		h := launch(t, setup{scenario: "gpus 3\nslow 1 nvmlDeviceGetTemperature 3600000 1500\n"})
		uuid := h.inventory().GPUs[1].UUID
		if ev := h.event(probe.EventStalled); ev.GPU != uuid {
			t.Errorf("event %+v", ev)
		}
		s := h.first()
		for _, m := range probe.GPUMetrics() {
			if v := s.GPUs[1].Get(m); v.State != probe.Error {
				t.Errorf("%v of a stalled card is %+v", m, v)
			}
		}
		wantNum(t, &s.GPUs[0], probe.UtilGPU, 37)
		wantNum(t, &s.GPUs[2], probe.UtilGPU, 37)
		beats := 0
		last := s.Seq
		h.until("heartbeats and ticks", func(f wire.Frame) bool {
			if f.Heartbeat != nil {
				beats++
			}
			if f.Sample != nil {
				last = f.Sample.Seq
			}
			return beats >= 3 && last >= s.Seq+2
		})
	})
	t.Run("heartbeats while the call hangs the first time", func(t *testing.T) {
		t.Parallel()
		h := launch(t, setup{scenario: "gpus 1\nslow 0 * 3600000 800\n"})
		h.event(probe.EventStalled)
		h.until("a heartbeat", func(f wire.Frame) bool { return f.Heartbeat != nil })
		s := h.first()
		wantState(t, &s.GPUs[0], probe.UtilGPU, probe.Error, "driver call does not return")
	})
	t.Run("slow for a while and back", func(t *testing.T) {
		t.Parallel()
		h := launch(t, setup{scenario: "gpus 2\nslow 1 nvmlDeviceGetFanSpeed 2500 1500 4500\n"})
		h.event(probe.EventStalled)
		h.event(probe.EventBack)
		s := h.sample("the card again", func(s *probe.Sample) bool { return s.GPUs[1].Get(probe.Fan).State == probe.OK })
		wantNum(t, &s.GPUs[1], probe.Fan, 42)
	})
	t.Run("opening a card again hangs", func(t *testing.T) {
		t.Parallel()
		h := launch(t, setup{scenario: "gpus 2\nrc 1 nvmlDeviceGetHandleByIndex_v2 999 0 1500\nslow 1 nvmlDeviceGetHandleByIndex_v2 3600000 1500\n"})
		uuid := h.inventory().GPUs[1].UUID
		h.sample("a tick", func(s *probe.Sample) bool { return s.Seq == 4 })
		h.control(wire.Control{Slow: true})
		if ev := h.event(probe.EventStalled); ev.GPU != uuid {
			t.Errorf("event %+v", ev)
		}
		seq := h.first().Seq
		s := h.sample("ticks of the other card", func(s *probe.Sample) bool { return s.Seq >= seq+2 })
		wantNum(t, &s.GPUs[0], probe.UtilGPU, 37)
		wantState(t, &s.GPUs[1], probe.UtilGPU, probe.Error, "does not return")
	})
	t.Run("the PCIe counter hangs alone", func(t *testing.T) {
		t.Parallel()
		h := launch(t, setup{scenario: "gpus 2\nslow 0 nvmlDeviceGetPcieThroughput 3600000 2500\n"})
		s := h.sample("an outdated throughput", func(s *probe.Sample) bool { return s.GPUs[0].Get(probe.PCIeTx).State == probe.Error })
		wantNum(t, &s.GPUs[0], probe.UtilGPU, 37)
		h.sample("the other card's throughput", func(s *probe.Sample) bool { return s.GPUs[1].Get(probe.PCIeTx).State == probe.OK })
	})
	t.Run("a card cannot be opened for long", func(t *testing.T) {
		t.Parallel()
		h := launch(t, setup{scenario: "gpus 2\nslow 0 nvmlDeviceGetHandleByIndex_v2 11000 0 3000\n"})
		if d := h.inventoryWhere("the cards", func(inv *probe.Inventory) bool { return len(inv.GPUs) == 2 }).GPUs[0]; d.Problem != probe.EventStalled {
			t.Errorf("device %+v", d)
		}
		s := h.sample("the other card", func(s *probe.Sample) bool { return len(s.GPUs) == 2 })
		wantNum(t, &s.GPUs[1], probe.UtilGPU, 37)
		wantState(t, &s.GPUs[0], probe.UtilGPU, probe.Error, "driver call does not return")
		h.sample("it is opened later", func(s *probe.Sample) bool { return s.GPUs[0].Get(probe.UtilGPU).State == probe.OK })
	})
	t.Run("oddity 36 the start hangs", func(t *testing.T) {
		t.Parallel()
		h := launch(t, setup{scenario: "gpus 1\ninit-delay 15000\n"})
		if h.hello.Driver != "" || h.hello.NoLibrary != "" {
			t.Errorf("hello %+v", h.hello)
		}
		h.until("a heartbeat", func(f wire.Frame) bool { return f.Heartbeat != nil })
		h.event(probe.EventStalled)
		if inv := h.inventory(); inv.Mode != probe.ModeFault {
			t.Errorf("mode %q", inv.Mode)
		}
		if s := h.first(); s.System == nil || len(s.GPUs) != 0 {
			t.Errorf("tick %+v", s)
		}
		h.inventoryWhere("a card", func(inv *probe.Inventory) bool { return inv.Mode == probe.ModeGPU && len(inv.GPUs) == 1 })
		s := h.sample("a card", func(s *probe.Sample) bool { return len(s.GPUs) == 1 })
		wantNum(t, &s.GPUs[0], probe.UtilGPU, 37)
	})
}

func TestFailedStarts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, codes string
		mode        probe.Mode
		kind        string
	}{
		{"remote 36 oddity 29 library and driver differ", "18", probe.ModeFault, probe.EventDriverMismatch},
		{"oddity 30 unknown error", "999", probe.ModeFault, probe.EventAccess},
		{"oddity 31 insufficient permissions", "4", probe.ModeFault, probe.EventAccess},
		{"oddity 33 no supported cards", "28", probe.ModeNoGPU, probe.EventNoGPU},
		{"a lost card stops the start", "15", probe.ModeFault, probe.EventLost},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := launch(t, setup{scenario: "gpus 1\ninit " + c.codes + "\n"})
			ev := h.event(c.kind)
			if ev.Code == 0 || ev.Raw == "" {
				t.Errorf("event %+v", ev)
			}
			h.inventoryWhere("mode "+string(c.mode), func(inv *probe.Inventory) bool { return inv.Mode == c.mode && len(inv.GPUs) == 0 })
			if s := h.first(); s.System == nil {
				t.Error("no reading of the machine")
			}
		})
	}
	t.Run("oddity 32 driver not loaded", func(t *testing.T) {
		t.Parallel()
		h := launch(t, setup{scenario: "gpus 1\ninit 9\n"})
		if inv := h.inventory(); inv.Mode != probe.ModeNoDriver && inv.Mode != probe.ModeNoGPU {
			t.Errorf("mode %q", inv.Mode)
		}
	})
	t.Run("remote 36 oddity 32 tried again until it works", func(t *testing.T) {
		t.Parallel()
		h := launch(t, setup{scenario: "gpus 1\ninit 18 18 0\n", args: []string{"--retry", "300ms"}})
		h.event(probe.EventDriverMismatch)
		h.event(probe.EventBack)
		h.inventoryWhere("a card", func(inv *probe.Inventory) bool { return inv.Mode == probe.ModeGPU && len(inv.GPUs) == 1 })
		s := h.sample("a card", func(s *probe.Sample) bool { return len(s.GPUs) == 1 })
		wantNum(t, &s.GPUs[0], probe.UtilGPU, 37)
	})
}
