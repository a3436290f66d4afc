package costs

import (
	"context"
	"errors"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"rentgen/app/bill/offer"
	"rentgen/app/bill/sheet"
	"rentgen/app/purse/meter"
	"rentgen/app/purse/tariff"
	"rentgen/assets/texts"
	"rentgen/ui/widgets"
)

const (
	// runsAtOnce is how many runs are drawn before more are asked for.
	runsAtOnce = 30
	// slack is what clocks may differ by, as the meter has it.
	slack = 2 * time.Minute
)

// runs are the host's, newest first.
func (w *Page) runs(a meter.Account) []fyne.CanvasObject {
	c := w.c
	if len(a.Sessions) == 0 {
		return []fyne.CanvasObject{widgets.Words(c.T("costs.runs.none"))}
	}
	w.shown = max(w.shown, runsAtOnce)
	var o []fyne.CanvasObject
	for i, s := range a.Sessions {
		if i == w.shown {
			o = append(o, container.NewHBox(widgets.NewButton(c.T("costs.runs.more", "n", len(a.Sessions)-i), nil, func() {
				w.shown += 100
				w.update()
			})))
			break
		}
		if i > 0 {
			o = append(o, widgets.Rule())
		}
		o = append(o, w.run(a, s))
	}
	return o
}

// runText is when a run was.
func runText(c *texts.Catalogue, s meter.SessionCost) string {
	text := c.T("costs.run.open", "from", texts.DateTime(c, s.Start), "low", texts.DateTime(c, s.Ends[tariff.Low]), "high", texts.DateTime(c, s.Ends[tariff.High]))
	switch {
	case s.Running:
		text = c.T("costs.run.running", "from", texts.DateTime(c, s.Start))
	case !s.End.IsZero():
		text = c.T("costs.run.known", "span", texts.Span(c, s.Start, s.End), "by", c.T("purse.by."+string(s.By)))
	}
	if s.NoGPU {
		text = c.T("costs.run.nogpu", "run", text)
	}
	return text
}

func (w *Page) run(a meter.Account, s meter.SessionCost) fyne.CanvasObject {
	c := w.c
	amount := texts.Dash
	if a.Tariff != nil {
		amount = sheet.MoneyBand(c, s.Cost, a.Glance.Currency)
	}
	span := func(n int64) string { return texts.Duration(c, time.Duration(n)*time.Second) }
	cost := right(amount)
	cost.TextStyle.Bold = true
	box := widgets.Stacked(-4,
		widgets.Columns([]float32{0, 200}, widgets.Words(runText(c, s)), cost),
		faint(c.T("costs.run.seconds", "busy", span(s.BusyS), "idle", span(s.IdleS), "unknown", span(s.UnknownS))))
	switch {
	case s.Running:
	case s.End.IsZero():
		box.Add(w.stopped(s, c.T("costs.stop")))
	case s.By == meter.ByUser:
		box.Add(w.stopped(s, c.T("costs.stop.change")))
	}
	return box
}

// stopped asks when a run ended.
func (w *Page) stopped(s meter.SessionCost, say string) fyne.CanvasObject {
	c := w.c
	entry, bad := widgets.NewEntry(), newWrong()
	example := s.Last.Local().Format("2006-01-02 15:04")
	entry.SetPlaceHolder(example)
	var box *fyne.Container
	var keep *widgets.Button
	submit := func() {
		if keep.Disabled() {
			return
		}
		at, err := w.stopOf(s, entry.Text)
		if err != nil {
			bad.say(w.stopWords(err))
			w.body.Refresh()
			w.p.Window.Canvas().Focus(entry)
			return
		}
		bad.say("")
		keep.Disable()
		keep.SetText(c.T("costs.stop.saving"))
		host := w.host
		w.later(func(ctx context.Context) error { return w.p.Book.Stopped(ctx, host, at, meter.ByUser) }, func(err error) {
			if err == nil {
				w.update()
				return
			}
			keep.Enable()
			keep.SetText(c.T("costs.stop.save"))
			bad.say(w.stopWords(err))
			w.body.Refresh()
		})
	}
	keep = widgets.Primary(c.T("costs.stop.save"), nil, submit)
	entry.OnSubmitted = func(string) { submit() }
	entry.OnChanged = func(string) {
		if bad.box.Visible() {
			bad.say("")
			w.body.Refresh()
		}
	}
	open := container.NewHBox(widgets.Quiet(say, nil, func() {
		form := widgets.Row(
			container.NewGridWrap(fyne.NewSize(widgets.Scaled(200), entry.MinSize().Height), entry), keep,
			widgets.NewButton(c.T("costs.stop.cancel"), nil, w.update))
		box.Objects = []fyne.CanvasObject{form, bad.box}
		w.body.Refresh()
		w.p.Window.Canvas().Focus(entry)
	}))
	box = widgets.Stacked(0, open)
	return box
}

// stopOf reads when a run ended and checks that it can have. The error is an
// offer.InputErrors.
func (w *Page) stopOf(s meter.SessionCost, text string) (time.Time, error) {
	at, ok := parseStop(text, s.Last)
	if !ok {
		return at, offer.InputErrors{{Field: "at", Value: text, Allowed: texts.P("costs.stop.form", "example", s.Last.Local().Format("2006-01-02 15:04"))}}
	}
	from, to := s.Last, w.p.Now()
	if !s.Until.IsZero() {
		to = s.Until
	}
	// A minute as it is typed begins up to a minute before the moment meant.
	if at.Before(from.Add(-slack)) || at.After(to.Add(slack)) {
		when := func(t time.Time) any { return func(c *texts.Catalogue) string { return texts.DateTime(c, t) } }
		return at, offer.InputErrors{{Field: "at", Value: text, Allowed: texts.P("purse.allowed.at", "from", when(from), "to", when(to))}}
	}
	return at, nil
}

func (w *Page) stopWords(err error) string {
	c := w.c
	var all offer.InputErrors
	if errors.As(err, &all) && len(all) > 0 {
		return c.T("costs.stop.bad", "allowed", c.Say(all[0].Allowed))
	}
	return c.T("costs.stop.failed", "error", err.Error())
}

// stopForms are the ways to write a moment; the last ones are of a day that isn't
// said.
var stopForms = []string{"2006-1-2 15:04:05", "2006-1-2 15:04", "2006年1月2日 15:04", "2006年1月2日15:04", "15:04:05", "15:04"}

// parseStop reads a moment in the local zone. A time without its day is the first
// such after the last reading.
func parseStop(text string, last time.Time) (time.Time, bool) {
	text = strings.NewReplacer("/", "-", "：", ":", "　", " ", "T", " ").Replace(strings.TrimSpace(text))
	for i, form := range stopForms {
		t, err := time.ParseInLocation(form, text, time.Local)
		if err != nil {
			continue
		}
		if i < len(stopForms)-2 {
			return t, true
		}
		l := last.Local()
		t = time.Date(l.Year(), l.Month(), l.Day(), t.Hour(), t.Minute(), t.Second(), 0, time.Local)
		if t.Before(l.Add(-slack)) {
			t = t.AddDate(0, 0, 1)
		}
		return t, true
	}
	return time.Time{}, false
}
