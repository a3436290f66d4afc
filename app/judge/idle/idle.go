// Package idle says when cards rest, by utilisation, power, processes and the
// queue of the program that paints. The P-state says nothing of it: a card may
// rest in P0. A model that lies in VRAM is rest as well.
package idle

import (
	"math"

	"rentgen/app/judge"
	"rentgen/app/judge/series"
	"rentgen/assets/texts"
	"rentgen/probe"
)

// Rules returns the rules of this room.
func Rules() []series.Rule {
	return []series.Rule{
		{Name: "idle/signals", Kinds: []series.Kind{series.Idle}, Tally: func() series.Tally { return &beside{} }, Judge: rest},
		{Name: "idle/unread", Kinds: []series.Kind{series.Unread}, Judge: unread},
	}
}

// beside counts the seconds in which another card was at work.
type beside struct{ busy int }

// Add counts a second in.
func (b *beside) Add(s *series.Second) {
	for _, p := range s.Cards {
		if s.Card != nil && p.UUID != s.Card.UUID && p.Active {
			b.busy++
			return
		}
	}
}

var lim = struct{ least, util, above, watts, model, unread float64 }{
	series.Limit("idle.least"), series.Limit("idle.util"), series.Limit("idle.above-floor"), series.Limit("idle.above-floor-watts"),
	series.Limit("idle.model"), series.Limit("unread.least"),
}

// rest judges a phase in which a card did nothing.
func rest(c *series.Case) []judge.Verdict {
	if float64(c.Seconds) < lim.least || c.Step > 1 && c.Seconds < series.Single(c.Step) {
		return nil
	}
	f := series.Finding{
		Kind: judge.Idle, Level: judge.Info, Confidence: 0.95, Next: next(c.Setting),
		Numbers: map[string]judge.Number{"seconds": {Value: float64(c.Seconds), Unit: "s"}},
	}
	// To stop the instance would stop the others.
	if b, ok := c.Tally.(*beside); ok && 2*b.busy >= c.Seconds {
		f.Next = "idle.beside"
	}
	util, power, mem := c.Stat(probe.UtilGPU), c.Stat(probe.Power), c.Stat(probe.MemUsed)
	if util.N > 0 {
		f.Numbers["util_pct"] = judge.Number{Value: math.Round(util.Mean*10) / 10, Unit: "%"}
		if util.P95 >= lim.util {
			f.Confidence -= 0.1
		}
	} else {
		f.Confidence -= 0.2
		f.Doubts = append(f.Doubts, series.Doubt("util-unread"))
	}
	if power.N > 0 {
		f.Numbers["power_w"] = judge.Number{Value: math.Round(power.P50), Unit: "W"}
		if c.Floor > 0 && power.P50 > lim.above*c.Floor+lim.watts {
			f.Confidence -= 0.15
			f.Doubts = append(f.Doubts, series.Doubt("power-above-floor"))
		}
	} else {
		f.Doubts = append(f.Doubts, series.Doubt("power-unread"))
		f.Confidence -= 0.05
	}
	own, queue := c.Stat(probe.OwnProcs), c.Stat(probe.Queue)
	if queue.N > 0 && queue.P50 > 0 {
		f.Confidence -= 0.25
		f.Doubts = append(f.Doubts, series.Doubt("queue-waits"))
	} else if queue.N > 0 {
		f.Confidence = min(0.99, f.Confidence+0.03)
	}
	switch {
	case mem.N > 0 && mem.P50 >= lim.model && !(own.N > 0 && own.Peak == 0):
		f.Say = "idle.model"
		f.Numbers["mem_used_mib"] = judge.Number{Value: mem.P50, Unit: "MiB"}
	case power.N == 0:
		f.Say = "idle.plain"
	}
	return []judge.Verdict{c.Verdict("idle/signals", f)}
}

// unread judges a phase in which neither utilisation nor the card's own power
// can be read: a slice, a virtual card, a container that may not ask.
func unread(c *series.Case) []judge.Verdict {
	if float64(c.Seconds) < lim.unread {
		return nil
	}
	own, queue := c.Stat(probe.OwnProcs), c.Stat(probe.Queue)
	numbers := map[string]judge.Number{"seconds": {Value: float64(c.Seconds), Unit: "s"}}
	if own.N == c.Seconds && float64(c.Seconds) >= lim.least && byProcesses(own.Peak, queue.Peak) {
		f := series.Finding{
			Kind: judge.Idle, Level: judge.Info, Confidence: 0.6, Numbers: numbers, Say: "idle.processes", Next: next(c.Setting),
			Doubts: []texts.Phrase{series.Doubt("util-unread"), series.Doubt("power-unread")},
		}
		if queue.N > 0 {
			f.Confidence = 0.75
		}
		return []judge.Verdict{c.Verdict("idle/signals", f)}
	}
	f := series.Finding{
		Kind: judge.NotEnoughData, Level: judge.Unknown, Confidence: 1, Numbers: numbers,
		Args: []any{"why", series.Why(c.State(probe.UtilGPU))},
	}
	switch st := c.State(probe.UtilGPU); {
	case c.Device.Parent != "" || c.Device.MIG == "on":
		f.Say, f.Next = "not-enough-data.slice", "not-enough-data.slice"
	case st == probe.OK && c.Has(probe.UtilGPU) && c.Has(probe.Power):
		// Read and not believed.
		f.Say, f.Next, f.Confidence = "not-enough-data.contrary", "not-enough-data.contrary", 0.9
		f.Numbers["power_w"] = judge.Number{Value: math.Round(c.Stat(probe.Power).P50), Unit: "W"}
		f.Numbers["util_pct"] = judge.Number{Value: math.Round(c.Stat(probe.UtilGPU).Mean), Unit: "%"}
	case st == probe.OK || st == probe.Pending:
		f.Say = "not-enough-data.pending"
	case st == probe.Unsupported:
		f.Say, f.Next = "not-enough-data.absent", "not-enough-data.absent"
	case st == probe.Denied:
		f.Next = "not-enough-data.denied"
	}
	return []judge.Verdict{c.Verdict("idle/unread", f)}
}

// next is what to do about a card that rests.
func next(s judge.Setting) string {
	if s.Track == "dedicated" {
		return "idle.dedicated"
	}
	return "idle"
}
