package stream

import (
	"time"

	"rentgen/probe"
)

// tracker numbers ticks, finds the spans nothing is known of, and carries
// forward what is read less often than every tick.
type tracker struct {
	seq  uint64
	last time.Time // of the last tick given on, laptop's UTC

	// of the reader under way
	fresh    bool // no tick of it yet
	hostSeq  uint64
	hostMono time.Duration

	// broken says why the next tick does not follow the last.
	broken probe.GapReason
	told   time.Time // end of a gap that the reader reported itself

	cards    map[string]*card
	system   *probe.System
	systemAt time.Time

	queue   probe.Value // what FollowQueue heard last
	queueAt time.Time
}

// card is what is remembered of one card between ticks.
type card struct {
	last  time.Time // of its last reading
	lost  bool
	procs *probe.Processes
	procd time.Time
	slow  [probe.GPUMetricCount]probe.Value
}

const (
	systemAge  = 3 * time.Second  // the machine is read once a second
	processAge = 20 * time.Second // processes every few seconds
)

// restart is called when a new reader begins.
func (t *tracker) restart() {
	t.fresh, t.hostSeq, t.hostMono = true, 0, 0
	for _, c := range t.cards {
		c.procs, c.slow = nil, [probe.GPUMetricCount]probe.Value{}
	}
	t.system = nil
}

// reset forgets the cards: the instance is another run.
func (t *tracker) reset() { t.cards = nil }

// breakFor notes why ticks stop; the first reason of a break holds, since what
// follows is its consequence.
func (t *tracker) breakFor(r probe.GapReason) {
	if t.broken == "" {
		t.broken = r
	}
}

// sample takes a tick stamped with the laptop's UTC and returns the gaps that
// end with it. period is the time between two ticks as asked for.
func (t *tracker) sample(s *probe.Sample, period time.Duration) (gaps []*probe.Gap) {
	if !t.last.IsZero() && !s.Time.After(t.last) {
		s.Time = t.last.Add(time.Millisecond) // slewing or a set clock; order holds
	}
	reason := t.broken
	if !t.fresh && reason == "" {
		switch {
		case s.Seq > t.hostSeq+1 && t.hostSeq > 0:
			reason = probe.GapLink // dropped on the host because the link was blocked
		case s.Seq != 0 && s.Seq <= t.hostSeq:
			reason = probe.GapAgent
		case s.Mono > 0 && s.Mono-t.hostMono > 3*period+2*time.Second,
			s.Mono == 0 && s.Time.Sub(t.last) > 3*period+2*time.Second:
			reason = probe.GapHost // the machine stood still
		}
	}
	if reason != "" && !t.told.After(t.last) && !t.last.IsZero() && s.Time.Sub(t.last) > period*3/2 {
		gaps = append(gaps, &probe.Gap{From: t.last, To: s.Time, Reason: reason})
	}
	t.fresh, t.broken = false, ""
	t.hostSeq, t.hostMono = s.Seq, s.Mono
	t.seq++
	s.Seq, t.last = t.seq, s.Time
	gaps = append(gaps, t.track(s)...)
	t.carry(s)
	return gaps
}

// track finds cards that came back after ticks without a reading.
func (t *tracker) track(s *probe.Sample) (gaps []*probe.Gap) {
	if t.cards == nil {
		t.cards = make(map[string]*card)
	}
	seen := make(map[string]bool, len(s.GPUs))
	for i := range s.GPUs {
		g := &s.GPUs[i]
		if !readable(g) {
			continue
		}
		seen[g.UUID] = true
		c := t.cards[g.UUID]
		if c == nil {
			if len(t.cards) >= maxCards && !t.forgetOldest(s.Time) {
				continue
			}
			c = &card{}
			t.cards[g.UUID] = c
		}
		if c.lost {
			c.lost = false
			gaps = append(gaps, &probe.Gap{From: c.last, To: s.Time, Reason: probe.GapGPU, GPU: g.UUID})
		}
		c.last = s.Time
	}
	for id, c := range t.cards {
		if !seen[id] {
			c.lost = true
		}
	}
	return gaps
}

// maxCards bounds the cards that are remembered of one host; a host that names
// others with every tick must not fill the laptop's memory.
const maxCards = 256

// forgetOldest forgets the card that was read the longest ago; false where
// all of them are of this tick.
func (t *tracker) forgetOldest(now time.Time) bool {
	oldest, at := "", now
	for id, c := range t.cards {
		if c.last.Before(at) {
			oldest, at = id, c.last
		}
	}
	if at.Equal(now) {
		return false
	}
	delete(t.cards, oldest)
	return true
}

// readable reports whether a tick has a reading of the card that is not just
// what stays the same.
func readable(g *probe.GPU) bool {
	for m := range probe.Metric(probe.GPUMetricCount) {
		if m != probe.MemTotal && !m.Info().Slow && g.Values[m].State == probe.OK {
			return true
		}
	}
	return false
}

// jobs says how long the queue is, unless the reader itself knew.
func (t *tracker) jobs(s *probe.Sample) {
	if s.System.Get(probe.Queue).State == probe.OK {
		return
	}
	v := probe.Missing(probe.Unsupported, "")
	if age := s.Time.Sub(t.queueAt); t.queue.State == probe.OK && age < queueAge && age > -queueAge {
		v = t.queue
	}
	s.System.Set(probe.Queue, v)
}

// carry fills what this tick did not read with the last reading, as long as it
// is still true enough.
func (t *tracker) carry(s *probe.Sample) {
	if s.System != nil {
		t.jobs(s)
		t.system, t.systemAt = s.System, s.Time
	} else if t.system != nil && s.Time.Sub(t.systemAt) <= systemAge {
		s.System = t.system
	}
	for i := range s.GPUs {
		g := &s.GPUs[i]
		c := t.cards[g.UUID]
		if c == nil {
			continue
		}
		if g.Procs != nil {
			c.procs, c.procd = g.Procs, s.Time
		} else if c.procs != nil && !c.lost && s.Time.Sub(c.procd) <= processAge {
			g.Procs = c.procs
		}
		g.Attribute()
		for m := range probe.Metric(probe.GPUMetricCount) {
			if !m.Info().Slow {
				continue
			}
			if g.Values[m].State != probe.Pending {
				c.slow[m] = g.Values[m]
			} else if !c.lost {
				g.Values[m] = c.slow[m]
			}
		}
	}
}
