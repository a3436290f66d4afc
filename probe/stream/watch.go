package stream

import (
	"context"
	"errors"
	"strings"
	"time"

	"rentgen/probe"
	"rentgen/probe/remote"
)

const (
	deaths      = 3                // of our program within
	deathWindow = 60 * time.Second // this: it is no use there
)

// watch looks through one connection: by our program, or by simple readings
// where that can't run. It returns when the connection is of no more use.
func (h *Host) watch(ctx context.Context, conn remote.Conn) error {
	if h.p.Source == SourceNone {
		return h.bare(ctx, conn)
	}
	if h.p.Source == SourceSMI {
		s, err := h.startSession(ctx, conn, false)
		if err != nil {
			return err
		}
		_ = s.tell("quit")
		s.close(h.clock)
		return h.simple(ctx, conn, &s.report, &fallback{reason: probe.ReasonAsked})
	}
	var died []time.Duration
	for {
		r, err := h.agent(ctx, conn)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		var fall *fallback
		switch {
		case errors.As(err, &fall):
			return h.fall(ctx, conn, r, fall)
		case KindOf(err) != KindAgent:
			return err
		}
		// Our program ended and the link stands.
		h.mu.Lock()
		h.track.breakFor(probe.GapAgent)
		h.mu.Unlock()
		h.log.Warn("the program on the host ended", "error", err)
		now := h.clock.Mono()
		died = append(died, now)
		for len(died) > 0 && now-died[0] > deathWindow {
			died = died[1:]
		}
		if len(died) >= deaths {
			var e *Error
			errors.As(err, &e)
			return h.fall(ctx, conn, r, &fallback{probe.ReasonStart, clip(firstOf(e.Said, err.Error()), saidLimit)})
		}
		h.update(func(s *State) { s.Phase, s.Stage = Connecting, StageStart })
	}
}

// fall goes on with simple readings, or says why it may not.
func (h *Host) fall(ctx context.Context, conn remote.Conn, r *report, f *fallback) error {
	if h.p.Source == SourceAgent {
		return &Error{Kind: KindAgent, Stage: StageStart, Reason: f.reason, Said: f.detail}
	}
	return h.simple(ctx, conn, r, f)
}

// modeOf says what kind of host has no card to be read. A container without
// device files whose machine has a driver, or with the little memory that
// platforms give without a card, was started so on purpose.
func modeOf(r *report, cards int, said probe.Mode) probe.Mode {
	switch {
	case cards > 0:
		return probe.ModeGPU
	case said == probe.ModeFault, hasCard(r.Devices), hasCard(r.Denied):
		return probe.ModeFault
	case said == probe.ModeNoGPU, r.Driver != "",
		r.Box && (len(r.Libs) > 0 || r.Tools["nvidia-smi"] != "" || (r.memory() > 0 && r.memory() <= smallRAM)):
		return probe.ModeNoGPU
	}
	return probe.ModeNoDriver
}

// hasCard reports whether one of the device files is a card's.
func hasCard(devices []string) bool {
	for _, d := range devices {
		if n := strings.TrimPrefix(d, "/dev/nvidia"); d == "/dev/dxg" || (n != d && n != "" && strings.Trim(n, "0123456789") == "") {
			return true
		}
	}
	return false
}

// smallRAM is what platforms give an instance that is started without its card.
const smallRAM = 4 << 30
