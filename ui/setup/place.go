package setup

import (
	"context"
	"sync"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"

	"rentgen/app/guide"
	"rentgen/assets/texts"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// Key is the place's.
const Key = "setup"

// The keys of the pages that are here.
const (
	PageItems  = "items"
	PageReport = "report"
)

// Place is the Set up place. Its methods belong to the UI thread, but Changed.
type Place struct {
	p    Params
	c    *texts.Catalogue
	root *fyne.Container

	host   Host
	paper  bool // outputs are pasted without any instance
	board  Board
	pages  []Page
	at     string          // the page that is open
	bodies map[string]Body // those that were made, of this host and language
	looked string          // the host whose run was asked for since it is connected
	shown  bool
	dirty  bool

	head  *head
	tabs  *strip
	note  *note
	body  *fyne.Container
	items *items // of this host, also through another language

	mu      sync.Mutex
	pending bool // a change is on its way to the UI thread
}

// New returns the place; its page is built when it is first seen.
func New(p Params) *Place {
	if p.Now == nil {
		p.Now = time.Now
	}
	if p.Go == nil {
		p.Go = func(f func()) { go f() }
	}
	if p.Do == nil {
		p.Do = fyne.Do
	}
	if p.Needs == nil {
		p.Needs = func() guide.Needs { return guide.Needs{} }
	}
	w := &Place{p: p, c: p.Texts, root: container.NewStack(), at: PageItems, bodies: make(map[string]Body)}
	w.pages = append(w.pages, Page{Key: PageItems, Title: "setup.page.items", Make: w.makeItems})
	w.pages = append(w.pages, p.Pages...)
	if p.Report != nil {
		w.pages = append(w.pages, Page{Key: PageReport, Title: "setup.page.report", Make: w.makeReport})
	}
	return w
}

// Key is "setup".
func (w *Place) Key() string { return Key }

// Icon is the place's sign in the rail.
func (w *Place) Icon() fyne.Resource { return theme.Icon("setup") }

// Content returns the page, which is empty until it is seen.
func (w *Place) Content() fyne.CanvasObject { return w.root }

// Shown brings the page up to date.
func (w *Place) Shown() {
	w.shown = true
	w.sync()
}

// Hidden stops drawing.
func (w *Place) Hidden() {
	w.shown = false
	if b := w.bodies[w.at]; b != nil {
		b.Leave()
	}
}

// Retext makes the place speak another language. What was typed stays.
func (w *Place) Retext(c *texts.Catalogue) {
	w.c = c
	if len(w.root.Objects) == 0 {
		return // not seen yet
	}
	w.forget()
	w.head = nil
	w.dirty = true
	if w.shown {
		w.sync()
	}
}

// Escape closes what is open over the page of items: another page, or a form in
// it.
func (w *Place) Escape() bool {
	if w.at != PageItems {
		w.Show(PageItems)
		return true
	}
	return w.items != nil && w.items.escape()
}

// Show opens a page of the place by its key, or another place.
func (w *Place) Show(page string) {
	for _, p := range w.pages {
		if p.Key != page {
			continue
		}
		if w.at == page {
			return
		}
		if b := w.bodies[w.at]; b != nil {
			b.Leave()
		}
		w.at = page
		w.note.clear()
		w.sync()
		return
	}
	if w.p.Open != nil {
		w.p.Open(page)
	}
}

// Reveal opens an item of a track by its id.
func (w *Place) Reveal(step string) {
	w.Show(PageItems)
	if w.items != nil {
		w.items.open(step)
	}
}

// Changed says that the board or the host has changed; from any goroutine.
// What comes before the last change was drawn is put together.
func (w *Place) Changed() {
	w.mu.Lock()
	was := w.pending
	w.pending = true
	w.mu.Unlock()
	if was {
		return
	}
	w.p.Do(func() {
		w.mu.Lock()
		w.pending = false
		w.mu.Unlock()
		w.dirty = true
		if w.shown {
			w.sync()
		}
	})
}

// Tick follows the chosen host; it draws only where something is another.
func (w *Place) Tick() {
	if !w.shown {
		return
	}
	if h, _ := w.look(); w.dirty || !same(h, w.host) {
		w.sync()
	} else if w.head != nil && w.head.stop.Visible() {
		w.head.sync() // how long it has been running
	}
}

func same(a, b Host) bool {
	a.Connect, b.Connect = nil, nil
	return a.ID == b.ID && a.Name == b.Name && a.Live == b.Live && a.Busy == b.Busy && a.Words == b.Words && a.Next == b.Next
}

// look returns the chosen host, or what stands for none while outputs are pasted.
func (w *Place) look() (Host, bool) {
	h, ok := w.p.Host()
	if ok {
		w.paper = false
		return h, true
	}
	return Host{}, w.paper
}

// forget drops the pages that were made.
func (w *Place) forget() {
	if b := w.bodies[w.at]; b != nil {
		b.Leave()
	}
	w.bodies = make(map[string]Body)
	if w.items != nil {
		w.items.keep()
	}
}

// sync brings everything up to date.
func (w *Place) sync() {
	w.dirty = false
	h, ok := w.look()
	if !ok {
		w.host, w.board, w.head, w.items = Host{}, nil, nil, nil
		w.forget()
		w.at = PageItems
		w.root.Objects = []fyne.CanvasObject{w.empty()}
		w.root.Refresh()
		return
	}
	if b := w.p.Board(h.ID); b != w.board || h.ID != w.host.ID {
		w.forget()
		w.items = nil
		w.at = PageItems
		w.board, w.looked = b, ""
		w.head = nil
	}
	w.host = h
	w.lookAt()
	if w.head == nil {
		w.build()
	}
	w.head.sync()
	w.tabs.sync()
	b := w.bodies[w.at]
	if b == nil {
		for _, p := range w.pages {
			if p.Key == w.at {
				b = p.Make(w.here())
				w.bodies[w.at] = b
			}
		}
	}
	b.Sync()
	if o := b.Content(); len(w.body.Objects) != 1 || w.body.Objects[0] != o {
		w.body.Objects = []fyne.CanvasObject{o}
		w.body.Refresh()
	}
}

// lookAt asks a host that is connected anew which run it is in: what passed before
// a restart has to be checked again.
func (w *Place) lookAt() {
	if !w.host.Live {
		w.looked = ""
		return
	}
	if w.looked == w.host.ID {
		return
	}
	w.looked = w.host.ID
	b := w.board
	w.p.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		_ = b.Look(ctx) // the next run sees it
	})
}

// build makes what stands round every page, in the language of now.
func (w *Place) build() {
	w.head = newHead(w)
	w.tabs = newStrip(w)
	w.note = newNote()
	w.body = container.NewStack()
	w.root.Objects = []fyne.CanvasObject{widgets.Inset(4, container.NewBorder(
		container.New(layout.NewCustomPaddedVBoxLayout(2), w.head.box, w.tabs.box, w.note.box), nil, nil, nil, w.body))}
	w.root.Refresh()
}

func (w *Place) here() *Here {
	id := w.host.ID
	return &Here{
		Texts: w.c, Window: w.p.Window, Board: w.board, Needs: w.p.Needs, Show: w.Show, Copy: w.p.Copy, Save: w.p.Save,
		Host:      func() Host { return w.host },
		Runner:    func() guide.Runner { return w.runner(id) },
		Forwarder: func() guide.Forwarder { return w.forwarder(id) },
		Say:       func(v guide.Verdict, sentence, raw string) { w.note.say(v, sentence, raw) },
		Now:       w.p.Now, Go: w.p.Go, Do: w.p.Do,
	}
}

func (w *Place) runner(id string) guide.Runner {
	if w.p.Runner == nil || !w.host.Live {
		return nil
	}
	return w.p.Runner(id)
}

func (w *Place) forwarder(id string) guide.Forwarder {
	if w.p.Forwarder == nil || !w.host.Live {
		return nil
	}
	return w.p.Forwarder(id)
}
