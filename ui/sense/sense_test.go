package sense

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"rentgen/app/judge"
	"rentgen/app/judge/court"
	"rentgen/app/money"
	"rentgen/app/purse"
	"rentgen/app/purse/pursetest"
	"rentgen/app/purse/tariff"
	"rentgen/assets/texts"
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

func TestAnIdleInstanceIsSaidAndRings(t *testing.T) {
	var mu sync.Mutex
	var rung []purse.AlertKind
	s, c := newSense(t, Params{
		Purse: &pursetest.Store{}, Hosts: func() []Host { return nil },
		Notify: func(a purse.Alert) {
			mu.Lock()
			defer mu.Unlock()
			rung = append(rung, a.Kind)
		},
		Failed: func(err error) { t.Error(err) },
	})
	if err := s.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	hour := money.MustParse("1.88")
	if err := s.Book().SetTariff(t.Context(), "a", tariff.Tariff{Provider: "autodl", Currency: "CNY", PerHour: &hour, Since: start}); err != nil {
		t.Fatal(err)
	}
	before := s.Version()
	s.Message(box, inventory())
	feed(s, c, 0, 20*60, false)
	if !slices.Contains(kinds(s.Holding("a")), judge.Idle) {
		t.Errorf("after 20 idle minutes %v holds", kinds(s.Holding("a")))
	}
	g, ok := s.Glance("a")
	if !ok || !g.Priced || !g.Idle || g.IdleFor < 19*time.Minute || g.Today.Point.Sign() <= 0 {
		t.Errorf("the meter says %+v", g)
	}
	if run := s.Running(); len(run) != 1 || run[0].Count != 1 || run[0].Currency != "CNY" || run[0].Idle.Sign() <= 0 {
		t.Errorf("running: %+v", run)
	}
	if s.Version() == before {
		t.Error("nobody was told")
	}
	s.Weigh(box)
	mu.Lock()
	defer mu.Unlock()
	if !slices.Contains(rung, purse.AlertIdle) || s.Unseen() == 0 {
		t.Errorf("rang %v, %d unseen", rung, s.Unseen())
	}
}

// TestTheDayOfReleaseRings: also where nobody has said that the instance was
// stopped, and while its connection is still sought.
func TestTheDayOfReleaseRings(t *testing.T) {
	var rung []purse.AlertKind
	s, c := newSense(t, Params{
		Purse: &pursetest.Store{}, Notify: func(a purse.Alert) { rung = append(rung, a.Kind) },
		Failed: func(err error) { t.Error(err) },
	})
	if err := s.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	hour := money.MustParse("1.88")
	if err := s.Book().SetTariff(t.Context(), "a", tariff.Tariff{Provider: "autodl", Currency: "CNY", PerHour: &hour, Since: start}); err != nil {
		t.Fatal(err)
	}
	s.Message(box, inventory())
	feed(s, c, 0, 60, true)
	s.Weigh(box)
	c.set(start.AddDate(0, 0, 11))
	s.Weigh(box)
	if len(rung) != 0 {
		t.Fatalf("four days before %v rang", rung)
	}
	c.set(start.AddDate(0, 0, 13))
	s.Weigh(box)
	if !slices.Equal(rung, []purse.AlertKind{purse.AlertRelease}) {
		t.Errorf("two days before %v rang", rung)
	}
	if say := texts.For(texts.English).Say(s.Alerts()[0].Cost); !strings.Contains(say, "Data of 15 days") {
		t.Errorf("%q", say)
	}
}

// TestAPackageNotedInSetUpRings: nobody has said its price.
func TestAPackageNotedInSetUpRings(t *testing.T) {
	var rung []purse.AlertKind
	s, c := newSense(t, Params{
		Purse: &pursetest.Store{}, Notify: func(a purse.Alert) { rung = append(rung, a.Kind) },
		PaidUntil: func(context.Context, string) (time.Time, error) { return start.AddDate(0, 0, 5), nil },
		Failed:    func(err error) { t.Error(err) },
	})
	if err := s.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.readPaid("a")
	for _, days := range []int{0, 3, 3, 4} {
		c.set(start.AddDate(0, 0, days).Add(time.Hour))
		s.Weigh(box)
	}
	if !slices.Equal(rung, []purse.AlertKind{purse.AlertPackage, purse.AlertPackage}) {
		t.Errorf("%v rang; wanted is one some days before and one on the last", rung)
	}
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

// shelf keeps what was judged.
type shelf struct {
	kept map[int64]judge.Kept
	fail error
	save func() // runs before something is kept, may be nil
}

func (s *shelf) Judged(_ context.Context, id int64) (judge.Kept, error) { return s.kept[id], s.fail }

func (s *shelf) SaveJudged(_ context.Context, id int64, k judge.Kept) error {
	if s.save != nil {
		s.save()
	}
	s.kept[id] = k
	return s.fail
}

func (s *shelf) Phases(context.Context, int) (all []judge.Phase, _ error) {
	for _, k := range s.kept {
		all = append(all, k.Phases...)
	}
	return all, s.fail
}

func log(id int64, reads *int, open bool) Log {
	return Log{
		ID: id, Host: box, From: start, To: start.Add(899 * time.Second), Open: open,
		Messages: func(context.Context) judge.Messages {
			*reads++
			return func(yield func(probe.Message, error) bool) {
				if !yield(inventory(), nil) {
					return
				}
				for i := range 900 {
					if !yield(second(i, i < 700), nil) {
						return
					}
				}
			}
		},
	}
}

func TestALogIsJudgedOnce(t *testing.T) {
	st := &shelf{kept: map[int64]judge.Kept{}}
	s, _ := newSense(t, Params{Judged: st})
	reads := 0
	k, err := s.JudgeLog(t.Context(), log(7, &reads, false))
	if err != nil || len(k.Verdicts) == 0 || len(k.Phases) == 0 || k.Phases[0].Recording != 7 || k.Phases[0].Host != "a" {
		t.Fatalf("%v, %+v", err, k)
	}
	again, err := s.JudgeLog(t.Context(), log(7, &reads, false))
	if err != nil || reads != 1 || len(again.Verdicts) != len(k.Verdicts) {
		t.Errorf("read %d times, %v", reads, err)
	}
	// Other rules judge it anew.
	old := st.kept[7]
	old.Version = court.Version - 1
	st.kept[7] = old
	if _, err := s.JudgeLog(t.Context(), log(7, &reads, false)); err != nil || reads != 2 || st.kept[7].Version != court.Version {
		t.Errorf("read %d times, %v", reads, err)
	}
}

func TestALogThatGrowsIsJudgedNowAndThen(t *testing.T) {
	s, c := newSense(t, Params{Judged: &shelf{kept: map[int64]judge.Kept{}}})
	reads := 0
	for range 3 {
		if _, err := s.JudgeLog(t.Context(), log(7, &reads, true)); err != nil {
			t.Fatal(err)
		}
	}
	if reads != 1 {
		t.Errorf("read %d times within a moment", reads)
	}
	c.set(start.Add(openAgain + time.Second))
	if _, err := s.JudgeLog(t.Context(), log(7, &reads, true)); err != nil || reads != 2 {
		t.Errorf("read %d times, %v", reads, err)
	}
}

func TestLiveAndLogSayTheSame(t *testing.T) {
	s, c := newSense(t, Params{})
	s.Message(box, inventory())
	feed(s, c, 0, 700, true)
	feed(s, c, 700, 900, false)
	live, _ := s.Verdicts("a")
	reads := 0
	k, err := s.JudgeLog(t.Context(), log(1, &reads, false))
	if err != nil {
		t.Fatal(err)
	}
	closed := func(vs []judge.Verdict) (out []judge.Verdict) {
		for _, v := range vs {
			if !v.Open && v.To.Before(start.Add(690*time.Second)) {
				out = append(out, v)
			}
		}
		return out
	}
	a, b := closed(live), closed(k.Verdicts)
	if len(a) != len(b) {
		t.Fatalf("live %v, log %v", kinds(a), kinds(b))
	}
	for i := range a {
		if a[i].Kind != b[i].Kind || !a[i].From.Equal(b[i].From) || !a[i].To.Equal(b[i].To) {
			t.Errorf("live %+v, log %+v", a[i], b[i])
		}
	}
}

func TestAStoreThatFailsCostsNoVerdict(t *testing.T) {
	st := &shelf{kept: map[int64]judge.Kept{}, fail: errors.New("disk is gone")}
	failed := 0
	s, _ := newSense(t, Params{Judged: st, Failed: func(error) { failed++ }})
	reads := 0
	k, err := s.JudgeLog(t.Context(), log(7, &reads, false))
	if err != nil || len(k.Verdicts) == 0 || failed == 0 {
		t.Errorf("%v, %d verdicts, told %d times", err, len(k.Verdicts), failed)
	}
}

// TestWhoNoLongerAsksIsNoFault: another log was opened while one was judged.
func TestWhoNoLongerAsksIsNoFault(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	st := &shelf{kept: map[int64]judge.Kept{}, fail: context.Canceled, save: cancel}
	s, _ := newSense(t, Params{Judged: st, Failed: func(err error) { t.Error(err) }})
	reads := 0
	if k, err := s.JudgeLog(ctx, log(7, &reads, false)); err != nil || len(k.Verdicts) == 0 {
		t.Errorf("%v, %d verdicts", err, len(k.Verdicts))
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

func TestEndedLogsAreJudgedOnce(t *testing.T) {
	reads := 0
	demo := log(3, &reads, false)
	demo.Host.Demo = true
	st := &shelf{kept: map[int64]judge.Kept{}}
	s, _ := newSense(t, Params{Judged: st, Ended: func(context.Context) ([]Log, error) {
		return []Log{log(1, &reads, false), log(2, &reads, true), demo}, nil
	}})
	s.judgeEnded(t.Context())
	s.judgeEnded(t.Context())
	if reads != 1 || len(st.kept) != 1 || len(st.kept[1].Phases) == 0 {
		t.Errorf("%d logs were read, %d kept", reads, len(st.kept))
	}
}

func TestAnOldReadingRaisesNothing(t *testing.T) {
	s, _ := newSense(t, Params{Purse: &pursetest.Store{}})
	s.Message(box, inventory())
	hot := second(0, true)
	hot.GPUs[0].Set(probe.Temp, probe.Of(97))
	s.Message(box, hot)
	if in := s.input(box); len(in.GPUs) != 1 || *in.GPUs[0].Temp != 97 {
		t.Errorf("live: %+v", in.GPUs)
	}
	lost := box
	lost.Live = false // the link is being sought
	if in := s.input(lost); len(in.GPUs) != 0 || in.Verdicts != nil {
		t.Errorf("without a link: %+v", in)
	}
}

func TestAnEventIsWeighedAtOnce(t *testing.T) {
	rung := make(chan purse.AlertKind, 8)
	s, c := newSense(t, Params{
		Purse: &pursetest.Store{}, Hosts: func() []Host { return []Host{box} },
		Notify: func(a purse.Alert) { rung <- a.Kind },
	})
	if err := s.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.Message(box, inventory())
	feed(s, c, 0, 70, true)
	s.Message(box, &probe.Event{Time: start.Add(70 * time.Second), GPU: "GPU-1", Kind: probe.EventLost, Code: 79})
	select {
	case k := <-rung:
		if k != purse.AlertLost {
			t.Errorf("rang %s", k)
		}
	case <-time.After(alertEvery - time.Second):
		t.Error("a lost card waits for the next round")
	}
}
