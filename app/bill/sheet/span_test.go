package sheet

import (
	"strings"
	"testing"

	"rentgen/app/bill/offer"
	"rentgen/assets/texts"
)

// TestRunLongerThanTheSpan: a run that needs more hours than the span has is no
// bill, however it is paid; on more machines it is one.
func TestRunLongerThanTheSpan(t *testing.T) {
	run := Usage{
		Days: 30, Machines: 1, Sessions: 1, SessionH: sure("721"), Rented: sure("721"), Busy: sure("720.5"), Pictures: rat("100000"),
		Unattended: true, CardFits: true, SaveEvery: 1,
	}
	for _, o := range []offer.Offer{meteredOffer("hour", "2"), monthOffer("month", "1000")} {
		b := Make(params(Column{o, run})).Bills[0]
		if b.Status != CannotFinish || len(b.Lines) > 0 || b.Why.IsZero() {
			t.Errorf("%s: 721 h in 720 h: %s, total %v", o.Name, b.Status, b.Total)
		}
		o.Count = 2
		if b := Make(params(Column{o, run})).Bills[0]; b.Status != OK {
			t.Errorf("%s: on two machines: %s", o.Name, b.Status)
		}
	}
}

// TestShortHoursMakeNoPriceAPicture: pictures that don't go into the rented
// hours are not what those hours make.
func TestShortHoursMakeNoPriceAPicture(t *testing.T) {
	u := evenings()
	if b := Make(params(Column{meteredOffer("A", "2"), u})).Bills[0]; u.Short() || b.Per1000 == nil {
		t.Errorf("40 h of painting go into 60 h: %v", b.Per1000)
	}
	u.Busy = band("90", "100", "120")
	b := Make(params(Column{meteredOffer("A", "2"), u})).Bills[0]
	if b.Status != OK || b.Per1000 != nil {
		t.Errorf("100 h of painting in 60 h: %s, %v a thousand", b.Status, b.Per1000)
	}
}

// TestOnlyTheHighEndIsLate: a run that ends in time at the point keeps its bill
// where it would be late at the high end, and the bill says so.
func TestOnlyTheHighEndIsLate(t *testing.T) {
	run := Usage{
		Days: 30, Machines: 1, Sessions: 1, SessionH: band("600", "700", "800"), Rented: band("600", "700", "800"), Busy: band("600", "700", "800"),
		Pictures: rat("100000"), Unattended: true, CardFits: true, SaveEvery: 1,
	}
	spot := meteredOffer("spot", "2", "interruption", "spot", "interruptions_per_h", "0.01")
	for _, o := range []offer.Offer{meteredOffer("hour", "2"), monthOffer("month", "1000"), spot} {
		b := Make(params(Column{o, run})).Bills[0]
		if b.Status != OK || len(b.Notes) != 1 || b.Notes[0].Key != "bill.note.may_be_late" || !ordered3(b.Total) {
			t.Errorf("%s: %s, %v, notes %v", o.Name, b.Status, b.Total, b.Notes)
		}
		in := run
		in.SessionH, in.Rented, in.Busy = band("500", "600", "650"), band("500", "600", "650"), band("500", "600", "650")
		if b := Make(params(Column{o, in})).Bills[0]; b.Status != OK || len(b.Notes) > 0 {
			t.Errorf("%s in time: %s, notes %v", o.Name, b.Status, b.Notes)
		}
	}
}

// TestTryingOutWhereTheWholeJobDoesNotEnd: a few hours of trying out go into
// the span of an offer on which the long run doesn't end.
func TestTryingOutWhereTheWholeJobDoesNotEnd(t *testing.T) {
	run := Usage{
		Days: 30, Machines: 1, Sessions: 1, SessionH: sure("721"), Rented: sure("721"), Busy: sure("720.5"), Pictures: rat("100000"),
		Unattended: true, CardFits: true, SaveEvery: 1,
	}
	fast := run
	fast.SessionH, fast.Rented, fast.Busy = sure("300"), sure("300"), sure("300")
	p := params(Column{meteredOffer("pod", "2"), run}, Column{monthOffer("rig", "1000"), fast})
	p.Mixed = &Mixed{Shared: 0, Dedicated: 1, FailShare: rat("0.2"), ValidationH: rat("3")}
	s := Make(p)
	if len(s.Bills) != 3 || s.Bills[0].Status != CannotFinish || !s.Bills[2].Mixed || s.Bills[2].Status != OK {
		t.Fatalf("%+v", s.Bills)
	}
	if got := lineOf(t, s.Bills[2], LineValidation).Amount.Point; got.Cmp(rat("6")) != 0 {
		t.Errorf("three hours at 2 are %s", got)
	}
}

// TestTwoReasonsTwoLines: starts at the end of an instance are no interruption.
func TestTwoReasonsTwoLines(t *testing.T) {
	u := evenings()
	u.Sessions, u.SessionH, u.Rented, u.Busy, u.Pictures, u.Unattended = 1, sure("60"), sure("60"), sure("60"), rat("40000"), true
	u.Waits = Waits{{ID: "boot", Seconds: sure("60"), Billed: true}}
	b := Make(params(Column{meteredOffer("spot", "2", "interruption", "spot", "interruptions_per_h", "0.05", "max_life_h", "24"), u})).Bills[0]
	ids := map[string]int{}
	for _, l := range b.Lines {
		ids[l.ID]++
	}
	if b.Status != OK || ids[LineRerun] != 1 || ids[LineMaxLife] != 1 {
		t.Errorf("%s %v %v", b.Status, b.Why, ids)
	}
}

// TestUnknownCardIsSaid: a card of one's own has a bill that says what isn't
// known of it.
func TestUnknownCardIsSaid(t *testing.T) {
	u := evenings()
	u.CardUnknown = true
	s := Make(params(Column{meteredOffer("own", "2"), u}))
	if b := s.Bills[0]; b.Status != OK || len(b.Notes) != 1 || b.Notes[0].Key != "bill.note.card_unknown" {
		t.Fatalf("%+v", b.Notes)
	}
	for _, l := range texts.Langs() {
		c := texts.For(l)
		if md := Markdown(c, s, nil); !strings.Contains(md, c.Say(s.Bills[0].Notes[0])) {
			t.Errorf("%s: %s", l, md)
		}
	}
}

// TestTimeInChinese: sentences say hours and minutes in their language.
func TestTimeInChinese(t *testing.T) {
	c := texts.For(texts.Chinese)
	for h, want := range map[string]string{"6.14": "6.14\u2009小时", "0.5": "30\u2009分钟", "0.005": "18\u2009秒"} {
		if got := hoursText(rat(h))(c); got != want {
			t.Errorf("%s: %q", h, got)
		}
	}
	own := sure("6.14")
	if got := AmountText(c, Line{ID: LineOps, Hours: &own}, "CNY"); strings.Contains(got, "h") {
		t.Errorf("%q", got)
	}
}

// TestUsualMonth: where nobody says how a month is counted, the hours taken are
// called usual, not unknown.
func TestUsualMonth(t *testing.T) {
	o := meteredOffer("A", "2", "data_disk_gb", "100", "data_disk_price_gb_month", "0.5")
	delete(o.Terms, offer.MonthHours)
	s := Make(params(Column{o, evenings()}))
	for _, in := range lineOf(t, s.Bills[0], LineDataDisk).Inputs {
		if in.Name == "month" && origin(texts.For(texts.English), in.Status) != "usual" {
			t.Errorf("%+v", in)
		}
	}
}
