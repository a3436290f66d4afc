//go:build linux && cgo

package nvml

import (
	"sync"
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"rentgen/probe"
)

// A pass reads every card once. One goroutine does it for all, because waking
// one for each card would cost more than the readings. When a call does not
// return, the pass is abandoned together with its goroutine, which ends when the
// call does; a new one goes on with the next card.
type pass struct {
	opt  Options
	devs []*device
	out  []probe.GPU
	done chan struct{}

	mu        sync.Mutex
	next      int
	since     time.Time // the reading of devs[next-1] began
	abandoned bool
}

// worker reads passes until one is abandoned.
func (l *Library) worker(work <-chan *pass) {
	for p := range work {
		if !p.run() {
			return
		}
	}
}

// run reports whether the pass came to its end.
func (p *pass) run() bool {
	for {
		p.mu.Lock()
		if p.next >= len(p.devs) {
			p.mu.Unlock()
			close(p.done)
			return true
		}
		i := p.next
		d := p.devs[i]
		p.next++
		p.since = time.Now()
		d.busy.Store(true)
		p.mu.Unlock()

		d.read(p.opt)

		p.mu.Lock()
		if p.abandoned {
			p.mu.Unlock()
			d.busy.Store(false)
			return false
		}
		p.out[i] = d.gpu
		d.busy.Store(false)
		p.mu.Unlock()
	}
}

// Sample takes one tick of all cards. It returns when every card has answered,
// or has been set aside because a call took longer than Params.StallAfter.
// Sequence number and system readings are the caller's.
func (l *Library) Sample(opt Options) *probe.Sample {
	now := time.Now()
	l.lastSample.Store(int64(now.Sub(l.start)) + 1)
	at := l.p.Now()
	s := &probe.Sample{Time: at, HostTime: at, GPUs: make([]probe.GPU, len(l.devs))}
	var todo []*device
	var place []int
	for i, d := range l.devs {
		if d.isStalled() && (d.busy.Load() || now.Before(d.retryAt)) {
			l.stalledReading(d, &s.GPUs[i])
			continue
		}
		todo, place = append(todo, d), append(place, i)
	}
	for len(todo) > 0 {
		p := &pass{opt: opt, devs: todo, out: make([]probe.GPU, len(todo)), done: make(chan struct{})}
		stuck := l.runPass(p)
		n := len(todo)
		if stuck >= 0 {
			n = stuck
		}
		for i := range n {
			s.GPUs[place[i]] = p.out[i]
			l.judge(todo[i], opt)
		}
		if stuck < 0 {
			break
		}
		l.stalledReading(todo[stuck], &s.GPUs[place[stuck]])
		todo, place = todo[stuck+1:], place[stuck+1:]
	}
	l.pcie.collect(l)
	for i, d := range l.devs {
		d.addBackground(&s.GPUs[i], time.Since(l.start))
	}
	l.back.watch(l)
	if opt.Slow && l.slowSeen {
		l.back.hurry()
	}
	l.slowSeen = true
	return s
}

// runPass waits for a pass and returns the place of the card it hangs on, or -1.
func (l *Library) runPass(p *pass) int {
	l.work <- p
	l.timer.Reset(l.p.StallAfter)
	defer l.timer.Stop()
	for {
		select {
		case <-p.done:
			return -1
		case <-l.timer.C:
		}
		p.mu.Lock()
		if p.next == 0 {
			p.mu.Unlock()
			l.timer.Reset(l.p.StallAfter)
			continue
		}
		if wait := l.p.StallAfter - time.Since(p.since); wait > 0 {
			p.mu.Unlock()
			l.timer.Reset(wait)
			continue
		}
		d := p.devs[p.next-1]
		if !d.busy.Load() { // at the very end; done follows
			p.mu.Unlock()
			l.timer.Reset(l.p.StallAfter)
			continue
		}
		p.abandoned = true
		stuck := p.next - 1
		p.mu.Unlock()
		l.work = make(chan *pass)
		go l.worker(l.work)
		l.setProblem(d, probe.EventStalled, 0, "driver call does not return")
		d.stalls++
		d.retryAt = time.Now().Add(l.p.StallAfter << min(d.stalls, 8))
		return stuck
	}
}

func (d *device) isStalled() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.problem == probe.EventStalled
}

// stalledReading makes an entry without a number: an old one repeated would
// look alive.
func (l *Library) stalledReading(d *device, g *probe.GPU) {
	*g = probe.GPU{Index: d.info.Index, UUID: d.info.UUID, Name: d.info.Name}
	v := probe.Missing(probe.Error, "driver call does not return")
	for i := range g.Values {
		g.Values[i] = v
	}
}

// judge decides what a finished reading says about the whole card.
func (l *Library) judge(d *device, opt Options) {
	switch {
	case d.closed:
		if d.again != nil {
			l.reopen(d)
		} else if opt.Slow {
			l.setProblem(d, problemOf(d.fatal), int(d.fatal), returnText(d.fatal))
		}
	case d.fatal != nvml.SUCCESS:
		l.setProblem(d, problemOf(d.fatal), int(d.fatal), returnText(d.fatal))
	case d.good == 0 && d.unknown >= 3:
		l.setProblem(d, probe.EventAccess, int(nvml.ERROR_UNKNOWN), returnText(nvml.ERROR_UNKNOWN))
	default:
		l.setProblem(d, "", 0, "")
		if opt.Slow && d.stalls > 0 {
			d.stalls-- // it behaves; the next time it is tried again sooner
		}
	}
}

// setProblem tells a change of a card's condition once.
func (l *Library) setProblem(d *device, kind string, code int, raw string) {
	d.mu.Lock()
	changed := d.problem != kind
	d.problem, d.raw, d.info.Problem = kind, raw, kind
	d.mu.Unlock()
	if !changed {
		return
	}
	l.generation.Add(1)
	ev := probe.Event{GPU: d.info.UUID, Kind: kind, Code: code, Text: problemText(kind), Raw: raw}
	if kind == "" {
		ev.Kind, ev.Text = probe.EventBack, "The card can be read again."
	}
	l.emit(ev)
}

// reopen takes in a card that could not be opened at the start and now could.
func (l *Library) reopen(d *device) {
	d.mu.Lock()
	d.h, d.raw0, d.closed = d.again.h, d.again.raw0, false
	d.info, d.total, d.again = d.again.info, d.again.total, nil
	d.mu.Unlock()
	l.pcie.restart(l.devs)
	l.setProblem(d, "", 0, "")
}
