package sheet

import (
	"rentgen/app/bill/offer"
	"rentgen/app/money"
	"rentgen/assets/texts"
)

// Make bills every column. The amounts of lines are exact and a total is the
// exact sum of its lines, at each end of its band.
func Make(p Params) Sheet {
	m := newMaker(p)
	s := Sheet{Days: max(p.Days, 1), Start: p.Start, Currency: m.currency, Bills: make([]Bill, 0, len(m.columns)+1)}
	for _, k := range m.columns {
		s.Bills = append(s.Bills, m.bill(k))
	}
	m.cover(s.Bills)
	if b, ok := m.mixedBill(s.Bills); ok {
		s.Bills = append(s.Bills, b)
	}
	s.Cheapest = cheapest(s.Bills)
	s.Overlap = overlap(s.Bills, s.Cheapest)
	s.Moves = m.moves(s)
	return s
}

// maker holds what the bills of one sheet share.
type maker struct {
	params   Params
	currency money.Currency
	columns  []*column
	prices   references
	points   []*eval // by column, at the point; nil without a total
	totals   map[string]money.Rat
}

func newMaker(p Params) *maker {
	m := &maker{params: p, currency: p.Currency, totals: make(map[string]money.Rat)}
	for _, c := range p.Columns {
		if m.currency == "" {
			m.currency = c.Offer.Currency
		}
	}
	for _, c := range p.Columns {
		m.columns = append(m.columns, newColumn(p, c, m.currency))
	}
	m.prices = newReferences(m.columns)
	m.points = make([]*eval, len(m.columns))
	return m
}

// bill works one column out at both ends and at the point.
func (m *maker) bill(k *column) Bill {
	b := Bill{
		Name: k.offer.Name, Offer: k.offer, Usage: k.use, Status: OK, Currency: m.currency, RateDate: k.rateDate, Rate: k.rate, Waits: k.waits,
	}
	b.WaitH = k.waitBand()
	if k.use.CardUnknown {
		b.Notes = append(b.Notes, texts.P("bill.note.card_unknown", "card", k.offer.Card.Name))
	}
	s := sceneAt(point)
	s.tell = true
	e := k.run(s)
	if e.status != OK {
		b.Status, b.Why = e.status, e.why
		return b
	}
	if k.use.Unattended && !e.inSpan() {
		b.Status = CannotFinish
		b.Why = texts.P("bill.why.too_long", "hours", hoursText(e.running), "days", k.days, "most", hoursText(money.Int(int64(k.days)*24)))
		return b
	}
	ends := [3]*eval{k.run(sceneAt(low)), e, k.run(sceneAt(high))}
	for _, o := range ends {
		if o.status != OK {
			b.Status, b.Why = o.status, texts.P("bill.why.may_not_finish", "days", k.days)
			return b
		}
	}
	if ends[high].late || k.use.Unattended && !ends[high].inSpan() {
		b.Notes = append(b.Notes, texts.P("bill.note.may_be_late", "days", k.days))
	}
	m.points[m.index(k)] = e
	b.Lines = k.lines(ends)
	k.tellRest(b.Lines)
	line, questions := m.unknown(k, ends)
	b.Unknown = questions
	if line.ID != "" {
		b.Lines = append(b.Lines, line)
	}
	b.Dies = e.dies()
	b.LastsH = e.lasts()
	b.sum()
	return b
}

// Short reports whether the pictures need more hours than are rented: what is
// rented is billed, but not so many pictures come of it.
func (u Usage) Short() bool {
	return !u.Unattended && !u.BusyUnknown && u.Rented.Point.Less(u.Busy.Point)
}

func (m *maker) index(k *column) int {
	for i, c := range m.columns {
		if c == k {
			return i
		}
	}
	return -1
}

// sum totals the lines, a head and a thousand pictures.
func (b *Bill) sum() {
	b.Total = money.Band{}
	for _, l := range b.Lines {
		b.Total = b.Total.Add(l.Amount)
	}
	if n := int64(b.Usage.Heads); n > 1 {
		v := b.Total.Times(money.Frac(1, n))
		b.PerHead = &v
	}
	if n := b.Usage.Pictures; n.Sign() > 0 && !b.Usage.Short() {
		v := b.Total.Times(money.Int(1000).Quo(n))
		b.Per1000 = &v
	}
}

// waitBand is a start in hours, from the click to the first picture.
func (k *column) waitBand() money.Band {
	var sum money.Band
	for _, w := range k.waits {
		if !w.Unknown {
			sum = sum.Add(w.Seconds)
		}
	}
	return sum.Times(money.Frac(1, 3600))
}

// lasts is how long the balance lasts with all machines running.
func (e *eval) lasts() *money.Band {
	balance, known, _ := e.column.balance()
	if !known || !e.metered() {
		return nil
	}
	perHour := e.hourly
	if ip, ok := e.rat(offer.IPPrice); ok {
		perHour = perHour.Add(ip)
	}
	if perHour = perHour.Mul(money.Int(e.machines)); perHour.Sign() <= 0 {
		return nil
	}
	b := balance.Times(one.Quo(perHour))
	return &b
}

func (k *column) balance() (money.Band, bool, offer.Term) {
	v, ok := k.values[offer.Balance]
	return ordered(v.band.Low, v.band.Point, v.band.High), ok, v.term
}

// order is the order of the page.
var order = func() map[string]int {
	m := make(map[string]int)
	for i, id := range []string{
		LineValidation, LineTransfer, LineCompute, LineIdle, LineStart, LineRounding, LinePackage, LineOverage, LineRerun, LineMaxLife, LineStopped, LineSystemDisk,
		LineDataDisk, LineSnapshot, LineSystemImage, LineBandwidth, LineTraffic, LineCrossRegion, LineIP, LineRelease,
		LineOps, LineDiscount, LineTax, LineUnknown,
	} {
		m[id] = i
	}
	return m
}()

// cheapest returns the bills with the least total at the point, exactly.
func cheapest(bills []Bill) []int {
	var best []int
	for i, b := range bills {
		if b.Status != OK || b.Offer.Hidden {
			continue
		}
		switch {
		case len(best) == 0 || b.Total.Point.Less(bills[best[0]].Total.Point):
			best = []int{i}
		case b.Total.Point.Cmp(bills[best[0]].Total.Point) == 0:
			best = append(best, i)
		}
	}
	return best
}

// overlap reports whether the cheapest bill's band touches another's.
func overlap(bills []Bill, best []int) bool {
	if len(best) == 0 {
		return false
	}
	for i, b := range bills {
		if i == best[0] || b.Status != OK || b.Offer.Hidden {
			continue
		}
		if b.Total.Low.Cmp(bills[best[0]].Total.High) <= 0 {
			return true
		}
	}
	return false
}
