package advice

import (
	"cmp"
	"slices"

	"rentgen/app/bill/offer"
	"rentgen/app/bill/sheet"
	"rentgen/app/money"
	"rentgen/app/workload"
	"rentgen/assets/texts"
)

// side is an offer that could be taken.
type side struct {
	index int // in the sheet
	bill  *sheet.Bill
	kind  Choice
	out   []string // items that rule it out
}

func (s *side) name() string         { return s.bill.Name }
func (s *side) free() bool           { return len(s.out) == 0 }
func (s *side) has(item string) bool { return slices.Contains(s.out, item) }
func (s *side) priced() bool         { return s.bill.Status == sheet.OK }

// tries reports whether the workflow may be tried out there: nothing rules the
// offer out but that the whole job doesn't end on it.
func (s *side) tries() bool {
	return s.free() || s.kind == Shared && !prepaid(s.bill.Offer) && len(s.out) == 1 && s.out[0] == "finish"
}

// items are what can rule an offer out, the gravest first.
var items = []string{"sensitivity", "vram", "root", "driver", "kernel", "docker", "multi_card", "finish"}

// field is what is there to choose from.
type field struct {
	sides  []*side // hidden offers aside
	mixed  []*side // bills of a mixed path; kind is Validate
	vetoes []Veto
	closed map[Choice][]string // kinds that are ruled out as a whole, by item
}

// look sorts a sheet's offers into what is ruled out and what is left.
func look(in Input) field {
	f := field{closed: map[Choice][]string{}}
	for i := range in.Sheet.Bills {
		b := &in.Sheet.Bills[i]
		switch {
		case b.Mixed:
			f.mixed = append(f.mixed, &side{index: i, bill: b, kind: Validate})
		case !b.Offer.Hidden:
			s := &side{index: i, bill: b, kind: KindOf(b.Offer)}
			s.out = against(in.Questions, in.Fit, b)
			f.sides = append(f.sides, s)
		}
	}
	f.close(in)
	f.tell(in)
	return f
}

// RulesOut returns the items by which the answers rule an offer out, looking at
// its card and its machine only; the offer must be filled in. Whether the card
// holds the job and whether the job ends is known by its bill.
func (q Questions) RulesOut(o offer.Offer) []string {
	var out []string
	if q.Sensitivity == ByContract && KindOf(o) == Shared {
		out = append(out, "sensitivity")
	}
	for _, r := range rights {
		if !q.asks(r) {
			continue
		}
		if given, _ := gives(o, r, q); !given {
			out = append(out, r)
		}
	}
	return out
}

// against returns all that rules a bill's offer out, the gravest first.
func against(q Questions, fit workload.Answer, b *sheet.Bill) []string {
	out := q.RulesOut(b.Offer)
	if tooSmall(fit, b) {
		out = append(out, "vram")
	}
	if b.Status == sheet.CannotFinish {
		out = append(out, "finish")
	}
	slices.SortFunc(out, func(a, b string) int { return slices.Index(items, a) - slices.Index(items, b) })
	return out
}

// tooSmall reports whether the job can't run on the offer's card, even slowly.
func tooSmall(fit workload.Answer, b *sheet.Bill) bool {
	if b.Status == sheet.CardTooSmall {
		return true
	}
	if b.Offer.Card.VRAM != nil || !whole(b.Offer) {
		return false // of a part of a card the bill's status tells
	}
	i := slices.IndexFunc(fit.Cards, func(c workload.CardAnswer) bool { return c.Card.Name == b.Offer.Card.Name })
	return i >= 0 && fit.Cards[i].Fit == workload.No
}

// nowhere reports whether no card of the catalogue holds the job.
func nowhere(fit workload.Answer) bool {
	return len(fit.Cards) > 0 && !slices.ContainsFunc(fit.Cards, func(c workload.CardAnswer) bool { return c.Fit != workload.No })
}

// close finds the items that rule out containers as such, and with them all
// shared offers of the sheet.
func (f *field) close(in Input) {
	q := in.Questions
	var found []string
	if q.Sensitivity == ByContract {
		found = append(found, "sensitivity")
	}
	for _, r := range []string{"root", "driver", "kernel", "docker"} {
		if q.asks(r) {
			found = append(found, r)
		}
	}
	for _, it := range found {
		all := true
		for _, s := range f.sides {
			all = all && (s.kind != Shared || slices.Contains(s.out, it))
		}
		if all {
			f.closed[Shared] = append(f.closed[Shared], it)
		}
	}
}

// tell lists what was ruled out: kinds first, then single offers in the order
// of their names, so that the order of the plan doesn't matter.
func (f *field) tell(in Input) {
	for _, it := range f.closed[Shared] {
		f.vetoes = append(f.vetoes, Veto{Item: it, Kind: Shared, Text: texts.P("advice.out." + it)})
	}
	if len(f.sides) == 0 && nowhere(in.Fit) {
		f.vetoes = append(f.vetoes, Veto{Item: "vram", Text: texts.P("advice.out.vram.all", "need", gib(in.Fit.VRAM))})
	}
	var single []Veto
	for _, s := range f.sides {
		for _, it := range s.out {
			if s.kind == Shared && slices.Contains(f.closed[Shared], it) {
				continue
			}
			p := texts.P("advice.out.offer."+it, "offer", s.name(), "need", gib(in.Fit.VRAM), "card", s.bill.Offer.Card.Name, "cards", in.Questions.MultiCard)
			single = append(single, Veto{Item: it, Offer: s.name(), Text: p})
		}
	}
	slices.SortStableFunc(single, func(a, b Veto) int { return cmp.Or(cmp.Compare(a.Offer, b.Offer), cmp.Compare(a.Item, b.Item)) })
	f.vetoes = append(f.vetoes, single...)
}

// free returns the sides that are not ruled out and that keep says yes to.
func (f field) free(keep func(*side) bool) []*side {
	var fs []*side
	for _, s := range f.sides {
		if s.free() && keep(s) {
			fs = append(fs, s)
		}
	}
	return fs
}

// trials returns where the workflow may be tried out.
func (f field) trials() []*side {
	return slices.DeleteFunc(of(f.sides, Shared), func(s *side) bool { return !s.tries() })
}

// of returns the sides of a kind.
func of(ss []*side, kind Choice) []*side {
	return slices.DeleteFunc(slices.Clone(ss), func(s *side) bool { return s.kind != kind })
}

// cheaper orders by total; equal totals by their ends, then by what the offer
// is, never by its place in the plan.
func cheaper(a, b *side) int {
	x, y := a.bill.Total, b.bill.Total
	return cmp.Or(x.Point.Cmp(y.Point), x.High.Cmp(y.High), x.Low.Cmp(y.Low), cmp.Compare(a.name(), b.name()),
		cmp.Compare(a.bill.Offer.Card.Name, b.bill.Offer.Card.Name), cmp.Compare(a.bill.Offer.Provider, b.bill.Offer.Provider))
}

// best returns the cheapest, nil of none.
func best(ss []*side) *side {
	if len(ss) == 0 {
		return nil
	}
	return slices.MinFunc(ss, cheaper)
}

// trial returns where to validate: metered before prepaid, then the cheaper.
func trial(ss []*side) *side {
	if len(ss) == 0 {
		return nil
	}
	return slices.MinFunc(ss, func(a, b *side) int {
		return cmp.Or(rank(prepaid(a.bill.Offer))-rank(prepaid(b.bill.Offer)), rank(!a.priced())-rank(!b.priced()), cheaper(a, b))
	})
}

func rank(b bool) int {
	if b {
		return 1
	}
	return 0
}

// named returns the side of that name, the cheapest where several bear it.
func named(ss []*side, name string) *side {
	return best(slices.DeleteFunc(slices.Clone(ss), func(s *side) bool { return s.name() != name }))
}

// RuledOut returns what rules a bill's offer out, empty when it may be taken.
func (a Advice) RuledOut(b sheet.Bill) []Veto {
	var vs []Veto
	for _, v := range a.Vetoes {
		if v.Offer != "" && v.Offer == b.Name || v.Offer == "" && v.Kind != "" && !b.Mixed && v.Kind == KindOf(b.Offer) {
			vs = append(vs, v)
		}
	}
	return vs
}

func total(s *side) *money.Band {
	if s == nil || !s.priced() {
		return nil
	}
	t := s.bill.Total
	return &t
}
