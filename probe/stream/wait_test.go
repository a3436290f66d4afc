//go:build linux

package stream

import (
	"testing"
	"time"
)

// Patience is how long a test waits for something that must come. What stands
// here serves the tests inside and outside the package.
const Patience = 40 * time.Second

// Await waits until the host's state is as wanted.
func Await(t *testing.T, h *Host, what string, want func(State) bool) State {
	t.Helper()
	got := make(chan State, 1024)
	cancel := h.OnState(func(s State) {
		select {
		case got <- s:
		default:
		}
	})
	defer cancel()
	deadline := time.After(Patience)
	for {
		select {
		case s := <-got:
			if want(s) {
				return s
			}
		case <-deadline:
			t.Fatalf("%s did not come; the state is %+v", what, h.State())
		}
	}
}

// AwaitPhase waits for a phase of the connection.
func AwaitPhase(t *testing.T, h *Host, p Phase) State {
	t.Helper()
	return Await(t, h, "phase "+p.String(), func(s State) bool { return s.Phase == p })
}

// Eventually waits for something that has no event of its own.
func Eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	deadline := time.After(Patience)
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for !is() {
		select {
		case <-look.C:
		case <-deadline:
			t.Fatalf("waited in vain for %s", what)
		}
	}
}
