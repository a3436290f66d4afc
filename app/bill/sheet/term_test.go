package sheet

import (
	"strings"
	"testing"

	"rentgen/app/bill/offer"
	"rentgen/assets/texts"
)

// lastingUse is a sitting each day for so many days.
func lastingUse(days int) Usage {
	u := evenings()
	u.Days, u.Sessions, u.Rented = days, days, sure("60")
	return u
}

// TestMonthsByTheYear: a month at 100, a year at once costs 10 months.
//
//	 90 days   3 months                                  =  300
//	300 days   10 months, as much as a year              = 1000
//	341 days   11 months = 1100, a year is 1000
//	365 days   12 months = a year                        = 1000
//	403 days   13 months = a year and a month            = 1100
//	731 days   24 months = a year and a renewal at 0.9:
//	           10 + 12 x 0.9 = 20.8 months               = 2080
//	731 days   without a price of the renewal: 10 + 12   = 2200
func TestMonthsByTheYear(t *testing.T) {
	en := texts.For(texts.English)
	for _, c := range []struct {
		days          int
		factor, total string
		formula       string
	}{
		{90, "0.9", "300", "period"},
		{300, "0.9", "1000", "period"},
		{341, "0.9", "1000", "year_paid"},
		{365, "0.9", "1000", "year_paid"},
		{403, "0.9", "1100", "year_paid"},
		{731, "0.9", "2080", "year_paid"},
		{731, "", "2200", "year_paid"},
	} {
		o := monthOffer("Months", "100", "year_months_paid", "10", "renew_discount_factor", c.factor)
		if c.factor == "" {
			delete(o.Terms, offer.RenewFactor)
		}
		p := params(Column{o, lastingUse(c.days)})
		p.Days = c.days
		s := Make(p)
		l := lineOf(t, s.Bills[0], LinePackage)
		if got := l.Amount.Point.String(); got != c.total || l.Formula != c.formula {
			t.Errorf("%d days: %s by %s, want %s by %s", c.days, got, l.Formula, c.total, c.formula)
		}
		if c.days == 731 && c.factor != "" {
			want := "24 months, in part paid by the year at 10 months: the price of 20.8 × ¥100.00 a month = ¥2,080.00"
			if got := Explain(en, s.Bills[0], l).Formula; got != want {
				t.Errorf("%q", got)
			}
			if got := Explain(texts.For(texts.Chinese), s.Bills[0], l).Formula; !strings.Contains(got, "20.8") {
				t.Errorf("%q", got)
			}
		}
		told := ""
		for _, f := range Facts(s, 0) {
			if f.ID == "year" {
				told = en.Say(f.Text)
			}
		}
		if want := "A year paid at once costs 10 months, ¥1,000.00: 16.7\u2009% less than month by month."; told != want {
			t.Errorf("%q", told)
		}
	}
}

// TestYearsRenewed: 3 years of 1000, which is 10 months' price; a month is 100,
// a renewal 12 x 100 x 0.9 = 1080: 1000 + 2 x 1080 = 3160, on two machines 6320.
func TestYearsRenewed(t *testing.T) {
	o := monthOffer("Years", "1000", "year_months_paid", "10", "renew_discount_factor", "0.9")
	o.Payment.Unit, o.Count = offer.Year, 2
	p := params(Column{o, lastingUse(1000)})
	p.Days = 1000
	b := Make(p).Bills[0]
	amounts(t, b, map[string]string{LinePackage: "6320", LineIdle: "0"})
	delete(o.Terms, offer.RenewFactor)
	p.Columns[0].Offer = o
	b = Make(p).Bills[0]
	asked := false
	for _, q := range b.Unknown {
		asked = asked || q.Term == offer.RenewFactor
	}
	if got := lineOf(t, b, LinePackage).Amount.Point.String(); got != "6000" || !asked {
		t.Errorf("%s, asked %v", got, asked)
	}
}
