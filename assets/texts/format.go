package texts

import (
	"math"
	"strconv"
	"strings"
)

// Dash stands for a number without a value.
const Dash = "–"

// thin stands between a number and its unit, and between Chinese and Latin.
const thin = "\u2009"

// minus is the sign of negative numbers; it is as wide as the plus.
const minus = "−"

// Number returns v with the given count of decimals and its thousands
// separated, or a dash when v is no number.
func Number(v float64, decimals int) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return Dash
	}
	s := strconv.FormatFloat(math.Abs(v), 'f', max(decimals, 0), 64)
	whole, frac, _ := strings.Cut(s, ".")
	var b strings.Builder
	if v < 0 && strings.Trim(s, "0.") != "" {
		b.WriteString(minus)
	}
	for i, d := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	if frac != "" {
		b.WriteByte('.')
		b.WriteString(frac)
	}
	return b.String()
}

// Count returns a whole number with its thousands separated.
func Count(n int64) string { return Number(float64(n), 0) }

// WithUnit joins a number and its unit by a thin space; an empty unit adds
// nothing, and a dash stays alone.
func WithUnit(number, unit string) string {
	if unit == "" || number == Dash {
		return number
	}
	return number + thin + unit
}

// tidy returns the decimals that keep about three digits of v.
func tidy(v float64) int {
	switch a := math.Abs(v); {
	case a >= 99.95 || a == math.Trunc(a):
		return 0
	case a >= 9.995 || a*10 == math.Trunc(a*10):
		return 1
	default:
		return 2
	}
}

// Percent returns v, given in percent, without decimals: "97 %".
func Percent(v float64) string { return WithUnit(Number(v, 0), "%") }

// Chance returns how likely something is, given from 0 to 1. Nothing that is
// reckoned from estimates is certain: the ends are "> 99 %" and "< 1 %".
func Chance(share float64) string {
	switch {
	case share > 0.99:
		return WithUnit("> 99", "%")
	case share < 0.01:
		return WithUnit("< 1", "%")
	}
	return Percent(100 * share)
}

// Unit returns a unit of time as it stands in a sentence of the language; other
// units are the same in all.
func Unit(c *Catalogue, unit string) string {
	switch unit {
	case "s", "min", "h":
		return c.T("format.unit." + unit)
	}
	return unit
}

// MiB returns an amount of memory given in MiB: "512 MiB", "18.2 GiB".
func MiB(v float64) string {
	n, unit := splitMiB(v, v)
	return WithUnit(n, unit)
}

func splitMiB(v, scale float64) (number, unit string) {
	switch a := math.Abs(scale); {
	case a < 1000:
		return Number(v, 0), "MiB"
	case a < 1000*1024:
		return Number(v/1024, 1), "GiB"
	default:
		return Number(v/1024/1024, 2), "TiB"
	}
}

// MiBOf returns a part of an amount of memory, both in MiB: "18.2 of 24.0 GiB".
func MiBOf(c *Catalogue, part, whole float64) string {
	if math.IsNaN(whole) {
		return MiB(part)
	}
	n, _ := splitMiB(part, whole)
	return c.T("format.of", "part", n, "whole", MiB(whole))
}

var decimalUnits = [...]string{"B", "kB", "MB", "GB", "TB", "PB"}

// Bytes returns an amount of disk or traffic in decimal units, as providers
// bill it: "30 GB".
func Bytes(n float64) string {
	v, i := n, 0
	for math.Abs(v) >= 999.5 && i < len(decimalUnits)-1 {
		v, i = v/1000, i+1
	}
	d := 1
	if i == 0 || math.Abs(v) >= 99.95 || v == math.Trunc(v) {
		d = 0
	}
	return WithUnit(Number(v, d), decimalUnits[i])
}

// Rate returns a rate given in MB/s: "0.1 MB/s", "1.2 GB/s".
func Rate(mbs float64) string {
	if math.Abs(mbs) >= 1000 {
		return WithUnit(Number(mbs/1000, 1), "GB/s")
	}
	d := 1
	if math.Abs(mbs) >= 9.95 || mbs == 0 {
		d = 0
	}
	return WithUnit(Number(mbs, d), "MB/s")
}

// Watts returns a power: "402 W".
func Watts(v float64) string { return WithUnit(Number(v, 0), "W") }

// Celsius returns a temperature: "71 °C".
func Celsius(v float64) string { return WithUnit(Number(v, 0), "°C") }

// Value returns a reading in the unit its metric is kept in (probe.Info.Unit)
// the way that unit is said; an unknown unit is put behind the number. NaN is a
// dash.
func Value(c *Catalogue, v float64, unit string) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return Dash
	}
	switch unit {
	case "%":
		if v != 0 && math.Abs(v) < 9.95 && v != math.Trunc(v) {
			return WithUnit(Number(v, 1), unit)
		}
		return Percent(v)
	case "MiB":
		return MiB(v)
	case "MB/s":
		return Rate(v)
	case "B":
		return Bytes(v)
	case "W", "°C", "MHz":
		return WithUnit(Number(v, 0), unit)
	case "J":
		return energy(v)
	case "cores":
		return c.T("format.cores", "n", Number(v, tidy(v)))
	case "":
		if v == math.Trunc(v) {
			return Number(v, 0)
		}
		return Number(v, tidy(v))
	}
	return WithUnit(Number(v, tidy(v)), unit)
}

// energy says joules up to where a bill would say kilowatt-hours.
func energy(j float64) string {
	switch a := math.Abs(j); {
	case a < 3600:
		return WithUnit(Number(j, 0), "J")
	case a < 3.6e6:
		return WithUnit(Number(j/3600, 0), "Wh")
	}
	return WithUnit(Number(j/3.6e6, 2), "kWh")
}

// Band returns a number with its doubt: "18 to 21 GiB". Equal ends give one
// number.
func Band(c *Catalogue, low, high float64, unit string) string {
	if unit == "MiB" {
		l, _ := splitMiB(low, high)
		h, u := splitMiB(high, high)
		return bandOf(c, l, h, u)
	}
	d := tidy(high)
	if unit == "%" || unit == "W" || unit == "°C" || unit == "MHz" {
		d = 0
	}
	return bandOf(c, Number(low, d), Number(high, d), unit)
}

func bandOf(c *Catalogue, low, high, unit string) string {
	if low == high {
		return WithUnit(high, unit)
	}
	return c.T("format.band", "low", low, "high", WithUnit(high, unit))
}

// Missing returns why there is no value: state is probe.State's name, raw the
// token that was read. It is a sentence without a full stop, for the place of
// the number or the chart.
func Missing(c *Catalogue, state, raw string) string {
	if state == "error" && raw == "" {
		return c.T("state.error.plain")
	}
	return c.T("state."+state, "raw", raw)
}
