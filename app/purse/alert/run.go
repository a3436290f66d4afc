package alert

import (
	"fmt"
	"time"

	"rentgen/app/purse"
)

// run follows one host's work, to tell when it has ended.
type run struct {
	from      time.Time // when it was first seen busy
	last      time.Time // when it was last seen busy
	quiet     time.Time // since when it isn't
	wokeAfter bool      // nobody watched between last and quiet
}

const (
	// An empty queue says that the run is over; without one the pause between two
	// pictures has to be waited out.
	queueCalm = 30 * time.Second
	pauseCalm = 3 * time.Minute
)

// step takes what is known now and returns the end of a run, if it is one.
func (w *run) step(in *Input, r *Rules, now time.Time) (finding, bool) {
	busy := in.busy()
	switch {
	case in.Stopped:
		*w = run{}
		return finding{}, false
	case busy == nil:
		return finding{}, false
	case *busy:
		if w.from.IsZero() || now.Before(w.last) {
			w.from = now
		}
		w.last, w.quiet = now, time.Time{}
		return finding{}, false
	case w.from.IsZero():
		return finding{}, false
	}
	if w.quiet.IsZero() {
		w.wokeAfter = now.Sub(w.last) > jump
		w.quiet = now
		if since := now.Add(-in.idleFor()); since.Before(now) && since.After(w.last) {
			w.quiet, w.wokeAfter = since, false
		} else if !w.wokeAfter {
			w.quiet = w.last
		}
	}
	calm := pauseCalm
	if in.Queue != nil {
		if *in.Queue > 0 {
			return finding{}, false
		}
		calm = queueCalm
	}
	if now.Sub(w.quiet) < calm {
		return finding{}, false
	}
	ended, long := *w, w.last.Sub(w.from)
	*w = run{}
	if long < time.Duration(r.DoneMinutes)*time.Minute {
		return finding{}, false
	}
	f := finding{kind: purse.AlertDone, sub: fmt.Sprint(ended.from.UnixMilli()), is: yes, facts: base(in)}
	f.facts.For, f.facts.To = ended.quiet.Sub(ended.from), ended.quiet
	if ended.wokeAfter {
		f.facts.From, f.facts.For = ended.last, long
	}
	return f, true
}
