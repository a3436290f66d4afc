package bill

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"rentgen/app/money"
)

// mostCount is the largest size of a number that is taken.
const mostCount = 1_000_000_000_000_000

var most, least = money.Int(mostCount), money.Int(-mostCount)

// tooLarge reports whether a number's size is above the largest.
func tooLarge(v money.Rat) bool {
	if n, ok := v.Int64(); ok { // the usual case, without exact division
		return n > mostCount || n < -mostCount
	}
	if v.Sign() < 0 {
		return v.Less(least)
	}
	return most.Less(v)
}

// kind is what a number stands for, which decides what is allowed.
type kind int

const (
	anyNumber kind = iota // may be negative
	price
	duration
	quantity
	granularity
	throughput
	share
)

// problem returns what is wrong with a number of a kind, "" for nothing. The
// size is looked at before the sign.
func (k kind) problem(v money.Rat) money.Problem {
	if tooLarge(v) {
		return money.OutOfRange
	}
	sign := v.Sign()
	switch {
	case k == price && sign < 0:
		return money.NegativePrice
	case k == duration && sign < 0:
		return money.NegativeDuration
	case k == quantity && sign < 0:
		return money.NegativeQuantity
	case k == granularity && sign <= 0:
		return money.GranularityNonpositive
	case k == throughput && sign <= 0:
		return money.ThroughputNonpositive
	case k == share && (sign < 0 || one.Less(v)):
		return money.ProbabilityOutOfRange
	}
	return ""
}

// checker keeps the first thing that is wrong with the inputs.
type checker struct{ err error }

func (c *checker) fail(field, value string, p money.Problem) {
	if c.err == nil {
		c.err = &money.FieldError{Field: field, Value: value, Problem: p}
	}
}

func (c *checker) number(k kind, field string, v money.Rat) {
	if p := k.problem(v); p != "" {
		c.fail(field, v.String(), p)
	}
}

func (c *checker) price(field string, v money.Rat)    { c.number(price, field, v) }
func (c *checker) duration(field string, v money.Rat) { c.number(duration, field, v) }
func (c *checker) quantity(field string, v money.Rat) { c.number(quantity, field, v) }
func (c *checker) share(field string, v money.Rat)    { c.number(share, field, v) }

// optional checks a number that may be absent.
func (c *checker) optional(k kind, field string, v *money.Rat) {
	if v != nil {
		c.number(k, field, *v)
	}
}

// positive checks a number that something is divided by.
func (c *checker) positive(k kind, field string, v money.Rat) {
	c.number(k, field, v)
	if v.IsZero() {
		c.fail(field, v.String(), money.OutOfRange)
	}
}

func (c *checker) seconds(field string, n int64)     { c.number(duration, field, money.Int(n)) }
func (c *checker) count(field string, n int64)       { c.number(quantity, field, money.Int(n)) }
func (c *checker) granularity(field string, n int64) { c.number(granularity, field, money.Int(n)) }

// between checks a count that has a least and a most.
func (c *checker) between(field string, n, least, most int64) {
	c.count(field, n)
	if n < least || n > most {
		c.fail(field, strconv.FormatInt(n, 10), money.OutOfRange)
	}
}

// whole returns a whole number that must be an int64.
func (c *checker) whole(field string, v money.Rat) int64 {
	n, ok := v.Int64()
	if !ok {
		c.fail(field, v.String(), money.OutOfRange)
	}
	return n
}

// option checks a name out of a list.
func option[T ~string](c *checker, field string, v T, allowed ...T) {
	switch {
	case v == "":
		c.fail(field, "", money.Missing)
	case !slices.Contains(allowed, v):
		c.fail(field, string(v), money.OutOfRange)
	}
}

// round checks a rounding; levels are those that the formula has pieces for,
// none for any.
func (c *checker) round(r Round, levels ...Level) {
	if len(levels) == 0 {
		levels = []Level{Total, PerSession, PerSettlement, PerLine}
	}
	option(c, "round.mode", r.Mode, money.HalfUp, money.HalfEven)
	option(c, "round.level", r.Level, levels...)
	c.between("round.scale", int64(r.Scale), 0, 30)
}

// moment checks that a time is given, in whole seconds.
func (c *checker) moment(field string, t time.Time) {
	switch {
	case t.IsZero():
		c.fail(field, "", money.Missing)
	case t.Nanosecond() != 0:
		c.fail(field, t.Format(time.RFC3339Nano), money.OutOfRange)
	}
}

// order checks that b does not lie before a.
func (c *checker) order(field string, a, b time.Time) {
	if b.Before(a) {
		c.fail(field, b.Format(time.RFC3339), money.NegativeDuration)
	}
}

func at(field string, i int) string { return fmt.Sprintf("%s[%d]", field, i) }

// kinds are the fields whose kind their name's ending doesn't tell.
var kinds = map[string]kind{
	"granularity_s": granularity, "s_per_image": throughput,
	"dedicated_speedup": throughput, "mbps": throughput, "upload_mbps": throughput,
	"amount": anyNumber, "amount_exact": anyNumber,
	"fee": price, "paid": price, "coupon": price, "min_charge": price, "coupon_min_spend": price, "dedicated_month": price,
	"shared_total": price, "dedicated_total": price, "time_value_per_hour": price, "price_bandwidth_month": price, "compute_per_hour": price,
	"ip_per_hour": price, "validation_fail_prob": share, "loss_share": share, "utilisation": share,
	"hours": duration, "hours_per_day": duration, "s": duration, "days": duration, "weeks": duration, "months": duration, "held_h": duration,
}

// kindOf returns what a field of that name holds.
func kindOf(name string) kind {
	if k, ok := kinds[name]; ok {
		return k
	}
	switch {
	case strings.HasSuffix(name, "_share"), strings.HasSuffix(name, "_prob"):
		return share
	case strings.HasPrefix(name, "draw_per"), strings.HasPrefix(name, "rate_per"):
		return quantity
	case strings.Contains(name, "price"), strings.HasSuffix(name, "_amount"):
		return price
	case strings.HasSuffix(name, "_h"), strings.HasSuffix(name, "_s"):
		return duration
	}
	return quantity
}

// CheckField reads what a user typed into the field of that name, a name of the
// inputs of this package ("price_per_hour", "hours", "granularity_s"). The error
// is a *money.FieldError.
func CheckField(name, text string) (money.Rat, error) {
	v, err := money.Parse(text)
	var p money.Problem
	if err == nil {
		p = kindOf(name).problem(v)
	} else if !errors.As(err, &p) {
		p = money.BadNumber
	}
	if p != "" {
		return money.Rat{}, &money.FieldError{Field: name, Value: text, Problem: p}
	}
	return v, nil
}

// ValidationIn holds items of fields as text typed by a user, by name.
// price_per_hour and hours are needed in each.
type ValidationIn struct {
	Items []map[string]string `json:"items"`
}

// ValidationOut names the problem of each item, nil for none.
type ValidationOut struct {
	Errors []*money.Problem `json:"errors"`
}

// Validation checks items of typed fields; of several bad fields in an item the
// first is named, price and hours before the others.
func Validation(in ValidationIn) (ValidationOut, error) {
	out := ValidationOut{Errors: make([]*money.Problem, len(in.Items))}
	for i, item := range in.Items {
		names := []string{"price_per_hour", "hours"}
		var more []string
		for name := range item {
			if !slices.Contains(names, name) {
				more = append(more, name)
			}
		}
		slices.Sort(more)
		for _, name := range append(names, more...) {
			var bad *money.FieldError
			if _, err := CheckField(name, item[name]); errors.As(err, &bad) {
				out.Errors[i] = &bad.Problem
				break
			}
		}
	}
	return out, nil
}
