package advice

import (
	"slices"

	"rentgen/app/bill/sheet"
	"rentgen/app/workload"
)

// Input is what an advice is made from. Everything may be empty: without offers
// the answer comes from the questions alone and says so.
type Input struct {
	Questions Questions
	Fit       workload.Answer
	Hours     []workload.Hours // by offer; one alone counts for all
	Sheet     sheet.Sheet
	Chance    *sheet.Chance // nil: not drawn yet, the bands answer
	// NoTrial says that nothing is tried out before paying: a class starts on its
	// first day.
	NoTrial bool
}

// Give returns the advice. The same input gives the same answer, and the order
// of the offers doesn't matter.
//
// First what is ruled out (sensitivity, VRAM, rights), looking at card and
// machine only; then, where steady speed is asked for, offers that promise it go
// before those that don't; then cost decides among what is left, looking at
// totals only. Two ways whose chance of being the cheaper one lies between 40
// and 60 % are a tie.
func Give(in Input) Advice {
	v := decide(in)
	a := v.advice()
	a.Reasons = v.reasons()
	a.Sentence = v.sentence()
	a.WouldChange = v.changes()
	a.Open = v.open()
	return a
}

// verdict is a decision with what it was taken from.
type verdict struct {
	in    Input
	field field
	basis Basis

	choice Choice
	take   *side // nil: no offer
	then   *side // of Validate and of a tie
	mixed  *side // the bill of the mixed path, where one competed
	rival  *side // the cheapest of another kind
	chance *float64
	score  int // of the questions
}

func (v verdict) advice() Advice {
	a := Advice{Choice: v.choice, Basis: v.basis, Vetoes: v.field.vetoes, Chance: v.chance}
	if v.take != nil {
		a.Offer = v.take.name()
		a.Total = total(v.take)
	}
	if v.then != nil {
		a.Second = v.then.name()
	}
	switch {
	case v.choice == Validate && v.mixed != nil:
		a.Total = total(v.mixed)
	case v.choice == Validate:
		a.Total = total(v.then)
	case v.choice == Tie && v.mixed != nil && a.Total != nil && v.mixed.bill.Total.Point.Less(a.Total.Point):
		a.Total = total(v.mixed)
	}
	return a
}

// decide takes the decision without explaining it.
func decide(in Input) verdict {
	v := verdict{in: in, field: look(in), basis: ByBills}
	free := v.field.free(func(*side) bool { return true })
	priced := v.field.free((*side).priced)
	switch {
	case len(v.field.sides) > 0 && len(free) == 0:
		v.choice = Nothing
	case len(priced) == 0 || oneSided(free, priced):
		v.fromQuestions(free)
	default:
		v.fromBills(free, priced)
	}
	return v
}

// oneSided reports whether a kind can't be compared because nobody knows yet for
// how long its metered offers would run: a package's total alone decides
// nothing.
func oneSided(free, priced []*side) bool {
	for _, kind := range []Choice{Shared, Dedicated} {
		hours := slices.ContainsFunc(of(free, kind), func(s *side) bool { return s.bill.Status == sheet.NoHours })
		if hours && len(of(priced, kind)) == 0 {
			return true
		}
	}
	return false
}

// fromBills lets cost decide among the priced offers that are not ruled out.
func (v *verdict) fromBills(free, priced []*side) {
	q := v.in.Questions
	pool := priced
	if q.Steady {
		if st := keep(priced, func(s *side) bool { return stable(s.bill.Offer) }); len(st) > 0 {
			pool = st
		}
	}
	shared, own := best(of(pool, Shared)), best(of(pool, Dedicated))
	v.mixed = v.bestMixed(free)
	ways := ways{shared: shared, own: own, mixed: v.mixed}
	first := ways.cheapest()
	switch {
	case first == v.mixed:
		v.byMixed(ways, pool)
	case shared != nil && own != nil:
		v.byPair(ways, pool)
	case shared != nil:
		v.choice, v.take = v.sharedChoice(shared), shared
		v.againstMixed(ways, pool)
	default:
		v.choice, v.take = Dedicated, own
	}
	if v.choice == Dedicated {
		v.validateFirst(free)
	}
}

// ways are the cheapest of each kind; nil where there is none.
type ways struct{ shared, own, mixed *side }

// cheapest returns the cheapest of all; of equal totals the one that binds
// less: shared, then mixed, then a whole machine.
func (w ways) cheapest() *side {
	var c *side
	for _, s := range []*side{w.shared, w.mixed, w.own} {
		if s != nil && (c == nil || s.bill.Total.Point.Less(c.bill.Total.Point)) {
			c = s
		}
	}
	return c
}

// byMixed answers when the mixed path has the lowest total. Beside a whole
// machine it wins a tie, since it loses less when the workflow fails; beside
// staying on shared a tie is one.
func (v *verdict) byMixed(w ways, pool []*side) {
	first, then := v.parts(v.mixed)
	v.choice, v.take, v.then = Validate, first, then
	v.rival = ways{shared: w.shared, own: w.own}.cheapest()
	if v.rival != nil {
		v.chance = v.cheaperChance(v.mixed, v.rival, pool)
	}
	if w.shared != nil && v.rival == w.shared && tied(v.mixed, w.shared, v.chance) {
		v.choice, v.take, v.rival = Tie, w.shared, v.mixed
		p := 1 - *v.chance
		v.chance = &p
	}
}

// byPair answers between a shared offer and a whole machine, where the mixed
// path is not the cheapest.
func (v *verdict) byPair(w ways, pool []*side) {
	v.take, v.rival = w.shared, w.own
	if w.own.bill.Total.Point.Less(w.shared.bill.Total.Point) {
		v.take, v.rival = w.own, w.shared
	}
	v.chance = v.cheaperChance(v.take, v.rival, pool)
	switch {
	case tied(v.take, v.rival, v.chance):
		v.choice, v.then = Tie, v.rival
	case v.take.kind == Dedicated:
		v.choice = Dedicated
	default:
		v.choice = v.sharedChoice(v.take)
		v.againstMixed(w, pool)
	}
}

// againstMixed says a tie when moving to a whole machine after validating costs
// what staying costs.
func (v *verdict) againstMixed(w ways, pool []*side) {
	if w.mixed == nil {
		return
	}
	c := v.cheaperChance(v.take, w.mixed, pool)
	if v.rival == nil {
		v.rival, v.chance = w.mixed, c
	}
	if tied(v.take, w.mixed, c) {
		_, v.then = v.parts(w.mixed)
		v.choice, v.rival, v.chance = Tie, w.mixed, c
	}
}

// validateFirst turns a package into validating before paying it: when nobody
// can say how likely the workflow fails, or when no bill has weighed that. A
// typed chance that the mixed bill has weighed is left to cost, unless both
// cost the same.
func (v *verdict) validateFirst(free []*side) {
	q := v.in.Questions
	place, priced := trial(v.field.trials()), keep(free, (*side).priced)
	if v.in.NoTrial || !q.couldFail() || place == nil || !prepaid(v.take.bill.Offer) {
		return
	}
	if q.FailShare != nil && v.mixed != nil && !tied(v.take, v.mixed, v.cheaperChance(v.take, v.mixed, priced)) {
		return
	}
	v.choice, v.then, v.take = Validate, v.take, place
	if v.mixed == nil {
		return
	}
	if first, then := v.parts(v.mixed); then == v.then && first != nil {
		v.take = first
	}
	if v.rival != nil { // the way now has the trial in its total
		v.chance = v.cheaperChance(v.mixed, v.rival, priced)
	}
}

// bestMixed returns the cheapest bill of a mixed path whose both offers may be
// taken, nil when the workflow is proven.
func (v *verdict) bestMixed(free []*side) *side {
	if v.in.Questions.Proven {
		return nil
	}
	return best(keep(v.field.mixed, func(m *side) bool {
		first, then := v.parts(m)
		return m.priced() && first != nil && then != nil
	}))
}

// parts returns the offers of a mixed bill; nil for one that is ruled out or
// not there. A bill that doesn't name them is taken to be of the usual ones.
func (v *verdict) parts(m *side) (first, then *side) {
	free := v.field.free(func(*side) bool { return true })
	if m.bill.ValidateOn == "" {
		first = trial(v.field.trials())
	} else {
		first = named(v.field.trials(), m.bill.ValidateOn)
	}
	if m.bill.RunOn == "" {
		then = best(keep(of(free, Dedicated), (*side).priced))
	} else {
		then = named(free, m.bill.RunOn)
	}
	return first, then
}

func (v *verdict) sharedChoice(s *side) Choice {
	if v.in.Questions.Steady && stable(s.bill.Offer) {
		return GuaranteedShare
	}
	return Shared
}

func keep(ss []*side, f func(*side) bool) []*side {
	var ks []*side
	for _, s := range ss {
		if f(s) {
			ks = append(ks, s)
		}
	}
	return ks
}
