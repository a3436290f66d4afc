package live

import (
	"context"
	"math"
	"sync"
	"time"

	"rentgen/probe"
)

// What is kept.
const (
	Span    = 6 * time.Hour   // of seconds
	RawSpan = 5 * time.Minute // of every reading

	secondsPerBlock = 900
	rawPerBlock     = 600
	rawSlots        = int(RawSpan/time.Second) * 10 // at most 10 readings a second
	maxEvents       = 200
	maxGaps         = 400
	maxCards        = 256 // remembered of one host, whatever it names
)

// Host is the recent past of one host. It is safe for use from several
// goroutines.
type Host struct {
	mu      sync.RWMutex
	version uint64
	inv     *probe.Inventory
	latest  *probe.Sample
	system  *probe.System
	sysTime time.Time
	seen    map[string]time.Time // when each card that is remembered came last
	procs   map[string]*probe.Processes
	held    map[string]held
	seconds *ring
	raw     *ring
	perSec  float64 // readings in the last second, smoothed; tells a fast rate
	gaps    []probe.Gap
	events  []probe.Event
}

// New returns a host nothing is known of yet.
func New() *Host {
	return &Host{
		seen:    make(map[string]time.Time),
		procs:   make(map[string]*probe.Processes),
		held:    make(map[string]held),
		seconds: newRing(1000, secondsPerBlock, int(Span/time.Second)),
		raw:     newRing(0, rawPerBlock, rawSlots),
	}
}

// Follow takes messages from a subscription until it closes or the context
// ends, and calls arrived after each, which must not wait. It never waits for a
// screen.
func (h *Host) Follow(ctx context.Context, messages <-chan probe.Message, arrived func()) {
	for {
		select {
		case <-ctx.Done():
			return
		case m, ok := <-messages:
			if !ok {
				return
			}
			h.Message(m)
			arrived()
		}
	}
}

// Message takes one message of a look.
func (h *Host) Message(m probe.Message) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch m := m.(type) {
	case *probe.Inventory:
		h.inv = m
	case *probe.Sample:
		h.sample(m)
	case *probe.Event:
		h.events = append(h.events, *m)
		if len(h.events) > maxEvents {
			h.events = append(h.events[:0], h.events[len(h.events)-maxEvents:]...)
		}
	case *probe.Gap:
		h.gaps = append(h.gaps, *m)
		if len(h.gaps) > maxGaps {
			h.gaps = append(h.gaps[:0], h.gaps[len(h.gaps)-maxGaps:]...)
		}
	default:
		return
	}
	h.version++
}

func (h *Host) sample(s *probe.Sample) {
	if h.latest != nil {
		if d := s.Time.Sub(h.latest.Time).Seconds(); d > 0.01 {
			h.perSec += (1/d - h.perSec) / 4
		}
	}
	h.latest = s
	t := s.Time.UnixMilli()
	i, _ := h.seconds.open(t)
	j, _ := h.raw.open(t)
	for k := range s.GPUs {
		g := &s.GPUs[k]
		if !h.remember(g.UUID, s.Time) {
			continue
		}
		for m, v := range g.Values {
			n := float32(v.Float())
			if isNaN(n) {
				continue
			}
			lo, hi := n, n
			if len(g.Spreads) > 0 {
				if sp, ok := g.SpreadOf(probe.Metric(m)); ok {
					lo, hi = float32(sp.Min), float32(sp.Max)
				}
			}
			h.seconds.put(g.UUID, m, i, n, lo, hi)
			h.raw.put(g.UUID, m, j, n, lo, hi)
		}
		if g.Procs != nil {
			h.procs[g.UUID] = g.Procs
			own, other, ok := Shares(g.Procs)
			h.held[g.UUID] = held{own: float32(own), other: float32(other), at: s.Time, ok: ok}
		}
		h.hold(g.UUID, s.Time, i, j)
	}
	if s.System != nil {
		h.system, h.sysTime = s.System, s.Time
		for m, v := range s.System.Values {
			n := float32(v.Float())
			h.seconds.put("", m, i, n, n, n)
		}
	}
}

// remember makes room for a card: where too many are remembered, the one that
// came the longest ago is forgotten with its lines. It is false where all of
// them are of this tick.
func (h *Host) remember(gpu string, now time.Time) bool {
	if _, known := h.seen[gpu]; !known && len(h.seen) >= maxCards {
		oldest, found := "", false
		for id, at := range h.seen {
			if !at.Equal(now) && (!found || at.Before(h.seen[oldest])) {
				oldest, found = id, true
			}
		}
		if !found {
			return false
		}
		delete(h.seen, oldest)
		delete(h.procs, oldest)
		delete(h.held, oldest)
		h.seconds.forget(oldest)
		h.raw.forget(oldest)
	}
	h.seen[gpu] = now
	return true
}

// held is what the processes of the newest list hold. Lists come less often
// than ticks; between two the last one still counts, for a while.
type held struct {
	own, other float32
	at         time.Time
	ok         bool
}

const heldFor = 15 * time.Second

func (h *Host) hold(gpu string, now time.Time, i, j int) {
	v, ok := h.held[gpu]
	if !ok || !v.ok || now.Sub(v.at) > heldFor {
		return
	}
	for c, n := range [derived]float32{v.own, v.other} {
		h.seconds.put(gpu, probe.GPUMetricCount+c, i, n, n, n)
		h.raw.put(gpu, probe.GPUMetricCount+c, j, n, n, n)
	}
}

// Shares adds up what the listed processes hold in MiB: those of this container
// and the others. It is false where the list, or the memory of a listed
// process, can't be read.
func Shares(p *probe.Processes) (own, other float64, ok bool) {
	if p == nil || p.State != probe.OK {
		return math.NaN(), math.NaN(), false
	}
	for _, q := range p.List {
		n, ok := q.Mem.Ok()
		if !ok {
			return math.NaN(), math.NaN(), false
		}
		if q.Own {
			own += n
		} else {
			other += n
		}
	}
	return own, other, true
}
