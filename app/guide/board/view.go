package board

import (
	"errors"
	"reflect"
	"time"

	"rentgen/app/guide"
	"rentgen/app/guide/run"
	"rentgen/app/guide/track"
)

// made is a view and what it was made from.
type made struct {
	view    track.View
	version uint64
	needs   guide.Needs
	at      time.Time
}

// fresh is how long a view may be shown although what it says of ages goes on.
const fresh = time.Minute

// View returns a track as it is shown. It judges nothing.
func (b *Board) View(t guide.Track) track.View {
	needs := b.needs()
	now := b.p.Now()
	b.mu.Lock()
	defer b.mu.Unlock()
	m, ok := b.views[t]
	if ok && m.version == b.version && sameNeeds(m.needs, needs) && now.Sub(m.at) < fresh && !now.Before(m.at) {
		return m.view
	}
	m = made{track.Make(b.paramsLocked(t, needs, now)), b.version, needs, now}
	b.views[t] = m
	return m.view
}

func sameNeeds(a, b guide.Needs) bool {
	a.Cost, b.Cost = nil, nil
	return reflect.DeepEqual(a, b)
}

func (b *Board) paramsLocked(t guide.Track, needs guide.Needs, now time.Time) track.MakeParams {
	values, e := b.valuesLocked(), b.evidenceLocked()
	p := track.MakeParams{
		Track: t, Now: now, Instance: b.chosen.Instance, Profile: b.profileLocked(), Provider: b.providerLocked(),
		LoginHost: b.p.Login.Host, Values: values, Needs: needs, Edits: b.edits, Skips: b.skips, Ticks: b.ticks,
		Latest: map[guide.CheckID]track.Judged{}, Before: map[guide.CheckID]track.Judged{},
		Elsewhere: func(u guide.Track, id guide.CheckID) (track.Judged, bool) {
			j, ok := b.latest[slot{u, id}]
			return j, ok
		},
		Main:     b.trackLocked(),
		Evidence: e.says, Measured: e.measured, Proved: e.proved,
		Def: run.DefOf, Takes: takes,
		Command: func(id guide.CheckID) (text, wants string) { return commandOf(id, t, values) },
		Fault:   b.fault.says,
	}
	for s, j := range b.latest {
		if s.track == t {
			p.Latest[s.check] = j
		}
	}
	for s, j := range b.before {
		if s.track == t {
			p.Before[s.check] = j
		}
	}
	if w := b.work; w != nil {
		for _, l := range w.legs {
			if l.Track == t {
				p.Live = &track.Live{Level: w.plan.Level, Since: w.plan.Since, Checks: l.Checks, Done: map[guide.CheckID]bool{}}
				for _, id := range l.Checks {
					p.Live.Done[id] = w.done[slot{t, id}]
					if w.running[slot{t, id}] {
						p.Live.Running = id
					}
				}
			}
		}
	} else {
		for _, l := range b.missingLocked() {
			if l.Track == t {
				p.Missing = len(l.Checks)
			}
		}
	}
	return p
}

// commandOf returns the command of a check, or the name of the value it lacks.
func commandOf(id guide.CheckID, t guide.Track, v run.Values) (text, wants string) {
	text, err := run.CommandOf(id, t, v)
	if need := (*run.NeedError)(nil); errors.As(err, &need) {
		wants = need.Name
	}
	return text, wants
}
