package sheet

import (
	"rentgen/app/bill/offer"
	"rentgen/app/money"
	"rentgen/assets/texts"
)

// Sentence is what a sheet comes to in one sentence: which offer is cheapest and
// by how much, within which band, or that it is a tie. ch may be nil; with it
// the sentence says how often the cheapest stays the cheapest.
func Sentence(s Sheet, ch *Chance) texts.Phrase {
	live := 0
	for _, b := range s.Bills {
		if b.Status == OK && !b.Offer.Hidden {
			live++
		}
	}
	if len(s.Cheapest) == 0 {
		if len(s.Bills) == 0 {
			return texts.P("bill.sentence.empty")
		}
		return texts.P("bill.sentence.none")
	}
	best := s.Bills[s.Cheapest[0]]
	total := band3(best.Total, s.Currency)
	if live == 1 {
		return texts.P("bill.sentence.one", "offer", best.Name, "total", total, "days", s.Days)
	}
	if len(s.Cheapest) > 1 {
		key := "bill.sentence.tie"
		if len(s.Cheapest) > 2 {
			key = "bill.sentence.tie_more"
		}
		return texts.P(key, "offer_a", best.Name, "offer_b", s.Bills[s.Cheapest[1]].Name, "n", len(s.Cheapest)-1, "total", total)
	}
	second := next(s)
	gap := second.Total.Point.Sub(best.Total.Point)
	key := "bill.sentence.clear"
	if s.Overlap {
		key = "bill.sentence.overlap"
		if openTurns(s, best) {
			key = "bill.sentence.open"
		}
	}
	p := texts.P(key, "offer", best.Name, "total", total, "second", second.Name, "gap", func(c *texts.Catalogue) string {
		return Money(c, gap, s.Currency)
	})
	if ch == nil || len(ch.Cheapest) <= s.Cheapest[0] {
		return p
	}
	return texts.P("bill.sentence.with_chance", "sentence", p, "chance", texts.Chance(ch.Cheapest[s.Cheapest[0]]))
}

func band3(b money.Band, cur money.Currency) func(*texts.Catalogue) string {
	return func(c *texts.Catalogue) string { return MoneyBand(c, b, cur) }
}

// next is the cheapest of the others.
func next(s Sheet) Bill {
	at := -1
	for i, b := range s.Bills {
		if i == s.Cheapest[0] || b.Status != OK || b.Offer.Hidden {
			continue
		}
		if at < 0 || b.Total.Point.Less(s.Bills[at].Total.Point) {
			at = i
		}
	}
	return s.Bills[at]
}

// openTurns reports whether it is the unknown terms alone that let the bands
// touch.
func openTurns(s Sheet, best Bill) bool {
	known := func(b Bill) money.Band {
		t := b.Total
		for _, l := range b.Lines {
			if l.ID == LineUnknown {
				t.Low, t.High = t.Low.Sub(l.Amount.Low), t.High.Sub(l.Amount.High)
			}
		}
		return t
	}
	most := known(best).High
	for i, b := range s.Bills {
		if i != s.Cheapest[0] && b.Status == OK && !b.Offer.Hidden && known(b).Low.Cmp(most) <= 0 {
			return false
		}
	}
	return true
}

// Name says which input moves.
func (m Move) Name() texts.Phrase { return texts.P("bill.move." + m.Input) }

// Say is the move in a sentence: "Month pays from 212 h a month (you: 60 h)".
func (m Move) Say() texts.Phrase {
	number := func(v money.Rat) func(*texts.Catalogue) string {
		return func(c *texts.Catalogue) string {
			switch m.Input {
			case "fail_prob":
				return percentText(v)
			case "hours":
				return hoursText(v)(c)
			}
			return inputText(c, Input{Value: money.Sure(threshold(v)), Unit: m.Unit, Status: offer.Typed})
		}
	}
	key := "bill.move.say." + m.Input + ".up"
	if m.To.Less(m.From) {
		key = "bill.move.say." + m.Input + ".down"
	}
	return texts.P(key, "offer", m.Offer, "then", m.Then, "from", number(m.From), "to", number(m.To), "share", percentText(m.Share))
}

// threshold rounds where an answer turns to what a person can use: four digits
// at least, and from 10 on two decimals.
func threshold(v money.Rat) money.Rat {
	a := v.Max(v.Neg())
	if a.Cmp(money.Int(10)) >= 0 {
		return v.Round(2, money.HalfUp)
	}
	for scale := 3; scale < 9; scale++ {
		if a.Cmp(money.Int(1)) >= 0 || a.IsZero() {
			return v.Round(scale, money.HalfUp)
		}
		a = a.Mul(money.Int(10))
	}
	return v.Round(9, money.HalfUp)
}
