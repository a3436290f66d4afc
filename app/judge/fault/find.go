package fault

import (
	"strconv"
	"time"

	"rentgen/app/judge"
	"rentgen/app/judge/series"
	"rentgen/assets/texts"
)

func seconds(id string) time.Duration { return time.Duration(series.Limit(id)) * time.Second }

var limits = struct {
	rejoin, fresh, silent, back time.Duration
	corrected, pages            float64
}{
	seconds("fault.rejoin"), seconds("fault.fresh"), seconds("fault.silent"), seconds("fault.back"),
	series.Limit("fault.ecc-corrected"), series.Limit("fault.pages"),
}

// found is a fault before it becomes a verdict or joins one.
type found struct {
	kind    judge.Kind
	gpu     string
	at      time.Time
	level   judge.Level
	sure    float64
	rule    string
	say     string // "" for the kind's own
	next    string // "" for the same as say
	until   string
	id      int // tells faults of one kind apart
	add     float64
	numbers map[string]judge.Number
	args    []any
	doubts  []texts.Phrase
}

// find opens a fault, or counts it to the one that is open.
func (w *Watch) find(f found) {
	if f.say == "" {
		f.say = string(f.kind)
	}
	if f.next == "" {
		f.next = f.say
	}
	if f.add == 0 {
		f.add = 1
	}
	key := f.say + "/" + f.gpu + "/" + strconv.Itoa(f.id)
	s := w.open[key]
	if s != nil && s.until == untilTime && f.at.Sub(s.last) > limits.rejoin {
		w.close(key, s.To)
		s = nil
	}
	if s == nil {
		if len(w.open) >= maxOpen {
			return
		}
		s = &standing{Verdict: judge.Verdict{Kind: f.kind, GPU: f.gpu, From: f.at, To: f.at.Add(time.Second)}, until: f.until}
		w.open[key] = s
	}
	s.count += f.add
	s.last = later(s.last, f.at)
	s.To = later(s.To, f.at.Add(time.Second))
	if f.at.Before(s.From) {
		s.From = f.at
	}
	numbers := map[string]judge.Number{"count": {Value: s.count}}
	for k, n := range f.numbers {
		numbers[k] = n
	}
	if f.kind == judge.FaultECC {
		f.level = graver(f, s.count)
	}
	s.Level, s.Confidence, s.Doubts, s.Numbers, s.Rule = f.level, f.sure, f.doubts, numbers, f.rule
	args := series.Pairs(numbers, f.args...)
	s.Say, s.Next = texts.P("judge.say."+f.say, args...), w.next(f.next, args)
}

// next is what to do: in a container the provider must act, on a whole machine
// much can be done by oneself. Where the track isn't known the first is right.
func (w *Watch) next(key string, args []any) texts.Phrase {
	if w.set.Track == "dedicated" && texts.Has("judge.next."+key+".dedicated") {
		return texts.P("judge.next."+key+".dedicated", args...)
	}
	return texts.P("judge.next."+key, args...)
}

// graver returns how much a count of VRAM errors means.
func graver(f found, count float64) judge.Level {
	switch {
	case f.say == "fault.ecc":
		return judge.Fail
	case f.say == "fault.ecc.corrected" && count >= limits.corrected, f.say == "fault.ecc.pages" && count >= limits.pages:
		return judge.Warn
	}
	return judge.Info
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
