package demo_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"rentgen/probe"
	"rentgen/probe/demo"
	"rentgen/probe/remote"
	"rentgen/probe/stream"
)

var day = time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)

// told collects an hour of the demo.
func told(p demo.Params, length, step time.Duration) (all []probe.Message) {
	demo.History(p, day, day.Add(length), step, func(m probe.Message) { all = append(all, m) })
	return all
}

func samples(all []probe.Message) (out []*probe.Sample) {
	for _, m := range all {
		if s, ok := m.(*probe.Sample); ok {
			out = append(out, s)
		}
	}
	return out
}

func TestSameSeedSameTrace(t *testing.T) {
	text := func(seed uint64) string {
		b, err := json.Marshal(told(demo.Params{Seed: seed}, 5*time.Minute, time.Second))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	first, second, other := text(7), text(7), text(8)
	if first != second {
		t.Fatal("the same seed gives another trace")
	}
	if first == other {
		t.Fatal("another seed gives the same trace")
	}
}

// TestPlausible holds what a real pair of cards could not do.
func TestPlausible(t *testing.T) {
	all := told(demo.Params{}, time.Hour, time.Second)
	kinds, gaps := map[string]int{}, 0
	inv, ok := all[0].(*probe.Inventory)
	if !ok || !inv.Demo || len(inv.GPUs) != 2 {
		t.Fatalf("first message %+v", all[0])
	}
	for _, m := range all {
		switch m := m.(type) {
		case *probe.Event:
			kinds[m.Kind]++
		case *probe.Gap:
			gaps++
			if m.Reason != probe.GapLink || m.To.Sub(m.From) < 6*time.Second || m.To.Sub(m.From) > 8*time.Second {
				t.Errorf("gap %+v", m)
			}
		}
	}
	if kinds[probe.EventXid] != 4 || gaps != 4 {
		t.Errorf("events %v, %d gaps in four rounds", kinds, gaps)
	}
	seen := map[string]bool{}
	energy := map[string]float64{}
	for _, s := range samples(all) {
		if s.System == nil {
			t.Fatal("a whole second without the machine")
		}
		busy, _ := s.System.Get(probe.CPUBusiest).Ok()
		for i := range s.GPUs {
			g := &s.GPUs[i]
			get := func(m probe.Metric) float64 {
				v, ok := g.Get(m).Ok()
				if !ok {
					t.Fatalf("%s of %s is %+v", m, g.Name, g.Get(m))
				}
				return v
			}
			if u := get(probe.UtilGPU); u < 0 || u > 100 {
				t.Fatalf("utilisation %v", u)
			}
			if used := get(probe.MemUsed) + get(probe.MemReserved); used > get(probe.MemTotal) {
				t.Fatalf("memory %v of %v", used, get(probe.MemTotal))
			}
			if p := get(probe.Power); p > 455 || p < 5 {
				t.Fatalf("power %v", p)
			}
			if c := get(probe.Temp); c < 30 || c > 92 {
				t.Fatalf("temperature %v", c)
			}
			if e := get(probe.Energy); e < energy[g.UUID] {
				t.Fatalf("energy falls from %v to %v", energy[g.UUID], e)
			} else {
				energy[g.UUID] = e
			}
			reasons, _ := g.Get(probe.EventReasons).Mask()
			for name, is := range map[string]bool{
				"sampling":            get(probe.UtilGPU) > 95,
				"idle":                reasons&1 != 0 && get(probe.PState) == 8 && get(probe.Power) < 40,
				"slowed by power":     reasons&4 != 0 && get(probe.PowerCap) < 300,
				"slowed by heat":      reasons&0x20 != 0 && get(probe.Temp) > 80,
				"peak of decoding":    get(probe.MemUsed) > 16000,
				"loading, one thread": busy > 98 && get(probe.PCIeRx) > 1000 && get(probe.UtilGPU) < 10,
			} {
				seen[name] = seen[name] || is
			}
			if g.Get(probe.ECCCorrected).State != probe.Unsupported {
				t.Fatal("such a card has no ECC counters")
			}
			for _, sp := range g.Spreads {
				if sp.Min > get(probe.UtilGPU) || sp.Max < get(probe.UtilGPU) {
					t.Fatalf("spread %+v around %v", sp, get(probe.UtilGPU))
				}
			}
			if g.Procs != nil {
				for _, p := range g.Procs.List {
					seen["own"] = seen["own"] || p.Own
					seen["outside"] = seen["outside"] || !p.Own
				}
			}
		}
	}
	for _, name := range []string{
		"sampling", "idle", "slowed by power", "slowed by heat", "peak of decoding", "loading, one thread", "own", "outside",
	} {
		if !seen[name] {
			t.Errorf("an hour of the demo does not show: %s", name)
		}
	}
}

func TestHistoryIsNumbered(t *testing.T) {
	for _, fault := range []demo.Fault{demo.FaultNone, demo.FaultEightCards, demo.FaultNoGPU, demo.FaultDenied, demo.FaultLostCard} {
		all := samples(told(demo.Params{Fault: fault}, time.Minute, 100*time.Millisecond))
		for i, s := range all {
			if s.Seq != uint64(i)+1 || !s.Time.Equal(day.Add(time.Duration(i)*100*time.Millisecond)) {
				t.Fatalf("%s: tick %d is %d at %v", fault, i+1, s.Seq, s.Time)
			}
		}
		if want := map[demo.Fault]int{demo.FaultEightCards: 8, demo.FaultNoGPU: 0}; fault == demo.FaultEightCards || fault == demo.FaultNoGPU {
			if len(all[0].GPUs) != want[fault] {
				t.Fatalf("%s: %d cards", fault, len(all[0].GPUs))
			}
		}
	}
}

func TestFaults(t *testing.T) {
	var far *remote.Error
	var none *stream.NoCardError
	for _, c := range []struct {
		fault demo.Fault
		phase stream.Phase
		is    func(s stream.State, h *stream.Host) bool
	}{
		{demo.FaultNone, stream.Live, func(s stream.State, _ *stream.Host) bool { return s.Err == nil }},
		{demo.FaultConnecting, stream.Connecting, func(s stream.State, _ *stream.Host) bool { return s.Stage == "auth" }},
		{demo.FaultNoCommand, stream.Failed, func(s stream.State, _ *stream.Host) bool { return stream.KindOf(s.Err) == stream.KindTerminalOnly }},
		{demo.FaultHostKey, stream.Failed, func(s stream.State, _ *stream.Host) bool {
			return errors.As(s.Err, &far) && far.Kind == remote.KindHostKeyChanged && far.Change != nil
		}},
		{demo.FaultAuth, stream.Failed, func(s stream.State, _ *stream.Host) bool {
			return errors.As(s.Err, &far) && far.Kind == remote.KindAuth
		}},
		{demo.FaultLost, stream.Waiting, func(s stream.State, h *stream.Host) bool { return h.Latest() != nil && s.Err != nil }},
		{demo.FaultStale, stream.Stale, func(s stream.State, h *stream.Host) bool { return h.Latest() != nil }},
		{demo.FaultNoGPU, stream.Live, func(s stream.State, _ *stream.Host) bool {
			return errors.As(s.Err, &none) && s.Mode == probe.ModeNoGPU
		}},
		{demo.FaultNoDriver, stream.Live, func(s stream.State, _ *stream.Host) bool {
			return errors.As(s.Err, &none) && s.Mode == probe.ModeNoDriver
		}},
		{demo.FaultDenied, stream.Live, func(_ stream.State, h *stream.Host) bool {
			return h.Latest().GPUs[0].Get(probe.Power).State == probe.Denied && h.Latest().GPUs[0].Get(probe.UtilGPU).State == probe.OK
		}},
		{demo.FaultLostCard, stream.Live, func(_ stream.State, h *stream.Host) bool {
			return h.Latest().GPUs[1].Get(probe.UtilGPU).State == probe.Error
		}},
		{demo.FaultEightCards, stream.Live, func(_ stream.State, h *stream.Host) bool { return len(h.Latest().GPUs) == 8 }},
	} {
		t.Run(string(c.fault), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := demo.New(demo.Params{Fault: c.fault})
				h.Start()
				defer h.Stop()
				<-time.After(25 * time.Second)
				synctest.Wait()
				if s := h.State(); s.Phase != c.phase || !c.is(s, h) {
					t.Fatalf("state %+v", s)
				}
				if inv := h.Inventory(); inv != nil && !inv.Demo {
					t.Fatal("not labelled as a demo")
				}
				_, err := h.Run(context.Background(), stream.Command{Script: "nvidia-smi"})
				if c.phase == stream.Live && err != nil {
					t.Fatal(err)
				}
			})
		})
	}
	if len(demo.Faults()) != 12 {
		t.Fatal("a fault is not tested")
	}
}

func BenchmarkHistoryHour(b *testing.B) {
	for b.Loop() {
		demo.History(demo.Params{}, day, day.Add(time.Hour), time.Second, func(probe.Message) {})
	}
}

// TestProcessesHoldNoMoreThanIsInUse looks at every tick with the list that
// counts by then, which may be some ticks old.
func TestProcessesHoldNoMoreThanIsInUse(t *testing.T) {
	for _, step := range []time.Duration{100 * time.Millisecond, time.Second} {
		lists := map[string]*probe.Processes{}
		compared := 0
		for _, s := range samples(told(demo.Params{}, 20*time.Minute, step)) {
			for i := range s.GPUs {
				g := &s.GPUs[i]
				if g.Procs != nil {
					lists[g.UUID] = g.Procs
				}
				used, _ := g.Get(probe.MemUsed).Ok()
				var held float64
				for _, p := range lists[g.UUID].List {
					m, _ := p.Mem.Ok()
					held += m
				}
				if held > used {
					t.Fatalf("step %v: at %v processes hold %v of %v MiB in use", step, s.Time, held, used)
				}
				compared++
			}
		}
		if compared == 0 {
			t.Fatal("nothing was compared")
		}
	}
}
