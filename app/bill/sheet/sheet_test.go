package sheet

import (
	"testing"

	"rentgen/app/bill/offer"
	"rentgen/app/money"
)

func rat(s string) money.Rat { return money.MustParse(s) }

func sure(s string) money.Band { return money.Sure(rat(s)) }

func band(l, p, h string) money.Band { return money.Band{Low: rat(l), Point: rat(p), High: rat(h)} }

// told is a term the user gave.
func told(v string) offer.Term { return offer.Term{Value: v, Status: offer.Told} }

func terms(pairs ...string) map[offer.TermID]offer.Term {
	m := make(map[offer.TermID]offer.Term)
	for i := 0; i < len(pairs); i += 2 {
		m[offer.TermID(pairs[i])] = told(pairs[i+1])
	}
	return m
}

// meteredOffer is a container by the hour of which everything is known.
func meteredOffer(name, price string, more ...string) offer.Offer {
	return offer.Offer{
		Name: name, Currency: "CNY", Count: 1, Cards: 1, Card: offer.Card{Name: "RTX 4090", Part: offer.Whole},
		Machine: offer.Container, Payment: offer.Payment{Unit: offer.Hour, Price: rat(price)},
		Terms: terms(append([]string{
			"granularity_s", "1", "stop_bills_compute", "false", "stop_bills_system_disk", "false", "stop_bills_data_disk", "true",
			"stop_bills_ip", "false", "release_after_stopped_h", "360", "interruption", "none", "idle_reclaim_min", "0",
			"month_convention", "fixed_720h", "traffic_price_gb", "0",
		}, more...)...),
	}
}

func monthOffer(name, price string, more ...string) offer.Offer {
	o := meteredOffer(name, price, more...)
	o.Payment.Unit = offer.Month
	return o
}

// evenings is a person at the screen, 30 sittings of 2 h in 30 days, of which
// the card paints 40 h.
func evenings() Usage {
	return Usage{
		Days: 30, Machines: 1, Sessions: 30, SessionH: sure("2"), Rented: sure("60"), Busy: band("36", "40", "48"),
		Pictures: rat("12000"), CardFits: true, SaveEvery: 1,
	}
}

func params(columns ...Column) Params {
	return Params{Days: 30, Currency: "CNY", Columns: columns}
}

func lineOf(t *testing.T, b Bill, id string) Line {
	t.Helper()
	for _, l := range b.Lines {
		if l.ID == id {
			return l
		}
	}
	t.Fatalf("%s has no line %s: %+v", b.Name, id, b.Lines)
	return Line{}
}

// amounts checks lines, written as "id point" or "id low point high", and that
// there are no others with an amount.
func amounts(t *testing.T, b Bill, want map[string]string) {
	t.Helper()
	for _, l := range b.Lines {
		w, ok := want[l.ID]
		if !ok {
			if !l.Amount.IsZero() {
				t.Errorf("%s: %s is %s to %s, expected no such line", b.Name, l.ID, l.Amount.Low.Fraction(), l.Amount.High.Fraction())
			}
			continue
		}
		if got := l.Amount.Point.Fraction(); got != w {
			t.Errorf("%s: %s is %s, want %s", b.Name, l.ID, got, w)
		}
	}
	for id := range want {
		lineOf(t, b, id)
	}
}
