package track

import (
	"slices"

	"rentgen/app/guide"
	"rentgen/assets/texts"
)

// check puts a check together.
func (p *MakeParams) check(id guide.CheckID) CheckView {
	c := CheckView{ID: id, Def: p.Def(id), Skipped: p.skipped(string(id))}
	c.Command, c.Wants = p.Command(id)
	if _, ok := p.Latest[guide.DiskDf]; c.Wants == "dir" && !ok {
		c.Wants = "" // a run learns it from the mounts
	}
	if e := p.Edits[id]; e != "" {
		c.Command, c.Edited, c.Wants = e, true, ""
	}
	j, ran := p.Latest[id]
	if ran && j.BlockedBy == "" {
		c.Record, c.Outcome = &j.Record, j.Outcome
	}
	stale := Aged(j.Record, p.Instance, p.Now)
	switch parent := p.failed(id); {
	case c.Skipped != nil:
		c.State, c.Verdict = Left, guide.Skip
		if c.Record != nil && stale == StaleNot && c.Outcome.Verdict == guide.Fail {
			c.Verdict = guide.Warn // known to be wrong, and left so
		}
	case parent != "":
		c.State, c.Verdict, c.BlockedBy = Blocked, guide.Skip, parent
	case c.Record == nil:
		c.State = Idle
		if c.Wants != "" {
			c.Verdict = guide.Skip
		}
	default:
		p.ended(&c, stale)
	}
	c.Line = p.line(&c)
	if l := p.Live; l != nil && slices.Contains(l.Checks, id) && !l.Done[id] {
		c.State, c.Line = Queued, texts.P("track.line.queued")
		if l.Running == id {
			c.State, c.Line = Running, texts.P("track.line.running")
		}
	}
	return c
}

// ended is a check that has a verdict.
func (p *MakeParams) ended(c *CheckView, stale Staleness) {
	c.State, c.Verdict = Done, c.Outcome.Verdict
	c.StaleWhy = stale.phrase(*c.Record, p.Instance, p.Now)
	if stale != StaleNot && c.Verdict == guide.Pass {
		c.State, c.Verdict = Stale, guide.NotRun
		return
	}
	if c.Verdict == guide.Pass {
		c.Fine = texts.P("track.fine.already")
		if _, ok := p.Before[c.ID]; ok {
			c.Fine = texts.P("track.fine.now")
		}
	}
	if stale != StaleNot {
		return
	}
	r := relate(Judged{*c.Record, c.Outcome}, p.Track, p.Needs)
	c.Job, c.Blocks, c.Tight = r.says, r.blocks, r.tight
	switch {
	case r.blocks:
		c.Verdict = guide.Fail
	case r.tight:
		c.Verdict = guide.Worse(c.Verdict, guide.Warn)
	}
}

// line is what a check says in one line.
func (p *MakeParams) line(c *CheckView) texts.Phrase {
	switch {
	case c.State == Left:
		return texts.P("track.line.left", "reason", c.Skipped.Reason)
	case c.State == Blocked:
		return texts.P("track.line.blocked", "check", CheckName(c.BlockedBy))
	case c.State == Stale:
		return c.StaleWhy
	case c.Record == nil && c.Wants != "":
		return texts.P("track.line.wants", "value", texts.P("track.value."+c.Wants))
	case c.Record == nil:
		return texts.P("track.line.idle")
	case !c.StaleWhy.IsZero():
		return texts.P("track.line.old", "says", c.Outcome.Worst().Says, "why", c.StaleWhy)
	case (c.Blocks || c.Tight) && c.Outcome.Verdict != guide.Fail:
		return c.Job
	}
	return c.Outcome.Worst().Says
}

// failed returns the check whose failure keeps this one from meaning anything: a
// parent, or what keeps the parent itself. A record that is later than the
// parent's stands for itself.
func (p *MakeParams) failed(id guide.CheckID) guide.CheckID {
	own, ran := p.Latest[id]
	for _, parent := range p.Def(id).Parents {
		root := p.failed(parent)
		if root == "" {
			if j, ok := p.Latest[parent]; ok && j.BlockedBy == "" && j.Outcome.Verdict == guide.Fail {
				root = parent
			}
		}
		if root == "" {
			continue
		}
		if !ran || own.BlockedBy != "" || !own.Time.After(p.Latest[root].Time) {
			return root
		}
	}
	return ""
}

// CheckName is the short name of a check.
func CheckName(id guide.CheckID) texts.Phrase { return texts.P("track.check." + string(id)) }

// Check returns a check of the view, also a folded one.
func (v View) Check(id guide.CheckID) (CheckView, bool) {
	for _, s := range v.Steps {
		for _, c := range s.Checks {
			if c.ID == id {
				return c, true
			}
		}
	}
	for _, c := range v.Folded {
		if c.ID == id {
			return c, true
		}
	}
	return CheckView{}, false
}

// Again returns the checks that have to be run again: those that another run of
// the instance, or time, made doubtful, and what they block.
func Again(v View) []guide.CheckID {
	var ids []guide.CheckID
	each(v, func(_ StepView, c CheckView) {
		if !c.StaleWhy.IsZero() && !slices.Contains(ids, c.ID) {
			ids = append(ids, c.ID)
		}
	})
	roots := slices.Clone(ids)
	each(v, func(_ StepView, c CheckView) {
		if c.State == Blocked && slices.Contains(roots, c.BlockedBy) && !slices.Contains(ids, c.ID) {
			ids = append(ids, c.ID)
		}
	})
	return ids
}

// each goes through the checks of the steps that were not left out.
func each(v View, f func(StepView, CheckView)) {
	for _, s := range v.Steps {
		if s.Skipped != nil {
			continue
		}
		for _, c := range s.Checks {
			if c.State != Left {
				f(s, c)
			}
		}
	}
}
