package ui

import (
	"context"
	"errors"
	"slices"

	"rentgen/app/bill/sheet"
	"rentgen/app/guide"
	"rentgen/app/guide/track"
	"rentgen/app/money"
	"rentgen/app/purse/tariff"
	"rentgen/assets/texts"
	"rentgen/probe/stream"
	"rentgen/ui/home"
	"rentgen/ui/hosts"
	"rentgen/ui/resident"
	"rentgen/ui/sense"
	"rentgen/ui/verdict"
)

// meaning is what Home, Watch and the bar ask: what is kept of meaning and cost,
// beside what only the window knows.
type meaning struct {
	*sense.Sense
	*resident.Residents
	w *Window
}

// senseHosts are the hosts as their meaning needs them; from any goroutine.
func (w *Window) senseHosts() []sense.Host {
	all := w.book.Hosts()
	list := make([]sense.Host, 0, len(all))
	for _, h := range all {
		list = append(list, w.senseHost(h))
	}
	return list
}

func (w *Window) senseHost(h *hosts.Host) sense.Host {
	return sense.Host{ID: h.ID, Name: h.Name, Demo: h.Demo(), Local: h.Line == hosts.LineLocal, Track: w.guides.trackOf(h.ID), Connected: h.Connected(), Live: h.State().Phase == stream.Live}
}

// trackOf is the track that was chosen for a host, "" while its board was not
// opened; from any goroutine.
func (g *guides) trackOf(id string) string {
	g.mu.Lock()
	b := g.boards[id]
	g.mu.Unlock()
	if b == nil {
		return ""
	}
	return string(b.Track())
}

// Next is the next step of a host's list in Set up.
func (m meaning) Next(id string) home.Next {
	w := m.w
	b := w.guides.board(id)
	t := b.Track()
	if t != guide.Dedicated {
		t = guide.Shared
	}
	v := b.View(t)
	next := home.Next{Of: len(v.Steps)}
	for i := range v.Steps {
		if s := &v.Steps[i]; s.Verdict == guide.Pass || s.Skipped != nil {
			next.Done++
		}
	}
	at := slices.IndexFunc(v.Steps, func(s track.StepView) bool { return s.Step.ID == v.Next })
	if at < 0 {
		return next
	}
	s := v.Steps[at]
	next.Say = texts.P("track." + s.Step.ID + ".title")
	next.Why = s.Line
	next.Open = func() {
		w.frame.Show(w.setup.Key())
		w.setup.Reveal(s.Step.ID)
	}
	return next
}

// showCost opens what a host costs on Home, with the question where nobody has
// said it.
func (w *Window) showCost(h *hosts.Host) {
	w.Choose(h.ID)
	w.frame.Show(w.home.Key())
	if _, known := w.meaning.Tariff(h.ID); !known {
		w.home.Price()
	}
}

// SetTariff keeps what a host costs; off the UI thread.
func (m meaning) SetTariff(ctx context.Context, host string, t tariff.Tariff) error {
	if h := m.w.book.Get(host); h != nil && h.Demo() {
		return errDemo
	}
	return m.Book().SetTariff(ctx, host, t)
}

// Budget is what a host may cost a month.
func (m meaning) Budget(host string, c money.Currency) *money.Rat {
	if v, ok := m.Book().Budget(host, c); ok {
		return &v
	}
	return nil
}

// SetBudget keeps what a host may cost a month; off the UI thread.
func (m meaning) SetBudget(ctx context.Context, host string, c money.Currency, limit *money.Rat) error {
	return m.Book().SetBudget(ctx, host, c, limit)
}

// errDemo says that a made-up host has a made-up price.
var errDemo = errors.New("the price of the demo is made up and can't be changed")

// Offers are those of the open plan that a price can be taken from, each with
// what the plan's bill says of it.
func (m meaning) Offers() []home.Offer {
	d := m.w.desk
	if d == nil {
		return nil
	}
	now := m.w.p.Now()
	var bills []sheet.Bill
	days := 0
	if p := d.Plan(); len(planProblems(p)) == 0 {
		r := d.Result()
		bills, days = r.Sheet.Bills, r.Sheet.Days
	}
	var list []home.Offer
	for _, o := range d.Plan().Offers {
		if o.Hidden {
			continue
		}
		t, err := tariff.FromOffer(o, d.Name(), now, now)
		if err != nil {
			continue // without a price there is nothing to take
		}
		if at := slices.IndexFunc(bills, func(b sheet.Bill) bool { return b.Name == o.Name }); at >= 0 {
			t = t.Planned(bills[at], days)
		}
		list = append(list, home.Offer{Name: d.Name() + " · " + o.Name, Tariff: t})
	}
	return list
}

// Why looks at a host and says what bounds its run; off the UI thread.
func (m meaning) Why(ctx context.Context, host string, seen func(verdict.Look)) (verdict.Found, error) {
	h := m.w.book.Get(host)
	if h == nil || !h.Connected() {
		return verdict.Found{}, hosts.ErrOffline
	}
	f, err := m.Sense.Why(ctx, m.w.senseHost(h), verdict.WhySpan, func(l sense.Look) {
		seen(verdict.Look{Elapsed: l.Elapsed, Of: verdict.WhySpan, Readings: l.Readings, Verdicts: l.Verdicts})
	})
	return verdict.Found{From: f.From, To: f.To, Verdicts: f.Verdicts, Compared: f.Compared, Differences: f.Differences}, err
}
