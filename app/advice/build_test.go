package advice

import (
	"math/rand/v2"

	"rentgen/app/bill/offer"
	"rentgen/app/bill/sheet"
	"rentgen/app/money"
	"rentgen/app/workload"
)

// Sheets by hand: an offer with a total and what a test needs of its lines.

func r(f float64) money.Rat { return money.Float(f) }

type billOption func(*sheet.Bill)

func bill(name string, machine offer.Machine, unit offer.Unit, total float64, opts ...billOption) sheet.Bill {
	b := sheet.Bill{
		Name: name, Status: sheet.OK, Currency: "CNY", Total: money.Sure(r(total)),
		Offer: offer.Offer{
			Name: name, Currency: "CNY", Count: 1, Cards: 1, Machine: machine,
			Card: offer.Card{Name: "RTX 4090", Part: offer.Whole}, Payment: offer.Payment{Unit: unit, Price: r(1)},
		},
	}
	line := sheet.LineCompute
	if prepaid(b.Offer) {
		line = sheet.LinePackage
	}
	b.Lines = []sheet.Line{{ID: line, Amount: b.Total}}
	for _, o := range opts {
		o(&b)
	}
	return b
}

// pod is a container by the hour, rig a machine of one's own by the month.
func pod(name string, total float64, opts ...billOption) sheet.Bill {
	return bill(name, offer.Container, offer.Hour, total, opts...)
}

func rig(name string, total float64, opts ...billOption) sheet.Bill {
	return bill(name, offer.BareMetal, offer.Month, total, opts...)
}

func mix(name, first, then string, total float64, opts ...billOption) sheet.Bill {
	b := bill(name, "", offer.Hour, total, opts...)
	b.Offer, b.Mixed, b.ValidateOn, b.RunOn = offer.Offer{}, true, first, then
	return b
}

func doubt(low, high float64) billOption {
	return func(b *sheet.Bill) { b.Total.Low, b.Total.High = r(low), r(high) }
}

func status(s sheet.Status) billOption {
	return func(b *sheet.Bill) { b.Status, b.Total, b.Lines = s, money.Band{}, nil }
}

func cards(n int) billOption { return func(b *sheet.Bill) { b.Offer.Cards = n } }

func part(p offer.Part, guaranteed bool) billOption {
	return func(b *sheet.Bill) { b.Offer.Card.Part, b.Offer.Card.Guaranteed = p, guaranteed }
}

func card(name string) billOption { return func(b *sheet.Bill) { b.Offer.Card.Name = name } }

func term(id offer.TermID, value string, also ...string) billOption {
	return func(b *sheet.Bill) {
		terms := map[offer.TermID]offer.Term{}
		for k, v := range b.Offer.Terms {
			terms[k] = v
		}
		t := offer.Term{Value: value, Status: offer.Told}
		for _, a := range also {
			t.Also = append(t.Also, offer.Term{Value: a, Status: offer.Known})
		}
		terms[id] = t
		b.Offer.Terms = terms
	}
}

func used(busy, rented float64) billOption {
	return func(b *sheet.Bill) { b.Usage.Busy, b.Usage.Rented = money.Sure(r(busy)), money.Sure(r(rented)) }
}

func own(hours float64) billOption {
	return func(b *sheet.Bill) {
		h := money.Sure(r(hours))
		b.Lines = append(b.Lines, sheet.Line{ID: sheet.LineOps, Hours: &h})
	}
}

func line(id string, amount float64) billOption {
	return func(b *sheet.Bill) { b.Lines = append(b.Lines, sheet.Line{ID: id, Amount: money.Sure(r(amount))}) }
}

func waits(h float64) billOption { return func(b *sheet.Bill) { b.WaitH = money.Sure(r(h)) } }

func sheetOf(bills ...sheet.Bill) sheet.Sheet {
	s := sheet.Sheet{Days: 30, Currency: "CNY", Bills: bills}
	for i, b := range bills {
		if b.Status != sheet.OK {
			continue
		}
		switch {
		case len(s.Cheapest) == 0 || b.Total.Point.Less(bills[s.Cheapest[0]].Total.Point):
			s.Cheapest = []int{i}
		case b.Total.Point.Cmp(bills[s.Cheapest[0]].Total.Point) == 0:
			s.Cheapest = append(s.Cheapest, i)
		}
	}
	return s
}

// fit says which cards hold the job: "RTX 4090" with "fits".
func fit(answers ...string) workload.Answer {
	a := workload.Answer{VRAM: workload.Band{Low: 17, Point: 18, High: 19}}
	for i := 0; i < len(answers); i += 2 {
		a.Cards = append(a.Cards, workload.CardAnswer{
			Card: workload.Card{Name: answers[i]}, Fit: workload.Fit(answers[i+1]), UsableMiB: 24000, Peak: a.VRAM,
		})
	}
	return a
}

func share(f float64) *float64 { return &f }

// anyInput makes a random plan.
func anyInput(rnd *rand.Rand) Input {
	pick := func(s ...string) string { return s[rnd.IntN(len(s))] }
	coin := func(n int) bool { return rnd.IntN(n) == 0 }
	q := Questions{
		Duration: pick("", Short, Long, Continuous), Sensitivity: pick("", NoSecrets, SomeData, ByContract), Load: pick("", SteadyLoad, Peaks),
		Root: coin(8), Driver: coin(10), Kernel: coin(12), Docker: coin(8), Proven: coin(2), Steady: coin(4), MultiCard: rnd.IntN(3),
	}
	if coin(2) {
		q.FailShare = share(float64(rnd.IntN(5)) / 4)
	}
	var bills []sheet.Bill
	for range rnd.IntN(7) {
		bills = append(bills, anyBill(rnd, len(bills)))
	}
	if coin(2) {
		bills = append(bills, mix("Mixed", "", "", 50+float64(rnd.IntN(400))))
	}
	in := Input{Questions: q, Sheet: sheetOf(bills...)}
	if coin(2) {
		in.Fit = fit("RTX 4090", pick("fits", "tight", "offload", "no"), "L20", "fits")
	}
	if coin(3) {
		in.Hours = []workload.Hours{{Busy: workload.Band{Point: 3}, Rented: workload.Band{Point: float64(3 + rnd.IntN(9))}}}
	}
	return in
}

func anyBill(rnd *rand.Rand, n int) sheet.Bill {
	machines := []offer.Machine{offer.Container, offer.Container, offer.VM, offer.BareMetal}
	units := []offer.Unit{offer.Second, offer.Hour, offer.Month, offer.Pack}
	total := 50 + 10*float64(rnd.IntN(40))
	width := float64(rnd.IntN(3)) * 0.2
	b := bill(string(rune('A'+n)), machines[rnd.IntN(4)], units[rnd.IntN(4)], total, doubt(total*(1-width), total*(1+width)), used(float64(rnd.IntN(20)), 20))
	switch rnd.IntN(8) {
	case 0:
		part(offer.Slice, rnd.IntN(2) == 0)(&b)
	case 1:
		part(offer.VGPU, false)(&b)
	case 2:
		status([]sheet.Status{sheet.CardTooSmall, sheet.CannotFinish, sheet.NoPrice, sheet.NoRate}[rnd.IntN(4)])(&b)
	case 3:
		cards(2)(&b)
	case 4:
		card("L20")(&b)
	case 5:
		b.Offer.Card.Guaranteed = true
	case 6:
		term(offer.Docker, "true")(&b)
	case 7:
		b.Offer.Hidden = rnd.IntN(2) == 0
	}
	return b
}
