package sheet

import (
	"strings"
	"testing"

	"rentgen/app/bill/offer"
	"rentgen/app/money"
	"rentgen/assets/texts"
)

// spotRun is an unattended run of 4 h of which nothing is saved on the way.
func spotRun(seen, watched string) Column {
	u := evenings()
	u.Sessions, u.SessionH, u.Rented, u.Busy, u.Pictures = 1, sure("4"), sure("4"), sure("4"), zero
	u.Unattended = true
	return Column{meteredOffer("Spot", "1", "interruption", "spot", "interruptions_seen", seen, "watched_running_h", watched), u}
}

// TestRateFromHistory: 2 interruptions in 50 running hours are (2 + 1/2) / 50 =
// 0.05 an hour, as if that rate were typed; none in 50 h are 0.5 / 50 = 0.01 at
// the point and 3 / 50 = 0.06 at most.
func TestRateFromHistory(t *testing.T) {
	typed := spotRun("2", "50")
	delete(typed.Offer.Terms, offer.InterruptSeen)
	typed.Offer.Terms[offer.InterruptRate] = told("0.05")
	s := Make(params(spotRun("2", "50"), typed, spotRun("0", "50")))
	a, b := lineOf(t, s.Bills[0], LineRerun), lineOf(t, s.Bills[1], LineRerun)
	if a.Amount.Point.Cmp(b.Amount.Point) != 0 || a.Amount.Point.Sign() <= 0 {
		t.Errorf("%s, but %s of the typed rate", a.Amount.Point, b.Amount.Point)
	}
	if a.Rule != "interruptions_seen" || b.Rule != "interruptions_per_h" {
		t.Errorf("rules %s and %s", a.Rule, b.Rule)
	}
	for _, q := range append(s.Bills[0].Unknown, s.Bills[2].Unknown...) {
		if q.Term == offer.InterruptRate {
			t.Error("the rate is asked for though it was seen")
		}
	}
	none := lineOf(t, s.Bills[2], LineRerun)
	for name, want := range map[string]money.Band{"rate": band("0.01", "0.01", "0.06"), "seen": sure("0"), "watched": sure("50")} {
		found := false
		for _, in := range none.Inputs {
			if in.Name == name {
				found = in.Value.Low.Cmp(want.Low) == 0 && in.Value.Point.Cmp(want.Point) == 0 && in.Value.High.Cmp(want.High) == 0
			}
		}
		if !found {
			t.Errorf("%s isn't %s to %s: %+v", name, want.Low, want.High, none.Inputs)
		}
	}
	// e^(0.01 x 4): 4 h cost (e^0.04 - 1) / 0.01 = 4.081077, at most (e^0.24 - 1) / 0.06 = 4.520819.
	if got := none.Amount; got.Point.Round(6, money.HalfUp).String() != "0.081077" || got.High.Round(6, money.HalfUp).String() != "0.520819" {
		t.Errorf("%s to %s", got.Point, got.High)
	}
	thin := "\u2009"
	en := Explain(texts.For(texts.English), s.Bills[0], a)
	if want := "From your own count: (2 + 0.5) ÷ 50" + thin + "h = 0.05 times an hour"; !strings.HasSuffix(en.Formula, want) || en.Origin == "" {
		t.Errorf("%q, from %q", en.Formula, en.Origin)
	}
	zh := Explain(texts.For(texts.Chinese), s.Bills[2], none)
	if want := "0.5 ÷ 50" + thin + "小时，最多" + thin + "3 ÷ 50" + thin + "小时（95%" + thin + "把握）= 每小时" + thin + "0.01–0.06" + thin + "次"; !strings.HasSuffix(zh.Formula, want) {
		t.Errorf("%q", zh.Formula)
	}
}

// TestNoHistory: without hours there is no rate, and a typed rate wins.
func TestNoHistory(t *testing.T) {
	c := spotRun("0", "0")
	if l := lineOf(t, Make(params(c)).Bills[0], LineRerun); l.Formula != "rerun_unknown" {
		t.Errorf("%s", l.Formula)
	}
	c = spotRun("9", "10")
	c.Offer.Terms[offer.InterruptRate] = told("0.05")
	if l := lineOf(t, Make(params(c)).Bills[0], LineRerun); l.Rule != "interruptions_per_h" {
		t.Errorf("stands on %s", l.Rule)
	}
}
