package bill

import (
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"rentgen/app/bill/offer"
	"rentgen/app/money"
	"rentgen/app/provider"
	"rentgen/assets/texts"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// answers are what was typed for a new offer.
type answers struct {
	Provider, Card, Machine, Unit, Currency string
	Text                                    map[string]string // of the entries
}

// newForm asks the five things that a new offer needs.
type newForm struct {
	w        *Place
	a        *answers
	box      *fyne.Container
	provider *widgets.Select
	card     *widgets.Select
	unit     *widgets.Select
	machine  *widgets.Select
	entries  map[string]*widgets.Entry
	errs     map[string]*prose
	rules    *prose
	free     *prose
	lasts    *prose
	hours    *fyne.Container
	quota    *fyne.Container
}

// newOffer opens the form of a new offer.
func (w *Place) newOffer() {
	a, ok := w.side.kept.(*answers)
	if !ok {
		a = &answers{Unit: string(offer.Hour), Currency: string(w.currency()), Text: map[string]string{}}
	}
	f := &newForm{w: w, a: a, entries: map[string]*widgets.Entry{}, errs: map[string]*prose{}}
	f.build()
	w.side.open(w.c.T("billpage.new"), -1, f.box, f.provider, w.newOffer, func() bool { return true })
	w.side.form = a
}

func (w *Place) currency() money.Currency {
	if c := w.p.Desk.Plan().Currency; c != "" {
		return c
	}
	if c := w.good.Sheet.Currency; c != "" {
		return c
	}
	return "CNY"
}

// providers are the ids of all rules, "" first.
func providers(c *texts.Catalogue) (ids, names []string) {
	ids, names = []string{""}, []string{c.T("billpage.new.noprovider")}
	for _, r := range provider.All() {
		ids, names = append(ids, r.ID), append(names, r.NameIn(c.Lang))
	}
	return ids, names
}

// choice makes a list of codes to choose from.
func choice(codes, names []string, now string, chosen func(code string)) *widgets.Select {
	s := widgets.NewSelect(names, nil)
	if i := slices.Index(codes, now); i >= 0 {
		s.SetSelectedIndex(i)
	} else {
		s.PlaceHolder = now
	}
	s.OnChanged = func(string) {
		if i := s.SelectedIndex(); i >= 0 {
			chosen(codes[i])
		}
	}
	return s
}

func machines(c *texts.Catalogue) (codes, names []string) {
	for _, m := range offer.Machines() {
		codes, names = append(codes, string(m)), append(names, c.Say(m.Name()))
	}
	return codes, names
}

func units(c *texts.Catalogue) (codes, names []string) {
	for _, u := range offer.Units() {
		codes, names = append(codes, string(u)), append(names, c.Say(u.Name()))
	}
	return codes, names
}

func (f *newForm) entry(id, hint string) *widgets.Entry {
	e := widgets.NewEntry()
	e.SetPlaceHolder(hint)
	e.SetText(f.a.Text[id])
	e.OnChanged = func(s string) {
		f.a.Text[id] = s
		f.fresh()
	}
	e.OnSubmitted = func(string) { f.add() }
	f.entries[id] = e
	return e
}

func (f *newForm) problem(id string) *prose {
	l := newProblem()
	f.errs[id] = l
	return l
}

func (f *newForm) build() {
	w, c, a := f.w, f.w.c, f.a
	ids, names := providers(c)
	f.provider = choice(ids, names, a.Provider, func(id string) {
		a.Provider = id
		if r, ok := provider.Find(id); ok {
			if r.Currency != "" {
				f.entries["currency"].SetText(string(r.Currency))
			}
			a.Machine = r.Machine
		}
		f.choose(f.machine, a.Machine)
		f.fresh()
	})
	f.rules = quiet("")
	cards := w.p.Cards()
	f.card = choice(cards, cards, a.Card, func(s string) {
		a.Card = s
		f.fresh()
	})
	if a.Card == "" {
		f.card.PlaceHolder = c.T("billpage.choose")
	}
	codes, words := units(c)
	f.unit = choice(codes, words, a.Unit, func(s string) {
		a.Unit = s
		f.fresh()
	})
	mc, mn := machines(c)
	f.machine = choice(mc, mn, a.Machine, func(s string) { a.Machine = s })
	if a.Machine == "" {
		f.machine.PlaceHolder = c.T("billpage.choose")
	}
	f.free, f.lasts = quiet(""), quiet("")
	price := container.NewGridWithColumns(2, f.entry("price", "0.00"), f.unit)
	cur := f.entry("currency", "CNY")
	if a.Text["currency"] == "" {
		cur.SetText(a.Currency)
	}
	f.hours = labelled(c.T("billpage.f.hours"), f.entry("hours", ""), c.T("term.unit.h"), f.problem("hours"))
	f.quota = container.NewVBox(
		labelled(c.T("billpage.f.units"), f.entry("units", ""), "", f.problem("units")),
		labelled(c.T("billpage.f.draw"), f.entry("draw", ""), "", f.problem("draw")))
	f.box = container.NewVBox(
		quiet(c.T("billpage.new.how")),
		labelled(c.T("billpage.f.provider"), f.provider, "", nil), f.rules,
		labelled(c.T("billpage.f.card"), f.card, "", f.problem("card")),
		labelled(c.T("billpage.f.price"), price, "", f.problem("price")),
		labelled(c.T("billpage.f.currency"), cur, "", f.problem("currency")),
		f.hours, f.quota,
		labelled(c.T("billpage.f.disk"), f.entry("disk", "0"), "GB", f.problem("disk")), f.free,
		labelled(c.T("billpage.f.machine"), f.machine, "", f.problem("machine")),
		labelled(c.T("billpage.f.balance"), f.entry("balance", c.T("billpage.optional")), "", f.problem("balance")), f.lasts,
		labelled(c.T("billpage.f.name"), f.entry("name", c.T("billpage.optional")), "", f.problem("name")),
		widgets.Gap(1, 6),
		buttons(widgets.Primary(c.T("billpage.new.add"), theme.Icon("add"), f.add), widgets.Quiet(c.T("billpage.cancel"), nil, w.side.close)),
		quiet(c.T("billpage.new.rest")),
	)
	f.fresh()
}

func (f *newForm) choose(s *widgets.Select, code string) {
	codes, _ := machines(f.w.c)
	if i := slices.Index(codes, code); i >= 0 {
		s.SetSelectedIndex(i)
		return
	}
	s.PlaceHolder = f.w.c.T("billpage.choose")
	s.ClearSelected()
}

// fresh shows what follows from the answers so far.
func (f *newForm) fresh() {
	if f.box == nil && f.rules == nil || f.hours == nil || f.quota == nil || f.lasts == nil {
		return
	}
	c, a := f.w.c, f.a
	f.hours.Hidden = a.Unit != string(offer.Pack)
	f.quota.Hidden = a.Unit != string(offer.Quota)
	o := offer.Offer{Provider: a.Provider, Currency: money.Currency(strings.ToUpper(a.Text["currency"]))}.Filled()
	rules := c.T("billpage.new.norules")
	if n := len(o.Terms); a.Provider != "" {
		rules = c.T("billpage.new.rules", "n", n)
	}
	free := ""
	d, _ := offer.DefOf(offer.DataDiskFree)
	if _, t, known := o.Rat(offer.DataDiskFree); known {
		free = c.T("billpage.new.free", "free", d.ValueText(c, t.Value, o.Currency), "origin", origin(c, t))
	}
	lasts := ""
	price, bad1 := amount(a.Text["price"])
	balance, bad2 := amount(a.Text["balance"])
	per := map[string]int64{string(offer.Second): 3600, string(offer.Minute): 60, string(offer.Hour): 1}[a.Unit]
	if bad1.IsZero() && bad2.IsZero() && price != nil && balance != nil && price.Sign() > 0 && per > 0 {
		h := balance.Quo(price.Mul(money.Int(per)))
		lasts = c.T("billpage.new.lasts", "time", hoursText(c, money.Sure(h)))
	}
	for l, text := range map[*prose]string{f.rules: rules, f.free: free, f.lasts: lasts} {
		l.SetText(text)
		l.Hidden = text == ""
	}
	if f.box != nil {
		f.box.Refresh()
	}
}

// where says beside which field an error of a new offer belongs.
var where = map[string]string{
	"card.name": "card", "payment.price": "price", "payment.hours": "hours", "payment.units": "units",
	"payment.draw_per_hour": "draw", "currency": "currency", "terms.data_disk_gb": "disk", "data_disk_gb": "disk",
	"machine": "machine", "terms.balance": "balance", "name": "name",
}

// add makes the offer, or says beside the fields what is wrong.
func (f *newForm) add() {
	w, c, a := f.w, f.w.c, f.a
	bad := map[string]texts.Phrase{}
	number := func(id string, is texts.Phrase) *money.Rat {
		v, why := amount(a.Text[id])
		if !why.IsZero() {
			bad[id] = is
		}
		return v
	}
	value := func(v *money.Rat) money.Rat {
		if v == nil {
			return money.Rat{}
		}
		return *v
	}
	amountOf := texts.P("offer.allowed.money")
	five := offer.Five{
		Card: offer.Card{Name: a.Card, Part: offer.Whole}, Unit: offer.Unit(a.Unit),
		Price:    value(number("price", amountOf)),
		Currency: money.Currency(strings.ToUpper(strings.TrimSpace(a.Text["currency"]))),
		Hours:    value(number("hours", texts.P("offer.allowed.positive"))), Units: value(number("units", texts.P("offer.allowed.positive"))),
		DrawPerHour: value(number("draw", texts.P("offer.allowed.positive"))),
		DataDiskGB:  value(number("disk", texts.P("offer.allowed.number"))), Balance: number("balance", amountOf),
		Machine: offer.Machine(a.Machine), Name: strings.TrimSpace(a.Text["name"]),
	}
	if a.Unit != string(offer.Pack) {
		five.Hours = money.Rat{}
	}
	if a.Unit != string(offer.Quota) {
		five.Units, five.DrawPerHour = money.Rat{}, money.Rat{}
	}
	if five.Name != "" && taken(w.p.Desk.Plan().Offers, five.Name, -1) {
		bad["name"] = texts.P("billpage.allowed.name")
	}
	if five.Name == "" && a.Card != "" {
		five.Name = a.Card
		if r, ok := provider.Find(a.Provider); ok {
			five.Name = r.NameIn(c.Lang) + " " + a.Card
		}
	}
	o, errs := offer.Start(a.Provider, five)
	for _, e := range errs {
		id := where[e.Field]
		if _, have := bad[id]; !have {
			bad[id] = e.Allowed
		}
	}
	if a.Card == "" {
		bad["card"] = texts.P("billpage.allowed.card")
		if five.Name == "" { // it is made of the card's
			delete(bad, "name")
		}
	}
	if o.Machine == "" {
		bad["machine"] = texts.P("billpage.allowed.machine")
	}
	for id, l := range f.errs {
		problem(l, c, bad[id])
	}
	if len(bad) > 0 {
		f.box.Refresh()
		for _, id := range []string{"price", "currency", "hours", "units", "draw", "disk", "balance", "name"} {
			if _, is := bad[id]; is {
				w.p.Window.Canvas().Focus(f.entries[id])
				break
			}
		}
		return
	}
	w.offers(func(all []offer.Offer) []offer.Offer {
		o.Name = free(all, o.Name)
		return append(all, o)
	})
	w.edit(len(w.p.Desk.Plan().Offers) - 1)
}
