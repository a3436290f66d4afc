package stream

import (
	"context"
	"errors"
	"time"

	"rentgen/probe"
	"rentgen/probe/remote"
)

// backoff is how long to wait before each retry; the last one stays.
var backoff = [...]time.Duration{time.Second, 2 * time.Second, 5 * time.Second, 15 * time.Second, 30 * time.Second}

const (
	settled   = 10 * time.Second // a link that lived this long starts the retries anew
	linkGrace = 300 * time.Millisecond
)

// keep connects again and again until ctx ends.
func (h *Host) keep(ctx context.Context, done chan struct{}) {
	defer close(done)
	attempt := 0
	h.refused = false
	for ctx.Err() == nil {
		h.mu.Lock()
		h.updateLocked(func(s *State) {
			s.Phase, s.Stage, s.RetryAt, s.Attempt = Connecting, "", time.Time{}, attempt
			if attempt == 0 {
				s.Err = nil
			}
		})
		h.mu.Unlock()
		lived, err := h.visit(ctx)
		if ctx.Err() != nil {
			break
		}
		if lived >= settled {
			attempt = 0
		}
		if err == nil {
			err = &Error{Kind: KindLink}
		}
		h.log.Info("connection ended", "error", err)
		wait := time.Duration(-1)
		h.mu.Lock()
		fatal := final(err) || h.held
		h.updateLocked(func(s *State) {
			s.Err, s.Stage, s.RetryAt = err, "", time.Time{}
			if fatal {
				s.Phase = Failed
				return
			}
			wait = backoff[min(attempt, len(backoff)-1)]
			s.Phase, s.RetryAt = Waiting, h.clock.Wall().Add(wait)
			attempt++
			s.Attempt = attempt
		})
		h.mu.Unlock()
		if h.sleep(ctx, wait) {
			attempt = 0
			h.refused = h.refused && !fatal
		}
	}
	h.update(func(s *State) {
		*s = State{Source: s.Source, Mode: s.Mode, LastTick: s.LastTick, Since: s.Since}
		s.Phase = Off
	})
}

// sleep waits and reports whether it was cut short by Retry or a wake of the
// laptop; d below 0 is for ever, where a wake changes nothing.
func (h *Host) sleep(ctx context.Context, d time.Duration) (early bool) {
	watch := newWakeWatch(h.clock)
	until := h.clock.Mono() + d
	for {
		slice := beat
		if d >= 0 {
			slice = min(slice, until-h.clock.Mono())
			if slice <= 0 {
				return false
			}
		}
		c, stop := h.clock.After(slice)
		select {
		case <-ctx.Done():
			stop()
			return false
		case <-h.retry:
			stop()
			return true
		case <-c:
			if watch.look() && d >= 0 {
				return true
			}
		}
	}
}

// final reports whether trying again can't help before a person did something.
func final(err error) bool {
	var r *remote.Error
	if errors.As(err, &r) {
		switch r.Kind {
		case remote.KindInput, remote.KindHostKeyUnknown, remote.KindHostKeyChanged, remote.KindHostKeyRevoked,
			remote.KindAuth, remote.KindTooManyKeys, remote.KindPassphrase, remote.KindKeyFormat,
			remote.KindKeyMissing, remote.KindPasswordWrong, remote.KindNoOneToAsk, remote.KindTerminalOnly,
			remote.KindNoCommand, remote.KindCancelled, remote.KindProxyConsent, remote.KindJumpLoop:
			return true
		}
		return false
	}
	switch KindOf(err) {
	case KindNoCommand, KindTerminalOnly, KindNotLinux, KindDeclined, KindAgent:
		return true
	}
	var in *remote.InputError
	return errors.As(err, &in)
}

// visit dials and looks until the link breaks. lived is how long ticks came.
func (h *Host) visit(ctx context.Context) (lived time.Duration, err error) {
	conn, err := h.p.Dial(ctx, h.stage)
	if err != nil {
		return 0, err
	}
	h.mu.Lock()
	h.conn = conn
	h.mu.Unlock()
	over := make(chan struct{})
	defer func() {
		close(over)
		h.mu.Lock()
		h.conn = nil
		h.mu.Unlock()
		_ = conn.Close()
	}()
	go h.closeLate(ctx, conn, over)
	from := h.clock.Mono()
	err = h.watch(ctx, conn)
	why := gapOf(err)
	if ctx.Err() != nil {
		why = probe.GapPaused // stopped by the person
	}
	h.mu.Lock()
	h.track.breakFor(why)
	h.mu.Unlock()
	return h.clock.Mono() - from, err
}

// closeLate closes the connection of a host that is being stopped when what
// should do so is held up by a dead link.
func (h *Host) closeLate(ctx context.Context, conn remote.Conn, over <-chan struct{}) {
	select {
	case <-over:
		return
	case <-ctx.Done():
	}
	c, stop := h.clock.After(stopWait - procGrace)
	defer stop()
	select {
	case <-over:
	case <-c:
		_ = conn.Close()
	}
}

func gapOf(err error) probe.GapReason {
	if KindOf(err) == KindAgent {
		return probe.GapAgent
	}
	return probe.GapLink
}

// linkLost returns why the connection ended, nil while it stands. An end that
// is just being noticed gets a moment.
func (h *Host) linkLost(conn remote.Conn) error {
	c, stop := h.clock.After(linkGrace)
	defer stop()
	select {
	case <-conn.Done():
		return &Error{Kind: KindLink, Err: conn.Err()}
	case <-c:
		return nil
	}
}
