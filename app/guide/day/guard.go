package day

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"rentgen/app/guide"
	"rentgen/app/guide/keep"
	"rentgen/app/provider"
	"rentgen/assets/texts"
)

// Copy is a folder as it was copied to this computer. It is what is kept
// (guide.KindDay, key its time in ms and a mark of the folder: several are copied
// in one go).
type Copy struct {
	IsCopy bool      `json:"copy"` // tells it from what else is kept of a day
	Dir    string    `json:"dir"`  // on the host, symbolic links resolved
	Into   string    `json:"into"`
	Time   time.Time `json:"time"`
	Files  int       `json:"files"`
	Bytes  int64     `json:"bytes"`
	Newest time.Time `json:"newest,omitzero"` // the host's time of its newest file
	// Verified says that every file was compared by SHA-256 and none was left out.
	Verified bool      `json:"verified"`
	Run      guide.Run `json:"run"`
}

// CopyOf is the record of a folder that was fetched whole.
func CopyOf(l Listing, r Report, into string, run guide.Run, at time.Time) Copy {
	c := Copy{IsCopy: true, Dir: l.Dir, Into: into, Time: at, Run: run, Files: len(r.Files)}
	for _, f := range r.Files {
		c.Bytes += f.Size
		if f.Time.After(c.Newest) {
			c.Newest = f.Time
		}
	}
	c.Verified = r.Verified() && l.Whole && !l.Odd && len(r.Files) == len(l.Files)
	return c
}

// Entry is the copy as it is kept.
func (c Copy) Entry() (guide.Entry, error) {
	sum := sha256.Sum256([]byte(c.Dir))
	return guide.NewEntry(guide.KindDay, guide.Stamp(c.Time)+"/"+hex.EncodeToString(sum[:4]), c.Time, c)
}

// Copies are the copies among the entries of a host, by time.
func Copies(entries []guide.Entry) []Copy {
	l := guide.Kept(entries, guide.KindDay, func(c Copy) bool { return c.IsCopy && c.Dir != "" })
	slices.SortFunc(l, func(a, b Copy) int { return a.Time.Compare(b.Time) })
	return l
}

// covers reports whether a copy holds all that lies in a place now.
func (c Copy) covers(p keep.Place, run guide.Run) bool {
	return c.Verified && c.Dir == p.Real && !p.Loose && p.Files != nil && p.Bytes != nil &&
		c.Files == *p.Files && c.Bytes == *p.Bytes && !p.Newest.Time.After(c.Newest) &&
		c.Run.Instance == run.Instance
}

// Ticks of the guard.
const (
	TickImage     = "release.image"       // the system image is saved, or none is needed
	tickNotNeeded = "release.not_needed:" // and the path of a place
)

// NotNeeded is the tick that says that what lies in a place may go.
func NotNeeded(p keep.Place) string {
	id := tickNotNeeded + p.Path
	if p.Loose {
		id += "/." // the files in it, not the folders
	}
	return id
}

// ItemState is where an item of the guard stands.
type ItemState string

// The states of an item.
const (
	Open    ItemState = "open"    // neither copied nor given up
	Safe    ItemState = "safe"    // a verified copy holds all of it
	Dropped ItemState = "dropped" // "not needed"
	Older   ItemState = "older"   // a copy is there, but there is more now
)

// Item is a place that a release would take, or may take.
type Item struct {
	Row   keep.Row
	Tick  string // id of its "not needed"
	State ItemState
	Copy  *Copy // the latest of the place
}

// Done reports whether the item is in the way no more.
func (i Item) Done() bool { return i.State == Safe || i.State == Dropped }

// Left is something that may go on billing after the release.
type Left struct {
	ID    string // "image", "network", "ip", "disk"
	Says  texts.Phrase
	Notes []provider.Note // of the rules
}

// GuardParams is what the release guard is made of.
type GuardParams struct {
	Profile provider.Profile
	Survey  keep.Survey // with keep.Inventory
	Rows    []keep.Row
	Copies  []Copy
	Ticks   map[string]guide.Tick
	Run     guide.Run // of the instance now
}

// Guard is the release guard: what would be lost, and what is left to do first.
type Guard struct {
	Items []Item // what a release takes or may take
	Stays []keep.Row
	// Image is the tick that the system image is saved or not needed.
	Image   bool
	Left    []Left
	Missing []texts.Phrase // what is in the way, in words
	Ready   bool
	Verb    provider.Verb // the console's own word for it
	HasVerb bool
}

// MakeGuard puts the release guard together. It says "ready" only when everything
// was seen on this very instance and every item is settled.
func MakeGuard(p GuardParams) Guard {
	var g Guard
	g.Verb, g.HasVerb = p.Profile.Verbs[provider.VerbRelease]
	for _, r := range p.Rows {
		switch {
		case r.Place.State == keep.None, r.Place.State == keep.NoDir, r.Entry.Holds == provider.HoldsPublic,
			r.Place.Files != nil && *r.Place.Files == 0:
		case r.At(provider.Release).Fate == provider.Lives:
			g.Stays = append(g.Stays, r)
		default:
			g.Items = append(g.Items, p.item(r))
		}
	}
	t, ok := p.Ticks[TickImage]
	g.Image = ok && t.Done && saidOf(t, p.Run)
	g.Left = leftovers(p.Profile)
	open := 0
	for _, i := range g.Items {
		if !i.Done() {
			open++
		}
	}
	miss := func(key string, args ...any) { g.Missing = append(g.Missing, texts.P("day.guard."+key, args...)) }
	if !p.Survey.Whole || len(p.Survey.Mounts) == 0 {
		miss("not_whole")
	}
	if p.Run.Instance == "" || p.Survey.Run.Instance != p.Run.Instance {
		miss("other_instance")
	}
	if open > 0 {
		miss("open", "n", open)
	}
	if !g.Image {
		miss("image")
	}
	g.Ready = len(g.Missing) == 0
	return g
}

func (p GuardParams) item(r keep.Row) Item {
	i := Item{Row: r, Tick: NotNeeded(r.Place), State: Open}
	for _, c := range p.Copies {
		if c.Dir == r.Place.Real && !r.Place.Loose {
			i.Copy, i.State = &c, Older
		}
	}
	if slices.ContainsFunc(p.Copies, func(c Copy) bool { return c.covers(r.Place, p.Run) }) {
		i.State = Safe
		return i
	}
	if t, ok := p.Ticks[i.Tick]; ok && t.Done && saidOf(t, p.Run) {
		i.State = Dropped
	}
	return i
}

// saidOf reports whether a tick was set on this instance: on an earlier one it was
// said of other files.
func saidOf(t guide.Tick, run guide.Run) bool {
	return t.Run.Instance == "" || t.Run.Instance == run.Instance
}

// Sentence says where the guard stands.
func (g Guard) Sentence(l texts.Lang) texts.Phrase {
	if !g.Ready {
		return texts.P("day.guard.wait", "n", len(g.Missing))
	}
	if g.HasVerb {
		return texts.P("day.guard.ready", "verb", texts.P("day.verb.named", "verb", g.Verb.NameIn(l)))
	}
	return texts.P("day.guard.ready", "verb", texts.P("day.verb.any"))
}

// leftovers are what a release leaves behind and what the rules say of it.
func leftovers(p provider.Profile) []Left {
	r, _ := p.Rules()
	notes := func(topics ...string) (l []provider.Note) {
		for _, n := range r.Notes {
			if slices.Contains(topics, n.Topic) {
				l = append(l, n)
			}
		}
		return l
	}
	left := []Left{{ID: "image", Says: texts.P("day.left.image"), Notes: notes("image")}}
	var dirs []string
	for _, d := range p.Dirs {
		if f := d.Events[provider.Release].Fate; d.Holds == provider.HoldsNetwork && f != provider.Dies || f == provider.Depends {
			dirs = append(dirs, strings.Replace(d.Path, provider.AnyMount, "", 1))
		}
	}
	dirs = slices.DeleteFunc(dirs, func(d string) bool { return d == "" || d == "/" })
	if len(dirs) > 0 {
		left = append(left, Left{ID: "network", Says: texts.P("day.left.network", "dirs", strings.Join(dirs, ", ")), Notes: notes("disk")})
	} else {
		left = append(left, Left{ID: "disk", Says: texts.P("day.left.disk"), Notes: notes("disk")})
	}
	if p.Kind != provider.Shared {
		left = append(left, Left{ID: "ip", Says: texts.P("day.left.ip"), Notes: notes("network", "release")})
	}
	return left
}
