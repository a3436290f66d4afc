//go:build linux && cgo

package main

import (
	"runtime/debug"
	"slices"
	"time"

	"rentgen/probe"
	"rentgen/probe/nvml"
	"rentgen/probe/wire"
)

const (
	wholeSecond = time.Second      // machine and processes
	slowEvery   = 10 * time.Second // limits, links
	// initHung is when a start of the library that does not return is told.
	// Without persistence mode a driver sets up each card first, which takes a
	// second or two.
	initHung = 12 * time.Second
)

// ticker is the state of the sampling loop.
type ticker struct {
	a       *agent
	period  time.Duration
	paused  bool
	slowNow bool
	ready   bool // the library has started
	shown   bool // an inventory was sent
	machine probe.Machine
	known   bool // machine is there
	seq     uint64
	gen     uint64
	full    time.Time // of the last reading of machine and processes
	slow    time.Time
	retry   <-chan time.Time
	hung    <-chan time.Time
}

// sample takes the ticks until the program ends. The first one is taken at
// once.
func (a *agent) sample() {
	t := &ticker{a: a, period: time.Second}
	clock := newPace(t.period, a.onSecond)
	defer clock.stop()
	if a.lib == nil {
		t.tick()
	} else {
		hung := time.NewTimer(initHung)
		defer hung.Stop()
		t.hung = hung.C
	}
	for {
		select {
		case <-a.done:
			return
		case err := <-a.inited:
			t.started(err)
		case <-t.retry:
			t.retry = nil
			go func() { a.inited <- a.lib.Init() }()
		case <-t.hung:
			if !t.shown {
				a.mode = probe.ModeFault
				a.event(probe.Event{Kind: probe.EventStalled, Text: "The driver does not answer.", Raw: "nvmlInit does not return"})
				t.tick()
			}
		case c := <-a.controls:
			if t.obey(c) {
				clock.reset(t.period)
			}
		case <-clock.c:
			clock.next()
			if !t.paused && t.shown {
				t.tick()
			}
		}
	}
}

// pace says when a tick is due: at a fixed period from its start on, or at the
// whole seconds of the monotonic clock.
type pace struct {
	c      <-chan time.Time
	ticker *time.Ticker
	timer  *time.Timer
}

func newPace(period time.Duration, onSecond bool) *pace {
	if onSecond {
		t := time.NewTimer(toSecond())
		return &pace{c: t.C, timer: t}
	}
	t := time.NewTicker(period)
	return &pace{c: t.C, ticker: t}
}

// toSecond is how long it is until the next whole second.
func toSecond() time.Duration { return time.Second - monotonic()%time.Second }

func (p *pace) next() {
	if p.timer != nil {
		p.timer.Reset(toSecond())
	}
}

func (p *pace) reset(period time.Duration) {
	if p.ticker != nil {
		p.ticker.Reset(period)
	}
}

func (p *pace) stop() {
	if p.ticker != nil {
		p.ticker.Stop()
	}
	if p.timer != nil {
		p.timer.Stop()
	}
}

// started goes on after a start of the library.
func (t *ticker) started(err error) {
	t.shown = false
	if err != nil {
		t.a.startFailed(err)
		t.retry = time.After(t.a.o.retry)
	} else {
		t.ready, t.a.mode = true, ""
		if t.a.failing != "" {
			t.a.failing = ""
			t.a.event(probe.Event{Kind: probe.EventBack, Text: "NVML has started."})
		}
	}
	t.tick()
}

// obey takes what the laptop asks and reports whether the period changed. A
// rate that is not offered becomes the nearest one below.
func (t *ticker) obey(c wire.Control) bool {
	resumed := t.paused && !c.Paused
	t.paused = c.Paused
	t.slowNow = t.slowNow || c.Slow
	before := t.period
	if c.Rate > 0 {
		hz := rates[0]
		for _, r := range rates {
			if r <= c.Rate {
				hz = r
			}
		}
		t.period = time.Duration(float64(time.Second) / hz)
	}
	if resumed && t.shown {
		t.tick()
	}
	return t.period != before || resumed
}

// tick takes one reading and sends it. Its number rises with every one taken,
// so that one that could not be sent shows as a hole.
func (t *ticker) tick() {
	now := time.Now()
	full := t.a.onSecond || now.Sub(t.full) >= wholeSecond-t.period/2
	slow := t.slowNow || now.Sub(t.slow) >= slowEvery-t.period/2
	var s *probe.Sample
	if t.ready {
		mono := monotonic()
		s = t.a.lib.Sample(nvml.Options{Procs: full, Slow: slow})
		s.Mono = mono
	} else {
		s = &probe.Sample{Time: now, HostTime: now, Mono: monotonic()}
	}
	if full {
		t.full = now
		s.System = t.a.host.Sample()
	}
	if slow {
		t.slow, t.slowNow = now, false
	}
	t.inventory()
	t.seq++
	s.Seq = t.seq
	t.a.out.send(wire.Frame{Sample: s})
	if t.seq == 2 {
		debug.FreeOSMemory() // what the start needed
	}
}

// inventory is sent first and whenever it has changed.
func (t *ticker) inventory() {
	a := t.a
	if t.shown && (!t.ready || t.gen == a.lib.Generation()) {
		return
	}
	inv := probe.Inventory{Time: time.Now(), Source: probe.SourceAgent, Mode: a.mode}
	if t.ready {
		t.gen = a.lib.Generation()
		inv = a.lib.Inventory()
		if len(inv.GPUs) > 0 && !slices.ContainsFunc(inv.GPUs, func(d probe.Device) bool { return d.Problem == "" }) {
			inv.Mode = probe.ModeFault
		}
	}
	inv.Agent = version
	inv.Detail = a.noLib
	if !t.known {
		t.machine, t.known = <-a.info, true
	}
	inv.System, inv.Run = t.machine, a.host.Run()
	t.shown = true
	a.out.send(wire.Frame{Inventory: &inv})
}
