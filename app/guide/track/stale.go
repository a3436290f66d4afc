package track

import (
	"time"

	"rentgen/app/guide"
	"rentgen/assets/texts"
)

// Staleness is why a record is no longer about what is there now.
type Staleness string

// The reasons, the strongest first.
const (
	StaleNot       Staleness = ""
	StaleInstance  Staleness = "instance"  // another instance answers now
	StaleDriver    Staleness = "driver"    // another driver is loaded
	StaleBoot      Staleness = "boot"      // the machine was started anew
	StaleContainer Staleness = "container" // the container was started anew
	StaleDays      Staleness = "days"      // it is old
)

// Aged says whether a record is about what is there now. What isn't known of a
// run makes no difference.
func Aged(r guide.Record, now guide.Run, at time.Time) Staleness {
	differs := func(a, b string) bool { return a != "" && b != "" && a != b }
	switch {
	case differs(r.Run.Instance, now.Instance):
		return StaleInstance
	case differs(r.Run.Driver, now.Driver):
		return StaleDriver
	case differs(r.Run.Boot, now.Boot):
		return StaleBoot
	case differs(r.Run.PID1, now.PID1):
		return StaleContainer
	case at.Sub(r.Time) >= staleAfter():
		return StaleDays
	}
	return StaleNot
}

func staleAfter() time.Duration {
	return time.Duration(guide.Threshold("stale.days") * 24 * float64(time.Hour))
}

// phrase says why a record has to be made again.
func (s Staleness) phrase(r guide.Record, now guide.Run, at time.Time) texts.Phrase {
	switch s {
	case StaleNot:
		return texts.Phrase{}
	case StaleDriver:
		return texts.P("track.stale.driver", "was", r.Run.Driver, "is", now.Driver)
	case StaleDays:
		return texts.P("track.stale.days", "age", duration(at.Sub(r.Time)))
	}
	return texts.P("track.stale." + string(s))
}

// duration is a length of time as it is said in the language of then.
func duration(d time.Duration) func(*texts.Catalogue) string {
	return func(c *texts.Catalogue) string { return texts.Duration(c, d) }
}
