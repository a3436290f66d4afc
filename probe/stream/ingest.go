package stream

import (
	"time"

	"rentgen/probe"
)

// reading is one way of reading a host, from its start to its end.
type reading struct {
	source         probe.Source
	reason, detail string
	agent          string // version and hash of our program
	report         *report
	rate           float64 // ticks a second; 0: as asked for
	noLibrary      string  // what NVML said when it could not be opened
	clock          hostClock
	heard          time.Duration // laptop's monotonic time of the last sign of life
	ticked         time.Duration // and of the last tick
	woken          time.Duration // and of the last wake of the laptop
	ahead          time.Duration // host's wall clock ahead of the laptop's
	over           bool          // what still arrives comes too late
	// ready is closed when the clock was measured and the first reading came.
	ready    chan struct{}
	measured bool
	first    time.Time // of the first reading given on
}

// prepared closes ready when all of it is there; the caller holds the lock.
func (rd *reading) prepared() {
	if rd.ready == nil || !rd.measured || rd.first.IsZero() {
		return
	}
	select {
	case <-rd.ready:
	default:
		close(rd.ready)
	}
}

// begin makes rd the reading under way.
func (h *Host) begin(rd *reading) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.clock.Mono()
	rd.heard, rd.ticked = now, now
	rd.ready, h.reading = make(chan struct{}), rd
	before := h.st.Source
	h.track.restart()
	h.updateLocked(func(s *State) {
		s.Source, s.Reason, s.Detail = rd.source, rd.reason, rd.detail
		s.Offset, s.RTT = 0, 0
		if s.Phase == Connecting {
			s.Stage = StageFirstReading
		}
	})
	unasked := rd.source == probe.SourceSMI && rd.reason != probe.ReasonAsked
	if before != rd.source && (before != "" || unasked) {
		text := "readings are taken by our program"
		if rd.source == probe.SourceSMI {
			text = "readings are taken through nvidia-smi: " + rd.reason
		}
		h.eventLocked(probe.EventSource, text, rd.detail)
	}
}

// finish makes rd the reading that was: a message still under way must not
// stand behind the gap that starts now.
func (h *Host) finish(rd *reading) {
	h.mu.Lock()
	defer h.mu.Unlock()
	rd.over = true
	if h.reading == rd {
		h.reading = nil
	}
}

// inventory takes what stays the same between ticks.
func (h *Host) inventory(rd *reading, inv *probe.Inventory) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if rd.over {
		return
	}
	rd.heard = h.clock.Mono()
	inv.Time = h.clock.Wall().UTC()
	inv.Source, inv.Reason, inv.Detail, inv.Demo = rd.source, rd.reason, rd.detail, h.p.Demo
	if rd.agent != "" {
		inv.Agent = rd.agent
	}
	inv.Mode = modeOf(rd.report, len(inv.GPUs), inv.Mode)
	another := h.run.BootID != "" && inv.Run.BootID != "" && !h.run.Same(inv.Run)
	if inv.Run.BootID != "" {
		h.run = inv.Run
	}
	if another {
		h.track.reset()
		if h.track.broken == probe.GapLink {
			h.track.broken = probe.GapHost
		}
	}
	before := h.inv
	h.inv = inv
	h.updateLocked(func(s *State) {
		s.Mode = inv.Mode
		if inv.Mode == probe.ModeGPU {
			s.Err = nil
			return
		}
		detail := firstOf(rd.noLibrary, rd.detail)
		if old, ok := s.Err.(*NoCardError); !ok || old.Mode != inv.Mode || old.Detail != detail { //nolint:errorlint // ours, never wrapped
			s.Err = &NoCardError{Mode: inv.Mode, Detail: detail}
		}
	})
	if another {
		h.eventLocked(probe.EventRun, "the instance was restarted or re-created", "")
	}
	if inv.Mode == probe.ModeNoGPU && (before == nil || before.Mode != probe.ModeNoGPU) {
		h.eventLocked(probe.EventNoGPU, "the instance runs without a card", firstOf(rd.noLibrary, rd.detail))
	}
	h.emitLocked(inv)
}

// sample takes a tick.
func (h *Host) sample(rd *reading, s *probe.Sample) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if rd.over {
		return
	}
	now := h.clock.Wall()
	rd.heard = h.clock.Mono()
	rd.ticked = rd.heard
	if h.paused {
		return // was under way when Pause was called
	}
	if s.HostTime.IsZero() {
		s.HostTime = s.Time
	}
	if rd.source == probe.SourceAgent {
		rd.clock.arrived(s.Mono, now)
		s.Time = rd.clock.at(s.Mono)
		rd.ahead = s.HostTime.Sub(s.Time)
	} else if s.Time.IsZero() {
		s.Time = now.UTC()
	}
	s.Time = s.Time.UTC()
	for _, g := range h.track.sample(s, h.periodLocked(rd)) {
		h.emitLocked(g)
	}
	h.latest = s
	if rd.first.IsZero() {
		rd.first = s.Time
		rd.prepared()
	}
	h.updateLocked(func(st *State) {
		st.LastTick = now
		st.Phase, st.Stage, st.RetryAt, st.Attempt = Live, "", time.Time{}, 0
	})
	h.emitLocked(s)
}

// happened takes an event; its time is the host's unless it came from here.
func (h *Host) happened(rd *reading, e *probe.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if rd.over {
		return
	}
	rd.heard = h.clock.Mono()
	switch {
	case e.Time.IsZero():
		e.Time = h.clock.Wall().UTC()
	case rd.source == probe.SourceAgent:
		e.Time = e.Time.Add(-rd.ahead).UTC()
	}
	h.emitLocked(e)
}

// gapped takes a gap that the reader itself knows of.
func (h *Host) gapped(rd *reading, g *probe.Gap) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if rd.over {
		return
	}
	rd.heard = h.clock.Mono()
	if g.GPU == "" {
		h.track.told = g.To
	}
	h.emitLocked(g)
}

func (h *Host) periodLocked(rd *reading) time.Duration {
	rate := h.rate
	if rd.rate > 0 {
		rate = rd.rate
	}
	return time.Duration(float64(time.Second) / rate)
}

// silence says how long nothing came, and what that means.
func (h *Host) silence(rd *reading) (stale, dead bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now, p := h.clock.Mono(), h.periodLocked(rd)
	since := func(t time.Duration) time.Duration { return now - max(t, rd.woken) }
	limit := max(deadAfter, 15*p)
	if rd.woken > 0 && rd.heard < rd.woken+wakeEcho { // what was under way before the sleep still arrives
		limit = max(deadAfterWake, 3*p)
	}
	dead = since(rd.heard) >= limit
	stale = !h.paused && now-rd.ticked >= max(staleAfter, 3*p)
	switch {
	case h.paused:
		h.updateLocked(func(s *State) { s.Phase, s.Stage = Paused, "" })
	case stale && h.st.Phase == Live:
		h.updateLocked(func(s *State) { s.Phase = Stale })
	}
	return stale, dead
}

// The times of silence at 1 Hz and above; slower rates stretch them.
const (
	staleAfter    = 3 * time.Second
	deadAfter     = 15 * time.Second
	wakeEcho      = 2 * time.Second
	deadAfterWake = 8 * time.Second // a link seldom survives a sleep, but a radio needs seconds
)
