package advice

import (
	"cmp"
	"math"
	"slices"

	"rentgen/app/bill/offer"
	"rentgen/app/bill/sheet"
	"rentgen/app/workload"
	"rentgen/assets/texts"
)

// The weights: what rules out carries more than steadiness, that more than
// money, and money more than what only fits the habit of a kind.
const (
	weighOut      = 100
	weighSteady   = 80
	weighValidate = 75
	weighCost     = 60
	weighLine     = 40 // times its share of the gap
	weighSlow     = 35
	weighHabit    = 20 // duration, load, idle: they are in the bill already
	weighOps      = 12
	weighWaiting  = 10
	weighVRAM     = 8
)

// rowOf links an item to its row of the comparison table.
var rowOf = map[string]string{
	"sensitivity": "isolation", "vram": "ownership", "root": "rights", "driver": "rights", "kernel": "rights",
	"docker": "rights", "multi_card": "rights", "finish": "stability", "rights": "rights",
	"duration": "tasks", "load": "tasks", "idle": "billing", "cost": "billing",
	"stability": "stability", "waiting": "stability", "ops": "duty",
}

// reasons explains the answer, the weightiest first.
func (v verdict) reasons() []Reason {
	rs := v.outReasons()
	if v.choice != Nothing {
		rs = append(rs, v.steadyReasons()...)
		rs = append(rs, v.costReasons()...)
		rs = append(rs, v.habitReasons()...)
		rs = append(rs, v.dutyReasons()...)
		rs = append(rs, v.machineReasons()...)
	}
	slices.SortStableFunc(rs, func(a, b Reason) int {
		return cmp.Or(-cmp.Compare(a.Weight, b.Weight), cmp.Compare(a.Item, b.Item), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Offer, b.Offer))
	})
	return rs
}

// outReasons are the rules: of a kind as a whole, and of the offer that would
// be cheaper if it weren't for them; of all when nothing is left.
func (v verdict) outReasons() []Reason {
	var rs []Reason
	add := func(ve Veto, weight float64) {
		it := ve.Item
		if slices.Contains(rights, it) {
			it = "rights"
		}
		rs = append(rs, Reason{Item: it, Weight: weight, Text: ve.Text, Row: rowOf[ve.Item], Offer: ve.Offer})
	}
	for _, ve := range v.field.vetoes {
		if ve.Offer == "" || v.choice == Nothing {
			add(ve, weighOut-float64(slices.Index(items, ve.Item)))
		}
	}
	if v.choice == Nothing || v.basis != ByBills {
		return rs
	}
	way := v.way()
	lost := best(keep(v.field.sides, func(s *side) bool {
		return !s.free() && s.priced() && s.bill.Total.Point.Less(way.bill.Total.Point)
	}))
	if lost != nil {
		it := lost.out[0]
		rs = append(rs, Reason{
			Item: item(it), Weight: weighOut - 10 - float64(slices.Index(items, it)), Row: rowOf[it], Offer: lost.name(),
			Text: texts.P("advice.reason.lost", "offer", lost.name(), "total", v.total(lost), "why", texts.P("advice.why."+it)),
		})
	}
	return rs
}

func item(it string) string {
	if slices.Contains(rights, it) {
		return "rights"
	}
	return it
}

// way is the bill that the recommendation costs.
func (v verdict) way() *side {
	if v.choice == Validate && v.mixed != nil {
		return v.mixed
	}
	if v.choice == Validate {
		return v.then
	}
	return v.take
}

// own reports whether the answer leans to a whole machine.
func (v verdict) own() bool {
	switch v.choice {
	case Dedicated, Validate:
		return true
	case Tie:
		return v.take != nil && v.take.kind == Dedicated
	}
	return false
}

func (v verdict) steadyReasons() []Reason {
	q := v.in.Questions
	var rs []Reason
	if q.Steady {
		r := Reason{Item: "stability", Weight: weighSteady, Row: "stability"}
		switch {
		case v.choice == GuaranteedShare:
			r.Text = texts.P("advice.reason.steady.share", "offer", nameOf(v.take))
			r.Offer = nameOf(v.take)
		case v.own():
			r.Text = texts.P("advice.reason.steady.own")
		default:
			r.Text, r.Against = texts.P("advice.reason.steady.none"), true
		}
		rs = append(rs, r)
	}
	if v.choice == Validate {
		r := Reason{Item: "cost", Weight: weighValidate, Row: "billing", Text: texts.P("advice.reason.validate")}
		if v.then != nil {
			r.Offer = v.then.name()
			if _, ok := lineOf(v.then.bill, sheet.LinePackage); ok {
				r.Line = sheet.LinePackage
			}
		}
		if s := q.FailShare; s != nil {
			r.Text = texts.P("advice.reason.validate.share", "share", percent(*s))
		}
		rs = append(rs, r)
	}
	return rs
}

// costReasons compare the recommended way with its rival: the gap, and the two
// lines that make most of it.
func (v verdict) costReasons() []Reason {
	way, rival := v.way(), v.rival
	if v.basis != ByBills || way == nil || !way.priced() {
		return nil
	}
	if rival == nil || rival == way {
		return []Reason{{
			Item: "cost", Weight: weighCost, Row: "billing", Offer: way.name(), Line: topLine(way.bill),
			Text: texts.P("advice.reason.cost.alone", "offer", way.name(), "total", v.total(way)),
		}}
	}
	gap := rival.bill.Total.Point.Sub(way.bill.Total.Point)
	lines := gapLines(way.bill, rival.bill)
	r := Reason{Item: "cost", Weight: weighCost, Row: "billing", Offer: way.name(), Line: topLine(way.bill)}
	if len(lines) > 0 {
		r.Line, r.Offer = lines[0].id, lines[0].on(way, rival).name()
	}
	args := []any{
		"offer", way.name(), "total", v.total(way), "other", rival.name(), "othertotal", v.total(rival),
		"gap", price(gap.Max(gap.Neg()), v.currency(way)), "chance", chanceText(v.chance),
	}
	switch {
	case v.choice == Tie:
		r.Text = texts.P("advice.reason.cost.tie", args...)
	case gap.Sign() < 0:
		r.Text, r.Against = texts.P("advice.reason.cost.dearer", args...), true
	default:
		r.Text = texts.P("advice.reason.cost", args...)
	}
	rs := []Reason{r}
	for _, l := range lines {
		if len(rs) == 3 {
			break
		}
		if slices.Contains(rentLines, l.id) || l.share < 0.01 {
			continue
		}
		rs = append(rs, Reason{
			Item: itemOfLine(l.id), Weight: weighLine * l.share, Row: rowOf[itemOfLine(l.id)], Line: l.id,
			Offer: l.on(way, rival).name(), Against: l.more > 0,
			Text: v.lineText(l.id, way, rival),
		})
	}
	return rs
}

// rentLines are what an hour and a package are paid for alike: side by side they
// say only that one is metered and the other isn't, so the totals stand for them.
var rentLines = []string{
	sheet.LineCompute, sheet.LineIdle, sheet.LineRounding, sheet.LinePackage, sheet.LineOverage, sheet.LineDiscount,
}

// lineText says what a line comes to on both ways, or on the one that has it.
func (v verdict) lineText(id string, way, rival *side) texts.Phrase {
	say := func(s *side) any { return amount(span(s.bill, id), v.currency(s)) }
	_, here := lineOf(way.bill, id)
	_, there := lineOf(rival.bill, id)
	switch {
	case !there:
		return texts.P("advice.reason.line.only", "line", lineName(id), "offer", way.name(), "amount", say(way), "other", rival.name())
	case !here:
		return texts.P("advice.reason.line.only", "line", lineName(id), "offer", rival.name(), "amount", say(rival), "other", way.name())
	}
	return texts.P("advice.reason.line", "line", lineName(id), "offer", way.name(), "amount", say(way), "other", rival.name(), "otheramount", say(rival))
}

func chanceText(p *float64) string {
	if p == nil {
		return texts.Dash
	}
	return texts.Chance(*p)
}

// gapLine is a line that differs between two bills.
type gapLine struct {
	id    string
	more  float64 // how much more it is on the recommended way
	share float64 // of all differences, 0 to 1
}

func (l gapLine) on(way, rival *side) *side {
	if l.more > 0 {
		return way
	}
	return rival
}

func gapLines(a, b *sheet.Bill) []gapLine {
	var ids []string
	for _, bill := range []*sheet.Bill{a, b} {
		for _, l := range bill.Lines {
			if !slices.Contains(ids, l.ID) {
				ids = append(ids, l.ID)
			}
		}
	}
	var ls []gapLine
	all := 0.0
	for _, id := range ids {
		d := span(a, id).Point.Sub(span(b, id).Point).Float64()
		if d != 0 {
			ls = append(ls, gapLine{id: id, more: d})
			all += math.Abs(d)
		}
	}
	for i := range ls {
		ls[i].share = math.Abs(ls[i].more) / all
	}
	slices.SortFunc(ls, func(x, y gapLine) int { return cmp.Or(-cmp.Compare(x.share, y.share), cmp.Compare(x.id, y.id)) })
	return ls
}

// topLine is the largest line of a bill, "" of a bill without lines.
func topLine(b *sheet.Bill) string {
	top, size := "", 0.0
	for _, l := range b.Lines {
		if s := math.Abs(l.Amount.Point.Float64()); s > size || s == size && top != "" && l.ID < top {
			top, size = l.ID, s
		}
	}
	return top
}

func itemOfLine(id string) string {
	switch id {
	case sheet.LineIdle:
		return "idle"
	case sheet.LineOps:
		return "ops"
	case sheet.LineRerun, sheet.LineMaxLife:
		return "stability"
	case sheet.LineStart:
		return "waiting"
	}
	return "cost"
}

// habitReasons say what the answers speak for by habit. Bills hold them already
// where there are any.
func (v verdict) habitReasons() []Reason {
	var rs []Reason
	factor := 1.0
	if v.basis == ByQuestions {
		factor = 1.5
	}
	for _, o := range votes(v.in, v.take) {
		if o.item == "stability" {
			continue
		}
		r := Reason{Item: o.item, Row: rowOf[o.item], Weight: factor * (weighHabit + math.Abs(float64(o.score))), Against: o.score > 0 != v.own()}
		args := []any{}
		if o.item == "idle" {
			share, _ := idleShare(v.in, v.take)
			args = []any{"share", percent(share)}
			if v.take != nil {
				if _, ok := lineOf(v.take.bill, sheet.LineIdle); ok {
					r.Offer, r.Line = v.take.name(), sheet.LineIdle
				}
			}
		}
		key := "advice.say." + o.item + "." + o.value
		if share, _ := idleShare(v.in, v.take); o.item == "idle" && share < 0.005 { // would be said as 0 %
			key, args = "advice.say.idle.none", nil
		}
		r.Text = texts.P(key, args...)
		rs = append(rs, r)
	}
	if v.in.Questions.Sensitivity == SomeData {
		own := v.own() && v.choice != Validate
		key := "advice.say.sensitivity.some"
		if own {
			key = "advice.say.sensitivity.own"
		}
		rs = append(rs, Reason{Item: "sensitivity", Row: "isolation", Weight: weighHabit, Against: !own, Text: texts.P(key)})
	}
	return rs
}

// dutyReasons are the user's own hours and the waiting before the first picture.
func (v verdict) dutyReasons() []Reason {
	var rs []Reason
	own := v.then
	for _, s := range []*side{v.take, v.rival} {
		if own == nil && s != nil && s.kind == Dedicated {
			own = s
		}
	}
	if own != nil && own.kind == Dedicated {
		if l, ok := lineOf(own.bill, sheet.LineOps); ok && l.Hours != nil && l.Hours.Point.Sign() > 0 {
			rs = append(rs, Reason{
				Item: "ops", Weight: weighOps, Row: "duty", Offer: own.name(), Line: sheet.LineOps, Against: v.own(),
				Text: texts.P("advice.reason.ops", "offer", own.name(), "hours", hoursOf(*l.Hours)),
			})
		}
	}
	if v.take != nil && v.rival != nil && v.rival.kind != Validate && v.take != v.rival {
		a, b := v.take.bill.WaitH, v.rival.bill.WaitH
		if a.High.Sign() > 0 && b.High.Sign() > 0 && a.Point.Cmp(b.Point) != 0 {
			r := Reason{
				Item: "waiting", Weight: weighWaiting, Row: "stability", Offer: v.take.name(), Against: b.Point.Less(a.Point),
				Text: texts.P("advice.reason.waiting", "offer", v.take.name(), "wait", minutes(a), "other", v.rival.name(), "otherwait", minutes(b)),
			}
			if _, ok := lineOf(v.take.bill, sheet.LineStart); ok {
				r.Line = sheet.LineStart
			}
			rs = append(rs, r)
		}
	}
	return append(rs, v.cardReasons()...)
}

// cardReasons say how often no card was free when the user pressed start.
func (v verdict) cardReasons() []Reason {
	var rs []Reason
	for _, s := range []*side{v.take, v.rival} {
		if s == nil || s == v.take && len(rs) > 0 {
			continue
		}
		b, _, ok := s.bill.Offer.Rat(offer.NoCardShare)
		if !ok || b.Point.Sign() <= 0 {
			continue
		}
		rs = append(rs, Reason{
			Item: "waiting", Weight: weighWaiting, Row: "stability", Offer: s.name(), Against: s == v.take,
			Text: texts.P("advice.reason.nocard", "offer", s.name(), "share", texts.Percent(100*b.Point.Float64())),
		})
	}
	return rs
}

// machineReasons say how the job sits on the recommended card.
func (v verdict) machineReasons() []Reason {
	if v.take == nil {
		return nil
	}
	on := v.take
	if v.choice == Validate && v.then != nil {
		on = v.then
	}
	i := slices.IndexFunc(v.in.Fit.Cards, func(c workload.CardAnswer) bool { return c.Card.Name == on.bill.Offer.Card.Name })
	if i < 0 || !whole(on.bill.Offer) {
		return nil
	}
	c := v.in.Fit.Cards[i]
	r := Reason{Item: "vram", Weight: weighVRAM, Row: "ownership", Offer: on.name()}
	args := []any{"offer", on.name(), "need", gib(c.Peak), "usable", texts.MiB(c.UsableMiB)}
	switch c.Fit {
	case workload.Offload:
		r.Weight, r.Against, r.Text = weighSlow, true, texts.P("advice.reason.vram.slow", args...)
	case workload.Tight:
		r.Text, r.Against = texts.P("advice.reason.vram.just", args...), true
	case workload.Fits:
		r.Text = texts.P("advice.reason.vram", args...)
	default:
		return nil
	}
	return []Reason{r}
}
