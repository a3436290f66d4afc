package sheet

import "testing"

// TestCards: 3 sessions of 90 min on a machine of 4 cards at 2 an hour each, by
// the hour: each is rounded up to 2 h, 2 h x 4 cards x 2 = 16, 48 in all; the
// seconds used are 4.5 h x 8 = 36, so rounding is 12. With a least charge of 20
// a session it is 60, with a least time of 3 h 3 x 3 h x 8 = 72.
func TestCards(t *testing.T) {
	u := evenings()
	u.Sessions, u.SessionH, u.Rented, u.Busy = 3, sure("1.5"), sure("4.5"), sure("3")
	for _, c := range []struct {
		term, value, rounding string
	}{{"tax_share", "0", "12"}, {"min_charge", "20", "24"}, {"min_billed_s", "10800", "36"}} {
		o := meteredOffer("Four", "2", "granularity_s", "3600", c.term, c.value)
		o.Cards = 4
		amounts(t, Make(params(Column{o, u})).Bills[0], map[string]string{LineCompute: "24", LineIdle: "12", LineRounding: c.rounding})
	}
}

// TestAddress: an IP at 0.02 an hour over 60 h of running is 1.20; stopped for
// the other 660 h of 30 days it goes on for 13.20, beside a card of 1.88 that
// goes on too: 660 x 1.90 = 1254.
func TestAddress(t *testing.T) {
	o := meteredOffer("A", "1.88", "ip_price_h", "0.02", "stop_bills_ip", "true", "data_disk_price_gb_month", "0", "data_disk_free_gb", "0")
	want := map[string]string{LineCompute: "376/5", LineIdle: "188/5", LineIP: "6/5", LineStopped: "66/5"}
	amounts(t, Make(params(Column{o, evenings()})).Bills[0], want)
	o.Terms["stop_bills_compute"] = told("true")
	want[LineStopped] = "1254"
	amounts(t, Make(params(Column{o, evenings()})).Bills[0], want)
}
