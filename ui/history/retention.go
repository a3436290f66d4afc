package history

import (
	"context"
	"slices"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/widget"

	"rentgen/assets/texts"
	"rentgen/store"
	"rentgen/ui/widgets"
)

const oneDay = 24 * time.Hour

// The choices; 0 keeps for ever.
var (
	secondsChoices = []time.Duration{7 * oneDay, 30 * oneDay, 90 * oneDay, 365 * oneDay, 0}
	minutesChoices = []time.Duration{90 * oneDay, 365 * oneDay, 2 * 365 * oneDay, 5 * 365 * oneDay, 0}
)

// keepPanel is the setting of how long what is kept, with the size it costs.
type keepPanel struct {
	w       *Place
	was     store.Retention
	seconds *widgets.Select
	minutes *widgets.Select
	secs    []time.Duration
	mins    []time.Duration
	cost    *widget.Label
	warn    *widget.Label
	now     *widget.Label
	save    *widgets.Button
	panel   *widgets.Panel
	reader  loader
}

// kept is what the setting is made of.
type kept struct {
	retention store.Retention
	size      store.Size
}

// openRetention reads the setting and shows it.
func (w *Place) openRetention() {
	l := loader{p: &w.p}
	ask(&l, func(ctx context.Context) (kept, error) {
		r, err := w.p.Store.Retention(ctx)
		if err != nil {
			return kept{}, err
		}
		size, err := w.p.Store.Size(ctx)
		return kept{r, size}, err
	}, func(k kept, err error) {
		if err != nil {
			w.failed(err)
			return
		}
		newKeepPanel(w, k).panel.Show()
	})
}

func newKeepPanel(w *Place, k kept) *keepPanel {
	c := w.c
	p := &keepPanel{w: w, was: k.retention, cost: widgets.Words(""), warn: widgets.Words(""), reader: loader{p: &w.p}}
	p.secs, p.mins = withChoice(secondsChoices, k.retention.Seconds), withChoice(minutesChoices, k.retention.Minutes)
	p.seconds = widgets.NewSelect(choiceNames(c, p.secs), nil)
	p.minutes = widgets.NewSelect(choiceNames(c, p.mins), nil)
	p.seconds.SetSelectedIndex(slices.Index(p.secs, k.retention.Seconds))
	p.minutes.SetSelectedIndex(slices.Index(p.mins, k.retention.Minutes))
	p.seconds.OnChanged = func(string) { p.changed() }
	p.minutes.OnChanged = func(string) { p.changed() }
	p.warn.Importance = widget.WarningImportance
	p.now = widgets.Words(c.T("history.keep.now",
		"size", texts.Bytes(float64(k.size.File+k.size.Log)), "free", texts.Bytes(float64(k.size.Free))))
	form := container.New(layout.NewFormLayout(),
		widget.NewLabel(c.T("history.keep.seconds")), p.seconds,
		widget.NewLabel(c.T("history.keep.minutes")), p.minutes,
		widget.NewLabel(c.T("history.keep.hours")), widget.NewLabel(c.T("history.keep.ever")))
	cancel := widgets.NewButton(c.T("history.keep.cancel"), nil, func() { p.panel.Cancel() })
	p.save = widgets.Primary(c.T("history.keep.save"), nil, p.store)
	p.panel = widgets.NewPanel(widgets.PanelParams{
		Canvas: w.p.Window.Canvas(), Title: c.T("history.keep.title"),
		Content: container.NewVBox(widgets.Words(c.T("history.keep.what")), form, p.cost, p.now, p.warn),
		Buttons: []fyne.CanvasObject{cancel, p.save}, First: p.seconds, Width: 520,
		OnCancel: p.reader.stop,
	})
	p.changed()
	return p
}

// withChoice adds a span set elsewhere to the choices, in its place.
func withChoice(all []time.Duration, d time.Duration) []time.Duration {
	if slices.Contains(all, d) {
		return all
	}
	out := slices.Clone(all)
	i := slices.IndexFunc(out, func(o time.Duration) bool { return o == 0 || o > d })
	return slices.Insert(out, i, d)
}

func choiceNames(c *texts.Catalogue, all []time.Duration) []string {
	var names []string
	for _, d := range all {
		names = append(names, choiceName(c, d))
	}
	return names
}

func choiceName(c *texts.Catalogue, d time.Duration) string {
	days := int(d / oneDay)
	switch {
	case d == 0:
		return c.T("history.keep.ever")
	case days == 365:
		return c.T("history.keep.year")
	case days%365 == 0:
		return c.T("history.keep.years", "n", days/365)
	}
	return c.T("history.keep.days", "n", days)
}

// chosen is what the choosers say.
func (p *keepPanel) chosen() store.Retention {
	return store.Retention{Seconds: p.secs[max(p.seconds.SelectedIndex(), 0)], Minutes: p.mins[max(p.minutes.SelectedIndex(), 0)]}
}

// lasts orders spans, for ever last.
func lasts(d time.Duration) time.Duration {
	if d == 0 {
		return 1<<63 - 1
	}
	return d
}

// changed says what the choice costs and what it takes away.
func (p *keepPanel) changed() {
	c, r := p.w.c, p.chosen()
	widgets.SetWords(p.warn, "")
	p.save.Enable()
	switch {
	case lasts(r.Minutes) < lasts(r.Seconds):
		widgets.SetWords(p.warn, c.T("history.keep.order"))
		p.save.Disable()
	case lasts(r.Seconds) < lasts(p.was.Seconds) || lasts(r.Minutes) < lasts(p.was.Minutes):
		widgets.SetWords(p.warn, c.T("history.keep.shorter"))
	}
	ask(&p.reader, func(ctx context.Context) (store.Cost, error) {
		return p.w.p.Store.Cost(ctx, r)
	}, func(cost store.Cost, err error) {
		if err != nil {
			widgets.SetWords(p.cost, err.Error())
		} else {
			widgets.SetWords(p.cost, costText(c, cost))
		}
		p.panel.Fit()
	})
}

func costText(c *texts.Catalogue, cost store.Cost) string {
	key := "history.keep.cost.guess"
	if cost.Measured {
		key = "history.keep.cost"
	}
	return c.T(key,
		"all", texts.Bytes(float64(cost.Seconds+cost.Minutes)), "seconds", texts.Bytes(float64(cost.Seconds)),
		"minutes", texts.Bytes(float64(cost.Minutes)), "hours", texts.Bytes(float64(cost.Hours)),
		"day", texts.Bytes(float64(cost.PerDay)), "on", texts.Number(cost.CardHours, 1))
}

// store saves the choice.
func (p *keepPanel) store() {
	r := p.chosen()
	p.save.Disable()
	ask(&p.reader, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, p.w.p.Store.SetRetention(ctx, r)
	}, func(_ struct{}, err error) {
		if err != nil {
			widgets.SetWords(p.warn, p.w.c.T("history.fail.keep", "why", err.Error()))
			p.save.Enable()
			p.panel.Fit()
			return
		}
		p.panel.Close()
		p.w.load()
	})
}
