package board

import (
	"encoding/json"
	"slices"
	"strings"

	"rentgen/app/guide"
	"rentgen/app/guide/check"
	"rentgen/app/guide/network"
	"rentgen/app/guide/run"
	"rentgen/app/guide/track"
	"rentgen/assets/texts"
)

// judged is a record and what it means.
type judged = track.Judged

// Bounds of what is kept.
const (
	maxPast      = 8        // records before the latest, of a check and track
	maxPastBytes = 64 << 10 // output of one of these; longer ones are not kept
	maxReason    = 500      // characters of a reason
	maxNote      = 2000     // characters of a note
	maxField     = 300      // characters of a field
	maxEdit      = 16 << 10 // bytes of a command
)

// Paste judges an output that the user brought along, as if it had been run here,
// and keeps it. What isn't given of the context is filled in from what is known.
func (b *Board) Paste(in guide.Input) guide.Record {
	r := guide.Record{Input: in, Pasted: true, Time: b.p.Now()}
	needs := b.needs()
	b.mu.Lock()
	if r.Track == "" {
		r.Track = b.trackLocked()
	}
	r.Context = fill(r.Context, b.knownLocked(needs))
	if ours, err := run.CommandOf(r.Check, r.Track, b.valuesLocked()); r.Command == "" {
		r.Command = ours
	} else {
		r.Edited = err == nil && strings.TrimSpace(r.Command) != strings.TrimSpace(ours)
	}
	r.Run = b.chosen.Instance
	b.mu.Unlock()
	b.Take(r)
	return r
}

// Take keeps a record that another room made, of a check that it ran itself.
func (b *Board) Take(r guide.Record) {
	b.take(r)
	b.changed()
}

// take judges a record and keeps it as the latest of its check and track, unless a
// later one is there.
func (b *Board) take(r guide.Record) {
	r.Stdout, r.Stderr = clip(r.Stdout), clip(r.Stderr)
	if r.Time.IsZero() {
		r.Time = b.p.Now()
	}
	b.mu.Lock()
	region := b.sameRegionLocked()
	b.mu.Unlock()
	j := judge(r, region) // not under the lock: it reads up to a megabyte
	b.mu.Lock()
	defer b.mu.Unlock()
	b.keepLocked(j)
}

// judge says what a record means. Whether its source lies in the instance's region
// may have been answered after it was run. A pass of an output that was cut is
// none: what was cut may have said otherwise.
func judge(r guide.Record, sameRegion *bool) judged {
	if r.BlockedBy != "" {
		return judged{Record: r}
	}
	in := r.Input
	if sameRegion != nil && strings.HasPrefix(string(in.Check), "net.") {
		in.Context.SameRegion = sameRegion
	}
	o := check.Judge(in)
	if o.Verdict == guide.Pass && (len(r.Stdout) >= guide.MaxOutput || len(r.Stderr) >= guide.MaxOutput) {
		o.Verdict, o.Rule = guide.Warn, "cut"
		o.Findings = append([]guide.Finding{{Verdict: guide.Warn, Code: "cut", Says: texts.P("track.cut"), Do: texts.P("track.cut.do")}}, o.Findings...)
	}
	return judged{Record: r, Outcome: o}
}

// clip bounds an output as it is kept.
func clip(b []byte) []byte { return b[:min(len(b), guide.MaxOutput)] }

// fill returns a context with what is missing taken from another.
func fill(c, known guide.Context) guide.Context {
	or(&c.OwnProcesses, known.OwnProcesses)
	or(&c.RetriesDone, known.RetriesDone)
	or(&c.SMIGPUCount, known.SMIGPUCount)
	or(&c.VRAMGiB, known.VRAMGiB)
	or(&c.HostTotalGiB, known.HostTotalGiB)
	or(&c.OwnCgroup, known.OwnCgroup)
	or(&c.OMPNumThreads, known.OMPNumThreads)
	or(&c.Dir, known.Dir)
	or(&c.ProbeOK, known.ProbeOK)
	or(&c.HFEndpoint, known.HFEndpoint)
	or(&c.HTTPCode, known.HTTPCode)
	or(&c.ExpectedWarmS, known.ExpectedWarmS)
	or(&c.SameRegion, known.SameRegion)
	or(&c.Provider, known.Provider)
	return c
}

func or[T any](p **T, fallback *T) {
	if *p == nil {
		*p = fallback
	}
}

// bounded is a text of the user's as it is kept: cleaned and not longer than that
// many characters.
func bounded(s string, most int) string {
	s = strings.TrimSpace(guide.Clean([]byte(s), 4*most))
	if r := []rune(s); len(r) > most {
		s = string(r[:most])
	}
	return s
}

func bad(field, value, allowed string, args ...any) error {
	return &texts.InputError{Field: field, Value: value, Allowed: texts.P(allowed, args...)}
}

// keepLocked takes a judged record as the latest of its check.
func (b *Board) keepLocked(j judged) {
	s := slot{j.Track, j.Check}
	if old, ok := b.latest[s]; ok {
		if old.Time.After(j.Time) {
			return
		}
		b.pastLocked(old)
	}
	b.latest[s] = j
	_ = b.putLocked(guide.KindCheck, string(s.track)+"/"+string(s.check), j.Record)
	b.pointLocked(j)
}

// pointLocked keeps what a check of the network measured as a reading of its
// series.
func (b *Board) pointLocked(j judged) {
	p, ok := network.FromOutcome(j.Record, j.Outcome)
	if !ok {
		return
	}
	e, err := p.Entry()
	if err != nil { // no reading holds what can't be written
		return
	}
	_ = b.putLocked(e.Kind, e.Key, e.Body)
	if old := network.Old(b.entriesLocked(guide.KindNet)); len(old) > 0 {
		b.dropLocked(guide.KindNet, old...)
	}
}

// pastLocked keeps a record that is no longer the latest; of those there are a few
// only.
func (b *Board) pastLocked(old judged) {
	if old.BlockedBy != "" {
		return
	}
	if old.Outcome.Verdict != guide.Pass {
		b.before[slot{old.Track, old.Check}] = old
	}
	if len(old.Stdout)+len(old.Stderr) > maxPastBytes {
		return
	}
	prefix := string(old.Track) + "/" + string(old.Check) + "/"
	var keys []string
	for k := range b.entries[guide.KindPast] {
		if strings.HasPrefix(k, prefix) {
			keys = append(keys, k)
		}
	}
	_ = b.putLocked(guide.KindPast, prefix+guide.Stamp(old.Time), old.Record)
	if n := len(keys) + 1 - maxPast; n > 0 {
		slices.Sort(keys) // by time: they are of one length
		b.dropLocked(guide.KindPast, keys[:n]...)
	}
}

// Latest returns the latest record of a check on a track and what it means, false
// where there is none.
func (b *Board) Latest(t guide.Track, id guide.CheckID) (guide.Record, guide.Outcome, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	j, ok := b.latest[slot{t, id}]
	return j.Record, j.Outcome, ok
}

// Past returns the records before the latest, oldest first.
func (b *Board) Past(t guide.Track, id guide.CheckID) []guide.Record {
	b.mu.Lock()
	defer b.mu.Unlock()
	prefix := string(t) + "/" + string(id) + "/"
	var list []guide.Record
	for _, e := range b.entriesLocked(guide.KindPast) {
		var r guide.Record
		if strings.HasPrefix(e.Key, prefix) && json.Unmarshal(e.Body, &r) == nil {
			list = append(list, r)
		}
	}
	return list
}
