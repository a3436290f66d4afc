package workload

import "math"

const secondsOfHour = 3600

// HoursOf returns the hours of a use over days, from the seconds a picture and
// the seconds a start takes. Seconds of zero are unknown: nothing is said about
// busy hours then, nor about the rented hours of a long run.
//
//   - At the screen: rented = sittings x hours; a span holds days / 7 x days a
//     week sittings, rounded. Pictures a day are those of a day at the screen.
//   - Long run: busy = pictures x seconds, rented = busy + starts.
//   - Timetable: rented = (machines + spares) x sittings x (hours + early
//     start); pictures are those of the whole class, a day is a sitting. The
//     weeks are the use's own, SpanDays says how many days they need.
//
// Busy hours are what the pictures need, also where they don't fit (Short).
func HoursOf(u Use, days int, seconds, startupS Band) Hours {
	days = max(days, 1)
	seconds, startupS = sane(seconds), sane(startupS)
	h := Hours{Machines: 1, Unknown: seconds.Point <= 0}
	var room float64 // hours in which pictures can be made
	start := startupS.Point / secondsOfHour
	switch u.Pattern {
	case Screen:
		h.Sessions = sittingsOf(u.DaysPerWeek, days)
		h.SessionH = sure(positive(u.HoursPerSitting))
		h.Pictures = pictures(u.Pictures, h.Sessions)
		room = float64(h.Sessions) * max(0, h.SessionH.Point-start)
	case Timetable:
		h.Machines = max(u.Machines, 1) + max(u.Spares, 0)
		h.Sessions = max(u.SittingsPerWeek, 1) * max(u.Weeks, 1)
		early := float64(max(u.StartEarlyMin, 0)) / 60
		lesson := positive(u.HoursPerSitting)
		h.SessionH = sure(lesson + early)
		h.Pictures = pictures(u.Pictures, h.Sessions)
		room = float64(max(u.Machines, 1)) * float64(h.Sessions) * max(0, lesson-max(0, start-early))
	default:
		return longRun(u, days, seconds, startupS)
	}
	h.Rented = scale(h.SessionH, float64(h.Sessions)*float64(h.Machines))
	if h.Unknown {
		return h
	}
	h.Busy = scale(seconds, h.Pictures/secondsOfHour)
	h.Short = h.Busy.Point > room
	h.Idle = Band{
		max(0, h.Rented.Low-h.Busy.High),
		max(0, h.Rented.Point-h.Busy.Point),
		max(0, h.Rented.High-h.Busy.Low),
	}
	h.IdleShare = Band{
		share(h.Idle.Low, h.Rented.Low), share(h.Idle.Point, h.Rented.Point), share(h.Idle.High, h.Rented.High),
	}
	return h
}

// longRun paints without a pause: the card is idle only while it starts.
func longRun(u Use, days int, seconds, startupS Band) Hours {
	h := Hours{Machines: 1, Sessions: u.Starts, Pictures: pictures(u.Pictures, days), Unknown: seconds.Point <= 0}
	if h.Sessions < 1 {
		h.Sessions = 1
		if u.Pictures.Total == 0 {
			h.Sessions = days
		}
	}
	if h.Unknown {
		return h
	}
	h.Busy = scale(seconds, h.Pictures/secondsOfHour)
	h.Idle = scale(startupS, float64(h.Sessions)/secondsOfHour)
	h.Rented = Band{h.Busy.Low + h.Idle.Low, h.Busy.Point + h.Idle.Point, h.Busy.High + h.Idle.High}
	h.SessionH = scale(h.Rented, 1/float64(h.Sessions))
	// Starts and pictures don't depend on each other: the greatest share is that
	// of slow starts and fast pictures.
	h.IdleShare = Band{
		share(h.Idle.Low, h.Idle.Low+h.Busy.High), share(h.Idle.Point, h.Rented.Point),
		share(h.Idle.High, h.Idle.High+h.Busy.Low),
	}
	h.Short = h.Rented.Point > float64(days)*24
	return h
}

// SpanDays returns how many days a use needs at least: a class runs for its
// weeks, whatever the span of the plan.
func SpanDays(u Use, days int) int {
	if u.Pattern == Timetable {
		return max(days, 7*u.Weeks)
	}
	return max(days, 1)
}

// sittingsOf returns the sittings of a span, at least one: nobody sits a third
// of a time.
func sittingsOf(perWeek float64, days int) int {
	return max(1, int(math.Round(min(positive(perWeek), 7)*float64(days)/7)))
}

func pictures(c Count, days int) float64 {
	if c.Total > 0 {
		return float64(c.Total)
	}
	return float64(max(c.PerDay, 0)) * float64(days)
}

// sane returns b in order and without what is no number.
func sane(b Band) Band {
	p := positive(b.Point)
	low, high := positive(b.Low), positive(b.High)
	return Band{min(low, p), p, max(high, p)}
}

// beyond is more seconds than any plan holds; it keeps sums finite.
const beyond = 1e15

// positive returns v, or 0 where it is less or no finite number.
func positive(v float64) float64 {
	if v > 0 && !math.IsInf(v, 1) {
		return min(v, beyond)
	}
	return 0
}

func sure(v float64) Band { return Band{v, v, v} }

func scale(b Band, f float64) Band { return Band{b.Low * f, b.Point * f, b.High * f} }

func share(part, whole float64) float64 {
	if whole <= 0 {
		return 0
	}
	return min(1, part/whole)
}
