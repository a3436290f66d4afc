package tariff

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/quick"
	"time"

	"rentgen/app/bill/offer"
	"rentgen/app/bill/sheet"
	"rentgen/app/money"
	"rentgen/app/plan"
	"rentgen/app/workload"
)

var shanghai = time.FixedZone("CST", 8*3600)

func at(h, m, s int) time.Time { return time.Date(2026, 11, 30, h, m, s, 0, shanghai) }

func rat(s string) *money.Rat { v := money.MustParse(s); return &v }

func mustParse(t *testing.T, in Typed) Tariff {
	t.Helper()
	tr, err := Parse(in, at(12, 0, 0))
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// TestCost: amounts worked out by hand.
func TestCost(t *testing.T) {
	second := map[offer.TermID]offer.Term{
		offer.Granularity: {Value: "1", Status: offer.Typed}, offer.MinBilled: {Value: "0", Status: offer.Typed},
		offer.MinCharge: {Value: "0", Status: offer.Typed}, offer.Settlement: {Value: "per_session", Status: offer.Typed},
	}
	with := func(pairs ...string) Tariff {
		tr := Tariff{Currency: "CNY", PerHour: rat("1.88"), Terms: map[offer.TermID]offer.Term{}}
		for k, v := range second {
			tr.Terms[k] = v
		}
		for i := 0; i < len(pairs); i += 2 {
			tr.Terms[offer.TermID(pairs[i])] = offer.Term{Value: pairs[i+1], Status: offer.Typed}
		}
		return tr
	}
	free := with()
	free.NoGPU = rat("0.1")
	card := with()
	card.Package = &Package{money.MustParse("300"), at(0, 0, 0), at(12, 0, 0)}
	for _, c := range []struct {
		name     string
		t        Tariff
		from, to time.Time
		noGPU    bool
		want     [3]string
	}{
		{"34 min by the second", with(), at(10, 0, 0), at(10, 34, 0), false, [3]string{"1.06533333333333", "1.06533333333333", "1.06533333333333"}},
		{"nothing", with(), at(10, 0, 0), at(10, 0, 0), false, [3]string{"0", "0", "0"}},
		{"by the hour", with("granularity_s", "3600"), at(10, 0, 0), at(11, 0, 1), false, [3]string{"3.76", "3.76", "3.76"}},
		{"at least 5 min", with("min_billed_s", "300"), at(10, 0, 0), at(10, 1, 0), false, [3]string{"0.156666666666667", "0.156666666666667", "0.156666666666667"}},
		{"at least 0.50", with("min_charge", "0.5"), at(10, 0, 0), at(10, 1, 0), false, [3]string{"0.5", "0.5", "0.5"}},
		// 30 min: 0.94; an hour: 1.88; 20 min: 0.6267 -> 0.63.
		{"settled on the hour", with("settlement", "wall_clock_hour"), at(10, 30, 0), at(12, 20, 0), false, [3]string{"3.45", "3.45", "3.45"}},
		{"discount and tax", with("discount_factor", "0.5", "tax_share", "0.1"), at(10, 0, 0), at(11, 0, 0), false, [3]string{"1.034", "1.034", "1.034"}},
		{"without a card", free, at(10, 0, 0), at(11, 30, 0), true, [3]string{"0.15", "0.15", "0.15"}},
		{"without a card, its price unknown", with(), at(10, 0, 0), at(11, 0, 0), true, [3]string{"0", "0", "1.88"}},
		{"in the package", card, at(1, 0, 0), at(11, 0, 0), false, [3]string{"0", "0", "0"}},
		{"beyond the package", card, at(1, 0, 0), at(13, 0, 0), false, [3]string{"1.88", "1.88", "1.88"}},
		{"around the package", card, at(0, 0, 0).Add(-time.Hour), at(13, 0, 0), false, [3]string{"3.76", "3.76", "3.76"}},
	} {
		for i, want := range c.want {
			if got := c.t.Clock().Cost(i, c.from, c.to, c.noGPU).String(); got != want {
				t.Errorf("%s, scene %d: %s, want %s", c.name, i, got, want)
			}
		}
	}
	if got := card.Clock().Share(at(3, 0, 0), at(6, 0, 0)).String(); got != "75" {
		t.Errorf("a quarter of the package: %s", got)
	}
}

// TestUnknownRulesWiden: of a price alone nobody knows the unit; the platform's
// rules name it.
func TestUnknownRulesWiden(t *testing.T) {
	bare := mustParse(t, Typed{PerHour: "1.88", Currency: "cny"}).Clock()
	low, high := bare.Cost(Low, at(10, 0, 0), at(10, 34, 0), false), bare.Cost(High, at(10, 0, 0), at(10, 34, 0), false)
	if low.Fixed(2) != "1.07" || high.String() != "3.76" && high.String() != "1.88" {
		t.Errorf("a price alone: %s to %s", low, high)
	}
	ruled := mustParse(t, Typed{PerHour: "1.88", Provider: "AutoDL"})
	if ruled.Currency != "CNY" {
		t.Errorf("currency %q", ruled.Currency)
	}
	c := ruled.Clock()
	if l, h := c.Cost(Low, at(10, 0, 0), at(10, 34, 0), false), c.Cost(High, at(10, 0, 0), at(10, 34, 0), false); l.Fixed(2) != "1.07" || h.Fixed(2) != "1.07" {
		t.Errorf("by AutoDL's rules: %s to %s", l, h)
	}
	known := map[offer.TermID]bool{}
	for _, r := range ruled.Rules() {
		known[r.ID] = r.Term.Status == offer.Known && r.Term.Source != "" && r.Term.Date != ""
	}
	if !known[offer.Granularity] || !known[offer.GuestShutdown] || known[offer.MinBilled] {
		t.Errorf("rules %v", known)
	}
	if d, ok := ruled.ReleaseAfter(); !ok || d != 15*24*time.Hour {
		t.Errorf("released after %s, %v", d, ok)
	}
}

func TestBadInput(t *testing.T) {
	for _, c := range []struct {
		in    Typed
		field string
	}{
		{Typed{}, "per_hour"},
		{Typed{PerHour: "-1", Currency: "CNY"}, "per_hour"},
		{Typed{PerHour: "0", Currency: "CNY"}, "per_hour"},
		{Typed{PerHour: "1,88", Currency: "CNY"}, "per_hour"},
		{Typed{PerHour: "1.88"}, "currency"},
		{Typed{PerHour: "1.88", Currency: "YUAN"}, "currency"},
		{Typed{PerHour: "1.88", Currency: "CNY", Provider: "nobody"}, "provider"},
		{Typed{PerHour: "1.88", Currency: "CNY", NoGPU: "x"}, "no_gpu_per_hour"},
		{Typed{PerHour: "1.88", Currency: "CNY", Granularity: "0"}, "granularity_s"},
		{Typed{PackagePrice: "1500", Currency: "CNY"}, "until"},
		{Typed{PackagePrice: "1500", Currency: "CNY", From: at(12, 0, 0), Until: at(11, 0, 0)}, "until"},
		{Typed{PerHour: "1.88", Currency: "CNY", Until: at(11, 0, 0)}, "package_price"},
		{Typed{PackagePrice: "1500", Currency: "CNY", Until: at(11, 0, 0).AddDate(100, 0, 0)}, "until"},
	} {
		_, err := Parse(c.in, at(12, 0, 0))
		es := offer.Inputs(err)
		if !slices.ContainsFunc(es, func(e *offer.InputError) bool { return e.Field == c.field }) {
			t.Errorf("%+v: %v, want %s", c.in, err, c.field)
		}
	}
}

// TestPackageBegin: a month card is taken for a month, never for one to come.
func TestPackageBegin(t *testing.T) {
	p := mustParse(t, Typed{PackagePrice: "1500", Currency: "CNY", Until: time.Date(2026, 12, 31, 12, 0, 0, 0, shanghai)}).Package
	if !p.From.Equal(at(12, 0, 0)) {
		t.Errorf("begins %s", p.From)
	}
	p = mustParse(t, Typed{PackagePrice: "1500", Currency: "CNY", Until: time.Date(2026, 12, 15, 0, 0, 0, 0, shanghai)}).Package
	if want := time.Date(2026, 11, 15, 0, 0, 0, 0, shanghai); !p.From.Equal(want) {
		t.Errorf("begins %s, want %s", p.From, want)
	}
}

func TestFromOffer(t *testing.T) {
	base := offer.Offer{Name: "A", Provider: "autodl", Card: offer.Card{Name: "RTX 4090"}}
	for _, c := range []struct {
		pay     offer.Payment
		cards   int
		perHour string // a fraction, "" for none
		ends    time.Time
	}{
		{offer.Payment{Unit: offer.Hour, Price: money.MustParse("1.88")}, 1, "47/25", time.Time{}},
		{offer.Payment{Unit: offer.Hour, Price: money.MustParse("1.88")}, 2, "94/25", time.Time{}},
		{offer.Payment{Unit: offer.Second, Price: money.MustParse("0.001")}, 1, "18/5", time.Time{}},
		{offer.Payment{Unit: offer.Pack, Price: money.MustParse("80"), Hours: money.Int(30)}, 1, "8/3", time.Time{}},
		{offer.Payment{Unit: offer.Quota, Price: money.MustParse("135"), Units: money.Int(20), DrawPerHour: money.Int(1)}, 1, "27/4", time.Time{}},
		{offer.Payment{Unit: offer.Month, Price: money.MustParse("1500")}, 1, "", time.Date(2026, 12, 30, 12, 0, 0, 0, shanghai)},
		{offer.Payment{Unit: offer.Week, Price: money.MustParse("400"), Overage: rat("2")}, 1, "2", time.Date(2026, 12, 7, 12, 0, 0, 0, shanghai)},
	} {
		o := base
		o.Payment, o.Cards = c.pay, c.cards
		tr, err := FromOffer(o, "p", at(12, 0, 0), at(12, 0, 0))
		if err != nil {
			t.Errorf("%+v: %v", c.pay, err)
			continue
		}
		got := ""
		if tr.PerHour != nil {
			got = tr.PerHour.Fraction()
		}
		if got != c.perHour || (tr.Package == nil) != c.ends.IsZero() || tr.Package != nil && !tr.Package.Until.Equal(c.ends) {
			t.Errorf("%+v: %q an hour, package %+v", c.pay, got, tr.Package)
		}
		b, err := json.Marshal(tr)
		if err != nil {
			t.Fatal(err)
		}
		back, err := Read(b)
		if err != nil || back.PerHour != nil && back.PerHour.Fraction() != c.perHour || !back.Since.Equal(tr.Since) {
			t.Errorf("%s comes back as %+v, %v", b, back, err)
		}
		if _, kept := tr.Terms[offer.GuestShutdown]; kept {
			t.Errorf("the provider's rules are kept with the price")
		}
	}
	if _, err := FromOffer(base, "", at(12, 0, 0), at(12, 0, 0)); len(offer.Inputs(err)) == 0 {
		t.Errorf("an offer without a price: %v", err)
	}
}

// TestPlanned takes the bill of the shipped example.
func TestPlanned(t *testing.T) {
	p, err := plan.Read(plan.Example("bill"))
	if err != nil {
		t.Fatal(err)
	}
	var done int
	for i, b := range plan.Evaluate(workload.Load(), p).Sheet.Bills {
		if b.Mixed || b.Status != sheet.OK {
			continue
		}
		tr, err := FromOffer(p.Offers[i], p.Name, at(12, 0, 0), at(12, 0, 0))
		if err != nil {
			t.Fatal(err)
		}
		f := tr.Planned(b, p.Days).Forecast
		if b.Currency != tr.Currency {
			if f != nil {
				t.Errorf("%s: a forecast in another currency", b.Name)
			}
			continue
		}
		sum := money.Rat{}
		for _, l := range f.Lines {
			sum = sum.Add(l.Amount.Point)
		}
		if sum.Cmp(f.Total.Point) != 0 || f.Days != p.Days {
			t.Errorf("%s: lines come to %s, the total is %s", b.Name, sum, f.Total.Point)
		}
		done++
	}
	if done == 0 {
		t.Error("no bill was taken")
	}
}

// TestCostNeverFalls: whatever the rules are, a later end costs at least as much,
// and the scenes are in order at a kept end.
func TestCostNeverFalls(t *testing.T) {
	tariffs := []Tariff{
		{Currency: "CNY", PerHour: rat("1.88")},
		{Currency: "CNY", PerHour: rat("1.88"), Provider: "autodl"},
		{Currency: "USD", PerHour: rat("0.34"), Provider: "runpod"},
		{Currency: "USD", PerHour: rat("2.1"), Provider: "aws", NoGPU: rat("0.1")},
		{Currency: "CNY", PerHour: rat("9.99"), Provider: "tencent", Package: &Package{money.Int(10), at(9, 0, 0), at(17, 0, 0)}},
	}
	err := quick.Check(func(which, start uint16, a, b uint16, noGPU bool) bool {
		c := tariffs[int(which)%len(tariffs)].Clock()
		from := at(0, 0, 0).Add(time.Duration(start) * time.Second)
		if a > b {
			a, b = b, a
		}
		x, y := from.Add(time.Duration(a)*time.Second), from.Add(time.Duration(b)*time.Second)
		for i := range 3 {
			if c.Cost(i, from, y, noGPU).Less(c.Cost(i, from, x, noGPU)) {
				return false
			}
		}
		return !c.Cost(Point, from, y, noGPU).Less(c.Cost(Low, from, y, noGPU)) && !c.Cost(High, from, y, noGPU).Less(c.Cost(Point, from, y, noGPU))
	}, &quick.Config{MaxCount: 1000})
	if err != nil {
		t.Error(err)
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{"", "{}", `{"currency":"CNY","per_hour":"47/25"}`, `{"currency":"CNY","per_hour":"1/0"}`, `{"per_hour":"1e9999999"}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		tr, err := Read([]byte(s))
		if err != nil {
			return
		}
		tr.Clock().Cost(High, at(0, 0, 0), at(12, 0, 0), false)
		b, err := json.Marshal(tr)
		if err != nil {
			t.Skip(err) // a time beyond what JSON writes
		}
		again, err := Read(b)
		if err != nil || !reflect.DeepEqual(again.PerHour == nil, tr.PerHour == nil) || strings.Contains(string(b), "e+") {
			t.Fatalf("%s reads back as %+v: %v", b, again, err)
		}
	})
}
