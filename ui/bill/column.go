package bill

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"

	"rentgen/app/bill/offer"
	"rentgen/app/money"
	core "rentgen/app/plan"
	"rentgen/ui/widgets"
)

// columnMenu offers what can be done with an offer.
func (w *Place) columnMenu(i int, below *widgets.Button) {
	if i < len(w.good.Sheet.Bills) && w.good.Sheet.Bills[i].Mixed {
		w.menu(below, w.mixedItems(i)...)
		return
	}
	c, offers := w.c, w.p.Desk.Plan().Offers
	if i >= len(offers) {
		return
	}
	n, last := max(offers[i].Count, 1), len(offers)-1
	item := func(key string, on bool, f func()) *fyne.MenuItem {
		m := fyne.NewMenuItem(c.T(key), f)
		m.Disabled = !on
		return m
	}
	w.menu(below,
		item("billpage.col.edit", true, func() { w.edit(i) }),
		item("billpage.col.ask", len(w.good.Sheet.Bills) > i && len(w.good.Sheet.Bills[i].Unknown) > 0, func() { w.ask(i) }),
		fyne.NewMenuItemSeparator(),
		item("billpage.col.more", true, func() { w.count(i, 1) }),
		item("billpage.col.fewer", n > 1, func() { w.count(i, -1) }),
		fyne.NewMenuItemSeparator(),
		item("billpage.col.left", i > 0, func() { w.move(i, i-1) }),
		item("billpage.col.right", i < last, func() { w.move(i, i+1) }),
		item("billpage.col.copy", true, func() { w.copyOffer(i) }),
		item("billpage.col.hide", true, func() { w.setHidden(i, true) }),
		item("billpage.col.delete", true, func() { w.deleteOffer(i) }))
}

// offers edits the list of offers as a step of its own. What is open at the
// side belongs to a place in the list and goes.
func (w *Place) offers(f func(all []offer.Offer) []offer.Offer) {
	w.side.close()
	w.dropDrafts("offer.")
	w.p.Desk.Edit("", func(p *core.Plan) { p.Offers = f(p.Offers) })
}

// count changes how many machines an offer is for.
func (w *Place) count(i, by int) {
	w.p.Desk.Edit(field("offer.%d.count", i), func(p *core.Plan) {
		if i < len(p.Offers) {
			p.Offers[i].Count = max(max(p.Offers[i].Count, 1)+by, 1)
		}
	})
}

func (w *Place) move(from, to int) {
	w.offers(func(all []offer.Offer) []offer.Offer {
		o := all[from]
		return slices.Insert(slices.Delete(all, from, from+1), to, o)
	})
	w.table.reveal(to)
}

func (w *Place) copyOffer(i int) {
	w.offers(func(all []offer.Offer) []offer.Offer {
		o := all[i]
		o.Terms = maps.Clone(o.Terms)
		o.Name = free(all, o.Name)
		return slices.Insert(all, i+1, o)
	})
	w.table.reveal(i + 1)
}

// free returns name, with the next number behind it where another offer has
// it: lines and crossings go by names.
func free(all []offer.Offer, name string) string {
	name = strings.TrimSpace(name)
	if !taken(all, name, -1) {
		return name
	}
	if at := strings.LastIndex(name, " "); at > 0 { // "A 2" is followed by "A 3"
		if n, err := strconv.Atoi(name[at+1:]); err == nil && n > 1 && n < 100 && taken(all, name[:at], -1) {
			name = name[:at]
		}
	}
	for k := 2; ; k++ {
		if n := field("%s %d", name, k); !taken(all, n, -1) {
			return n
		}
	}
}

// taken reports whether an offer other than the one at a place has a name.
func taken(all []offer.Offer, name string, but int) bool {
	for i, o := range all {
		if i != but && strings.TrimSpace(o.Name) == name {
			return true
		}
	}
	return false
}

func (w *Place) setHidden(i int, on bool) {
	w.p.Desk.Edit("", func(p *core.Plan) {
		if i < len(p.Offers) {
			p.Offers[i].Hidden = on
		}
	})
}

func (w *Place) showAll() {
	if w.noMixed {
		w.hideMixed(false)
	}
	w.p.Desk.Edit("", func(p *core.Plan) {
		for i := range p.Offers {
			p.Offers[i].Hidden = false
		}
	})
}

// deleteOffer takes an offer away; the desk's undo brings it back.
func (w *Place) deleteOffer(i int) {
	name := w.p.Desk.Plan().Offers[i].Name
	w.offers(func(all []offer.Offer) []offer.Offer { return slices.Delete(all, i, i+1) })
	w.notice.say("", w.c.T("billpage.deleted", "offer", name), "", w.c.T("billpage.undo"), w.p.Desk.Undo)
}

// addExamples puts offers that are marked as examples into the plan, and the
// rates that they need where it has none.
func (w *Place) addExamples() {
	more, rates := w.p.Examples()
	w.side.close()
	w.dropDrafts("offer.")
	w.p.Desk.Edit("", func(p *core.Plan) {
		for _, o := range more {
			o.Example = true
			o.Name = free(p.Offers, o.Name)
			p.Offers = append(p.Offers, o)
			one := money.Amount{Value: money.Int(1), Currency: o.Currency}
			if _, _, err := p.Rates.Convert(one, p.Currency); err == nil {
				continue
			}
			if _, _, err := rates.Convert(one, p.Currency); err == nil {
				p.Rates = append(p.Rates, rates...)
			}
		}
	})
}
