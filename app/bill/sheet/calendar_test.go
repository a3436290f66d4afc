package sheet

import (
	"testing"
	"time"

	"rentgen/app/bill/offer"
	"rentgen/app/money"
	"rentgen/assets/texts"
)

func day(s string) time.Time {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		panic(err)
	}
	return t
}

// TestMonthOfTheCalendar: 100 GB at 0.31 a month for 30 days of a whole machine.
//
//	from 2026-12-01, 720 of 744 h                31 x 30/31       = 30
//	from 2027-02-01, all of 672 h and 2 days of March  31 x (1 + 2/31) = 33
//	from 2026-12-17, 15 days of December and of January: 31 x 30/31 = 30
//	without a first day 720 h at the point       31 x 720/720     = 31
//
// A provider that counts 730 h goes on doing so: 31 x 720/730.
func TestMonthOfTheCalendar(t *testing.T) {
	for _, c := range []struct{ start, convention, want string }{
		{"2026-12-01", "calendar", "30"},
		{"2027-02-01", "calendar", "33"},
		{"2026-12-17", "calendar", "30"},
		{"", "calendar", "31"},
		{"2026-12-01", "fixed_730h", "2232/73"},
		{"2026-12-01", "", "30"},
	} {
		o := monthOffer("M", "1000", "data_disk_gb", "100", "data_disk_free_gb", "0", "data_disk_price_gb_month", "0.31",
			"snapshot_gb", "100", "snapshot_price_gb_month", "0.31", "month_convention", c.convention)
		if c.convention == "" {
			delete(o.Terms, offer.MonthHours)
		}
		p := params(Column{o, evenings()})
		if c.start != "" {
			p.Start = day(c.start)
		}
		b := Make(p).Bills[0]
		for _, id := range []string{LineDataDisk, LineSnapshot} {
			if got := lineOf(t, b, id).Amount.Point.Fraction(); got != c.want {
				t.Errorf("%q, %q: %s is %s, want %s", c.start, c.convention, id, got, c.want)
			}
		}
		if l := lineOf(t, b, LineDataDisk).Amount; l.Wide() != (c.convention == "" || c.start == "") {
			t.Errorf("%q, %q: %s to %s", c.start, c.convention, l.Low, l.High)
		}
	}
}

// TestStoppedOnTheCalendar: 60 h running, 660 h stopped of 30 days from
// 2027-02-01, which are 1 + 2/31 = 33/31 months: 100 GB at 0.62 while stopped
// are 62 x 660/720 x 33/31 = 60.5.
func TestStoppedOnTheCalendar(t *testing.T) {
	o := meteredOffer("A", "1", "data_disk_gb", "100", "data_disk_free_gb", "0", "data_disk_price_gb_month", "0",
		"stop_disk_price_gb_month", "0.62", "month_convention", "calendar")
	p := params(Column{o, evenings()})
	p.Start = day("2027-02-01")
	if got := lineOf(t, Make(p).Bills[0], LineStopped).Amount.Point.String(); got != "60.5" {
		t.Errorf("%s", got)
	}
}

// TestPeriodsOfTheCalendar: packages end on the anchor day, clamped to the end
// of the month.
func TestPeriodsOfTheCalendar(t *testing.T) {
	for _, c := range []struct {
		unit     offer.Unit
		start    string
		days     int
		sessions int
		session  string
		want     string
	}{
		{offer.Month, "2026-12-01", 31, 22, "2", "1"},
		{offer.Month, "2026-12-01", 32, 22, "2", "2"},
		{offer.Month, "2027-02-01", 28, 22, "2", "1"},
		{offer.Month, "2027-02-01", 30, 22, "2", "2"},
		{offer.Month, "2027-01-31", 28, 22, "2", "1"}, // to 02-28
		{offer.Month, "2027-01-31", 59, 22, "2", "2"}, // to 03-31
		{offer.Month, "2027-01-31", 60, 22, "2", "3"},
		{offer.Month, "2027-02-01", 30, 1, "673", "2"},
		{offer.Month, "2026-01-15", 365, 300, "2", "12"},
		{offer.Year, "2026-12-01", 365, 300, "2", "1"},
		{offer.Year, "2026-12-01", 366, 300, "2", "2"},
		{offer.Year, "2027-03-01", 366, 300, "2", "1"}, // over a 29th of February
		{offer.Week, "2027-02-01", 30, 22, "2", "5"},
	} {
		o := monthOffer("P", "1")
		o.Payment.Unit = c.unit
		u := evenings()
		u.Days, u.Sessions, u.SessionH = c.days, c.sessions, sure(c.session)
		p := params(Column{o, u})
		p.Days, p.Start = c.days, day(c.start)
		if got := lineOf(t, Make(p).Bills[0], LinePackage).Amount.Point.String(); got != c.want {
			t.Errorf("%d days from %s, %d sessions of %s h by the %s: %s, want %s", c.days, c.start, c.sessions, c.session, c.unit, got, c.want)
		}
	}
}

// TestCashAndAccrual: two months from 2027-02-01 at 590 are 1180, 59 days; 30 of
// them 600. Without a first day nothing is told.
func TestCashAndAccrual(t *testing.T) {
	p := params(Column{monthOffer("M", "590"), evenings()})
	p.Start = day("2027-02-01")
	tell := func(c *texts.Catalogue) string {
		for _, f := range Facts(Make(p), 0) {
			if f.ID == "accrual" {
				return c.Say(f.Text)
			}
		}
		return ""
	}
	want := "¥1,180.00 is paid; by its hours ¥600.00 of that falls on the 30 days from 2027-02-01. The package ends on 2027-04-01."
	if got := tell(texts.For(texts.English)); got != want {
		t.Errorf("%q", got)
	}
	if got := tell(texts.For(texts.Chinese)); got == "" {
		t.Error("not told in Chinese")
	}
	p.Start = time.Time{}
	if got := tell(texts.For(texts.English)); got != "" {
		t.Errorf("%q", got)
	}
}

// TestSoundOnTheCalendar: bands stay in order on any first day.
func TestSoundOnTheCalendar(t *testing.T) {
	d := newDice(17)
	for n := range 60 {
		p := params(Column{d.offer("A"), d.usage()}, Column{d.offer("B"), d.usage()})
		p.Start = day("2024-01-01").AddDate(0, 0, d.IntN(1500))
		for _, b := range Make(p).Bills {
			sum := money.Rat{}
			for _, l := range b.Lines {
				sum = sum.Add(l.Amount.Point)
			}
			if b.Status == OK && (!ordered3(b.Total) || sum.Cmp(b.Total.Point) != 0) {
				t.Errorf("%d %s from %s: %s %s %s", n, b.Name, p.Start, b.Total.Low, b.Total.Point, b.Total.High)
			}
			if b.Status == BadTerms {
				t.Errorf("%d %s from %s: %v", n, b.Name, p.Start, b.Why)
			}
		}
	}
}
