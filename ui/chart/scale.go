package chart

import (
	"math"
	"strconv"
	"time"

	"rentgen/assets/texts"
)

// niceTop returns a round number at or above v and the step of its ticks, at
// most n of them.
func niceTop(v float64, n int) (top, step float64) {
	if !(v > 0) || math.IsInf(v, 0) {
		v = 1
	}
	n = max(n, 1)
	raw := v / float64(n)
	mag := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, m := range [...]float64{1, 2, 2.5, 5, 10} {
		step = m * mag
		if step*float64(n) >= v*(1-1e-9) {
			break
		}
	}
	return math.Ceil(v/step-1e-9) * step, step
}

// niceMiB is niceTop for memory: ticks are powers of two of MiB or round GiB.
func niceMiB(v float64, n int) (top, step float64) {
	if !(v > 0) {
		v = 1024
	}
	n = max(n, 1)
	for step = 1; step*float64(n) < v*(1-1e-9); step *= 2 {
	}
	if step >= 1024 { // 1, 2, 4, 6, 8, 12 ... GiB: fewer empty pixels above the line
		for _, m := range [...]float64{0.5, 0.75} {
			if s := step * m; s == math.Trunc(s/1024)*1024 && s*float64(n) >= v*(1-1e-9) {
				step = s
				break
			}
		}
	}
	return math.Ceil(v/step-1e-9) * step, step
}

// percentStep returns the tick step of a fixed 0 to 100 axis with room for n.
func percentStep(n int) float64 {
	switch {
	case n >= 10:
		return 10
	case n >= 5:
		return 20
	case n >= 4:
		return 25
	case n >= 2:
		return 50
	}
	return 100
}

// yAxis is the vertical axis: from 0 to top.
type yAxis struct {
	top, step float64
	unit      string
	ticks     int // how many there was room for
}

func newAxis(unit string, fixed, high float64, ticks int) yAxis {
	a := yAxis{unit: unit}
	switch {
	case fixed > 0 && unit == "%":
		a.top, a.step = fixed, percentStep(ticks)*fixed/100
	case unit == "MiB":
		a.top, a.step = niceMiB(max(fixed, high), ticks)
		if fixed > 0 {
			a.top = fixed
			// Cards hold a little less than the round number they are sold by.
			if up := math.Ceil(fixed/1024) * 1024; up <= fixed*1.03 {
				a.top = up
			}
		}
	case fixed > 0:
		_, a.step = niceTop(fixed, ticks)
		a.top = fixed
	default:
		a.top, a.step = niceTop(high, ticks)
	}
	return a
}

// label returns the text of a tick; the unit stands only at the topmost one.
func (a yAxis) label(v float64) string {
	if a.unit == "MiB" && a.top >= 1024 {
		g := v / 1024
		d := 0
		if math.Mod(a.step/1024, 1) != 0 {
			d = 1
		}
		return texts.Number(g, d)
	}
	if v == 0 {
		return "0"
	}
	d := 0
	for s := a.step; d < 3 && math.Abs(s-math.Round(s)) > 1e-6; s *= 10 {
		d++
	}
	if a.step >= 1000 && a.unit != "MHz" {
		return texts.Number(v/1000, boolInt(math.Mod(a.step, 1000) != 0)) + "k"
	}
	return texts.Number(v, d)
}

// unitLabel returns the unit the labels are in.
func (a yAxis) unitLabel() string {
	if a.unit == "MiB" && a.top >= 1024 {
		return "GiB"
	}
	if a.unit == "cores" {
		return ""
	}
	return a.unit
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// timeSteps are the distances of time ticks that a reader expects, in seconds.
var timeSteps = [...]int64{
	1, 2, 5, 10, 15, 30,
	60, 120, 300, 600, 900, 1800,
	3600, 2 * 3600, 3 * 3600, 6 * 3600, 12 * 3600,
	86400, 2 * 86400, 7 * 86400, 14 * 86400,
}

// timeTick is a moment on the axis and its label.
type timeTick struct {
	t     int64 // unix milliseconds
	label string
	day   bool // begins a day: the label is a date
}

// timeTicks returns at most n ticks within [from, to] in local time. Ticks of
// an hour and more stand on the local day's grid, also across a change of the
// clocks.
func timeTicks(dst []timeTick, c *texts.Catalogue, from, to int64, n int) []timeTick {
	dst = dst[:0]
	span := to - from
	if span <= 0 || n < 1 {
		return dst
	}
	if span > 120*86400*1000 {
		return monthTicks(dst, c, from, to, n)
	}
	if span < 2000 {
		return milliTicks(dst, from, to, n)
	}
	step := timeSteps[len(timeSteps)-1]
	for _, s := range timeSteps {
		if s*1000*int64(n) >= span {
			step = s
			break
		}
	}
	for t := firstTick(time.UnixMilli(from), step); ; t = nextTick(t, step) {
		ms := t.UnixMilli()
		if ms > to {
			return dst
		}
		if ms < from {
			continue
		}
		tick := timeTick{t: ms}
		switch midnight := t.Hour() == 0 && t.Minute() == 0 && t.Second() == 0; {
		case step >= 86400 || midnight:
			tick.label, tick.day = texts.Date(c, t), true
		case step < 60:
			tick.label = texts.Clock(t)
		default:
			tick.label = texts.Minute(t)
		}
		dst = append(dst, tick)
	}
}

func firstTick(t time.Time, step int64) time.Time {
	t = t.Local()
	y, m, d := t.Date()
	day := time.Date(y, m, d, 0, 0, 0, 0, t.Location())
	if step >= 86400 {
		n := int(step / 86400)
		return day.AddDate(0, 0, -((d - 1) % n))
	}
	secs := int64(t.Hour())*3600 + int64(t.Minute())*60 + int64(t.Second())
	secs -= secs % step
	return time.Date(y, m, d, 0, 0, int(secs), 0, t.Location())
}

func nextTick(t time.Time, step int64) time.Time {
	if step >= 86400 {
		return t.AddDate(0, 0, int(step/86400))
	}
	n := t.Add(time.Duration(step) * time.Second)
	if step >= 3600 {
		// Back onto the grid after the clocks were changed in between.
		g := firstTick(n.Add(time.Duration(step)*time.Second/2), step)
		if g.After(t) {
			return g
		}
	}
	return n
}

func milliTicks(dst []timeTick, from, to int64, n int) []timeTick {
	step := int64(1000)
	for _, s := range [...]int64{10, 20, 50, 100, 200, 500} {
		if s*int64(n) >= to-from {
			step = s
			break
		}
	}
	for t := (from + step - 1) / step * step; t <= to; t += step {
		dst = append(dst, timeTick{t: t, label: texts.ClockMillis(time.UnixMilli(t))})
	}
	return dst
}

func monthTicks(dst []timeTick, c *texts.Catalogue, from, to int64, n int) []timeTick {
	a := time.UnixMilli(from).Local()
	months := int((to-from)/(30*86400*1000)) + 1
	step := 1
	for _, s := range [...]int{1, 2, 3, 6, 12, 24, 60, 120} {
		step = s
		if months <= s*n {
			break
		}
	}
	first := (int(a.Month()) - 1) / step * step
	for t := time.Date(a.Year(), time.Month(first+1), 1, 0, 0, 0, 0, a.Location()); ; t = t.AddDate(0, step, 0) {
		ms := t.UnixMilli()
		if ms > to {
			return dst
		}
		if ms < from {
			continue
		}
		label := texts.Date(c, t)
		if step >= 12 {
			label = strconv.Itoa(t.Year())
		}
		dst = append(dst, timeTick{t: ms, label: label, day: true})
	}
}
