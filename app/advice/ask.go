package advice

import "slices"

// The weights of the questions where no bill decides: positive speaks for a
// whole machine. At least leaning in size is an answer, less is none.
const leaning = 2

// vote is what one answered question says.
type vote struct {
	item  string
	value string // text "advice.say.<item>.<value>"
	score int
}

// votes weighs the answers. Sensitivity and rights are missing: they rule out
// and never weigh, save that cards that work together are easier to have on a
// machine of one's own. The idle share is that of s, or of the plan when s is nil.
func votes(in Input, s *side) []vote {
	q := in.Questions
	var vs []vote
	switch q.Duration {
	case Short:
		vs = append(vs, vote{"duration", Short, -2})
	case Long:
		vs = append(vs, vote{"duration", Long, 1})
	case Continuous:
		vs = append(vs, vote{"duration", Continuous, 2})
	}
	switch q.Load {
	case SteadyLoad:
		vs = append(vs, vote{"load", SteadyLoad, 1})
	case Peaks:
		vs = append(vs, vote{"load", Peaks, -2})
	}
	if idle, ok := idleShare(in, s); ok {
		switch {
		case idle >= 0.5:
			vs = append(vs, vote{"idle", "much", -2})
		case idle >= 0.25:
			vs = append(vs, vote{"idle", "some", -1})
		default:
			vs = append(vs, vote{"idle", "little", 1})
		}
	}
	if q.Steady {
		vs = append(vs, vote{"stability", "asked", 2})
	}
	if q.MultiCard > 1 {
		vs = append(vs, vote{"rights", "multi_card", 1})
	}
	return vs
}

// idleShare returns which part of the rented hours nothing runs, 0 to 1: on the
// offer, or of the plan as a whole (the mean over its offers) when s is nil. ok
// is false while nobody knows the seconds a picture.
func idleShare(in Input, s *side) (share float64, ok bool) {
	if s != nil {
		u := s.bill.Usage
		if u.BusyUnknown {
			return 0, false
		}
		if u.Rented.Point.Sign() > 0 {
			busy := u.Busy.Point.Min(u.Rented.Point)
			return 1 - busy.Quo(u.Rented.Point).Float64(), true
		}
	}
	sum, n := 0.0, 0
	for _, h := range in.Hours {
		if h.Rented.Point > 0 && !h.Unknown {
			sum += min(max(1-h.Busy.Point/h.Rented.Point, 0), 1)
			n++
		}
	}
	if n == 0 {
		return 0, false
	}
	return sum / float64(n), true
}

// fromQuestions answers without totals: from what is ruled out and from the
// votes, among the kinds that are there.
func (v *verdict) fromQuestions(free []*side) {
	q := v.in.Questions
	v.basis = ByQuestions
	if len(v.field.sides) == 0 && nowhere(v.in.Fit) {
		v.choice = Nothing
		return
	}
	if len(free) == 0 && !q.answered() && len(v.in.Hours) == 0 {
		v.basis, v.choice = ByNothing, Nothing
		return
	}
	for _, o := range votes(v.in, nil) {
		v.score += o.score
	}
	shared := len(v.field.closed[Shared]) == 0
	own := true
	if len(free) > 0 {
		shared = slices.ContainsFunc(free, func(s *side) bool { return s.kind == Shared })
		own = slices.ContainsFunc(free, func(s *side) bool { return s.kind == Dedicated })
	}
	switch {
	case !shared:
		v.choice = Dedicated
	case !own || v.score <= -leaning:
		v.choice = Shared
	case v.score < leaning:
		v.choice = Tie
	case q.couldFail() && !v.in.NoTrial:
		v.choice = Validate
	default:
		v.choice = Dedicated
	}
	v.pick(free)
}

// pick names an offer where only one of the kind is there: without totals
// nothing decides among several.
func (v *verdict) pick(free []*side) {
	only := func(kind Choice) *side {
		if ss := of(free, kind); len(ss) == 1 {
			return ss[0]
		}
		return nil
	}
	switch v.choice {
	case Shared:
		v.take = only(Shared)
		if g := v.guaranteed(free); v.in.Questions.Steady && g != nil {
			v.choice, v.take = GuaranteedShare, g
		}
	case Dedicated:
		v.take = only(Dedicated)
	case Validate, Tie:
		v.take, v.then = only(Shared), only(Dedicated)
	}
}

// guaranteed returns the shared offer that promises a share of a card; of
// several the first by name.
func (v *verdict) guaranteed(free []*side) *side {
	return best(keep(of(free, Shared), func(s *side) bool { return stable(s.bill.Offer) }))
}
