package sheet

import (
	"slices"
	"strings"
	"testing"

	"rentgen/app/bill/offer"
	"rentgen/app/money"
	"rentgen/assets/texts"
)

// asked returns the questions of a bill by term; "?" where nobody knows what the
// answer could add.
func asked(b Bill) map[offer.TermID]string {
	m := make(map[offer.TermID]string)
	for _, q := range b.Unknown {
		m[q.Term] = "?"
		if q.Spread != nil {
			m[q.Term] = q.Spread.String()
		}
	}
	return m
}

// TestAsksHowTimeIsBilled: what nobody says of how a session is billed is asked
// where it moves the total, with what it could add, and nowhere else.
func TestAsksHowTimeIsBilled(t *testing.T) {
	short := evenings()
	short.SessionH, short.Rented, short.Busy = money.Sure(money.Frac(1, 120)), sure("0.25"), sure("0.25") // 30 s each
	queued := evenings()
	queued.Waits = Waits{{ID: "queue", Seconds: band("0", "30", "600")}, {ID: "load", Seconds: sure("20"), Billed: true}}
	for name, c := range map[string]struct {
		o    offer.Offer
		u    Usage
		want map[offer.TermID]string
	}{
		"nothing is open": {meteredOffer("A", "1.88", "billed_from", "boot", "settlement", "per_session"), queued, nil},
		// 600 s of queueing x 30 starts = 5 h x 1.88.
		"the queue could be billed": {meteredOffer("A", "1.88"), queued, map[offer.TermID]string{offer.BilledFrom: "9.4"}},
		"no queue":                  {meteredOffer("A", "1.88"), evenings(), nil},
		// 1.885 an hour and 2 h each: a settlement of 1.885 becomes 1.89, 60 times.
		"cents of settlements": {meteredOffer("A", "1.885"), evenings(), map[offer.TermID]string{offer.Settlement: "0.3"}},
		// 60 s is the longest least time on any page: 30 s more, 30 times, at 3.60.
		"short sessions": {
			meteredOffer("A", "3.6", "settlement", "per_session", "min_charge", "0"), short, map[offer.TermID]string{offer.MinBilled: "0.9"},
		},
		// 30 s at 0.60 are half a cent; the least charge on any page is a cent.
		"cheap sessions": {
			meteredOffer("A", "0.6", "settlement", "per_session", "min_billed_s", "0"), short, map[offer.TermID]string{offer.MinCharge: "0.15"},
		},
		"a period is not metered": {monthOffer("A", "900"), queued, nil},
	} {
		c.o.Terms[offer.Tax] = told("0")
		b := Make(params(Column{c.o, c.u})).Bills[0]
		got := asked(b)
		if len(got) != len(c.want) {
			t.Errorf("%s: asks %v, want %v", name, got, c.want)
		}
		for id, want := range c.want {
			if got[id] != want {
				t.Errorf("%s: %s could add %q, want %q", name, id, got[id], want)
			}
		}
	}
}

// TestAsksForTaxAndDiscount: whether tax comes on top is always open until it is
// said; a discount is asked for where several periods are taken.
func TestAsksForTaxAndDiscount(t *testing.T) {
	long := evenings()
	long.Days = 90
	p := params(Column{monthOffer("A", "900"), long}, Column{meteredOffer("B", "2", "tax_share", "0.06", "settlement", "per_session"), evenings()})
	p.Days = 90
	bills := Make(p).Bills
	if got := asked(bills[0]); got[offer.Tax] != "?" || got[offer.Discount] != "?" {
		t.Errorf("asks %v", got)
	}
	if got := asked(bills[1]); len(got) != 0 {
		t.Errorf("asks %v, though all is said", got)
	}
}

// TestAsksForFreeTraffic: gigabytes that may be free could take off what they
// cost.
func TestAsksForFreeTraffic(t *testing.T) {
	u := evenings()
	u.DownloadGB = rat("40")
	b := Make(params(Column{meteredOffer("A", "2", "traffic_price_gb", "0.8", "tax_share", "0", "settlement", "per_session"), u})).Bills[0]
	if got := asked(b); got[offer.TrafficFree] != "32" {
		t.Errorf("asks %v", got)
	}
	if l := lineOf(t, b, LineUnknown).Amount; l.Low.String() != "-32" || !l.High.IsZero() {
		t.Errorf("unknown %s to %s", l.Low, l.High)
	}
}

// TestTwoPagesOnWhenBillingStarts: the page that bills from the order makes the
// dear end, and both stand with the line.
func TestTwoPagesOnWhenBillingStarts(t *testing.T) {
	o := meteredOffer("A", "3.6", "tax_share", "0", "settlement", "per_session")
	o.Terms[offer.BilledFrom] = offer.Term{
		Value: "running", Status: offer.Known, Source: "one page", Date: "2026-01-01", Mark: offer.Page,
		Also: []offer.Term{{Value: "order", Status: offer.Known, Source: "another page", Date: "2026-02-02", Mark: offer.Page}},
	}
	u := evenings()
	u.Unattended, u.Busy = true, sure("60")
	u.Waits = Waits{{ID: "queue", Seconds: sure("60")}, {ID: "boot", Seconds: sure("40"), Billed: true}, {ID: "load", Seconds: sure("20"), Billed: true}}
	u.SessionH = money.Sure(rat("2").Add(money.Frac(20, 3600)))
	b := Make(params(Column{o, u})).Bills[0]
	// Running: 20 s of each start; from the order: 120 s. 30 starts at 0.001 a second.
	if l := lineOf(t, b, LineStart).Amount; l.Low.String() != "0.6" || l.Point.String() != "0.6" || l.High.String() != "3.6" {
		t.Errorf("starts %s %s %s", l.Low, l.Point, l.High)
	}
	for _, lang := range texts.Langs() {
		x := Explain(texts.For(lang), b, lineOf(t, b, LineStart))
		for _, want := range []string{"one page", "2026-01-01", "another page", "2026-02-02"} {
			if !strings.Contains(x.Origin, want) {
				t.Errorf("%s: %q lacks %s", lang, x.Origin, want)
			}
		}
	}
}

// TestOpenOffersAreAsked: an offer that says nothing is asked for what its bill
// stands on.
func TestOpenOffersAreAsked(t *testing.T) {
	var all []offer.Question
	for _, b := range Make(fullSheet()).Bills {
		all = append(all, b.Unknown...)
	}
	for _, id := range []offer.TermID{offer.BilledFrom, offer.Tax, offer.StopCompute, offer.Granularity} {
		if !slices.ContainsFunc(all, func(q offer.Question) bool { return q.Term == id }) {
			t.Errorf("nobody asks for %s", id)
		}
	}
}
