package measured

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"rentgen/app/bill/offer"
	"rentgen/app/bill/sheet"
	"rentgen/app/guide"
	"rentgen/app/guide/ledger"
	"rentgen/app/plan"
	"rentgen/app/purse/meter"
	"rentgen/app/workload"
	"rentgen/assets/texts"
)

const text = `
days: 30
job: {model: sdxl, width: 1024, height: 1024, steps: 30}
use: {pattern: screen, days_per_week: 7, hours_per_sitting: 2, pictures: {per_day: 400}}
offers:
  - name: A
    provider: autodl
    card: {name: RTX 4090}
    payment: {unit: hour, price: "1.88"}
    terms: {load_s: 33}
  - name: B
    provider: runpod
    card: {name: RTX 4090}
    payment: {unit: hour, price: "0.34"}
`

func fixture(t *testing.T) plan.Plan {
	t.Helper()
	p, err := plan.Read([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func day(d int) time.Time { return time.Date(2026, 11, d, 12, 0, 0, 0, time.UTC) }

var autodl = Host{ID: "h", Name: "mycard", Provider: "autodl", Card: "RTX 4090"}

// start is the ledger of a start whose stages took so many seconds.
func start(d int, job string, boot, pull, load, warm float64) ledger.Ledger {
	l := ledger.Ledger{Started: day(d), Job: job, Card: "RTX 4090"}
	for s, v := range map[ledger.Stage]float64{ledger.Boot: boot - 5, ledger.Page: 5, ledger.Pull: pull, ledger.Load: load, ledger.Warm: warm, ledger.First: warm + load} {
		l.Set(s, v, ledger.Host, day(d))
	}
	return l
}

// TestApply: three starts and a month of sessions replace the estimates, each
// figure says where it is from, and the bill takes them as measured.
func TestApply(t *testing.T) {
	p := fixture(t)
	before, err := plan.Write(p)
	if err != nil {
		t.Fatal(err)
	}
	key := plan.Evaluate(workload.Load(), p).Fit.Job.Key()
	var ms []Measured
	for i, boot := range []float64{40, 90, 60} {
		ms = append(ms, FromLedger(autodl, start(10+i, key, boot, 20, 12, 4.5+float64(i)), "log "+string(rune('1'+i)))...)
	}
	worked, rested := true, false
	ms = append(ms, FromSessions(autodl, []meter.SessionCost{
		{Session: meter.Session{Start: day(1), Last: day(1).Add(10 * time.Hour), Until: day(2)}, BusyS: 9000, IdleS: 9000, Worked: &worked},
		{Session: meter.Session{Start: day(2), Last: day(2).Add(5 * time.Hour), Until: day(3)}, BusyS: 9000, IdleS: 9000, Worked: &rested},
		{Session: meter.Session{Start: day(3), Last: day(3).Add(5 * time.Hour), End: day(3).Add(5 * time.Hour), By: meter.ByUser}, Worked: &worked},
		{Session: meter.Session{Start: day(4), Last: day(4).Add(50 * time.Hour), NoGPU: true}, Worked: &rested},
	})...)
	got, said := Apply(p, ms)
	if after, _ := plan.Write(p); string(after) != string(before) {
		t.Error("the plan that was given has changed")
	}
	if errs := plan.Check(workload.Load(), got); len(errs) > 0 {
		t.Fatalf("%v", errs)
	}
	a, b := got.Offers[0], got.Offers[1]
	for id, want := range map[offer.TermID]string{offer.BootWait: "60.0", offer.PullWait: "20.0", offer.LoadWait: "33", offer.InterruptSeen: "1", offer.Watched: "20"} {
		if a.Terms[id].Value != want {
			t.Errorf("%s: %+v, want %s", id, a.Terms[id], want)
		}
	}
	boot, _, _ := a.Rat(offer.BootWait)
	if boot.Low.String() != "40" || boot.High.String() != "90" || a.Terms[offer.BootWait].Mark != offer.Seen || a.Terms[offer.BootWait].Source != "log 3" || a.Terms[offer.BootWait].Date != "2026-11-12" {
		t.Errorf("boot %v from %+v", boot, a.Terms[offer.BootWait])
	}
	if len(b.Terms) != 0 {
		t.Errorf("what was measured at one platform is taken for another: %v", b.Terms)
	}
	if len(got.Measured) != 1 || *got.Measured[0].SecondsPerPic != 6.5 || got.Measured[0].Source != "log 3" {
		t.Errorf("%+v", got.Measured)
	}
	res := plan.Evaluate(workload.Load(), got)
	if u := res.Sheet.Bills[0].Usage; !u.Measured {
		t.Error("the bill doesn't take the seconds as measured")
	}
	h := res.Hours[0]
	if share := h.Busy.Point / h.Rented.Point; share < 0.49 || share > 0.51 {
		t.Errorf("used %.2f of the rented time, want half", share)
	}
	en := ""
	for _, s := range said {
		for _, l := range texts.Langs() {
			if x := texts.For(l).Say(s); strings.ContainsAny(x, "{}") || strings.HasPrefix(x, "measured.") {
				t.Errorf("%s: %q", l, x)
			}
		}
		en += texts.For(texts.English).Say(s) + "\n"
	}
	for _, want := range []string{"6.5 s a picture, measured (log 3, 12 Nov 2026)", "1 interruption in 20 running hours", "50\u2009% of the rented time was used (mycard", "measured at 3 starts"} {
		if !strings.Contains(en, want) {
			t.Errorf("%q isn't said:\n%s", want, en)
		}
	}
	b2, err := plan.Write(got)
	if err != nil {
		t.Fatal(err)
	}
	back, err := plan.Read(b2)
	if err != nil || !reflect.DeepEqual(back.Offers[0].Terms, got.Offers[0].Terms) {
		t.Errorf("the file loses it: %v", err)
	}
}

// TestInterruptionsReachTheBill: on an offer that can be interrupted, what was
// seen makes the rate.
func TestInterruptionsReachTheBill(t *testing.T) {
	p := fixture(t)
	p.Offers[0].Terms = map[offer.TermID]offer.Term{offer.Interruption: {Value: "spot", Status: offer.Typed}}
	p.Use.Pattern = workload.LongRun
	worked := true
	got, _ := Apply(p, FromSessions(autodl, []meter.SessionCost{
		{Session: meter.Session{Start: day(1), Last: day(1).Add(20 * time.Hour), Until: day(2)}, Worked: &worked},
	}))
	for _, l := range plan.Evaluate(workload.Load(), got).Sheet.Bills[0].Lines {
		if l.ID == sheet.LineRerun && l.Rule == string(offer.InterruptSeen) {
			return
		}
	}
	t.Error("the bill doesn't know of the interruptions")
}

// TestGatherStarts reads what Set up keeps.
func TestGatherStarts(t *testing.T) {
	e, err := guide.NewEntry(guide.KindLedger, "1", day(1), start(1, "k", 40, 20, 12, 5))
	if err != nil {
		t.Fatal(err)
	}
	ms := Gather(Of{Host: autodl, Entries: []guide.Entry{e, {Kind: guide.KindLedger, Body: []byte("{")}, {Kind: guide.KindTick, Body: e.Body}}})
	got := ""
	for _, m := range ms {
		got += string(m.Kind) + m.Part + " "
		if m.Source != "mycard" || !m.From.Equal(day(1)) {
			t.Errorf("%+v", m)
		}
	}
	if got != "startboot startpull startload job " {
		t.Errorf("%q", got)
	}
}

// TestLittle: what was hardly watched says nothing, and what was typed stays.
func TestLittle(t *testing.T) {
	if ms := FromSessions(autodl, []meter.SessionCost{{Session: meter.Session{Start: day(1), Last: day(1).Add(30 * time.Minute)}, BusyS: 1800}}); len(ms) != 0 {
		t.Errorf("%+v", ms)
	}
	if ms := FromLedger(autodl, ledger.Ledger{Started: day(1)}, ""); len(ms) != 0 {
		t.Errorf("%+v", ms)
	}
	l := ledger.Ledger{Started: day(1)}
	l.Set(ledger.Boot, 50, ledger.Typed, day(1))
	if ms := FromLedger(autodl, l, ""); len(ms) != 0 {
		t.Errorf("typed is taken for measured: %+v", ms)
	}
	p := fixture(t)
	s := 9.0
	p.Measured = []workload.Measured{{Job: "k", Card: "RTX 4090", SecondsPerPic: &s, Date: "2026-12-01", Source: "log 9"}}
	n := 3.0
	got, said := Apply(p, []Measured{{Kind: Job, Host: autodl, Job: workload.Measured{Job: "k", Card: "RTX 4090", SecondsPerPic: &n, Date: "2026-11-01"}}})
	if *got.Measured[0].SecondsPerPic != 9 || len(said) != 0 {
		t.Errorf("an older figure replaces a later one: %+v", got.Measured)
	}
	if got, said := Apply(fixture(t), nil); len(said) != 0 || !reflect.DeepEqual(got.Use, fixture(t).Use) {
		t.Error("nothing measured, and yet something changes")
	}
}
