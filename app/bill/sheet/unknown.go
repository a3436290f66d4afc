package sheet

import (
	"maps"
	"slices"

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
}

// reference is the dearest known price of a term.
type reference struct {
	price money.Rat
	term  offer.Term
}

// references are the dearest known prices by term and currency, from the rules
// of all providers and the other offers of the sheet: what an unknown price
// could be is bounded by what is known elsewhere, never by a figure in code.
type references map[money.Currency]map[offer.TermID]reference

func newReferences(columns []*column) references {
	rs := make(references)
	for _, r := range provider.All() {
		for key, t := range r.Terms {
			d, ok := offer.DefOf(offer.TermID(key))
			if !ok || d.Kind != offer.KindMoney {
				continue
			}
			for _, t := range append([]provider.Term{t}, t.Also...) {
				if v, err := money.Parse(t.Value); err == nil {
					rs.keep(r.Currency, d.ID, v, offer.Term{
						Value: t.Value, Status: offer.Known, Source: t.Source, Date: t.Date, Mark: offer.Mark(t.Mark),
					})
				}
			}
		}
	}
	for _, k := range columns {
		for id, v := range k.values {
			if d, ok := offer.DefOf(id); ok && d.Kind == offer.KindMoney {
				t := v.term
				if t.Source == "" {
					t.Source = k.offer.Name
				}
				rs.keep(k.offer.Currency, id, v.band.High, t)
			}
		}
	}
	return rs
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
		if r, ok := m.prices[k.offer.Currency][id]; ok {
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

	flag(offer.StopCompute, pauses)
	flag(offer.StopSystemDisk, pauses && beyond(offer.SystemDisk, offer.SystemDiskFree))
	flag(offer.StopDataDisk, pauses && disk && !k.known(offer.StopDiskPrice))
	flag(offer.StopIP, pauses && (own || positive(offer.IPPrice)))
	flag(offer.StopBandwidth, pauses && positive(offer.BandwidthPrice))
	if k.metered() && k.offer.Payment.Unit == offer.Hour && !k.known(offer.Granularity) {
		cs = append(cs, candidate{id: offer.Granularity, worst: ratValue(hour)})
	}
	asks(offer.Interruption, k.metered())
	kind := e.choice(offer.Interruption)
	asks(offer.InterruptRate, k.metered() && (kind == "spot" || kind == "reclaim"))
	asks(offer.ReleaseAfter, pauses)
	asks(offer.IdleReclaim, k.metered() && !own)
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
		if c.worst != nil || c.best != nil {
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
	l.Amount.High = k.together(up.sub).High.Sub(base.High).Max(zero)
	l.Amount.Low = k.together(down.sub).Low.Sub(base.Low).Min(zero)
	if n := countNil(questions); n > 0 {
		l.Note = texts.P("bill.note.unbounded", "n", n)
	}
	return l, questions
}

// together is the total with all unknown terms settled.
func (k *column) together(sub map[offer.TermID]value) money.Band {
	var ends [3]*eval
	for i := range ends {
		s := sceneAt(i)
		s.sub = sub
		ends[i] = k.run(s)
	}
	return totalBand(ends)
}

// tryOut puts a value in and returns the total, in the sheet's currency.
func (k *column) tryOut(s *scene, id offer.TermID, v value) money.Rat {
	s.sub = maps.Clone(s.sub)
	s.sub[id] = v
	return k.run(*s).total()
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
