package chart

import (
	"sync"
	"testing"
	"time"
)

func TestDrawingNowReplacesTheOneThatIsDue(t *testing.T) {
	var waiting []func()
	drawn := 0
	clock := time.Unix(100, 0)
	p := pacer{
		Pace: Pace{
			After: func(_ time.Duration, f func()) { waiting = append(waiting, f) },
			Do:    func(f func()) { f() },
			Now:   func() time.Time { return clock },
		},
		mu: new(sync.Mutex), draw: func() { drawn++ },
	}
	p.touch(dataPace)
	p.now()
	for _, f := range waiting {
		f()
	}
	if drawn != 1 {
		t.Errorf("drawn %d times, want once", drawn)
	}
	waiting = nil
	clock = clock.Add(time.Second)
	p.touch(dataPace)
	for _, f := range waiting {
		f()
	}
	if drawn != 2 {
		t.Errorf("drawn %d times after the next reading, want 2", drawn)
	}
}
