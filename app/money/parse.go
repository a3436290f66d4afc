package money

import (
	"fmt"
	"math/big"
	"regexp"
	"strings"
)

// Problem is what is wrong with an input. The names are a closed list that
// other programs read.
type Problem string

// The problems.
const (
	Missing                Problem = "missing"
	NotANumber             Problem = "not_a_number"
	NotFinite              Problem = "not_finite"
	BadNumber              Problem = "bad_number"
	OutOfRange             Problem = "out_of_range"
	NegativePrice          Problem = "negative_price"
	NegativeDuration       Problem = "negative_duration"
	NegativeQuantity       Problem = "negative_quantity"
	GranularityNonpositive Problem = "granularity_nonpositive"
	ThroughputNonpositive  Problem = "throughput_nonpositive"
	ProbabilityOutOfRange  Problem = "probability_out_of_range"
	MissingRate            Problem = "missing_rate"
)

// Problems returns the closed list.
func Problems() []Problem {
	return []Problem{
		Missing, NotANumber, NotFinite, BadNumber, OutOfRange, NegativePrice, NegativeDuration, NegativeQuantity,
		GranularityNonpositive, ThroughputNonpositive, ProbabilityOutOfRange, MissingRate,
	}
}

func (p Problem) Error() string { return string(p) }

// FieldError is an input that can't be used: which field, what stood there and
// why. It unwraps to its Problem.
type FieldError struct {
	Field   string
	Value   string
	Problem Problem
}

func (e *FieldError) Error() string {
	return fmt.Sprintf("%s %q: %s", e.Field, e.Value, e.Problem)
}

func (e *FieldError) Unwrap() error { return e.Problem }

// decimal matches mantissa, sign and digits of a plain decimal.
var decimal = regexp.MustCompile(`^([+-]?(?:\d+\.?\d*|\.\d+))(?:[eE]([+-]?)(\d+))?$`)

// longest is how many digits an exponent may have; what is beyond is no size
// that anybody means, and would take a long time to work out.
const longest = 4

// limit is the largest size of a number that is taken.
var limit = Int(1_000_000_000_000_000)

// Parse reads a plain decimal, with an exponent if need be. The error is a
// Problem: Missing, NotANumber, NotFinite, BadNumber or OutOfRange.
func Parse(text string) (Rat, error) {
	s := strings.TrimSpace(text)
	if s == "" {
		return Rat{}, Missing
	}
	switch strings.ToLower(strings.TrimLeft(s, "+-")) {
	case "nan":
		return Rat{}, NotANumber
	case "inf", "infinity":
		return Rat{}, NotFinite
	}
	m := decimal.FindStringSubmatch(s)
	if m == nil {
		return Rat{}, BadNumber
	}
	mantissa, exponent := m[1], strings.TrimLeft(m[3], "0")
	switch {
	case !strings.ContainsAny(mantissa, "123456789"):
		return Rat{}, nil
	case len(exponent) > longest:
		return Rat{}, OutOfRange
	}
	r, ok := new(big.Rat).SetString(mantissa + "e" + m[2] + "0" + exponent)
	if !ok {
		return Rat{}, BadNumber
	}
	v := Rat{r}
	if limit.Less(v) || v.Less(limit.Neg()) {
		return Rat{}, OutOfRange
	}
	return v, nil
}

// MustParse is Parse for constants; it panics on a bad one.
func MustParse(text string) Rat {
	v, err := Parse(text)
	if err != nil {
		panic(fmt.Sprintf("money: %q: %v", text, err))
	}
	return v
}
