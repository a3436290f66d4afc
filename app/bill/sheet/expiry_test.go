package sheet

import (
	"strings"
	"testing"

	"rentgen/app/bill/offer"
	"rentgen/assets/texts"
)

// TestPaidPackageIsSunk: 60 h are needed (30 sittings of 2 h).
//
//	50 h package at 80, 10 h used: 40 h are paid, 20 h are left: 1 more, 80;
//	with 1.50 an hour beyond it: 20 x 1.50 = 30 is less than 80;
//	with 5 an hour: 100, so a package after all;
//	not begun (0 h used): 10 h are left, at 1.50 = 15;
//	used up (50 h, 70 h): all 60 h are left, two packages, 160.
//	A month at 900, 600 h of its 744 gone: 144 of the 720 h of 30 days lie in
//	it, one more; 10 h gone: 734 h are left, nothing more to pay.
//	Days at 20, the first 12 h gone: 12 of the 720 h, 708 / 24 = 29.5, 30 more.
func TestPaidPackageIsSunk(t *testing.T) {
	for _, c := range []struct {
		unit                           offer.Unit
		price, over, used              string
		packages, overage, explanation string
	}{
		{offer.Pack, "80", "", "10", "80", "", "60\u2009h needed, 40\u2009h of it in the package that is paid already: 1 more × ¥80.00 a package = ¥80.00"},
		{offer.Pack, "80", "1.5", "10", "0", "30", ""},
		{offer.Pack, "80", "5", "10", "80", "", ""},
		{offer.Pack, "80", "1.5", "0", "0", "15", ""},
		{offer.Pack, "80", "", "50", "160", "", ""},
		{offer.Pack, "80", "", "70", "160", "", ""},
		{offer.Quota, "100", "", "10", "100", "", ""},
		{offer.Month, "900", "", "600", "900", "", "720\u2009h needed, 144\u2009h of it in the package that is paid already: 1 more × ¥900.00 a month = ¥900.00"},
		{offer.Month, "900", "", "10", "0", "", ""},
		{offer.Day, "20", "", "12", "600", "", ""},
	} {
		o := meteredOffer("Paid", c.price, "package_elapsed_h", c.used)
		o.Payment.Unit, o.Payment.Hours = c.unit, rat("50")
		o.Payment.Units, o.Payment.DrawPerHour = rat("100"), rat("2") // 50 h too
		if c.over != "" {
			over := rat(c.over)
			o.Payment.Overage = &over
		}
		b := Make(params(Column{o, evenings()})).Bills[0]
		want := map[string]string{LinePackage: c.packages, LineIdle: "0"}
		if c.overage != "" {
			want[LineOverage] = c.overage
		}
		amounts(t, b, want)
		l := lineOf(t, b, LinePackage)
		if l.Note.Key != "bill.note.package_paid" {
			t.Errorf("%s, %s h used: the note is %q", c.unit, c.used, l.Note.Key)
		}
		if got := Explain(texts.For(texts.English), b, l).Formula; c.explanation != "" && got != c.explanation {
			t.Errorf("%q", got)
		}
		if zh := Explain(texts.For(texts.Chinese), b, l); !strings.Contains(zh.Formula, "已付的套餐") || !strings.Contains(zh.Note, "不算在这张账单里") {
			t.Errorf("%q, %q", zh.Formula, zh.Note)
		}
	}
}

// TestPaidPeriodIncludes: a month that includes 50 h, 10 h gone by the clock:
// 40 h are left, 20 h go beyond it; without a price for them one more month.
func TestPaidPeriodIncludes(t *testing.T) {
	o := monthOffer("Paid", "90", "package_elapsed_h", "10")
	inc, over := rat("50"), rat("2")
	o.Payment.IncludedHours, o.Payment.Overage = &inc, &over
	amounts(t, Make(params(Column{o, evenings()})).Bills[0], map[string]string{LinePackage: "0", LineIdle: "0", LineOverage: "40"})
	o.Payment.Overage = nil
	amounts(t, Make(params(Column{o, evenings()})).Bills[0], map[string]string{LinePackage: "90", LineIdle: "0"})
	o.Payment.IncludedHours = nil
	s := Make(params(Column{o, evenings()}))
	for _, f := range Facts(s, 0) {
		if strings.HasPrefix(f.ID, "refund") {
			t.Error("a refund is told of a package that this bill doesn't hold")
		}
	}
}
