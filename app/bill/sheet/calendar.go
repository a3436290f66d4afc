package sheet

import (
	"time"

	"rentgen/app/bill"
	"rentgen/app/bill/offer"
	"rentgen/app/money"
)

// calendar is a span on the calendar.
type calendar struct {
	start  time.Time
	parts  []monthPart
	monthH money.Rat // hours of the span by how many months it is
}

// monthPart is the part of a span that lies in one month.
type monthPart struct {
	convention bill.MonthConvention
	month      string    // "2026-12", of the calendar
	share      money.Rat // of the hours of the span
}

// Months of a fixed length, and the whole span in them.
var (
	h720  = money.Int(720)
	h730  = money.Int(730)
	of720 = []monthPart{{bill.Fixed720h, "", one}}
	of730 = []monthPart{{bill.Fixed730h, "", one}}
)

func newCalendar(start time.Time, days int) *calendar {
	y, m, d := start.Date()
	c := &calendar{start: time.Date(y, m, d, 0, 0, 0, 0, time.UTC)}
	months, at := zero, c.start
	for left := int64(days); left > 0; {
		y, m, d := at.Date()
		length := int64(time.Date(y, m+1, 0, 0, 0, 0, 0, time.UTC).Day())
		n := min(left, length-int64(d)+1)
		c.parts = append(c.parts, monthPart{bill.Calendar, at.Format("2006-01"), money.Frac(n, int64(days))})
		months = months.Add(money.Frac(n, length))
		at, left = at.AddDate(0, 0, int(n)), left-n
	}
	c.monthH = money.Int(int64(days) * 24).Quo(months)
	return c
}

// doubtful is a month where nobody says how long one is: the calendar's at the
// point, the longest and the shortest in use at the ends.
func (c *calendar) doubtful(end int) money.Rat {
	switch end {
	case low:
		return c.monthH.Max(h730)
	case high:
		return c.monthH.Min(h720)
	}
	return c.monthH
}

// monthParts are the months that a price a month is billed by; hours are spread
// evenly over the span.
func (e *eval) monthParts() []monthPart {
	switch {
	case e.calendar != nil && e.monthH.Cmp(e.calendar.monthH) == 0:
		return e.calendar.parts
	case e.monthH.Cmp(h730) == 0:
		return of730
	}
	return of720
}

// monthsOf returns the months of a period of payment, 0 for other units.
func monthsOf(u offer.Unit) int64 {
	switch u {
	case offer.Month:
		return 1
	case offer.Year:
		return 12
	}
	return 0
}

// periods returns how many periods of so many months, one after another from
// the first day on, hold so many seconds.
func (c *calendar) periods(seconds, months int64) int64 {
	most := seconds/(28*86400) + 1
	out, err := bill.MonthEnd(bill.MonthEndIn{Start: c.start, Periods: (most + months - 1) / months * months})
	if err != nil {
		return ceilDiv(seconds, months*30*86400) // beyond a thousand years
	}
	for n := months; n <= int64(len(out.Ends)); n += months {
		if out.Ends[n-1].Unix()-c.start.Unix() >= seconds {
			return n / months
		}
	}
	return int64(len(out.Ends)) / months
}

// accrual tells beside what is paid how much of it falls on the span, by the
// hours of the package's own length, and when the package ends.
func (f *facts) accrual() {
	e, pay := f.e, f.e.offer.Payment
	months := monthsOf(pay.Unit)
	if e.calendar == nil || months == 0 || e.known(offer.PackageElapsed) || pay.IncludedHours != nil && pay.Overage == nil {
		return
	}
	paid := zero
	for _, p := range e.parts {
		if p.id == LinePackage {
			if p.formula == "year_paid" {
				return // its years may reach beyond the months that are needed
			}
			paid = paid.Add(p.amount)
		}
	}
	start := e.calendar.start
	out, err := bill.MidMonthSwitch(bill.MidMonthSwitchIn{
		Currency: e.offer.Currency, PackagePrice: paid, PackageMonths: e.periods() * months, From: start, Switch: start,
		ReportTo: start.AddDate(0, 0, e.days), Round: exact,
	})
	if err == nil {
		f.add("accrual", 17, "cash", f.money(out.CashAmount), "accrual", f.money(out.AccrualAmount), "days", e.days,
			"start", start.Format(time.DateOnly), "end", out.PackageEnd.Format(time.DateOnly))
	}
}
