package offer

import (
	"reflect"
	"testing"

	"rentgen/app/money"
	"rentgen/app/provider"
)

// TestRulesReadByDefinition checks every rule that ships: it is a term, its
// value is one its definition takes, and it says where and when it was read.
func TestRulesReadByDefinition(t *testing.T) {
	n := 0
	for _, r := range provider.All() {
		for k, x := range r.Terms {
			d, ok := DefOf(TermID(k))
			if !ok {
				t.Errorf("%s: %s is no term", r.ID, k)
				continue
			}
			for _, v := range append([]provider.Term{x}, x.Also...) {
				n++
				if err := d.Check(v.Value); err != nil {
					t.Errorf("%s: %s %q: %v", r.ID, k, v.Value, err)
				}
				if v.Source == "" || v.Date == "" || v.Mark == "" {
					t.Errorf("%s: %s has no source, date or mark: %+v", r.ID, k, v)
				}
			}
			if d.Kind == KindMoney && !r.Currency.Valid() && !free(x) {
				t.Errorf("%s: %s is money without a currency", r.ID, k)
			}
		}
		o := Offer{
			Name: "x", Provider: r.ID, Currency: "CNY", Count: 1, Cards: 1, Card: Card{Name: "L20"}, Machine: VM, Payment: Payment{Unit: Hour},
		}.Filled()
		if es := o.Check(); len(es) > 0 {
			t.Errorf("%s: %v", r.ID, es[0])
		}
	}
	if n < 120 {
		t.Errorf("only %d rules", n)
	}
}

func TestFilled(t *testing.T) {
	own := Term{Value: "30", Status: Told}
	o := Offer{Provider: "autodl", Terms: map[TermID]Term{DataDiskFree: own, IPPrice: {Status: Unknown}}}
	f := o.Filled()
	if f.Currency != "CNY" || f.Machine != Container || f.Count != 1 || f.Cards != 1 || f.Card.Part != Whole {
		t.Errorf("%+v", f)
	}
	if !reflect.DeepEqual(f.Term(DataDiskFree), own) {
		t.Errorf("the offer's own term gave way: %+v", f.Term(DataDiskFree))
	}
	if x := f.Term(ReleaseAfter); x.Value != "360" || x.Status != Known || x.Source == "" || x.Mark != ThirdParty {
		t.Errorf("%+v", x)
	}
	if len(o.Terms) != 2 {
		t.Error("Filled changed the offer itself")
	}
	if o.Term(ReleaseAfter).Status != Unknown || f.Term(SnapshotPrice).Status != Unknown || f.Term(IPPrice).Status != Unknown {
		t.Error("what nobody says is known")
	}
}

// TestFilledMixesNoCurrencies guards that a rule in yuan is no amount in
// dollars.
func TestFilledMixesNoCurrencies(t *testing.T) {
	f := Offer{Provider: "autodl", Currency: "USD"}.Filled()
	if _, _, known := f.Rat(DataDiskDay); known {
		t.Error("a price in yuan became one in dollars")
	}
	if v, _, known := (Offer{Provider: "runpod", Currency: "CNY"}).Filled().Rat(Traffic); !known || !v.IsZero() {
		t.Error("what is free in dollars is unknown in yuan")
	}
	if v, _, known := f.Rat(DataDiskFree); !known || v.Point.String() != "50" {
		t.Error("a size without a currency was dropped")
	}
}

func TestRatSpansContradictions(t *testing.T) {
	page := func(v string) Term {
		return Term{Value: v, Status: Known, Source: "page", Date: "2026-01", Mark: Page}
	}
	price := page("0.5")
	price.Also = []Term{page("0.3"), page("0.8"), page("?")}
	o := Offer{Terms: map[TermID]Term{
		SnapshotPrice: price, Root: page("true"), Docker: page("perhaps"), Settlement: page("per_session"), BilledFrom: page("whenever"),
		Granularity: page("0"), Tax: page("1.5"), Traffic: page("-1"), RAM: {Value: "64"}, CPUCores: {Status: Known},
	}}
	b, x, known := o.Rat(SnapshotPrice)
	if !known || b.Low.String() != "0.3" || b.Point.String() != "0.5" || b.High.String() != "0.8" || len(x.Also) != 3 {
		t.Errorf("%v %v", b, known)
	}
	for _, id := range []TermID{Root, Granularity, Tax, Traffic, CPUCores, IPPrice, "nonsense"} {
		if b, _, known := o.Rat(id); known || !b.IsZero() {
			t.Errorf("%s is %v", id, b)
		}
	}
	if b, x, known := o.Rat(RAM); !known || b.Point.Cmp(money.Int(64)) != 0 || x.Status != Typed {
		t.Errorf("a value without a status wasn't typed: %+v", x)
	}
	if v, known, _ := o.Flag(Root); !v || !known {
		t.Error("root")
	}
	for _, id := range []TermID{Docker, RAM, IPPrice, "nonsense"} {
		if v, known, _ := o.Flag(id); v || known {
			t.Errorf("%s is a flag", id)
		}
	}
	if v, known, _ := o.Choice(Settlement); v != "per_session" || !known {
		t.Error("settlement")
	}
	for _, id := range []TermID{BilledFrom, Root, Refund} {
		if v, known, _ := o.Choice(id); v != "" || known {
			t.Errorf("%s is %q", id, v)
		}
	}
}

// TestArticleChecklist keeps every item of the quotation list of the guide, by
// its number there.
func TestArticleChecklist(t *testing.T) {
	items := map[string][]TermID{
		"R036": {Granularity},
		"R037": {StopCompute, StopSystemDisk, StopDataDisk, StopIP, StopBandwidth},
		"R038": {SystemDisk},
		"R039": {DataDiskDay, DataDiskMonth},
		"R040": {SnapshotPrice, ImagePrice},
		"R041": {Bandwidth},
		"R042": {TrafficPack},
		"R043": {PrivateNet},
		"R044": {CrossRegion},
		"R045": {Root},
		"R046": {OwnDriver, Docker},
		"R047": {Interruption},
		"R048": {Maintenance},
		"R049": {CPUCores, RAM, DiskSpeed},
		"R050": {CPUCores, RAM, DiskSpeed},
		"R051": {IdleReclaim, ReleaseAfter},
		"R052": {SnapshotPrice, Interruption},
	}
	listed := map[TermID]bool{}
	for item, ids := range items {
		for _, id := range ids {
			listed[id] = true
			if d, ok := DefOf(id); !ok || !d.Article {
				t.Errorf("%s: %s isn't on the checklist", item, id)
			}
		}
	}
	for n := 36; n <= 52; n++ {
		if len(items["R0"+string(rune('0'+n/10))+string(rune('0'+n%10))]) == 0 {
			t.Errorf("R0%d has no term", n)
		}
	}
	for _, d := range Defs() {
		if d.Article && !listed[d.ID] {
			t.Errorf("%s is on the checklist for no item", d.ID)
		}
	}
}
