//go:build linux

package stream_test

import (
	"errors"
	"testing"

	"rentgen/probe"
	"rentgen/probe/smi/smitest"
	"rentgen/probe/stream"
)

// eventOf waits for an event of a kind.
func eventOf(t *testing.T, l *log, kind string) *probe.Event {
	t.Helper()
	var found *probe.Event
	until(t, "event "+kind, func() bool {
		for _, e := range of[*probe.Event](l) {
			if e.Kind == kind {
				found = e
				return true
			}
		}
		return false
	})
	return found
}

func TestSSHDCards(t *testing.T) {
	t.Parallel()
	t.Run("case 36: library and driver differ", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, rigOptions{scenario: "gpus 1\ninit 18\n"})
		h, l := r.look(nil)
		s := reach(t, h, "a tick", func(s stream.State) bool { return s.Phase == stream.Live })
		eventOf(t, l, probe.EventDriverMismatch)
		var none *stream.NoCardError
		if s = h.State(); s.Mode != probe.ModeFault || !errors.As(s.Err, &none) || none.Mode != probe.ModeFault {
			t.Fatalf("state %+v", s)
		}
		if got := ticks(t, l, 2); got[1].System == nil {
			t.Fatal("the machine is not read")
		}
	})
	t.Run("case 37: the container loses its cards", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, rigOptions{scenario: onePlain + "rc 0 * 999 1500\n"})
		h, l := r.look(func(p *stream.Params) { p.Rate = 5 })
		reachPhase(t, h, stream.Live)
		eventOf(t, l, probe.EventAccess)
		for _, s := range ticks(t, l, 4) {
			for _, g := range s.GPUs {
				if v := g.Get(probe.UtilGPU); v.State == probe.OK {
					t.Fatalf("an old reading is repeated: %+v", v)
				}
			}
		}
		if h.State().Phase != stream.Live {
			t.Fatalf("state %+v", h.State())
		}
	})
	t.Run("case 38: a driver call hangs, the other card goes on", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, rigOptions{scenario: "gpus 2\nset * util 50\nset * power 200\nslow 1 nvmlDeviceGetUtilizationRates 60000 1500\nslow 1 nvmlDeviceGetPowerUsage 60000 1500\n"})
		h, l := r.look(nil)
		reachPhase(t, h, stream.Live)
		eventOf(t, l, probe.EventStalled)
		got := ticks(t, l, 3)
		last := got[len(got)-1]
		if v := last.GPUs[0].Get(probe.UtilGPU); v.State != probe.OK {
			t.Fatalf("the other card reads %+v", v)
		}
		if h.State().Phase != stream.Live {
			t.Fatalf("state %+v", h.State())
		}
	})
	t.Run("a card is lost and comes back: a gap of its own", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, rigOptions{scenario: "gpus 2\nset * util 50\nset * power 200\nset * mem_used 900\nlost 1 1500 4000\n"})
		h, l := r.look(func(p *stream.Params) { p.Rate = 5 })
		reachPhase(t, h, stream.Live)
		until(t, "a gap", func() bool { return len(of[*probe.Gap](l)) > 0 })
		g := of[*probe.Gap](l)[0]
		id := h.Inventory().GPUs[1].UUID
		if g.Reason != probe.GapGPU || g.GPU != id || !g.To.After(g.From) {
			t.Fatalf("gap %+v, card %s", g, id)
		}
		if e := eventOf(t, l, probe.EventLost); e.GPU != id {
			t.Fatalf("event %+v", e)
		}
	})
	t.Run("no card and no driver", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, rigOptions{scenario: "none"})
		h, l := r.look(nil)
		s := reachPhase(t, h, stream.Live)
		var none *stream.NoCardError
		if s.Source != probe.SourceAgent || s.Reason != "" || !errors.As(s.Err, &none) || none.ExitCode() != 68 ||
			none.Mode == probe.ModeFault || none.Detail == "" {
			t.Fatalf("state %+v", s)
		}
		if got := ticks(t, l, 2); got[1].System == nil || len(got[1].GPUs) != 0 {
			t.Fatal("the machine is not read")
		}
		for _, e := range of[*probe.Event](l) {
			if e.Kind == probe.EventSource {
				t.Fatalf("told of another source: %+v", e)
			}
		}
	})
	t.Run("no library, but nvidia-smi: simple readings with the reason", func(t *testing.T) {
		t.Parallel()
		bin := smitest.Install(t, smitest.Healthy(1))
		r := newRig(t, rigOptions{env: map[string]string{"PATH": bin + ":" + plainPath}, scenario: "none"})
		h, l := r.look(nil)
		s := reachPhase(t, h, stream.Live)
		if s.Source != probe.SourceSMI || s.Reason != probe.ReasonNoLibrary || s.Detail == "" || s.Err != nil {
			t.Fatalf("state %+v", s)
		}
		if got := ticks(t, l, 2); len(got[1].GPUs) != 1 {
			t.Fatalf("tick %+v", got[1])
		}
	})
	t.Run("our program is asked for and has no library: it stays", func(t *testing.T) {
		t.Parallel()
		bin := smitest.Install(t, smitest.Healthy(1))
		r := newRig(t, rigOptions{env: map[string]string{"PATH": bin + ":" + plainPath}, scenario: "none"})
		h, _ := r.look(func(p *stream.Params) { p.Source = stream.SourceAgent })
		if s := reachPhase(t, h, stream.Live); s.Source != probe.SourceAgent {
			t.Fatalf("state %+v", s)
		}
	})
	t.Run("case 45: GPU is lost inside the rows", func(t *testing.T) {
		t.Parallel()
		s := smitest.Healthy(2)
		bad := s.Ticks[0]
		bad.Before = "Unable to determine the device handle for GPU 0000:02:00.0: GPU is lost.  Reboot the system to recover this GPU\n"
		s.Ticks = append(s.Ticks, bad, s.Ticks[0])
		bin := smitest.Install(t, s)
		r := newRig(t, rigOptions{env: map[string]string{"PATH": bin + ":" + plainPath}, scenario: "none"})
		h, l := r.look(func(p *stream.Params) { p.Source = stream.SourceSMI })
		reachPhase(t, h, stream.Live)
		eventOf(t, l, probe.EventLost)
		ticks(t, l, 2)
		if h.State().Phase != stream.Live {
			t.Fatalf("state %+v", h.State())
		}
	})
}
