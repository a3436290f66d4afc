package sheet

import (
	"testing"

	"rentgen/app/bill/offer"
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
