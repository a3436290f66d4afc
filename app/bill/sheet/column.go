package sheet

import (
	"rentgen/app/bill/offer"
	"rentgen/app/money"
)

// value is a term of an offer, read once: a bill is worked out many times.
type value struct {
	term   offer.Term
	band   money.Band // of a number; ordered from cheap to dear
	flag   [3]bool
	choice [3]string
}

// column is an offer being billed.
type column struct {
	offer    offer.Offer
	use      Usage
	days     int
	values   map[offer.TermID]value
	machines int64
	sessions int64     // starts of each machine
	price    money.Rat // an hour of one machine, of a metered offer
	rate     money.Rat // from the offer's currency to the sheet's
	rateDate string    // of that rate
	noRate   bool      // and none joins them
	inferred bool      // the rate of interruptions, from what the user saw
	calendar *calendar // of the span; nil: it stands on none
	shown    money.Currency
	waits    Waits       // with what the offer says of them
	doubts   []candidate // unknown terms that matter, with what they could be
	timings  map[timingKey]*timing
	heads    map[headKey]*head
	splitBy  money.Rat // share of a session each machine does, of an unattended run on more machines
}

// rank orders the options of choices from cheap to dear.
var rank = map[string]int{
	"running": 0, "boot": 1, "order": 2,
	"per_session": 0, "wall_clock_hour": 1,
	"fixed_730h": 0, "calendar": 1, "fixed_720h": 2,
	"none": 0, "reclaim": 1, "spot": 2,
}

func newColumn(p Params, c Column, currency money.Currency) *column {
	k := &column{
		offer: c.Offer, use: c.Usage, days: max(p.Days, 1), values: make(map[offer.TermID]value, len(c.Offer.Terms)),
		sessions: int64(max(c.Usage.Sessions, 1)), rate: money.Int(1), splitBy: money.Int(1), shown: currency,
		timings: make(map[timingKey]*timing), heads: make(map[headKey]*head),
	}
	if c.Usage.Days > 0 {
		k.days = c.Usage.Days
	}
	for id := range c.Offer.Terms {
		if v, ok := read(c.Offer, id); ok {
			k.values[id] = v
		}
	}
	k.rateFromHistory()
	if !p.Start.IsZero() {
		k.calendar = newCalendar(p.Start, k.days)
	}
	used := int64(max(c.Usage.Machines, 1))
	k.machines = max(used, int64(c.Offer.Count))
	if c.Usage.Unattended && k.machines > used {
		k.splitBy = money.Frac(used, k.machines)
	}
	k.waits = overlaid(c.Offer, c.Usage.Waits)
	if k.use.SessionH.High.IsZero() && k.use.Rented.High.Sign() > 0 {
		k.use.SessionH = k.use.Rented.Times(money.Frac(1, k.sessions*used))
	}
	pay := c.Offer.Payment
	k.price = pay.Price.Mul(money.Int(int64(max(c.Offer.Cards, 1))))
	switch pay.Unit {
	case offer.Second:
		k.price = k.price.Mul(money.Int(3600))
	case offer.Minute:
		k.price = k.price.Mul(money.Int(60))
	}
	if from := c.Offer.Currency; from != currency {
		a, date, err := p.Rates.Convert(money.Amount{Value: money.Int(1), Currency: from}, currency)
		k.rate, k.rateDate, k.noRate = a.Value, date, err != nil
	}
	return k
}

// read takes a term apart; ok is false when nobody says.
func read(o offer.Offer, id offer.TermID) (value, bool) {
	d, ok := offer.DefOf(id)
	if !ok {
		return value{}, false
	}
	switch d.Kind {
	case offer.KindFlag:
		f, known, t := o.Flag(id)
		v := value{term: t, flag: [3]bool{f, f, f}}
		for _, a := range t.Also {
			v.flag[low] = v.flag[low] && a.Value == "true"
			v.flag[high] = v.flag[high] || a.Value == "true"
		}
		return v, known
	case offer.KindChoice:
		s, known, t := o.Choice(id)
		v := value{term: t, choice: [3]string{s, s, s}}
		for _, a := range t.Also {
			if d.Check(a.Value) != nil {
				continue
			}
			if rank[a.Value] < rank[v.choice[low]] {
				v.choice[low] = a.Value
			}
			if rank[a.Value] > rank[v.choice[high]] {
				v.choice[high] = a.Value
			}
		}
		return v, known
	}
	b, t, known := o.Rat(id)
	if d.Cheapens() || id == offer.Bandwidth { // the card waits for slow transfers
		b.Low, b.High = b.High, b.Low
	}
	return value{term: t, band: b}, known
}

// overlaid puts the seconds that the offer's terms give into parts of a start
// of which nothing else is known, and says which parts the provider's clock
// counts.
func overlaid(o offer.Offer, ws Waits) Waits {
	from, known, _ := o.Choice(offer.BilledFrom)
	out := make(Waits, 0, len(ws))
	for _, w := range ws {
		if known {
			w.Billed = Clocked(from, w.ID)
		}
		if b, t, ok := o.Rat(offer.TermID(w.ID + "_s")); ok && w.Unknown {
			w.Seconds, w.Unknown, w.Measured = b, false, t.Mark == offer.Seen
		}
		out = append(out, w)
	}
	return out
}

// Clocked reports whether the provider's clock runs during a part of a start,
// by the choice of offer.BilledFrom.
func Clocked(from, wait string) bool {
	switch from {
	case "running":
		return wait != "queue" && wait != "boot" && wait != "pull"
	case "boot":
		return wait != "queue"
	}
	return true
}

// metered reports whether used time is paid for, so that a pause costs only
// what goes on billing.
func (k *column) metered() bool { return k.offer.Payment.Metered() }

// pauses reports whether the machine is stopped between sessions: where a
// period is paid for it may as well run.
func (k *column) pauses() bool {
	u := k.offer.Payment.Unit
	return k.metered() || u == offer.Pack || u == offer.Quota
}

// scene is one way things could turn out.
type scene struct {
	end   int // low, point or high: of every term that pages disagree on
	hours hoursAt
	sub   map[offer.TermID]value // what unknown terms are taken to be
	price *money.Rat             // instead of the offer's, of one unit
	tell  bool                   // note the inputs of each line
}

// hoursAt is where the hours stand in their bands: -1 at the low end, 0 at the
// point, 1 at the high end; factor stretches all of them.
type hoursAt struct {
	at     money.Rat
	factor *money.Rat
	end    int // 1 + low, point or high, where at is one of them; else 0
}

func sceneAt(end int) scene {
	return scene{end: end, hours: hoursAt{at: money.Int(int64(end - point)), end: end + 1}}
}

// pick returns the value of a band at a place.
func pick(b money.Band, at money.Rat) money.Rat {
	switch {
	case at.IsZero() || !b.Wide():
		return b.Point
	case at.Sign() < 0:
		return b.Point.Sub(b.Point.Sub(b.Low).Mul(at.Neg()))
	}
	return b.Point.Add(b.High.Sub(b.Point).Mul(at))
}

func end(b money.Band, e int) money.Rat {
	switch e {
	case low:
		return b.Low
	case high:
		return b.High
	}
	return b.Point
}
