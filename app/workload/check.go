package workload

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"rentgen/assets/texts"
)

// InputError is an input that can't be used.
type InputError = texts.InputError

// checker collects what is wrong.
type checker struct {
	cat  *Catalogue
	errs []*InputError
}

func (c *checker) add(field, value string, allowed texts.Phrase) {
	c.errs = append(c.errs, &InputError{Field: field, Value: value, Allowed: allowed})
}

// whole wants low <= v <= high.
func (c *checker) whole(field string, v, low, high int) {
	if v < low || v > high {
		c.add(field, fmt.Sprint(v), within(float64(low), float64(high)))
	}
}

// real wants low <= v <= high, and above low where open.
func (c *checker) real(field string, v, low, high float64, open bool) {
	switch {
	case v > low && v <= high || v == low && !open: // NaN is neither
	case open:
		c.add(field, fmt.Sprint(v), texts.P("use.allowed.above", "low", plain(low), "high", plain(high)))
	default:
		c.add(field, fmt.Sprint(v), within(low, high))
	}
}

// word wants one of a list; an empty word is always fine.
func (c *checker) word(field, v string, list []string) {
	if v != "" && !slices.Contains(list, v) {
		c.add(field, v, oneOf(list))
	}
}

func oneOf(list []string) texts.Phrase {
	return texts.P("use.allowed.list", "list", strings.Join(list, ", "))
}

func within(low, high float64) texts.Phrase {
	return texts.P("use.allowed.range", "low", plain(low), "high", plain(high))
}

func plain(v float64) string {
	if v == math.Trunc(v) {
		return texts.Count(int64(v))
	}
	return fmt.Sprint(v)
}

// The limits of a use.
const (
	maxPictures   = 1_000_000_000
	maxStarts     = 100_000
	maxMachines   = 10_000
	maxSittings   = 100 // a week
	maxWeeks      = 520
	maxStartEarly = 240 // minutes
	maxHeads      = 1_000_000
	hoursOfWeek   = 168
)

// CheckUse returns what is wrong with a use; nil: nothing. Fields of another
// pattern are not read, so that a change of pattern loses nothing.
func CheckUse(u Use) []*InputError {
	var c checker
	c.pictures(u.Pictures)
	switch u.Pattern {
	case Screen:
		c.real("use.days_per_week", u.DaysPerWeek, 0, 7, true)
		c.real("use.hours_per_sitting", u.HoursPerSitting, 0, 24, true)
	case LongRun:
		c.whole("use.starts", u.Starts, 0, maxStarts)
	case Timetable:
		c.whole("use.machines", u.Machines, 1, maxMachines)
		c.whole("use.sittings_per_week", u.SittingsPerWeek, 1, maxSittings)
		c.real("use.hours_per_sitting", u.HoursPerSitting, 0, 24, true)
		c.whole("use.weeks", u.Weeks, 1, maxWeeks)
		c.whole("use.spares", u.Spares, 0, maxMachines)
		c.whole("use.start_early_min", u.StartEarlyMin, 0, maxStartEarly)
		c.whole("use.heads", u.Heads, 0, maxHeads)
		if perWeek := float64(u.SittingsPerWeek) * (u.HoursPerSitting + float64(u.StartEarlyMin)/60); len(c.errs) == 0 && perWeek > hoursOfWeek {
			c.add("use.sittings_per_week", fmt.Sprint(u.SittingsPerWeek),
				texts.P("use.allowed.week", "hours", plain(hoursOfWeek)))
		}
	default:
		c.add("use.pattern", string(u.Pattern), oneOf([]string{string(Screen), string(LongRun), string(Timetable)}))
	}
	return c.errs
}

func (c *checker) pictures(p Count) {
	switch {
	case p.PerDay < 0 || p.PerDay > maxPictures:
		c.whole("use.pictures.per_day", p.PerDay, 1, maxPictures)
	case p.Total < 0 || p.Total > maxPictures:
		c.whole("use.pictures.total", p.Total, 1, maxPictures)
	case p.PerDay > 0 && p.Total > 0:
		c.add("use.pictures", fmt.Sprintf("per_day %d, total %d", p.PerDay, p.Total), texts.P("use.allowed.one"))
	case p.PerDay == 0 && p.Total == 0:
		c.add("use.pictures", "", texts.P("use.allowed.one"))
	}
}
