package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"time"

	"rentgen/app/judge"
	"rentgen/probe"
)

// Messages walks a recording as it was told when it was watched: what the
// reader said of the host first, then samples of whole seconds, events, gaps
// and what changed of the host, by time. From is included and To excluded; zero
// bounds stand for its ends. A gap comes when it is over, before the next
// sample, as it did live; one that reaches beyond the span comes whole.
//
// Of an hour whose seconds are gone no sample comes but a gap of reason
// probe.GapRolled over what its minutes cover: a mean of a minute is no reading, and
// nothing may be judged from it. What was judged before stays in Judged.
//
// An hour is in memory at a time, and the database isn't held between two. A
// recording that isn't there is ErrNotFound.
func (s *Store) Messages(ctx context.Context, recording int64, from, to time.Time) judge.Messages {
	return func(yield func(probe.Message, error) bool) {
		m := merging{s: s, ctx: ctx, recording: recording, yield: yield}
		if err := m.run(from, to); err != nil && !errors.Is(err, errStop) {
			yield(nil, fmt.Errorf("messages of recording %d: %w", recording, named(err)))
		}
	}
}

// merging puts the messages of a recording into their order.
type merging struct {
	s         *Store
	ctx       context.Context
	recording int64
	yield     func(probe.Message, error) bool

	from, to int64 // Unix milliseconds, to excluded
	invs     []probe.Inventory
	gaps     feed[*probe.Gap]
	events   feed[*probe.Event]
	rolled   *probe.Gap
}

// feed is a list of messages by time that is read page by page.
type feed[T probe.Message] struct {
	page []timedMessage[T]
	next func() ([]timedMessage[T], error) // empty at the end
	end  bool
}

type timedMessage[T probe.Message] struct {
	t   int64 // Unix milliseconds
	id  int64
	msg T
}

// pageSizeMessages is how many events or gaps are read at once.
const pageSizeMessages = 1000

// head returns the next message, false at the end.
func (f *feed[T]) head() (timedMessage[T], bool, error) {
	if len(f.page) == 0 && !f.end {
		var err error
		if f.page, err = f.next(); err != nil {
			return timedMessage[T]{}, false, err
		}
		f.end = len(f.page) == 0
	}
	if len(f.page) == 0 {
		return timedMessage[T]{}, false, nil
	}
	return f.page[0], true, nil
}

func (m *merging) run(from, to time.Time) error {
	m.from, m.to = milliBounds(Span{From: from, To: to})
	var err error
	if m.invs, err = m.s.Inventories(m.ctx, m.recording); err != nil {
		return err
	}
	// The first is what held when the span begins.
	for len(m.invs) > 1 && m.invs[1].Time.UnixMilli() <= m.from {
		m.invs = m.invs[1:]
	}
	if err := m.send(&m.invs[0]); err != nil {
		return err
	}
	m.invs = m.invs[1:]
	m.feeds()
	err = m.s.walk(m.ctx, m.recording, from, to, func(h *hourData) error {
		if h.width != 1 {
			return m.coarse(h)
		}
		return h.samples(func(sample *probe.Sample, _ error) bool {
			at := sample.Time.UnixMilli()
			err = m.upTo(at)
			if err == nil {
				err = m.send(sample)
			}
			return err == nil
		})
	})
	if err == nil {
		err = m.upTo(math.MaxInt64)
	}
	return err
}

func (m *merging) send(msg probe.Message) error {
	if !m.yield(msg, nil) {
		return errStop
	}
	return nil
}

func (m *merging) feeds() {
	gapAt, gapID := int64(-1<<62), int64(0)
	m.gaps.next = func() ([]timedMessage[*probe.Gap], error) {
		var list []timedMessage[*probe.Gap]
		err := m.s.each(m.ctx, `SELECT id, uuid, t0, t1, reason FROM gaps WHERE recording=? AND t1>? AND t0<? AND (t1, id)>(?,?)
			ORDER BY t1, id LIMIT ?`, []any{m.recording, m.from, m.to, gapAt, gapID, pageSizeMessages}, func(rows *sql.Rows) error {
			g := &probe.Gap{}
			var id, t0, t1 int64
			if err := rows.Scan(&id, &g.GPU, &t0, &t1, &g.Reason); err != nil {
				return err
			}
			g.From, g.To = fromMilli(t0), fromMilli(t1)
			list = append(list, timedMessage[*probe.Gap]{t1, id, g})
			gapAt, gapID = t1, id
			return nil
		})
		return list, err
	}
	eventAt, eventID := int64(-1<<62), int64(0)
	m.events.next = func() ([]timedMessage[*probe.Event], error) {
		var list []timedMessage[*probe.Event]
		err := m.s.each(m.ctx, `SELECT id, uuid, t, kind, code, text, raw FROM events WHERE recording=? AND t>=? AND t<? AND (t, id)>(?,?)
			ORDER BY t, id LIMIT ?`, []any{m.recording, m.from, m.to, eventAt, eventID, pageSizeMessages}, func(rows *sql.Rows) error {
			e := &probe.Event{}
			var id, t int64
			if err := rows.Scan(&id, &e.GPU, &t, &e.Kind, &e.Code, &e.Text, &e.Raw); err != nil {
				return err
			}
			e.Time = fromMilli(t)
			list = append(list, timedMessage[*probe.Event]{t, id, e})
			eventAt, eventID = t, id
			return nil
		})
		return list, err
	}
}

// upTo sends what came up to a moment, what is of the same moment included.
func (m *merging) upTo(t int64) error {
	for {
		gap, hasGap, err := m.gaps.head()
		if err != nil {
			return err
		}
		event, hasEvent, err := m.events.head()
		if err != nil {
			return err
		}
		hasGap, hasEvent = hasGap && gap.t <= t, hasEvent && event.t <= t
		hasInv := len(m.invs) > 0 && m.invs[0].Time.UnixMilli() <= min(t, m.to-1)
		at := t
		if hasGap {
			at = min(at, gap.t)
		}
		if hasEvent {
			at = min(at, event.t)
		}
		switch {
		case m.rolled != nil && m.rolled.To.UnixMilli() <= at:
			err = m.send(m.rolled)
			m.rolled = nil
		case hasGap && gap.t == at:
			m.gaps.page = m.gaps.page[1:]
			err = m.send(gap.msg)
		case hasInv && m.invs[0].Time.UnixMilli() <= at:
			inv := m.invs[0]
			m.invs = m.invs[1:]
			err = m.send(&inv)
		case hasEvent && event.t == at:
			m.events.page = m.events.page[1:]
			err = m.send(event.msg)
		default:
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// coarse adds an hour of which only rollups are left to the gap that stands for
// them.
func (m *merging) coarse(h *hourData) error {
	var first, last int64
	found := false
	for _, list := range h.entries {
		for _, e := range list {
			t := h.hour*hourSeconds + int64(e.tick.Second)
			if t+h.width <= h.from || t >= h.to {
				continue
			}
			if !found || t < first {
				first = t
			}
			last, found = max(last, t+h.width), true
		}
	}
	if !found {
		return nil
	}
	first, last = max(first, h.from), min(last, h.to)
	g := &probe.Gap{From: time.Unix(first, 0).UTC(), To: time.Unix(last, 0).UTC(), Reason: probe.GapRolled}
	if m.rolled != nil && !g.From.After(m.rolled.To) {
		m.rolled.To = g.To
		return nil
	}
	if m.rolled != nil {
		if err := m.upTo(g.From.UnixMilli()); err != nil {
			return err
		}
	}
	m.rolled = g
	return nil
}
