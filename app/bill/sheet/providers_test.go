package sheet

import (
	"math"
	"slices"
	"strings"
	"testing"

	"rentgen/app/bill/offer"
	"rentgen/app/money"
	"rentgen/app/provider"
	"rentgen/assets/texts"
)

// TestEveryProvider bills an offer of every provider's dated rules, by the hour
// and by the month: it has a total, every line that stands on a rule names its
// source and date, and what nobody says is asked.
func TestEveryProvider(t *testing.T) {
	if len(provider.All()) < 20 {
		t.Fatalf("only %d providers", len(provider.All()))
	}
	for _, r := range provider.All() {
		for _, unit := range []offer.Unit{offer.Hour, offer.Month} {
			currency := r.Currency
			if currency == "" {
				currency = "CNY"
			}
			o, errs := offer.Start(r.ID, offer.Five{
				Card: offer.Card{Name: "RTX 4090"}, Unit: unit, Price: rat("2"), Currency: currency, DataDiskGB: rat("50"), Machine: offer.Container,
			})
			if len(errs) > 0 {
				t.Errorf("%s: %v", r.ID, errs[0])
				continue
			}
			u := evenings()
			u.ModelGB, u.DownloadGB, u.UploadGB = rat("40"), rat("40"), rat("3")
			p := params(Column{o.Filled(), u})
			p.Currency = currency
			b := Make(p).Bills[0]
			if b.Status != OK {
				t.Errorf("%s by the %s: %s", r.ID, unit, b.Status)
				continue
			}
			for _, l := range b.Lines {
				if _, ruled := r.Terms[l.Rule]; ruled && (l.Source == "" || l.Date == "") && b.Offer.Terms[offer.TermID(l.Rule)].Source != "" {
					t.Errorf("%s: %s has no source or date", r.ID, l.ID)
				}
				for _, lang := range texts.Langs() {
					if m := stray.FindString(Explain(texts.For(lang), b, l).Formula); m != "" {
						t.Errorf("%s: %s leaves %s open", r.ID, l.Formula, m)
					}
				}
			}
			if unit == offer.Hour && len(b.Unknown) == 0 {
				t.Errorf("%s answers everything, which no page does", r.ID)
			}
		}
	}
}

// TestContradictingPages: two pages of a provider that disagree make the band,
// the dearer one its high end.
func TestContradictingPages(t *testing.T) {
	o := meteredOffer("A", "1.80", "data_disk_gb", "100", "data_disk_free_gb", "0")
	o.Terms[offer.DataDiskMonth] = offer.Term{
		Value: "0.4", Status: offer.Known, Source: "one", Date: "2026-01-01",
		Also: []offer.Term{{Value: "0.3", Status: offer.Known}, {Value: "0.9", Status: offer.Known}},
	}
	o.Terms[offer.StopDataDisk] = offer.Term{
		Value: "false", Status: offer.Known, Also: []offer.Term{{Value: "true", Status: offer.Known, Source: "two", Date: "2026-02-02"}},
	}
	b := Make(params(Column{o, evenings()})).Bills[0]
	// Running 60 h: 100 x 0.4 x 60/720, from 0.3 to 0.9; stopped 660 h only if
	// the other page is right: 100 x 0.9 x 660/720.
	if l := lineOf(t, b, LineDataDisk).Amount; l.Low.String() != "2.5" || l.Point.Fraction() != "10/3" || l.High.String() != "7.5" {
		t.Errorf("disk %s %s %s", l.Low, l.Point, l.High)
	}
	if l := lineOf(t, b, LineStopped).Amount; !l.Low.IsZero() || !l.Point.IsZero() || l.High.String() != "82.5" {
		t.Errorf("stopped %s %s %s", l.Low, l.Point, l.High)
	}
	en := texts.For(texts.English)
	if x := Explain(en, b, lineOf(t, b, LineStopped)); !strings.Contains(x.Origin, "two, 2026-02-02") {
		t.Errorf("the other page isn't told: %q", x.Origin)
	}
	told := false
	for _, in := range Explain(en, b, lineOf(t, b, LineDataDisk)).Inputs {
		told = told || len(in.Also) == 2 && strings.Contains(in.Also[1], "¥0.9")
	}
	if !told {
		t.Error("the disk's other prices aren't told")
	}
}

// TestCurrencies: a dollar offer on a yuan sheet takes the latest rate, tells
// its date, and without one has no total.
func TestCurrencies(t *testing.T) {
	o := meteredOffer("A", "0.5")
	o.Currency = "USD"
	p := params(Column{o, evenings()})
	p.Rates = money.Rates{{From: "USD", To: "CNY", Value: rat("7"), Date: "2026-10-01"}, {From: "CNY", To: "USD", Value: rat("0.125"), Date: "2026-11-01"}}
	b := Make(p).Bills[0]
	if b.Total.Point.String() != "240" || b.RateDate != "2026-11-01" || b.Currency != "CNY" {
		t.Errorf("%s at the rate of %q in %s", b.Total.Point, b.RateDate, b.Currency)
	}
	p.Rates = nil
	if b = Make(p).Bills[0]; b.Status != NoRate || len(b.Lines) > 0 {
		t.Errorf("%s with %d lines", b.Status, len(b.Lines))
	}
}

// TestReruns: spot with saved pictures costs a little, an unsaved run that
// can't end says so instead of a number.
func TestReruns(t *testing.T) {
	o := meteredOffer("Spot", "0.75", "interruption", "spot", "interruptions_per_h", "0.25", "downtime_h", "0.2")
	u := Usage{
		Days: 30, Machines: 1, Sessions: 1, SessionH: money.Sure(money.Frac(35, 3)), Rented: money.Sure(money.Frac(35, 3)),
		Busy: money.Sure(money.Frac(35, 3)), Pictures: rat("3000"), CardFits: true, SaveEvery: 1,
		Waits: Waits{{ID: "load", Seconds: sure("288"), Billed: true}},
	}
	b := Make(params(Column{o, u})).Bills[0]
	// images_natural_checkpoint with downtime unbilled: 3000 e^(0.25 x 0.08)
	// (e^(0.25 x 14/3600) - 1) / 0.25 = 11.908137... h, of which 11.666... are work.
	if got := lineOf(t, b, LineRerun).Amount.Point.Float64(); got < 0.1808 || got > 0.1812 {
		t.Errorf("reruns cost %v", got)
	}
	u.Pictures, u.SessionH, u.Rented, u.Busy = zero, sure("60"), sure("60"), sure("60")
	if b = Make(params(Column{o, u})).Bills[0]; b.Status != CannotFinish || len(b.Lines) > 0 {
		t.Errorf("60 h without saving: %s", b.Status)
	}
}

// TestTrainingSavesOnTheWay: an interrupted training loses what was done since
// the last save; saving nothing it starts from its beginning.
func TestTrainingSavesOnTheWay(t *testing.T) {
	o := meteredOffer("Spot", "1", "interruption", "spot", "interruptions_per_h", "0.1")
	u := Usage{
		Days: 30, Machines: 1, Sessions: 1, SessionH: sure("20"), Rented: sure("20"), Busy: sure("20"),
		Pictures: rat("2"), Steps: 5000, SaveEvery: 500, CardFits: true,
	}
	lost := func(u Usage) float64 {
		return lineOf(t, Make(params(Column{o, u})).Bills[0], LineRerun).Amount.Point.Float64()
	}
	// 20 stretches of an hour: 20 (e^0.1 - 1) / 0.1 = 21.034184 h; 2 of ten hours:
	// 2 (e - 1) / 0.1 = 34.365637 h. 20 h of each are work.
	if got := lost(u); math.Abs(got-1.034184) > 1e-6 {
		t.Errorf("saved every 500 steps: %v", got)
	}
	u.SaveEvery = 5000
	if got := lost(u); math.Abs(got-14.365637) > 1e-6 {
		t.Errorf("saved at the end: %v", got)
	}
	u.Waits = Waits{{ID: "load", Seconds: sure("36"), Billed: true}}
	s := Make(params(Column{o, u}))
	i := slices.IndexFunc(Facts(s, 0), func(f Fact) bool { return f.ID == "save_steps" })
	if i < 0 {
		t.Fatalf("nobody says how often to save: %+v", Facts(s, 0))
	}
	// Young: sqrt(2 x 0.01 h x 10 h) = 0.447 h, of 500 steps an hour; the exact one is a little less.
	if said := texts.For(texts.English).Say(Facts(s, 0)[i].Text); !strings.Contains(said, "every 22") {
		t.Errorf("%q", said)
	}
}
