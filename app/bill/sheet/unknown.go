package sheet

import (
	"maps"
	"slices"
	"sync"

	"rentgen/app/bill/offer"
	"rentgen/app/money"
	"rentgen/app/provider"
	"rentgen/assets/texts"
)

// candidate is an unknown term that matters, with the dearest and the cheapest
// it could be; nil where nobody knows a bound.
type candidate struct {
	id          offer.TermID
	worst, best *value
	from        offer.Term // what the dearest value was taken from
	alone       bool       // no other unknown term changes what it adds
}

// reference is the dearest known price of a term.
type reference struct {
	price money.Rat
	term  offer.Term
}

// references are the dearest known prices by term and currency, "" for what is
// no price, from the rules
// of all providers and the other offers of the sheet: what an unknown price
// could be is bounded by what is known elsewhere, never by a figure in code.
type references map[money.Currency]map[offer.TermID]reference

// rules are the references of all providers' rules; they never change.
var rules = sync.OnceValue(func() references {
	rs := make(references)
	for _, r := range provider.All() {
		for key, t := range r.Terms {
			d, ok := offer.DefOf(offer.TermID(key))
			if !ok || !refers(d) {
				continue
			}
			currency := r.Currency
			if d.Kind != offer.KindMoney {
				currency = ""
			}
			for _, t := range append([]provider.Term{t}, t.Also...) {
				if v, err := money.Parse(t.Value); err == nil {
					rs.keep(currency, d.ID, v, offer.Term{
						Value: t.Value, Status: offer.Known, Source: t.Source, Date: t.Date, Mark: offer.Mark(t.Mark),
					})
				}
			}
		}
	}
	return rs
})

// refers reports whether the dearest known value of a term bounds an unknown
// one: of prices, and of the least time that is billed.
func refers(d offer.Def) bool { return d.Kind == offer.KindMoney || d.ID == offer.MinBilled }

func newReferences(columns []*column) references {
	rs := make(references)
	for _, k := range columns {
		for id, v := range k.values {
			if d, ok := offer.DefOf(id); ok && refers(d) {
				t, currency := v.term, k.offer.Currency
				if d.Kind != offer.KindMoney {
					currency = ""
				}
				if t.Source == "" {
					t.Source = k.offer.Name
				}
				rs.keep(currency, id, v.band.High, t)
			}
		}
	}
	return rs
}

// of returns the dearest price known anywhere.
func (rs references) of(c money.Currency, id offer.TermID) (reference, bool) {
	own, ok := rs[c][id]
	rule, also := rules()[c][id]
	if !ok || also && own.price.Less(rule.price) {
		return rule, also
	}
	return own, ok
}

func (rs references) keep(c money.Currency, id offer.TermID, v money.Rat, t offer.Term) {
	if rs[c] == nil {
		rs[c] = make(map[offer.TermID]reference)
	}
	if old, ok := rs[c][id]; !ok || old.price.Less(v) {
		rs[c][id] = reference{v, t}
	}
}

func flagValue(b bool) *value { return &value{flag: [3]bool{b, b, b}} }

func choiceValue(s string) *value { return &value{choice: [3]string{s, s, s}} }

func ratValue(v money.Rat) *value { return &value{band: money.Sure(v)} }

// known reports whether somebody says what the term is.
func (k *column) known(id offer.TermID) bool {
	_, ok := k.values[id]
	return ok
}

// doubtful lists the unknown terms that matter to this bill. Prices come before
// what multiplies them.
func (m *maker) doubtful(ends [3]*eval) []candidate {
	e := ends[high] // the dear end: what matters there matters
	k := e.column
	var cs []candidate
	price := func(id offer.TermID, matters bool) {
		if !matters || k.known(id) {
			return
		}
		c := candidate{id: id}
		if r, ok := m.prices.of(k.offer.Currency, id); ok {
			c.worst, c.from = ratValue(r.price), r.term
		}
		cs = append(cs, c)
	}
	flag := func(id offer.TermID, matters bool) {
		if matters && !k.known(id) {
			cs = append(cs, candidate{id: id, worst: flagValue(true)})
		}
	}
	free := func(id offer.TermID, gb money.Rat, matters bool) {
		if matters && !k.known(id) {
			cs = append(cs, candidate{id: id, best: ratValue(gb)})
		}
	}
	asks := func(id offer.TermID, matters bool) {
		if matters && !k.known(id) {
			cs = append(cs, candidate{id: id})
		}
	}
	positive := func(id offer.TermID) bool { v, ok := e.rat(id); return ok && v.Sign() > 0 }
	beyond := func(size, part offer.TermID) bool {
		gb, _ := e.rat(size)
		f, _ := e.rat(part)
		return f.Less(gb)
	}
	pauses := ends[low].stopped.Add(e.stopped).Sign() > 0
	data, _ := e.dataGB()
	freeData, _ := e.rat(offer.DataDiskFree)
	disk := freeData.Less(data)
	own := k.offer.Machine != offer.Container

	price(offer.SystemDiskPrice, beyond(offer.SystemDisk, offer.SystemDiskFree))
	price(offer.DataDiskMonth, disk && !k.known(offer.DataDiskDay))
	price(offer.SnapshotPrice, beyond(offer.Snapshot, offer.SnapshotFree))
	price(offer.ImagePrice, beyond(offer.SystemImage, offer.ImageFree))
	price(offer.Traffic, e.use.DownloadGB.Add(e.use.UploadGB).Sign() > 0 && !k.known(offer.BandwidthPrice) && !k.known(offer.TrafficPack))
	price(offer.CrossRegion, e.use.CrossRegion && e.use.DownloadGB.Sign() > 0)
	price(offer.IPPrice, own)

	free(offer.DataDiskFree, data, data.Sign() > 0 && (positive(offer.DataDiskDay) || positive(offer.DataDiskMonth)))
	if gb, ok := e.rat(offer.Snapshot); ok {
		free(offer.SnapshotFree, gb, gb.Sign() > 0 && positive(offer.SnapshotPrice))
	}
	if gb, ok := e.rat(offer.SystemImage); ok {
		free(offer.ImageFree, gb, gb.Sign() > 0 && positive(offer.ImagePrice))
	}

	flag(offer.StopCompute, pauses && k.metered())
	flag(offer.StopSystemDisk, pauses && beyond(offer.SystemDisk, offer.SystemDiskFree))
	flag(offer.StopDataDisk, pauses && disk && !k.known(offer.StopDiskPrice))
	flag(offer.StopIP, pauses && (own || positive(offer.IPPrice)))
	flag(offer.StopBandwidth, pauses && positive(offer.BandwidthPrice))
	if gb := e.use.DownloadGB.Mul(money.Int(e.machines)).Add(e.use.UploadGB); gb.Sign() > 0 {
		free(offer.TrafficFree, gb, positive(offer.Traffic))
	}
	cs = append(cs, m.timeDoubts(e)...)
	if k.metered() && k.offer.Payment.Unit == offer.Hour && !k.known(offer.Granularity) {
		cs = append(cs, candidate{id: offer.Granularity, worst: ratValue(hour)})
	}
	asks(offer.Interruption, k.metered())
	kind := e.choice(offer.Interruption)
	asks(offer.InterruptRate, k.metered() && (kind == "spot" || kind == "reclaim"))
	asks(offer.ReleaseAfter, pauses)
	after, released := e.rat(offer.ReleaseAfter)
	loses := released && pauses && after.Cmp(e.pause()) <= 0
	asks(offer.Bandwidth, loses || e.use.CrossRegion && e.use.DownloadGB.Sign() > 0)
	asks(offer.IdleReclaim, k.metered() && !own)
	// Who takes one period after another is often given a discount.
	asks(offer.Discount, !k.metered() && daysOf(k.offer.Payment.Unit) > 0 && e.periods() > 1)
	asks(offer.YearMonths, k.offer.Payment.Unit == offer.Month && e.periods() >= 12)
	asks(offer.RenewFactor, k.offer.Payment.Unit == offer.Year && e.periods() > 1)
	asks(offer.Tax, true)
	return cs
}

// timeDoubts are the unknown terms by which a metered session is billed, as far
// as they can matter: from when on the clock runs, when it is settled, and the
// least that a session costs.
func (m *maker) timeDoubts(e *eval) []candidate {
	k := e.column
	if !k.metered() {
		return nil
	}
	var cs []candidate
	add := func(id offer.TermID, worst *value, from offer.Term) {
		cs = append(cs, candidate{id: id, worst: worst, from: from, alone: true})
	}
	if !k.known(offer.BilledFrom) {
		if _, more := e.starts("order"); more.Sign() > 0 {
			add(offer.BilledFrom, choiceValue("order"), offer.Term{})
		}
	}
	if !k.known(offer.Settlement) && !e.minimum() {
		c := candidate{id: offer.Settlement, alone: true}
		switch v := choiceValue("wall_clock_hour"); e.settled(1).Cmp(e.billed(1)) {
		case 1:
			c.worst = v
		case -1:
			c.best = v
		}
		if c.worst != nil || c.best != nil {
			cs = append(cs, c)
		}
	}
	if r, ok := m.prices.of("", offer.MinBilled); ok && !k.known(offer.MinBilled) && money.Int(e.session).Less(r.price) {
		add(offer.MinBilled, ratValue(r.price), r.term)
	}
	if r, ok := m.prices.of(k.offer.Currency, offer.MinCharge); ok && !k.known(offer.MinCharge) &&
		e.hourly.Mul(money.Frac(e.session, 3600)).Less(r.price) {
		add(offer.MinCharge, ratValue(r.price), r.term)
	}
	return cs
}

// unknown adds what each unknown term could add, one after the other, so that
// the parts sum to the whole; and what it could take off.
func (m *maker) unknown(k *column, ends [3]*eval) (Line, []offer.Question) {
	k.doubts = m.doubtful(ends)
	var questions []offer.Question
	l := Line{ID: LineUnknown, Formula: "unknown", Group: 21}
	dear, cheap := ends[high].total(), ends[low].total()
	up, down := sceneAt(high), sceneAt(low)
	up.sub, down.sub = map[offer.TermID]value{}, map[offer.TermID]value{}
	for i := range k.doubts {
		c := &k.doubts[i]
		var add, off money.Rat
		if c.worst != nil {
			v := k.tryOut(&up, c.id, *c.worst)
			if dear.Less(v) {
				add, dear = v.Sub(dear), v
			}
		}
		if c.best != nil {
			v := k.tryOut(&down, c.id, *c.best)
			if v.Less(cheap) {
				off, cheap = cheap.Sub(v), v
			}
		}
		q := offer.Question{Offer: k.offer.Name, Term: c.id}
		bounded := c.worst != nil || c.best != nil
		if s := add.Add(off); bounded && s.IsZero() {
			if c.alone || !unbounded(k.doubts[:i]) {
				delete(up.sub, c.id)
				delete(down.sub, c.id)
				continue // whatever the answer is, nothing moves
			}
			bounded = false // it multiplies a price that nobody knows
		}
		if bounded {
			s := add.Add(off)
			q.Spread = &s
			l.Inputs = append(l.Inputs, Input{
				Name: string(c.id), Value: money.Band{Low: off.Neg(), High: add}, Unit: string(m.currency), Status: offer.Unknown,
				Source: c.from.Source, Date: c.from.Date, Mark: c.from.Mark,
			})
		}
		questions = append(questions, q)
	}
	slices.SortStableFunc(questions, func(a, b offer.Question) int { return spreadOf(b).Cmp(spreadOf(a)) })
	if len(questions) == 0 {
		return Line{}, nil
	}
	base := totalBand(ends)
	for _, t := range k.elsewhere(up) {
		dear = dear.Max(t)
	}
	for _, t := range k.elsewhere(down) {
		cheap = cheap.Min(t)
	}
	l.Amount = money.Band{Low: cheap.Min(base.Low).Sub(base.Low), High: dear.Max(base.High).Sub(base.High)}
	if n := countNil(questions); n > 0 {
		l.Note = texts.P("bill.note.unbounded", "n", n)
	}
	return l, questions
}

// elsewhere are the totals at the point and at the other end of the hours with
// the unknown terms settled: where stopping is dear, fewer hours cost more. A
// term that adds time can make those cheaper, so the point stands there without
// such terms too.
func (k *column) elsewhere(settled scene) []money.Rat {
	if len(settled.sub) == 0 || !k.use.SessionH.Wide() && !k.use.Busy.Wide() {
		return nil
	}
	var ts []money.Rat
	for _, at := range []int{point, 2*point - settled.end} {
		s := sceneAt(at)
		s.end, s.sub = settled.end, settled.sub
		ts = append(ts, k.run(s).total())
	}
	s := sceneAt(point)
	s.sub = maps.Clone(settled.sub)
	for _, c := range k.doubts {
		if c.alone {
			delete(s.sub, c.id)
		}
	}
	if n := len(s.sub); n > 0 && n < len(settled.sub) {
		ts = append(ts, k.run(s).total())
	}
	return ts
}

// tryOut puts a value in and returns the total, in the sheet's currency.
func (k *column) tryOut(s *scene, id offer.TermID, v value) money.Rat {
	s.sub = maps.Clone(s.sub)
	s.sub[id] = v
	return k.run(*s).total()
}

// unbounded reports whether one of them has no known bound.
func unbounded(cs []candidate) bool {
	return slices.ContainsFunc(cs, func(c candidate) bool { return c.worst == nil && c.best == nil })
}

func spreadOf(q offer.Question) money.Rat {
	if q.Spread == nil {
		return money.Int(-1)
	}
	return *q.Spread
}

func countNil(qs []offer.Question) int {
	n := 0
	for _, q := range qs {
		if q.Spread == nil {
			n++
		}
	}
	return n
}
