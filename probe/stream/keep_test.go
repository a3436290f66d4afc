package stream_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"rentgen/probe"
	"rentgen/probe/demo"
	"rentgen/probe/remote"
	"rentgen/probe/stream"
)

// The tests of this file run in a bubble where time passes at once.

// laptop is a clock whose wall can be moved on its own, as a sleep does where
// the monotonic clock stops.
type laptop struct {
	mu    sync.Mutex
	ahead time.Duration
	start time.Time
}

func newLaptop() *laptop { return &laptop{start: time.Now()} }

func (l *laptop) Wall() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Now().Round(0).Add(l.ahead)
}

func (l *laptop) Mono() time.Duration { return time.Since(l.start) }

func (l *laptop) After(d time.Duration) (<-chan time.Time, func()) {
	t := time.NewTimer(d)
	return t.C, func() { t.Stop() }
}

func (l *laptop) sleep(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ahead += d
}

// dials notes when a connection is tried, and lets it fail.
type dials struct {
	mu   sync.Mutex
	at   []time.Duration
	from time.Time
	err  error
}

func (d *dials) dial(context.Context, func(string)) (remote.Conn, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.at = append(d.at, time.Since(d.from).Round(time.Millisecond))
	return nil, d.err
}

func (d *dials) times() []time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.at)
}

const sec = time.Second

func TestRetryTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &dials{from: time.Now(), err: &remote.Error{Stage: remote.StageDial, Kind: remote.KindTimeout}}
		h := stream.New(stream.Params{Dial: d.dial})
		h.Start()
		defer h.Stop()
		pass(120 * sec)
		synctest.Wait()
		if want := []time.Duration{0, 1 * sec, 3 * sec, 8 * sec, 23 * sec, 53 * sec, 83 * sec, 113 * sec}; !slices.Equal(d.times(), want) {
			t.Fatalf("tried at %v, want %v", d.times(), want)
		}
		s := h.State()
		if s.Phase != stream.Waiting || !errors.Is(s.Err, d.err) || time.Until(s.RetryAt) != 23*sec || s.Attempt != 8 {
			t.Fatalf("state %+v", s)
		}
		h.Retry()
		synctest.Wait()
		if got := d.times(); got[len(got)-1] != 120*sec {
			t.Fatalf("not tried at once: %v", got)
		}
		pass(sec)
		synctest.Wait()
		if got := d.times(); got[len(got)-1] != 121*sec {
			t.Fatalf("the waits do not start anew: %v", got)
		}
	})
}

func TestWakeRetriesAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &dials{from: time.Now(), err: &remote.Error{Stage: remote.StageDial, Kind: remote.KindUnreachable}}
		clock := newLaptop()
		h := stream.New(stream.Params{Dial: d.dial, Clock: clock})
		h.Start()
		defer h.Stop()
		pass(55500 * time.Millisecond) // in the first wait of 30 s
		clock.sleep(3 * time.Hour)
		pass(2 * sec)
		synctest.Wait()
		want := []time.Duration{0, 1 * sec, 3 * sec, 8 * sec, 23 * sec, 53 * sec, 56 * sec, 57 * sec}
		if got := d.times(); !slices.Equal(got, want) {
			t.Fatalf("case 31: tried at %v, want %v", got, want)
		}
	})
}

func TestFailuresThatNeedAPerson(t *testing.T) {
	for _, kind := range []remote.Kind{
		remote.KindAuth, remote.KindHostKeyChanged, remote.KindHostKeyUnknown, remote.KindPassphrase,
		remote.KindNoOneToAsk, remote.KindCancelled, remote.KindTerminalOnly,
	} {
		t.Run(string(kind), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := &dials{from: time.Now(), err: &remote.Error{Kind: kind}}
				clock := newLaptop()
				h := stream.New(stream.Params{Dial: d.dial, Clock: clock})
				h.Start()
				defer h.Stop()
				pass(60 * sec)
				clock.sleep(time.Hour) // a wake must not bring up a question either
				pass(60 * sec)
				synctest.Wait()
				if s := h.State(); s.Phase != stream.Failed || len(d.times()) != 1 {
					t.Fatalf("tried %d times; state %+v", len(d.times()), s)
				}
				h.Retry()
				synctest.Wait()
				if len(d.times()) != 2 {
					t.Fatal("Retry does not try")
				}
			})
		})
	}
}

func TestSilentPeer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, ls, l, _ := demoHost(t, demo.Params{}, nil)
		pass(5300 * time.Millisecond)
		last := h.State().LastTick
		close(ls.last().frozen)
		pass(2 * sec)
		synctest.Wait()
		if p := h.State().Phase; p != stream.Live {
			t.Fatalf("after 2 s it is %v", p)
		}
		pass(2500 * time.Millisecond)
		synctest.Wait()
		if p := h.State().Phase; p != stream.Stale {
			t.Fatalf("after 4.5 s it is %v", p)
		}
		pass(9 * sec)
		synctest.Wait()
		if n := ls.count(); n != 1 {
			t.Fatalf("reconnected too early, %d links", n)
		}
		pass(7 * sec)
		synctest.Wait()
		if n := ls.count(); n != 2 {
			t.Fatalf("not reconnected after 15 s of silence, %d links; %+v", n, h.State())
		}
		gaps := of[*probe.Gap](l)
		if len(gaps) != 1 || gaps[0].Reason != probe.GapLink {
			t.Fatalf("gaps %+v", gaps)
		}
		samples := of[*probe.Sample](l)
		i := slices.IndexFunc(samples, func(s *probe.Sample) bool { return s.Time.Equal(gaps[0].To) })
		if i < 1 || !samples[i-1].Time.Equal(gaps[0].From) {
			t.Fatalf("the gap %+v does not lie between two ticks", gaps[0])
		}
		if d := gaps[0].From.Sub(last); d.Abs() > 1100*time.Millisecond {
			t.Fatalf("the gap starts %v off the last tick", d)
		}
		for i, s := range samples {
			if s.Seq != uint64(i)+1 {
				t.Fatalf("seq %d at %d", s.Seq, i)
			}
		}
	})
}

func TestBrokenLink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, ls, l, _ := demoHost(t, demo.Params{}, nil)
		pass(5 * sec)
		ls.mu.Lock()
		ls.fail = &remote.Error{Stage: remote.StageDial, Kind: remote.KindTimeout}
		ls.mu.Unlock()
		ls.last().cut(&remote.Error{Stage: remote.StageSession, Kind: remote.KindLost})
		pass(10 * sec)
		if s := h.State(); s.Phase != stream.Waiting {
			t.Fatalf("state %+v", s)
		}
		ls.mu.Lock()
		ls.fail = nil
		ls.mu.Unlock()
		h.Retry()
		pass(2 * sec)
		synctest.Wait()
		if s := h.State(); s.Phase != stream.Live || s.Err != nil || s.Attempt != 0 {
			t.Fatalf("state %+v", s)
		}
		gaps := of[*probe.Gap](l)
		if len(gaps) != 1 || gaps[0].Reason != probe.GapLink || gaps[0].To.Sub(gaps[0].From) < 9*sec {
			t.Fatalf("gaps %+v", gaps)
		}
	})
}

func TestWakeOverASilentLink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, ls, l, clock := demoHost(t, demo.Params{}, nil)
		pass(5 * sec)
		close(ls.last().frozen) // the address is another one after the sleep
		clock.sleep(2 * time.Hour)
		pass(5 * sec)
		synctest.Wait()
		if ls.count() != 1 {
			t.Fatal("case 31: given up within 5 s of the wake; a radio needs longer")
		}
		pass(6 * sec)
		synctest.Wait()
		if ls.count() != 2 {
			t.Fatalf("not reconnected 11 s after the wake; %+v", h.State())
		}
		pass(2 * sec)
		synctest.Wait()
		gaps := of[*probe.Gap](l)
		if len(gaps) != 1 || gaps[0].To.Sub(gaps[0].From) < 2*time.Hour {
			t.Fatalf("gaps %+v", gaps)
		}
	})
}

func TestPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, ls, l, _ := demoHost(t, demo.Params{}, nil)
		pass(5 * sec)
		h.Pause()
		pass(60 * sec)
		synctest.Wait()
		if s := h.State(); s.Phase != stream.Paused || ls.count() != 1 {
			t.Fatalf("state %+v, %d links", s, ls.count())
		}
		n := len(of[*probe.Sample](l))
		h.Resume()
		pass(5 * sec)
		synctest.Wait()
		if s := h.State(); s.Phase != stream.Live || len(of[*probe.Sample](l)) < n+4 {
			t.Fatalf("state %+v, ticks %d then %d", s, n, len(of[*probe.Sample](l)))
		}
		gaps := of[*probe.Gap](l)
		if len(gaps) != 1 || gaps[0].Reason != probe.GapPaused {
			t.Fatalf("gaps %+v", gaps)
		}
		if d := gaps[0].To.Sub(gaps[0].From); d < 59*sec || d > 63*sec {
			t.Fatalf("the gap is %v long", d)
		}
	})
}

func TestRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, _, l, _ := demoHost(t, demo.Params{}, nil)
		pass(5 * sec)
		h.SetRate(10)
		pass(sec)
		before := len(of[*probe.Sample](l))
		pass(10 * sec)
		synctest.Wait()
		after := len(of[*probe.Sample](l))
		if n := after - before; n < 98 || n > 102 {
			t.Fatalf("%d ticks in 10 s at 10 Hz", n)
		}
		if h.State().Rate != 10 || len(of[*probe.Gap](l)) != 0 {
			t.Fatalf("state %+v, gaps %+v", h.State(), of[*probe.Gap](l))
		}
		for _, s := range of[*probe.Sample](l)[before:] {
			if s.System == nil || s.GPUs[0].Procs == nil {
				t.Fatal("a tick between two readings of the machine lost them")
			}
		}
	})
}

func TestStalledSubscriber(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, _, l, _ := demoHost(t, demo.Params{Rate: 10}, nil)
		l.slow = 30 * time.Millisecond
		c, cancel := h.Subscribe(4)
		defer cancel()
		pass(60 * sec)
		synctest.Wait()
		pass(10 * sec) // the slow sink catches up
		s := h.State()
		if s.Phase != stream.Live || s.Missed < 500 || s.Unstored != 0 {
			t.Fatalf("state %+v", s)
		}
		var newest *probe.Sample
		for len(c) > 0 {
			if v, ok := (<-c).(*probe.Sample); ok {
				newest = v
			}
		}
		if newest == nil || time.Since(newest.Time) > sec {
			t.Fatalf("the stalled reader finds old ticks: %v", newest)
		}
		for i, s := range of[*probe.Sample](l) {
			if s.Seq != uint64(i)+1 {
				t.Fatalf("the sink lost ticks: seq %d at %d", s.Seq, i)
			}
		}
	})
}

func TestNoCard(t *testing.T) {
	for fault, mode := range map[demo.Fault]probe.Mode{
		demo.FaultNoGPU: probe.ModeNoGPU, demo.FaultNoDriver: probe.ModeNoDriver,
	} {
		t.Run(string(mode), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h, _, l, _ := demoHost(t, demo.Params{Fault: fault}, nil)
				pass(10 * sec)
				synctest.Wait()
				s := h.State()
				var none *stream.NoCardError
				if s.Phase != stream.Live || s.Mode != mode || !errors.As(s.Err, &none) || none.Mode != mode || none.ExitCode() != 68 {
					t.Fatalf("state %+v", s)
				}
				ticks := of[*probe.Sample](l)
				if len(ticks) < 9 || ticks[5].System == nil {
					t.Fatalf("the machine is not read: %d ticks", len(ticks))
				}
				marks := 0
				for _, e := range of[*probe.Event](l) {
					if e.Kind == probe.EventNoGPU {
						marks++
					}
				}
				if want := map[probe.Mode]int{probe.ModeNoGPU: 1}[mode]; marks != want {
					t.Fatalf("%d marks, want %d", marks, want)
				}
			})
		})
	}
}

func TestDemoCourse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, ls, l, _ := demoHost(t, demo.Params{}, nil)
		pass(300 * sec)
		synctest.Wait()
		if ls.count() != 1 || h.State().Phase != stream.Live {
			t.Fatalf("%d links, state %+v", ls.count(), h.State())
		}
		gaps := of[*probe.Gap](l)
		if len(gaps) != 1 || gaps[0].Reason != probe.GapLink {
			t.Fatalf("gaps %+v", gaps)
		}
		xids := 0
		for _, e := range of[*probe.Event](l) {
			if e.Kind == probe.EventXid {
				xids++
			}
		}
		if xids != 1 {
			t.Fatalf("%d error marks", xids)
		}
	})
}
