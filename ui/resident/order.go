package resident

import (
	"context"
	"errors"
	"time"

	"rentgen/app/cli/reach"
	"rentgen/app/purse/guard"
	"rentgen/assets/texts"
	"rentgen/probe/stream"
	"rentgen/ui/home"
	"rentgen/ui/hosts"
)

// order gives an order off the UI thread and asks the host again after it.
func (r *Residents) order(id string, of func(x *host) *texts.Phrase, do func(ctx context.Context, h *stream.Host) error) {
	h := r.p.Host(id)
	r.mu.Lock()
	x := r.of[id]
	if x == nil {
		x = &host{}
		r.of[id] = x
	}
	if h == nil {
		*of(x) = texts.P("window.resident.offline")
		r.mu.Unlock()
		r.p.Changed()
		return
	}
	if x.busy {
		r.mu.Unlock()
		return
	}
	x.busy = true
	r.mu.Unlock()
	r.p.Changed()
	r.p.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), lookWait)
		defer cancel()
		err := do(ctx, h)
		r.set(id, func(x *host) {
			x.busy, x.asked = false, time.Time{}
			*of(x) = texts.Phrase{}
			if err != nil {
				*of(x) = r.orderWhy(err)
			}
		})
		r.ask(id, h)
	})
}

// residentWhy says why a host keeps no recorder.
func (r *Residents) residentWhy(err error) texts.Phrase {
	switch {
	case errors.Is(err, hosts.ErrOffline):
		return texts.P("window.resident.offline")
	case stream.KindOf(err) == stream.KindResident:
		return texts.P("window.resident.cannot", "why", func(c *texts.Catalogue) string { return r.p.SayError(c, err) })
	}
	return texts.P("window.resident.failed", "why", func(c *texts.Catalogue) string { return r.p.SayError(c, err) })
}

func (r *Residents) orderWhy(err error) texts.Phrase {
	var refused *guard.RefusedError
	if errors.As(err, &refused) {
		return refused.Say
	}
	return r.residentWhy(err)
}

func recorderWhy(x *host) *texts.Phrase { return &x.why }
func guardWhy(x *host) *texts.Phrase    { return &x.guardWhy }

// StartRecorder leaves the recorder behind on a host.
func (r *Residents) StartRecorder(id string) {
	r.order(id, recorderWhy, func(ctx context.Context, h *stream.Host) error {
		_, err := h.StartResident(ctx, stream.ResidentOptions{})
		return err
	})
}

// StopRecorder ends it; what it kept stays.
func (r *Residents) StopRecorder(id string) {
	r.order(id, recorderWhy, func(ctx context.Context, h *stream.Host) error { return h.StopResident(ctx) })
}

// RemoveRecorder ends it and removes what it kept.
func (r *Residents) RemoveRecorder(id string) {
	r.order(id, recorderWhy, func(ctx context.Context, h *stream.Host) error { return h.RemoveResident(ctx) })
}

// SwitchGuard turns the stop guard on, as a dry run or in earnest. The recorder, in
// which it lives, is started with it.
func (r *Residents) SwitchGuard(id string, given home.GuardOrder) {
	can := r.look(id).can
	forwards := r.p.Forwards(id)
	r.order(id, guardWhy, func(ctx context.Context, h *stream.Host) error {
		rec, err := h.Resident(ctx)
		if err != nil {
			return err
		}
		if !rec.Running {
			if rec, err = h.StartResident(ctx, stream.ResidentOptions{}); err != nil {
				return err
			}
		}
		g := guard.Host{Runner: reach.Runner(h), Dir: rec.Dir, Now: r.p.Now}
		if err := guard.Test(ctx, reach.Runner(h), can.Action); err != nil {
			return err
		}
		o := guard.NewOrder(can, forwards...)
		o.DryRun, o.After, o.Countdown, o.Given = given.DryRun, given.After, given.Countdown, r.p.Now()
		if o.OnQueue = given.OnQueue; given.OnQueue {
			o.QueuePort = given.QueuePort
		}
		return g.Switch(ctx, o)
	})
}

// EndGuard turns it off.
func (r *Residents) EndGuard(id string) {
	r.keep(id, func(ctx context.Context, g guard.Host) error { return g.Off(ctx) })
}

// KeepGuard leaves the instance running until then, whatever it does; the zero
// time lets go of that.
func (r *Residents) KeepGuard(id string, until time.Time) {
	r.keep(id, func(ctx context.Context, g guard.Host) error {
		if until.IsZero() {
			return g.Resume(ctx)
		}
		return g.Keep(ctx, until.Sub(r.p.Now()))
	})
}

// CancelGuard stops a countdown: held back for a moment, the guard waits for its
// whole time again.
func (r *Residents) CancelGuard(id string) {
	r.keep(id, func(ctx context.Context, g guard.Host) error { return g.Keep(ctx, cancelled) })
}

func (r *Residents) keep(id string, do func(ctx context.Context, g guard.Host) error) {
	r.order(id, guardWhy, func(ctx context.Context, h *stream.Host) error {
		rec, err := h.Resident(ctx)
		if err != nil {
			return err
		}
		return do(ctx, guard.Host{Runner: reach.Runner(h), Dir: rec.Dir, Now: r.p.Now})
	})
}
