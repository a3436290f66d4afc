package stream

import (
	"time"

	"rentgen/probe/wire"
)

type systemClock struct{ start time.Time }

func (c systemClock) Wall() time.Time     { return time.Now().Round(0) }
func (c systemClock) Mono() time.Duration { return time.Since(c.start) }

func (c systemClock) After(d time.Duration) (<-chan time.Time, func()) {
	t := time.NewTimer(d)
	return t.C, func() { t.Stop() }
}

// wakeWatch notices that the laptop slept. Depending on the system the
// monotonic clock stops meanwhile or goes on: the wall clock ahead of it, or
// both far ahead of the beat at which look is called, is a sleep.
type wakeWatch struct {
	clock Clock
	wall  time.Time
	mono  time.Duration
}

const (
	beat      = time.Second
	sleptAway = 5 * time.Second  // wall ahead of the monotonic clock
	sleptOver = 10 * time.Second // both ahead of the beat; more than a busy machine's stall
)

func newWakeWatch(c Clock) *wakeWatch { return &wakeWatch{clock: c, wall: c.Wall(), mono: c.Mono()} }

// look reports whether there was a sleep since the last call. It must be
// called about once a beat.
func (w *wakeWatch) look() bool {
	wall, mono := w.clock.Wall(), w.clock.Mono()
	dw, dm := wall.Sub(w.wall), mono-w.mono
	w.wall, w.mono = wall, mono
	return dw-dm > sleptAway || dm > beat+sleptOver
}

// hostClock turns the host's monotonic clock into the laptop's UTC. It survives
// every step of the host's wall clock.
type hostClock struct {
	set    bool
	base   time.Time // laptop's time at mono 0, as used
	target time.Time // as measured best
	mono   time.Duration
	pings  []pingResult // the last 16
	// wall is how far the host's wall clock is ahead of the laptop's.
	wall     time.Duration
	wallMono time.Time // host's wall clock at its mono 0
}

type pingResult struct {
	rtt  time.Duration
	base time.Time
	wall time.Duration
}

const (
	pingsKept = 16
	slewShare = 20              // a twentieth of the time passed
	stepAbove = 2 * time.Second // more than drift: one of the clocks was set
)

// arrived is the first guess, before any ping: too late by the way here.
func (c *hostClock) arrived(mono time.Duration, now time.Time) {
	if !c.set {
		c.set, c.base, c.target, c.mono = true, now.Add(-mono), now.Add(-mono), mono
	}
}

// pong takes a measurement and reports whether the host's wall clock was set.
func (c *hostClock) pong(sent, got time.Time, p wire.Pong) (stepped bool) {
	rtt := got.Sub(sent)
	if rtt < 0 {
		return false // the laptop's clock was set meanwhile
	}
	mid := sent.Add(rtt / 2)
	r := pingResult{rtt: rtt, base: mid.Add(-p.Mono), wall: p.Wall.Sub(mid)}
	if len(c.pings) > 0 && r.base.Sub(c.target).Abs() > stepAbove+rtt {
		c.pings = c.pings[:0]
	}
	if len(c.pings) == pingsKept {
		c.pings = append(c.pings[:0], c.pings[1:]...)
	}
	c.pings = append(c.pings, r)
	best := c.best()
	first := len(c.pings) == 1
	c.target = best.base
	c.wall = best.wall
	if !c.set || (first && c.target.Sub(c.base).Abs() > stepAbove) {
		c.set, c.base, c.mono = true, c.target, p.Mono
	}
	zero := p.Wall.Add(-p.Mono)
	stepped = !c.wallMono.IsZero() && zero.Sub(c.wallMono).Abs() > stepAbove
	c.wallMono = zero
	if stepped {
		c.wall = r.wall
	}
	return stepped
}

func (c *hostClock) best() pingResult {
	var best pingResult
	for i, p := range c.pings {
		if i == 0 || p.rtt <= best.rtt {
			best = p
		}
	}
	return best
}

// at returns the laptop's time of a moment of the host, slewing towards the
// best measurement as time passes.
func (c *hostClock) at(mono time.Duration) time.Time {
	if passed := mono - c.mono; passed > 0 {
		c.mono = mono
		diff, most := c.target.Sub(c.base), passed/slewShare
		switch {
		case diff.Abs() > stepAbove:
			c.base = c.target
		default:
			c.base = c.base.Add(max(-most, min(most, diff)))
		}
	}
	return c.base.Add(mono).UTC()
}
