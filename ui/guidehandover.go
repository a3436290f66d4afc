package ui

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"fyne.io/fyne/v2"

	"rentgen/app/bill/offer"
	"rentgen/app/guide"
	"rentgen/app/guide/ledger"
	"rentgen/app/guide/move"
	"rentgen/app/guide/report"
	"rentgen/app/money"
	core "rentgen/app/plan"
	"rentgen/app/workload"
	"rentgen/assets/texts"
	"rentgen/probe"
	"rentgen/store"
	"rentgen/ui/hosts"
	"rentgen/ui/live"
	"rentgen/ui/setup"
	"rentgen/ui/setup/handover"
)

// handPages are the pages about what goes on to others.
func (w *Window) handPages() []setup.Page {
	return handover.Pages(handover.Params{
		Card: w.setupCard, Spans: w.spansOn, Prices: w.guides.pricesOf, Rhythm: w.takeRhythm,
	})
}

// setupCard makes the card report of a host. It is meant for other people: names
// and addresses are always masked.
func (w *Window) setupCard(host string, l texts.Lang) *report.Card {
	b := w.guides.board(host)
	p := w.reportParams(host, l, true, b.View(b.Track()), b.View(guide.Network))
	return report.MakeCard(report.CardParams{
		Lang: l, Host: p.Host, Views: p.Views, Needs: w.guides.needsOf(host), Load: w.loadOf(host), Picture: pictureOf(b), Now: p.Now, Mask: p.Mask,
	})
}

// busyPct is the use of a card from which it counts as loaded, and busyFew how many
// seconds of that make a figure.
const (
	busyPct = 90
	busyFew = 20
)

// loadOf is what Watch still holds of a host's first card while it was busy, nil
// where it hardly was.
func (w *Window) loadOf(id string) *report.Load {
	h := w.book.Get(id)
	if h == nil {
		return nil
	}
	to := h.Live().Newest()
	from := to.Add(-live.Span)
	for _, d := range h.Live().Cards() {
		get := func(m probe.Metric) live.Track { return h.Live().Track(d.UUID, live.Of(m), from, to, 0) }
		use, clock, power := get(probe.UtilGPU), at(get(probe.ClockSM)), at(get(probe.Power))
		var clocks, watts []float64
		for i, t := range use.T {
			if math.IsNaN(float64(use.Mean[i])) || use.Mean[i] < busyPct {
				continue
			}
			if v, ok := clock[t]; ok {
				clocks = append(clocks, v)
			}
			if v, ok := power[t]; ok {
				watts = append(watts, v)
			}
		}
		if len(clocks) < busyFew || len(watts) < busyFew {
			continue
		}
		slices.Sort(clocks)
		l := report.Load{SMLow: clocks[len(clocks)/20], SMHigh: clocks[len(clocks)-1-len(clocks)/20], At: to}
		for _, v := range watts {
			l.Power += v / float64(len(watts))
		}
		if g, ok := h.Live().GPU(d.UUID); ok {
			l.PowerCap, _ = g.Get(probe.PowerCap).Ok()
		}
		return &l
	}
	return nil
}

// at are the known means of a track by their time.
func at(t live.Track) map[int64]float64 {
	all := make(map[int64]float64, len(t.T))
	for i, stamp := range t.T {
		if v := float64(t.Mean[i]); !math.IsNaN(v) {
			all[stamp] = v
		}
	}
	return all
}

// pictureOf is the latest warm picture of a host's ledgers, nil without one.
func pictureOf(b setup.Board) *report.Picture {
	all := b.Entries(guide.KindLedger)
	for _, e := range slices.Backward(all) {
		l, err := ledger.Read(e.Body)
		if f, ok := l.Stages[ledger.Warm]; err == nil && ok && f.Seconds > 0 {
			return &report.Picture{Seconds: f.Seconds, Job: l.Job, At: f.At}
		}
	}
	return nil
}

// spansOn are the times that a host was watched.
func (w *Window) spansOn(ctx context.Context, id string) ([]move.Span, error) {
	if w.p.History == nil {
		return nil, nil
	}
	logs, err := w.p.History.Recordings(ctx, store.Filter{Host: id, NoDemo: true})
	if err != nil {
		return nil, fmt.Errorf("read when a host was on: %w", err)
	}
	var all []move.Span
	for _, r := range logs {
		if !r.From.IsZero() {
			all = append(all, move.Span{From: r.From, To: r.To})
		}
	}
	return all, nil
}

// pricesOf are the price of an hour that the open plan has for the provider of a
// host, and that of a month: of the same provider, else of the first other one.
func (g *guides) pricesOf(id string) (p handover.Prices) {
	g.mu.Lock()
	offers, b := g.offers, g.boards[id]
	g.mu.Unlock()
	if b == nil {
		return p
	}
	mine := func(o offer.Offer) bool { return o.Provider != "" && o.Provider == b.Provider() }
	monthOf := ""
	for _, o := range offers {
		if o.Hidden {
			continue
		}
		if hour, ok := o.Hour(); ok && mine(o) && p.Hourly == nil {
			p.Hourly, p.HourlyOf = &money.Amount{Value: hour, Currency: o.Currency}, o.Name
		}
		if o.Payment.Unit == offer.Month && o.Payment.Price.Sign() > 0 && (p.Monthly == nil || mine(o) && monthOf != b.Provider()) {
			p.Monthly = &money.Amount{Value: o.Payment.Price.Mul(money.Int(int64(max(o.Cards, 1)))), Currency: o.Currency}
			p.MonthlyOf, monthOf = o.Name, o.Provider
		}
	}
	return p
}

// takeRhythm puts measured days and hours of use into the open plan; false where
// there is none.
func (w *Window) takeRhythm(daysPerWeek, hoursPerSitting float64) bool {
	if w.desk == nil {
		return false
	}
	w.desk.Edit("", func(p *core.Plan) {
		p.Use.Pattern, p.Use.DaysPerWeek, p.Use.HoursPerSitting = workload.Screen, daysPerWeek, hoursPerSitting
	})
	return true
}

// paidUntil is until when a host is paid ahead by what Set up keeps, nil where
// nothing is kept.
func (w *Window) paidUntil() func(ctx context.Context, host string) (time.Time, error) {
	if w.p.Guide == nil {
		return nil
	}
	return func(ctx context.Context, host string) (time.Time, error) {
		entries, err := w.p.Guide.GuideEntries(ctx, host)
		if err != nil {
			return time.Time{}, fmt.Errorf("read what Set up keeps: %w", err)
		}
		end, _ := handover.PackageEnd(entries)
		return end, nil
	}
}

// remind tells of packages that end within three days, once for each start of the
// program, where no alerts can be kept that tell it.
func (w *Window) remind() {
	if w.p.Guide == nil || w.p.Purse != nil {
		return
	}
	for _, h := range w.book.Hosts() {
		entries, err := w.p.Guide.GuideEntries(context.Background(), h.ID)
		if err != nil {
			continue // Set up says so when it shows the host
		}
		if end, ok := handover.PackageEnd(entries); ok {
			if says := move.EndOf(end, w.p.Now()).Says(); !says.IsZero() {
				w.p.Do(func() {
					text := w.c.T("handover.package.ring", "host", hosts.NameOf(w.c, h), "says", w.c.Say(says))
					w.p.App.SendNotification(fyne.NewNotification(w.c.T("app.name"), text))
				})
			}
		}
	}
}
