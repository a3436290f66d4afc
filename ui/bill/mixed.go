package bill

import (
	"slices"

	"fyne.io/fyne/v2"

	"rentgen/app/bill/sheet"
)

// mixedItems offers what can be done with the column that tries out on one offer
// and runs on another. It follows from two offers, so there is nothing to edit.
func (w *Place) mixedItems(i int) []*fyne.MenuItem {
	c, b := w.c, w.good.Sheet.Bills[i]
	ask := fyne.NewMenuItem(c.T("billpage.col.ask"), func() { w.ask(i) })
	ask.Disabled = len(b.Unknown) == 0
	return []*fyne.MenuItem{
		fyne.NewMenuItem(c.T("billpage.col.why"), func() { w.explain(i, rowTotal) }),
		ask,
		fyne.NewMenuItemSeparator(),
		fyne.NewMenuItem(c.T("billpage.col.hide"), func() { w.hideMixed(true) }),
	}
}

// hideMixed hides that column or shows it again. It is of no offer of the plan:
// the page remembers it.
func (w *Place) hideMixed(on bool) {
	if on && w.side.isOpen() && w.side.bill >= 0 && w.side.bill < len(w.good.Sheet.Bills) && w.good.Sheet.Bills[w.side.bill].Mixed {
		w.side.close()
	}
	w.noMixed = on
	w.version++
	w.sync()
}

// mixedAt is the place of the column in the sheet, -1 for none.
func (w *Place) mixedAt() int {
	return slices.IndexFunc(w.good.Sheet.Bills, func(b sheet.Bill) bool { return b.Mixed })
}

// withoutMixed is a sheet whose mixed bill is hidden as an offer would be: it is
// neither the cheapest nor what another one is compared with.
func withoutMixed(s sheet.Sheet) sheet.Sheet {
	s.Bills = slices.Clone(s.Bills)
	name := ""
	for i := range s.Bills {
		if b := &s.Bills[i]; b.Mixed {
			b.Offer.Hidden, name = true, b.Name
		}
	}
	live := func(b sheet.Bill) bool { return b.Status == sheet.OK && !b.Offer.Hidden }
	s.Cheapest, s.Overlap = nil, false
	for i, b := range s.Bills {
		if !live(b) {
			continue
		}
		less := -1
		if len(s.Cheapest) > 0 {
			less = b.Total.Point.Cmp(s.Bills[s.Cheapest[0]].Total.Point)
		}
		switch {
		case less < 0:
			s.Cheapest = []int{i}
		case less == 0:
			s.Cheapest = append(s.Cheapest, i)
		}
	}
	for i, b := range s.Bills {
		if live(b) && i != s.Cheapest[0] && b.Total.Low.Cmp(s.Bills[s.Cheapest[0]].Total.High) <= 0 {
			s.Overlap = true
		}
	}
	s.Moves = slices.DeleteFunc(slices.Clone(s.Moves), func(m sheet.Move) bool { return m.Then == name || m.Offer == name })
	return s
}
