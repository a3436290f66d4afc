package home

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/purse"
	"rentgen/assets/texts"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// mostAlerts is how many alerts stand on the page.
const mostAlerts = 3

// alertsCard are the last alerts.
type alertsCard struct {
	w    *Place
	rows []*alertRow
	none *widget.Label
	all  *widgets.Button
	box  *fyne.Container
}

type alertRow struct {
	a    purse.Alert
	said string
	when *widget.Label
	what *widget.Label
	cost *widget.Label
	tap  *widgets.Tap
}

func newAlertsCard(w *Place) *alertsCard {
	c := w.c
	k := &alertsCard{w: w, none: faint(c.T("home.alerts.none"))}
	k.all = widgets.Quiet(c.T("home.alerts.all"), nil, w.p.Actions.Alerts)
	col := widgets.Stacked(-4, k.none)
	for range mostAlerts {
		r := &alertRow{when: widgets.Small(""), what: widgets.Words(""), cost: faint("")}
		r.when.Importance = widget.LowImportance
		r.tap = widgets.NewTap(container.NewBorder(nil, nil, widgets.OnLine(widget.NewIcon(theme.Coloured("bell", theme.ColorWarn))), nil,
			widgets.Stacked(-8, r.what, container.NewBorder(nil, nil, nil, r.when, r.cost))), func() {
			if w.p.Actions.Alert != nil {
				w.p.Actions.Alert(r.a)
			} else {
				w.p.Actions.Alerts()
			}
		})
		r.tap.Hide()
		k.rows = append(k.rows, r)
		col.Add(r.tap)
	}
	k.box = titled(c.T("home.alerts"), k.all, col)
	return k
}

func (k *alertsCard) update() {
	c, all := k.w.c, k.w.p.Model.Alerts()
	moved := widgets.SetShown(k.none, len(all) == 0)
	relabel(k.all, c.T("home.alerts.all", "n", len(all)))
	for i, r := range k.rows {
		moved = widgets.SetShown(r.tap, i < len(all)) || moved
		if i >= len(all) {
			continue
		}
		a := all[i]
		r.a = a
		what := c.Say(a.Say)
		if a.HostName != "" {
			what = c.T("home.alert.of", "host", a.HostName, "text", what)
		}
		costs := c.Say(a.Cost)
		if said := what + "\x00" + costs; said != r.said {
			r.said, moved = said, true
		}
		say(r.what, what)
		say(r.cost, costs)
		widgets.SetText(r.when, texts.Age(c, k.w.p.Now().Sub(a.At).Truncate(minute)))
	}
	if moved {
		k.box.Refresh()
	}
}
