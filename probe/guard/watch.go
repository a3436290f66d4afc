package guard

import (
	"time"

	"rentgen/probe"
)

// maxMissed is the longest time between two looks of which the first may be
// taken to speak: beyond it nobody knows what happened in between.
const maxMissed = 5 * time.Second

// Keep is what the user says on the host to hold the guard back.
type Keep struct {
	On    bool
	Until time.Time // zero: until it is taken back
}

// Input is one second as the guard sees it.
type Input struct {
	Now     time.Time     // the host's wall clock; for what is shown and for Keep
	Mono    time.Duration // the host's monotonic clock; for every duration
	Sample  *probe.Sample
	Signals Signals
	Keep    Keep
}

// Watch decides. It is for one goroutine, and reads no clock of its own.
type Watch struct {
	order Order
	state State

	started bool
	last    time.Duration // of the latest look
	quiet   time.Duration // since when all is quiet; last where it isn't
	count   time.Duration // when the countdown ends
	ring    [int(Window / time.Second)]point
	means   load // of the ring, at the latest look
	n       int  // points taken
	peaks   Peaks
	queued  bool
	asked   bool // the stop was asked for: nothing more is
}

type point struct {
	at time.Duration
	load
}

// New returns a watch for an order that passes Check. before is the state that an
// earlier program left, boot the machine's present boot: what was counted before
// is not taken over, since nobody looked in between; a refusal and the record of
// a dry run are.
func New(o Order, before State, boot string) *Watch {
	w := &Watch{order: o}
	w.state = State{Phase: Watching, Order: o, Boot: boot}
	if before.DryOf == o.Action {
		w.state.DryAt, w.state.DryOf = before.DryAt, before.DryOf
	}
	lasting := before.Why == WhyFailed || before.Why == WhyNothing
	switch {
	case before.Phase == Refused && lasting && SameBoot(before.Boot, boot) && before.Order.Given.Equal(o.Given):
		w.Refuse(before.Why, before.Detail)
	case !o.DryRun && w.state.DryAt.IsZero():
		w.Refuse(WhyNoDry, "")
	}
	return w
}

// State returns the latest state.
func (w *Watch) State() State { return w.state }

// Peaks returns the most that each signal showed in the quiet span.
func (w *Watch) Peaks() Peaks { return w.peaks }

// Refuse ends the watch with a reason; nothing is asked for after it.
func (w *Watch) Refuse(why Why, detail string) State {
	w.state.Phase, w.state.Why, w.state.Detail = Refused, why, clip(detail)
	w.state.StopAt = time.Time{}
	return w.state
}

// Stood says that a machine whose stop was asked for still runs, and refuses.
func (w *Watch) Stood(detail string) State { return w.Refuse(WhyNothing, detail) }

// Look takes one second and returns the state. act is true once, when the command
// is to be given.
func (w *Watch) Look(in Input) (s State, act bool) {
	s = w.state
	s.Time = in.Now
	if s.Phase == Refused || w.asked {
		w.state = s
		return s, false
	}
	s.Busy = w.busy(in)
	if len(s.Busy) > maxReasons {
		s.Busy = s.Busy[:maxReasons]
	}
	if len(s.Busy) > 0 {
		w.quiet, w.peaks = in.Mono, Peaks{}
		s.Since = in.Now
	} else if s.Since.IsZero() {
		s.Since = in.Now
	}
	w.peaks.take(in, w.means)
	s.Idle = in.Mono - w.quiet
	s.Queued = w.queued

	keep, until := w.kept(in)
	switch {
	case keep:
		s.Phase, s.KeepUntil, s.StopAt, s.Cause = Kept, until, time.Time{}, ""
		// Who holds it back gets the whole time again afterwards.
		w.quiet, s.Since, s.Idle = in.Mono, in.Now, 0
	case len(s.Busy) > 0:
		s.Phase, s.KeepUntil, s.StopAt, s.Cause = Watching, time.Time{}, time.Time{}, ""
	case s.Phase == Counting && in.Mono >= w.count:
		s.StopAt = time.Time{}
		w.queued = false
		if w.order.DryRun {
			s.Phase, s.DryAt, s.DryOf = Would, in.Now, w.order.Action
			break
		}
		s.Phase, w.asked, act = Stopping, true, true
	case s.Phase == Counting || s.Phase == Would:
		// It goes on until something is busy.
	default:
		s.Phase, s.KeepUntil, s.Cause = Watching, time.Time{}, ""
		cause, due := w.due(s.Idle)
		if due {
			w.count = in.Mono + w.order.Countdown
			s.Phase, s.Cause, s.StopAt = Counting, cause, in.Now.Add(w.order.Countdown)
		}
	}
	w.state = s
	return s, act
}

// due reports whether the quiet has lasted long enough for a countdown, and why.
func (w *Watch) due(idle time.Duration) (Cause, bool) {
	switch {
	case w.order.OnQueue && w.queued && idle >= QueueQuiet:
		return CauseQueue, true
	case idle >= w.order.After:
		return CauseIdle, true
	}
	return "", false
}

func (w *Watch) kept(in Input) (bool, time.Time) {
	until := w.order.KeepUntil
	if in.Keep.On {
		if in.Keep.Until.IsZero() {
			return true, time.Time{}
		}
		if in.Keep.Until.After(until) {
			until = in.Keep.Until
		}
	}
	return until.After(in.Now), until
}

// busy returns everything that isn't quiet in this second.
func (w *Watch) busy(in Input) []Reason {
	var rs []Reason
	switch missed := in.Mono - w.last; {
	case !w.started:
		w.quiet = in.Mono
	case missed > maxMissed || missed < 0:
		rs = append(rs, Reason{Signal: SignalWatch, Value: missed.Seconds(), Limit: maxMissed.Seconds()})
		w.n = 0
	}
	w.last, w.started = in.Mono, true
	rs = append(rs, cards(in.Sample)...)
	w.ring[w.n%len(w.ring)] = point{in.Mono, loadOf(in.Sample, in.Signals)}
	w.n++
	w.means = w.mean()
	for _, r := range []*Reason{
		above(SignalCPU, w.means.cpu, CPULimit), above(SignalDisk, w.means.disk, DiskLimit), above(SignalNet, w.means.net, NetLimit),
	} {
		if r != nil {
			rs = append(rs, *r)
		}
	}
	rs = append(rs, person(in.Signals)...)
	if w.order.OnQueue {
		if n, ok := in.Signals.Queue.Ok(); ok && n > 0 {
			w.queued = true
		}
		if r := above(SignalQueue, in.Signals.Queue, 0); r != nil {
			rs = append(rs, *r)
		}
	}
	return rs
}

// mean is the mean of the loads over the Window; a second in it that can't be read
// makes a load unreadable.
func (w *Watch) mean() load {
	var cpu, disk, net tally
	for i := range min(w.n, len(w.ring)) {
		p := &w.ring[(w.n-1-i)%len(w.ring)]
		if i > 0 && w.last-p.at > Window {
			break
		}
		cpu.add(p.cpu)
		disk.add(p.disk)
		net.add(p.net)
	}
	return load{cpu.mean(), disk.mean(), net.mean()}
}

// tally is a sum of readings; the first that could not be read is kept.
type tally struct {
	sum     float64
	n       int
	missing probe.Value
	gap     bool
}

func (t *tally) add(v probe.Value) {
	n, ok := v.Ok()
	if !ok && !t.gap {
		t.missing, t.gap = v, true
	}
	t.sum, t.n = t.sum+n, t.n+1
}

func (t *tally) mean() probe.Value {
	switch {
	case t.gap:
		return t.missing
	case t.n == 0:
		return probe.Value{}
	}
	return probe.Of(t.sum / float64(t.n))
}
