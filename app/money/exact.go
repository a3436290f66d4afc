package money

import (
	"math/big"
	"regexp"
)

// Exact is a number that is kept without losing any of it: JSON holds "134/15".
type Exact struct{ Rat }

// fraction is what an Exact may look like; longer ones come from no price.
var fraction = regexp.MustCompile(`^-?[0-9]{1,200}(/[0-9]{1,200})?$`)

// MarshalText writes the fraction.
func (x Exact) MarshalText() ([]byte, error) { return []byte(x.Fraction()), nil }

// UnmarshalText reads what MarshalText wrote; the error is BadNumber.
func (x *Exact) UnmarshalText(b []byte) error {
	if !fraction.Match(b) {
		return BadNumber
	}
	r, ok := new(big.Rat).SetString(string(b))
	if !ok { // over nothing
		return BadNumber
	}
	x.Rat = FromBig(r)
	return nil
}
