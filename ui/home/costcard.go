package home

import (
	"unicode"
	"unicode/utf8"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/bill/sheet"
	"rentgen/app/money"
	"rentgen/app/purse"
	"rentgen/app/purse/tariff"
	"rentgen/assets/texts"
	"rentgen/ui/home/cost"
	"rentgen/ui/hosts"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// costCard is what the chosen host has cost, at what pace, and what it costs idle.
type costCard struct {
	w      *Place
	g      purse.Glance
	known  bool
	t      tariff.Tariff
	said   bool          // t is known
	is     *widget.Label // the meter's own sentence
	ask    *fyne.Container
	price  *widgets.Button
	all    *widgets.Button // opens all costs
	rows   []*figure
	bar    *widgets.ThinBar
	budget *fyne.Container // the bar with room round it
	from   *widget.Label
	room   *fyne.Container // round from
	near   *figure         // whose source is told
	own    bool            // it is this computer, which nobody rents
	made   bool            // it is made up
	box    *fyne.Container
}

// figure is a number with its name. It says where it comes from when the hand or
// the keyboard comes to it.
type figure struct {
	k      *costCard
	key    string // "home.cost.<key>" and "home.from.<key>"
	name   *widget.Label
	value  *widget.Label
	tap    *widgets.Tap
	amount func() string
	source func() string
}

func newCostCard(w *Place) *costCard {
	c := w.c
	k := &costCard{w: w, bar: widgets.NewThinBar(), from: faint(""), is: widgets.Words("")}
	k.ask = container.NewVBox(widgets.Words(c.T("home.cost.ask")), container.NewHBox(widgets.Primary(c.T("home.cost.say"), nil, w.Price)))
	k.price = widgets.Quiet(c.T("home.cost.change"), nil, w.Price)
	k.all = widgets.Quiet(c.T("costs.open"), nil, w.p.Actions.Costs)
	k.budget = widgets.Inset(4, k.bar.Box)
	k.add("run", func() string { return cost.Band(c, k.g, k.g.Session) }, k.runSource)
	k.add("today", k.today, func() string { return c.T("home.from.today", "zone", texts.Zone(w.p.Now())) })
	k.add("month", func() string { return cost.Band(c, k.g, k.g.Month) }, func() string { return c.T("home.from.month") })
	k.add("pace", k.pace, k.paceSource)
	k.add("idle", k.idle, k.idleSource)
	k.add("price", k.hour, k.priceSource)
	col := widgets.Stacked(-6)
	for _, r := range k.rows {
		col.Add(r.tap)
		if r.key == "month" {
			col.Add(k.budget)
		}
	}
	k.room = container.New(&lines{3}, k.from)
	k.box = titled(c.T("home.cost"), widgets.Row(k.all, k.price), k.is, k.ask, col, k.room)
	say(k.from, c.T("home.point"))
	return k
}

func (k *costCard) add(key string, amount, source func() string) {
	f := &figure{k: k, key: key, amount: amount, source: source, name: oneLine(widget.NewLabel("")), value: bold("")}
	f.name.Importance = widget.LowImportance
	f.tap = widgets.NewTap(container.NewBorder(nil, nil, nil, f.value, f.name), f.open)
	f.tap.OnNear = func() {
		k.near = f
		say(k.from, f.source())
	}
	k.rows = append(k.rows, f)
}

// open says what stands behind a number, and offers what it can be changed by.
func (f *figure) open() {
	c := f.k.w.c
	var panel *widgets.Panel
	closing := widgets.Primary(c.T("verdict.close"), nil, func() { panel.Close() })
	buttons := []fyne.CanvasObject{}
	if bill := f.k.w.p.Actions.Bill; bill != nil && (f.key == "pace" || f.key == "month") {
		buttons = append(buttons, widgets.NewButton(c.T("home.cost.bill"), nil, func() {
			panel.Close()
			bill()
		}))
	}
	if f.key == "price" && !f.k.made {
		buttons = append(buttons, widgets.NewButton(c.T("home.cost.change"), nil, func() {
			panel.Close()
			f.k.w.Price()
		}))
	}
	col := container.NewVBox(bold(f.value.Text), widgets.Words(f.source()))
	if f.key == "price" || f.key == "run" {
		for _, s := range f.k.rules() {
			col.Add(faint(s))
		}
	}
	panel = widgets.NewPanel(widgets.PanelParams{
		Canvas: f.k.w.p.Window.Canvas(), Title: f.name.Text, Content: col, First: closing, Buttons: append(buttons, closing),
	})
	panel.Show()
}

// hour is the price of now; of what was never read, the price that was said.
func (k *costCard) hour() string {
	if !k.g.Priced && k.said && k.t.PerHour != nil {
		return cost.PerHour(k.w.c, *k.t.PerHour, k.t.Currency)
	}
	return cost.Price(k.w.c, k.g)
}

func (k *costCard) today() string {
	c := k.w.c
	text := cost.Band(c, k.g, k.g.Today)
	if k.g.Priced && !k.g.TodayIdle.IsZero() {
		text = c.T("home.cost.today.idle", "cost", text, "idle", cost.Band(c, k.g, k.g.TodayIdle))
	}
	return text
}

func (k *costCard) idle() string {
	c := k.w.c
	switch {
	case !k.g.Running, !k.g.Idle && !k.g.Busy:
		return texts.Dash
	case !k.g.Idle:
		return c.T("format.min", "n", "0")
	case !k.g.Priced:
		return texts.Duration(c, k.g.IdleFor)
	}
	return c.T("home.cost.idle.costs", "d", texts.Duration(c, k.g.IdleFor), "cost", sheet.Money(c, k.g.IdleCost, k.g.Currency))
}

func (k *costCard) idleSource() string {
	switch c := k.w.c; {
	case !k.g.Running:
		return c.T("home.from.idle.off")
	case !k.g.Idle && !k.g.Busy:
		return c.T("home.from.idle.unknown")
	default:
		return c.T("home.from.idle")
	}
}

// pace is what the month comes to, against the budget or the plan.
func (k *costCard) pace() string {
	c, g := k.w.c, k.g
	if !g.Priced || g.Pace == nil {
		return texts.Dash
	}
	text := sheet.MoneyBand(c, *g.Pace, g.Currency)
	switch {
	case g.Budget != nil:
		return c.T("home.cost.of", "cost", text, "whole", sheet.Money(c, *g.Budget, g.Currency))
	case g.Forecast != nil:
		return c.T("home.cost.planned", "cost", text, "plan", sheet.MoneyBand(c, *g.Forecast, g.Currency))
	}
	return text
}

func (k *costCard) paceSource() string {
	c, g := k.w.c, k.g
	text := c.T("home.from.pace")
	if g.Pace == nil {
		text = c.T("home.from.pace.none")
	}
	if g.Forecast != nil {
		text += " " + c.T("home.from.forecast", "plan", k.t.Plan, "cost", sheet.MoneyBand(c, *g.Forecast, g.Currency))
	}
	if g.Budget != nil {
		text += " " + c.T("home.from.budget", "budget", sheet.Money(c, *g.Budget, g.Currency))
	}
	return text
}

func (k *costCard) runSource() string {
	c, g := k.w.c, k.g
	if g.Since.IsZero() {
		return c.T("home.from.run.none")
	}
	text := c.T("home.from.run", "from", texts.DateTime(c, g.Since))
	if g.Priced && g.Session.Wide() {
		text += " " + c.T("home.from.run.band")
	}
	return text
}

// priceSource says who said what it costs, and when.
func (k *costCard) priceSource() string {
	c := k.w.c
	if !k.said {
		return c.T("home.from.price.none")
	}
	if k.made {
		return c.T("home.from.price.made")
	}
	text := c.T("home.from.price.typed", "date", texts.DateYear(c, k.t.Since))
	if k.t.Offer != "" {
		text = c.T("home.from.price.offer", "offer", k.t.Offer, "plan", k.t.Plan, "date", texts.DateYear(c, k.t.Since))
	}
	if k.g.NoGPU {
		text += " " + c.T("home.from.price.nogpu")
	}
	if p := k.t.Package; p != nil {
		text += " " + c.T("home.from.price.package", "price", sheet.Money(c, p.Price, k.t.Currency), "date", texts.DateTime(c, p.Until))
	}
	return text
}

// rules are the provider's, each with where it was read.
func (k *costCard) rules() []string {
	c := k.w.c
	r, ok := k.t.Named()
	if !k.said || !ok {
		return nil
	}
	out := []string{c.T("home.rules", "provider", r.NameIn(c.Lang))}
	for _, r := range k.t.Rules() {
		if r.Term.Date != "" && r.Term.Source != "" {
			out = append(out, c.T("home.rule", "term", c.Say(r.ID.Name()), "value", r.Term.Value, "date", r.Term.Date, "source", r.Term.Source))
		}
	}
	return out
}

// update brings the card up to date.
func (k *costCard) update(h *hosts.Host) {
	c, m := k.w.c, k.w.p.Model
	k.g, k.known = m.Glance(h.ID)
	k.t, k.said = m.Tariff(h.ID)
	k.own, k.made = h.Line == hosts.LineLocal, h.Demo()
	is := upper(c.Say(k.g.Say))
	if k.own {
		is = c.T("home.cost.own")
	}
	say(k.is, is)
	moved := widgets.SetShown(k.is, is != "")
	for _, f := range k.rows {
		moved = widgets.SetShown(f.tap, !k.own && (k.said || f.key == "idle")) || moved
		name := c.T("home.cost." + f.key)
		if f.key == "price" && !k.g.Running {
			name = c.T("home.cost.price.said")
		}
		if f.key == "run" && !k.g.Since.IsZero() && k.g.Running {
			name = c.T("home.cost.run.since", "d", texts.Duration(c, k.w.p.Now().Sub(k.g.Since)))
		}
		widgets.SetText(f.name, name)
		text := f.amount()
		if f.value.Text != text {
			f.value.SetText(text)
			moved = true
		}
	}
	moved = widgets.SetShown(k.ask, !k.own && !k.said) || moved
	moved = widgets.SetShown(k.price, !k.own && !k.made && k.said) || moved
	moved = widgets.SetShown(k.all, !k.own && !k.made && k.w.p.Actions.Costs != nil) || moved
	moved = widgets.SetShown(k.room, !k.own) || moved
	moved = widgets.SetShown(k.budget, k.said && k.g.Budget != nil && k.g.Priced) || moved
	if k.g.Budget != nil && k.g.Budget.Sign() > 0 {
		k.bar.Set(k.g.Month.Point.Quo(*k.g.Budget).Float64(), k.barColour())
	}
	if k.near != nil {
		say(k.from, k.near.source())
	}
	if moved {
		k.box.Refresh()
	}
}

// upper begins a sentence with a capital letter.
func upper(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return s
	}
	return string(unicode.ToUpper(r)) + s[n:]
}

// barColour warns where the month runs over its budget; the numbers above the bar
// say so too.
func (k *costCard) barColour() fyne.ThemeColorName {
	over := func(b money.Rat) bool { return k.g.Budget.Less(b) }
	switch {
	case over(k.g.Month.Low):
		return theme.ColorFail
	case k.g.Pace != nil && over(k.g.Pace.Point):
		return theme.ColorWarn
	}
	return ""
}
