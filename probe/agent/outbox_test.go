//go:build linux && cgo

package main

import (
	"errors"
	"io"
	"testing"
	"time"

	"rentgen/probe"
	"rentgen/probe/wire"
)

// gate is a link that takes a write only when it is let through.
type gate struct {
	w     io.Writer
	began chan struct{}
	let   chan struct{}
}

func (g *gate) Write(p []byte) (int, error) {
	g.began <- struct{}{}
	<-g.let
	return g.w.Write(p)
}

func tickFrame(seq uint64) wire.Frame { return wire.Frame{Sample: &probe.Sample{Seq: seq}} }

// A blocked link loses ticks and nothing else; the holes in their numbers show.
func TestBlockedLinkDropsTicks(t *testing.T) {
	r, w := io.Pipe()
	g := &gate{w: w, began: make(chan struct{}), let: make(chan struct{})}
	o := newOutbox(g, false, func(error) {})
	go o.run()
	seq := uint64(1)
	o.send(tickFrame(seq))
	<-g.began // the first is on its way and stays there
	for range maxTicks + 10 {
		seq++
		o.send(tickFrame(seq))
	}
	if n := o.dropped.Load(); n != 10 {
		t.Errorf("%d dropped, want 10", n)
	}
	o.send(wire.Frame{Event: &probe.Event{Kind: probe.EventXid, Code: 79}})
	go func() {
		for {
			select {
			case g.let <- struct{}{}:
			case <-g.began:
			}
		}
	}()
	d := wire.NewDecoder(r)
	for want := uint64(1); want <= maxTicks+1; want++ {
		f, err := d.Read()
		if err != nil || f.Sample == nil || f.Sample.Seq != want {
			t.Fatalf("got %+v, %v; want tick %d", f, err, want)
		}
	}
	if f, err := d.Read(); err != nil || f.Event == nil || f.Event.Code != 79 {
		t.Errorf("got %+v, %v; want the event", f, err)
	}
	seq++
	o.send(tickFrame(seq))
	if f, err := d.Read(); err != nil || f.Sample == nil || f.Sample.Seq != maxTicks+12 {
		t.Errorf("got %+v, %v; want tick %d after the hole", f, err, maxTicks+12)
	}
}

func TestLinkBlockedForLongTakesNoTicks(t *testing.T) {
	g := &gate{w: io.Discard, began: make(chan struct{}), let: make(chan struct{})}
	o := newOutbox(g, false, func(error) {})
	o.patient = time.Nanosecond
	go o.run()
	o.send(tickFrame(1))
	<-g.began
	for o.send(tickFrame(2)); o.dropped.Load() == 0; o.send(tickFrame(2)) {
		if len(o.frames) > maxTicks {
			t.Fatal("ticks wait behind a blocked link")
		}
	}
	o.send(wire.Frame{Heartbeat: &wire.Heartbeat{}})
	waiting := len(o.frames)
	o.send(wire.Frame{Event: &probe.Event{}})
	if len(o.frames) != waiting+1 {
		t.Error("an event was dropped")
	}
	g.let <- struct{}{}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestGoneLinkEnds(t *testing.T) {
	failed := make(chan error, 1)
	o := newOutbox(broken{}, false, func(err error) { failed <- err })
	go o.run()
	o.send(tickFrame(1))
	select {
	case err := <-failed:
		if !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("error %v", err)
		}
	case <-time.After(wait):
		t.Fatal("nothing was said")
	}
}
