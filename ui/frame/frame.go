package frame

import (
	"strconv"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"

	"rentgen/assets/texts"
	"rentgen/ui/widgets"
)

// Sizes of the frame.
const (
	MinWidth, MinHeight = 1024, 700
	foldBelow           = 1100 // narrower windows have a rail of icons
	railWide            = 128
	railFolded          = 44
	barHeight           = float32(38)
)

// Params say what a frame needs.
type Params struct {
	Window fyne.Window
	Texts  *texts.Catalogue
	Model  Model
	Places []Place // in the rail's order, the last ones below a gap where Low
	// Low is how many places at the end of Places stand at the foot of the
	// rail and have no number key.
	Low int
	// First is the place that is shown at first; "" is the top one of the rail.
	First string
	// OnLang asks for a language, OnTheme for the other of light and dark.
	OnLang  func(texts.Lang)
	OnTheme func()
	// Money says what runs and what it costs; nil leaves it out of the bar. It is
	// called at every Update and must not wait.
	Money func() Money
	// OnAlerts opens the list of alerts at the bell; nil leaves the bell out.
	// OnCost opens what stands behind the costs in the bar.
	OnAlerts func(bell fyne.CanvasObject)
	OnCost   func()
}

// Frame is the frame. Its methods belong to the UI thread.
type Frame struct {
	p      Params
	c      *texts.Catalogue
	rail   *rail
	bar    *bar
	holder *fyne.Container
	page   *fyne.Container // what is over the place instead of it: the first-run page
	root   *fyne.Container
	shown  Place
	cover  fyne.CanvasObject
	// uncover is what Escape does on a cover; nil keeps it.
	uncover func()
}

// New builds the frame and shows the first place.
func New(p Params) *Frame {
	f := &Frame{p: p, c: p.Texts, holder: container.NewStack(), page: container.NewStack()}
	f.page.Hide()
	f.rail = newRail(f)
	f.bar = newBar(f)
	f.root = container.New(&arrange{f}, f.rail.box, f.bar.box, f.holder, f.page)
	f.keys()
	f.Retext(p.Texts)
	if p.First == "" && len(p.Places) > 0 {
		p.First = p.Places[0].Key()
	}
	f.Show(p.First)
	return f
}

// Content returns the whole frame.
func (f *Frame) Content() fyne.CanvasObject { return f.root }

// Shown returns the key of the shown place.
func (f *Frame) Shown() string {
	if f.shown == nil {
		return ""
	}
	return f.shown.Key()
}

// Show opens a place; an unknown key changes nothing.
func (f *Frame) Show(key string) {
	for _, pl := range f.p.Places {
		if pl.Key() != key {
			continue
		}
		if f.shown == pl {
			f.rail.mark()
			return
		}
		if f.shown != nil && f.cover == nil {
			f.shown.Hidden()
		}
		f.shown = pl
		f.holder.Objects = []fyne.CanvasObject{pl.Content()}
		f.holder.Refresh()
		f.rail.mark()
		if f.cover == nil {
			pl.Shown()
		}
		return
	}
}

// Cover lays a page over the place; nil takes it away. escape is what Escape
// does there; nil keeps the page.
func (f *Frame) Cover(o fyne.CanvasObject, escape func()) {
	f.uncover = escape
	// What had the keyboard is not seen any more; Return must not press it.
	f.p.Window.Canvas().Unfocus()
	was := f.cover != nil
	f.cover = o
	if o == nil {
		f.page.Objects = nil
		f.page.Hide()
		f.holder.Show()
	} else {
		f.page.Objects = []fyne.CanvasObject{o}
		f.page.Show()
		f.holder.Hide()
	}
	f.root.Refresh()
	if f.shown == nil || was == (o != nil) {
		return
	}
	if o != nil {
		f.shown.Hidden()
	} else {
		f.shown.Shown()
	}
}

// Covered reports whether a page lies over the place.
func (f *Frame) Covered() bool { return f.cover != nil }

// Update draws the bar anew where something in it changed.
func (f *Frame) Update() { f.bar.update() }

// Retext makes the frame and every place speak another language.
func (f *Frame) Retext(c *texts.Catalogue) {
	f.c = c
	f.p.Window.SetTitle(c.T("app.name"))
	for _, pl := range f.p.Places {
		pl.Retext(c)
	}
	f.rail.retext()
	f.bar.retext()
	if f.shown != nil {
		f.holder.Objects = []fyne.CanvasObject{f.shown.Content()}
		f.holder.Refresh()
	}
}

// keys sets what works everywhere: Ctrl+1 to 6, F1, Escape.
func (f *Frame) keys() {
	c := f.p.Window.Canvas()
	for i := range len(f.p.Places) - f.p.Low {
		key := f.p.Places[i].Key()
		c.AddShortcut(&desktop.CustomShortcut{
			KeyName:  fyne.KeyName(strconv.Itoa(i + 1)),
			Modifier: fyne.KeyModifierShortcutDefault,
		}, func(fyne.Shortcut) {
			if c.Overlays().Top() == nil && f.cover == nil {
				f.Show(key)
			}
		})
	}
	c.SetOnTypedKey(func(ev *fyne.KeyEvent) {
		switch ev.Name {
		case fyne.KeyF1:
			f.Help()
		case fyne.KeyEscape:
			f.escape(c)
		}
	})
}

// escape takes away what lies on top: an overlay, the cover, or something that
// the place itself put over its page.
func (f *Frame) escape(c fyne.Canvas) {
	switch {
	case widgets.Dismiss(c):
	case f.cover != nil:
		if f.uncover != nil {
			f.uncover()
		}
	default:
		if p, ok := f.shown.(interface{ Escape() bool }); ok {
			p.Escape()
		}
	}
}

// Help explains the shown place.
func (f *Frame) Help() {
	c := f.p.Window.Canvas()
	if c.Overlays().Top() != nil || f.shown == nil {
		return
	}
	key := "place." + f.shown.Key()
	if f.cover != nil {
		key = "place.welcome"
	}
	var panel *widgets.Panel
	done := widgets.Primary(f.c.T("frame.close"), nil, func() { panel.Close() })
	keys := widgets.Small(f.c.T("frame.keys"))
	keys.Wrapping = fyne.TextWrapWord
	panel = widgets.NewPanel(widgets.PanelParams{
		Canvas:  c,
		Title:   f.c.T(key),
		Content: container.NewVBox(widgets.Words(f.c.T(key+".help")), widgets.Rule(), keys),
		First:   done,
		Buttons: []fyne.CanvasObject{done},
	})
	panel.Show()
}

// arrange places rail, bar and page, and folds the rail in a narrow window.
type arrange struct{ f *Frame }

func (l *arrange) MinSize([]fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(MinWidth, MinHeight)
}

func (l *arrange) Layout(o []fyne.CanvasObject, size fyne.Size) {
	w := float32(railWide)
	folded := size.Width < foldBelow
	if folded {
		w = railFolded
	}
	l.f.rail.fold(folded)
	// Larger text may need more than that.
	w = max(w, o[0].MinSize().Width)
	bar := max(barHeight, o[1].MinSize().Height)
	for i, r := range [...]struct{ x, y, w, h float32 }{
		{0, 0, w, size.Height},
		{w, 0, size.Width - w, bar},
		{w, bar, size.Width - w, size.Height - bar},
		{w, bar, size.Width - w, size.Height - bar},
	} {
		o[i].Move(fyne.NewPos(r.x, r.y))
		o[i].Resize(fyne.NewSize(r.w, r.h))
	}
}
