package advice

import (
	"slices"

	"rentgen/app/bill/sheet"
)

// open lists what nobody answered although it could turn the answer; text
// "advice.open.<id>".
func (v verdict) open() []string {
	var ids []string
	add := func(id string, matters bool) {
		if matters && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	q := v.in.Questions
	add("offers", len(v.field.sides) == 0)
	add("sensitivity", q.Sensitivity == "" && (v.basis == ByNothing || v.turns("sensitivity")))
	bare := v.basis != ByBills
	add("duration", bare && q.Duration == "")
	add("load", bare && q.Load == "")
	_, idle := idleShare(v.in, nil)
	add("idle", bare && !idle)
	add("vram", v.in.Fit.VRAM.High <= 0)
	add("proven", !q.Proven && q.FailShare == nil && (v.choice == Validate || v.choice == Dedicated || v.choice == Tie) && v.turns("proven"))
	add("fail_share", v.choice == Validate && q.FailShare == nil)
	if len(v.field.sides) > 0 {
		add("rights", v.rightsUnsure())
		add("machine", v.any(func(s *side) bool { return s.bill.Offer.Machine == "" }))
		add("price", v.any(func(s *side) bool { return s.bill.Status == sheet.NoPrice }))
		add("hours", v.any(func(s *side) bool { return s.bill.Status == sheet.NoHours }))
		add("bad_terms", v.any(func(s *side) bool { return s.bill.Status == sheet.BadTerms }))
		add("rate", v.any(func(s *side) bool { return s.bill.Status == sheet.NoRate }))
		add("offer.shared", len(of(v.field.sides, Shared)) == 0 && len(v.field.closed[Shared]) == 0)
		add("offer.dedicated", len(of(v.field.sides, Dedicated)) == 0)
		steady := slices.ContainsFunc(v.field.sides, func(s *side) bool { return s.free() && stable(s.bill.Offer) })
		add("offer.steady", q.Steady && !steady)
		add("short", v.chosen(func(s *side) bool { return s.bill.Usage.Short() }))
		add("terms", v.chosen(func(s *side) bool { return len(s.bill.Unknown) > 0 }))
		add("example", v.chosen(func(s *side) bool { return s.bill.Offer.Example }))
	}
	return ids
}

// any asks among the offers that are not ruled out.
func (v verdict) any(f func(*side) bool) bool {
	return slices.ContainsFunc(v.field.sides, func(s *side) bool { return s.free() && f(s) })
}

// chosen asks among the offers of the answer.
func (v verdict) chosen(f func(*side) bool) bool {
	for _, s := range []*side{v.take, v.then, v.rival} {
		if s != nil && f(s) {
			return true
		}
	}
	return false
}

// turns reports whether another answer to a question would change the choice.
func (v verdict) turns(input string) bool {
	for _, t := range trials(v.in.Questions) {
		if t.input != input {
			continue
		}
		in := v.in
		in.Questions = t.with
		if decide(in).choice != v.choice {
			return true
		}
	}
	return false
}

// rightsUnsure reports whether a right that is needed rests on what is usual.
func (v verdict) rightsUnsure() bool {
	return v.chosen(func(s *side) bool {
		if s.kind == Validate {
			return false
		}
		for _, r := range rights {
			if !v.in.Questions.asks(r) {
				continue
			}
			if _, sure := gives(s.bill.Offer, r, v.in.Questions); !sure {
				return true
			}
		}
		return false
	})
}
