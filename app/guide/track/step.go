package track

import (
	"slices"

	"rentgen/app/guide"
	"rentgen/assets/texts"
)

// step puts a step together; its worst child decides.
func (p *MakeParams) step(s Step) StepView {
	v := StepView{Step: s, Skipped: p.skipped(s.ID)}
	for _, id := range s.Checks {
		v.Checks = append(v.Checks, p.check(id))
	}
	for _, it := range s.Items {
		v.Items = append(v.Items, p.item(it))
	}
	v.State, v.Verdict = stateOf(v), verdictOf(v)
	v.Line = lineOf(v)
	if v.Skipped != nil {
		v.State = Left
		if v.Verdict == guide.Fail {
			v.Verdict = guide.Warn // known to be wrong, and left so
		} else {
			v.Verdict = guide.Skip
		}
		v.Line = texts.P("track.line.left", "reason", v.Skipped.Reason)
		return v
	}
	v.Blocks = slices.ContainsFunc(v.Checks, func(c CheckView) bool { return c.Blocks })
	return v
}

func verdictOf(v StepView) guide.Verdict {
	worst := guide.Skip
	if len(v.Checks) == 0 {
		worst = guide.NotRun
		if answered(v.Items) {
			worst = guide.Pass
		}
	}
	for _, c := range v.Checks {
		worst = guide.Worse(worst, c.Verdict)
	}
	for _, it := range v.Items {
		if it.Verdict == guide.Warn || it.Verdict == guide.Fail {
			worst = guide.Worse(worst, it.Verdict)
		}
	}
	return worst
}

// answered reports whether every item that is needed has its answer; where none
// is needed, whether all have.
func answered(items []ItemView) bool {
	needed := slices.ContainsFunc(items, func(it ItemView) bool { return it.Item.Needed })
	return !slices.ContainsFunc(items, func(it ItemView) bool { return it.Verdict == guide.NotRun && (it.Item.Needed || !needed) })
}

// stateOf is that of the most active child, else of the most doubtful.
func stateOf(v StepView) State {
	n := map[State]int{}
	for _, c := range v.Checks {
		n[c.State]++
	}
	for _, s := range []State{Running, Queued, Stale} {
		if n[s] > 0 {
			return s
		}
	}
	switch total := len(v.Checks); {
	case total == 0 && v.Verdict == guide.NotRun && !slices.ContainsFunc(v.Items, func(it ItemView) bool { return it.Tick != nil }):
		return Idle
	case total == 0 || n[Done] > 0:
		return Done
	case n[Left] == total:
		return Left
	case n[Blocked] > 0 && n[Idle] == 0:
		return Blocked
	}
	return Idle
}

// lineOf is the finding of the child that decides, named where there are several.
func lineOf(v StepView) texts.Phrase {
	for _, want := range []guide.Verdict{guide.Fail, guide.Warn} {
		for _, c := range v.Checks {
			if c.Verdict == want && want == v.Verdict {
				return named(c, len(v.Checks) > 1)
			}
		}
		for _, it := range v.Items {
			if it.Verdict == want && want == v.Verdict {
				return it.Finding
			}
		}
	}
	if len(v.Checks) == 0 {
		for _, it := range v.Items {
			if !it.Finding.IsZero() {
				return it.Finding
			}
		}
		if v.Verdict == guide.Pass {
			return texts.P("track.line.answered")
		}
		return texts.P("track.line.yours")
	}
	passed := 0
	for _, c := range v.Checks {
		if c.Verdict == guide.Pass {
			passed++
		}
	}
	for _, s := range []State{Running, Stale, Blocked} {
		for _, c := range v.Checks {
			if c.State == s && (s != Blocked || v.State == Blocked) {
				return named(c, len(v.Checks) > 1)
			}
		}
	}
	switch {
	case len(v.Checks) == 1 || passed == 0:
		return named(v.Checks[0], len(v.Checks) > 1 && v.Checks[0].State != Idle && v.Checks[0].State != Queued)
	case passed == len(v.Checks):
		return texts.P("track.line.fine", "n", passed)
	}
	return texts.P("track.line.some", "n", passed, "of", len(v.Checks))
}

func named(c CheckView, several bool) texts.Phrase {
	if !several {
		return c.Line
	}
	return texts.P("track.line.named", "check", CheckName(c.ID), "says", c.Line)
}
