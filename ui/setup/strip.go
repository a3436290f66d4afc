package setup

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/ui/widgets"
)

// strip is the row of the place's pages. What finds no room stands in the menu
// at its end.
type strip struct {
	w       *Place
	buttons []*widgets.Button
	more    *widgets.Button
	box     *fyne.Container
	fits    int
}

func newStrip(w *Place) *strip {
	s := &strip{w: w}
	for _, p := range w.pages {
		s.buttons = append(s.buttons, widgets.Quiet(w.c.T(p.Title), nil, func() { w.Show(p.Key) }))
	}
	s.more = widgets.Quiet(w.c.T("setup.page.more"), fynetheme.MenuDropDownIcon(), s.menu)
	s.more.IconPlacement = widget.ButtonIconTrailingText
	all := make([]fyne.CanvasObject, 0, len(s.buttons)+1)
	for _, b := range s.buttons {
		all = append(all, b)
	}
	s.box = container.New(s, append(all, s.more)...)
	return s
}

// sync marks the page that is open.
func (s *strip) sync() {
	mark := func(b *widgets.Button, on bool) {
		want := widget.LowImportance
		if on {
			want = widget.MediumImportance
		}
		if b.Importance != want {
			b.Importance = want
			b.Refresh()
		}
	}
	name := s.w.c.T("setup.page.more")
	for i, b := range s.buttons {
		on := s.w.pages[i].Key == s.w.at
		mark(b, on)
		if on && i >= s.fits && s.fits > 0 {
			name = b.Text
		}
	}
	mark(s.more, name != s.w.c.T("setup.page.more"))
	if s.more.Text != name {
		s.more.SetText(name)
	}
	if len(s.buttons) > 1 {
		s.Layout(s.box.Objects, s.box.Size())
	}
}

// menu offers the pages that found no room.
func (s *strip) menu() {
	var list []*fyne.MenuItem
	for i, b := range s.buttons[s.fits:] {
		item := fyne.NewMenuItem(b.Text, func() { s.w.Show(s.w.pages[s.fits+i].Key) })
		item.Checked = s.w.pages[s.fits+i].Key == s.w.at
		list = append(list, item)
	}
	widget.ShowPopUpMenuAtRelativePosition(fyne.NewMenu("", list...), s.w.p.Window.Canvas(), fyne.NewPos(0, s.more.Size().Height), s.more)
}

// MinSize implements fyne.Layout: the menu alone is enough.
func (s *strip) MinSize([]fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(s.buttons[0].MinSize().Width+s.more.MinSize().Width, s.more.MinSize().Height)
}

// Layout implements fyne.Layout.
func (s *strip) Layout(_ []fyne.CanvasObject, size fyne.Size) {
	if size.Width == 0 {
		return
	}
	widths := make([]float32, len(s.buttons))
	total := float32(0)
	for i, b := range s.buttons {
		widths[i] = b.MinSize().Width
		total += widths[i]
	}
	fits := len(s.buttons)
	if total > size.Width {
		// The menu may come to carry the longest name.
		total = s.more.MinSize().Width + slices.Max(widths)/2
		for fits = 0; fits < len(widths) && total+widths[fits] <= size.Width; fits++ {
			total += widths[fits]
		}
		fits = max(fits, 1)
	}
	s.fits = fits
	x := float32(0)
	place := func(b *widgets.Button, seen bool) {
		widgets.SetShown(b, seen)
		if seen {
			b.Move(fyne.NewPos(x, 0))
			b.Resize(fyne.NewSize(b.MinSize().Width, size.Height))
			x += b.MinSize().Width
		}
	}
	for i, b := range s.buttons {
		place(b, i < fits)
	}
	place(s.more, fits < len(s.buttons))
}
