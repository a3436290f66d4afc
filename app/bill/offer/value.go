package offer

import (
	"slices"
	"strings"

	"rentgen/app/money"
	"rentgen/assets/texts"
)

// digits is how many decimals a number may have; every shorter one is written
// and read back exactly.
const digits = 20

// parse reads a number that can be written back exactly.
func parse(text string) (money.Rat, error) {
	v, err := money.Parse(text)
	if err != nil {
		return money.Rat{}, err
	}
	if v.Round(digits, money.HalfUp).Cmp(v) != 0 {
		return money.Rat{}, money.OutOfRange
	}
	return v, nil
}

// number reads the value of a term that is a number, within what its kind
// allows. The error is a money.Problem.
func (d Def) number(text string) (money.Rat, error) {
	if d.Kind == KindFlag || d.Kind == KindChoice {
		return money.Rat{}, money.NotANumber
	}
	if text != strings.TrimSpace(text) {
		return money.Rat{}, money.BadNumber
	}
	v, err := parse(text)
	switch {
	case err != nil:
		return money.Rat{}, err
	case v.Sign() < 0 && d.Kind == KindMoney:
		return money.Rat{}, money.NegativePrice
	case v.Sign() < 0 && (d.Unit == "s" || d.Unit == "h" || d.Unit == "min"):
		return money.Rat{}, money.NegativeDuration
	case v.Sign() < 0:
		return money.Rat{}, money.NegativeQuantity
	case d.Kind == KindShare && money.Int(1).Less(v):
		return money.Rat{}, money.ProbabilityOutOfRange
	case d.Kind == KindCount && !v.IsInt():
		return money.Rat{}, money.BadNumber
	case d.ID == Granularity && v.IsZero():
		return money.Rat{}, money.GranularityNonpositive
	}
	return v, nil
}

// Check says what is wrong with a value of the term, nil for nothing. The error
// is a money.Problem.
func (d Def) Check(text string) error {
	switch d.Kind {
	case KindFlag:
		if text != "true" && text != "false" {
			return money.OutOfRange
		}
	case KindChoice:
		if !slices.Contains(d.Options, text) {
			return money.OutOfRange
		}
	default:
		_, err := d.number(text)
		return err
	}
	return nil
}

// Allowed says what a value of the term may be.
func (d Def) Allowed() texts.Phrase {
	switch d.Kind {
	case KindMoney:
		return texts.P("offer.allowed.money")
	case KindShare:
		return texts.P("offer.allowed.share")
	case KindCount:
		if d.ID == Granularity {
			return texts.P("offer.allowed.positive_count")
		}
		return texts.P("offer.allowed.count")
	case KindFlag:
		return texts.P("offer.allowed.flag")
	case KindChoice:
		return oneOf(d.Options)
	}
	return texts.P("offer.allowed.number")
}

// oneOf is the phrase of a list of words to choose from.
func oneOf[T ~string](words []T) texts.Phrase {
	ws := make([]string, len(words))
	for i, w := range words {
		ws[i] = string(w)
	}
	return texts.P("offer.allowed.one_of", "list", strings.Join(ws, ", "))
}
