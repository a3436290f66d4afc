package watch

import (
	"image"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"

	"rentgen/assets/texts"
	"rentgen/probe/remote"
	"rentgen/probe/stream"
	"rentgen/ui/chart"
	"rentgen/ui/hosts"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// Actions are what the place asks the window to do.
type Actions struct {
	Add         func()
	Choose      func(id string)
	Edit        func(h *hosts.Host) // changes the login line
	Forget      func(h *hosts.Host)
	Forward     func(h *hosts.Host)
	Diagnostics func()
	// Replace opens the question about a changed machine identity.
	Replace func(h *hosts.Host, change *remote.KeyChange)
	// Save takes a picture of the charts under a suggested name.
	Save func(img image.Image, name string)
	Copy func(text string)
	// Cost opens what stands behind a host's costs, and the question what it
	// costs where nobody has said; nil leaves the meter plain.
	Cost func(h *hosts.Host)
}

// Params say what the place works with.
type Params struct {
	Texts   *texts.Catalogue
	Book    *hosts.Book
	Actions Actions
	Window  fyne.Window
	// Model knows verdicts and the meter; nil leaves both out.
	Model Model
	// Do runs f on the UI thread; nil takes fyne.Do. Go runs what takes its
	// time; nil takes a goroutine.
	Do  func(f func())
	Go  func(f func())
	Now func() time.Time
	// Pace is how charts wait; zero takes the real time.
	Pace chart.Pace
	// Span is how much the charts show at first; 0 is five minutes.
	Span time.Duration
}

// Place is the Watch place. Its methods belong to the UI thread.
type Place struct {
	p      Params
	c      *texts.Catalogue
	root   *fyne.Container
	chips  *chips
	holder *fyne.Container
	boards map[string]*board
	away   *away
	shown  bool
	front  *board // the board that is seen
	span   time.Duration
	opened map[string]string // UUID of the opened card by host
	more   bool              // "More" is unfolded
	listed bool              // the list of verdicts is
}

// New returns the place, not shown yet.
func New(p Params) *Place {
	if p.Now == nil {
		p.Now = time.Now
	}
	if p.Do == nil {
		p.Do = fyne.Do
	}
	if p.Go == nil {
		p.Go = func(f func()) { go f() }
	}
	if p.Span == 0 {
		p.Span = 5 * time.Minute
	}
	w := &Place{p: p, c: p.Texts, boards: make(map[string]*board), opened: make(map[string]string), holder: container.NewStack(), span: p.Span}
	w.chips = newChips(w)
	w.away = newAway(w)
	w.root = container.NewBorder(w.chips.box, nil, nil, nil, w.holder)
	w.Tick()
	return w
}

// Key is "watch".
func (w *Place) Key() string { return "watch" }

// Icon is the place's sign in the rail.
func (w *Place) Icon() fyne.Resource { return theme.Icon("watch") }

// Content returns the page.
func (w *Place) Content() fyne.CanvasObject { return w.root }

// Shown starts drawing.
func (w *Place) Shown() {
	w.shown = true
	w.Tick()
}

// Hidden stops drawing.
func (w *Place) Hidden() {
	w.shown = false
	w.bring(nil)
}

// Retext makes the place speak another language.
func (w *Place) Retext(c *texts.Catalogue) {
	w.c = c
	for _, b := range w.boards {
		b.retire()
	}
	clear(w.boards)
	w.front = nil
	w.away.retext()
	w.chips.retext()
	w.Tick()
}

// Tick brings the page up to date. It is cheap where nothing changed and may be
// called as often as a few times a second.
func (w *Place) Tick() {
	w.chips.update()
	h := w.p.Book.Chosen()
	if h == nil {
		w.bring(nil)
		w.away.empty()
		w.put(w.away.box)
		return
	}
	inv := h.Live().Inventory()
	st := h.State()
	if inv == nil || (h.Live().Newest().IsZero() && st.Phase != stream.Live) {
		w.bring(nil)
		w.away.show(h)
		w.put(w.away.box)
		return
	}
	b := w.boards[h.ID]
	if b != nil && (b.host != h || b.outdated(inv)) {
		b.retire()
		b = nil
	}
	if b == nil {
		b = newBoard(w, h, inv)
		w.boards[h.ID] = b
	}
	w.forgetBoards()
	w.put(b.root)
	w.bring(b)
	b.update()
}

// forgetBoards drops the boards of hosts that are gone.
func (w *Place) forgetBoards() {
	for id, b := range w.boards {
		if w.p.Book.Get(id) == nil {
			b.retire()
			delete(w.boards, id)
		}
	}
}

func (w *Place) put(o fyne.CanvasObject) {
	if len(w.holder.Objects) == 1 && w.holder.Objects[0] == o {
		return
	}
	w.holder.Objects = []fyne.CanvasObject{o}
	w.holder.Refresh()
}

// bring lets one board draw, and no other.
func (w *Place) bring(b *board) {
	if !w.shown {
		b = nil
	}
	if w.front == b {
		return
	}
	if w.front != nil {
		w.front.group.SetShown(false)
	}
	w.front = b
	if b != nil {
		b.group.SetShown(true)
	}
}

// chips are the hosts above the page, where there is more than one.
type chips struct {
	w     *Place
	row   *fyne.Container
	box   *fyne.Container
	items []*chip
}

type chip struct {
	id   string
	dot  *widgets.Dot
	text *label
	tap  *widgets.Tap
}

func newChips(w *Place) *chips {
	k := &chips{w: w, row: container.NewHBox()}
	k.box = widgets.Inset(2, container.NewHScroll(k.row))
	k.box.Hide()
	return k
}

func (k *chips) retext() {
	for _, c := range k.items {
		c.text.set("")
	}
	k.update()
}

func (k *chips) update() {
	all := k.w.p.Book.Hosts()
	same := len(all) == len(k.items)
	for i := 0; same && i < len(all); i++ {
		same = all[i].ID == k.items[i].id
	}
	if !same {
		k.items = k.items[:0]
		k.row.RemoveAll()
		for _, h := range all {
			c := &chip{id: h.ID, dot: widgets.NewDot(widgets.Off), text: newLabel()}
			c.tap = widgets.NewTap(container.NewHBox(widgets.Gap(2, 1), container.New(layout.NewCenterLayout(), c.dot), container.New(layout.NewCenterLayout(), c.text)),
				func() { k.w.p.Actions.Choose(c.id) })
			k.items = append(k.items, c)
			k.row.Add(c.tap)
		}
	}
	if hide := len(all) < 2; hide != k.box.Hidden {
		k.box.Hidden = hide
		k.w.root.Refresh()
	}
	if len(all) < 2 {
		return
	}
	chosen := k.w.p.Book.Chosen()
	for i, h := range all {
		words := hosts.WordsOf(k.w.c, h.State(), k.w.p.Now())
		k.items[i].dot.Set(words.State)
		k.items[i].text.set(chipText(k.w.c, h, words))
		k.items[i].tap.SetChosen(h == chosen)
	}
}
