package resident

import (
	"rentgen/app/purse/guard"
	"rentgen/assets/texts"
	"rentgen/ui/home"
)

// Recorder is how it stands with the recorder of a host.
func (r *Residents) Recorder(id string) home.Recorder {
	x := r.look(id)
	if no, _ := r.p.Nobody(id); !no.IsZero() {
		return home.Recorder{State: home.RecorderRefused, Why: no}
	}
	out := home.Recorder{Since: x.recorder.Started, Until: x.recorder.Until, Bytes: x.recorder.Bytes, Why: x.why}
	switch {
	case x.busy:
		out.State = home.RecorderBusy
	case !x.known && !x.why.IsZero():
		out.State = home.RecorderRefused
	case !x.known:
		out.State = home.RecorderUnknown
	case !x.recorder.There:
		out.State = home.RecorderOff
	case x.recorder.Running:
		out.State = home.RecorderOn
	default:
		out.State = home.RecorderEnded
	}
	return out
}

// Guard is how it stands with the stop guard of a host.
func (r *Residents) Guard(id string) home.Guard {
	x := r.look(id)
	if _, no := r.p.Nobody(id); !no.IsZero() {
		return home.Guard{State: home.GuardRefused, Why: no}
	}
	s := x.report.State
	out := home.Guard{
		DryRun: s.Order.DryRun, After: s.Order.After, OnQueue: s.Order.OnQueue, QueuePort: s.Order.QueuePort, Countdown: s.Order.Countdown,
		IdleFor: s.Idle, StopAt: s.StopAt, KeptUntil: s.KeepUntil,
		Rule: x.can.Say, Limit: x.can.Limit, Warn: x.can.Warn, Why: x.guardWhy, Last: x.last, Command: string(x.can.Action),
		DryDone: x.can.OK && s.Practised(x.can.Action),
	}
	if out.After == 0 {
		out.After = guard.DefaultAfter
	}
	if out.IdleFor == 0 && !s.Since.IsZero() {
		out.IdleFor = r.p.Now().Sub(s.Since) // the recorder tells no more than that
	}
	switch {
	case x.busy:
		out.State = home.GuardBusy
	case x.checked && !x.can.OK:
		out.State, out.Why, out.Rule = home.GuardRefused, x.can.Say, texts.Phrase{}
	case !x.checked || !x.known:
		out.State = home.GuardUnknown
	case s.Phase == guard.Silent:
		out.State = home.GuardRefused
		out.Why = s.Say(r.p.Now())
	case s.Phase != "" && s.Phase != guard.Off:
		out.State = home.GuardState(s.Phase)
		if s.Phase == guard.Watching {
			out.Busy, out.Unread = named(s.Busy)
		}
		if s.Phase == guard.Refused && out.Why.IsZero() {
			out.Why = s.Say(r.p.Now())
		}
	default:
		out.State = home.GuardOff
	}
	return out
}

// named are the names of what is not quiet and of what can't be read, each once.
func named(rs []guard.Reason) (busy, unread []texts.Phrase) {
	seen := map[string]bool{}
	for _, x := range rs {
		if seen[x.Signal] {
			continue
		}
		seen[x.Signal] = true
		to := &busy
		if x.Unread {
			to, x.Unread = &unread, false // said of all together
		}
		*to = append(*to, x.Name())
	}
	return busy, unread
}
