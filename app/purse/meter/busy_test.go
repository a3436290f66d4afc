package meter

import (
	"testing"
	"time"
)

// TestBusyIsKnownOrNot: busy, idle and neither are three things.
func TestBusyIsKnownOrNot(t *testing.T) {
	r := newRig(t, noon())
	if g := r.glance(); g.Busy || g.Idle {
		t.Errorf("before anything was read: %+v", g)
	}
	r.boot("a", time.Hour)
	if g := r.glance(); g.Busy || g.Idle {
		t.Errorf("before a reading: %+v", g)
	}
	for i, c := range []struct {
		util       float64
		d          time.Duration
		busy, idle bool
	}{
		{-1, time.Minute, false, false},
		{90, time.Minute, true, false},
		{-1, time.Minute, false, false},
		{0, time.Minute, false, true},
		{-1, 2 * time.Second, false, false},
		{-1, 2 * maxQuiet * time.Second, false, false},
		{90, time.Minute, true, false},
	} {
		r.look(c.d, c.util)
		if g := r.glance(); g.Busy != c.busy || g.Idle != c.idle {
			t.Errorf("%d: busy %v, idle %v", i, g.Busy, g.Idle)
		}
	}
	r.now = r.now.Add(time.Hour)
	if g := r.glance(); g.Busy {
		t.Error("busy an hour after the last reading")
	}
}
