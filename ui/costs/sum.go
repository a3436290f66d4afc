package costs

import (
	"strings"
	"time"

	"fyne.io/fyne/v2"

	"rentgen/app/bill/sheet"
	"rentgen/app/money"
	"rentgen/app/purse/meter"
	"rentgen/app/purse/reconcile"
	"rentgen/assets/texts"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// sum is what the host has cost: now, this month against the plan, and by plan.
func (w *Page) sum(a meter.Account, known bool) []fyne.CanvasObject {
	c, g := w.c, a.Glance
	if !known {
		return nil
	}
	amount := func(b money.Band) string {
		if a.Tariff == nil {
			return texts.Dash
		}
		return sheet.MoneyBand(c, b, g.Currency)
	}
	today := amount(g.Today)
	if a.Tariff != nil && !g.TodayIdle.IsZero() {
		today = c.T("costs.ofidle", "cost", today, "idle", amount(g.TodayIdle))
	}
	span := func(n int64) string { return texts.Duration(c, time.Duration(n)*time.Second) }
	o := []fyne.CanvasObject{
		named(c.T("costs.session"), amount(g.Session)), named(c.T("costs.today"), today), named(c.T("costs.month"), amount(g.Month)),
		named(c.T("costs.idle"), c.T("costs.idle.for", "d", span(a.IdleS), "cost", amount(a.IdleCost))),
		faint(c.T("costs.seconds", "busy", span(a.BusyS), "idle", span(a.IdleS), "unknown", span(a.UnknownS))),
	}
	o = append(o, w.pace(a)...)
	if a.Tariff == nil {
		o = append(o, marked(theme.Warn, c.T("costs.noprice")))
	}
	if len(a.Doubts) > 0 {
		o = append(o, widgets.Rule(), bold(c.T("costs.doubts")))
		for _, d := range a.Doubts {
			o = append(o, marked(theme.Warn, c.Say(d)))
		}
	}
	o = append(o, widgets.Rule(), bold(c.T("costs.lines")))
	o = append(o, w.lines(a)...)
	return append(append(o, widgets.Rule(), bold(c.T("costs.plans"))), w.plans(a)...)
}

// pace is what the month comes to, and what it should.
func (w *Page) pace(a meter.Account) (o []fyne.CanvasObject) {
	c, g := w.c, a.Glance
	if g.Pace != nil {
		o = append(o, named(c.T("costs.pace"), sheet.MoneyBand(c, *g.Pace, g.Currency)))
	}
	if g.Forecast != nil {
		o = append(o, named(c.T("costs.forecast"), sheet.MoneyBand(c, *g.Forecast, g.Currency)))
	}
	if g.Budget != nil {
		key := "costs.limit"
		if g.BudgetOfAll {
			key = "costs.limit.all"
		}
		o = append(o, named(c.T(key), sheet.Money(c, *g.Budget, g.Currency)))
	}
	return o
}

// lineWidths are those of a table of lines: the name takes the rest.
var lineWidths = []float32{0, 210, 230}

// lines set the month so far against the plan.
func (w *Page) lines(a meter.Account) []fyne.CanvasObject {
	c := w.c
	if len(a.Lines) == 0 {
		return []fyne.CanvasObject{faint(c.T("costs.lines.none"))}
	}
	planned := a.Tariff != nil && a.Tariff.Forecast != nil
	o := []fyne.CanvasObject{columnNames(c, lineWidths, "line", "plan", "counted")}
	for _, l := range a.Lines {
		cells := [2]string{why(c, "noforecast"), why(c, "uncounted")}
		if planned {
			cells[0] = why(c, "unplanned")
		}
		switch k, ok := reconcile.KindOfLine(l.ID); {
		case ok && k == reconcile.Compute:
			cells[1] = why(c, "running")
		case ok:
			cells[1] = why(c, "bill")
		}
		for i, b := range []*money.Band{l.Forecast, l.Actual} {
			if b != nil {
				cells[i] = sheet.MoneyBand(c, *b, a.Glance.Currency)
			}
		}
		o = append(o, widgets.Columns(lineWidths, widgets.Words(c.Say(l.Name())), right(cells[0]), right(cells[1])))
	}
	if !planned {
		o = append(o, faint(c.T("costs.lines.noplan")))
	}
	return o
}

func columnNames(c *texts.Catalogue, widths []float32, keys ...string) fyne.CanvasObject {
	var o []fyne.CanvasObject
	for i, k := range keys {
		l := faint(c.T("costs.col." + k))
		if i > 0 {
			l.Alignment = fyne.TextAlignTrailing
		}
		o = append(o, l)
	}
	return widgets.Columns(widths, o...)
}

// plans sum the runs by the plan that their price was taken from.
func (w *Page) plans(a meter.Account) []fyne.CanvasObject {
	c := w.c
	if len(a.Plans) == 0 {
		return []fyne.CanvasObject{faint(c.T("costs.plans.none"))}
	}
	var o []fyne.CanvasObject
	for _, p := range a.Plans {
		name := strings.Trim(p.Plan+" · "+p.Offer, " ·")
		if name == "" {
			name = c.T("costs.noplan")
		}
		o = append(o, widgets.Columns(lineWidths, widgets.Words(name), right(c.T("costs.plan.runs", "n", p.Sessions)), right(sheet.MoneyBand(c, p.Cost, p.Currency))))
	}
	return o
}
