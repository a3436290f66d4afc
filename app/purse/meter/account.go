package meter

import (
	"cmp"
	"slices"
	"time"

	"rentgen/app/bill/sheet"
	"rentgen/app/money"
	"rentgen/app/purse"
	"rentgen/app/purse/tariff"
	"rentgen/assets/texts"
)

// Account is all that is known of a host's costs.
type Account struct {
	Glance   purse.Glance
	Tariff   *tariff.Tariff // nil: nobody has said
	Sessions []SessionCost  // newest first
	Days     []DayCost      // of this month, oldest first; those on which nothing ran or was paid are left out
	Lines    []LineCost     // of this month, in the order of bills
	Plans    []PlanCost
	// Idle are the seconds of this month that are known to be idle.
	BusyS, IdleS, UnknownS int64
	IdleCost               money.Band
	Doubts                 []texts.Phrase // why bands are wide
}

// SessionCost is a session and what it cost beside the package.
type SessionCost struct {
	Session
	Ends                   [3]time.Time // the earliest, the known, the latest end
	Cost                   money.Band
	BusyS, IdleS, UnknownS int64
	Running                bool
	// Worked says whether the card worked in the last half minute that was seen;
	// nil: that isn't known.
	Worked *bool
}

// DayCost is a day of the local calendar.
type DayCost struct {
	Day                    string // "2026-11-30"
	BusyS, IdleS, UnknownS int64  // of the seconds that are known to be paid for
	Cost, Idle             money.Band
}

// LineUnseen is the line of seconds that were paid for while nobody looked.
const LineUnseen = "unseen"

// LineCost is a line of the bill: what was planned for the month and what is
// known of it so far. Nil is not known.
type LineCost struct {
	ID               string // as in the bill, or LineUnseen
	Forecast, Actual *money.Band
}

// Name is what the page calls the line.
func (l LineCost) Name() texts.Phrase {
	if l.ID == LineUnseen {
		return texts.P("purse.line.unseen")
	}
	return texts.P("bill.line." + l.ID)
}

// PlanCost is what the sessions under a plan's offer cost so far.
type PlanCost struct {
	Plan, Offer string // "" and "": not of a plan
	Currency    money.Currency
	Sessions    int
	Cost        money.Band
}

// Account works out all that is known of the host's costs.
func (m *Meter) Account() Account {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.p.Now().In(m.zone)
	a := Account{Glance: m.look(now)}
	if m.clock != nil {
		t := m.clock.Tariff()
		a.Tariff = &t
	}
	for _, s := range slices.Backward(m.sessions) {
		a.Sessions = append(a.Sessions, m.sessionCost(s, now))
	}
	first, last := monthOf(now)
	for from := first; from.Before(last) && !from.After(now); {
		_, to := dayOf(from)
		if d := m.dayCost(from, to, now); d.BusyS+d.IdleS+d.UnknownS > 0 || !d.Cost.IsZero() {
			a.Days = append(a.Days, d)
		}
		from = to
	}
	for _, d := range a.Days {
		a.BusyS, a.IdleS, a.UnknownS = a.BusyS+d.BusyS, a.IdleS+d.IdleS, a.UnknownS+d.UnknownS
	}
	a.IdleCost = least(m.idleCost(first, now, now), a.Glance.Month)
	a.Lines = m.lines(a.Glance, first, now)
	a.Plans = m.plans(now)
	a.Doubts = m.doubts(now)
	return a
}

func (m *Meter) sessionCost(s *Session, now time.Time) SessionCost {
	c := SessionCost{Session: *s, Ends: s.Ends(now)}
	c.Cost = s.span(m.clock, s.Start, now, now)
	c.Running = s.End.IsZero() && s.Until.IsZero() && now.Sub(s.Last) <= live
	from, to := s.Start.Unix(), c.Ends[tariff.Point].Unix()
	c.BusyS, c.IdleS = m.days.count(from, to, wasBusy), m.days.count(from, to, wasIdle)
	c.UnknownS = max(to-from-c.BusyS-c.IdleS, 0)
	last := s.Last.Unix()
	if b, i := m.days.count(last-30, last, wasBusy), m.days.count(last-30, last, wasIdle); b+i > 0 {
		worked := b > 0
		c.Worked = &worked
	}
	return c
}

func (m *Meter) dayCost(from, to, now time.Time) DayCost {
	d := DayCost{Day: from.Format(time.DateOnly)}
	d.BusyS, d.IdleS = m.days.count(from.Unix(), to.Unix(), wasBusy), m.days.count(from.Unix(), to.Unix(), wasIdle)
	rented := int64(0)
	for _, s := range m.sessions {
		rented += s.rented(from, to, now)
	}
	d.UnknownS = max(rented-d.BusyS-d.IdleS, 0)
	if to.After(now) {
		to = now
	}
	d.Cost = m.cost(from, to, now)
	d.Idle = least(m.idleCost(from, to, now), d.Cost)
	return d
}

// lines sets the month so far against the plan, line by line. What the card did
// is known of the seconds that were seen; disks and traffic only a bill knows.
func (m *Meter) lines(g purse.Glance, first, now time.Time) []LineCost {
	if m.clock == nil {
		return nil
	}
	actual := make(map[string]money.Band)
	put := func(id string, b money.Band) { actual[id] = b }
	share := m.clock.Share(first, now)
	if m.clock.Tariff().Package != nil {
		put(sheet.LinePackage, money.Sure(share))
	}
	if m.clock.Tariff().PerHour != nil || len(actual) == 0 {
		painted, idled := m.stateCost(first, now, now, wasBusy), m.stateCost(first, now, now, wasIdle)
		seconds := m.secondsCost(first, now, now)
		metered := money.Band{Low: g.Month.Low.Sub(share), Point: g.Month.Point.Sub(share), High: g.Month.High.Sub(share)}
		rest := func(b money.Band, v money.Rat) money.Band {
			return money.Band{Low: b.Low.Sub(v), Point: b.Point.Sub(v), High: b.High.Sub(v)}
		}
		put(sheet.LineCompute, painted)
		put(sheet.LineIdle, idled)
		put(LineUnseen, money.Sure(seconds.Sub(painted.Point).Sub(idled.Point)))
		put(sheet.LineRounding, rest(metered, seconds))
	}
	var out []LineCost
	named := make(map[string]bool)
	if f := m.clock.Tariff().Forecast; f != nil {
		start, end := monthOf(now)
		part := money.Frac(daysIn(start, end), int64(max(f.Days, 1)))
		for _, l := range f.Lines {
			b := l.Amount.Times(part)
			c := LineCost{ID: l.ID, Forecast: &b}
			if v, ok := actual[l.ID]; ok {
				c.Actual = &v
			}
			named[l.ID] = true
			out = append(out, c)
		}
	}
	for _, id := range []string{sheet.LinePackage, sheet.LineCompute, sheet.LineIdle, LineUnseen, sheet.LineRounding} {
		if v, ok := actual[id]; ok && !named[id] {
			out = append(out, LineCost{ID: id, Actual: &v})
		}
	}
	return out
}

// secondsCost is what the seconds of a span that are known to be paid for cost
// before they are rounded to units.
func (m *Meter) secondsCost(from, to, now time.Time) money.Rat {
	sum := zero
	for _, s := range m.sessions {
		c := m.clock
		if s.fixed != nil {
			c = s.fixed
		}
		if c == nil {
			continue
		}
		price, ok := c.PerHour(s.Start, s.NoGPU)
		if p := c.Tariff().Package; p != nil {
			price, ok = c.PerHour(p.Until, s.NoGPU)
		}
		if !ok {
			continue
		}
		n := s.rented(from, to, now)
		if p := c.Tariff().Package; p != nil {
			a, b := from, to
			if p.From.After(a) {
				a = p.From
			}
			if p.Until.Before(b) {
				b = p.Until
			}
			if a.Before(b) {
				n -= s.rented(a, b, now)
			}
		}
		sum = sum.Add(price.Mul(money.Frac(n, 3600)))
	}
	return sum
}

// plans sums the sessions by the plan that their price was taken from.
func (m *Meter) plans(now time.Time) []PlanCost {
	var out []PlanCost
	for _, s := range m.sessions {
		c := m.clock
		if s.fixed != nil {
			c = s.fixed
		}
		if c == nil {
			continue
		}
		t := c.Tariff()
		i := slices.IndexFunc(out, func(p PlanCost) bool { return p.Plan == t.Plan && p.Offer == t.Offer && p.Currency == t.Currency })
		if i < 0 {
			i = len(out)
			out = append(out, PlanCost{Plan: t.Plan, Offer: t.Offer, Currency: t.Currency})
		}
		out[i].Sessions++
		out[i].Cost = out[i].Cost.Add(s.span(c, s.Start, now, now))
	}
	if m.clock != nil && m.clock.Tariff().Package != nil {
		t := m.clock.Tariff()
		for i, p := range out {
			if p.Plan == t.Plan && p.Offer == t.Offer && p.Currency == t.Currency {
				out[i].Cost = p.Cost.Add(money.Sure(m.clock.Share(t.Package.From, now)))
			}
		}
	}
	slices.SortStableFunc(out, func(a, b PlanCost) int { return cmp.Or(cmp.Compare(a.Plan, b.Plan), cmp.Compare(a.Offer, b.Offer)) })
	return out
}

// doubts say why bands are wide, and what would make them narrow.
func (m *Meter) doubts(now time.Time) []texts.Phrase {
	var out []texts.Phrase
	add := func(key string, pairs ...any) { out = append(out, texts.P("purse.doubt."+key, pairs...)) }
	when := func(t time.Time) any { return func(c *texts.Catalogue) string { return texts.DateTime(c, t) } }
	for _, s := range slices.Backward(m.sessions) {
		if !s.Sure(now) {
			add("end", "start", when(s.Start), "from", when(s.Last), "to", when(s.Ends(now)[tariff.High]))
		}
		if !s.Known {
			add("start", "at", when(s.First))
		}
		if len(out) >= 5 {
			break
		}
	}
	if m.clock == nil {
		return out
	}
	t := m.clock.Tariff()
	if s := m.current(); s != nil && s.NoGPU && t.NoGPU == nil {
		add("no_gpu")
	}
	if p := t.Package; p != nil && t.PerHour == nil && p.Until.Before(now) {
		add("after", "at", when(p.Until))
	}
	var unknown []string
	for _, r := range t.Rules() {
		switch r.ID {
		case "granularity_s", "min_billed_s", "min_charge", "settlement", "billed_from":
			if r.Term.Value == "" && t.PerHour != nil {
				unknown = append(unknown, string(r.ID))
			}
		}
	}
	if len(unknown) > 0 {
		add("rules", "terms", func(c *texts.Catalogue) string {
			names := make(texts.List, len(unknown))
			for i, id := range unknown {
				names[i] = c.T("term." + id)
			}
			return c.Say(texts.P("purse.list", "list", names))
		})
	}
	return out
}
