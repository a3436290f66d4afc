package advice

import (
	"rentgen/app/money"
	"rentgen/assets/texts"
)

// sentence says the answer in one sentence, with what it rests on.
func (v verdict) sentence() texts.Phrase {
	switch v.basis {
	case ByNothing:
		return texts.P("advice.sentence.empty")
	case ByQuestions:
		return v.sentenceOfQuestions()
	}
	key, way := "advice.sentence."+string(v.choice), v.take
	mixed := v.mixed != nil && v.choice == Validate && (v.then == nil || !v.then.bill.Total.Point.Less(v.mixed.bill.Total.Point))
	if mixed {
		way = v.mixed
	}
	args := []any{
		"days", v.days(), "offer", nameOf(v.take), "total", v.total(way), "second", nameOf(v.then),
		"package", v.total(v.then), "other", nameOf(v.rival), "othertotal", v.total(v.rival),
	}
	switch {
	case v.choice == Nothing:
		if it := v.everyOne(); it != "" {
			return texts.P("advice.sentence.none.one", "why", texts.P("advice.why."+it))
		}
		return texts.P("advice.sentence.none")
	case v.choice == Validate && !mixed:
		return texts.P("advice.sentence.validate_then_dedicated.sunk", args...)
	case v.choice == Tie && v.rival == v.mixed:
		return texts.P("advice.sentence.tie.mixed", args...)
	case v.choice == Tie && apart(v.take, v.rival):
		return texts.P("advice.sentence.tie.open", args...)
	case v.choice != Tie && v.rival == nil:
		return texts.P(key+".alone", append(args, "why", v.closedWhy())...)
	}
	return texts.P(key, args...)
}

// apart reports whether the points of two ways differ by more than a quarter:
// they tie because much is unknown, not because they cost the same.
func apart(a, b *side) bool {
	if a == nil || b == nil {
		return false
	}
	x, y := a.bill.Total.Point, b.bill.Total.Point
	return x.Max(y).Mul(money.Frac(3, 4)).Cmp(x.Min(y)) > 0
}

func nameOf(s *side) string {
	if s == nil {
		return texts.Dash
	}
	return s.name()
}

// closedWhy says why the other kind doesn't compete: what rules it out, or that
// no offer of it is there.
func (v verdict) closedWhy() texts.Phrase {
	other := Shared
	if v.choice == Shared || v.choice == GuaranteedShare {
		other = Dedicated
	}
	if items := v.field.closed[other]; len(items) > 0 {
		return texts.P("advice.other.out."+string(other), "why", texts.P("advice.why."+items[0]))
	}
	ss := of(v.field.sides, other)
	switch {
	case len(ss) == 0:
		return texts.P("advice.other.none." + string(other))
	case len(keep(ss, (*side).free)) == 0:
		return texts.P("advice.other.out."+string(other), "why", texts.P("advice.why."+firstItem(ss)))
	case len(keep(ss, func(s *side) bool { return s.free() && s.priced() })) == 0:
		return texts.P("advice.other.unpriced." + string(other))
	}
	return texts.P("advice.other.varies." + string(other)) // ruled by steady speed
}

// firstItem is the item that rules most of the sides out, the graver of equals.
func firstItem(ss []*side) string {
	count := map[string]int{}
	for _, s := range ss {
		for _, it := range s.out {
			count[it]++
		}
	}
	top := ""
	for _, it := range items {
		if count[it] > count[top] {
			top = it
		}
	}
	return top
}

// everyOne returns the item that alone rules out every offer, "" when several
// work together.
func (v verdict) everyOne() string {
	if len(v.field.sides) == 0 {
		return "vram"
	}
	it := firstItem(v.field.sides)
	for _, s := range v.field.sides {
		if !s.has(it) {
			return ""
		}
	}
	return it
}

func (v verdict) sentenceOfQuestions() texts.Phrase {
	switch {
	case v.choice == Nothing:
		return texts.P("advice.sentence.nowhere", "need", gib(v.in.Fit.VRAM))
	case len(v.field.closed[Shared]) > 0:
		return texts.P("advice.sentence.questions.forced", "choice", v.choice.Phrase(), "why", texts.P("advice.why."+v.field.closed[Shared][0]))
	case v.choice == Tie:
		return texts.P("advice.sentence.questions.tie")
	}
	return texts.P("advice.sentence.questions", "choice", v.choice.Phrase())
}
