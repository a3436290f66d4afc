package stream

import (
	"context"
	"fmt"

	"rentgen/probe"
	"rentgen/probe/remote"
	"rentgen/probe/smi"
)

// simple reads through nvidia-smi until the link ends. The reading starts anew
// after a pause.
func (h *Host) simple(ctx context.Context, conn remote.Conn, r *report, f *fallback) error {
	if r == nil {
		r = &report{}
	}
	h.log.Info("simple readings", "reason", f.reason, "detail", f.detail)
	for {
		h.update(func(s *State) { s.Phase, s.Stage = Connecting, StageStart })
		look, err := h.openSimple(ctx, conn, f)
		if err != nil {
			if lost := h.linkLost(conn); lost != nil {
				return lost
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return &Error{Kind: KindSimple, Stage: StageStart, Reason: f.reason, Said: f.detail, Err: err}
		}
		rd := &reading{source: probe.SourceSMI, reason: f.reason, detail: f.detail, report: r, rate: look.Rate()}
		if fail := look.Failure(); fail != nil {
			rd.noLibrary = fail.Raw
		}
		h.begin(rd)
		if err := h.followSimple(ctx, conn, look, rd); err != nil {
			return err
		}
		if err := h.awaitResume(ctx, conn); err != nil {
			return err
		}
	}
}

func (h *Host) openSimple(ctx context.Context, conn remote.Conn, f *fallback) (*smi.Look, error) {
	rate, _ := h.settings()
	look, err := smi.Open(ctx, smi.Params{
		Run: conn, Rate: rate, System: true, Reason: f.reason, Detail: f.detail, Now: h.clock.Wall,
	})
	if err != nil {
		return nil, fmt.Errorf("ask nvidia-smi: %w", err)
	}
	return look, nil
}

// followSimple takes what the look says until it is paused (nil) or the link
// ends.
func (h *Host) followSimple(ctx context.Context, conn remote.Conn, look *smi.Look, rd *reading) error {
	defer h.finish(rd)
	running, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() {
		ended <- look.Run(running, func(m probe.Message) { h.take(conn, rd, m) })
	}()
	stop := func() {
		cancel()
		<-ended
	}
	watch := newWakeWatch(h.clock)
	for {
		if _, paused := h.settings(); paused {
			stop()
			h.setPaused(true)
			return nil
		}
		c, free := h.clock.After(beat)
		select {
		case <-ctx.Done():
			free()
			stop()
			return ctx.Err()
		case <-conn.Done():
			free()
			stop()
			return &Error{Kind: KindLink, Err: conn.Err()}
		case err := <-ended:
			free()
			cancel()
			if lost := h.linkLost(conn); lost != nil {
				return lost
			}
			return &Error{Kind: KindSimple, Reason: rd.reason, Said: rd.detail, Err: err}
		case <-h.retry:
		case <-h.changed:
			rate, _ := h.settings()
			look.SetRate(rate)
			h.mu.Lock()
			rd.rate = look.Rate()
			h.mu.Unlock()
		case <-c:
		}
		free()
		if watch.look() {
			h.mu.Lock()
			rd.woken = h.clock.Mono()
			h.mu.Unlock()
		}
		h.silence(rd) // a dead link ends by itself: conn keeps it alive
	}
}

// take passes one message of the look on. A link that broke looks like a
// failing nvidia-smi at first: what says so waits until the link is known to
// stand.
func (h *Host) take(conn remote.Conn, rd *reading, m probe.Message) {
	if blind(m) && h.linkLost(conn) != nil {
		return
	}
	switch m := m.(type) {
	case *probe.Inventory:
		h.inventory(rd, m)
	case *probe.Sample:
		h.sample(rd, m)
	case *probe.Event:
		h.happened(rd, m)
	case *probe.Gap:
		h.gapped(rd, m)
	}
}

// blind reports whether a message says that nothing could be read.
func blind(m probe.Message) bool {
	switch m := m.(type) {
	case *probe.Event:
		return m.Kind == probe.EventStalled || m.Kind == probe.EventSource
	case *probe.Sample:
		for i := range m.GPUs {
			if readable(&m.GPUs[i]) {
				return false
			}
		}
		return len(m.GPUs) > 0
	}
	return false
}

// awaitResume waits while reading is paused.
func (h *Host) awaitResume(ctx context.Context, conn remote.Conn) error {
	for {
		if _, paused := h.settings(); !paused {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-conn.Done():
			return &Error{Kind: KindLink, Err: conn.Err()}
		case <-h.changed:
		case <-h.retry:
		}
	}
}
