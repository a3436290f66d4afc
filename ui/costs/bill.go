package costs

import (
	"cmp"
	"context"
	"errors"
	"io"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/bill/offer"
	"rentgen/app/bill/sheet"
	"rentgen/app/money"
	"rentgen/app/purse/meter"
	"rentgen/app/purse/reconcile"
	"rentgen/assets/texts"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// pairsAtOnce is how many runs of a kind are drawn before more are asked for.
const pairsAtOnce = 40

// billView takes a platform's bill in and shows what it comes to.
type billView struct {
	w        *Page
	currency money.Currency // of amounts that name none; "" refuses them
	chosen   bool           // currency was chosen by hand
	reading  string         // the file that is being read
	name     string         // the file of the last answer
	err      error
	bill     reconcile.Bill
	result   *reconcile.Result
	more     map[reconcile.PairKind]int
}

func newBillView(w *Page) *billView { return &billView{w: w} }

// objects draws the view.
func (v *billView) objects(a meter.Account) []fyne.CanvasObject {
	w, c := v.w, v.w.c
	list := w.offered(a)
	if !v.chosen && a.Tariff != nil {
		v.currency = a.Tariff.Currency
	}
	codes, at := []string{c.T("costs.bill.currency.none")}, 0
	for i, cur := range list {
		codes = append(codes, code(cur))
		if cur == v.currency {
			at = i + 1
		}
	}
	choice := widgets.NewSelect(codes, nil)
	choice.SetSelectedIndex(at)
	choice.OnChanged = func(string) {
		v.currency, v.chosen = "", true
		if i := choice.SelectedIndex(); i > 0 {
			v.currency = list[i-1]
		}
	}
	open := widgets.Primary(c.T("costs.bill.open"), nil, v.ask)
	o := []fyne.CanvasObject{
		faint(c.T("costs.bill.what")),
		widgets.Row(open, widget.NewLabel(c.T("costs.bill.currency")), container.NewGridWrap(fyne.NewSize(widgets.Scaled(130), choice.MinSize().Height), choice)),
		faint(c.T("costs.bill.zone", "zone", texts.Zone(w.p.Now()))),
	}
	switch {
	case v.reading != "":
		open.Disable()
		o = append(o, widgets.Words(c.T("costs.bill.reading", "name", v.reading)))
	case v.err != nil:
		o = append(o, widgets.Rule())
		o = append(o, v.faults()...)
	}
	if v.result != nil && v.err == nil {
		o = append(o, widgets.Rule())
		o = append(o, v.answer()...)
	}
	return o
}

// ask asks for the bill.
func (v *billView) ask() {
	take := func(name string, r io.ReadCloser, err error) {
		if err != nil {
			v.name, v.err = name, err
			v.w.update()
			return
		}
		v.take(name, r)
	}
	if v.w.p.AskFile != nil {
		v.w.p.AskFile(take)
		return
	}
	widgets.OpenFile(v.w.p.Window, []string{".csv", ".tsv", ".txt"}, take)
}

// take reads the bill off the UI thread and sets it against all hosts.
func (v *billView) take(name string, in io.ReadCloser) {
	w := v.w
	v.reading = name
	w.update()
	p := reconcile.Params{Currency: v.currency}
	names := make(map[string]string) // what hosts are called belongs to the UI thread
	for _, id := range w.p.Book.Hosts() {
		names[id] = w.p.Names(id)
	}
	var bill reconcile.Bill
	var r reconcile.Result
	w.later(func(ctx context.Context) error {
		defer in.Close()
		b, err := io.ReadAll(io.LimitReader(in, reconcile.MaxBytes+1)) // one more, so that too long is seen
		if err != nil {
			return err
		}
		if bill, err = reconcile.Read(b, p); err != nil {
			return err
		}
		r, err = reconcile.Take(ctx, bill, reconcile.Into{Book: w.p.Book, Store: w.p.Store, File: name, Name: func(id string) string { return cmp.Or(names[id], id) }, Now: w.p.Now()})
		return err
	}, func(err error) {
		v.reading, v.name, v.err = "", name, err
		if err == nil {
			v.bill, v.result, v.more = bill, &r, make(map[reconcile.PairKind]int)
		}
		w.update()
	})
}

// faults say why the bill was not taken in, with line and column.
func (v *billView) faults() []fyne.CanvasObject {
	c := v.w.c
	var all offer.InputErrors
	if !errors.As(v.err, &all) {
		return []fyne.CanvasObject{marked(theme.Fail, c.T("costs.bill.failed", "name", v.name, "error", v.err.Error()))}
	}
	o := []fyne.CanvasObject{marked(theme.Fail, c.T("costs.bill.bad", "name", v.name))}
	if len(all) == 1 && all[0].Value == "" && (all[0].Field == "bill" || all[0].Field == "heading") {
		return append(o, widgets.Words(c.T("costs.bill.nobill", "allowed", c.Say(all[0].Allowed))))
	}
	for _, e := range all {
		x := *e
		if x.Allowed.Key == "purse.allowed.currency" { // that speaks of a flag
			x.Allowed = texts.P("costs.bill.needcurrency")
		}
		o = append(o, widgets.Words(c.Say(x.Phrase())))
	}
	return o
}

var billWidths = []float32{0, 200, 230, 200}

// answer is what the bill comes to: in words, by kind, and run by run.
func (v *billView) answer() []fyne.CanvasObject {
	c, r := v.w.c, v.result
	o := []fyne.CanvasObject{marked(theme.Pass, c.T("costs.bill.done", "name", v.name, "n", len(v.bill.Rows)))}
	for _, s := range r.Say {
		o = append(o, widgets.Words(c.Say(s)))
	}
	o = append(o, widgets.Rule(), columnNames(c, billWidths, "line", "bill", "counted", "plan"))
	for _, l := range r.Lines {
		cells := [3]string{why(c, "unbilled"), why(c, "uncounted"), why(c, "unplanned")}
		if l.Billed != nil {
			cells[0] = sheet.Money(c, *l.Billed, r.Currency)
		}
		for i, b := range []*money.Band{l.Ours, l.Forecast} {
			if b != nil {
				cells[i+1] = sheet.MoneyBand(c, *b, r.Currency)
			}
		}
		o = append(o, widgets.Columns(billWidths, widgets.Words(c.Say(l.Name())), right(cells[0]), right(cells[1]), right(cells[2])))
	}
	for _, k := range []reconcile.PairKind{reconcile.Matched, reconcile.OnlyBill, reconcile.OnlyHere} {
		o = append(o, v.pairs(k)...)
	}
	return o
}

// pairs are the runs of one kind.
func (v *billView) pairs(k reconcile.PairKind) []fyne.CanvasObject {
	c := v.w.c
	var mine []reconcile.Pair
	for _, p := range v.result.Pairs {
		if p.Kind == k {
			mine = append(mine, p)
		}
	}
	if len(mine) == 0 {
		return nil
	}
	o := []fyne.CanvasObject{widgets.Rule(), bold(c.T("costs.bill."+string(k), "n", len(mine)))}
	most := pairsAtOnce + v.more[k]
	for i, p := range mine {
		if i == most {
			return append(o, container.NewHBox(widgets.NewButton(c.T("costs.bill.more", "n", len(mine)-i), nil, func() {
				v.more[k] += 200
				v.w.update()
			})))
		}
		s := strings.TrimSpace(c.Say(p.Says(v.result.Currency)))
		if p.Host != "" {
			s = c.T("costs.bill.row", "host", v.w.p.Names(p.Host), "what", s)
		}
		o = append(o, widgets.Words(s))
	}
	return o
}
