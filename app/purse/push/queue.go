package push

import (
	"context"
	"errors"
	"time"

	"rentgen/app/purse"
)

const (
	// maxWaiting is how many alerts wait for a form; older ones are counted only.
	maxWaiting = 100
	// apart is the least time between two messages of a form: the group robots
	// take 20 a minute.
	apart = 5 * time.Second
	// refusedWait is the pause after an answer that another try won't change.
	refusedWait = time.Hour
)

// backoff are the pauses after tries that failed; the last one stays.
var backoff = []time.Duration{15 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 30 * time.Minute}

// Send takes an alert for every form that is on. It doesn't wait.
func (u *Pusher) Send(a purse.Alert) {
	u.mu.Lock()
	for _, l := range u.lines {
		if !l.kept.On {
			continue
		}
		l.waiting = append(l.waiting, a)
		if n := len(l.waiting) - maxWaiting; n > 0 {
			l.waiting, l.more = l.waiting[n:], l.more+n
		}
	}
	u.mu.Unlock()
	u.stir()
}

// stir wakes Run.
func (u *Pusher) stir() {
	select {
	case u.wake <- struct{}{}:
	default:
	}
}

// Run sends what waits until ctx ends. Alerts that gathered while nothing could
// be sent go out as one digest. What still waits at the end is not sent: the list
// of alerts has it.
func (u *Pusher) Run(ctx context.Context) {
	for {
		wait, some := u.step(ctx)
		var timer <-chan time.Time
		if some {
			timer = u.p.After(wait)
		}
		select {
		case <-ctx.Done():
			return
		case <-u.wake:
		case <-timer:
		}
	}
}

// step sends what is due and returns how long it is until the next, if anything
// waits.
func (u *Pusher) step(ctx context.Context) (wait time.Duration, some bool) {
	u.sending.Lock()
	defer u.sending.Unlock()
	for _, f := range Forms() {
		if ctx.Err() != nil {
			return 0, false
		}
		u.send(ctx, f)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	now := u.p.Now()
	for _, l := range u.lines {
		if !l.kept.On || len(l.waiting) == 0 {
			continue
		}
		if d := max(l.next.Sub(now), 0); !some || d < wait {
			wait, some = d, true
		}
	}
	return wait, some
}

// send tries what waits for one form.
func (u *Pusher) send(ctx context.Context, f Form) {
	now := u.p.Now()
	u.mu.Lock()
	l := u.lines[f.ID]
	if l.next.Sub(now) > refusedWait {
		l.next = now // the clock was put back
	}
	if !l.kept.On || len(l.waiting) == 0 || now.Before(l.next) {
		u.mu.Unlock()
		return
	}
	list, more := l.waiting, l.more
	l.waiting, l.more = nil, 0
	u.mu.Unlock()
	err := u.once(ctx, f, Digest(u.p.Texts(), list, more), now)
	u.mu.Lock()
	done := u.p.Now()
	l.last, l.err = done, err
	if err == nil {
		l.fails, l.next = 0, done.Add(apart)
	} else {
		if l.kept.On { // not switched off meanwhile
			l.waiting, l.more = append(list, l.waiting...), l.more+more
			if n := len(l.waiting) - maxWaiting; n > 0 {
				l.waiting, l.more = l.waiting[n:], l.more+n
			}
		}
		l.next = done.Add(pause(err, l.fails))
		l.fails++
	}
	u.mu.Unlock()
	u.p.Changed()
}

// pause is how long to wait after so many failures and one more.
func pause(err error, fails int) time.Duration {
	var e *Error
	if errors.As(err, &e) && !e.Again() {
		return refusedWait
	}
	return backoff[min(fails, len(backoff)-1)]
}
