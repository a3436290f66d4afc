package sense

import (
	"slices"
	"sync"
	"testing"
	"time"

	"rentgen/app/judge"
	"rentgen/app/purse"
	"rentgen/app/purse/pursetest"
	"rentgen/probe"
)

var start = time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)

var box = Host{ID: "a", Name: "Box", Track: "shared", Connected: true, Live: true}

// clock is a time that a test sets.
type clock struct {
	mu sync.Mutex
	t  time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

func (c *clock) set(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = t
}

func inventory() *probe.Inventory {
	return &probe.Inventory{
		Time: start, Source: probe.SourceAgent, Mode: probe.ModeGPU,
		GPUs: []probe.Device{{UUID: "GPU-1", Name: "NVIDIA GeForce RTX 4090", MemTotal: probe.Of(24564), PowerCap: probe.Of(450), PowerDefault: probe.Of(450), ClockMaxSM: probe.Of(3105)}},
		Run:  probe.Run{BootID: "b", Init: start.Add(-time.Hour)},
	}
}

// second is a reading of a card that does nothing, or works.
func second(i int, busy bool) *probe.Sample {
	at := start.Add(time.Duration(i) * time.Second)
	g := probe.GPU{UUID: "GPU-1", Name: "NVIDIA GeForce RTX 4090"}
	set := map[probe.Metric]float64{probe.UtilGPU: 0, probe.Power: 22, probe.ClockSM: 210, probe.MemUsed: 600, probe.MemTotal: 24564, probe.Temp: 38, probe.PowerCap: 450, probe.EventReasons: 1}
	if busy {
		set[probe.UtilGPU], set[probe.Power], set[probe.ClockSM], set[probe.MemUsed], set[probe.Temp], set[probe.EventReasons] = 99, 402+float64(i%7), 2520, 14000, 66, 0
	}
	for m, v := range set {
		g.Set(m, probe.Of(v))
	}
	sys := &probe.System{}
	sys.Set(probe.CPU, probe.Of(3))
	sys.Set(probe.Queue, probe.Of(0))
	return &probe.Sample{Seq: uint64(i + 1), Time: at, GPUs: []probe.GPU{g}, System: sys}
}

func feed(s *Sense, c *clock, from, to int, busy bool) {
	for i := from; i < to; i++ {
		m := second(i, busy)
		c.set(m.Time.Add(100 * time.Millisecond))
		s.Message(box, m)
	}
}

func newSense(t *testing.T, p Params) (*Sense, *clock) {
	t.Helper()
	c := &clock{t: start}
	p.Now = c.now
	s := New(p)
	t.Cleanup(s.Close)
	return s, c
}

func kinds(vs []judge.Verdict) (out []judge.Kind) {
	for _, v := range vs {
		out = append(out, v.Kind)
	}
	return out
}

func TestVerdictsStayUntilTheyChange(t *testing.T) {
	s, c := newSense(t, Params{})
	if vs, n := s.Verdicts("a"); vs != nil || n != 0 {
		t.Error("verdicts without a reading")
	}
	s.Message(box, inventory())
	feed(s, c, 0, 300, true)
	one, v1 := s.Verdicts("a")
	two, v2 := s.Verdicts("a")
	if len(one) == 0 || v1 != v2 || &one[0] != &two[0] {
		t.Errorf("%d verdicts, versions %d and %d", len(one), v1, v2)
	}
	kept := slices.Clone(one)
	feed(s, c, 300, 900, false)
	if !slices.EqualFunc(kept, one, func(a, b judge.Verdict) bool { return a.Kind == b.Kind && a.To.Equal(b.To) }) {
		t.Error("a list that was handed out changed")
	}
	if _, v3 := s.Verdicts("a"); v3 == v2 {
		t.Error("another version is due")
	}
}

func TestForgettingAHostForgetsItsCosts(t *testing.T) {
	st := &pursetest.Store{}
	s, c := newSense(t, Params{Purse: st})
	if err := s.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.Message(box, inventory())
	feed(s, c, 0, 120, false)
	if err := s.Book().Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Forget(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	left, err := st.PurseEntries(t.Context(), purse.Filter{Host: "a"})
	if _, ok := s.Glance("a"); ok || err != nil || len(left) != 0 {
		t.Errorf("%d entries are left, %v", len(left), err)
	}
	if vs, _ := s.Verdicts("a"); vs != nil {
		t.Error("verdicts are left")
	}
}

func TestTheDemoCostsNothing(t *testing.T) {
	st := &pursetest.Store{}
	s, c := newSense(t, Params{Purse: st})
	if err := s.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	made := Host{ID: "a", Name: "Demo", Demo: true}
	s.Message(made, inventory())
	for i := range 60 {
		m := second(i, true)
		c.set(m.Time)
		s.Message(made, m)
	}
	if err := s.Book().Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	g, ok := s.Glance("a")
	all, err := st.PurseEntries(t.Context(), purse.Filter{AnyHost: true})
	if !ok || !g.Priced || g.Today.Wide() || len(s.Running()) != 0 || err != nil || len(all) != 0 {
		t.Errorf("%v, glance %+v, running %v, %d entries kept", ok, g, s.Running(), len(all))
	}
}
