package costs

import (
	"context"
	"errors"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/money"
	"rentgen/app/purse/meter"
	"rentgen/ui/widgets"
)

// currencies are those that are offered; those of prices are added.
var currencies = []money.Currency{"CNY", "USD", "EUR", "GBP", "HKD", "JPY"}

// offered are the currencies to choose from, that of the host first.
func (w *Page) offered(a meter.Account) []money.Currency {
	list := slices.Clone(currencies)
	for _, id := range w.p.Book.Hosts() {
		if t, ok := w.p.Book.Tariff(id); ok && t.Currency.Valid() && !slices.Contains(list, t.Currency) {
			list = append(list, t.Currency)
		}
	}
	if a.Tariff != nil {
		if i := slices.Index(list, a.Tariff.Currency); i >= 0 {
			list = append([]money.Currency{a.Tariff.Currency}, slices.Delete(list, i, i+1)...)
		}
	}
	return list
}

// code is a currency with its sign, where that is more than the code.
func code(c money.Currency) string {
	if s := strings.TrimSpace(strings.ReplaceAll(c.Sign(), "\u00a0", "")); s != string(c) {
		return string(c) + " " + s
	}
	return string(c)
}

// limitField is a field of what a month may cost.
type limitField struct {
	host  string // "" for all together
	entry *widgets.Entry
	bad   *wrong
}

// budget asks what a month may cost: of the host, and of all hosts together.
func (w *Page) budget(a meter.Account) []fyne.CanvasObject {
	c := w.c
	list := w.offered(a)
	var codes []string
	for _, cur := range list {
		codes = append(codes, code(cur))
	}
	choice := widgets.NewSelect(codes, nil)
	choice.SetSelectedIndex(0)
	said := widgets.Words("")
	said.Hide()
	col := widgets.Stacked(4, widgets.Words(c.T("costs.budget.what")), under(c.T("costs.budget.currency"), choice))
	var fields []*limitField
	add := func(host, name string) {
		f := &limitField{host: host, entry: widgets.NewEntry(), bad: newWrong()}
		f.entry.SetPlaceHolder("300")
		f.entry.OnChanged = func(string) {
			if f.bad.box.Visible() || said.Visible() {
				f.bad.say("")
				said.Hide()
				w.body.Refresh()
			}
		}
		fields = append(fields, f)
		col.Add(widgets.Stacked(-2, widgets.Small(name), f.entry, f.bad.box))
	}
	if w.host != "" {
		add(w.host, c.T("costs.budget.host", "name", w.p.Names(w.host)))
	}
	add("", c.T("costs.budget.all"))
	fill := func() {
		for _, f := range fields {
			text := ""
			if v, ok := w.p.Book.Budget(f.host, list[choice.SelectedIndex()]); ok {
				text = v.String()
			}
			f.entry.SetText(text)
		}
	}
	fill()
	choice.OnChanged = func(string) { fill() }
	var keep *widgets.Button
	submit := func() {
		if keep.Disabled() {
			return
		}
		limits, ok := w.limits(fields)
		if !ok {
			w.body.Refresh()
			return
		}
		keep.Disable()
		keep.SetText(c.T("costs.budget.saving"))
		cur := list[choice.SelectedIndex()]
		w.later(func(ctx context.Context) (err error) {
			for i, f := range fields {
				err = errors.Join(err, w.p.Book.SetBudget(ctx, f.host, cur, limits[i]))
			}
			return err
		}, func(err error) {
			keep.Enable()
			keep.SetText(c.T("costs.budget.save"))
			said.Importance = widget.MediumImportance
			text := c.T("costs.budget.kept")
			if err != nil {
				said.Importance = widget.DangerImportance
				text = c.T("costs.budget.failed", "error", err.Error())
			}
			widgets.SetWords(said, text)
			said.Show()
			said.Refresh()
			w.body.Refresh()
		})
	}
	keep = widgets.Primary(c.T("costs.budget.save"), nil, submit)
	for _, f := range fields {
		f.entry.OnSubmitted = func(string) { submit() }
	}
	col.Add(faint(c.T("costs.budget.empty")))
	col.Add(container.NewHBox(keep))
	col.Add(said)
	return []fyne.CanvasObject{widgets.Left(widgets.Scaled(460), col)}
}

// limits read the fields; one that is empty takes the limit away.
func (w *Page) limits(fields []*limitField) (limits []*money.Rat, ok bool) {
	c := w.c
	ok = true
	for _, f := range fields {
		text := widgets.PlainNumber(strings.TrimSpace(f.entry.Text))
		limits = append(limits, nil)
		if text == "" {
			continue
		}
		v, err := money.Parse(text)
		if err != nil || v.Sign() <= 0 {
			f.bad.say(c.T("costs.stop.bad", "allowed", c.T("offer.allowed.positive")))
			if ok {
				w.p.Window.Canvas().Focus(f.entry)
			}
			ok = false
			continue
		}
		limits[len(limits)-1] = &v
	}
	return limits, ok
}

// under sets a field below its name.
func under(name string, o fyne.CanvasObject) fyne.CanvasObject {
	return widgets.Stacked(-2, widgets.Small(name), o)
}
