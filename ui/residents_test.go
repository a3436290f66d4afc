package ui

import (
	"testing"

	"rentgen/probe"
)

// TestAHostIsAskedOnceWithEachConnection: the guard's stops are told without Home
// being open.
func TestAHostIsAskedOnceWithEachConnection(t *testing.T) {
	r := newResidents(nil)
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
