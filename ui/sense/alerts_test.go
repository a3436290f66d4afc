package sense

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"rentgen/app/judge"
	"rentgen/app/money"
	"rentgen/app/purse"
	"rentgen/app/purse/pursetest"
	"rentgen/app/purse/tariff"
	"rentgen/assets/texts"
	"rentgen/probe"
)

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
