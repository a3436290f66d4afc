package texts

import (
	"fmt"
	"strconv"
	"time"
)

// Duration returns d in words, never more than two units: "45 s", "34 min",
// "2 h 05", "3 d 4 h". Less than nothing is nothing.
func Duration(c *Catalogue, d time.Duration) string {
	d = max(d, 0)
	switch {
	case d < time.Second && d > 0:
		return c.T("format.ms", "n", strconv.FormatInt(d.Milliseconds(), 10))
	case d < time.Minute:
		return c.T("format.s", "n", strconv.Itoa(int(d/time.Second)))
	case d < time.Hour:
		return c.T("format.min", "n", strconv.Itoa(int(d/time.Minute)))
	case d < 24*time.Hour:
		h, m := int(d/time.Hour), int(d%time.Hour/time.Minute)
		if m == 0 {
			return c.T("format.h", "n", strconv.Itoa(h))
		}
		return c.T("format.hmin", "h", strconv.Itoa(h), "m", fmt.Sprintf("%02d", m))
	}
	days, h := int(d/(24*time.Hour)), int(d%(24*time.Hour)/time.Hour)
	if h == 0 {
		return c.T("format.d", "n", strconv.Itoa(days))
	}
	return c.T("format.dh", "d", strconv.Itoa(days), "h", strconv.Itoa(h))
}

// Age returns how long ago something was: "12 s ago", "just now".
func Age(c *Catalogue, d time.Duration) string {
	if d < time.Second {
		return c.T("format.now")
	}
	return c.T("format.ago", "d", Duration(c, d))
}

// Clock returns the local time of day to the second: "10:41:07".
func Clock(t time.Time) string { return t.Local().Format("15:04:05") }

// ClockMillis returns the local time of day to the millisecond.
func ClockMillis(t time.Time) string { return t.Local().Format("15:04:05.000") }

// Minute returns the local time of day to the minute: "10:41".
func Minute(t time.Time) string { return t.Local().Format("15:04") }

// Date returns the local day without its year: "29 Nov", "11月29日".
func Date(c *Catalogue, t time.Time) string {
	t = t.Local()
	return c.T("format.date", "d", strconv.Itoa(t.Day()), "m", Month(c, t.Month()))
}

// DateYear returns the local day with its year: "29 Nov 2026", "2026年11月29日".
func DateYear(c *Catalogue, t time.Time) string {
	t = t.Local()
	return c.T("format.dateyear", "d", strconv.Itoa(t.Day()), "m", Month(c, t.Month()), "y", strconv.Itoa(t.Year()))
}

// Month returns the month as it stands in a date: "Nov", "11".
func Month(c *Catalogue, m time.Month) string { return c.T("format.month." + strconv.Itoa(int(m))) }

// DateTime returns day and time to the minute, local.
func DateTime(c *Catalogue, t time.Time) string { return Date(c, t) + " " + Minute(t) }

// Zone names the local zone of t: "UTC+08:00". It belongs on the hover of a time.
func Zone(t time.Time) string { return "UTC" + t.Local().Format("-07:00") }

// Span returns from and to, the second without its day when that is the same:
// "29 Nov 10:40 – 12:05".
func Span(c *Catalogue, from, to time.Time) string {
	a, b := from.Local(), to.Local()
	end := DateTime(c, b)
	if a.Year() == b.Year() && a.YearDay() == b.YearDay() {
		end = Minute(b)
	}
	return c.T("format.span", "from", DateTime(c, a), "to", end)
}
