package board

import (
	"slices"
	"strings"

	"rentgen/app/guide"
	"rentgen/app/guide/day"
	"rentgen/app/guide/run"
	"rentgen/app/guide/track"
)

// Edit sets the command of a check as the user wants it; "" or our own text takes
// that back. What it gives is marked as edited for ever.
func (b *Board) Edit(id guide.CheckID, command string) {
	command = strings.TrimSpace(strings.ReplaceAll(command, "\x00", ""))
	if len(command) > maxEdit { // a command that is cut would be another one
		return
	}
	b.mu.Lock()
	ours, err := run.CommandOf(id, b.trackLocked(), b.valuesLocked())
	if command == "" || err == nil && command == strings.TrimSpace(ours) {
		delete(b.edits, id)
		b.dropLocked(guide.KindEdit, string(id))
	} else {
		b.edits[id] = command
		_ = b.putLocked(guide.KindEdit, string(id), command) // a string always becomes JSON
	}
	b.mu.Unlock()
	b.changed()
}

// Skip leaves out a check or a step, with a reason that stays in every report. The
// error is a *texts.InputError.
func (b *Board) Skip(on, reason string) error {
	reason = bounded(reason, maxReason)
	if reason == "" {
		return bad("skip.reason", "", "track.skip.reason")
	}
	if !known(on) {
		return bad("skip.on", on, "track.skip.on")
	}
	b.Unskip(on)
	b.mu.Lock()
	s := guide.Skipped{On: on, Reason: reason, Time: b.p.Now()}
	b.skips = append(b.skips, s)
	_ = b.putLocked(guide.KindSkip, skipKey(s), s)
	b.mu.Unlock()
	b.changed()
	return nil
}

// Unskip takes a skip back; that it was there stays.
func (b *Board) Unskip(on string) {
	b.mu.Lock()
	for i, s := range b.skips {
		if s.On == on && s.Until.IsZero() {
			// The slice is shared with views: it is replaced, not written.
			b.skips = slices.Clone(b.skips)
			s.Until = b.p.Now()
			b.skips[i] = s
			_ = b.putLocked(guide.KindSkip, skipKey(s), s)
		}
	}
	b.mu.Unlock()
	b.changed()
}

func skipKey(s guide.Skipped) string { return s.On + "/" + guide.Stamp(s.Time) }

// known reports whether something of that name can be left out.
func known(on string) bool {
	if slices.Contains(guide.Checks(), guide.CheckID(on)) {
		return true
	}
	return slices.ContainsFunc(track.All(), func(t track.Track) bool {
		_, ok := t.Step(on)
		return ok
	})
}

// Tick answers an item of the tracks or, by a name that begins with "release.", one
// of the release guard, which has no fields. The error is a *texts.InputError.
func (b *Board) Tick(item string, done bool, note string, values map[string]string) error {
	it, ok := track.ItemOf(item)
	if !ok && !ofGuard(item) {
		return bad("item", item, "track.item.unknown")
	}
	t := guide.Tick{Item: item, Done: done, Note: bounded(note, maxNote), Time: b.p.Now()}
	for name, v := range values {
		if !slices.Contains(it.Fields, name) {
			return bad("item."+item, name, "track.field.unknown", "fields", strings.Join(it.Fields, ", "))
		}
		v = bounded(v, maxField)
		if c := it.Choices[name]; v != "" && len(c) > 0 && !slices.Contains(c, v) {
			return bad("item."+item+"."+name, v, "track.field.unknown", "fields", strings.Join(c, ", "))
		}
		if v != "" {
			if t.Values == nil {
				t.Values = map[string]string{}
			}
			t.Values[name] = v
		}
	}
	b.mu.Lock()
	t.Run = b.chosen.Instance
	b.tickLocked(t)
	if twin := twins[item]; twin != "" {
		t.Item = twin
		b.tickLocked(t)
	}
	b.mu.Unlock()
	if item == track.ItemRegion {
		b.rejudge()
	}
	b.changed()
	return nil
}

func (b *Board) tickLocked(t guide.Tick) {
	b.ticks[t.Item] = t
	_ = b.putLocked(guide.KindTick, t.Item, t)
}

// twins are one question that is asked in two places.
var twins = map[string]string{track.ItemSaved: day.TickImage, day.TickImage: track.ItemSaved}

// guardItem begins the names of what the release guard asks; the rest may be a path
// of the host's.
const guardItem = "release."

func ofGuard(item string) bool {
	return strings.HasPrefix(item, guardItem) && len(item) <= 500 && guide.Clean([]byte(item), 0) == item && !strings.ContainsAny(item, "\n\t")
}

// rejudge judges what the answer about regions bears on.
func (b *Board) rejudge() {
	b.mu.Lock()
	same := b.sameRegionLocked()
	var list []guide.Record
	for s, j := range b.latest {
		if strings.HasPrefix(string(s.check), "net.") {
			list = append(list, j.Record)
		}
	}
	b.mu.Unlock()
	for _, r := range list {
		j := judge(r, same)
		b.mu.Lock()
		if s := (slot{r.Track, r.Check}); b.latest[s].Time.Equal(r.Time) {
			b.latest[s] = j
		}
		b.mu.Unlock()
	}
}

// Values returns the settings of runs: the user's own, and for the rest what
// profile and login say.
func (b *Board) Values() run.Values {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.valuesLocked()
}

// SetValue sets a value of runs; "" leaves it to profile and login. The error is a
// *texts.InputError.
func (b *Board) SetValue(name, value string) error {
	v, err := run.CheckValue(name, value)
	if err != nil {
		return bad("value."+name, value, "track.value.bad")
	}
	b.choose(func(c *chosen) {
		if c.Values == nil {
			c.Values = run.Values{}
		}
		c.Values[name] = v
		if v == "" {
			delete(c.Values, name)
		}
	})
	return nil
}
