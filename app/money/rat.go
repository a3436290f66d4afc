// Package money holds exact amounts: rational numbers, currencies with their
// minor units, rounding, and dated rates between currencies.
package money

import (
	"cmp"
	"math/big"
	"strings"
)

// Rat is an exact rational number. It is immutable; the zero Rat is 0.
type Rat struct{ r *big.Rat }

var zero = new(big.Rat)

func (a Rat) rat() *big.Rat {
	if a.r == nil {
		return zero
	}
	return a.r
}

// Int returns n.
func Int(n int64) Rat { return Rat{new(big.Rat).SetInt64(n)} }

// Frac returns n/d; d must not be 0.
func Frac(n, d int64) Rat { return Rat{big.NewRat(n, d)} }

// Float returns the exact value of f, which must be finite.
func Float(f float64) Rat {
	r := new(big.Rat).SetFloat64(f)
	if r == nil {
		panic("money: not a finite number")
	}
	return Rat{r}
}

// FromBig returns a copy of r.
func FromBig(r *big.Rat) Rat { return Rat{new(big.Rat).Set(r)} }

// Big returns a copy of the number.
func (a Rat) Big() *big.Rat { return new(big.Rat).Set(a.rat()) }

// Add returns a + b.
func (a Rat) Add(b Rat) Rat {
	switch {
	case b.IsZero():
		return a
	case a.IsZero():
		return b
	}
	return Rat{new(big.Rat).Add(a.rat(), b.rat())}
}

// Sub returns a - b.
func (a Rat) Sub(b Rat) Rat {
	if b.IsZero() {
		return a
	}
	return Rat{new(big.Rat).Sub(a.rat(), b.rat())}
}

// Mul returns a * b.
func (a Rat) Mul(b Rat) Rat {
	if a.IsZero() || b.IsZero() {
		return Int(0)
	}
	return Rat{new(big.Rat).Mul(a.rat(), b.rat())}
}

// Quo returns a / b and panics when b is 0: the caller knows what an undefined
// quotient means in its place.
func (a Rat) Quo(b Rat) Rat { return Rat{new(big.Rat).Quo(a.rat(), b.rat())} }

// Neg returns -a.
func (a Rat) Neg() Rat { return Rat{new(big.Rat).Neg(a.rat())} }

// Cmp returns -1, 0 or 1 as a is below, at or above b.
func (a Rat) Cmp(b Rat) int {
	if s, t := a.Sign(), b.Sign(); s != t {
		return cmp.Compare(s, t)
	}
	return a.rat().Cmp(b.rat())
}

// Less reports whether a is below b.
func (a Rat) Less(b Rat) bool { return a.Cmp(b) < 0 }

// Sign returns -1, 0 or 1.
func (a Rat) Sign() int { return a.rat().Sign() }

// IsZero reports whether a is 0.
func (a Rat) IsZero() bool { return a.Sign() == 0 }

// IsInt reports whether a is a whole number.
func (a Rat) IsInt() bool { return a.rat().IsInt() }

// Max returns the greater of a and b.
func (a Rat) Max(b Rat) Rat {
	if a.Less(b) {
		return b
	}
	return a
}

// Min returns the lesser of a and b.
func (a Rat) Min(b Rat) Rat {
	if b.Less(a) {
		return b
	}
	return a
}

// Floor returns the greatest whole number at or below a.
func (a Rat) Floor() Rat {
	r := a.rat()
	q := new(big.Int)
	q.Div(r.Num(), r.Denom()) // the denominator is positive, so this is the floor
	return Rat{new(big.Rat).SetInt(q)}
}

// Ceil returns the least whole number at or above a.
func (a Rat) Ceil() Rat { return a.Neg().Floor().Neg() }

// Int64 returns a whole number as an int64; ok is false when a has a fraction
// or is too large.
func (a Rat) Int64() (n int64, ok bool) {
	r := a.rat()
	if !r.IsInt() || !r.Num().IsInt64() {
		return 0, false
	}
	return r.Num().Int64(), true
}

// Float64 returns the nearest float.
func (a Rat) Float64() float64 {
	f, _ := a.rat().Float64()
	return f
}

// Mode is how a value half-way between two digits is rounded.
type Mode string

// The rounding modes. HalfUp rounds away from zero.
const (
	HalfUp   Mode = "half_up"
	HalfEven Mode = "half_even"
)

// Round rounds to scale digits after the point.
func (a Rat) Round(scale int, mode Mode) Rat {
	pow := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)
	r := a.rat()
	den := r.Denom()
	n, rest := new(big.Int).DivMod(new(big.Int).Mul(r.Num(), pow), den, new(big.Int)) // towards minus infinity
	switch half := rest.Lsh(rest, 1).Cmp(den); {
	case half > 0, half == 0 && mode == HalfEven && n.Bit(0) == 1, half == 0 && mode != HalfEven && a.Sign() > 0:
		n.Add(n, big.NewInt(1))
	}
	return Rat{new(big.Rat).SetFrac(n, pow)}
}

// Fixed returns a with exactly scale digits after the point, rounded half up.
func (a Rat) Fixed(scale int) string { return a.Round(scale, HalfUp).rat().FloatString(scale) }

// String returns the shortest decimal of a, or with 15 significant digits
// where the decimals don't end.
func (a Rat) String() string {
	r := a.rat()
	if n, exact := r.FloatPrec(); exact && n <= 40 {
		return r.FloatString(n)
	}
	s := new(big.Float).SetPrec(200).SetRat(r).Text('g', 15)
	if strings.ContainsAny(s, "e") {
		s = new(big.Float).SetPrec(200).SetRat(r).Text('f', 20)
	}
	return s
}

// Fraction returns a as a reduced fraction, "20/3", or a whole number.
func (a Rat) Fraction() string { return a.rat().RatString() }

// Sum returns the sum of all.
func Sum(all ...Rat) Rat {
	s := new(big.Rat)
	for _, a := range all {
		s.Add(s, a.rat())
	}
	return Rat{s}
}

// MarshalText writes a decimal, as String does.
func (a Rat) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText reads a decimal; the error is a Problem.
func (a *Rat) UnmarshalText(b []byte) error {
	v, err := Parse(string(b))
	if err != nil {
		return err
	}
	*a = v
	return nil
}
