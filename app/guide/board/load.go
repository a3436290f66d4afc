package board

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"rentgen/app/guide"
	"rentgen/app/guide/run"
	"rentgen/app/provider"
)

// Load takes in what was kept for the host and judges the records anew. What was
// found or chosen since New stays where it is newer. An entry that can't be read
// is left as it is and named in the error; the rest is taken.
func (b *Board) Load(ctx context.Context) error {
	if b.p.Store == nil {
		return nil
	}
	list, err := b.p.Store.GuideEntries(ctx, b.p.Host)
	if err != nil {
		return fmt.Errorf("read what Set up kept of the host: %w", err)
	}
	l := loaded{}
	for _, e := range list {
		if err := l.read(e); err != nil {
			l.errs = append(l.errs, fmt.Errorf("%s %q: %w", e.Kind, e.Key, err))
		}
	}
	b.mu.Lock()
	l.region = b.sameRegionLocked()
	b.mu.Unlock()
	for i, r := range l.records {
		l.judged = append(l.judged, judge(r, l.region))
		if i%8 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	l.judgePast()
	b.mu.Lock()
	b.mergeLocked(list, l)
	b.mu.Unlock()
	b.rejudge()
	b.changed()
	return errors.Join(l.errs...)
}

// loaded is what entries hold.
type loaded struct {
	chosen  *chosen
	chosenT time.Time
	plan    *plan
	records []guide.Record // the latest
	judged  []judged
	past    []guide.Record
	before  map[slot]judged
	skips   []guide.Skipped
	ticks   []guide.Tick
	edits   map[guide.CheckID]string
	region  *bool
	errs    []error
}

func (l *loaded) read(e guide.Entry) error {
	switch e.Kind {
	case guide.KindTrack:
		l.chosenT = e.Time
		err := into(e, &l.chosen)
		l.chosen.check()
		return err
	case guide.KindRun:
		err := into(e, &l.plan)
		l.plan.check()
		return err
	case guide.KindCheck:
		return onto(e, &l.records)
	case guide.KindPast:
		return onto(e, &l.past)
	case guide.KindSkip:
		return onto(e, &l.skips)
	case guide.KindTick:
		return onto(e, &l.ticks)
	case guide.KindEdit:
		var c string
		if err := json.Unmarshal(e.Body, &c); err != nil {
			return err
		}
		if l.edits == nil {
			l.edits = map[guide.CheckID]string{}
		}
		l.edits[guide.CheckID(e.Key)] = c
	}
	return nil
}

// check takes out what is no longer known or may not be used.
func (c *chosen) check() {
	if c == nil {
		return
	}
	if !slices.Contains(guide.Tracks(), c.Track) {
		c.Track = ""
	}
	if _, ok := provider.ProfileOf(c.Provider); !ok {
		c.Provider = ""
	}
	for name, v := range c.Values {
		if _, err := run.CheckValue(name, v); err != nil {
			delete(c.Values, name)
		}
	}
}

// check takes out what is no longer known.
func (p *plan) check() {
	if p == nil {
		return
	}
	p.Legs = slices.DeleteFunc(p.Legs, func(l leg) bool { return !slices.Contains(guide.Tracks(), l.Track) })
	for i, l := range p.Legs {
		p.Legs[i].Checks = slices.DeleteFunc(l.Checks, func(id guide.CheckID) bool { return !slices.Contains(guide.Checks(), id) })
	}
}

func into[T any](e guide.Entry, to **T) error {
	var v T
	if err := json.Unmarshal(e.Body, &v); err != nil {
		return err
	}
	*to = &v
	return nil
}

func onto[T any](e guide.Entry, to *[]T) error {
	var v T
	if err := json.Unmarshal(e.Body, &v); err != nil {
		return err
	}
	*to = append(*to, v)
	return nil
}

// judgePast finds the last record of a check that was no pass, before the latest.
func (l *loaded) judgePast() {
	l.before = map[slot]judged{}
	slices.SortFunc(l.past, func(x, y guide.Record) int { return y.Time.Compare(x.Time) })
	for _, r := range l.past {
		s := slot{r.Track, r.Check}
		if _, ok := l.before[s]; ok {
			continue
		}
		if j := judge(r, nil); j.Outcome.Verdict != guide.Pass {
			l.before[s] = j
		}
	}
}

// mergeLocked takes in what was kept, where nothing newer is there.
func (b *Board) mergeLocked(list []guide.Entry, l loaded) {
	for _, e := range list {
		if _, ok := b.entries[e.Kind][e.Key]; !ok {
			b.noteLocked(e)
		}
	}
	if l.chosen != nil && b.entries[guide.KindTrack][""].Time.Equal(l.chosenT) {
		b.chosen = *l.chosen
	}
	if l.plan != nil && b.plan == nil && b.work == nil {
		b.plan = l.plan
	}
	for _, j := range l.judged {
		s := slot{j.Track, j.Check}
		if old, ok := b.latest[s]; !ok || old.Time.Before(j.Time) {
			b.latest[s] = j
		}
	}
	for s, j := range l.before {
		if _, ok := b.before[s]; !ok {
			b.before[s] = j
		}
	}
	for _, s := range l.skips {
		if !slices.ContainsFunc(b.skips, func(o guide.Skipped) bool { return o.On == s.On && o.Time.Equal(s.Time) }) {
			b.skips = append(b.skips, s)
		}
	}
	slices.SortFunc(b.skips, func(x, y guide.Skipped) int { return x.Time.Compare(y.Time) })
	for _, t := range l.ticks {
		if _, ok := b.ticks[t.Item]; !ok {
			b.ticks[t.Item] = t
		}
	}
	for id, c := range l.edits {
		if _, ok := b.edits[id]; !ok {
			b.edits[id] = c
		}
	}
}
