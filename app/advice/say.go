package advice

import (
	"rentgen/app/bill/sheet"
	"rentgen/app/money"
	"rentgen/app/workload"
	"rentgen/assets/texts"
)

// Numbers inside a phrase are said in the language of then.
type said = func(*texts.Catalogue) string

// amount says a total: "¥58 to 72".
func amount(b money.Band, cur money.Currency) said {
	return func(c *texts.Catalogue) string {
		d := max(digits(b.Low, b.High, cur), digits(b.High, b.High, cur))
		low, high := rounded(b.Low, d), rounded(b.High, d)
		if low == high {
			return cur.Sign() + high
		}
		return cur.Sign() + c.T("format.band", "low", low, "high", high)
	}
}

// digits is how many decimals an amount is written with beside size: none from
// 100 on or where there are none, else the currency's minor ones.
func digits(v, size money.Rat, cur money.Currency) int {
	if !size.Less(money.Int(100)) || v.Round(cur.Scale(), money.HalfUp).IsInt() {
		return 0
	}
	return cur.Scale()
}

func rounded(v money.Rat, digits int) string {
	return texts.Number(v.Round(digits, money.HalfUp).Float64(), digits)
}

func price(v money.Rat, cur money.Currency) string { return cur.Sign() + rounded(v, digits(v, v, cur)) }

// gib says a band of VRAM given in GiB.
func gib(b workload.Band) said {
	return func(c *texts.Catalogue) string { return texts.Band(c, b.Low*1024, b.High*1024, "MiB") }
}

func percent(share float64) string { return texts.Percent(100 * share) }

func minutes(b money.Band) said {
	return func(c *texts.Catalogue) string {
		return texts.Band(c, b.Low.Float64()*60, b.High.Float64()*60, texts.Unit(c, "min"))
	}
}

func hoursOf(b money.Band) said {
	return func(c *texts.Catalogue) string {
		return texts.Band(c, b.Low.Float64(), b.High.Float64(), texts.Unit(c, "h"))
	}
}

// Phrase says a choice: "shared (container)".
func (k Choice) Phrase() texts.Phrase { return texts.P("advice.choice." + string(k)) }

func lineName(id string) texts.Phrase { return texts.P("bill.line." + id) }

// currency returns the sheet's, or the bill's where the sheet names none.
func (v verdict) currency(s *side) money.Currency {
	if v.in.Sheet.Currency == "" && s != nil {
		return s.bill.Currency
	}
	return v.in.Sheet.Currency
}

func (v verdict) days() int { return max(v.in.Sheet.Days, 1) }

func (v verdict) total(s *side) any {
	if s == nil || !s.priced() {
		return texts.Dash
	}
	return amount(s.bill.Total, v.currency(s))
}

func lineOf(b *sheet.Bill, id string) (sheet.Line, bool) {
	for _, l := range b.Lines {
		if l.ID == id {
			return l, true
		}
	}
	return sheet.Line{}, false
}
