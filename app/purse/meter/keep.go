package meter

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"rentgen/app/money"
	"rentgen/app/purse"
	"rentgen/app/purse/tariff"
)

// restore reads kept sessions and days. What is known from messages already stays.
func (m *Meter) restore(entries []purse.Entry) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, e := range entries {
		switch e.Kind {
		case purse.KindSession:
			s, err := readSession(e)
			if err != nil || slices.ContainsFunc(m.sessions, func(o *Session) bool { return o.key == s.key }) {
				continue
			}
			s.Start, s.First, s.Last = s.Start.In(m.zone), s.First.In(m.zone), s.Last.In(m.zone)
			if o := m.find(s.run); o != nil {
				m.join(o, s)
				continue
			}
			m.sessions = append(m.sessions, s)
		case purse.KindDay:
			d, err := readDay(e)
			if err != nil {
				continue
			}
			m.restoreDay(d)
		}
	}
	m.bound()
	m.days.rest(m.p.Now().Unix())
	m.version++
}

// join puts what was kept of a run into the session that messages began anew.
func (m *Meter) join(o, kept *Session) {
	o.key = kept.key
	if kept.Start.Before(o.Start) {
		o.Start = kept.Start
	}
	if kept.First.Before(o.First) {
		o.First = kept.First
	}
	if kept.Last.After(o.Last) {
		o.Last = kept.Last
	}
	o.dirty = true
}

func (m *Meter) restoreDay(d *day) {
	i, found := slices.BinarySearchFunc(m.days.list, d.from, func(o *day, t int64) int { return int(o.from - t) })
	if !found && (i == 0 || m.days.list[i-1].to <= d.from) && (i == len(m.days.list) || d.to <= m.days.list[i].from) {
		m.days.list = slices.Insert(m.days.list, i, d)
		return
	}
	// Messages came first: second by second.
	for j, s := range d.open() {
		if s != unseen {
			if to := m.days.at(d.from + int64(j)); to != nil {
				to.set(d.from+int64(j), s)
			}
		}
	}
}

// unsaved returns what has changed; settle is told whether it was kept.
func (m *Meter) unsaved() (entries []purse.Entry, settle func(kept bool), err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.p.Now()
	var sessions []*Session
	var ds []*day
	keep := func(e purse.Entry, failed error) {
		if failed != nil && err == nil {
			err = failed
		}
		entries = append(entries, e)
	}
	for _, s := range m.sessions {
		if s.dirty {
			s.dirty = false
			sessions = append(sessions, s)
			keep(s.entry(m.host))
		}
	}
	for _, d := range m.days.list {
		if !d.dirty {
			continue
		}
		d.dirty = false
		ds = append(ds, d)
		rented := int64(0)
		for _, s := range m.sessions {
			rented += s.rented(time.Unix(d.from, 0), time.Unix(d.to, 0), now)
		}
		keep(d.entry(m.host, rented))
	}
	m.dirty = false
	return entries, func(kept bool) {
		m.mu.Lock()
		defer m.mu.Unlock()
		if kept {
			m.days.rest(now.Unix())
			return
		}
		m.dirty = true
		for _, s := range sessions {
			s.dirty = true
		}
		for _, d := range ds {
			d.dirty = true
		}
	}, err
}

// Tariff is what the host costs; ok is false where nobody has said.
func (m *Meter) Tariff() (t tariff.Tariff, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.clock == nil {
		return tariff.Tariff{}, false
	}
	return m.clock.Tariff(), true
}

// price takes a tariff. One that was said before the one in use changes nothing.
func (m *Meter) price(t tariff.Tariff) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.clock != nil && !t.Since.After(m.clock.Tariff().Since) {
		return
	}
	m.clock = t.Clock()
	m.bound()
	m.version++
}

func (m *Meter) spend(budgets []purse.Entry) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.budgets = budgets
	m.version++
}

// budget is the limit of a month: the host's own, else that of all hosts.
func (m *Meter) budget(c money.Currency) (limit *money.Rat, ofAll bool) {
	for _, e := range m.budgets {
		if !strings.EqualFold(e.Key, string(c)) || e.Host != m.host && e.Host != "" || limit != nil && e.Host == "" {
			continue
		}
		var b Budget
		if json.Unmarshal(e.Body, &b) == nil && b.Limit.Sign() > 0 {
			limit, ofAll = &b.Limit, e.Host == ""
		}
	}
	return limit, ofAll
}
