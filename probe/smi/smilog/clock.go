package smilog

import (
	"strings"
	"time"
)

// layouts are how a log writes its times: nvidia-smi's own, and what a
// spreadsheet or another tool makes of it.
var layouts = []string{
	"2006/01/02 15:04:05.999999999", "2006-01-02 15:04:05.999999999", "2006-01-02T15:04:05.999999999",
}

// readTime reads a cell as a time of loc; one that names its zone keeps it.
func readTime(cell string, loc *time.Location) (t time.Time, local, ok bool) {
	cell = strings.TrimSpace(cell)
	if len(cell) < 16 || len(cell) > 40 {
		return time.Time{}, false, false
	}
	if t, err := time.Parse(time.RFC3339Nano, cell); err == nil {
		return t, false, plausible(t)
	}
	for _, l := range layouts {
		if t, err := time.ParseInLocation(l, cell, loc); err == nil {
			return t, true, plausible(t)
		}
	}
	return time.Time{}, false, false
}

// plausible bounds the years: the first card that a driver of today reads is
// from this century, and history can't hold what is far ahead.
func plausible(t time.Time) bool { return t.Year() >= 2000 && t.Year() < 2400 }

// back is how far two rows of one tick may stand the wrong way round.
const back = 2 * time.Second

// clock follows the times of a log.
type clock struct {
	loc   *time.Location
	last  time.Time // greatest so far
	steps [15]time.Duration
	n     int // steps seen
	// Where the clock went back: since is when it stood there first, out how
	// many rows were left out since.
	out int
}

// read returns the time of a row in UTC. A time that is there twice, in the hour
// that summer time ends, is taken for the one that goes on.
func (c *clock) read(cell string) (time.Time, bool) {
	t, local, ok := readTime(cell, c.loc)
	if !ok {
		return time.Time{}, false
	}
	if !local || c.last.IsZero() {
		return t.UTC(), true
	}
	wall := t.In(c.loc).Format(layouts[0])
	best := t
	for _, d := range []time.Duration{-time.Hour, time.Hour} {
		o := t.Add(d)
		if o.In(c.loc).Format(layouts[0]) != wall {
			continue
		}
		if late(best, c.last) && !late(o, c.last) || !late(o, c.last) && o.Before(best) || late(best, c.last) && o.After(best) {
			best = o
		}
	}
	return best.UTC(), true
}

// late reports whether t lies before what was read already.
func late(t, last time.Time) bool { return t.Before(last.Add(-back)) }

// usual is the step between two ticks of the log; 0 where it isn't known yet.
func (c *clock) usual() time.Duration {
	n := min(c.n, len(c.steps))
	if n == 0 {
		return 0
	}
	least := c.steps[0]
	for _, d := range c.steps[1:n] {
		least = min(least, d)
	}
	return least
}

// step counts the distance of two ticks in.
func (c *clock) step(d time.Duration) {
	if d <= 0 {
		return
	}
	c.steps[c.n%len(c.steps)] = d
	c.n++
}

// silent is the distance of two ticks from which something is missing between
// them.
func (c *clock) silent() time.Duration {
	u := c.usual()
	if u == 0 {
		return 0
	}
	return max(3*u, 3*time.Second)
}
