package demo_test

import (
	"testing"
	"time"

	"rentgen/probe"
	"rentgen/probe/demo"
	"rentgen/probe/stream"
)

const patience = 20 * time.Second

// wait reads messages until one is what is sought.
func wait[T probe.Message](t *testing.T, c <-chan probe.Message, want func(T) bool) T {
	t.Helper()
	deadline := time.After(patience)
	for {
		select {
		case m := <-c:
			if v, ok := m.(T); ok && want(v) {
				return v
			}
		case <-deadline:
			t.Fatal("did not come in time")
		}
	}
}

func TestLiveDemo(t *testing.T) {
	h := demo.New(demo.Params{Rate: 10})
	c, cancel := h.Subscribe(1000)
	defer cancel()
	h.Start()
	defer h.Stop()
	inv := wait(t, c, func(i *probe.Inventory) bool { return true })
	if !inv.Demo || len(inv.GPUs) != 2 || inv.Mode != probe.ModeGPU || inv.Source != probe.SourceAgent {
		t.Fatalf("inventory %+v", inv)
	}
	for seq := uint64(1); seq <= 12; seq++ {
		s := wait(t, c, func(*probe.Sample) bool { return true })
		if s.Seq != seq {
			t.Fatalf("seq %d, want %d", s.Seq, seq)
		}
		if s.System == nil || s.GPUs[0].Procs == nil || s.GPUs[1].Procs == nil {
			t.Fatalf("tick %d lacks the machine or processes", seq)
		}
	}
	if st := h.State(); st.Phase != stream.Live || st.Mode != probe.ModeGPU || st.Err != nil {
		t.Fatalf("state %+v", st)
	}
}
