package history

import (
	"testing"
	"time"
)

func TestShiftByTheCalendar(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip("no time zones here")
	}
	// The night between them has an hour more.
	before := time.Date(2026, 10, 24, 22, 0, 0, 0, berlin)
	after := time.Date(2026, 10, 25, 9, 0, 0, 0, berlin)
	for _, c := range []struct {
		name        string
		open, other time.Time
		by          alignment
		want        time.Duration
	}{
		{"by start", after, before, alignStart, 12 * time.Hour},
		{"by the day", after, before, alignDay, 25 * time.Hour},
		{"told in another zone", after.UTC(), before.UTC(), alignDay, 25 * time.Hour},
		{"the later one first", before, after, alignDay, -25 * time.Hour},
		{"one day", after, after.Add(3 * time.Hour), alignDay, 0},
	} {
		if got := shift(c.open, c.other, c.by, berlin); got != c.want {
			t.Errorf("%s: %v, not %v", c.name, got, c.want)
		}
	}
}
