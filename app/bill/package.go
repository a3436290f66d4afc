package bill

import "rentgen/app/money"

// PackageBreakevenIn compares a package of hours with hourly payment.
type PackageBreakevenIn struct {
	Currency            money.Currency `json:"currency"`
	PackagePrice        money.Rat      `json:"package_price"`
	IncludedH           *money.Rat     `json:"included_h"`             // nil: all hours
	OveragePricePerHour *money.Rat     `json:"overage_price_per_hour"` // nil if IncludedH is
	PricePerHour        money.Rat      `json:"price_per_hour"`
	MonthH              money.Rat      `json:"month_h"`
	UsageS              int64          `json:"usage_s"` // billed by the second
}

// PackageBreakevenOut is from where the package pays.
type PackageBreakevenOut struct {
	BreakevenH          *money.Rat `json:"breakeven_h"` // least usage at which both cost the same; nil: never
	BreakevenMonthShare *money.Rat `json:"breakeven_month_share"`
	PaysInMonth         bool       `json:"pays_in_month"`
	OnDemandAmount      money.Rat  `json:"on_demand_amount"`
	PackageAmount       money.Rat  `json:"package_amount"`
	Cheapest            []string   `json:"cheapest"` // OnDemand, Package
	Choice              string     `json:"choice"`
}

// PackageBreakeven finds the hours at which a package costs as much as hourly
// payment: price / hourly price, or beyond the included hours
// (P-I*o)/(p-o) (formula 16).
func PackageBreakeven(in PackageBreakevenIn) (PackageBreakevenOut, error) {
	var c checker
	c.price("package_price", in.PackagePrice)
	c.optional(duration, "included_h", in.IncludedH)
	c.optional(price, "overage_price_per_hour", in.OveragePricePerHour)
	c.price("price_per_hour", in.PricePerHour)
	c.duration("month_h", in.MonthH)
	c.seconds("usage_s", in.UsageS)
	if in.IncludedH != nil && in.OveragePricePerHour == nil {
		c.fail("overage_price_per_hour", "", money.Missing)
	}
	if c.err != nil {
		return PackageBreakevenOut{}, c.err
	}
	out := PackageBreakevenOut{BreakevenH: breakeven(in)}
	if h := out.BreakevenH; h != nil {
		out.BreakevenMonthShare = ratio(*h, in.MonthH)
		out.PaysInMonth = !in.MonthH.Less(*h)
	}
	used := money.Frac(in.UsageS, 3600)
	out.OnDemandAmount = used.Mul(in.PricePerHour)
	out.PackageAmount = in.PackagePrice
	if in.IncludedH != nil {
		out.PackageAmount = out.PackageAmount.Add(above(used, *in.IncludedH).Mul(*in.OveragePricePerHour))
	}
	out.Cheapest = cheapest(side{OnDemand, out.OnDemandAmount}, side{Package, out.PackageAmount})
	out.Choice = out.Cheapest[0]
	return out, nil
}

func breakeven(in PackageBreakevenIn) *money.Rat {
	if in.PackagePrice.IsZero() {
		free := zero
		return &free
	}
	h := ratio(in.PackagePrice, in.PricePerHour)
	if h == nil || in.IncludedH == nil || !in.IncludedH.Less(*h) {
		return h
	}
	over := *in.OveragePricePerHour
	if !over.Less(in.PricePerHour) {
		return nil
	}
	return ratio(in.PackagePrice.Sub(in.IncludedH.Mul(over)), in.PricePerHour.Sub(over))
}

// PackageCoverIn describes days that are paid by packages or by the hour. A
// price that is nil isn't offered.
type PackageCoverIn struct {
	Currency     money.Currency `json:"currency"`
	PricePerHour money.Rat      `json:"price_per_hour"`
	DayPrice     *money.Rat     `json:"day_price"`
	WeekPrice    *money.Rat     `json:"week_price"` // of 7 days
	MonthPrice   *money.Rat     `json:"month_price"`
	MonthDays    int64          `json:"month_days"` // of a month package
	Days         int64          `json:"days"`
	HoursPerDay  money.Rat      `json:"hours_per_day"`
}

// CoverPlan is how many packages of each kind, and the hours that are left.
type CoverPlan struct {
	Month   int64     `json:"month"`
	Week    int64     `json:"week"`
	Day     int64     `json:"day"`
	HourlyH money.Rat `json:"hourly_h"`
}

// PackageCoverOut is the cheapest cover.
type PackageCoverOut struct {
	HourlyAmount   money.Rat  `json:"hourly_amount"`
	DaysOnlyAmount *money.Rat `json:"days_only_amount"` // nil without day packages
	Amount         money.Rat  `json:"amount"`           // of BestPlan
	BestPlan       CoverPlan  `json:"best_plan"`        // at a tie the fewest months, then weeks, then days
	DayBreakevenH  *money.Rat `json:"day_breakeven_h"`  // hours a day from which a day package pays
}

// mostDays bounds the days that are covered: two and a half centuries.
const mostDays = 100_000

// PackageCover finds the cheapest way to pay for days; packages may cover more
// than needed, the rest goes by the hour (formula 16).
func PackageCover(in PackageCoverIn) (PackageCoverOut, error) {
	var c checker
	c.price("price_per_hour", in.PricePerHour)
	c.optional(price, "day_price", in.DayPrice)
	c.optional(price, "week_price", in.WeekPrice)
	c.optional(price, "month_price", in.MonthPrice)
	c.between("days", in.Days, 0, mostDays)
	c.duration("hours_per_day", in.HoursPerDay)
	if day.Less(in.HoursPerDay) {
		c.fail("hours_per_day", in.HoursPerDay.String(), money.OutOfRange)
	}
	if in.MonthPrice != nil {
		c.between("month_days", in.MonthDays, 1, mostDays)
	}
	if c.err != nil {
		return PackageCoverOut{}, c.err
	}
	perDay := in.HoursPerDay.Mul(in.PricePerHour)
	out := PackageCoverOut{HourlyAmount: perDay.Mul(money.Int(in.Days))}
	if in.DayPrice != nil {
		only := in.DayPrice.Mul(money.Int(in.Days))
		out.DaysOnlyAmount = &only
		out.DayBreakevenH = ratio(*in.DayPrice, in.PricePerHour)
	}
	months := int64(0)
	if in.MonthPrice != nil {
		months = (in.Days + in.MonthDays - 1) / in.MonthDays
	}
	found := false
	for m := int64(0); m <= months; m++ {
		// Seven months more are full weeks more, so that the cost is linear along
		// every seventh: its ends are enough.
		if m == 7 && months > 15 {
			m = months - 7
		}
		left := max(in.Days-m*in.MonthDays, 0)
		for _, w := range weeks(left, in.WeekPrice) {
			rest := max(left-7*w, 0)
			for _, d := range []int64{0, rest} {
				if d > 0 && in.DayPrice == nil {
					continue
				}
				cost := perDay.Mul(money.Int(rest - d))
				cost = times(cost, in.MonthPrice, m)
				cost = times(cost, in.WeekPrice, w)
				cost = times(cost, in.DayPrice, d)
				if !found || cost.Less(out.Amount) {
					found = true
					out.Amount = cost
					out.BestPlan = CoverPlan{m, w, d, in.HoursPerDay.Mul(money.Int(rest - d))}
				}
			}
		}
	}
	return out, nil
}

// weeks returns how many weeks are worth a try: the cost is linear in full
// weeks, so none, all full ones, or one more for the days that are left.
func weeks(days int64, price *money.Rat) []int64 {
	full := days / 7
	switch {
	case price == nil || days == 0:
		return []int64{0}
	case full == 0:
		return []int64{0, 1}
	case days%7 == 0:
		return []int64{0, full}
	}
	return []int64{0, full, full + 1}
}

// times adds n times a price, which isn't nil unless n is 0.
func times(sum money.Rat, price *money.Rat, n int64) money.Rat {
	if n == 0 {
		return sum
	}
	return sum.Add(price.Mul(money.Int(n)))
}

// PackageExpiryIn describes a job in whose middle a paid package ends.
type PackageExpiryIn struct {
	Currency        money.Currency `json:"currency"`
	PackagePrice    money.Rat      `json:"package_price"`
	PackageH        money.Rat      `json:"package_h"`
	PackageElapsedH money.Rat      `json:"package_elapsed_h"`
	JobH            money.Rat      `json:"job_h"`
	PricePerHour    money.Rat      `json:"price_per_hour"`
}

// PackageExpiryOut is what is still to pay; the package itself is sunk.
type PackageExpiryOut struct {
	CoveredH             money.Rat `json:"covered_h"`
	OverflowH            money.Rat `json:"overflow_h"`
	OverflowHourlyAmount money.Rat `json:"overflow_hourly_amount"`
	NextPackages         int64     `json:"next_packages"` // whole packages for the overflow
	NextPackagesAmount   money.Rat `json:"next_packages_amount"`
	Cheapest             []string  `json:"cheapest"` // Hourly, Package
	Choice               string    `json:"choice"`
	Amount               money.Rat `json:"amount"`
}

// PackageExpiry compares how to go on after a package has ended (formula 16).
func PackageExpiry(in PackageExpiryIn) (PackageExpiryOut, error) {
	var c checker
	c.price("package_price", in.PackagePrice)
	c.positive(duration, "package_h", in.PackageH)
	c.duration("package_elapsed_h", in.PackageElapsedH)
	c.duration("job_h", in.JobH)
	c.price("price_per_hour", in.PricePerHour)
	if c.err != nil {
		return PackageExpiryOut{}, c.err
	}
	out := PackageExpiryOut{CoveredH: in.JobH.Min(above(in.PackageH, in.PackageElapsedH))}
	out.OverflowH = in.JobH.Sub(out.CoveredH)
	out.OverflowHourlyAmount = out.OverflowH.Mul(in.PricePerHour)
	n := out.OverflowH.Quo(in.PackageH).Ceil()
	out.NextPackages, out.NextPackagesAmount = c.whole("job_h", n), n.Mul(in.PackagePrice)
	out.Cheapest = cheapest(side{Hourly, out.OverflowHourlyAmount}, side{Package, out.NextPackagesAmount})
	out.Choice = out.Cheapest[0]
	out.Amount = out.OverflowHourlyAmount.Min(out.NextPackagesAmount)
	if c.err != nil {
		return PackageExpiryOut{}, c.err
	}
	return out, nil
}

// QuotaPlanIn describes a plan of units that hours draw from.
type QuotaPlanIn struct {
	Currency money.Currency `json:"currency"`
	Fee      money.Rat      `json:"fee"`
	Units    money.Rat      `json:"units"`
	DrawPerH money.Rat      `json:"draw_per_h"` // units an hour
	UsedH    money.Rat      `json:"used_h"`
}

// QuotaPlanOut is what an hour of the plan costs.
type QuotaPlanOut struct {
	IncludedH             *money.Rat `json:"included_h"` // nil: an hour draws nothing
	FullUsePricePerHour   *money.Rat `json:"full_use_price_per_hour"`
	UsedUnits             money.Rat  `json:"used_units"`
	LapsedUnits           money.Rat  `json:"lapsed_units"`
	EffectivePricePerHour *money.Rat `json:"effective_price_per_hour"` // fee / used hours; nil at 0
}

// QuotaPlan gives the price of an hour if all units are used, and as they are
// (formula 16).
func QuotaPlan(in QuotaPlanIn) (QuotaPlanOut, error) {
	var c checker
	c.price("fee", in.Fee)
	c.quantity("units", in.Units)
	c.quantity("draw_per_h", in.DrawPerH)
	c.duration("used_h", in.UsedH)
	if c.err != nil {
		return QuotaPlanOut{}, c.err
	}
	out := QuotaPlanOut{IncludedH: ratio(in.Units, in.DrawPerH), UsedUnits: in.DrawPerH.Mul(in.UsedH)}
	if out.IncludedH != nil {
		out.FullUsePricePerHour = ratio(in.Fee, *out.IncludedH)
	}
	out.LapsedUnits = above(in.Units, out.UsedUnits)
	out.EffectivePricePerHour = ratio(in.Fee, in.UsedH)
	return out, nil
}
