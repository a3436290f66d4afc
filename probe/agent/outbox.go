//go:build linux && cgo

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"rentgen/probe"
	"rentgen/probe/wire"
)

// outbox is the way out: one goroutine writes, nobody waits for it. When the
// link takes nothing for two seconds, ticks are dropped and counted, since a
// minute-old picture is worse than a gap; everything else is kept.
type outbox struct {
	w       io.Writer
	enc     encoder
	frames  chan wire.Frame
	began   atomic.Int64 // monotonic, of the write going on; 0 none
	dropped atomic.Uint64
	patient time.Duration // how long a write may take before ticks are dropped
	failed  func(error)
	json    bool
}

type encoder interface{ Write(wire.Frame) error }

const (
	blockedAfter = 2 * time.Second
	maxTicks     = 24 // waiting: two seconds at the highest rate
	maxFrames    = 256
)

func newOutbox(w io.Writer, asJSON bool, failed func(error)) *outbox {
	o := &outbox{w: w, frames: make(chan wire.Frame, maxFrames), failed: failed, json: asJSON, patient: blockedAfter}
	if asJSON {
		o.enc = jsonEncoder{json.NewEncoder(w)}
	} else {
		o.enc = wire.NewEncoder(w)
	}
	return o
}

func (o *outbox) hello(marker string, h wire.Hello) error {
	if o.json {
		return o.enc.(jsonEncoder).hello(h)
	}
	return wire.WriteHello(o.w, marker, h)
}

func (o *outbox) send(f wire.Frame) {
	if f.Sample != nil && (len(o.frames) >= maxTicks || o.blocked()) {
		o.dropped.Add(1)
		return
	}
	if f.Heartbeat != nil && o.blocked() {
		return // one that is late proves nothing
	}
	select {
	case o.frames <- f:
	default:
		o.dropped.Add(1)
	}
}

func (o *outbox) blocked() bool {
	began := o.began.Load()
	return began != 0 && int64(monotonic())-began > int64(o.patient)
}

// run writes until the link is gone.
func (o *outbox) run() {
	for f := range o.frames {
		o.began.Store(int64(monotonic()))
		err := o.enc.Write(f)
		o.began.Store(0)
		if err != nil {
			o.failed(err)
			return
		}
	}
}

// jsonEncoder writes one object a line, for people who look for a fault.
type jsonEncoder struct{ e *json.Encoder }

func (j jsonEncoder) hello(h wire.Hello) error {
	return j.line("hello", h)
}

func (j jsonEncoder) line(kind string, v any) error {
	if err := j.e.Encode(map[string]any{kind: v}); err != nil {
		return fmt.Errorf("write frame: %w", err)
	}
	return nil
}

// tickJSON is a sample with the keys of the documented tick.
type tickJSON struct {
	Seq    uint64        `json:"seq"`
	Time   time.Time     `json:"time"`
	Mono   time.Duration `json:"mono_ns"`
	GPUs   []probe.GPU   `json:"gpus"`
	System *probe.System `json:"system,omitempty"`
}

func (j jsonEncoder) Write(f wire.Frame) error {
	switch {
	case f.Inventory != nil:
		return j.line("inventory", f.Inventory)
	case f.Sample != nil:
		s := f.Sample
		return j.line("tick", tickJSON{s.Seq, s.Time, s.Mono, s.GPUs, s.System})
	case f.Event != nil:
		return j.line("event", f.Event)
	case f.Pong != nil:
		return j.line("pong", f.Pong)
	case f.Heartbeat != nil:
		return j.line("heartbeat", f.Heartbeat)
	}
	return j.line("error", f.Error)
}
