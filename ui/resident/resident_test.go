package resident

import (
	"testing"
	"time"

	"rentgen/app/purse/guard"
	"rentgen/probe"
)

// TestAHostIsAskedOnceWithEachConnection: the guard's stops are told without Home
// being open.
func TestAHostIsAskedOnceWithEachConnection(t *testing.T) {
	r := New(Params{})
	if r.begins("a", &probe.Sample{}) {
		t.Error("asked before any connection")
	}
	for range 2 {
		if r.begins("a", &probe.Inventory{}) {
			t.Error("asked before it gives readings")
		}
		for range 2 { // not live yet at the first
			if !r.begins("a", &probe.Sample{}) {
				t.Error("not asked")
			}
		}
		r.of["a"].due = false
		if r.begins("a", &probe.Sample{}) || r.begins("a", &probe.Event{}) {
			t.Error("asked twice")
		}
	}
}

// TestACountdownIsToldOnce, and looked for while the guard is on.
func TestACountdownIsToldOnce(t *testing.T) {
	now := time.Unix(1e9, 0)
	r := New(Params{Now: func() time.Time { return now }})
	x := &host{known: true, asked: now}
	r.of["a"] = x
	for _, c := range []struct {
		phase guard.Phase
		dry   bool
		told  bool
	}{{guard.Watching, false, false}, {guard.Counting, true, false}, {guard.Counting, false, true}, {guard.Counting, false, false}, {guard.Kept, false, false}, {guard.Counting, false, true}} {
		x.report.State.Phase, x.report.State.Order.DryRun = c.phase, c.dry
		if x.counts() != c.told {
			t.Errorf("%s, dry %v: told %v", c.phase, c.dry, !c.told)
		}
		x.asked = now
		if r.begins("a", &probe.Sample{}) {
			t.Error("asked at once")
		}
		if x.asked = now.Add(-guardEvery); !r.begins("a", &probe.Sample{}) {
			t.Errorf("not asked again in phase %s", c.phase)
		}
	}
	if x.report.State.Phase = guard.Off; r.begins("a", &probe.Sample{}) {
		t.Error("asked where no guard is on")
	}
}
