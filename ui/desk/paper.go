package desk

import (
	"reflect"
	"time"

	"rentgen/app/plan"
)

// paper is one plan: as it is kept until it is opened, then with its past.
type paper struct {
	rec   Record
	read  bool  // rec.Body was decoded
	err   error // of the decoding: the plan is kept as it is
	fresh bool  // made here and not kept yet

	plan       plan.Plan
	undo, redo []plan.Plan
	what       string    // the last edit, for merging
	when       time.Time // of it
	drafts     map[string]string
}

// open decodes the plan once.
func (p *paper) open(decode func([]byte) (plan.Plan, error)) {
	if p.read {
		return
	}
	p.read = true
	p.plan, p.err = decode(p.rec.Body)
	if p.err != nil {
		p.plan = plan.Plan{}
		return
	}
	p.plan.Name = p.rec.Name
}

// edit changes the plan and reports whether anything is different.
func (p *paper) edit(what string, now time.Time, f func(*plan.Plan)) bool {
	next := clone(p.plan)
	f(&next)
	if reflect.DeepEqual(next, p.plan) {
		return false
	}
	merged := what != "" && what == p.what && now.Sub(p.when) < typingPause && len(p.undo) > 0
	if !merged {
		p.undo = append(p.undo, p.plan)
		if n := len(p.undo) - mostSteps; n > 0 {
			p.undo = append([]plan.Plan(nil), p.undo[n:]...)
		}
	}
	p.plan, p.redo = next, nil
	p.what, p.when = what, now
	p.rec.Name = next.Name
	return true
}

// back goes one step back, or forth with redo, and reports whether it did.
func (p *paper) back(redo bool) bool {
	from, to := &p.undo, &p.redo
	if redo {
		from, to = to, from
	}
	n := len(*from)
	if n == 0 {
		return false
	}
	*to = append(*to, p.plan)
	p.plan = (*from)[n-1]
	*from = (*from)[:n-1]
	p.what, p.drafts = "", nil
	p.rec.Name = p.plan.Name
	return true
}
