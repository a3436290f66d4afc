package ui

import (
	"context"
	"time"

	"fyne.io/fyne/v2"

	"rentgen/app/judge"
	"rentgen/app/purse"
	"rentgen/app/purse/alert"
	"rentgen/assets/texts"
	"rentgen/probe"
	"rentgen/ui/alerts"
	"rentgen/ui/frame"
	"rentgen/ui/home"
	"rentgen/ui/hosts"
	"rentgen/ui/sense"
	"rentgen/ui/verdict"
)

// fromStore takes what isn't given from the store behind the list of hosts.
func (p *Params) fromStore() {
	real, ok := p.Store.(*shelf)
	if !ok {
		return
	}
	if p.History == nil {
		p.History = real.s
	}
	if p.Plans == nil {
		p.Plans = plans{real.s}
	}
	if p.Guide == nil {
		p.Guide = real.s
	}
	if p.Purse == nil {
		p.Purse = real.s
	}
	if p.Judged == nil {
		p.Judged = real.s
	}
	if p.Logs == nil {
		p.Logs = real.s
	}
}

// hearStore says what goes wrong with the history in the background.
func (w *Window) hearStore() {
	if real, ok := w.p.Store.(*shelf); ok {
		w.unhear = real.s.OnError(func(err error) { w.Say("window.history.failed", err.Error()) })
	}
}

// newSense returns what keeps meaning and cost beside the hosts.
func (w *Window) newSense() *sense.Sense {
	ring := alerts.Ring(alerts.NotifyFunc(func(title, body string) {
		w.doOpen(func() { w.p.App.SendNotification(fyne.NewNotification(title, body)) })
	}), w.spoken, nil)
	return sense.New(sense.Params{
		Purse: w.p.Purse, Judged: w.p.Judged, Hosts: w.senseHosts, Disks: w.disksOf, PaidUntil: w.paidUntil(), Ended: w.endedLogs(), Secrets: w.p.Secrets,
		Redact: w.p.Redactor.Secret, Texts: w.spoken, Notify: ring, Changed: w.changed,
		Failed: func(err error) { w.Say("window.purse.failed", err.Error()) },
		Now:    w.p.Now, Go: w.p.Go,
	})
}

// spoken is the catalogue of the language of now; from any goroutine.
func (w *Window) spoken() *texts.Catalogue { return w.guides.spoken() }

func (g *guides) spoken() *texts.Catalogue {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.c
}

// loadSense reads what is kept of meaning and cost, beside the first picture.
func (w *Window) loadSense(ctx context.Context) {
	if err := w.sense.Load(ctx); err != nil && ctx.Err() == nil {
		w.Say("window.purse.unread", err.Error())
	}
}

// heard takes every message of a connection.
func (w *Window) heard(h *hosts.Host, m probe.Message) { w.sense.Message(w.senseHost(h), m) }

// Hear takes a message as if a host's connection had brought it, for what it means
// and costs: tests that play a past to the charts play it here too.
func (w *Window) Hear(h *hosts.Host, m probe.Message) { w.heard(h, m) }

// newHome returns the Home place.
func (w *Window) newHome() *home.Place {
	show := func(key string) func() { return func() { w.frame.Show(key) } }
	a := home.Actions{
		Add: w.Add, Choose: w.Choose, Demo: func() { w.openDemo(true) }, Watch: show("watch"), Setup: show("setup"),
		Alerts: func() { w.openAlerts(nil) }, Costs: w.openCosts, Copy: w.copyText,
		Alert: func(al purse.Alert) {
			if al.Host != "" {
				w.Choose(al.Host)
				w.frame.Show("watch")
			}
		},
		Jump: func(from, to time.Time) {
			w.frame.Show("watch")
			w.watch.ShowSpan(from, to)
		},
	}
	if w.p.Plans != nil {
		a.Plan, a.Bill = show("plan"), show("bill")
	}
	return home.New(home.Params{
		Texts: w.c, Book: w.book, Model: w.meaning, Actions: a, Window: w.win, Now: w.p.Now, Do: w.p.Do, Go: w.p.Go, Pace: w.p.Pace,
	})
}

// money is what the bar says of cost and alerts.
func (w *Window) money() frame.Money {
	m := frame.Money{Running: w.sense.Running(), Alerts: w.sense.Unseen()}
	if h := w.book.Chosen(); h != nil {
		m.Chosen, m.Known = w.sense.Glance(h.ID)
	}
	return m
}

// openAlerts shows the list of alerts.
func (w *Window) openAlerts(fyne.CanvasObject) {
	if w.alerts == nil {
		w.alerts = alerts.New(alerts.Params{
			Texts: w.c, Model: alertList{w}, Canvas: w.win.Canvas(), Now: w.p.Now,
			Tomorrow: func(now time.Time) time.Time {
				if e := w.sense.Engine(); e != nil {
					return alert.UntilTomorrow(now, e.Rules())
				}
				return alert.UntilTomorrow(now, alert.DefaultRules())
			},
			Rules: func() { w.frame.Show("settings") },
			Guard: func() { w.frame.Show(w.home.Key()) },
		})
	}
	w.alerts.Retext(w.c)
	w.alerts.Open()
}

// alertList is the list of alerts as its panel asks for it.
type alertList struct{ w *Window }

// Alerts implements alerts.Model.
func (l alertList) Alerts() []purse.Alert {
	if e := l.w.sense.Engine(); e != nil {
		return e.List()
	}
	return nil
}

// Snooze implements alerts.Model.
func (l alertList) Snooze(id string, until time.Time) {
	l.change(func(ctx context.Context, e *alert.Engine) error { return e.Snooze(ctx, id, until) })
}

// Seen implements alerts.Model.
func (l alertList) Seen(id string) {
	l.change(func(ctx context.Context, e *alert.Engine) error { return e.Seen(ctx, id) })
}

func (l alertList) change(f func(ctx context.Context, e *alert.Engine) error) {
	e := l.w.sense.Engine()
	if e == nil {
		return
	}
	l.w.p.Go(func() {
		if err := f(context.Background(), e); err != nil {
			l.w.Say("window.purse.failed", err.Error())
		}
		l.w.doOpen(func() {
			if l.w.alerts != nil {
				l.w.alerts.Refresh()
			}
			l.w.refresh()
		})
	})
}

// listVerdicts shows verdicts of a log; choose shows one in the charts.
func (w *Window) listVerdicts(list []judge.Verdict, choose func(judge.Verdict)) {
	verdict.Open(verdict.Params{Texts: w.c, Canvas: w.win.Canvas, Now: w.p.Now, Jump: choose}, list)
}
