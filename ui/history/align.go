package history

import "time"

// alignment says how two logs are laid over one another.
type alignment int

// The alignments, in the order in which they are offered.
const (
	alignStart alignment = iota // both begin at the same place
	alignDay                    // the same time of day lies on the same
)

// shift is what is added to the times of a log that began at other, so that it lies
// on one that began at open. By the day it is whole days of loc as the calendar
// counts them, so that a clock that was put forward or back meanwhile doesn't move
// noon.
func shift(open, other time.Time, by alignment, loc *time.Location) time.Duration {
	if by != alignDay {
		return open.Sub(other)
	}
	date := func(t time.Time) time.Time {
		y, m, d := t.In(loc).Date()
		return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	}
	days := int(date(open).Sub(date(other)) / oneDay)
	at := other.In(loc)
	return at.AddDate(0, 0, days).Sub(at)
}
