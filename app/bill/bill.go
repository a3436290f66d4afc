// Package bill holds the formulas of a bill as pure functions: one function a
// formula, one In and one Out struct a function, whose tags are the names that
// other programs know the fields by. Rational results are exact; irrational
// ones are floats that are never NaN or infinite. A nil pointer means undefined
// or never, where FIELDS of the cases says null.
//
// Money is in major units of the currency, GB and h are the unit. A number that
// can't be taken gives a *money.FieldError and no result at all.
package bill

import "rentgen/app/money"

// Level is what is rounded: the total once, or each piece before the pieces are
// summed.
type Level string

// The levels.
const (
	Total         Level = "total"
	PerSession    Level = "per_session"
	PerSettlement Level = "per_settlement"
	PerLine       Level = "per_line"
)

// Round says how money is rounded. Scale is the digits after the point.
type Round struct {
	Mode  money.Mode `json:"mode"`
	Scale int        `json:"scale"`
	Level Level      `json:"level"`
}

// one rounds an amount.
func (r Round) one(a money.Rat) money.Rat { return a.Round(r.Scale, r.Mode) }

// sum rounds the sum of the pieces, or sums the rounded pieces.
func (r Round) sum(pieces ...money.Rat) money.Rat {
	if r.Level == Total {
		return r.one(money.Sum(pieces...))
	}
	rounded := make([]money.Rat, len(pieces))
	for i, p := range pieces {
		rounded[i] = r.one(p)
	}
	return money.Sum(rounded...)
}

// Status is whether a number can be given.
type Status string

// The statuses.
const (
	StatusOK         Status = "ok"
	StatusImpossible Status = "impossible" // an instance doesn't live long enough
	StatusInfeasible Status = "infeasible" // it would take longer than the horizon, or than any number
	StatusNever      Status = "never"
)

// MonthConvention is how many hours a provider takes a month for.
type MonthConvention string

// The conventions. Calendar takes the hours of the month it is used with.
const (
	Fixed720h MonthConvention = "fixed_720h"
	Fixed730h MonthConvention = "fixed_730h"
	Calendar  MonthConvention = "calendar"
)

// The sides of a comparison, in the order of the formulas that name them.
const (
	OnDemand = "on_demand"
	Spot     = "spot"
	Package  = "package"
	Hourly   = "hourly"

	Stop    = "stop"
	Destroy = "destroy"

	ByTraffic   = "by_traffic"
	ByBandwidth = "by_bandwidth"
	PayAsYouGo  = "payg"
	OnePackage  = "one_package"
	Packages    = "packages"

	PerSecond     = "per_second"
	DedicatedHour = "dedicated_hour"

	AllShared         = "all_shared"
	MixedHourly       = "mixed_hourly"
	MixedMonth        = "mixed_month"
	AllDedicatedMonth = "all_dedicated_month"

	Shared    = "shared"
	Dedicated = "dedicated"
)

// side is one of the ways that are compared.
type side struct {
	name  string
	total money.Rat
}

// cheapest names every side with the least total, in the order given. Totals
// are compared before rounding.
func cheapest(sides ...side) []string {
	least := sides[0].total
	for _, s := range sides[1:] {
		least = least.Min(s.total)
	}
	var names []string
	for _, s := range sides {
		if s.total.Cmp(least) == 0 {
			names = append(names, s.name)
		}
	}
	return names
}

var (
	zero = money.Int(0)
	one  = money.Int(1)
	hour = money.Int(3600) // seconds
	day  = money.Int(24)   // hours
)

// above returns max(0, a-b): what lies above a free tier or an included part.
func above(a, b money.Rat) money.Rat { return a.Sub(b).Max(zero) }

// priced returns what so many seconds cost at a price an hour.
func priced(perHour, seconds money.Rat) money.Rat { return perHour.Mul(seconds).Quo(hour) }

// ratio returns a/b, nil where it is undefined.
func ratio(a, b money.Rat) *money.Rat {
	if b.IsZero() {
		return nil
	}
	q := a.Quo(b)
	return &q
}
