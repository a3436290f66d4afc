package money

import (
	"fmt"
	"regexp"
)

// Currency is an ISO 4217 code.
type Currency string

// Scale returns how many digits the currency's minor unit has after the point.
func (c Currency) Scale() int {
	switch c {
	case "JPY", "KRW", "VND", "CLP", "ISK":
		return 0
	case "KWD", "BHD", "OMR", "JOD", "TND":
		return 3
	}
	return 2
}

// Sign returns what is written before an amount: "¥", "US$", or the code.
func (c Currency) Sign() string {
	switch c {
	case "CNY":
		return "¥"
	case "USD":
		return "US$"
	case "EUR":
		return "€"
	case "HKD":
		return "HK$"
	case "GBP":
		return "£"
	case "JPY":
		return "JP¥"
	}
	return string(c) + "\u00a0"
}

var code = regexp.MustCompile(`^[A-Z]{3}$`)

// Valid reports whether the code has the form of a currency's.
func (c Currency) Valid() bool { return code.MatchString(string(c)) }

// Amount is a sum of money in major units.
type Amount struct {
	Value    Rat
	Currency Currency
}

// Add returns a + b; amounts of two currencies are never summed.
func (a Amount) Add(b Amount) (Amount, error) {
	if a.Currency != b.Currency {
		return Amount{}, fmt.Errorf("add %s to %s: %w", b.Currency, a.Currency, MissingRate)
	}
	return Amount{a.Value.Add(b.Value), a.Currency}, nil
}

// Rounded returns the amount in whole minor units, half away from zero.
func (a Amount) Rounded() Rat { return a.Value.Round(a.Currency.Scale(), HalfUp) }

// Rate says that one From was worth Value To on Date, typed by the user.
type Rate struct {
	From, To Currency
	Value    Rat
	Date     string // "2026-11-30"
}

// Rates are used in both directions; of several for a pair the latest counts.
type Rates []Rate

// Convert returns a in the currency to, and the date of the rate that was used
// ("" when none was needed). Without a rate for the pair, in either direction,
// the error is MissingRate.
func (rs Rates) Convert(a Amount, to Currency) (Amount, string, error) {
	if a.Currency == to {
		return a, "", nil
	}
	var best Rate
	found := false
	for _, r := range rs {
		joins := r.From == a.Currency && r.To == to || r.From == to && r.To == a.Currency
		if joins && r.Value.Sign() > 0 && (!found || r.Date >= best.Date) {
			best, found = r, true
		}
	}
	if !found {
		return Amount{}, "", fmt.Errorf("from %s to %s: %w", a.Currency, to, MissingRate)
	}
	if best.From == a.Currency {
		return Amount{a.Value.Mul(best.Value), to}, best.Date, nil
	}
	return Amount{a.Value.Quo(best.Value), to}, best.Date, nil
}

// Band is a value with its doubt: Low <= Point <= High.
type Band struct{ Low, Point, High Rat }

// Sure returns the band without width.
func Sure(v Rat) Band { return Band{v, v, v} }

// Add returns the sum, end by end.
func (b Band) Add(o Band) Band {
	return Band{b.Low.Add(o.Low), b.Point.Add(o.Point), b.High.Add(o.High)}
}

// Times returns the band times a factor that is not negative.
func (b Band) Times(f Rat) Band { return Band{b.Low.Mul(f), b.Point.Mul(f), b.High.Mul(f)} }

// Mul returns the product of two bands that hold nothing negative.
func (b Band) Mul(o Band) Band {
	return Band{b.Low.Mul(o.Low), b.Point.Mul(o.Point), b.High.Mul(o.High)}
}

// Wide reports whether the band has any width.
func (b Band) Wide() bool { return b.Low.Cmp(b.High) != 0 }

// IsZero reports whether the band is 0 without width.
func (b Band) IsZero() bool { return b.Low.IsZero() && b.Point.IsZero() && b.High.IsZero() }
