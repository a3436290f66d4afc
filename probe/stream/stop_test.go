package stream_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"rentgen/probe"
	"rentgen/probe/demo"
	"rentgen/probe/remote"
	"rentgen/probe/stream"
)

// stuck is a connection that opens nothing and notices no end.
type stuck struct {
	remote.Conn
	closed chan struct{}
	once   sync.Once
}

func (s *stuck) Start(context.Context, string) (remote.Proc, error) {
	<-s.closed
	return nil, errors.New("closed")
}

func (s *stuck) Done() <-chan struct{} { return s.closed }
func (s *stuck) Err() error            { return errors.New("closed") }

func (s *stuck) Close() error {
	s.once.Do(func() { close(s.closed) })
	return nil
}

func TestStopOverADeadLink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &stuck{closed: make(chan struct{})}
		h := stream.New(stream.Params{Dial: func(context.Context, func(string)) (remote.Conn, error) { return c, nil }})
		h.Start()
		pass(sec)
		from := time.Now()
		h.Stop()
		if d := time.Since(from); d > 5*sec {
			t.Fatalf("Stop took %v", d)
		}
		if s := h.State(); s.Phase != stream.Off {
			t.Fatalf("state %+v", s)
		}
	})
}

func TestStopAndStartAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, _, l, _ := demoHost(t, demo.Params{}, nil)
		pass(5 * sec)
		h.Stop()
		h.Stop()
		if s := h.State(); s.Phase != stream.Off || s.Err != nil {
			t.Fatalf("state %+v", s)
		}
		pass(60 * sec)
		h.Start()
		h.Start()
		pass(5 * sec)
		synctest.Wait()
		gaps := of[*probe.Gap](l)
		if len(gaps) != 1 || gaps[0].Reason != probe.GapPaused || h.State().Phase != stream.Live {
			t.Fatalf("%d gaps, state %+v", len(gaps), h.State())
		}
	})
}
