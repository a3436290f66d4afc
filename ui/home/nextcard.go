package home

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"rentgen/ui/hosts"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// nextCard is the next step of the host's checklist.
type nextCard struct {
	w    *Place
	icon *widget.Icon
	what *widget.Label
	why  *widget.Label
	done *widget.Label
	open *widgets.Button
	do   func()
	last string
	box  *fyne.Container
}

func newNextCard(w *Place) *nextCard {
	k := &nextCard{w: w, icon: widget.NewIcon(nil), what: widgets.Words(""), why: faint(""), done: widgets.Small("")}
	k.what.TextStyle.Bold = true
	k.open = widgets.NewButton("", nil, func() {
		if k.do != nil {
			k.do()
		}
	})
	k.box = titled(w.c.T("home.next"), k.done,
		container.NewBorder(nil, nil, widgets.OnLine(k.icon), container.NewCenter(k.open), widgets.Stacked(-4, k.what, k.why)))
	return k
}

func (k *nextCard) update(h *hosts.Host) {
	c, n := k.w.c, k.w.p.Model.Next(h.ID)
	shape, what, why, open := theme.NotRun, c.Say(n.Say), c.Say(n.Why), c.T("home.next.open")
	k.do = n.Open
	switch {
	case what != "":
	case n.Of > 0 && n.Done >= n.Of:
		shape, what, why = theme.Pass, c.T("home.next.done"), c.T("home.next.done.why")
	default:
		what, why, open = c.T("home.next.none"), c.T("home.next.none.why"), c.T("home.setup")
	}
	if k.do == nil {
		k.do = k.w.p.Actions.Setup
	}
	done := ""
	if n.Of > 0 {
		done = c.T("home.next.count", "done", n.Done, "of", n.Of)
	}
	if now := string(shape) + "\x00" + what + "\x00" + why + "\x00" + open + "\x00" + done; now != k.last {
		k.last = now
		k.icon.SetResource(shape.Icon())
		say(k.what, what)
		say(k.why, why)
		widgets.SetShown(k.why, why != "")
		widgets.SetText(k.done, done)
		relabel(k.open, open)
		k.box.Refresh()
	}
}
