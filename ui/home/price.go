package home

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/bill/offer"
	"rentgen/app/money"
	"rentgen/app/provider"
	"rentgen/app/purse/tariff"
	"rentgen/assets/texts"
	"rentgen/ui/hosts"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// currencies are those that are offered; one that is in use is added.
var currencies = []money.Currency{"CNY", "USD", "EUR", "GBP", "HKD", "JPY"}

// priceForm says what an instance costs.
type priceForm struct {
	w         *Place
	host      string
	panel     *widgets.Panel
	offers    []Offer
	providers []provider.Rules
	shown     []money.Currency
	from      *widgets.Select
	currency  *widgets.Select
	provider  *widgets.Select
	fields    map[string]*priceField
	taken     *tariff.Tariff // as it stands in an offer, or is kept, while nothing was changed
	filling   bool
	picked    bool // the currency was chosen by hand
	wrong     *widget.Label
	save      *widgets.Button
}

// budget is the field of what the host may cost a month.
const budget = "budget"

// priceField is a field with its name above and what is wrong with it below.
type priceField struct {
	entry *widgets.Entry
	sign  *fyne.Container
	err   *widget.Label
	box   *fyne.Container
}

// Price opens the question what the chosen host costs.
func (w *Place) Price() {
	h := w.p.Book.Chosen()
	if h == nil || !rented(h) || w.form != nil && !w.form.panel.Closed() {
		return
	}
	c := w.c
	f := &priceForm{w: w, host: h.ID, offers: w.p.Model.Offers(), providers: provider.All(), fields: map[string]*priceField{}}
	t, known := w.p.Model.Tariff(h.ID)
	col := widgets.Stacked(3, faint(c.T("home.price.what")))
	if len(f.offers) > 0 {
		names := []string{c.T("home.price.typed")}
		for _, o := range f.offers {
			names = append(names, o.Name)
		}
		f.from = widgets.NewSelect(names, nil)
		f.from.SetSelectedIndex(0)
		f.from.OnChanged = func(string) { f.take(f.from.SelectedIndex() - 1) }
		col.Add(under(c.T("home.price.from"), f.from))
	}
	f.shown = slices.Clone(currencies)
	if known && t.Currency.Valid() && !slices.Contains(f.shown, t.Currency) {
		f.shown = append(f.shown, t.Currency)
	}
	for _, o := range f.offers {
		if o.Tariff.Currency.Valid() && !slices.Contains(f.shown, o.Tariff.Currency) {
			f.shown = append(f.shown, o.Tariff.Currency)
		}
	}
	var codes []string
	for _, cur := range f.shown {
		codes = append(codes, strings.TrimSpace(string(cur)+" "+signOf(cur)))
	}
	f.currency = widgets.NewSelect(codes, func(string) {
		if !f.filling {
			f.picked = true
			f.changed()
		}
	})
	names := []string{c.T("home.price.provider.none")}
	for _, r := range f.providers {
		names = append(names, r.NameIn(c.Lang))
	}
	f.provider = widgets.NewSelect(names, func(string) { f.chosen() })
	col.Add(container.New(&even{gap: 8}, f.field("per_hour", "1.88"), under(c.T("home.price.currency"), f.currency)))
	col.Add(container.New(&even{gap: 8}, under(c.T("home.price.provider"), f.provider), f.field("no_gpu_per_hour", "0.10")))
	col.Add(container.New(&even{gap: 8}, f.field("package_price", "1180"), f.field("until", "2026-12-31")))
	col.Add(container.New(&even{gap: 8}, f.field(budget, "300"), faint(c.T("home.price.budget.what"))))
	f.wrong = widgets.Words("")
	f.wrong.Importance = widget.DangerImportance
	f.wrong.Hide()
	col.Add(f.wrong)
	f.fill(t, known)
	if known {
		f.taken = &t
		if v := w.p.Model.Budget(h.ID, t.Currency); v != nil {
			f.filling = true
			f.fields[budget].entry.SetText(v.String())
			f.filling = false
		}
	}
	no := widgets.NewButton(c.T("home.cancel"), nil, func() { f.panel.Close() })
	f.save = widgets.Primary(c.T("home.price.save"), nil, f.submit)
	f.panel = widgets.NewPanel(widgets.PanelParams{
		Canvas: w.p.Window.Canvas(), Title: c.T("home.price.title", "name", hosts.NameOf(c, h)), Content: col, Width: 560,
		Buttons: []fyne.CanvasObject{no, f.save}, First: f.fields["per_hour"].entry,
	})
	w.form = f
	f.panel.Show()
}

// signOf is a currency's sign where it is more than the code.
func signOf(c money.Currency) string {
	if s := strings.TrimSpace(strings.ReplaceAll(c.Sign(), "\u00a0", "")); s != string(c) {
		return s
	}
	return ""
}

// under sets a field below its name.
func under(name string, o fyne.CanvasObject) fyne.CanvasObject {
	return widgets.Stacked(-2, oneLine(widgets.Small(name)), o)
}

func (f *priceForm) field(key, hint string) fyne.CanvasObject {
	c := f.w.c
	x := &priceField{entry: widgets.NewEntry(), err: faint("")}
	x.err.Importance = widget.DangerImportance
	x.entry.SetPlaceHolder(hint)
	x.entry.OnChanged = func(string) {
		if !f.filling {
			f.clear(key)
			if key != budget { // it is no part of a price
				f.changed()
			}
		}
	}
	x.entry.OnSubmitted = func(string) { f.submit() }
	x.sign = container.NewBorder(nil, nil, widgets.OnLine(widget.NewIcon(theme.Fail.Icon())), nil, x.err)
	x.sign.Hide()
	x.box = widgets.Stacked(-2, oneLine(widgets.Small(c.T("home.price."+key))), x.entry, x.sign)
	f.fields[key] = x
	return x.box
}

// changed forgets that what stands there is an offer's.
func (f *priceForm) changed() {
	f.taken = nil
	if f.from != nil && f.from.SelectedIndex() > 0 {
		f.filling = true
		f.from.SetSelectedIndex(0)
		f.filling = false
	}
}

func (f *priceForm) clear(key string) {
	if x := f.fields[key]; x.sign.Visible() {
		x.sign.Hide()
		f.fit()
	}
	if f.wrong.Visible() {
		f.wrong.Hide()
		f.fit()
	}
}

func (f *priceForm) fit() {
	if f.panel != nil {
		f.panel.Fit()
	}
}

// chosen takes over what a provider bills in, where nothing else was said.
func (f *priceForm) chosen() {
	if f.filling {
		return
	}
	f.changed()
	i := f.provider.SelectedIndex() - 1
	if i < 0 || f.picked {
		return
	}
	if n := slices.Index(f.shown, f.providers[i].Currency); n >= 0 {
		f.filling = true
		f.currency.SetSelectedIndex(n)
		f.filling = false
	}
}

// take fills the fields from an offer.
func (f *priceForm) take(i int) {
	if f.filling || i < 0 || i >= len(f.offers) {
		return
	}
	t := f.offers[i].Tariff
	f.fill(t, true)
	f.taken = &t
}

// fill sets the fields to a tariff.
func (f *priceForm) fill(t tariff.Tariff, known bool) {
	f.filling = true
	defer func() { f.filling = false }()
	cur := t.Currency
	if !known {
		cur = "USD"
		if f.w.c.Lang == texts.Chinese {
			cur = "CNY"
		}
	}
	f.picked = known
	f.currency.SetSelectedIndex(max(slices.Index(f.shown, cur), 0))
	f.provider.SetSelectedIndex(1 + slices.IndexFunc(f.providers, func(r provider.Rules) bool { return r.ID == t.Provider }))
	price, until := "", ""
	if t.Package != nil {
		price, until = t.Package.Price.String(), t.Package.Until.Local().Format("2006-01-02 15:04")
	}
	for key, text := range map[string]string{
		"per_hour": ratText(t.PerHour), "no_gpu_per_hour": ratText(t.NoGPU), "package_price": price, "until": until,
	} {
		f.fields[key].entry.SetText(text)
		f.fields[key].sign.Hide()
	}
	f.fit()
}

func ratText(v *money.Rat) string {
	if v == nil {
		return ""
	}
	return v.String()
}

// untilForms are the ways to write when a package ends; the first two have no
// time of day: the package lasts to the end of that day.
var untilForms = []string{"2006-1-2", "2006年1月2日", "2006-1-2 15:04", "2006年1月2日 15:04", "2006年1月2日15:04"}

// untilOf reads when a package ends, in the local zone.
func untilOf(text string) (time.Time, bool) {
	text = strings.NewReplacer("/", "-", "：", ":", "　", " ", "．", ".", ".", "-").Replace(strings.TrimSpace(text))
	for i, form := range untilForms {
		if t, err := time.ParseInLocation(form, text, time.Local); err == nil {
			if i < 2 {
				t = t.AddDate(0, 0, 1)
			}
			return t, true
		}
	}
	return time.Time{}, false
}

// typed reads the fields.
func (f *priceForm) typed() (tariff.Tariff, error) {
	text := func(key string) string { return strings.TrimSpace(f.fields[key].entry.Text) }
	in := tariff.Typed{
		PerHour: widgets.PlainNumber(text("per_hour")), NoGPU: widgets.PlainNumber(text("no_gpu_per_hour")),
		PackagePrice: widgets.PlainNumber(text("package_price")), Currency: string(f.shown[max(f.currency.SelectedIndex(), 0)]),
	}
	if i := f.provider.SelectedIndex() - 1; i >= 0 {
		in.Provider = f.providers[i].ID
	}
	now := f.w.p.Now()
	until, ok := untilOf(text("until"))
	bad := text("until") != "" && !ok || text("until") == "" && in.PackagePrice != ""
	in.Until = until
	if bad {
		in.Until = now.AddDate(0, 1, 0) // so that the other fields are read
	}
	t, err := tariff.Parse(in, now)
	if !bad {
		return t, err
	}
	var all offer.InputErrors
	errors.As(err, &all)
	all = slices.DeleteFunc(all, func(e *offer.InputError) bool { return e.Field == "until" })
	return t, append(all, &offer.InputError{Field: "until", Value: text("until"), Allowed: texts.P("home.price.until.allowed")})
}

// limit reads what it may cost a month; nil where nothing was typed.
func (f *priceForm) limit() (*money.Rat, *offer.InputError) {
	text := widgets.PlainNumber(strings.TrimSpace(f.fields[budget].entry.Text))
	if text == "" {
		return nil, nil
	}
	v, err := money.Parse(text)
	if err != nil || v.Sign() <= 0 {
		return nil, &offer.InputError{Field: budget, Value: text, Allowed: texts.P("offer.allowed.positive")}
	}
	return &v, nil
}

// submit keeps the price, or says at the fields what is wrong.
func (f *priceForm) submit() {
	if f.save.Disabled() {
		return
	}
	c := f.w.c
	var t tariff.Tariff
	var err error
	limit, bad := f.limit()
	if f.taken != nil {
		t = *f.taken
	} else {
		t, err = f.typed()
	}
	for _, x := range f.fields {
		x.sign.Hide()
	}
	f.wrong.Hide()
	if bad != nil {
		var all offer.InputErrors
		if err == nil || errors.As(err, &all) {
			err = append(all, bad)
		}
	}
	if err != nil {
		f.say(err)
		return
	}
	f.save.Disable()
	f.save.SetText(c.T("home.price.saving"))
	f.w.p.Go(func() {
		err := f.w.p.Model.SetTariff(context.Background(), f.host, t)
		if err == nil {
			err = f.w.p.Model.SetBudget(context.Background(), f.host, t.Currency, limit)
		}
		f.w.p.Do(func() {
			if err == nil {
				f.panel.Close()
				f.w.seen = seen{}
				f.w.Tick()
				return
			}
			f.save.Enable()
			f.save.SetText(c.T("home.price.save"))
			f.say(err)
		})
	})
}

// say puts each error at its field, the others at the foot.
func (f *priceForm) say(err error) {
	c := f.w.c
	var all offer.InputErrors
	if !errors.As(err, &all) {
		say(f.wrong, c.T("home.price.failed", "error", err.Error()))
		f.wrong.Show()
		f.fit()
		return
	}
	var focus *widgets.Entry
	for _, e := range all {
		x, ok := f.fields[e.Field]
		if !ok {
			say(f.wrong, c.Say(e.Phrase()))
			f.wrong.Show()
			continue
		}
		key := "home.price.bad"
		if e.Value == "" {
			key = "home.price.missing"
		}
		say(x.err, c.Say(texts.P(key, "allowed", e.Allowed)))
		x.sign.Show()
		if focus == nil {
			focus = x.entry
		}
	}
	f.fit()
	if focus != nil {
		f.w.p.Window.Canvas().Focus(focus)
	}
}
