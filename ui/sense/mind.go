package sense

import (
	"slices"
	"sync"
	"time"

	"rentgen/app/judge"
	"rentgen/app/judge/court"
	"rentgen/probe"
)

// judgeEvery is how often the verdicts of now are worked out anew: they stand
// on phases of a minute and more.
const judgeEvery = 2 * time.Second

// mostShown is how many verdicts of a host the places hold.
const mostShown = 200

// mind is what is made of one host's readings.
type mind struct {
	mu       sync.Mutex
	court    *court.Court
	inv      *probe.Inventory
	last     *probe.Sample
	from     time.Time // of the first reading
	judged   time.Time
	verdicts []judge.Verdict // oldest first; never changed in place
	now      []judge.Verdict // of now, the one that matters most first
	version  uint64
	looks    map[*look]struct{}
}

func (s *Sense) mind(h Host) *mind {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.minds[h.ID]
	if m == nil {
		m = &mind{court: court.New(court.Params{Setting: judge.Setting{Track: h.Track, Earlier: s.phases}})}
		s.minds[h.ID] = m
	}
	return m
}

// known is the mind of a host that readings came of, nil for none.
func (s *Sense) known(host string) *mind {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.minds[host]
}

// add takes a message and reports whether there may be other verdicts.
func (m *mind) add(msg probe.Message, now time.Time) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.court.Add(msg)
	for l := range m.looks {
		l.hear(msg)
	}
	switch msg := msg.(type) {
	case *probe.Inventory:
		m.inv = msg
	case *probe.Sample:
		m.last = msg
		if m.from.IsZero() {
			m.from = msg.Time
		}
		if since := now.Sub(m.judged); since >= 0 && since < judgeEvery {
			return false
		}
	}
	m.judged = now
	m.now = m.court.Now()
	all := m.court.Verdicts()
	if n := len(all) - mostShown; n > 0 {
		all = all[n:]
	}
	m.verdicts = slices.Clone(all)
	m.version++
	return true
}

// Verdicts returns a host's verdicts since the window opened, oldest first, and
// a version that rises when they change. The slice must not be changed.
func (s *Sense) Verdicts(host string) ([]judge.Verdict, uint64) {
	m := s.known(host)
	if m == nil {
		return nil, 0
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.verdicts, m.version
}

// Holding returns the verdicts of now, the one that matters most first.
func (s *Sense) Holding(host string) []judge.Verdict {
	m := s.known(host)
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.now
}
