package meter

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"rentgen/app/money"
	"rentgen/app/purse"
	"rentgen/app/purse/pursetest"
	"rentgen/app/purse/tariff"
	"rentgen/probe"
)

// TestDaylight: the day on which clocks go back has 25 h, the one on which they go
// forward 23, and each costs what it has.
func TestDaylight(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip("no zones on this machine")
	}
	for day, want := range map[time.Time]string{
		time.Date(2026, 10, 25, 0, 0, 0, 0, berlin): "25.00",
		time.Date(2026, 3, 29, 0, 0, 0, 0, berlin):  "23.00",
		time.Date(2026, 6, 1, 0, 0, 0, 0, berlin):   "24.00",
	} {
		r := newRig(t, day.Add(-5*time.Hour))
		r.price(tariff.Typed{PerHour: "1", Currency: "EUR", Granularity: "1"})
		r.boot("a", 0)
		r.now = time.Date(day.Year(), day.Month(), day.Day()+1, 3, 0, 0, 0, berlin)
		r.book.Seen(host, r.now)
		r.look(2*time.Second, 80)
		a, _ := r.book.Account(host)
		for _, d := range a.Days {
			if d.Day == day.Format(time.DateOnly) {
				r.want(d.Day, d.Cost.Point.Fixed(2), want)
			}
		}
		from, to := bounds(day)
		r.want("hours", money.Frac(to-from, 3600).Fixed(2), want)
	}
}

// TestTravel: the laptop moves west and comes back to a date it had; no second is
// counted twice or lost.
func TestTravel(t *testing.T) {
	r := newRig(t, time.Date(2026, 11, 30, 23, 59, 0, 0, shanghai))
	r.price(autodl)
	r.boot("a", 0)
	r.look(2*time.Minute, 80)
	r.save()
	r.now = r.now.In(time.FixedZone("EST", -5*3600))
	r.open()
	r.connect(probe.ModeGPU)
	r.look(2*time.Minute, 80)
	r.save()
	r.open()
	m := r.book.meter(host)
	if n := m.days.count(0, 1<<40, wasBusy); n != 240 {
		t.Errorf("%d busy seconds", n)
	}
	for i := 1; i < len(m.days.list); i++ {
		if m.days.list[i].from < m.days.list[i-1].to {
			t.Errorf("day %s lies over %s", m.days.list[i].key, m.days.list[i-1].key)
		}
	}
}

// TestOldDays are packed and opened again for what is filled in.
func TestOldDays(t *testing.T) {
	r := newRig(t, noon())
	r.price(autodl)
	r.boot("a", 0)
	r.look(time.Minute, 80)
	r.save()
	r.now = r.now.Add(50 * time.Hour)
	r.look(time.Minute, 0)
	r.save()
	m := r.book.meter(host)
	if d := m.days.list[0]; d.slots != nil || len(d.packed) == 0 || len(d.packed) > 1000 {
		t.Errorf("kept open, %d bytes packed", len(d.packed))
	}
	r.book.Late(host, &probe.Inventory{Time: noon(), Run: r.run, Mode: probe.ModeGPU})
	for i := range 100 {
		r.book.Late(host, sampleAt(noon().Add(time.Duration(i)*time.Second), 0, 0))
	}
	a, _ := r.book.Account(host)
	if len(a.Sessions) != 1 || a.Sessions[0].BusyS != 60 || a.Sessions[0].IdleS != 60+39 {
		t.Errorf("%+v", a.Sessions)
	}
}

// TestForecast sets the month against the plan, and the pace against both.
func TestForecast(t *testing.T) {
	r := newRig(t, time.Date(2026, 11, 10, 0, 0, 0, 0, shanghai))
	tr, err := tariff.Parse(autodl, r.now)
	if err != nil {
		t.Fatal(err)
	}
	tr.Plan, tr.Offer = "month", "A"
	tr.Forecast = &tariff.Forecast{Days: 30, Total: money.Sure(money.Int(200)), Lines: []tariff.Line{
		{ID: "compute", Amount: money.Sure(money.Int(150))}, {ID: "idle", Amount: money.Sure(money.Int(30))}, {ID: "data_disk", Amount: money.Sure(money.Int(20))},
	}}
	if err := r.book.SetTariff(t.Context(), host, tr); err != nil {
		t.Fatal(err)
	}
	budget := purse.Entry{Kind: purse.KindBudget, Key: "CNY", Time: r.now, Body: []byte(`{"limit":"250"}`)}
	if err := r.store.SavePurseEntries(t.Context(), budget); err != nil {
		t.Fatal(err)
	}
	r.boot("a", 0)
	if g := r.glance(); g.Pace != nil {
		t.Errorf("a pace at once: %v", g.Pace)
	}
	r.look(time.Hour, 80)
	r.look(time.Hour, 0)
	if err := r.book.Stopped(t.Context(), host, r.now, ByUser); err != nil {
		t.Fatal(err)
	}
	r.save()
	r.now = time.Date(2026, 11, 20, 0, 0, 0, 0, shanghai)
	g := r.glance()
	if g.Forecast == nil || g.Forecast.Point.Fixed(2) != "200.00" || g.Pace == nil || g.Pace.Point.Fixed(2) != "7.90" || g.Budget == nil || g.Budget.String() != "250" {
		t.Errorf("forecast %v, pace %v, budget %v", g.Forecast, g.Pace, g.Budget)
	}
	a, _ := r.book.Account(host)
	got := map[string]string{}
	for _, l := range a.Lines {
		got[l.ID] = "unknown"
		if l.Actual != nil {
			got[l.ID] = l.Actual.Point.Fixed(2)
		}
	}
	for id, want := range map[string]string{"compute": "1.88", "idle": "1.88", "data_disk": "unknown", "unseen": "0.00", "rounding": "0.00"} {
		if got[id] != want {
			t.Errorf("%s: %s, want %s", id, got[id], want)
		}
	}
	if len(a.Plans) != 1 || a.Plans[0].Plan != "month" || a.Plans[0].Cost.Point.Fixed(2) != "3.76" {
		t.Errorf("%+v", a.Plans)
	}
}

// TestNotKept: what could not be kept is tried again and not lost.
func TestNotKept(t *testing.T) {
	store := &pursetest.Store{}
	now := noon()
	var failed error
	var due []func()
	b := NewBook(BookParams{
		Store: store, Now: func() time.Time { return now }, Zone: shanghai, Classify: func() Classifier { return bySM{} },
		After: func(_ time.Duration, f func()) { due = append(due, f) }, Failed: func(err error) { failed = err },
	})
	b.Message(host, &probe.Inventory{Time: now, Run: probe.Run{BootID: "a", Init: now}, Mode: probe.ModeGPU})
	if len(due) != 1 {
		t.Fatalf("%d saves are due", len(due))
	}
	full := errors.New("the disk is full")
	store.Fail(full)
	due[0]()
	if !errors.Is(failed, full) || len(due) != 2 {
		t.Fatalf("%v, %d", failed, len(due))
	}
	store.Fail(nil)
	due[1]()
	if es, _ := store.PurseEntries(t.Context(), purse.Filter{AnyHost: true}); len(es) != 1 {
		t.Errorf("%d entries", len(es))
	}
}

// TestLateAgain: what is told again afterwards gives what the live look gave, and
// nothing counts twice.
func TestLateAgain(t *testing.T) {
	r := newRig(t, noon())
	r.price(autodl)
	r.boot("a", 0)
	r.look(20*time.Minute, 80)
	live, _ := r.book.Account(host)
	tell := func(to string) {
		r.book.Late(to, &probe.Inventory{Time: noon(), Run: r.run, Mode: probe.ModeGPU})
		for i := range 1201 {
			r.book.Late(to, sampleAt(noon().Add(time.Duration(i)*time.Second), 0, 80))
		}
	}
	tell(host)
	same, _ := r.book.Account(host)
	tell("other")
	other, _ := r.book.Account("other")
	if same.BusyS != live.BusyS || other.BusyS != live.BusyS || len(same.Sessions) != 1 || !other.Sessions[0].Last.Equal(live.Sessions[0].Last) {
		t.Errorf("live %d s, again %d s, alone %d s", live.BusyS, same.BusyS, other.BusyS)
	}
	if _, known := r.book.Stop(host); known {
		t.Error("said to have stopped")
	}
	if err := r.book.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := r.book.Forget(t.Context(), host); err != nil {
		t.Fatal(err)
	}
	r.open()
	if got := r.book.Hosts(); len(got) != 1 || got[0] != "other" {
		t.Errorf("%v are left", got)
	}
}

// TestManyAtOnce calls everything from many goroutines.
func TestManyAtOnce(t *testing.T) {
	store := &pursetest.Store{}
	b := NewBook(BookParams{Store: store, Zone: shanghai, Classify: func() Classifier { return bySM{} }})
	tr, err := tariff.Parse(autodl, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range 8 {
		id := string(rune('a' + i%3))
		all.Go(func() {
			from := time.Now().Add(-time.Hour)
			b.Message(id, &probe.Inventory{Time: from, Run: probe.Run{BootID: id, Init: from}, Mode: probe.ModeGPU})
			for j := range 500 {
				b.Message(id, sampleAt(from.Add(time.Duration(j)*time.Second), 0, float64(j%2*80)))
				if j%50 == 0 {
					b.Glance(id)
					b.Totals()
					b.Account(id)
					_ = b.SetTariff(context.Background(), id, tr)
					_ = b.Stopped(context.Background(), id, from.Add(50*time.Minute), ByUser)
				}
			}
		})
	}
	all.Wait()
	if err := b.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(b.Hosts()) != 3 {
		t.Errorf("%v", b.Hosts())
	}
}

func BenchmarkMessage(b *testing.B) {
	now := noon()
	book := NewBook(BookParams{Now: func() time.Time { return now }, Zone: shanghai, Classify: func() Classifier { return bySM{} }})
	book.Message(host, &probe.Inventory{Time: now, Run: probe.Run{BootID: "a", Init: now}, Mode: probe.ModeGPU})
	s := sampleAt(now, 0, 80)
	b.ReportAllocs()
	for b.Loop() {
		now = now.Add(100 * time.Millisecond)
		s.Time, s.HostTime = now, now
		book.Message(host, s)
	}
}

func BenchmarkGlance(b *testing.B) {
	now := noon()
	book := NewBook(BookParams{Now: func() time.Time { return now }, Zone: shanghai, Classify: func() Classifier { return bySM{} }})
	tr, err := tariff.Parse(autodl, now)
	if err != nil {
		b.Fatal(err)
	}
	if err := book.SetTariff(b.Context(), host, tr); err != nil {
		b.Fatal(err)
	}
	book.Message(host, &probe.Inventory{Time: now, Run: probe.Run{BootID: "a", Init: now.AddDate(0, 0, -20)}, Mode: probe.ModeGPU})
	b.ReportAllocs()
	for b.Loop() {
		now = now.Add(time.Second)
		book.Message(host, sampleAt(now, 0, 80))
		book.Glance(host)
	}
}

func BenchmarkAccount(b *testing.B) {
	now := noon()
	book := NewBook(BookParams{Now: func() time.Time { return now }, Zone: shanghai, Classify: func() Classifier { return bySM{} }})
	tr, err := tariff.Parse(autodl, now)
	if err != nil {
		b.Fatal(err)
	}
	if err := book.SetTariff(b.Context(), host, tr); err != nil {
		b.Fatal(err)
	}
	for i := range 60 { // a month of two runs a day
		at := now.AddDate(0, 0, -29).Add(time.Duration(i) * 12 * time.Hour)
		book.Message(host, &probe.Inventory{Time: at, Run: probe.Run{BootID: string(rune('a' + i)), Init: at}, Mode: probe.ModeGPU})
		for j := range 3600 {
			book.Message(host, sampleAt(at.Add(time.Duration(j)*time.Second), 0, 80))
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		book.Account(host)
	}
}

func FuzzRestore(f *testing.F) {
	f.Add(purse.KindSession, `{"start":"2026-11-30T12:00:00Z","last":"2026-11-30T13:00:00Z","first":"2026-11-30T12:00:00Z"}`)
	f.Add(purse.KindDay, `{"from":1795968000,"to":1796054400,"seconds":"AAAA"}`)
	f.Add(purse.KindDay, `{"from":1,"to":99999999999999}`)
	f.Fuzz(func(t *testing.T, kind, body string) {
		m := New(host, Params{Now: noon, Zone: shanghai})
		m.restore([]purse.Entry{{Host: host, Kind: kind, Key: "2026-11-30", Body: []byte(body)}})
		m.price(tariff.Tariff{Currency: "CNY", PerHour: &price, Since: noon()})
		m.Account()
	})
}

var price = money.Int(2)
