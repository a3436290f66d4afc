// Package meter counts what hosts cost: sessions from the instance's own start to
// a stop that is known, or a band where it isn't; each second busy, idle or
// unknown; days of the local calendar, months, and what was planned against it.
package meter

import (
	"errors"
	"sync"
	"time"

	"rentgen/app/judge/idle"
	"rentgen/app/purse"
	"rentgen/app/purse/tariff"
	"rentgen/probe"
)

// State is what a card did in a second.
type State uint8

// The states.
const (
	Unknown State = iota
	Busy
	Idle
)

// Classifier tells busy seconds from idle ones. It hears every reading in the
// order of time and says what the second was that ended before it.
type Classifier interface {
	Inventory(inv *probe.Inventory)
	Second(s *probe.Sample) State
}

// judged is Judge's classifier.
type judged struct{ *idle.Classifier }

// Second implements Classifier.
func (j judged) Second(s *probe.Sample) State {
	switch j.Classifier.Second(s) {
	case idle.Busy:
		return Busy
	case idle.Idle:
		return Idle
	}
	return Unknown
}

// Judged makes Judge's classifier.
func Judged() Classifier { return judged{idle.New()} }

var errSession = errors.New("a kept session makes no sense")

// Params say what a meter works with.
type Params struct {
	Tariff   *tariff.Tariff // nil: nobody has said
	Store    purse.Store    // nil: nothing is kept
	Now      func() time.Time
	Zone     *time.Location    // of the days; nil is the system's
	Classify func() Classifier // nil is Judged
}

// Meter counts what one host costs. It is safe for use from several goroutines.
type Meter struct {
	host string
	p    Params
	zone *time.Location

	mu       sync.Mutex
	clock    *tariff.Clock // nil: no price
	sessions []*Session    // by start
	days     days
	budgets  []purse.Entry
	now      cursor // of the live look
	late     cursor // of what is filled in afterwards
	idleRun  int64  // idle seconds since the last busy one
	quiet    int64  // seconds since the last idle one, of the idle run
	resumed  bool   // the idle run was taken up from what was kept
	version  uint64
	glance   glanceKept
	changed  func() // something is to be saved
	dirty    bool
}

// cursor follows one stream of messages.
type cursor struct {
	run      probe.Run
	s        *Session
	inv      *probe.Inventory
	classify Classifier
	second   int64 // the last one that was judged
	state    State
	gap      bool // since then
}

// New makes the meter of a host, with nothing kept read yet.
func New(host string, p Params) *Meter {
	if p.Now == nil {
		p.Now = time.Now
	}
	if p.Zone == nil {
		p.Zone = time.Local
	}
	if p.Classify == nil {
		p.Classify = Judged
	}
	m := &Meter{host: host, p: p, zone: p.Zone, days: days{zone: p.Zone}, changed: func() {}}
	if p.Tariff != nil {
		m.clock = p.Tariff.Clock()
	}
	return m
}

// Message takes the next message of a look.
func (m *Meter) Message(msg probe.Message) { m.take(msg, false) }

// Late takes a message of a stream that fills in afterwards what a live one
// missed; it has its own inventory and order.
func (m *Meter) Late(msg probe.Message) { m.take(msg, true) }

func (m *Meter) take(msg probe.Message, late bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := &m.now
	if late {
		c = &m.late
	}
	switch v := msg.(type) {
	case *probe.Inventory:
		m.inventory(c, v)
	case *probe.Sample:
		m.sample(c, v, late)
	case *probe.Gap:
		if v.GPU == "" {
			c.gap = true
		}
	case *probe.Event:
		if v.Kind == probe.EventNoGPU && c.s != nil && !c.s.NoGPU {
			c.s.NoGPU = true
			m.touch(c.s)
		}
	}
}

// Seen says that the instance runs: for a host that gives no readings.
func (m *Meter) Seen(at time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c := &m.now; c.s != nil {
		m.contact(c.s, m.clip(at))
	}
}

// clip takes a time that lies ahead for now: a clock was set.
func (m *Meter) clip(t time.Time) time.Time {
	t = t.In(m.zone)
	if now := m.p.Now().In(m.zone); t.After(now) {
		return now
	}
	return t
}

func (m *Meter) touch(s *Session) {
	if s != nil {
		s.dirty = true
	}
	m.version++
	if !m.dirty {
		m.dirty = true
		m.changed()
	}
}

// epoch is before any instance that could still be rented; a start before it is a
// clock that nobody has set.
var epoch = time.Date(2015, 1, 1, 0, 0, 0, 0, time.UTC)

func (m *Meter) inventory(c *cursor, inv *probe.Inventory) {
	at, run := m.clip(inv.Time), inv.Run
	if run.Init.Before(epoch) {
		run = probe.Run{}
	}
	var s *Session
	switch {
	case run.BootID != "":
		if s = m.find(run); s == nil && c.s != nil && c.s.run.BootID == "" && c.s.End.IsZero() && run.Init.Before(c.s.First.Add(slack)) {
			s = c.s // the same look knows more now
			s.run, s.Known, s.clocked = run, true, false
			if run.Init.Before(s.Start) {
				s.Start = run.Init.In(m.zone)
			}
		}
	default:
		s = c.s
		if s == nil {
			s = m.latest()
		}
		if s != nil && (!s.End.IsZero() || at.Sub(s.Last) > same) {
			s = nil
		}
	}
	if s == nil {
		s = &Session{Start: at, First: at, Last: at, run: run}
		if run.BootID != "" {
			s.Known = true
			if start := run.Init.In(m.zone); start.Before(at) {
				s.Start = start
			}
		}
		s.key = m.freeKey(s.Start)
		m.sessions = append(m.sessions, s)
	}
	if c.s != s {
		c.second, c.state, c.classify = 0, Unknown, nil
	}
	c.run, c.s, c.inv = run, s, inv
	if c.classify != nil {
		c.classify.Inventory(inv)
	}
	if inv.Mode == probe.ModeNoGPU || inv.Mode == probe.ModeGPU {
		s.NoGPU = inv.Mode == probe.ModeNoGPU
	}
	m.contact(s, at)
	m.bound()
	m.touch(s)
}

// freeKey is the key of a session that begins at a time; no two have one.
func (m *Meter) freeKey(t time.Time) string {
	key := stamp(t)
	for i := 0; i < len(m.sessions); i++ {
		if m.sessions[i].key == key {
			t = t.Add(time.Millisecond)
			key, i = stamp(t), -1
		}
	}
	return key
}

// latest is the session that was seen last.
func (m *Meter) latest() *Session {
	var l *Session
	for _, s := range m.sessions {
		if l == nil || s.Last.After(l.Last) {
			l = s
		}
	}
	return l
}

// contact notes that the instance ran at a moment.
func (m *Meter) contact(s *Session, at time.Time) {
	if at.Before(s.First) {
		s.First = at
		if s.First.Before(s.Start) {
			s.Start = s.First
		}
	}
	if s.Last.Sub(m.p.Now()) > slack {
		s.Last = at // the clock had been wrong, and was set back
	}
	if at.After(s.Last) {
		s.Last = at
	}
	if !s.End.IsZero() && at.Sub(s.End) > slack {
		s.End, s.By = time.Time{}, "" // it runs: it had not stopped
	}
	if !s.Until.IsZero() && s.Last.After(s.Until) {
		m.bound()
	}
}

func (m *Meter) sample(c *cursor, smp *probe.Sample, late bool) {
	if c.s == nil {
		m.inventory(c, &probe.Inventory{Time: smp.Time})
	}
	s, at := c.s, m.clip(smp.Time)
	if !s.clocked {
		s.clocked = true
		if off := smp.HostTime.Sub(smp.Time); s.Known && !smp.HostTime.IsZero() && (off > 2*time.Second || off < -2*time.Second) {
			// The start was read on a clock that differs from the laptop's.
			if start := s.run.Init.Add(-off).In(m.zone); start.Before(s.First) {
				s.Start = start
			} else {
				s.Start = s.First
			}
			m.bound()
		}
		m.touch(s)
	}
	second := at.Unix()
	if c.classify == nil || second < c.second {
		c.classify, c.gap = m.p.Classify(), true
		if c.inv != nil {
			c.classify.Inventory(c.inv)
		}
	}
	state := c.classify.Second(smp)
	if second == c.second && s.Last.Unix() == second {
		return
	}
	m.contact(s, at)
	if second == c.second {
		return
	}
	// A reading a second jitters: one or two skipped seconds between two that were
	// alike were like them.
	if !c.gap && state == c.state && second-c.second <= 3 {
		for t := c.second; t < second-1; t++ {
			m.second(t, state, !late)
		}
	}
	if second > s.Start.Unix() {
		m.second(second-1, state, !late) // a reading is of the second that ends with it
	}
	c.second, c.state, c.gap = second, state, false
	m.touch(s)
}

// maxQuiet is for how many seconds an idle span goes on without knowing.
const maxQuiet = 300

// second notes what a second was.
func (m *Meter) second(t int64, state State, live bool) {
	d := m.days.at(t)
	if d == nil {
		return
	}
	if live && !m.resumed {
		m.resumed = true
		m.idleRun, m.quiet = m.idleBefore(t)
	}
	d.set(t, [...]byte{unsure, wasBusy, wasIdle}[min(state, Idle)])
	if !live {
		return
	}
	switch state {
	case Busy:
		m.idleRun, m.quiet = 0, 0
	case Idle:
		m.idleRun, m.quiet = m.idleRun+1, 0
	default:
		if m.quiet++; m.quiet > maxQuiet {
			m.idleRun = 0
		}
	}
}

// idleBefore takes up the idle span that ended at a moment, of which a restart of
// this program forgot; quiet are the seconds since its last idle one.
func (m *Meter) idleBefore(t int64) (run, quiet int64) {
	hole := int64(0)
	for back := t - 1; back > t-30*86400; back-- {
		if !m.days.last.holds(back) {
			known := false
			for _, d := range m.days.list {
				known = known || d.holds(back)
			}
			if !known {
				break
			}
		}
		d := m.days.at(back)
		switch d.open()[back-d.from] {
		case wasIdle:
			if run == 0 {
				quiet = hole
			}
			run, hole = run+1, 0
		case wasBusy:
			return run, quiet
		default:
			if hole++; hole > maxQuiet {
				return run, quiet
			}
		}
	}
	return run, quiet
}
