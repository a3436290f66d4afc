package meter

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"rentgen/app/bill/offer"
	"rentgen/app/purse"
	"rentgen/app/purse/tariff"
	"rentgen/assets/texts"
)

// kindTold is a stop as a person or a bill told it; key is its time, unix ms. It
// stands beside the session, which the window may be writing at that moment.
const kindTold = "told"

type toldJSON struct {
	At time.Time `json:"at"`
	By By        `json:"by"`
}

func toldEntry(host string, at time.Time, by By) purse.Entry {
	b, _ := json.Marshal(toldJSON{at.UTC(), by}) // two plain values
	return purse.Entry{Host: host, Kind: kindTold, Key: stamp(at), Time: at.UTC(), Body: b}
}

// stopOf reads a stop that was told, or one of the stop guard; what the guard only
// would have stopped is none.
func stopOf(e purse.Entry) (by By, at time.Time, ok bool) {
	if e.Kind == kindTold {
		var j toldJSON
		if json.Unmarshal(e.Body, &j) != nil || j.At.IsZero() {
			return "", time.Time{}, false
		}
		return j.By, j.At, true
	}
	var j struct {
		Dry    bool `json:"dry"`
		DryRun bool `json:"dry_run"`
	}
	if json.Unmarshal(e.Body, &j) != nil || j.Dry || j.DryRun || e.Time.IsZero() {
		return "", time.Time{}, false
	}
	return ByGuard, e.Time, true
}

// Stopped notes when a host's instance stopped, and how that is known. The error
// is an offer.InputErrors where no session can have ended then.
func (b *Book) Stopped(ctx context.Context, host string, at time.Time, by By) error {
	m, ok := b.known(host)
	if !ok {
		return stopError(at, time.Time{}, time.Time{})
	}
	from, to, err := m.stopped(at, by)
	if err != nil || b.p.Store == nil {
		return err
	}
	// What was said of this session before is taken back.
	old, err := b.p.Store.PurseEntries(ctx, purse.Filter{Host: host, Kind: kindTold, From: from, To: to.Add(time.Second)})
	if err != nil {
		return fmt.Errorf("read the stops of a host: %w", err)
	}
	var keys []string
	for _, e := range old {
		keys = append(keys, e.Key)
	}
	if len(keys) > 0 {
		if err := b.p.Store.DeletePurseEntries(ctx, host, kindTold, keys...); err != nil {
			return fmt.Errorf("take a stop back: %w", err)
		}
	}
	e := toldEntry(host, at, by)
	if err := b.p.Store.SavePurseEntries(ctx, e); err != nil {
		return fmt.Errorf("keep a stop: %w", err)
	}
	b.newlyTold(e)
	return b.Flush(ctx)
}

// strength orders the ways in which a stop is known.
var strength = map[By]int{ByGuard: 1, ByUser: 2, ByBill: 3}

// stopped notes a stop of the latest session that can have ended then, and
// returns the span in which that session can have ended. A moment a little before
// the last reading is that reading: clocks differ.
func (m *Meter) stopped(at time.Time, by By) (from, to time.Time, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	at = at.In(m.zone)
	now := m.p.Now()
	if at.Sub(now) > slack {
		return from, to, stopError(at, time.Time{}, now)
	}
	var last *Session
	for _, s := range slices.Backward(m.sessions) {
		if s.Start.After(at) {
			continue
		}
		if last == nil {
			last = s
		}
		if s.Last.Sub(at) > slack || !s.Until.IsZero() && at.Sub(s.Until) > slack {
			continue
		}
		to = now
		if !s.Until.IsZero() {
			to = s.Until
		}
		if strength[s.By] > strength[by] {
			return s.Last, to, nil // known better
		}
		if at.Before(s.Last) {
			at = s.Last
		}
		if !s.Until.IsZero() && s.Until.Before(at) {
			at = s.Until
		}
		if !s.End.Equal(at) || s.By != by {
			s.End, s.By = at, by
			m.bound()
			m.touch(s)
		}
		return s.Last, to, nil
	}
	if last == nil {
		return from, to, stopError(at, time.Time{}, time.Time{})
	}
	return from, to, stopError(at, last.Last, last.Ends(now)[tariff.High])
}

// stopError says between which moments a stop can have been.
func stopError(at, from, to time.Time) error {
	when := func(t time.Time) any {
		return func(c *texts.Catalogue) string { return texts.DateTime(c, t) }
	}
	allowed := texts.P("purse.allowed.at.none")
	switch {
	case !from.IsZero():
		allowed = texts.P("purse.allowed.at", "from", when(from), "to", when(to))
	case !to.IsZero():
		allowed = texts.P("purse.allowed.at.past")
	}
	return offer.InputErrors{{Field: "at", Value: at.Format(time.DateTime), Allowed: allowed}}
}

// stop is when the last session stopped.
func (m *Meter) stop() (at time.Time, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.current()
	if s == nil || s.End.IsZero() {
		return time.Time{}, false
	}
	return s.End, true
}
