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

// glanceKept is a glance that holds until the next second or message.
type glanceKept struct {
	at      int64
	version uint64
	g       purse.Glance
}

var zero = money.Rat{}

// Glance is what is known of the host's purse now.
func (m *Meter) Glance() purse.Glance {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.p.Now().In(m.zone)
	if k := &m.glance; k.at == now.Unix() && k.version == m.version && k.g.Host != "" {
		return k.g
	}
	g := m.look(now)
	m.glance = glanceKept{now.Unix(), m.version, g}
	return g
}

// current is the session that runs, or ran last.
func (m *Meter) current() *Session {
	if m.now.s != nil {
		return m.now.s
	}
	return m.latest()
}

func monthOf(t time.Time) (from, to time.Time) {
	y, mo, _ := t.Date()
	return time.Date(y, mo, 1, 0, 0, 0, 0, t.Location()), time.Date(y, mo+1, 1, 0, 0, 0, 0, t.Location())
}

func dayOf(t time.Time) (from, to time.Time) {
	y, mo, d := t.Date()
	return time.Date(y, mo, d, 0, 0, 0, 0, t.Location()), time.Date(y, mo, d+1, 0, 0, 0, 0, t.Location())
}

func (m *Meter) look(now time.Time) purse.Glance {
	g := purse.Glance{Host: m.host}
	if m.clock != nil {
		g.Currency = m.clock.Tariff().Currency
	}
	if s := m.current(); s != nil {
		g.Since, g.NoGPU = s.Start, s.NoGPU
		g.Running = s.End.IsZero() && s.Until.IsZero() && now.Sub(s.Last) <= live
		if m.clock != nil {
			g.PerHour, g.Priced = m.clock.PerHour(now, s.NoGPU)
			g.Session = s.span(m.clock, s.Start, now, now)
		}
		g.Busy = g.Running && m.resumed && m.idleRun == 0 && m.quiet == 0
		if g.Running && m.idleRun > 0 && m.quiet == 0 {
			g.Idle, g.IdleFor = true, time.Duration(m.idleRun)*time.Second
			g.IdleCost = g.PerHour.Mul(money.Frac(m.idleRun, 3600))
			if !g.Priced {
				g.IdleCost = zero
			}
		}
	}
	if m.clock == nil {
		g.Say = m.say(g, now)
		return g
	}
	from, _ := dayOf(now)
	g.Today, g.TodayIdle = m.cost(from, now, now), m.idleCost(from, now, now)
	g.TodayIdle = least(g.TodayIdle, g.Today)
	first, last := monthOf(now)
	g.Month = m.cost(first, now, now)
	if f := m.clock.Tariff().Forecast; f != nil && f.Days > 0 {
		b := f.Total.Times(money.Frac(daysIn(first, last), int64(f.Days)))
		g.Forecast = &b
	}
	g.Pace = m.pace(g.Month, first, last, now)
	g.Budget, g.BudgetOfAll = m.budget(g.Currency)
	g.Say = m.say(g, now)
	return g
}

// daysIn are the days from one midnight to another.
func daysIn(from, to time.Time) int64 {
	n := int64(0)
	for t := from; t.Before(to); t = t.AddDate(0, 0, 1) {
		n++
	}
	return n
}

// least keeps a band below another, end by end.
func least(b, most money.Band) money.Band {
	return money.Band{Low: b.Low.Min(most.Low), Point: b.Point.Min(most.Point), High: b.High.Min(most.High)}
}

// cost is what the host cost between two moments: its sessions, and its share of
// the package.
func (m *Meter) cost(from, to, now time.Time) money.Band {
	if m.clock == nil {
		return money.Band{}
	}
	sum := money.Sure(m.clock.Share(from, to))
	for _, s := range m.sessions {
		if s.overlaps(from, to, now) {
			sum = sum.Add(s.span(m.clock, from, to, now))
		}
	}
	return sum
}

// idleCost is what the seconds that are known to be idle cost.
func (m *Meter) idleCost(from, to, now time.Time) money.Band {
	return m.stateCost(from, to, now, wasIdle)
}

// stateCost is what seconds of a state cost at the price of their session; within
// a package nothing.
func (m *Meter) stateCost(from, to, now time.Time, state byte) money.Band {
	sum := zero
	for _, s := range m.sessions {
		if !s.overlaps(from, to, now) {
			continue
		}
		c := m.clock
		if s.fixed != nil {
			c = s.fixed
		}
		if c == nil {
			continue
		}
		a, b := max(from.Unix(), s.Start.Unix()), min(to.Unix(), s.Ends(now)[tariff.High].Unix())
		cuts := []int64{a, b}
		if p := c.Tariff().Package; p != nil {
			cuts = append(cuts, min(max(p.From.Unix(), a), b), min(max(p.Until.Unix(), a), b))
			slices.Sort(cuts)
		}
		for i := 1; i < len(cuts); i++ {
			if cuts[i-1] >= cuts[i] {
				continue
			}
			if price, ok := c.PerHour(time.Unix(cuts[i-1], 0), s.NoGPU); ok {
				sum = sum.Add(price.Mul(money.Frac(m.days.count(cuts[i-1], cuts[i], state), 3600)))
			}
		}
	}
	return money.Sure(sum)
}

// paceAfter is how long a host must have been known for its pace to mean anything.
const paceAfter = 24 * time.Hour

// pace is what the month comes to where the rest of it is like what is over.
func (m *Meter) pace(month money.Band, first, last, now time.Time) *money.Band {
	if len(m.sessions) == 0 {
		return nil
	}
	begun := m.sessions[0].Start
	for _, s := range m.sessions {
		if s.Start.Before(begun) {
			begun = s.Start
		}
	}
	if begun.Before(first) {
		begun = first
	}
	gone := now.Sub(begun)
	if gone < paceAfter {
		return nil
	}
	b := month.Times(money.Frac(last.Unix()-begun.Unix(), now.Unix()-begun.Unix()))
	return &b
}

// say is the glance in one line.
func (m *Meter) say(g purse.Glance, now time.Time) texts.Phrase {
	lasts := func(d time.Duration) func(*texts.Catalogue) string {
		return func(c *texts.Catalogue) string { return texts.Duration(c, d) }
	}
	amount := func(v money.Rat) func(*texts.Catalogue) string {
		return func(c *texts.Catalogue) string { return sheet.Money(c, v, g.Currency) }
	}
	today := func(c *texts.Catalogue) string { return sheet.MoneyBand(c, g.Today, g.Currency) }
	s := m.current()
	packed := m.clock != nil && m.clock.InPackage(now)
	key := "purse.say."
	switch {
	case s == nil:
		return texts.P(key + "never")
	case g.Idle && packed:
		key += "idle_package"
	case g.Idle:
		key += "idle"
	case g.Running && g.NoGPU:
		key += "no_gpu"
	case g.Running && packed:
		key += "running_package"
	case g.Running:
		key += "running"
	case !s.End.IsZero():
		key += "stopped"
	case !s.Until.IsZero():
		key += "gone"
	default:
		key += "lost"
	}
	if m.clock == nil {
		key += ".free"
	}
	at := s.Last
	if !s.End.IsZero() {
		at = s.End
	}
	return texts.P(key, "d", lasts(g.IdleFor), "cost", amount(g.IdleCost), "today", today, "for", lasts(now.Sub(g.Since)),
		"at", func(c *texts.Catalogue) string { return texts.DateTime(c, at) })
}

// Totals sums up what runs now, by currency. Hosts without a price are counted
// with the first of them.
func Totals(list []purse.Glance) []purse.Running {
	by := make(map[money.Currency]*purse.Running)
	unpriced := 0
	for _, g := range list {
		switch {
		case !g.Running:
			continue
		case !g.Priced:
			unpriced++
			continue
		}
		r := by[g.Currency]
		if r == nil {
			r = &purse.Running{Currency: g.Currency}
			by[g.Currency] = r
		}
		r.Count++
		r.PerHour = r.PerHour.Add(g.PerHour)
		if g.Idle {
			r.Idle = r.Idle.Add(g.PerHour)
		}
	}
	var out []purse.Running
	for _, r := range by {
		out = append(out, *r)
	}
	slices.SortFunc(out, func(a, b purse.Running) int { return cmp.Compare(a.Currency, b.Currency) })
	if unpriced > 0 {
		if len(out) == 0 {
			out = append(out, purse.Running{})
		}
		out[0].Unpriced = unpriced
	}
	return out
}

// SayRunning is a total in one line: "4 running, 27.40 USD/h, of it idle 2.10".
func SayRunning(r purse.Running) texts.Phrase {
	key := "purse.running"
	switch {
	case r.Count == 0:
		return texts.P(key+".unpriced", "n", r.Unpriced)
	case !r.Idle.IsZero():
		key += ".idle"
	}
	p := texts.P(key, "n", r.Count, "rate", r.PerHour.Fixed(r.Currency.Scale()), "currency", string(r.Currency),
		"idle", r.Idle.Fixed(r.Currency.Scale()))
	if r.Unpriced > 0 {
		return texts.P("purse.running.more", "sum", p, "n", r.Unpriced)
	}
	return p
}
