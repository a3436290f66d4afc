package hosts

import (
	"context"
	"sync"
	"time"

	"rentgen/probe"
)

// logAgain is how long a log that could not be started waits for the next try.
const logAgain = 30 * time.Second

// sink opens a log with the first reading, so that a connection that fails
// leaves no empty one behind.
type sink struct {
	host *Host

	mu       sync.Mutex
	on       bool
	log      Log
	inv      *probe.Inventory
	err      error
	failed   time.Time // when err came
	starting bool
	asked    int // grows when the log is ended: one that starts meanwhile is too late
}

// Message implements stream.Sink.
func (k *sink) Message(m probe.Message) {
	k.mu.Lock()
	if inv, ok := m.(*probe.Inventory); ok {
		k.inv = inv
	}
	if k.log != nil {
		k.log.Message(m)
	}
	_, reading := m.(*probe.Sample)
	due := k.on && k.log == nil && !k.starting && reading && k.inv != nil
	if k.err != nil && k.host.book.p.Now().Sub(k.failed) < logAgain {
		due = false
	}
	k.starting = k.starting || due
	k.mu.Unlock()
	if due {
		k.start(m)
	}
}

// start opens the log, which may take its time: whoever asks how it stands must
// not wait for that. first is the reading that it begins with.
func (k *sink) start(first probe.Message) {
	k.mu.Lock()
	inv, asked := k.inv, k.asked
	k.mu.Unlock()
	log, err := k.host.book.p.Store.StartLog(context.Background(), k.host.Saved, inv.Source, inv.Demo)
	k.mu.Lock()
	k.starting = false
	late := k.asked != asked
	switch {
	case late:
	case err != nil:
		k.err, k.failed = err, k.host.book.p.Now()
	default:
		k.log, k.err = log, nil
		log.Message(inv)
		log.Message(first)
	}
	k.mu.Unlock()
	if late && err == nil {
		_ = log.Close("asked")
	}
	k.host.book.changed()
}

func (k *sink) status() (bool, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.on && k.log != nil && k.err == nil, k.err
}

func (k *sink) set(on bool) {
	k.mu.Lock()
	k.on, k.err = on, nil
	log := k.log
	if !on {
		k.log = nil
		k.asked++
	}
	k.mu.Unlock()
	if !on && log != nil {
		_ = log.Close("asked")
	}
}

func (k *sink) close() {
	k.mu.Lock()
	log := k.log
	k.log, k.on = nil, false
	k.asked++
	k.mu.Unlock()
	if log != nil {
		_ = log.Close("end")
	}
}
