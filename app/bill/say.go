package bill

import (
	"errors"

	"rentgen/app/money"
	"rentgen/assets/texts"
)

// Say returns what is wrong with an input, for people; the zero phrase for an
// error that isn't about one. Which field it is the caller knows by a better
// name than the formula's.
func Say(err error) texts.Phrase {
	var bad *money.FieldError
	if !errors.As(err, &bad) {
		return texts.Phrase{}
	}
	return texts.P("bill.problem."+string(bad.Problem), "value", bad.Value)
}
