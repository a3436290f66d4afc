package alert

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"rentgen/app/purse"
)

// Kinds returns the kinds of alerts in the order in which they are listed.
func Kinds() []purse.AlertKind {
	return []purse.AlertKind{
		purse.AlertIdle, purse.AlertBudget, purse.AlertLost, purse.AlertHeat, purse.AlertDisk,
		purse.AlertPackage, purse.AlertRelease, purse.AlertDone, purse.AlertStopped,
	}
}

// Rules are what the person wants to hear of.
type Rules struct {
	Off         []purse.AlertKind `json:"off"`          // kinds that are switched off
	IdleMinutes int               `json:"idle_minutes"` // idle for so long
	HeatC       int               `json:"heat_c"`       // °C; a card's own limit counts where it is lower
	DiskGB      int               `json:"disk_gb"`      // decimal, as disks are sold
	PackageDays int               `json:"package_days"` // days before the end
	ReleaseDays int               `json:"release_days"`
	DoneMinutes int               `json:"done_minutes"` // shortest run whose end is told
	Quiet       Quiet             `json:"quiet"`
}

// Quiet are the hours in which nothing rings, by the clock on the wall.
type Quiet struct {
	On     bool `json:"on"`
	From   int  `json:"from"`   // minute of the day
	To     int  `json:"to"`     // minute of the day, of the next one where it isn't after From
	Faults bool `json:"faults"` // a lost GPU rings all the same
}

// DefaultRules are those of a first start. The limits are proposals of ours:
// loading a large model from a slow disk stays below 15 minutes, most cards slow
// down some degrees above 85 °C, and 10 GB hold one model more.
func DefaultRules() Rules {
	return Rules{
		IdleMinutes: 15, HeatC: 85, DiskGB: 10, PackageDays: 3, ReleaseDays: 3, DoneMinutes: 10,
		Quiet: Quiet{From: 23 * 60, To: 8 * 60, Faults: true},
	}
}

// Limit is the least and the most that a threshold may be.
type Limit struct{ Least, Most int }

// Limits bound the thresholds, by the name that each has in JSON.
func Limits() map[string]Limit {
	return map[string]Limit{
		"idle_minutes": {1, 24 * 60}, "heat_c": {40, 110}, "disk_gb": {1, 1000},
		"package_days": {1, 60}, "release_days": {1, 60}, "done_minutes": {1, 24 * 60},
	}
}

// On reports whether a kind is wanted.
func (r Rules) On(k purse.AlertKind) bool { return !slices.Contains(r.Off, k) }

// With returns the rules with a kind on or off.
func (r Rules) With(k purse.AlertKind, on bool) Rules {
	r.Off = slices.DeleteFunc(slices.Clone(r.Off), func(o purse.AlertKind) bool { return o == k })
	if !on {
		r.Off = append(r.Off, k)
	}
	return r
}

// Threshold returns where a threshold stands, nil for a name that none has.
func (r *Rules) Threshold(name string) *int {
	switch name {
	case "idle_minutes":
		return &r.IdleMinutes
	case "heat_c":
		return &r.HeatC
	case "disk_gb":
		return &r.DiskGB
	case "package_days":
		return &r.PackageDays
	case "release_days":
		return &r.ReleaseDays
	case "done_minutes":
		return &r.DoneMinutes
	}
	return nil
}

// ThresholdOf names the threshold of a kind, "" for a kind without one.
func ThresholdOf(k purse.AlertKind) string {
	return map[purse.AlertKind]string{
		purse.AlertIdle: "idle_minutes", purse.AlertHeat: "heat_c", purse.AlertDisk: "disk_gb",
		purse.AlertPackage: "package_days", purse.AlertRelease: "release_days", purse.AlertDone: "done_minutes",
	}[k]
}

// RangeError is a threshold out of its bounds.
type RangeError struct {
	Name        string
	Value       int
	Least, Most int
}

// Error says which, what it was and what is allowed.
func (e *RangeError) Error() string {
	return fmt.Sprintf("%s: %d is not from %d to %d", e.Name, e.Value, e.Least, e.Most)
}

// Check returns a *RangeError for the first threshold that is out of bounds.
func (r Rules) Check() error {
	for _, k := range Kinds() {
		name := ThresholdOf(k)
		if name == "" {
			continue
		}
		v, l := *r.Threshold(name), Limits()[name]
		if v < l.Least || v > l.Most {
			return &RangeError{name, v, l.Least, l.Most}
		}
	}
	for name, v := range map[string]int{"quiet.from": r.Quiet.From, "quiet.to": r.Quiet.To} {
		if v < 0 || v >= 24*60 {
			return &RangeError{name, v, 0, 24*60 - 1}
		}
	}
	return nil
}

// readRules reads kept rules; a value that can't be used is the default's.
func readRules(b []byte) Rules {
	r := DefaultRules()
	if json.Unmarshal(b, &r) != nil {
		return DefaultRules()
	}
	d := DefaultRules()
	for name, l := range Limits() {
		if v := r.Threshold(name); *v < l.Least || *v > l.Most {
			*v = *d.Threshold(name)
		}
	}
	if r.Quiet.From < 0 || r.Quiet.From >= 24*60 || r.Quiet.To < 0 || r.Quiet.To >= 24*60 {
		r.Quiet.From, r.Quiet.To = d.Quiet.From, d.Quiet.To
	}
	return r
}

// Holds reports whether t lies in the quiet hours by the clock on the wall of
// its location. It compares times of day, so that a day of 23 or 25 hours needs
// no care. From and To alike are the whole day.
func (q Quiet) Holds(t time.Time) bool {
	if !q.On {
		return false
	}
	m := t.Hour()*60 + t.Minute()
	if q.From < q.To {
		return m >= q.From && m < q.To
	}
	return m >= q.From || m < q.To
}

// UntilOver snoozes an alert until what it says has ended.
var UntilOver = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// UntilTomorrow is the morning of the next day where now is: when the quiet
// hours end, else eight o'clock.
func UntilTomorrow(now time.Time, r Rules) time.Time {
	m := 8 * 60
	if r.Quiet.On && r.Quiet.To >= 4*60 && r.Quiet.To < 12*60 {
		m = r.Quiet.To
	}
	return time.Date(now.Year(), now.Month(), now.Day()+1, m/60, m%60, 0, 0, now.Location())
}
