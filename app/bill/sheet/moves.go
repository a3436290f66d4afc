package sheet

import (
	"fmt"
	"slices"

	"rentgen/app/bill"
	"rentgen/app/bill/offer"
	"rentgen/app/money"
)

// nearest is how many rivals' prices are moved: farther ones need more.
const nearest = 6

// moves finds for each input the smallest change of it alone that makes another
// offer the cheapest. A tie has none: any change decides it.
func (m *maker) moves(s Sheet) []Move {
	var ms []Move
	if mv, ok := m.failMove(s); ok {
		ms = append(ms, mv)
	}
	if len(s.Cheapest) != 1 || s.Cheapest[0] >= len(m.columns) {
		return ms
	}
	best := s.Cheapest[0]
	var rivals []int
	for i := range m.columns {
		if i != best && m.points[i] != nil && !m.columns[i].offer.Hidden {
			rivals = append(rivals, i)
		}
	}
	if len(rivals) == 0 {
		return ms
	}
	slices.SortFunc(rivals, func(a, b int) int { return s.Bills[a].Total.Point.Cmp(s.Bills[b].Total.Point) })
	if mv, ok := m.hoursMove(best, rivals); ok {
		ms = append(ms, mv)
	}
	// Dearer up to the second cheapest, or the others cheaper down to it.
	if mv, ok := m.priceMove(best, s.Bills[rivals[0]].Total.Point); ok {
		mv.Then = s.Bills[rivals[0]].Name
		ms = append(ms, mv)
	}
	for _, r := range rivals[:min(len(rivals), nearest)] {
		if mv, ok := m.priceMove(r, s.Bills[best].Total.Point); ok {
			mv.Then = s.Bills[r].Name
			ms = append(ms, mv)
		}
	}
	slices.SortStableFunc(ms, func(a, b Move) int { return a.Share.Cmp(b.Share) })
	return ms
}

// failMove is the share of failing validations at which the mixed path and the
// long run at once cost the same.
func (m *maker) failMove(s Sheet) (Move, bool) {
	for _, b := range s.Bills {
		if !b.Mixed || b.PaysFrom == nil {
			continue
		}
		mv := Move{Input: "fail_prob", Offer: b.Name, From: b.FailShare, To: *b.PaysFrom, Then: b.RunOn}
		if b.FailShare.Less(*b.PaysFrom) {
			mv.Then = b.Name
		}
		mv.Share = share(mv.From, mv.To)
		return mv, true
	}
	return Move{}, false
}

func share(from, to money.Rat) money.Rat {
	d := to.Sub(from)
	if d.Sign() < 0 {
		d = d.Neg()
	}
	if from.IsZero() {
		return d
	}
	return d.Quo(from)
}

// priceMove finds the price of a column's unit from which its total reaches
// target: from below for the cheapest, from above for another.
func (m *maker) priceMove(i int, target money.Rat) (Move, bool) {
	k := m.columns[i]
	from := k.offer.Payment.Price
	at := func(p money.Rat) (money.Rat, bool) {
		s := sceneAt(point)
		s.price = &p
		e := k.run(s)
		return e.total().Sub(target), e.status == OK
	}
	y := m.points[i].total().Sub(target)
	if y.IsZero() {
		return Move{}, false
	}
	to, ok := reach(at, from, y)
	if !ok {
		return Move{}, false
	}
	input, unit := "price", string(k.offer.Currency)+"/"+string(k.offer.Payment.Unit)
	if !k.metered() {
		input = "package_price"
	}
	return Move{Input: input, Offer: k.offer.Name, From: from, To: to, Unit: unit, Share: share(from, to)}, true
}

// reach finds where a rising function of a positive number comes to 0, from a
// place where it isn't. Nearly always it is a straight line and the first step
// hits; least charges, coupons and settlements bend it or make it jump, and
// then the stretch is halved.
func reach(f func(money.Rat) (money.Rat, bool), from, y money.Rat) (money.Rat, bool) {
	step := money.Frac(11, 10)
	if y.Sign() > 0 {
		step = money.Frac(9, 10)
	}
	x := from.Mul(step)
	inside, insideY := from, y
	for range 24 { // until the sign turns
		v, ok := f(x)
		if !ok {
			return zero, false
		}
		if v.IsZero() {
			return x, true
		}
		if v.Sign() != y.Sign() {
			// A thousandth back it mostly hasn't turned yet: a short stretch to halve.
			back := x.Sub(x.Mul(step.Sub(one)).Quo(money.Int(100)))
			if w, ok := f(back); ok && w.Sign() == y.Sign() {
				inside = back
			}
			return halve(f, inside, x), true
		}
		slope := v.Sub(insideY)
		next := x.Mul(step).Mul(step)
		if !slope.IsZero() {
			if line := x.Sub(v.Mul(x.Sub(inside)).Quo(slope)); line.Sign() > 0 && line.Sub(x).Sign() == x.Sub(inside).Sign() {
				next = short(line, 12)
			}
		}
		if next.Cmp(money.Frac(1, 10_000)) < 0 {
			return zero, false // not even for nothing
		}
		inside, insideY, x = x, v, next
	}
	return zero, false
}

// halve returns the outer end of the stretch in which a function turns its
// sign.
func halve(f func(money.Rat) (money.Rat, bool), inside, outside money.Rat) money.Rat {
	start, _ := f(inside)
	for range 40 {
		mid := short(inside.Add(outside).Quo(money.Int(2)), 9)
		if mid.Cmp(inside) == 0 || mid.Cmp(outside) == 0 || share(inside, outside).Less(money.Frac(1, 10_000)) {
			break
		}
		v, ok := f(mid)
		switch {
		case !ok:
			return outside
		case v.IsZero():
			return mid
		case v.Sign() == start.Sign():
			inside = mid
		default:
			outside = mid
		}
	}
	return outside
}

// short keeps a number exact where it is short and rounds it where it isn't, so
// that repeated steps stay cheap.
func short(v money.Rat, decimals int) money.Rat {
	if len(v.Fraction()) <= 60 {
		return v
	}
	return v.Round(decimals, money.HalfUp)
}

// factors are where hours are looked at, outward from the plan's.
func (m *maker) factors() []money.Rat {
	fs := []money.Rat{money.Frac(1, 100), money.Frac(1, 2), one}
	most := one
	for i, e := range m.points {
		if e == nil || e.running.Sign() <= 0 {
			continue
		}
		f := money.Int(int64(m.columns[i].days) * 24).Quo(e.running)
		if most.Cmp(one) == 0 || f.Less(most) {
			most = f
		}
	}
	for _, f := range []money.Rat{money.Int(2), money.Int(6)} {
		if f.Less(most) {
			fs = append(fs, f)
		}
	}
	if one.Less(most) {
		fs = append(fs, most)
	}
	return fs
}

// totalAt is a column's total with all hours and pictures times a factor.
func (m *maker) totalAt(i int, f money.Rat) (money.Rat, bool) {
	key := fmt.Sprint(i, " ", f.Fraction())
	if t, ok := m.totals[key]; ok {
		return t, true
	}
	s := sceneAt(point)
	s.hours.factor = &f
	e := m.columns[i].run(s)
	t := e.total()
	if e.status == OK {
		m.totals[key] = t
	}
	return t, e.status == OK
}

// hoursMove finds the nearest number of hours at which a rival costs as little
// as the cheapest.
func (m *maker) hoursMove(best int, rivals []int) (Move, bool) {
	fs := m.factors()
	gap := func(r int, f money.Rat) (money.Rat, bool) {
		a, ok := m.totalAt(best, f)
		b, also := m.totalAt(r, f)
		return b.Sub(a), ok && also
	}
	at := slices.IndexFunc(fs, func(f money.Rat) bool { return f.Cmp(one) == 0 })
	type found struct {
		rival int
		f     money.Rat
	}
	var closest *found
	look := func(r int, path []money.Rat) {
		inside := path[0]
		for _, f := range path[1:] {
			if closest != nil && share(one, closest.f).Cmp(share(one, inside)) <= 0 {
				return // whatever comes is farther away
			}
			d, ok := gap(r, f)
			if !ok {
				return
			}
			if d.Sign() <= 0 {
				x := m.turn(func(f money.Rat) (money.Rat, bool) { return gap(r, f) }, inside, f)
				if closest == nil || share(one, x).Less(share(one, closest.f)) {
					closest = &found{r, x}
				}
				return
			}
			inside = f
		}
	}
	up := fs[at:]
	down := slices.Clone(fs[:at+1])
	slices.Reverse(down)
	for _, r := range rivals {
		look(r, up)
		look(r, down)
	}
	if closest == nil {
		return Move{}, false
	}
	return m.hours(best, closest.rival, closest.f), true
}

// turn narrows down where a gap closes: inside it is open, outside it isn't.
// A straight gap is found at once.
func (m *maker) turn(gap func(money.Rat) (money.Rat, bool), inside, outside money.Rat) money.Rat {
	a, okA := gap(inside)
	b, okB := gap(outside)
	for range 6 {
		if !okA || !okB || b.IsZero() || share(one, inside).Sub(share(one, outside)).Max(share(one, outside).Sub(share(one, inside))).Less(money.Frac(1, 10_000)) {
			break
		}
		slope := b.Sub(a)
		if slope.IsZero() {
			break
		}
		mid := short(inside.Sub(a.Mul(outside.Sub(inside)).Quo(slope)), 9)
		if mid.Cmp(inside) == 0 || mid.Cmp(outside) == 0 {
			mid = inside.Add(outside).Quo(money.Int(2))
		}
		y, ok := gap(mid)
		if !ok {
			break
		}
		if y.Sign() <= 0 {
			outside, b = mid, y
		} else {
			inside, a = mid, y
			// The open side moved: step a hair beyond to close in from both.
			if next := mid.Add(outside.Sub(mid).Quo(money.Int(1000))); next.Cmp(outside) != 0 {
				if y, ok := gap(next); ok && y.Sign() <= 0 {
					outside, b = next, y
				}
			}
		}
	}
	return outside
}

// hours tells the move in rented hours a month of the metered side.
func (m *maker) hours(best, rival int, f money.Rat) Move {
	i := best
	if !m.columns[i].metered() && m.columns[rival].metered() {
		i = rival
	}
	e := m.points[i]
	from := e.running.Mul(money.Int(e.machines * 30)).Quo(money.Int(int64(e.days)))
	to := from.Mul(f)
	if h, ok := m.packagePays(best, rival); ok && share(h, to).Less(money.Frac(1, 1000)) {
		to = h
	}
	return Move{
		Input: "hours", Offer: m.columns[i].offer.Name, From: from, To: to, Unit: "h/month", Share: share(from, to),
		Then: m.columns[rival].offer.Name,
	}
}

// packagePays is the exact answer where used time alone stands against one
// package.
func (m *maker) packagePays(a, b int) (money.Rat, bool) {
	if !m.columns[a].metered() {
		a, b = b, a
	}
	meter, pack := m.points[a], m.points[b]
	if !meter.metered() || pack.metered() || pack.offer.Payment.Unit == offer.Pack || meter.days != 30 {
		return zero, false
	}
	for _, p := range meter.parts {
		if p.id != LineCompute && p.id != LineIdle && p.id != LineStart && p.id != LineRounding {
			return zero, false
		}
	}
	price := zero
	for _, p := range pack.parts {
		if p.id != LinePackage && p.id != LineIdle {
			return zero, false
		}
		price = price.Add(p.amount)
	}
	month := money.Int(720)
	out, err := bill.PackageBreakeven(bill.PackageBreakevenIn{
		Currency: m.currency, PackagePrice: price, PricePerHour: meter.hourly.Mul(meter.rate), MonthH: month,
	})
	if err != nil || out.BreakevenH == nil {
		return zero, false
	}
	return *out.BreakevenH, true
}
