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
	cs := append(v.amountChanges(), v.needChange()...)
	for _, t := range trials(v.in.Questions) {
		in := v.in
		in.Questions = t.with
		d := decide(in)
		if d.choice == v.choice {
			continue
		}
		then := d.choice
		if d.unbilled() || slices.ContainsFunc(cs, func(c Change) bool { return c.Input == t.input && c.Then == then }) {
			continue // the nearer answer is listed
		}
		cs = append(cs, Change{
			Input: t.input, From: t.from, To: t.to, Then: then,
			Text: texts.P("advice.change", "what", texts.P("advice.question."+t.input), "from", answerText(t.input, t.from), "to", answerText(t.input, t.to), "then", then.Phrase()),
		})
	}
	return cs
}

// unbilled reports whether the choice is to try out first although no bill is of
// that way, so that nobody can say what it would cost.
func (v verdict) unbilled() bool { return v.choice == Validate && v.basis == ByBills && v.mixed == nil }

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
	if q.Root || q.Driver || q.Kernel {
		for _, f := range []struct {
			name string
			of   func(*Questions) *bool
		}{
			{"root", func(q *Questions) *bool { return &q.Root }},
			{"driver", func(q *Questions) *bool { return &q.Driver }},
			{"kernel", func(q *Questions) *bool { return &q.Kernel }},
		} {
			if *f.of(&q) {
				flag(f.name, true, func(q *Questions, b bool) { *f.of(q) = b })
			}
		}
		flag("rights", true, func(q *Questions, b bool) { q.Root, q.Driver, q.Kernel = b, b, b }) // each alone may not do
	} else {
		flag("rights", false, func(q *Questions, b bool) { q.Root, q.Driver, q.Kernel = b, b, b })
	}
	flag("docker", q.Docker, func(q *Questions, b bool) { q.Docker = b })
	if q.MultiCard > 1 {
		n := q
		n.MultiCard = 1
		ts = append(ts, changed{"multi_card", strconv.Itoa(q.MultiCard), "1", n})
	}
	flag("steady_speed", q.Steady, func(q *Questions, b bool) { q.Steady = b })
	words("duration", q.Duration, Durations(), func(q *Questions, s string) { q.Duration = s })
	words("load", q.Load, Loads(), func(q *Questions, s string) { q.Load = s })
	if !q.Proven { // what has run once has run
		flag("proven", false, func(q *Questions, b bool) { q.Proven = b })
	}
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
		c := Change{Input: m.Input, From: short(m.From), To: short(m.To), Then: then, offer: m.Offer}
		c.Text = texts.P("advice.change.move", "move", m.Say(), "then", then.Phrase())
		cs = append(cs, c)
	}
	if v.rival != nil && slices.ContainsFunc(cs, func(c Change) bool { return c.Input != "hours" && c.offer == v.rival.name() }) {
		return cs // its price is told already
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
	ms := slices.DeleteFunc(slices.Clone(s.Moves), func(m sheet.Move) bool {
		// How likely trying stops the project turns the mixed path against the long
		// run alone, and nothing beside them.
		return m.Input == "fail_prob" && way.kind == Shared
	})
	slices.SortStableFunc(ms, func(a, b sheet.Move) int {
		hours := rank(a.Input != "hours") - rank(b.Input != "hours") // what a user thinks in comes first
		return cmp.Or(hours, a.Share.Cmp(b.Share), cmp.Compare(a.Input, b.Input), cmp.Compare(a.Offer, b.Offer), cmp.Compare(a.Then, b.Then))
	})
	return ms
}

// choiceOf returns what choosing the offer of that name would be; ok is false
// where it may not be taken.
func (v *verdict) choiceOf(name string) (c Choice, ok bool) {
	if s := named(v.field.free(func(*side) bool { return true }), name); s != nil {
		if s.kind == Shared {
			return v.sharedChoice(s), !v.in.Questions.Steady || stable(s.bill.Offer)
		}
		w := *v
		w.choice, w.take, w.then = Dedicated, s, nil
		w.validateFirst(v.field.free(func(*side) bool { return true }))
		return w.choice, !w.unbilled()
	}
	if v.mixed != nil && v.mixed.name() == name {
		return Validate, true
	}
	return "", false
}

// totalChange says how far the rival's total would have to fall: it is lowered
// until the answer turns. Draws were made with the old total and are left aside.
func (v verdict) totalChange() []Change {
	r := v.rival
	if r == nil {
		return nil
	}
	at := func(factor float64) Choice {
		in := v.in
		in.Chance = nil
		in.Sheet.Bills = slices.Clone(in.Sheet.Bills)
		b := &in.Sheet.Bills[r.index]
		b.Total = b.Total.Times(money.Float(factor))
		d := decide(in)
		if d.choice != v.choice && d.unbilled() {
			return "" // is not told
		}
		return d.choice
	}
	if at(1) != v.choice {
		return nil
	}
	const least = 1.0 / 64
	holds, turns := 1.0, least
	then := at(turns)
	if then == v.choice {
		return nil
	}
	for range 14 { // to a cent of a hundred
		if mid := (holds + turns) / 2; at(mid) == v.choice {
			holds = mid
		} else {
			turns = mid
		}
	}
	if then = at(turns); then == "" {
		return nil
	}
	cur := v.currency(r)
	from := r.bill.Total.Point
	to := from.Mul(money.Float(turns))
	return []Change{{
		Input: "total", From: fixed(from, cur), To: fixed(to, cur), Then: then,
		Text: texts.P("advice.change.total", "other", r.name(), "from", price(from, cur), "to", price(to, cur),
			"share", percent(1-turns), "then", then.Phrase()),
	}}
}

// needChange says how small the job would have to be where no card holds it.
func (v verdict) needChange() []Change {
	if v.choice != Nothing || v.everyOne() != "vram" || v.in.Fit.VRAM.Point <= 0 {
		return nil
	}
	in, most := v.in, 0.0
	in.Fit.Cards, in.Sheet.Bills = nil, slices.Clone(in.Sheet.Bills)
	for _, c := range v.in.Fit.Cards {
		offered := len(v.field.sides) == 0
		for _, s := range v.field.sides {
			offered = offered || whole(s.bill.Offer) && s.bill.Offer.Card.Name == c.Card.Name
		}
		if offered {
			most = max(most, c.UsableMiB/1024)
		}
	}
	for i := range in.Sheet.Bills {
		if b := &in.Sheet.Bills[i]; b.Status == sheet.CardTooSmall {
			b.Status = sheet.NoPrice
		}
	}
	need := v.in.Fit.VRAM.Point
	then := decide(in).choice
	if most <= 0 || most >= need || then == Nothing {
		return nil
	}
	return []Change{{
		Input: "vram", From: strconv.FormatFloat(need, 'f', 1, 64), To: strconv.FormatFloat(most, 'f', 1, 64), Then: then,
		Text: texts.P("advice.change.vram", "from", texts.MiB(need*1024), "to", texts.MiB(most*1024), "then", then.Phrase()),
	}}
}

func fixed(v money.Rat, cur money.Currency) string { return v.Fixed(cur.Scale()) }

// short writes a number with at most four decimals.
func short(v money.Rat) string { return v.Round(4, money.HalfUp).String() }
