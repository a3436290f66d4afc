package live

import (
	"time"

	"rentgen/probe"
)

// Version grows with every message; an unchanged one means that there is
// nothing to draw.
func (h *Host) Version() uint64 {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.version
}

// Inventory returns the newest inventory, nil before the first.
func (h *Host) Inventory() *probe.Inventory {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.inv
}

// Latest returns the newest reading, nil before the first, and the newest
// reading of the machine, which comes with whole seconds only.
func (h *Host) Latest() (*probe.Sample, *probe.System) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.latest, h.system
}

// GPU returns the newest reading of a card.
func (h *Host) GPU(uuid string) (*probe.GPU, bool) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	if h.latest == nil {
		return nil, false
	}
	for i := range h.latest.GPUs {
		if h.latest.GPUs[i].UUID == uuid {
			return &h.latest.GPUs[i], true
		}
	}
	return nil, false
}

// Processes returns the newest process list of a card, nil before the first.
func (h *Host) Processes(uuid string) *probe.Processes {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.procs[uuid]
}

// Newest returns the time of the newest reading; zero before the first.
func (h *Host) Newest() time.Time {
	h.mu.RLock()
	defer h.mu.RUnlock()
	if h.latest == nil {
		return time.Time{}
	}
	return h.latest.Time
}

// Value returns the newest value of a column: Pending before the first reading.
func (h *Host) Value(gpu string, c Column) probe.Value {
	if c == MemOwn || c == MemOther {
		list := h.Processes(gpu)
		own, other, ok := Shares(list)
		if !ok {
			return unshared(list)
		}
		if c == MemOwn {
			return probe.Of(own)
		}
		return probe.Of(other)
	}
	m, ok := c.Metric()
	if !ok {
		return probe.Missing(probe.Unsupported, "")
	}
	if m.System() {
		_, s := h.Latest()
		if s == nil {
			return probe.Value{}
		}
		return s.Get(m)
	}
	g, ok := h.GPU(gpu)
	if !ok {
		return probe.Value{}
	}
	return g.Get(m)
}

// unshared says why a list does not tell what processes hold: the list's own
// state, or that of the first memory in it that can't be read.
func unshared(p *probe.Processes) probe.Value {
	if p == nil {
		return probe.Missing(probe.Pending, "")
	}
	if p.State != probe.OK {
		return probe.Missing(p.State, p.Raw)
	}
	for _, q := range p.List {
		if _, ok := q.Mem.Ok(); !ok {
			return q.Mem
		}
	}
	return probe.Missing(probe.Pending, "")
}

// Track returns a column of [from, to] with about points points at most; 0
// means all. Readings faster than one a second show where the five minutes of
// raw readings hold the whole span. gpu is "" for the machine.
func (h *Host) Track(gpu string, c Column, from, to time.Time, points int) Track {
	return h.TrackInto(Track{}, gpu, c, from, to, points)
}

// TrackInto is Track into the memory of a former one.
func (h *Host) TrackInto(buf Track, gpu string, c Column, from, to time.Time, points int) Track {
	slot, ok := c.slot()
	if !ok {
		return buf.reset()
	}
	h.mu.RLock()
	defer h.mu.RUnlock()
	a, b := from.UnixMilli(), to.UnixMilli()
	if gpu != "" && h.perSec > 1.2 && h.rawHolds(a) {
		return h.raw.track(buf, gpu, slot, a, b, points)
	}
	return h.seconds.track(buf, gpu, slot, a, b, points)
}

// rawHolds reports whether the raw readings begin before from, or hold all
// there is.
func (h *Host) rawHolds(from int64) bool {
	if len(h.raw.stamps) == 0 {
		return false
	}
	first := h.raw.stamps[0]
	return from >= first || len(h.seconds.stamps) > 0 && h.seconds.stamps[0]+1000 >= first
}

// Gaps returns the gaps that touch [from, to] of the whole host and of the
// card, or of the host alone where gpu is "".
func (h *Host) Gaps(gpu string, from, to time.Time) []probe.Gap {
	h.mu.RLock()
	defer h.mu.RUnlock()
	var out []probe.Gap
	for _, g := range h.gaps {
		if g.GPU != "" && g.GPU != gpu {
			continue
		}
		if g.From.After(to) || (!g.To.IsZero() && g.To.Before(from)) {
			continue
		}
		out = append(out, g)
	}
	return out
}

// Events returns the events of [from, to], oldest first: those of the host and
// of the card, or of all cards where gpu is "".
func (h *Host) Events(gpu string, from, to time.Time) []probe.Event {
	h.mu.RLock()
	defer h.mu.RUnlock()
	var out []probe.Event
	for _, e := range h.events {
		if gpu != "" && e.GPU != "" && e.GPU != gpu {
			continue
		}
		if e.Time.Before(from) || e.Time.After(to) {
			continue
		}
		out = append(out, e)
	}
	return out
}

// Rate returns about how many readings a second arrive; 0 before the second.
func (h *Host) Rate() float64 {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.perSec
}

// Cards returns the cards to show, in the driver's order: MIG instances take
// the place of their card.
func (h *Host) Cards() []probe.Device {
	h.mu.RLock()
	defer h.mu.RUnlock()
	if h.inv == nil {
		return nil
	}
	parents := make(map[string]bool)
	for _, d := range h.inv.GPUs {
		if d.Parent != "" {
			parents[d.Parent] = true
		}
	}
	out := make([]probe.Device, 0, len(h.inv.GPUs))
	for _, d := range h.inv.GPUs {
		if !parents[d.UUID] {
			out = append(out, d)
		}
	}
	return out
}
