package smi_test

import (
	"strings"
	"testing"
	"time"

	"rentgen/probe"
	"rentgen/probe/smi"
	"rentgen/probe/smi/smitest"
)

// oddity 5: a card that requires a reset is a fault, and never idle with 0 MiB.
func TestOddity05ResetInTheLoop(t *testing.T) {
	s := smitest.Healthy(2)
	for i := range s.Ticks {
		s.Ticks[i].Cards[1] = smitest.RTX4090(1).With("utilization.gpu", "[GPU requires reset]", "temperature.gpu", "[GPU requires reset]", "memory.used", "0", "power.draw", "0")
	}
	h := open(t, s).run()
	if d := h.look.Inventory().GPUs[1]; d.Problem != probe.EventReset {
		t.Errorf("device %+v", d)
	}
	e, i := h.event(probe.EventReset, 0)
	if e.GPU != smitest.UUID(1) {
		t.Errorf("event %+v", e)
	}
	got, i := h.sample(i, whole)
	wantMissing(t, got.GPUs[1], probe.MemUsed, probe.Error, "requires reset")
	wantMissing(t, got.GPUs[1], probe.Power, probe.Error, "requires reset")
	wantValue(t, got.GPUs[0], probe.MemUsed, 17342)
	smitest.Set(t, h.dir, smitest.Healthy(2))
	e, _ = h.event(probe.EventBack, i)
	if e.GPU != smitest.UUID(1) {
		t.Errorf("event %+v", e)
	}
}

// oddities 13 and 14 in whole: memory of a machine that shares it.
func TestOddity13SharedMemoryInTheLoop(t *testing.T) {
	h := open(t, smitest.GB10(), func(p *smi.Params) { p.System = true })
	d := h.look.Inventory().GPUs[0]
	if d.MemSource != "meminfo" || d.BusID != "0000000F:01:00.0" {
		t.Fatalf("device %+v", d)
	}
	if n, ok := d.MemTotal.Ok(); !ok || n < 64 {
		t.Errorf("total %+v", d.MemTotal)
	}
	h.run()
	got, _ := h.sample(0, func(s *probe.Sample) bool { _, ok := s.GPUs[0].Get(probe.MemUsed).Ok(); return ok })
	if n, _ := got.GPUs[0].Get(probe.MemTotal).Ok(); n < 64 {
		t.Errorf("total %+v", got.GPUs[0].Get(probe.MemTotal))
	}
	wantMissing(t, got.GPUs[0], probe.MemReserved, probe.Unsupported, "[N/A]")
}

// oddities 45 and 62: a card in MIG mode and its instances have no
// utilisation; the instances' memory comes from the table. Connection case 40.
func TestOddity62MIG(t *testing.T) {
	h := open(t, smitest.H100MIG(), func(p *smi.Params) { p.ProcsEvery = 500 * time.Millisecond })
	inv := h.look.Inventory()
	if len(inv.GPUs) != 5 || inv.GPUs[0].MIG != "on" || inv.CUDA != "13.1" {
		t.Fatalf("inventory %+v", inv)
	}
	in := inv.GPUs[1]
	if in.Parent != inv.GPUs[0].UUID || in.Profile != "3g.40gb" || in.MemTotal.Num != 40448 || !strings.HasPrefix(in.UUID, "MIG-") {
		t.Errorf("instance %+v", in)
	}
	h.run()
	got, _ := h.sample(0, func(s *probe.Sample) bool { _, ok := s.GPUs[1].Get(probe.MemUsed).Ok(); return ok })
	wantMissing(t, got.GPUs[0], probe.UtilGPU, probe.Unsupported, "[N/A]")
	wantValue(t, got.GPUs[0], probe.Power, 432.11)
	wantValue(t, got.GPUs[1], probe.MemUsed, 11091)
	wantMissing(t, got.GPUs[1], probe.UtilGPU, probe.Unsupported, "MIG instance")
	wantMissing(t, got.GPUs[1], probe.Power, probe.Unsupported, "MIG instance")
}

// oddity 39 in whole: the 610 series.
func TestOddity39Driver610(t *testing.T) {
	inv := open(t, smitest.RTX2080S610()).look.Inventory()
	if inv.Driver != "610.57.04" || inv.CUDA != "13.3" || inv.GPUs[0].Persistence != "off" {
		t.Errorf("inventory %+v", inv)
	}
}

// Cards whose UUIDs are hidden are told apart by their bus id.
func TestSameUUIDTwice(t *testing.T) {
	s := smitest.Healthy(2)
	for i := range s.Ticks {
		for j := range s.Ticks[i].Cards {
			s.Ticks[i].Cards[j] = s.Ticks[i].Cards[j].With("uuid", "GPU-00000000-0000-0000-0000-000000000000")
		}
	}
	h := open(t, s).run()
	got, _ := h.sample(0, func(s *probe.Sample) bool { return s.Seq > 2 && read(s) })
	if len(got.GPUs) != 2 || got.GPUs[0].UUID != "00000000:16:00.0" || got.GPUs[1].UUID != "00000000:17:00.0" {
		t.Errorf("%+v", got.GPUs)
	}
}

// A card that comes up later gets into the inventory.
func TestCardThatComesLater(t *testing.T) {
	h := open(t, smitest.Healthy(1)).run()
	_, i := h.sample(0, func(s *probe.Sample) bool { return s.Seq > 1 && read(s) })
	smitest.Set(t, h.dir, smitest.Healthy(2))
	h.wait("two cards", i, func(m probe.Message) bool {
		inv, ok := m.(*probe.Inventory)
		return ok && len(inv.GPUs) == 2
	})
	got, _ := h.sample(i, func(s *probe.Sample) bool { return len(s.GPUs) == 2 })
	wantValue(t, got.GPUs[1], probe.Temp, 61)
}

// oddities 61 and 62: the loop never runs faster than twice a second, and a
// higher rate is answered by saying so.
func TestOddity61RateIsCapped(t *testing.T) {
	h := open(t, smitest.Healthy(1), func(p *smi.Params) { p.Rate = 1 })
	if h.look.Rate() != 1 {
		t.Errorf("rate %v", h.look.Rate())
	}
	h.run()
	_, i := h.sample(0, whole)
	h.look.SetRate(10)
	e, _ := h.event(probe.EventSource, i)
	if !strings.Contains(e.Text, "10 were asked for") || h.look.Rate() != smi.MaxRate {
		t.Errorf("event %+v, rate %v", e, h.look.Rate())
	}
	h.wait("a loop of 500 ms", 0, func(probe.Message) bool {
		for _, c := range smitest.Calls(t, h.dir) {
			if strings.HasSuffix(c.Args, "-lms 500") {
				return true
			}
		}
		return false
	})
	for _, c := range smitest.Calls(t, h.dir) {
		if c.Loop() && !strings.HasSuffix(c.Args, "-lms 500") && !strings.HasSuffix(c.Args, "-lms 1000") {
			t.Errorf("call %+v", c)
		}
	}
}

// Process lists that may not be read are denied, not empty.
func TestProcessesDenied(t *testing.T) {
	s := smitest.Healthy(1)
	s.AppsFail = &smitest.Fail{Out: "Insufficient Permissions\n", Exit: 4}
	h := open(t, s).run()
	got, _ := h.sample(0, func(s *probe.Sample) bool { return s.GPUs[0].Procs != nil })
	if p := got.GPUs[0].Procs; p.State != probe.Denied || p.Raw == "" {
		t.Errorf("processes %+v", p)
	}
}
