package ui

import (
	"context"
	"errors"

	"rentgen/app/purse/alert"
	"rentgen/app/purse/push"
	"rentgen/ui/prefs"
)

// errUnread says that alerts can't be kept: what was kept of them is not read
// yet, or can't be.
var errUnread = errors.New("what is kept of alerts can't be read")

// alertSettings is the section on alerts; none where they can't be kept.
func (w *Window) alertSettings() []prefs.Section {
	if w.p.Purse == nil {
		return nil
	}
	p := prefs.AlertsParams{
		Texts: w.c, Canvas: w.win.Canvas(), Rules: alertRules{w}, Go: w.p.Go, Do: w.p.Do,
		Guard: func() { w.frame.Show(w.home.Key()) },
	}
	if w.p.Secrets != nil {
		p.Push = pusher{w}
	}
	return []prefs.Section{prefs.NewAlerts(p)}
}

// alertRules are the engine's, once it is there.
type alertRules struct{ w *Window }

// Rules implements prefs.Rules.
func (r alertRules) Rules() alert.Rules {
	if e := r.w.sense.Engine(); e != nil {
		return e.Rules()
	}
	return alert.DefaultRules()
}

// SetRules implements prefs.Rules.
func (r alertRules) SetRules(ctx context.Context, rules alert.Rules) error {
	if e := r.w.sense.Engine(); e != nil {
		return e.SetRules(ctx, rules)
	}
	return errUnread
}

// pusher is what sends alerts elsewhere, once it is there.
type pusher struct{ w *Window }

// Targets implements prefs.Pusher.
func (p pusher) Targets() []push.Target {
	if u := p.w.sense.Pusher(); u != nil {
		return u.Targets()
	}
	return nil
}

// Set implements prefs.Pusher.
func (p pusher) Set(ctx context.Context, form, address, secret string) (bool, error) {
	if u := p.w.sense.Pusher(); u != nil {
		return u.Set(ctx, form, address, secret)
	}
	return false, errUnread
}

// Turn implements prefs.Pusher.
func (p pusher) Turn(ctx context.Context, form string, on bool) error {
	return p.with(func(u *push.Pusher) error { return u.Turn(ctx, form, on) })
}

// Forget implements prefs.Pusher.
func (p pusher) Forget(ctx context.Context, form string) error {
	return p.with(func(u *push.Pusher) error { return u.Forget(ctx, form) })
}

// Test implements prefs.Pusher.
func (p pusher) Test(ctx context.Context, form string) error {
	return p.with(func(u *push.Pusher) error { return u.Test(ctx, form) })
}

func (p pusher) with(f func(u *push.Pusher) error) error {
	if u := p.w.sense.Pusher(); u != nil {
		return f(u)
	}
	return errUnread
}
