package reconcile

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"rentgen/app/money"
	"rentgen/app/purse/meter"
	"rentgen/app/purse/tariff"
	"rentgen/assets/texts"
)

// ours is a session that was seen from a time to another and may have ended as
// late as a third.
func ours(t *testing.T, tr tariff.Tariff, from, seen, late time.Time, idle int64) meter.SessionCost {
	t.Helper()
	c := tr.Clock()
	s := meter.SessionCost{
		Session: meter.Session{Start: from, Known: true, First: from, Last: seen},
		Ends:    [3]time.Time{seen, seen, late}, IdleS: idle,
		Cost: money.Band{Low: c.Cost(tariff.Low, from, seen, false), Point: c.Cost(tariff.Point, from, seen, false), High: c.Cost(tariff.High, from, late, false)},
	}
	if seen.Equal(late) {
		s.End = seen
	} else {
		s.Until = late
	}
	return s
}

func autodl(t *testing.T) tariff.Tariff {
	t.Helper()
	tr, err := tariff.Parse(tariff.Typed{PerHour: "1.88", Provider: "autodl"}, at(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func english(ps []texts.Phrase) string {
	var out []string
	for _, p := range ps {
		out = append(out, strings.ReplaceAll(texts.For(texts.English).Say(p), "\u2009", " "))
	}
	return strings.Join(out, "\n")
}

// TestCompare sets the bill in AutoDL's manner against three sessions: one whose
// end we don't know, one that the bill doesn't have, and a run of the bill that we
// never saw.
func TestCompare(t *testing.T) {
	tr := autodl(t)
	b := mustRead(t, load(t, "autodl-like"))
	tr.Forecast = &tariff.Forecast{Days: 1, Lines: []tariff.Line{
		{ID: "compute", Amount: money.Sure(money.Int(4))}, {ID: "idle", Amount: money.Sure(money.Int(1))}, {ID: "data_disk", Amount: money.Sure(money.MustParse("0.33"))},
	}}
	r := Compare(b, []Here{{Host: "h", Name: "mycard", Tariff: &tr, Sessions: []meter.SessionCost{
		ours(t, tr, at(12, 30), at(13, 50), at(16, 0), 1320), ours(t, tr, at(17, 0), at(18, 0), at(18, 0), 0),
	}}})
	var kinds []string
	for _, p := range r.Pairs {
		kinds = append(kinds, string(p.Kind))
	}
	if got := strings.Join(kinds, " "); got != "matched only-here only-bill" {
		t.Fatalf("%s", got)
	}
	m := r.Pairs[0]
	if m.Billed.String() != "3.45" || m.BilledS == nil || *m.BilledS != 6600 || *m.MoreS != 1800 || len(m.Lines) != 3 || m.More.Fixed(2) != "0.94" {
		t.Errorf("%+v", m)
	}
	if len(r.Stops) != 1 || !r.Stops[0].At.Equal(at(14, 20)) || r.Stops[0].Host != "h" {
		t.Errorf("stops %+v", r.Stops)
	}
	if len(r.Learned) != 1 || r.Learned[0].PerHour == nil || r.Learned[0].PerHour.String() != "1.88" || !r.Learned[0].Exact || r.Learned[0].IdleShare.Fixed(2) != "0.20" {
		t.Errorf("learned %+v", r.Learned)
	}
	lines := map[Kind]string{}
	for _, l := range r.Lines {
		f := "none"
		if l.Forecast != nil {
			f = l.Forecast.Point.Fixed(2)
		}
		lines[l.Kind] = l.Billed.Fixed(2) + " " + f
	}
	if lines[Compute] != "3.77 5.00" || lines[Disk] != "0.33 0.33" || lines[TopUp] != "100.00 none" {
		t.Errorf("lines %v", lines)
	}
	want := `1 run on both sides, 1 only on the bill, 1 only here.
The bill asks ¥3.77 for running time, ¥0.62 less than counted here (¥4.39 to 8.46).
mycard: ¥1.88 an hour explains all of 3 rows.
mycard: 20 % of the billed time was seen idle.
The bill says when 1 run stopped that had no known end.`
	if got := english(r.Say); got != want {
		t.Errorf("says\n%s\nwant\n%s", got, want)
	}
	for _, p := range r.Pairs {
		for _, l := range texts.Langs() {
			if s := texts.For(l).Say(p.Says(r.Currency)); s == "" || strings.ContainsAny(s, "{}") || strings.Contains(s, "reconcile.") {
				t.Errorf("%s: %q", l, s)
			}
		}
	}
}

// TestOthers: a bill of two instances goes to the two hosts they are, and one in
// another currency is left out.
func TestOthers(t *testing.T) {
	tr := autodl(t)
	usd := tr
	usd.Currency = "USD"
	b := mustRead(t, []byte("start,end,instance,amount\n"+
		"2026-11-30 12:00,2026-11-30 14:00,one,¥3.76\n"+
		"2026-11-30 12:05,2026-11-30 13:00,two,¥1.72\n"+
		"2026-11-30 20:00,2026-11-30 21:00,three,¥1.88\n"))
	r := Compare(b, []Here{
		{Host: "b", Name: "b", Tariff: &tr, Sessions: []meter.SessionCost{ours(t, tr, at(12, 5), at(13, 0), at(13, 0), 0)}},
		{Host: "a", Name: "a", Tariff: &tr, Sessions: []meter.SessionCost{ours(t, tr, at(12, 0), at(14, 0), at(14, 0), 0)}},
		{Host: "c", Name: "c", Tariff: &usd, Sessions: []meter.SessionCost{ours(t, usd, at(12, 0), at(14, 0), at(14, 0), 0)}},
	})
	got := ""
	for _, p := range r.Pairs {
		got += fmt.Sprintf("%s/%s/%s ", p.Kind, p.Host, p.Instance)
	}
	if got != "matched/a/one matched/b/two only-bill//three " || strings.Join(r.Other, "") != "c" {
		t.Errorf("%s, left out %v", got, r.Other)
	}
}

// TestLearn finds the price and the unit that made a bill, whatever they were.
func TestLearn(t *testing.T) {
	for seed := range uint64(40) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		unit := []int64{1, 60, 3600}[rnd.IntN(3)]
		price := money.Frac(rnd.Int64N(900)+100, 100)
		tr := autodl(t)
		tr.PerHour = &price
		text := "start,end,amount\n"
		var sessions []meter.SessionCost
		day := at(0, 0)
		for i := range 12 {
			from := day.Add(time.Duration(i) * 12 * time.Hour)
			s := 600 + rnd.Int64N(30000)
			to := from.Add(time.Duration(s) * time.Second)
			amount := price.Mul(money.Int((s + unit - 1) / unit * unit)).Quo(money.Int(3600)).Fixed(2)
			text += fmt.Sprintf("%s,%s,¥%s\n", from.Format(time.DateTime), to.Format(time.DateTime), amount)
			sessions = append(sessions, ours(t, tr, from, to, to, 0))
		}
		l := Compare(mustRead(t, []byte(text)), []Here{{Host: "h", Tariff: &tr, Sessions: sessions}}).Learned
		if len(l) != 1 || l[0].PerHour == nil || !l[0].Exact || l[0].GranularityS == nil || *l[0].GranularityS != unit {
			t.Errorf("seed %d, unit %d, price %s: %+v", seed, unit, price, l)
			continue
		}
		if d := l[0].PerHour.Sub(price); d.Max(d.Neg()).Cmp(money.MustParse("0.01")) > 0 {
			t.Errorf("seed %d: %s an hour, want %s", seed, l[0].PerHour, price)
		}
	}
}

// TestMomentsOnly: a bill that names the moment of each deduction and no length
// still finds its session, and teaches no price.
func TestMomentsOnly(t *testing.T) {
	tr := autodl(t)
	b := mustRead(t, []byte("扣费时间,金额(元)\n2026-11-30 13:00:00,0.94\n2026-11-30 14:00:00,1.88\n2026-11-30 14:20:01,0.63\n"))
	r := Compare(b, []Here{{Host: "h", Tariff: &tr, Sessions: []meter.SessionCost{ours(t, tr, at(12, 30), at(14, 20), at(14, 20), 0)}}})
	if len(r.Pairs) != 1 || r.Pairs[0].Kind != Matched || r.Pairs[0].Billed.String() != "3.45" || r.Pairs[0].BilledS != nil || len(r.Stops) != 0 {
		t.Errorf("%+v", r.Pairs)
	}
	if len(r.Learned) != 1 || r.Learned[0].PerHour != nil {
		t.Errorf("%+v", r.Learned)
	}
	if got := english(r.Say); !strings.Contains(got, "in line with what was counted here") {
		t.Errorf("%s", got)
	}
}

// TestRoundTrip: the bill of a platform that bills as its rules say is what the
// meter counted.
func TestRoundTrip(t *testing.T) {
	tr := autodl(t)
	c := tr.Clock()
	text := "start,end,amount\n"
	var sessions []meter.SessionCost
	for i := range 20 {
		from := at(0, 0).Add(time.Duration(i)*5*time.Hour + time.Duration(i*137)*time.Second)
		to := from.Add(time.Duration(600+i*700) * time.Second)
		text += fmt.Sprintf("%s,%s,¥%s\n", from.Format(time.DateTime), to.Format(time.DateTime), c.Cost(tariff.Point, from, to, false).Fixed(2))
		sessions = append(sessions, ours(t, tr, from, to, to, 0))
	}
	r := Compare(mustRead(t, []byte(text)), []Here{{Host: "h", Tariff: &tr, Sessions: sessions}})
	for _, p := range r.Pairs {
		if p.Kind != Matched || !p.More.IsZero() || *p.MoreS != 0 {
			t.Errorf("%+v", p)
		}
	}
	if len(r.Pairs) != 20 || !r.More.IsZero() {
		t.Errorf("%d pairs, %s more", len(r.Pairs), r.More)
	}
}

// TestUnpriced: without a price here nothing is more or less, and the bill still
// teaches one.
func TestUnpriced(t *testing.T) {
	tr := autodl(t)
	s := ours(t, tr, at(12, 30), at(14, 20), at(14, 20), 0)
	s.Cost = money.Band{}
	later := s
	later.Start, later.Ends = at(17, 0), [3]time.Time{at(18, 0), at(18, 0), at(18, 0)}
	r := Compare(mustRead(t, load(t, "autodl-like")), []Here{{Host: "h", Name: "mycard", Sessions: []meter.SessionCost{s, later}}})
	if r.Priced || !r.More.IsZero() || len(r.Learned) != 1 || r.Learned[0].PerHour.String() != "1.88" {
		t.Errorf("%+v", r)
	}
	for _, l := range r.Lines {
		if l.Ours != nil {
			t.Errorf("%s is counted here", l.Kind)
		}
	}
	if !strings.Contains(english(r.Say), "no price is kept here to compare") {
		t.Errorf("%s", english(r.Say))
	}
	for _, p := range r.Pairs {
		if s := english([]texts.Phrase{p.Says(r.Currency)}); p.Kind != OnlyBill && strings.Contains(s, "counted") {
			t.Errorf("%s", s)
		}
	}
}
