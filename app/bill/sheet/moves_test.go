package sheet

import (
	"testing"

	"rentgen/app/bill/offer"
	"rentgen/app/money"
	"rentgen/assets/texts"
)

func moveOf(t *testing.T, s Sheet, input, name string) Move {
	t.Helper()
	for _, m := range s.Moves {
		if m.Input == input && m.Offer == name {
			return m
		}
	}
	t.Fatalf("no move of %s of %s: %+v", input, name, s.Moves)
	return Move{}
}

// TestMoves: 60 h at 1.88 = 112.80 against a month for 398.56: the month pays
// from 398.56 / 1.88 = 212 h, once the hour costs 398.56 / 60 = 6.6427, or once
// the month costs 112.80.
func TestMoves(t *testing.T) {
	s := Make(params(Column{meteredOffer("Hourly", "1.88"), evenings()}, Column{monthOffer("Month", "398.56"), evenings()}))
	m := moveOf(t, s, "hours", "Hourly")
	if m.From.String() != "60" || m.To.String() != "212" || m.Then != "Month" {
		t.Errorf("%+v", m)
	}
	if got := texts.For(texts.English).Say(m.Say()); got != "Month pays from 212\u2009h a month (you: 60\u2009h)" {
		t.Errorf("%q", got)
	}
	if p := moveOf(t, s, "price", "Hourly"); p.To.Cmp(rat("398.56").Quo(rat("60"))) != 0 || p.Then != "Month" {
		t.Errorf("%+v", p)
	}
	if p := moveOf(t, s, "package_price", "Month"); p.To.String() != "112.8" || p.Then != "Month" || p.Unit != "CNY/month" {
		t.Errorf("%+v", p)
	}
	for i := 1; i < len(s.Moves); i++ {
		if s.Moves[i].Share.Less(s.Moves[i-1].Share) {
			t.Error("the smallest move doesn't come first")
		}
	}
}

// TestMovesHold: billed again a hair before and a hair behind the move, the two
// offers have changed places.
func TestMovesHold(t *testing.T) {
	d := newDice(6)
	held := 0
	for n := range 50 {
		p := params(Column{d.offer("A"), d.usage()}, Column{d.offer("B"), d.usage()})
		s := Make(p)
		for _, m := range s.Moves {
			if m.Input != "price" && m.Input != "package_price" {
				continue
			}
			held++
			hair := money.Frac(1, 5000)
			if m.To.Less(m.From) {
				hair = hair.Neg()
			}
			gap := func(price money.Rat) int {
				q := params(append([]Column(nil), p.Columns...)...)
				for i := range q.Columns {
					if q.Columns[i].Offer.Name == m.Offer {
						q.Columns[i].Offer.Payment.Price = price
					}
				}
				after := Make(q)
				return after.Bills[0].Total.Point.Cmp(after.Bills[1].Total.Point)
			}
			before, behind := gap(m.To.Sub(m.To.Mul(hair))), gap(m.To.Add(m.To.Mul(hair)))
			if before*behind > 0 {
				t.Errorf("%d: %s of %s at %s turns nothing", n, m.Input, m.Offer, m.To)
			}
		}
	}
	if held < 25 {
		t.Errorf("only %d moves", held)
	}
}

// TestTieHasNoMoves: exactly equal totals are a tie, one is not picked.
func TestTieHasNoMoves(t *testing.T) {
	s := Make(params(Column{meteredOffer("A", "1.88"), evenings()}, Column{monthOffer("B", "112.80"), evenings()}))
	if len(s.Cheapest) != 2 || !s.Overlap || len(s.Moves) != 0 {
		t.Errorf("%v %v %v", s.Cheapest, s.Overlap, s.Moves)
	}
	s = Make(params(Column{meteredOffer("A", "1.88"), evenings()}, Column{monthOffer("B", "112.8000001"), evenings()}))
	if len(s.Cheapest) != 1 || s.Cheapest[0] != 0 {
		t.Errorf("a difference below a cent is still one: %v", s.Cheapest)
	}
}

// TestCurvesCross: the same pair crosses at 212 h, and below it the hourly one
// is cheaper.
func TestCurvesCross(t *testing.T) {
	p := params(Column{meteredOffer("Hourly", "1.88"), evenings()}, Column{monthOffer("Month", "398.56"), evenings()})
	curves, crossings := Curves(p, 720, 37)
	if len(curves) != 2 || len(curves[0].Hours) != 37 || curves[0].Point[0] != 0 || curves[1].Point[36] != 398.56 {
		t.Fatalf("%+v", curves)
	}
	if len(crossings) != 1 || crossings[0].A != "Hourly" || crossings[0].B != "Month" || !crossings[0].Least {
		t.Fatalf("%+v", crossings)
	}
	if h := crossings[0].Hours; h < 211.9 || h > 212.1 {
		t.Errorf("they cross at %v", h)
	}
	for _, c := range curves {
		for i := range c.Hours {
			if c.Low[i] > c.Point[i] || c.Point[i] > c.High[i] {
				t.Errorf("%s at %v h is out of order", c.Offer, c.Hours[i])
			}
		}
	}
	if c, x := Curves(params(), 720, 10); c != nil || x != nil {
		t.Error("no offers have curves")
	}
}

// TestMixedPath is a worked case of mixed_strategy: 5 h of validation at 2.00,
// a month at 1100 that holds the whole run, 80 GB moved at 0.50, 3 h of set-up
// at 60; q = 0.2.
//
//	mixed            = 5 x 2 + 0.8 x (40 + 180 + 1100) = 10 + 1056 = 1066
//	all on the month = 1100 + 180 in any case          = 1280
//	equal at         1 - q = (1100 + 180 - 10) / (40 + 180 + 1100) = 1270/1320
func TestMixedPath(t *testing.T) {
	ded := monthOffer("Month", "1100", "cross_region_price_gb", "0.50", "ip_price_h", "0")
	ded.Machine = offer.BareMetal
	u := evenings()
	rate := rat("60")
	u.OpsSetupH, u.OwnRate = rat("3"), &rate
	shared := meteredOffer("Hourly", "2.00")
	p := params(Column{shared, evenings()}, Column{ded, u})
	p.Mixed = &Mixed{Shared: 0, Dedicated: 1, FailShare: rat("0.2"), ValidationH: rat("5"), TransferGB: rat("80")}
	s := Make(p)
	if len(s.Bills) != 3 || !s.Bills[2].Mixed || s.Bills[2].ValidateOn != "Hourly" || s.Bills[2].RunOn != "Month" {
		t.Fatalf("%+v", s.Bills)
	}
	b := s.Bills[2]
	amounts(t, b, map[string]string{LineValidation: "10", LineTransfer: "32", LinePackage: "880", LineOps: "144"})
	if b.Total.Point.String() != "1066" || s.Bills[1].Total.Point.String() != "1280" {
		t.Errorf("mixed %s, month %s", b.Total.Point, s.Bills[1].Total.Point)
	}
	want := money.Int(1).Sub(money.Frac(1270, 1320))
	if b.PaysFrom == nil || b.PaysFrom.Cmp(want) != 0 {
		t.Fatalf("pays from %v, want %s", b.PaysFrom, want.Fraction())
	}
	m := moveOf(t, s, "fail_prob", b.Name)
	if m.To.Cmp(want) != 0 || m.Then != "Month" {
		t.Errorf("%+v", m)
	}
	// At that share both cost the same.
	p.Mixed.FailShare = want
	if got := Make(p).Bills[2].Total.Point; got.String() != "1280" {
		t.Errorf("at the share the mixed path costs %s", got)
	}
	p.Mixed.FailShare = rat("1.1")
	if len(Make(p).Bills) != 2 {
		t.Error("a share above 1 makes no bill")
	}
}

// TestCover is a worked case of package_cover: 9 days round the clock, 1.98 an
// hour, 39 a day, 250 a week: 1 week and 2 days are 328, 9 days are 351.
func TestCover(t *testing.T) {
	u := Usage{Days: 9, Machines: 1, Sessions: 9, SessionH: sure("24"), Rented: sure("216"), Busy: sure("200"), CardFits: true}
	var columns []Column
	for _, o := range []offer.Offer{meteredOffer("Hour", "1.98"), monthOffer("Day", "39"), monthOffer("Week", "250")} {
		o.Provider = "autodl"
		columns = append(columns, Column{o, u})
	}
	columns[1].Offer.Payment.Unit, columns[2].Offer.Payment.Unit = offer.Day, offer.Week
	p := params(columns...)
	p.Days = 9
	s := Make(p)
	l := lineOf(t, s.Bills[1], LinePackage)
	if l.Amount.Point.String() != "351" {
		t.Errorf("9 days are %s", l.Amount.Point)
	}
	if got := texts.For(texts.English).Say(l.Note); got != "The same days for ¥328.00 with this provider's other offers: 1 by the week, 2 by the day." {
		t.Errorf("%q", got)
	}
}

func TestThresholdsHaveNoNeedlessDigits(t *testing.T) {
	for in, want := range map[string]string{
		"13.92576": "13.93", "1180": "1180", "167.82345": "167.82", "1.87654": "1.877", "0.3412345": "0.3412", "0.00034127": "0.0003413", "0": "0",
	} {
		if got := threshold(money.MustParse(in)).String(); got != want {
			t.Errorf("%s becomes %s, want %s", in, got, want)
		}
	}
}
