package bill

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// head is the line on top: whose bill it is and what can be done with it.
type head struct {
	w          *Place
	name       *widgets.Button
	undo, redo *widgets.Button
	ask        *widgets.Button
	draws      *widgets.Button
	swap       *widgets.Button
	show       *widgets.Button
	file       *widgets.Button
	box        *fyne.Container
}

func newHead(w *Place) *head {
	h, c, d := &head{w: w}, w.c, w.p.Desk
	h.name = widgets.NewButton("", fynetheme.MenuDropDownIcon(), h.plans)
	h.name.IconPlacement = widget.ButtonIconTrailingText
	h.undo = widgets.Quiet("", fynetheme.ContentUndoIcon(), d.Undo)
	h.redo = widgets.Quiet("", fynetheme.ContentRedoIcon(), d.Redo)
	add := widgets.NewButton(c.T("billpage.new"), theme.Icon("add"), w.newOffer)
	h.ask = widgets.Quiet(c.T("billpage.ask"), theme.Icon("help"), func() { w.ask(-1) })
	h.draws = widgets.Quiet(c.T("billpage.chances"), nil, func() {
		w.chances = !w.chances
		w.sync()
	})
	h.swap = widgets.Quiet("", nil, func() {
		w.drawn = !w.drawn
		w.sync()
	})
	set := widgets.Quiet(c.T("billpage.settings"), theme.Icon("settings"), w.settings)
	h.show = widgets.Quiet(c.T("billpage.hidden"), nil, h.hidden)
	h.file = widgets.Quiet(c.T("billpage.file"), fynetheme.MenuDropDownIcon(), h.files)
	h.file.IconPlacement = widget.ButtonIconTrailingText
	h.box = container.NewHBox(h.name, h.undo, h.redo, add, h.show, layout.NewSpacer(), h.swap, h.draws, h.ask, set, h.file)
	h.both(true)
	h.tend()
	return h
}

// both shows the button that goes between table and pictures where there is no
// room for both.
func (h *head) both(needed bool) {
	if len(h.w.p.Desk.Plan().Offers) == 0 {
		needed = false
	}
	key, icon := "billpage.pictures", theme.Icon("watch")
	if h.w.drawn {
		key, icon = "billpage.table", theme.Icon("table")
	}
	text := h.w.c.T(key)
	if h.swap.Hidden == !needed && h.swap.Text == text {
		return
	}
	h.swap.Hidden = !needed
	h.swap.Icon = icon
	h.swap.SetText(text)
	h.box.Refresh()
}

// tend shows what can be pressed.
func (h *head) tend() {
	widgets.Able(h.undo, h.w.p.Desk.CanUndo())
	widgets.Able(h.redo, h.w.p.Desk.CanRedo())
}

func (h *head) sync() {
	w := h.w
	name := widgets.Short(w.p.Desk.Name(), 28)
	offers := w.p.Desk.Plan().Offers
	hidden, asked := 0, 0
	for _, o := range offers {
		if o.Hidden {
			hidden++
		}
	}
	if w.noMixed && w.mixedAt() >= 0 {
		hidden++
	}
	for _, b := range w.good.Sheet.Bills {
		if !b.Offer.Hidden && !b.Mixed {
			asked += len(b.Unknown)
		}
	}
	ask := w.c.T("billpage.ask")
	if asked > 0 {
		ask = w.c.T("billpage.ask.n", "n", asked)
	}
	widgets.Able(h.ask, asked > 0)
	importance := widget.LowImportance
	if w.chances {
		importance = widget.MediumImportance
	}
	if h.draws.Importance != importance {
		h.draws.Importance = importance
		h.draws.Refresh()
	}
	h.tend()
	// Icons are drawn anew with every refresh: only what differs has one.
	changed := false
	for b, text := range map[*widgets.Button]string{h.name: name, h.ask: ask, h.show: w.c.T("billpage.hidden", "n", hidden)} {
		if b.Text != text {
			b.SetText(text)
			changed = true
		}
	}
	for b, off := range map[*widgets.Button]bool{h.show: hidden == 0, h.ask: len(offers) == 0, h.draws: len(offers) == 0} {
		changed = changed || b.Hidden != off
		b.Hidden = off
	}
	if changed {
		h.box.Refresh()
	}
}

// menu shows what can be chosen below an object.
func (w *Place) menu(below fyne.CanvasObject, items ...*fyne.MenuItem) {
	widget.ShowPopUpMenuAtRelativePosition(fyne.NewMenu("", items...), w.p.Window.Canvas(),
		fyne.NewPos(0, below.Size().Height), below)
}

func (h *head) plans() {
	d := h.w.p.Desk
	var items []*fyne.MenuItem
	for _, info := range d.Plans() {
		item := fyne.NewMenuItem(info.Name, func() { d.Open(info.ID) })
		item.Checked = info.Open
		items = append(items, item)
	}
	if h.w.p.Plan != nil {
		items = append(items, fyne.NewMenuItemSeparator(), fyne.NewMenuItem(h.w.c.T("billpage.plan"), h.w.p.Plan))
	}
	h.w.menu(h.name, items...)
}

// hidden offers the hidden offers to be shown again.
func (h *head) hidden() {
	w := h.w
	var items []*fyne.MenuItem
	for i, o := range w.p.Desk.Plan().Offers {
		if o.Hidden {
			items = append(items, fyne.NewMenuItem(w.c.T("billpage.show", "offer", o.Name), func() { w.setHidden(i, false) }))
		}
	}
	if at := w.mixedAt(); w.noMixed && at >= 0 {
		items = append(items, fyne.NewMenuItem(w.c.T("billpage.show", "offer", w.good.Sheet.Bills[at].Name), func() { w.hideMixed(false) }))
	}
	items = append(items, fyne.NewMenuItemSeparator(), fyne.NewMenuItem(w.c.T("billpage.show.all"), w.showAll))
	w.menu(h.show, items...)
}

func (h *head) files() {
	w, c := h.w, h.w.c
	none := len(w.p.Desk.Plan().Offers) == 0
	item := func(key string, needs bool, f func()) *fyne.MenuItem {
		m := fyne.NewMenuItem(c.T(key), f)
		m.Disabled = needs && none
		return m
	}
	items := []*fyne.MenuItem{
		item("billpage.file.copy", true, w.copyBill),
		item("billpage.file.save", true, w.saveBill),
		fyne.NewMenuItemSeparator(),
		item("billpage.file.import", false, w.importOffers),
		item("billpage.file.yaml", true, func() { w.exportOffers(".yaml") }),
		item("billpage.file.csv", true, func() { w.exportOffers(".csv") }),
	}
	if w.p.Examples != nil {
		items = append(items, fyne.NewMenuItemSeparator(), item("billpage.file.examples", false, w.addExamples))
	}
	w.menu(h.file, items...)
}
