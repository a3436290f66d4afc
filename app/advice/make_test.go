package advice

import (
	"context"
	"testing"

	"rentgen/app/bill/offer"
	"rentgen/app/bill/sheet"
	"rentgen/app/money"
)

// use is a plan's use of an offer: hours rented in 30 days, in sittings of two.
func use(hours int64, card bool) sheet.Usage {
	h := money.Sure(money.Int(hours))
	return sheet.Usage{
		Days: 30, Machines: 1, Sessions: int(hours / 2), SessionH: money.Sure(money.Int(2)), Rented: h,
		Busy: h.Times(money.Frac(4, 5)), Pictures: money.Int(hours * 400), CardFits: card, SaveEvery: 1,
	}
}

// made is a real sheet: a container by the hour, a whole machine by the month,
// and trying on the first before paying the second.
func made(hours int64, fail string) sheet.Params {
	known := map[offer.TermID]offer.Term{
		offer.Granularity: {Value: "1", Status: offer.Told}, offer.StopCompute: {Value: "false", Status: offer.Told},
		offer.Interruption: {Value: "none", Status: offer.Told},
	}
	p := sheet.Params{Days: 30, Currency: "CNY", Columns: []sheet.Column{
		{Offer: offer.Offer{
			Name: "Pod", Currency: "CNY", Count: 1, Cards: 1, Machine: offer.Container, Card: offer.Card{Name: "RTX 4090", Part: offer.Whole},
			Payment: offer.Payment{Unit: offer.Hour, Price: money.Int(2)}, Terms: known,
		}, Usage: use(hours, true)},
		{Offer: offer.Offer{
			Name: "Month", Currency: "CNY", Count: 1, Cards: 1, Machine: offer.BareMetal, Card: offer.Card{Name: "RTX 4090", Part: offer.Whole},
			Payment: offer.Payment{Unit: offer.Month, Price: money.Int(400)}, Terms: known,
		}, Usage: use(hours, true)},
	}}
	if fail != "" {
		p.Mixed = &sheet.Mixed{Shared: 0, Dedicated: 1, FailShare: money.MustParse(fail), ValidationH: money.Int(4)}
	}
	return p
}

// TestRealSheets gives the advice on bills as the program makes them.
func TestRealSheets(t *testing.T) {
	for _, c := range []struct {
		name  string
		hours int64
		fail  string
		q     Questions
		want  Choice
		offer string
	}{
		{"few hours", 40, "0.2", Questions{}, Shared, "Pod"},
		{"many hours, proven", 400, "", Questions{Proven: true}, Dedicated, "Month"},
		{"many hours, trying first", 400, "0.2", Questions{FailShare: share(0.2)}, Validate, "Pod"},
		{"many hours, sure enough", 400, "0.001", Questions{FailShare: share(0.001)}, Dedicated, "Month"},
		{"few hours under contract", 40, "0.2", Questions{Sensitivity: ByContract}, Dedicated, "Month"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := made(c.hours, c.fail)
			in := Input{Questions: c.q, Sheet: sheet.Make(p)}
			ch, err := sheet.Chances(context.Background(), p, 2000, 1, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, in.Chance = range []*sheet.Chance{nil, &ch} {
				a := Give(in)
				if a.Choice != c.want || a.Offer != c.offer {
					t.Errorf("%s %q, want %s %q: %+v", a.Choice, a.Offer, c.want, c.offer, in.Sheet.Bills)
				}
				checkTexts(t, a)
			}
		})
	}
}

// TestRealTurningPoint: the hours at which the bill says the answer turns are
// told, and the answer turns there.
func TestRealTurningPoint(t *testing.T) {
	q := Questions{Proven: true}
	a := Give(Input{Questions: q, Sheet: sheet.Make(made(40, ""))})
	for _, ch := range a.WouldChange {
		if ch.Input != "hours" {
			continue
		}
		at, err := money.Parse(ch.To)
		if err != nil || ch.Then != Dedicated {
			t.Fatalf("%+v: %v", ch, err)
		}
		n := int64(at.Float64())
		before := Give(Input{Questions: q, Sheet: sheet.Make(made(n-n%2-4, ""))}).Choice
		after := Give(Input{Questions: q, Sheet: sheet.Make(made(n-n%2+8, ""))}).Choice
		if before != Shared || after != Dedicated {
			t.Errorf("at %s h: %s before, %s after", ch.To, before, after)
		}
		return
	}
	t.Errorf("no hours told in %+v", a.WouldChange)
}
