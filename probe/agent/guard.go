//go:build linux && cgo

package main

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"rentgen/probe"
	"rentgen/probe/guard"
	"rentgen/probe/procfs"
)

// guarder runs the stop guard beside the recorder's loop: a queue that answers
// late and a command that takes its time must not hold up the readings.
type guarder struct {
	in   chan *probe.Sample
	done chan struct{} // closed after in was, with the last second
	mu   sync.Mutex
	says json.RawMessage
}

// newGuard returns the stop guard of a recorder's folder.
func newGuard(dir string) *guarder {
	a := newActor()
	return startGuard(guard.Params{
		Dir: filepath.Join(dir, guard.Folder), Run: procfs.New(procfs.Params{}).Run(), Ready: a.ready, Act: a.act, Now: time.Now, Mono: monotonic,
	})
}

func startGuard(p guard.Params) *guarder {
	w := &guarder{in: make(chan *probe.Sample, 1), done: make(chan struct{})}
	g, err := guard.Open(p)
	if err != nil {
		w.says = guard.Brief(guard.State{Phase: guard.Refused, Why: guard.WhyOrder, Detail: err.Error()})
		return w
	}
	w.says = guard.Brief(g.State())
	go w.run(g)
	return w
}

func (w *guarder) run(g *guard.Guard) {
	defer close(w.done)
	for s := range w.in {
		b := guard.Brief(g.Second(s))
		w.mu.Lock()
		w.says = b
		w.mu.Unlock()
	}
}

// Second hands over what the guard needs of a second, and drops it where the
// guard still works on the one before: a second that it missed is no quiet one.
func (w *guarder) Second(s *probe.Sample) {
	c := &probe.Sample{Seq: s.Seq, Time: s.Time, Mono: s.Mono, GPUs: slices.Clone(s.GPUs)}
	for i := range c.GPUs {
		c.GPUs[i].Spreads, c.GPUs[i].Procs = nil, nil
	}
	if s.System != nil {
		sys := *s.System
		c.System = &sys
	}
	select {
	case w.in <- c:
	default:
	}
}

// State says in short how the guard stands.
func (w *guarder) State() json.RawMessage {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.says
}
