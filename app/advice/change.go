package advice

import (
	"cmp"
	"slices"
	"strconv"

	"rentgen/app/bill/sheet"
	"rentgen/app/money"
	"rentgen/assets/texts"
)

// changes lists what would turn the answer: answers of the questions, tried one
// by one, and amounts of the bill.
func (v verdict) changes() []Change {
	if v.basis == ByNothing {
		return nil
	}
	cs := v.amountChanges()
	for _, t := range trials(v.in.Questions) {
		in := v.in
		in.Questions = t.with
		then := decide(in)
		if then.choice == v.choice {
			continue
		}
		if slices.ContainsFunc(cs, func(c Change) bool { return c.Input == t.input && c.Then == then.choice }) {
			continue // the nearer answer is listed
		}
		cs = append(cs, Change{
			Input: t.input, From: t.from, To: t.to, Then: then.choice,
			Text: texts.P("advice.change", "what", texts.P("advice.question."+t.input), "from", answerText(t.input, t.from), "to", answerText(t.input, t.to), "then", then.choice.phrase()),
		})
	}
	return cs
}

// changed is one answer given otherwise.
type changed struct {
	input, from, to string
	with            Questions
}

// trials gives each question its other answers, the nearest first.
func trials(q Questions) []changed {
	var ts []changed
	words := func(input, now string, all []string, set func(*Questions, string)) {
		order := slices.Clone(all)
		at := slices.Index(all, now)
		slices.SortStableFunc(order, func(a, b string) int {
			return cmp.Compare(distance(all, a, at), distance(all, b, at))
		})
		for _, to := range order {
			if to != now {
				n := q
				set(&n, to)
				ts = append(ts, changed{input, now, to, n})
			}
		}
	}
	flag := func(input string, now bool, set func(*Questions, bool)) {
		n := q
		set(&n, !now)
		ts = append(ts, changed{input, strconv.FormatBool(now), strconv.FormatBool(!now), n})
	}
	words("sensitivity", q.Sensitivity, Sensitivities(), func(q *Questions, s string) { q.Sensitivity = s })
	flag("root", q.Root, func(q *Questions, b bool) { q.Root = b })
	flag("driver", q.Driver, func(q *Questions, b bool) { q.Driver = b })
	flag("kernel", q.Kernel, func(q *Questions, b bool) { q.Kernel = b })
	flag("docker", q.Docker, func(q *Questions, b bool) { q.Docker = b })
	cards := max(q.MultiCard, 1)
	n := q
	if n.MultiCard = 1; cards == 1 {
		n.MultiCard = 2
	}
	ts = append(ts, changed{"multi_card", strconv.Itoa(cards), strconv.Itoa(n.MultiCard), n})
	flag("steady_speed", q.Steady, func(q *Questions, b bool) { q.Steady = b })
	words("duration", q.Duration, Durations(), func(q *Questions, s string) { q.Duration = s })
	words("load", q.Load, Loads(), func(q *Questions, s string) { q.Load = s })
	flag("proven", q.Proven, func(q *Questions, b bool) { q.Proven = b })
	return ts
}

// distance is how far an answer lies from the present one in their order; from
// none given, they lie in their order.
func distance(all []string, a string, at int) int {
	d := slices.Index(all, a) - max(at, 0)
	return max(d, -d)
}

func answerText(input, value string) texts.Phrase {
	switch {
	case value == "":
		return texts.P("advice.answer.open")
	case value == "true" || value == "false":
		return texts.P("advice.answer." + value)
	case input == "multi_card":
		return texts.P("advice.answer.cards", "n", value)
	}
	return texts.P("advice.answer." + input + "." + value)
}

// amountChanges are the moves of the bill that make another kind the cheapest,
// and by how much the rival's total would have to fall.
func (v verdict) amountChanges() []Change {
	if v.basis != ByBills || v.choice == Nothing {
		return nil
	}
	var cs []Change
	for _, m := range v.moves() {
		then, ok := v.choiceOf(m.Then)
		if !ok || then == v.choice || v.choice == Validate && then == Dedicated {
			continue
		}
		c := Change{Input: m.Input, From: m.From.String(), To: m.To.String(), Then: then}
		args := []any{
			"what", texts.P("bill.move." + m.Input), "offer", m.Offer, "from", count(m.From.Float64()), "to", count(m.To.Float64()),
			"unit", m.Unit, "then", then.phrase(), "other", m.Then, "share", percent(m.Share.Float64()), "days", v.days(),
		}
		switch {
		case m.Input != "hours":
			c.Text = texts.P("advice.change.move", args...)
		case m.From.Less(m.To):
			c.Text = texts.P("advice.change.hours.more", args...)
		default:
			c.Text = texts.P("advice.change.hours.less", args...)
		}
		cs = append(cs, c)
	}
	return append(cs, v.totalChange()...)
}

// moves returns the sheet's moves, which start from its cheapest offer, so
// they say something only where that is the recommended one; in an order that
// doesn't depend on the plan's.
func (v verdict) moves() []sheet.Move {
	s := v.in.Sheet
	way := v.way()
	if way == nil || !slices.Contains(s.Cheapest, way.index) {
		return nil
	}
	ms := slices.Clone(s.Moves)
	slices.SortStableFunc(ms, func(a, b sheet.Move) int {
		return cmp.Or(a.Share.Cmp(b.Share), cmp.Compare(a.Input, b.Input), cmp.Compare(a.Offer, b.Offer), cmp.Compare(a.Then, b.Then))
	})
	return ms
}

// choiceOf returns what choosing the offer of that name would be; ok is false
// where it may not be taken.
func (v verdict) choiceOf(name string) (c Choice, ok bool) {
	if s := named(v.field.free(func(*side) bool { return true }), name); s != nil {
		if s.kind == Shared {
			return v.sharedChoice(s), true
		}
		return Dedicated, true
	}
	if v.mixed != nil && v.mixed.name() == name {
		return Validate, true
	}
	return "", false
}

// totalChange says how far the rival's total lies above: the gap in money. Of a
// tie there is none.
func (v verdict) totalChange() []Change {
	way, r := v.way(), v.rival
	if v.choice == Tie || way == nil || r == nil || r == way || !way.bill.Total.Point.Less(r.bill.Total.Point) {
		return nil
	}
	then, ok := v.choiceOf(r.name())
	if !ok || then == v.choice {
		return nil
	}
	cur := v.currency(way)
	from, to := r.bill.Total.Point, way.bill.Total.Point
	return []Change{{
		Input: "total", From: fixed(from, cur), To: fixed(to, cur), Then: then,
		Text: texts.P("advice.change.total", "other", r.name(), "from", price(from, cur), "to", price(to, cur),
			"share", percent(from.Sub(to).Quo(from).Float64()), "then", then.phrase()),
	}}
}

func fixed(v money.Rat, cur money.Currency) string { return v.Fixed(cur.Scale()) }
