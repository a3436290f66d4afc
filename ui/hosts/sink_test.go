package hosts_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"rentgen/probe"
	"rentgen/ui/hosts"
	"rentgen/ui/hosts/hoststest"
)

func TestALogThatCouldNotStartIsTriedAgain(t *testing.T) {
	st, op, now := &hoststest.Store{LogErr: errors.New("disk full")}, &hoststest.Opener{}, hoststest.Now
	b := hosts.New(hosts.Params{Store: st, Opener: op, Record: func() bool { return true }, Now: func() time.Time { return now }})
	t.Cleanup(b.Close)
	h := add(t, b, hosts.Saved{ID: "a", Name: "Box", Line: "ssh a@b"})
	h.Connect()
	tries := 0
	st.Starting = func() { tries++ }
	s := op.Stream("a")
	s.Send(&probe.Inventory{}, tick(1), tick(2))
	now = now.Add(29 * time.Second)
	s.Send(tick(30))
	if tries != 1 {
		t.Errorf("%d tries within half a minute", tries)
	}
	now = now.Add(2 * time.Second)
	s.Send(tick(32))
	if _, err := h.Logging(); tries != 2 || err == nil {
		t.Errorf("%d tries, error %v", tries, err)
	}
	st.LogErr = nil
	now = now.Add(31 * time.Second)
	s.Send(tick(63), tick(64))
	if on, err := h.Logging(); !on || err != nil {
		t.Fatalf("logging is %v, %v, want it without an error", on, err)
	}
	if ms, _ := st.Logs()[0].Messages(); len(ms) != 3 {
		t.Errorf("%d messages, want inventory and two ticks", len(ms))
	}
}

func TestNobodyWaitsForALogThatStarts(t *testing.T) {
	b, st, op := newBook(t, true)
	h := add(t, b, hosts.Saved{ID: "a", Name: "Box", Line: "ssh a@b"})
	h.Connect()
	starting, goOn := make(chan struct{}), make(chan struct{})
	st.Starting = func() { close(starting); <-goOn }
	var reader sync.WaitGroup
	reader.Go(func() { op.Stream("a").Send(&probe.Inventory{}, tick(1)) })
	<-starting
	if on, err := h.Logging(); on || err != nil { // would wait for ever with the lock held
		t.Errorf("logging is %v, %v while it starts", on, err)
	}
	h.SetLogging(false)
	close(goOn)
	reader.Wait()
	if on, _ := h.Logging(); on {
		t.Error("a log that was not wanted any more goes on")
	}
	if _, reason := st.Logs()[0].Messages(); reason == "" {
		t.Error("the log that came too late is left open")
	}
}

func TestTapHearsEverythingUntilTheEnd(t *testing.T) {
	op := &hoststest.Opener{}
	var heard []probe.Message
	b := hosts.New(hosts.Params{
		Store: &hoststest.Store{}, Opener: op,
		Tap: func(h *hosts.Host, m probe.Message) {
			if h.ID != "a" {
				t.Errorf("host %s", h.ID)
			}
			heard = append(heard, m)
		},
	})
	t.Cleanup(b.Close)
	h := add(t, b, hosts.Saved{ID: "a", Name: "Box", Line: "ssh a@b"})
	h.Connect()
	s := op.Stream("a")
	s.Send(&probe.Inventory{}, tick(1), &probe.Gap{})
	h.Disconnect()
	s.Send(tick(2))
	if len(heard) != 3 {
		t.Errorf("heard %d messages, want three", len(heard))
	}
}
