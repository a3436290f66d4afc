package client

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rentgen/app/guide"
	"rentgen/app/guide/report"
	"rentgen/assets/texts"
)

// Fate is what became of a place on the list to delete.
type Fate string

// The fates.
const (
	ToDo    Fate = "todo"
	Gone    Fate = "gone"    // looked for again: nothing is left
	There   Fate = "there"   // looked for again: still there
	Kept    Fate = "kept"    // kept on purpose, for a reason
	Unclear Fate = "unclear" // could not be looked for
)

// Item is a place on the list to delete.
type Item struct {
	Place  Place     `json:"place"`
	Fate   Fate      `json:"fate"`
	Reason string    `json:"reason,omitempty"` // of Kept
	Seen   time.Time `json:"seen,omitzero"`    // when the fate was seen
}

// Record is the list to delete of one job and what became of it. It is what is
// kept (guide.KindClient, key its time in ms).
type Record struct {
	Job      string    `json:"job,omitempty"` // as the plan names it
	Host     string    `json:"host,omitempty"`
	Time     time.Time `json:"time"`
	Run      guide.Run `json:"run"`
	Items    []Item    `json:"items"`
	PNGs     int       `json:"pngs"`           // -1: not known
	Telling  int       `json:"telling"`        // pictures that carry prompt or workflow,
	LookedAt int       `json:"looked_at"`      // of these
	Open     []int     `json:"open,omitempty"` // ports that were open
}

// NewRecord makes the list to delete from what was seen.
func NewRecord(l Look, job, host string) Record {
	r := Record{Job: guide.Clean([]byte(job), 200), Host: guide.Clean([]byte(host), 200), Time: l.Time, Run: l.Run, PNGs: l.PNGs}
	r.Telling, r.LookedAt = l.Telling()
	for _, p := range l.open() {
		r.Open = append(r.Open, p.Number)
	}
	for _, p := range l.Places {
		r.Items = append(r.Items, Item{Place: p, Fate: ToDo})
	}
	return r
}

// Keep notes that a place is kept on purpose.
func (r Record) Keep(path, reason string, now time.Time) Record {
	r.Items = slices.Clone(r.Items)
	for i := range r.Items {
		if r.Items[i].Place.Path == path {
			r.Items[i].Fate, r.Items[i].Reason, r.Items[i].Seen = Kept, guide.Clean([]byte(reason), 500), now
		}
	}
	return r
}

// Again compares the list with a later look at the same instance. What lies there
// now that did not before is added. A look at another instance, and one that was
// cut off, proves nothing.
func (r Record) Again(l Look) Record {
	r.Items = slices.Clone(r.Items)
	known := l.Whole && l.Run.Instance != "" && l.Run.Instance == r.Run.Instance
	for i := range r.Items {
		it := &r.Items[i]
		if it.Fate == Kept {
			continue
		}
		it.Seen = l.Time
		there := slices.ContainsFunc(l.Places, func(p Place) bool { return p.Path == it.Place.Path })
		switch {
		case !known:
			it.Fate = Unclear
		case there:
			it.Fate = There
		default:
			it.Fate = Gone
		}
	}
	for _, p := range l.Places {
		if known && !slices.ContainsFunc(r.Items, func(it Item) bool { return it.Place.Path == p.Path }) {
			r.Items = append(r.Items, Item{Place: p, Fate: There, Seen: l.Time})
		}
	}
	return r
}

// Done reports whether every place is gone or kept on purpose.
func (r Record) Done() bool {
	return !slices.ContainsFunc(r.Items, func(i Item) bool { return i.Fate != Gone && i.Fate != Kept })
}

// Entry is the record as it is kept.
func (r Record) Entry() (guide.Entry, error) {
	return guide.NewEntry(guide.KindClient, guide.Stamp(r.Time), r.Time, r)
}

// Records are the records among the entries of a host, by time.
func Records(entries []guide.Entry) []Record {
	l := guide.Kept(entries, guide.KindClient, func(r Record) bool { return !r.Time.IsZero() })
	slices.SortFunc(l, func(a, b Record) int { return a.Time.Compare(b.Time) })
	return l
}

// Markdown is the record as a page for the client.
func (r Record) Markdown(c *texts.Catalogue) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", c.T("client.record.title"))
	fmt.Fprintf(&b, "%s\n\n", c.T("client.record.of", "job", shown(r.Job), "host", shown(r.Host), "day", texts.DateYear(c, r.Time)))
	fmt.Fprintf(&b, "| %s | %s | %s | %s |\n| --- | --- | ---: | --- |\n", c.T("client.record.kind"), c.T("client.record.path"), c.T("client.record.size"), c.T("client.record.fate"))
	for _, i := range r.Items {
		fate := c.T("client.fate." + string(i.Fate))
		if !i.Seen.IsZero() {
			fate = c.T("client.record.when", "fate", fate, "day", texts.DateTime(c, i.Seen))
		}
		if i.Reason != "" {
			fate = c.T("client.record.why", "fate", fate, "reason", shown(i.Reason))
		}
		size := texts.Bytes(float64(i.Place.Bytes))
		if !i.Place.Whole {
			size = "≥ " + size
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", c.T("client.kind."+string(i.Place.Kind)), shown(i.Place.Path), size, fate)
	}
	if r.LookedAt > 0 {
		fmt.Fprintf(&b, "\n%s\n", c.T("client.record.telling", "n", r.Telling, "of", r.LookedAt))
	}
	done := "client.record.open"
	if r.Done() {
		done = "client.record.done"
	}
	fmt.Fprintf(&b, "\n%s\n\n%s\n", c.T(done), c.T("client.record.limits"))
	return b.String()
}

// shown is a text of the host's in a line of Markdown.
func shown(s string) string { return report.Plain(guide.Clean([]byte(s), 500)) }
