package demo_test

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"rentgen/probe"
	"rentgen/probe/demo"
)

// TestThePastGoesOver reads the minutes before the connection and the first
// ticks after it: the same cards go on from where they were.
func TestThePastGoesOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := demo.Params{Start: time.Now()}
		var past []*probe.Sample
		demo.Past(p, func(m probe.Message) {
			switch m := m.(type) {
			case *probe.Inventory:
				if !m.Demo {
					t.Error("the past is not labelled as a demo")
				}
			case *probe.Sample:
				past = append(past, m)
			}
		})
		if n := time.Duration(len(past)) * time.Second; n != demo.PastSpan {
			t.Fatalf("%v of the past", n)
		}
		h := demo.New(p)
		messages, cancel := h.Subscribe(64)
		defer cancel()
		h.Start()
		defer h.Stop()
		var first *probe.Sample
		for first == nil {
			select {
			case m := <-messages:
				first, _ = m.(*probe.Sample)
			case <-time.After(30 * time.Second):
				t.Fatal("no tick came")
			}
		}
		last := past[len(past)-1]
		if d := first.Time.Sub(last.Time); d <= 0 || d > 3*time.Second {
			t.Errorf("%v between the past and the first tick", d)
		}
		for i := range first.GPUs {
			a, b := &last.GPUs[i], &first.GPUs[i]
			if a.UUID != b.UUID {
				t.Fatalf("card %s goes on as %s", a.UUID, b.UUID)
			}
			before, _ := a.Get(probe.Temp).Ok()
			after, _ := b.Get(probe.Temp).Ok()
			if math.Abs(before-after) > 4 {
				t.Errorf("the card jumps from %v to %v °C", before, after)
			}
			used, _ := a.Get(probe.Energy).Ok()
			later, _ := b.Get(probe.Energy).Ok()
			if later < used || later > used+3*460 {
				t.Errorf("energy goes from %v to %v J", used, later)
			}
		}
	})
}
