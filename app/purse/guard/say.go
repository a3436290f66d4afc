package guard

import (
	"strings"
	"time"

	"rentgen/assets/texts"
)

func duration(d time.Duration) func(*texts.Catalogue) string {
	return func(c *texts.Catalogue) string { return texts.Duration(c, d) }
}

// moment is a time of day, with its date where that is not the day of now.
func moment(t, now time.Time) func(*texts.Catalogue) string {
	return func(c *texts.Catalogue) string {
		a, b := t.Local(), now.Local()
		if a.YearDay() == b.YearDay() && a.Year() == b.Year() {
			return texts.Minute(t)
		}
		return texts.DateTime(c, t)
	}
}

// Say is the sentence of a state. A dry run says in each that it is one.
func (s State) Say(now time.Time) texts.Phrase {
	dry := ""
	if s.Order.DryRun {
		dry = ".dry"
	}
	switch s.Phase {
	case Watching:
		if len(s.Busy) > 0 {
			return texts.P("guard.say.busy"+dry, "signals", signals(s.Busy), "after", duration(s.Order.After))
		}
		idle := s.Idle
		if idle == 0 && !s.Since.IsZero() {
			idle = now.Sub(s.Since) // the recorder tells no more than that
		}
		if s.Order.OnQueue {
			return texts.P("guard.say.quiet.queue"+dry, "idle", duration(idle), "after", duration(s.Order.After))
		}
		return texts.P("guard.say.quiet"+dry, "idle", duration(idle), "after", duration(s.Order.After))
	case Counting:
		return texts.P("guard.say.counting"+dry, "at", moment(s.StopAt, now), "left", duration(s.StopAt.Sub(now)))
	case Kept:
		if s.KeepUntil.IsZero() {
			return texts.P("guard.say.kept")
		}
		return texts.P("guard.say.kept.until", "at", moment(s.KeepUntil, now))
	case Would:
		return texts.P("guard.say.would", "at", moment(s.DryAt, now))
	case Stopping:
		return texts.P("guard.say.stopping")
	case Refused:
		return texts.P("guard.say.refused", "why", why(s.Why))
	case Silent:
		return texts.P("guard.say.silent")
	}
	return texts.P("guard.say.off")
}

// why is the sentence of a refusal; one of a newer program on the host is named as
// it is.
func why(code string) texts.Phrase {
	switch code {
	case "command":
		return texts.P("guard.why.command", "command", texts.P("guard.why.command.it"), "folders", texts.List(folders))
	case "order", "root", "pod", "key", "no-dry", "record", "failed", "nothing":
		return texts.P("guard.why." + code)
	}
	return texts.P("guard.why.other", "code", code)
}

// signals lists what is not quiet, each signal once.
func signals(rs []Reason) func(*texts.Catalogue) string {
	return func(c *texts.Catalogue) string {
		var all texts.List
		seen := map[string]bool{}
		for _, r := range rs {
			if seen[r.Signal] {
				continue
			}
			seen[r.Signal] = true
			all = append(all, c.Say(r.Name()))
		}
		return c.Say(texts.P("guard.say.list", "list", all))
	}
}

// known are the signals that have a text.
const known = " gpu cpu disk net terminal forward queue watch "

// Name says which signal it is, and that it can't be read where that is so.
func (r Reason) Name() texts.Phrase {
	var p texts.Phrase
	if strings.Contains(known, " "+r.Signal+" ") {
		p = texts.P("guard.signal." + r.Signal)
	} else {
		p = texts.P("guard.signal.other", "code", r.Signal)
	}
	if r.Unread {
		return texts.P("guard.signal.unread", "signal", p)
	}
	return p
}

// Unreadable are the signals that keep the guard from ever acting: what can't be
// read counts as busy. Empty: all can be read.
func (s State) Unreadable() []Reason {
	var rs []Reason
	for _, r := range s.Busy {
		if r.Unread {
			rs = append(rs, r)
		}
	}
	return rs
}
