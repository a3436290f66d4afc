package bill

import (
	"slices"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"rentgen/app/bill/offer"
	"rentgen/app/money"
	core "rentgen/app/plan"
	"rentgen/app/provider"
	"rentgen/assets/texts"
	"rentgen/ui/widgets"
)

// editor changes an offer of the plan: what it is and costs, and every term of
// the quotation.
type editor struct {
	w      *Place
	i      int
	box    *fyne.Container
	syncs  []func(p core.Plan)
	hidden []func(o offer.Offer) // shows and hides fields by what is paid for
	groups map[offer.Group]*group
	opened offer.Group // the group that is unfolded, "" for none
	busy   bool        // the fields are being brought up to date
	noted  string      // whose notes are shown
	price  *input
	high   []float32 // of what stands in box
}

// edit opens the editor of an offer.
func (w *Place) edit(i int) { w.openEditor(i, "", "") }

// editTerm opens the editor of an offer at a term.
func (w *Place) editTerm(i int, id offer.TermID) {
	d, ok := offer.DefOf(id)
	if ok {
		w.openEditor(i, d.Group, id)
	}
}

func (w *Place) openEditor(i int, g offer.Group, id offer.TermID) {
	offers := w.p.Desk.Plan().Offers
	if i < 0 || i >= len(offers) {
		return
	}
	e := &editor{w: w, i: i, box: container.NewVBox(), groups: map[offer.Group]*group{}}
	e.build()
	var first fyne.Focusable
	again := func() { w.openEditor(i, e.opened, "") }
	w.side.open(w.c.T("billpage.edit"), i, e.box, nil, again, e.sync)
	e.sync()
	switch {
	case id == priceField:
		first = e.price.entry
	case g != "":
		first = e.unfold(g, id)
	}
	if first != nil {
		w.p.Window.Canvas().Focus(first)
	}
}

// priceField asks the editor for the field of the price, which is no term.
const priceField offer.TermID = "price"

// sync brings every field up to date, and reports whether the offer is there.
func (e *editor) sync() bool {
	p := e.w.p.Desk.Plan()
	if e.i >= len(p.Offers) {
		return false
	}
	e.busy = true
	defer func() { e.busy = false }()
	for _, f := range e.syncs {
		f(p)
	}
	for _, f := range e.hidden {
		f(p.Offers[e.i])
	}
	for _, g := range e.groups {
		g.sync(p)
	}
	relay(e.box, &e.high)
	return true
}

// relay lays out anew what stands below one another, where any of it is shown
// or hidden or needs another height by now. Drawing all of it at every letter
// would be most of what a letter costs.
func relay(box *fyne.Container, high *[]float32) {
	now := make([]float32, len(box.Objects))
	for i, o := range box.Objects {
		now[i] = -1
		if o.Visible() {
			now[i] = o.MinSize().Height
		}
	}
	if slices.Equal(now, *high) {
		return
	}
	*high = now
	box.Refresh()
}

// change edits the offer as a step of its own.
func (e *editor) change(f func(o *offer.Offer)) {
	if e.busy {
		return
	}
	e.w.p.Desk.Edit("", func(p *core.Plan) {
		if e.i < len(p.Offers) {
			f(&p.Offers[e.i])
		}
	})
}

// text adds a field of text. errs are the fields of offer.Check that belong
// beside it.
func (e *editor) text(key, name, unit string, errs []string, get func(o offer.Offer) string, put func(o *offer.Offer, s string) texts.Phrase) *input {
	i := e.i
	f := newInput(e.w, field("offer.%d.%s", i, name), func(p core.Plan) string {
		if i < len(p.Offers) {
			return get(p.Offers[i])
		}
		return ""
	}, func(p *core.Plan, s string) texts.Phrase {
		if i >= len(p.Offers) {
			return texts.Phrase{}
		}
		if bad := put(&p.Offers[i], s); !bad.IsZero() {
			return bad
		}
		for _, x := range p.Offers[i].Check() {
			if slices.Contains(errs, x.Field) {
				return x.Allowed
			}
		}
		return texts.Phrase{}
	})
	e.syncs = append(e.syncs, f.syncJudged)
	f.box = labelled(e.w.c.T(key), f.entry, unit, f.err)
	e.box.Add(f.box)
	return f
}

// syncJudged is sync that also says what is wrong with the value of now.
func (f *input) syncJudged(p core.Plan) {
	f.sync(p)
	if _, draft := f.w.p.Desk.Draft(f.id); !draft {
		_, bad := f.judge(f.get(p))
		problem(f.err, f.w.c, bad)
	}
}

// list adds a field with a list.
func (e *editor) list(key string, codes, names []string, get func(o offer.Offer) string, put func(o *offer.Offer, code string)) *fyne.Container {
	s := choice(codes, names, "", func(code string) { e.change(func(o *offer.Offer) { put(o, code) }) })
	e.syncs = append(e.syncs, func(p core.Plan) {
		now := get(p.Offers[e.i])
		at := slices.Index(codes, now)
		switch {
		case at < 0:
			if now == "" {
				now = e.w.c.T("billpage.choose")
			}
			if s.PlaceHolder != now {
				s.PlaceHolder = now
				s.Refresh()
			}
			if s.SelectedIndex() >= 0 {
				s.ClearSelected()
			}
		case s.SelectedIndex() != at:
			s.SetSelectedIndex(at)
		}
	})
	box := labelled(e.w.c.T(key), s, "", nil)
	e.box.Add(box)
	return box
}

func (e *editor) tick(key string, get func(o offer.Offer) bool, put func(o *offer.Offer, on bool)) *widgets.Check {
	t := widgets.NewCheck(e.w.c.T(key), func(on bool) { e.change(func(o *offer.Offer) { put(o, on) }) })
	e.syncs = append(e.syncs, func(p core.Plan) {
		if on := get(p.Offers[e.i]); t.Checked != on {
			t.SetChecked(on)
		}
	})
	e.box.Add(t)
	return t
}

// number is a field of a number of 0 or more; nothing is 0.
func (e *editor) number(key, name, unit, check string, of func(o *offer.Offer) *money.Rat) *fyne.Container {
	return e.amount(key, name, unit, check, of).box
}

func (e *editor) amount(key, name, unit, check string, of func(o *offer.Offer) *money.Rat) *input {
	return e.text(key, name, unit, []string{check}, func(o offer.Offer) string { return ratText(*of(&o)) },
		func(o *offer.Offer, s string) texts.Phrase {
			v, bad := amount(s)
			if bad.IsZero() {
				*of(o) = money.Rat{}
				if v != nil {
					*of(o) = *v
				}
			}
			return bad
		})
}

// maybe is a field of a number that may be missing.
func (e *editor) maybe(key, name, unit, check string, of func(o *offer.Offer) **money.Rat) *fyne.Container {
	return e.text(key, name, unit, []string{check}, func(o offer.Offer) string {
		if v := *of(&o); v != nil {
			return v.String()
		}
		return ""
	}, func(o *offer.Offer, s string) texts.Phrase {
		v, bad := amount(s)
		if bad.IsZero() {
			*of(o) = v
		}
		return bad
	}).box
}

func (e *editor) whole(key, name string, of func(o *offer.Offer) *int) *fyne.Container {
	return e.text(key, name, "", []string{name}, func(o offer.Offer) string { return strconv.Itoa(max(*of(&o), 1)) },
		func(o *offer.Offer, s string) texts.Phrase {
			n, err := strconv.Atoi(widgets.PlainNumber(s))
			if err != nil || n < 1 {
				return texts.P("offer.allowed.positive_count")
			}
			*of(o) = n
			return texts.Phrase{}
		}).box
}

// build makes the fields of what the offer is and costs, and the folds of its
// terms.
func (e *editor) build() {
	w, c := e.w, e.w.c
	e.text("billpage.f.name", "name", "", []string{"name"}, func(o offer.Offer) string { return o.Name },
		func(o *offer.Offer, s string) texts.Phrase {
			if taken(w.p.Desk.Plan().Offers, strings.TrimSpace(s), e.i) {
				return texts.P("billpage.allowed.name")
			}
			o.Name = s
			return texts.Phrase{}
		})
	ids, names := providers(c)
	e.list("billpage.f.provider", ids, names, func(o offer.Offer) string { return o.Provider },
		func(o *offer.Offer, id string) { o.Provider = id })
	cards := w.p.Cards()
	e.list("billpage.f.card", cards, cards, func(o offer.Offer) string { return o.Card.Name },
		func(o *offer.Offer, s string) { o.Card.Name = s })
	var parts, partNames []string
	for _, p := range offer.Parts() {
		parts, partNames = append(parts, string(p)), append(partNames, c.Say(p.Name()))
	}
	e.list("billpage.f.part", parts, partNames, func(o offer.Offer) string { return string(o.Filled().Card.Part) },
		func(o *offer.Offer, s string) {
			o.Card.Part = offer.Part(s)
			if o.Card.Part == offer.Whole {
				o.Card.VRAM, o.Card.Guaranteed = nil, false
			}
		})
	vram := e.vram()
	guaranteed := e.tick("billpage.f.guaranteed", func(o offer.Offer) bool { return o.Card.Guaranteed },
		func(o *offer.Offer, on bool) { o.Card.Guaranteed = on })
	e.whole("billpage.f.count", "count", func(o *offer.Offer) *int { return &o.Count })
	e.whole("billpage.f.cards", "cards", func(o *offer.Offer) *int { return &o.Cards })
	mc, mn := machines(c)
	e.list("billpage.f.machine", mc, mn, func(o offer.Offer) string { return string(o.Filled().Machine) },
		func(o *offer.Offer, s string) { o.Machine = offer.Machine(s) })
	e.box.Add(widgets.Rule())
	codes, words := units(c)
	e.list("billpage.f.unit", codes, words, func(o offer.Offer) string { return string(o.Payment.Unit) },
		func(o *offer.Offer, s string) { o.Payment.Unit = offer.Unit(s) })
	e.price = e.amount("billpage.f.price", "price", "", "payment.price", func(o *offer.Offer) *money.Rat { return &o.Payment.Price })
	cur := e.text("billpage.f.currency", "currency", "", []string{"currency"}, func(o offer.Offer) string { return string(o.Currency) },
		func(o *offer.Offer, s string) texts.Phrase {
			o.Currency = money.Currency(strings.ToUpper(strings.TrimSpace(s)))
			return texts.Phrase{}
		})
	e.hidden = append(e.hidden, func(o offer.Offer) {
		o.Currency = "" // what the provider's pages are in
		if hint := string(o.Filled().Currency); cur.entry.PlaceHolder != hint {
			cur.entry.SetPlaceHolder(hint)
		}
	})
	h := c.T("term.unit.h")
	hours := e.number("billpage.f.hours", "hours", h, "payment.hours", func(o *offer.Offer) *money.Rat { return &o.Payment.Hours })
	unitsBox := e.number("billpage.f.units", "units", "", "payment.units", func(o *offer.Offer) *money.Rat { return &o.Payment.Units })
	draw := e.number("billpage.f.draw", "draw", "", "payment.draw_per_hour", func(o *offer.Offer) *money.Rat { return &o.Payment.DrawPerHour })
	included := e.maybe("billpage.f.included", "included", h, "payment.included_hours", func(o *offer.Offer) **money.Rat { return &o.Payment.IncludedHours })
	overage := e.maybe("billpage.f.overage", "overage", "", "payment.overage", func(o *offer.Offer) **money.Rat { return &o.Payment.Overage })
	e.hidden = append(e.hidden, func(o offer.Offer) {
		u := o.Payment.Unit
		hours.Hidden = u != offer.Pack
		unitsBox.Hidden, draw.Hidden = u != offer.Quota, u != offer.Quota
		included.Hidden = o.Payment.Metered() || u == offer.Pack || u == offer.Quota
		overage.Hidden = included.Hidden || o.Payment.IncludedHours == nil
		vram.Hidden = o.Card.Part == offer.Whole || o.Card.Part == ""
		guaranteed.Hidden = vram.Hidden
	})
	e.text("billpage.f.note", "note", "", []string{"note"}, func(o offer.Offer) string { return o.Note },
		func(o *offer.Offer, s string) texts.Phrase {
			o.Note = s
			return texts.Phrase{}
		})
	example := e.tick("billpage.f.example", func(o offer.Offer) bool { return o.Example }, func(o *offer.Offer, on bool) { o.Example = on })
	e.hidden = append(e.hidden, func(o offer.Offer) { example.Hidden = !o.Example })
	e.terms()
}

func (e *editor) vram() *fyne.Container {
	return e.text("billpage.f.vram", "vram", "GiB", []string{"card.vram_mib"}, func(o offer.Offer) string {
		if v := o.Card.VRAM; v != nil {
			return strconv.FormatFloat(*v/1024, 'f', -1, 64)
		}
		return ""
	}, func(o *offer.Offer, s string) texts.Phrase {
		v, bad := amount(s)
		if !bad.IsZero() || v == nil {
			o.Card.VRAM = nil
			return bad
		}
		mib := v.Float64() * 1024
		o.Card.VRAM = &mib
		return texts.Phrase{}
	}).box
}

// notes are the facts of the provider that no term holds.
func (e *editor) notes(o offer.Offer) []fyne.CanvasObject {
	r, ok := provider.Find(o.Provider)
	if !ok {
		return nil
	}
	c := e.w.c
	var all []fyne.CanvasObject
	for _, n := range r.Notes {
		text := n.Text(c.Lang)
		from := origin(c, offer.Term{Status: offer.Known, Value: "-", Source: n.Source, Date: n.Date, Mark: offer.Mark(n.Mark)})
		all = append(all, words(text), faint(from))
		if n.Doubt {
			all = append(all, quiet(c.T("billpage.doubt")))
		}
	}
	return all
}
