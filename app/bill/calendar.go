package bill

import (
	"time"

	"rentgen/app/money"
)

// daysIn returns the days of a month.
func daysIn(year int, month time.Month) int {
	return time.Date(year, month+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// mostMonths bounds how far a package reaches: a thousand years.
const mostMonths = 12_000

// MonthsLater returns the same day and time of day n months later, clamped to
// the end of the month. A time is moved from its anchor, never from an end, so
// that a clamped day doesn't drift.
func MonthsLater(anchor time.Time, n int) time.Time {
	y, m, d := anchor.Date()
	first := time.Date(y, m+time.Month(n), 1, 0, 0, 0, 0, time.UTC)
	d = min(d, daysIn(first.Year(), first.Month()))
	return time.Date(first.Year(), first.Month(), d, anchor.Hour(), anchor.Minute(), anchor.Second(), anchor.Nanosecond(), anchor.Location())
}

// hoursFrom returns the hours from a to b.
func hoursFrom(a, b time.Time) money.Rat { return money.Frac(b.Unix()-a.Unix(), 3600) }

// MonthEndIn describes month packages one after another.
type MonthEndIn struct {
	Start   time.Time `json:"start"`
	Periods int64     `json:"periods"` // the first included
}

// MonthEndOut is when each ends.
type MonthEndOut struct {
	Ends    []time.Time `json:"ends"`
	PeriodH []money.Rat `json:"period_h"`
}

// MonthEnd ends each period on the anchor day, clamped to the month end
// (formula 17).
func MonthEnd(in MonthEndIn) (MonthEndOut, error) {
	var c checker
	c.moment("start", in.Start)
	c.between("periods", in.Periods, 0, mostMonths)
	if c.err != nil {
		return MonthEndOut{}, c.err
	}
	out := MonthEndOut{Ends: make([]time.Time, in.Periods), PeriodH: make([]money.Rat, in.Periods)}
	before := in.Start
	for i := range out.Ends {
		out.Ends[i] = MonthsLater(in.Start, i+1)
		out.PeriodH[i] = hoursFrom(before, out.Ends[i])
		before = out.Ends[i]
	}
	return out, nil
}

// MidMonthSwitchIn describes a machine that is paid by the hour round the clock
// from From to Switch, when a package of months is bought.
type MidMonthSwitchIn struct {
	Currency      money.Currency `json:"currency"`
	PricePerHour  money.Rat      `json:"price_per_hour"`
	PackagePrice  money.Rat      `json:"package_price"`
	PackageMonths int64          `json:"package_months"`
	From          time.Time      `json:"from"`
	Switch        time.Time      `json:"switch"`
	ReportTo      time.Time      `json:"report_to"`
	Round         Round          `json:"round"`
}

// MidMonthSwitchOut is both views of the cost.
type MidMonthSwitchOut struct {
	OnDemandH            money.Rat `json:"on_demand_h"`
	OnDemandAmount       money.Rat `json:"on_demand_amount"`
	PackageEnd           time.Time `json:"package_end"`
	PackageH             money.Rat `json:"package_h"`
	PackageHInReport     money.Rat `json:"package_h_in_report"` // up to ReportTo
	CashAmount           money.Rat `json:"cash_amount"`         // the package whole when bought
	AccrualAmount        money.Rat `json:"accrual_amount"`      // the package by its hours in the report
	AccrualAmountRounded money.Rat `json:"accrual_amount_rounded"`
}

// MidMonthSwitch bills hours and then a package, by cash and by accrual over
// the package's own length (formula 17).
func MidMonthSwitch(in MidMonthSwitchIn) (MidMonthSwitchOut, error) {
	var c checker
	c.price("price_per_hour", in.PricePerHour)
	c.price("package_price", in.PackagePrice)
	c.between("package_months", in.PackageMonths, 1, mostMonths)
	c.moment("from", in.From)
	c.moment("switch", in.Switch)
	c.moment("report_to", in.ReportTo)
	c.order("switch", in.From, in.Switch)
	c.order("report_to", in.Switch, in.ReportTo)
	c.round(in.Round)
	if c.err != nil {
		return MidMonthSwitchOut{}, c.err
	}
	out := MidMonthSwitchOut{OnDemandH: hoursFrom(in.From, in.Switch), PackageEnd: MonthsLater(in.Switch, int(in.PackageMonths))}
	out.OnDemandAmount = out.OnDemandH.Mul(in.PricePerHour)
	out.PackageH = hoursFrom(in.Switch, out.PackageEnd)
	out.PackageHInReport = out.PackageH.Min(hoursFrom(in.Switch, in.ReportTo))
	out.CashAmount = out.OnDemandAmount.Add(in.PackagePrice)
	share := in.PackagePrice.Mul(out.PackageHInReport).Quo(out.PackageH)
	out.AccrualAmount = out.OnDemandAmount.Add(share)
	out.AccrualAmountRounded = in.Round.sum(out.OnDemandAmount, share)
	return out, nil
}
