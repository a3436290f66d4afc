package alert

import (
	"fmt"
	"testing"
	"time"

	"rentgen/app/judge"
	"rentgen/app/money"
	"rentgen/app/purse"
	"rentgen/app/purse/pursetest"
)

// shares is a host that has spent some of a budget of all.
func shares(id, spent, pace string, cur money.Currency) Input {
	in := host()
	in.Host, in.HostName, in.Busy = id, id, nil
	in.Glance.Currency, in.Glance.Budget, in.Glance.BudgetOfAll = cur, ptr(rat("100")), true
	in.Glance.Month = money.Sure(rat(spent))
	if pace != "" {
		in.Glance.Pace = ptr(money.Sure(rat(pace)))
	}
	return in
}

// TestABudgetOfAllHosts is passed by hosts that stay below it one by one, is told
// once, and by currency.
func TestABudgetOfAllHosts(t *testing.T) {
	b := newBench(t)
	for range 5 {
		b.tell(shares("h1", "60", "", "CNY"), 0, time.Minute)
		b.tell(shares("h2", "30", "", "CNY"), 0, time.Minute)
		b.tell(shares("h3", "90", "", "USD"), 0, time.Minute)
	}
	b.want(0, "90 of 100 in each currency")
	for range 5 {
		b.tell(shares("h1", "60", "", "CNY"), 0, time.Minute)
		b.tell(shares("h2", "41", "", "CNY"), 0, time.Minute)
		b.tell(shares("h3", "90", "", "USD"), 0, time.Minute)
	}
	b.want(1, "101 of 100")
	a := b.rang[0]
	if a.Host != "" || en.Say(a.Say) != "This month has cost ¥101.00; the budget is ¥100.00." || en.Say(a.Cost) != "Each further hour costs ¥3.76." || en.Say(Title(a)) != "budget" {
		t.Errorf("%+v: %q %q", a, en.Say(a.Say), en.Say(a.Cost))
	}
	b.reopen()
	for range 10 {
		b.tell(shares("h2", "41", "", "CNY"), 0, time.Minute)
		b.tell(shares("h1", "60", "", "CNY"), 0, time.Minute)
	}
	b.want(1, "after a restart, heard of one by one")
	own := shares("h1", "60", "", "CNY")
	own.Glance.BudgetOfAll = false
	b.tell(own, 0, time.Minute)
	b.tell(with(own, func(in *Input) { in.Host = "h2" }), 0, time.Minute)
	if b.List()[0].Over.IsZero() {
		t.Error("nobody shares a budget and it is still passed")
	}
}

func TestThePaceOfAllHosts(t *testing.T) {
	b := newBench(t)
	for range 5 {
		b.tell(shares("h1", "20", "70", "CNY"), 0, time.Minute)
		b.tell(shares("h2", "31", "", "CNY"), 0, time.Minute) // stopped: its month stays
	}
	b.want(1, "70 and 31 of 100")
	if say := en.Say(b.rang[0].Say); say != "At the rate so far the month comes to ¥101.00; the budget is ¥100.00." {
		t.Errorf("%q", say)
	}
}

// TestBusyByTheMeter: its busy ends an idle alert, its doubt doesn't.
func TestBusyByTheMeter(t *testing.T) {
	b := newBench(t)
	b.tell(with(idling(20*time.Minute), func(in *Input) { in.Busy = nil }), time.Minute, 20*time.Second)
	doubt := with(host(), func(in *Input) { in.Busy = nil })
	b.tell(doubt, time.Hour, time.Minute)
	if !b.List()[0].Over.IsZero() {
		t.Error("over by what isn't known")
	}
	b.tell(with(doubt, func(in *Input) { in.Glance.Busy = true }), time.Minute, time.Minute)
	if b.List()[0].Over.IsZero() {
		t.Error("busy and still told to be idle")
	}
}

// TestBusyByVerdict: where nobody says whether work goes on, verdicts do.
func TestBusyByVerdict(t *testing.T) {
	b := newBench(t)
	works := host()
	works.Busy = nil
	works.Verdicts = []judge.Verdict{{Kind: judge.BoundGPU, Open: true}}
	b.tell(works, 20*time.Minute, 20*time.Second)
	ended := idling(4 * time.Minute)
	ended.Busy = nil
	ended.Verdicts = []judge.Verdict{{Kind: judge.BoundGPU, Open: true}} // not closed yet
	b.now = b.now.Add(4 * time.Minute)
	b.tell(ended, time.Minute, 20*time.Second)
	b.want(1, "the run has ended")
	if b.rang[0].Kind != purse.AlertDone {
		t.Errorf("%+v", b.rang[0])
	}
	b.tell(works, time.Minute, 20*time.Second)
	if b.List()[0].Over.IsZero() {
		t.Error("works again")
	}
}

func TestStopsOfTheGuard(t *testing.T) {
	entry := func(body string) purse.Entry {
		return purse.Entry{Kind: purse.KindStop, Time: start, Body: []byte(body)}
	}
	at := `"time":"2026-11-30T03:00:00Z","idle_s":1200`
	got := Stops([]purse.Entry{
		entry(`{` + at + `,"dry_run":true}`), entry(`{` + at + `,"saved":"71/5","currency":"CNY"}`), entry(`{` + at + `,"saved":"71/5"}`), entry(`{"idle_s":-5}`), entry(`x`),
		{Kind: purse.KindAlert, Body: []byte(`{` + at + `}`)},
	})
	if len(got) != 2 || got[0].Idle != 20*time.Minute || got[0].Currency != "CNY" || got[0].Saved.Point.Cmp(rat("14.2")) != 0 || got[1].Saved != nil {
		t.Errorf("%+v", got)
	}
	b := newBench(t)
	in := Input{Host: "h1", Stops: got}
	b.tell(in, time.Hour, time.Minute)
	b.want(1, "a stop kept twice")
}

// BenchmarkUpdate is one look at one of 30 hosts with a full list.
func BenchmarkUpdate(b *testing.B) {
	e := benchEngine(b)
	in := idling(time.Hour)
	for b.Loop() {
		if err := e.Update(b.Context(), in); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkList is what the bar asks for each second.
func BenchmarkList(b *testing.B) {
	e := benchEngine(b)
	for b.Loop() {
		if len(e.List()) == 0 {
			b.Fatal("empty")
		}
	}
}

func benchEngine(b *testing.B) *Engine {
	e, err := New(b.Context(), Params{Store: &pursetest.Store{}})
	if err != nil {
		b.Fatal(err)
	}
	for i := range most {
		in := idling(time.Hour)
		in.Host = fmt.Sprint("h", i%30, "-", i)
		if err := e.Update(b.Context(), in); err != nil {
			b.Fatal(err)
		}
	}
	return e
}
