package keep

import (
	"slices"
	"time"

	"rentgen/app/guide"
	"rentgen/app/provider"
	"rentgen/assets/texts"
)

// Row is a directory and what it lives through.
type Row struct {
	Place Place
	// Entry is what the profile says of the place; zero where it says nothing.
	Entry provider.Dir
	Known bool
	Cells []Cell // in the order of provider.Events
}

// Cell is a directory at one event.
type Cell struct {
	Event provider.Event
	Fate  provider.Fate
	// Rule is where the fate was read; zero where it isn't known.
	Rule provider.Survival
	// Dies is when the content goes if the event happened now: only of a stop, zero
	// where no page names a time. DiesBy is the rule that names it.
	Dies   time.Time
	DiesBy provider.Said
	// Proved are the changes that a marker in this directory outlived or not.
	Proved []Outlived
	// Against says that one of Proved contradicts the rule.
	Against bool
}

// TableParams is what a table is made of.
type TableParams struct {
	Survey  Survey
	Profile provider.Profile
	Proofs  []Proof
	Now     time.Time
}

// releaseTerm is the term that names the hours from a stop to the release.
const releaseTerm = "release_after_stopped_h"

// Table says of every directory what becomes of it at each event.
func Table(p TableParams) []Row {
	var rows []Row
	for _, place := range p.Survey.Places {
		r := Row{Place: place}
		if place.Mount.Point != "" {
			r.Entry, r.Known = entryOf(p.Profile, place)
		}
		for _, e := range provider.Events() {
			r.Cells = append(r.Cells, p.cell(r, e))
		}
		rows = append(rows, r)
	}
	kinds := Kinds()
	slices.SortStableFunc(rows, func(a, b Row) int {
		return slices.Index(kinds, a.Place.Kind) - slices.Index(kinds, b.Place.Kind)
	})
	return rows
}

// entryOf finds what a profile says of a place. What lies in RAM is the same
// everywhere.
func entryOf(p provider.Profile, place Place) (provider.Dir, bool) {
	at := place.At()
	d, ok := p.DirOf(at, place.Mount.Point, place.Mount.FS)
	if !ok && place.Mount.InRAM() {
		if g, found := provider.ProfileOf(provider.GenericContainer); found {
			return g.DirOf(at, place.Mount.Point, place.Mount.FS)
		}
	}
	return d, ok
}

func (p TableParams) cell(r Row, e provider.Event) Cell {
	c := Cell{Event: e}
	if r.Known {
		c.Rule = r.Entry.Events[e]
		c.Fate = c.Rule.Fate
	}
	if e == provider.StopEvent {
		p.dies(&c, r)
	}
	if e == provider.Restart {
		for _, proof := range p.Proofs {
			if !proof.covers(r.Place) {
				continue
			}
			c.Proved = append(c.Proved, proof.Outlived...)
		}
		c.Against = slices.ContainsFunc(c.Proved, func(o Outlived) bool { return o.contradicts(c.Fate) })
	}
	return c
}

// dies fills in when the content goes if the instance were stopped now.
func (p TableParams) dies(c *Cell, r Row) {
	after := func(h float64) time.Time { return p.Now.Add(time.Duration(h * float64(time.Hour))) }
	switch c.Fate {
	case provider.Dies:
		c.Dies, c.DiesBy = after(c.Rule.Hours), c.Rule.Said
	case provider.Lives:
		if r.Entry.Events[provider.Release].Fate != provider.Dies {
			return
		}
		if h, t, ok := p.Profile.TermHours(releaseTerm); ok {
			c.Dies, c.DiesBy = after(h), provider.Said{Source: t.Source, Date: t.Date, Mark: t.Mark}
		}
	}
}

// Says puts a cell in words: "lives", "dies on 12 December 2026".
func (c Cell) Says() texts.Phrase {
	day := func(cat *texts.Catalogue) string { return texts.DateYear(cat, c.Dies) }
	switch {
	case c.Fate == provider.Dies && c.Rule.Hours > 0:
		return texts.P("keep.fate.dies_on", "day", day)
	case c.Fate == provider.Lives && !c.Dies.IsZero():
		return texts.P("keep.fate.lives_until", "day", day)
	case c.Fate == provider.FateUnknown:
		return texts.P("keep.fate.unknown")
	}
	return texts.P("keep.fate." + string(c.Fate))
}

// Note is what a fate depends on, "" for nothing.
func (c Cell) Note(l texts.Lang) string { return c.Rule.Note[l] }

// At returns the cell of an event.
func (r Row) At(e provider.Event) Cell {
	for _, c := range r.Cells {
		if c.Event == e {
			return c
		}
	}
	return Cell{Event: e}
}

// StateSays says why nothing was counted there, zero where it was.
func (p Place) StateSays() texts.Phrase {
	switch p.State {
	case Seen:
		return texts.Phrase{}
	case Unread:
		return texts.P("keep.state.unread")
	}
	return texts.P("keep.state." + string(p.State))
}

// HasContent reports whether files were seen there.
func (p Place) HasContent() bool { return p.Newest.Path != "" }

// Sentence says in one sentence what a stop now would cost.
func Sentence(rows []Row) texts.Phrase {
	lives, atOnce, later, unknown := 0, 0, 0, 0
	var first time.Time
	for _, r := range rows {
		if !r.Place.HasContent() || r.Entry.Holds == provider.HoldsPublic {
			continue
		}
		c := r.At(provider.StopEvent)
		switch {
		case c.Fate == provider.Dies && c.Rule.Hours == 0:
			atOnce++
		case !c.Dies.IsZero():
			later++
			if first.IsZero() || c.Dies.Before(first) {
				first = c.Dies
			}
		case c.Fate != provider.Lives:
			unknown++
		default:
			lives++
		}
	}
	day := func(c *texts.Catalogue) string { return texts.DateYear(c, first) }
	switch {
	case atOnce > 0:
		return texts.P("keep.sentence.at_once", "n", atOnce)
	case later > 0:
		return texts.P("keep.sentence.later", "n", later, "day", day)
	case unknown > 0:
		return texts.P("keep.sentence.unknown", "n", unknown)
	case lives == 0:
		return texts.P("keep.sentence.nothing")
	}
	return texts.P("keep.sentence.lives")
}

// Findings says what is wrong with where things lie, worst first.
func Findings(p TableParams, rows []Row) []guide.Finding {
	var l []guide.Finding
	find := func(v guide.Verdict, code string, args ...any) {
		key := "keep.find." + code
		l = append(l, guide.Finding{Verdict: v, Code: code, Says: texts.P(key, args...), Do: texts.P(key+".do", args...)})
	}
	if len(p.Survey.Mounts) == 0 {
		find(guide.Warn, "no_mounts")
	}
	if !p.Survey.Whole {
		find(guide.Warn, "cut")
	}
	better := betterDisk(p)
	var hint texts.Phrase
	if better != "" {
		hint = texts.P("keep.find.better", "path", better)
	}
	for _, r := range rows {
		name := []any{"path", shown(r.Place.Path), "name", r.Place.Name, "disk", better, "better", hint}
		dies := r.At(provider.StopEvent).Fate == provider.Dies || r.At(provider.Restart).Fate == provider.Dies
		switch {
		case r.Place.Kind == Cache && dies && !r.Place.Default:
			find(guide.Fail, "cache_dies", name...)
		case r.Place.Kind == Cache && dies:
			find(guide.Warn, "cache_default_dies", name...)
		case r.Place.Kind == Cache && r.Entry.Holds == provider.HoldsSystem && better != "":
			find(guide.Warn, "cache_system", name...)
		case r.Place.Kind != Cache && dies && r.Place.HasContent():
			find(guide.Fail, "dies", name...)
		case r.Place.Kind == Extra && r.Place.State == None:
			find(guide.Warn, "extra_missing", name...)
		}
		if c := r.At(provider.Restart); c.Against {
			code := "against_lives"
			if c.Fate == provider.Lives {
				code = "against_dies"
			}
			find(guide.Warn, code, append(name, "source", c.Rule.Source)...)
		}
	}
	for _, c := range p.Survey.Configs {
		name := []any{"path", shown(c.File)}
		switch {
		case c.Ignored:
			find(guide.Fail, "yml", name...)
			continue
		case c.Bad:
			find(guide.Warn, "config_bad", name...)
		}
		if slices.ContainsFunc(c.Paths, func(x ExtraPath) bool { return x.Tilde }) {
			find(guide.Warn, "tilde", name...)
		}
	}
	slices.SortStableFunc(l, func(a, b guide.Finding) int {
		if a.Verdict == b.Verdict {
			return 0
		}
		if guide.Worse(a.Verdict, b.Verdict) == a.Verdict {
			return -1
		}
		return 1
	})
	return l
}

// shown is a path of the host's as it may be shown, in one line.
func shown(p string) string { return guide.Clean([]byte(p), 300) }

// betterDisk is a mounted directory of the profile's for data, "" without one.
func betterDisk(p TableParams) string {
	for _, d := range p.Profile.Dirs {
		if d.Holds != provider.HoldsData || d.Path == provider.AnyMount {
			continue
		}
		if m, ok := MountOf(p.Survey.Mounts, d.Path); ok && (d.Folder || m.Point == d.Path) {
			return d.Path
		}
	}
	return ""
}
