package sheet

import (
	"slices"

	"rentgen/app/bill"
	"rentgen/app/bill/offer"
	"rentgen/app/money"
	"rentgen/assets/texts"
)

// part is a line of a bill in one scene, in the offer's currency until it is
// taken over.
type part struct {
	id      string
	amount  money.Rat
	own     *money.Rat // hours of the user's own time that have no price
	formula string
	group   int
	rule    offer.TermID
	inputs  []Input
	note    texts.Phrase
}

// eval works a bill out in one scene.
type eval struct {
	*column
	scene
	parts  []part
	status Status
	why    texts.Phrase
	err    error // of a function of package bill
	late   bool  // the job ends after the span; only where that is looked past

	timing
	unit   money.Rat // price of one unit of payment
	hourly money.Rat // price of a metered hour of one machine
	monthH money.Rat
	sum    *money.Rat // of the parts, once it is asked for
}

// timingKey names a timing: where the hours stand, and from when on the
// provider's clock runs.
type timingKey struct {
	hours int
	from  string
}

// timing are the hours of the span: of one machine running, of one stopped, and
// how long its disks are held.
type timing struct {
	session  int64 // seconds of a session of one machine
	running  money.Rat
	stopped  money.Rat
	held     money.Rat
	busy     money.Rat // of all machines
	started  money.Rat // billed parts of starts, of all machines
	pictures money.Rat
}

var (
	zero  = money.Int(0)
	one   = money.Int(1)
	hour  = money.Int(3600)
	exact = bill.Round{Mode: money.HalfUp, Scale: 2, Level: bill.Total} // what is rounded by it is not used
)

// run works the bill out; the parts are in the order of the page.
func (k *column) run(s scene) *eval {
	e := &eval{column: k, scene: s, status: OK, parts: make([]part, 0, 16)}
	e.unit, e.hourly = k.offer.Payment.Price, k.price
	if s.price != nil {
		e.unit = *s.price
		if !k.offer.Payment.Price.IsZero() {
			e.hourly = k.price.Mul(e.unit).Quo(k.offer.Payment.Price)
		}
	}
	e.check()
	if e.status != OK {
		return e
	}
	e.measure()
	e.time()
	e.stop()
	e.disks()
	e.network()
	e.ip()
	e.release()
	e.discount()
	e.tax()
	e.takeOver()
	e.ops()
	if e.err != nil && e.status == OK {
		e.status, e.why = BadTerms, texts.P("bill.why.bad_terms", "what", problem(e.err))
	}
	return e
}

// problem says what is wrong with a term in the reader's language.
func problem(err error) any {
	if p := bill.Say(err); !p.IsZero() {
		return p
	}
	return err.Error()
}

// head is what the rented time costs at one of the three ends: unknown terms
// that it isn't billed by don't change it.
type head struct {
	parts  []part
	status Status
	why    texts.Phrase
	err    error
	late   bool
}

// time bills the rented time.
func (e *eval) time() {
	tried, ok := e.triedTime()
	keep := ok && e.hours.end == e.end+1 && e.hours.factor == nil && e.price() == nil && !e.tell
	key := headKey{e.end, tried}
	if h := e.heads[key]; keep && h != nil {
		e.parts, e.status, e.why, e.err, e.late = append(e.parts, h.parts...), h.status, h.why, h.err, h.late
		return
	}
	if e.metered() {
		e.meter()
	} else {
		e.packages()
	}
	e.rerun()
	if keep {
		e.heads[key] = &head{slices.Clone(e.parts), e.status, e.why, e.err, e.late}
	}
}

// timed are the terms that the rented time is billed by.
var timed = [...]offer.TermID{offer.Granularity, offer.BilledFrom, offer.Settlement, offer.MinBilled, offer.MinCharge}

// headKey names a head: an end, and which unknown terms of timed are settled
// there. What each is taken to be follows from the end.
type headKey struct {
	end   int
	tried [len(timed)]bool
}

// triedTime returns which terms of timed are settled; ok is false where one that
// is known is put otherwise.
func (e *eval) triedTime() (tried [len(timed)]bool, ok bool) {
	for i, id := range timed {
		if _, tried[i] = e.sub[id]; tried[i] && e.known(id) {
			return tried, false
		}
	}
	return tried, true
}

// price is what is asked instead of the offer's own price.
func (e *eval) price() *money.Rat { return e.scene.price }

// check finds out whether there can be a bill at all.
func (e *eval) check() {
	pay := e.offer.Payment
	switch {
	case !e.use.CardFits:
		e.status, e.why = CardTooSmall, texts.P("bill.why.card_too_small", "card", e.offer.Card.Name)
	case e.unit.Sign() <= 0 || pay.Unit == "" ||
		pay.Unit == offer.Pack && pay.Hours.Sign() <= 0 ||
		pay.Unit == offer.Quota && (pay.Units.Sign() <= 0 || pay.DrawPerHour.Sign() <= 0):
		e.status, e.why = NoPrice, texts.P("bill.why.no_price")
	case e.noRate:
		e.status, e.why = NoRate, texts.P("bill.why.no_rate", "from", string(e.offer.Currency))
	case (e.metered() || pay.Unit == offer.Pack || pay.Unit == offer.Quota) && e.use.SessionH.High.Sign() <= 0:
		e.status, e.why = NoHours, texts.P("bill.why.no_hours")
	}
}

// measure takes the hours of the scene; those of the three ends are worked out
// once a column.
func (e *eval) measure() {
	e.monthH = e.month()
	from := e.choice(offer.BilledFrom)
	if n := e.hours.end; n > 0 && e.hours.factor == nil {
		key := timingKey{n, from}
		if t := e.timings[key]; t != nil {
			e.timing = *t
			return
		}
		defer func() {
			t := e.timing
			e.timings[key] = &t
		}()
	}
	f := one
	if e.hours.factor != nil {
		f = *e.hours.factor
	}
	n := e.sessions * e.machines
	h := pick(e.use.SessionH, e.hours.at).Mul(f).Mul(e.splitBy)
	start, more := e.starts(from)
	if !more.IsZero() && h.Sign() > 0 {
		h = h.Add(more.Quo(hour)).Max(zero)
	}
	e.session = seconds(h)
	span := money.Int(int64(e.days) * 24)
	e.running = money.Frac(e.session*e.sessions, 3600)
	total := e.running.Mul(money.Int(e.machines))
	e.busy = money.Frac(seconds(pick(e.use.Busy, e.hours.at).Mul(f)), 3600).Min(total)
	if e.use.BusyUnknown {
		e.busy = total
	}
	e.pictures = e.use.Pictures.Mul(f)
	rest := total.Sub(e.busy)
	e.started = start.Mul(money.Int(n)).Quo(hour).Min(rest)
	// What is left of whole seconds is no idleness.
	if start.Sign() > 0 && rest.Sub(e.started).Cmp(money.Frac(n+1, 3600)) <= 0 {
		e.started = rest
	}
	// One run needs its disk for as long as it runs; who comes back keeps it.
	e.held, e.stopped = e.running.Min(span), zero
	if e.sessions > 1 || !e.pauses() {
		e.held = span
	}
	if e.pauses() && e.sessions > 1 {
		e.stopped = span.Sub(e.running).Max(zero)
	}
}

// starts returns the seconds of a start that the provider bills from that
// moment on, and how many more they are than the rented hours count: those were
// worked out with the point's answer.
func (e *eval) starts(from string) (billed, more money.Rat) {
	for _, w := range e.waits {
		if w.Unknown {
			continue
		}
		s, counts := pick(w.Seconds, e.hours.at).Max(zero), w.Billed
		if from != "" {
			counts = Clocked(from, w.ID)
		}
		switch {
		case counts && !w.Billed:
			more = more.Add(s)
		case !counts && w.Billed:
			more = more.Sub(s)
		}
		if counts {
			billed = billed.Add(s)
		}
	}
	return billed, more
}

// hair is a thousandth of a second: hours that come from floats are whole
// seconds but for that.
var hair = money.Frac(1, 1000)

// seconds returns hours as whole seconds, rounded up.
func seconds(h money.Rat) int64 {
	n, ok := h.Mul(hour).Sub(hair).Ceil().Int64()
	if !ok {
		return 1 << 40
	}
	return max(n, 0)
}

// month returns the hours of a month as the provider counts them. Where nobody
// says, or by the calendar without a first day, it is 720 h to 730 h.
func (e *eval) month() money.Rat {
	switch e.choice(offer.MonthHours) {
	case "fixed_730h":
		return h730
	case "fixed_720h":
		return h720
	case "calendar":
		if e.calendar != nil {
			return e.calendar.monthH
		}
	}
	if e.calendar != nil {
		return e.calendar.doubtful(e.end)
	}
	if e.end == low {
		return h730
	}
	return h720
}

func (e *eval) add(p part) {
	if !p.amount.IsZero() || p.own != nil || !p.note.IsZero() {
		e.parts = append(e.parts, p)
	}
}

// fail keeps the first error of a function; a bill with one has no total.
func (e *eval) fail(err error) {
	if err != nil && e.err == nil {
		e.err = err
	}
}

// rat returns a term's number in the scene, 0 when nobody says.
func (e *eval) rat(id offer.TermID) (money.Rat, bool) {
	v, ok := e.sub[id]
	if !ok {
		v, ok = e.values[id]
	}
	if !ok {
		return money.Rat{}, false
	}
	return end(v.band, e.end), true
}

func (e *eval) flag(id offer.TermID) bool {
	v, ok := e.sub[id]
	if !ok {
		v = e.values[id]
	}
	return v.flag[e.end]
}

func (e *eval) choice(id offer.TermID) string {
	v, ok := e.sub[id]
	if !ok {
		v = e.values[id]
	}
	return v.choice[e.end]
}

func (e *eval) count(id offer.TermID) (int64, bool) {
	v, ok := e.rat(id)
	if !ok {
		return 0, false
	}
	n, whole := v.Ceil().Int64()
	return n, whole
}

// takeOver turns the parts into the sheet's currency.
func (e *eval) takeOver() {
	if e.rate.Cmp(one) == 0 {
		return
	}
	for i := range e.parts {
		e.parts[i].amount = e.parts[i].amount.Mul(e.rate)
	}
}

// total is the exact sum of the parts, once all of them stand.
func (e *eval) total() money.Rat {
	if e.sum == nil {
		t := e.subtotal()
		e.sum = &t
	}
	return *e.sum
}

// subtotal sums the parts so far.
func (e *eval) subtotal() money.Rat {
	all := make([]money.Rat, len(e.parts))
	for i, p := range e.parts {
		all[i] = p.amount
	}
	return money.Sum(all...)
}
