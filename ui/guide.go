package ui

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/storage"

	"rentgen/app/bill/offer"
	"rentgen/app/bill/sheet"
	"rentgen/app/cli/reach"
	"rentgen/app/guide"
	"rentgen/app/guide/board"
	"rentgen/app/guide/run"
	"rentgen/app/money"
	"rentgen/app/provider"
	"rentgen/assets/texts"
	"rentgen/probe/remote"
	"rentgen/probe/stream"
	"rentgen/ui/hosts"
	"rentgen/ui/setup"
)

// guides are the boards of the hosts, one each, made when Set up first shows the
// host.
type guides struct {
	w      *Window
	mu     sync.Mutex
	boards map[string]*board.Board
	needs  guide.Needs // of the open plan, without the price
	offers []offer.Offer
	c      *texts.Catalogue // the window's
}

// newSetup returns the Set up place.
func (w *Window) newSetup() *setup.Place {
	w.guides = &guides{w: w, c: w.c, boards: make(map[string]*board.Board)}
	if w.desk != nil {
		w.desk.OnChange(w.guides.planned)
	}
	return setup.New(setup.Params{
		Texts: w.c, Window: w.win, Host: w.setupHost, Board: w.guides.board,
		Runner:    w.guideRunner,
		Forwarder: w.guideForwarder,
		Providers: providersIn,
		Needs:     func() guide.Needs { return w.guides.needsOf(w.Chosen()) },
		Fixes:     run.Fixes,
		Message:   w.setupMessage,
		Report:    w.setupReport,
		Pages:     w.setupPages(),
		Add:       w.Add, Open: func(place string) { w.frame.Show(place) },
		Copy: w.copyText, Save: w.saveFile, Now: w.p.Now, Go: w.p.Go, Do: w.doOpen,
	})
}

// setupPages are the pages of Set up beside its items and the report.
func (w *Window) setupPages() []setup.Page {
	all := w.stayPages()
	if w.p.SetupPages != nil {
		all = append(all, w.p.SetupPages(w)...)
	}
	return all
}

// setupHost is the chosen host as Set up needs it.
func (w *Window) setupHost() (setup.Host, bool) {
	h := w.book.Chosen()
	if h == nil {
		return setup.Host{}, false
	}
	st := h.State()
	words := hosts.WordsOf(w.c, st, w.p.Now())
	out := setup.Host{
		ID: h.ID, Name: hosts.NameOf(w.c, h), Demo: h.Demo(), Words: words.Short, Next: words.Next, Connect: h.Connect,
	}
	switch st.Phase {
	case stream.Live, stream.Stale, stream.Paused:
		out.Live = w.guideRunner(h.ID) != nil
	case stream.Connecting:
		out.Busy = true
	case stream.Off, stream.Waiting, stream.Failed:
	}
	return out, true
}

// streamOf is the open connection of a host, nil for none.
func (w *Window) streamOf(id string) *stream.Host {
	h := w.book.Get(id)
	if h == nil {
		return nil
	}
	switch s := h.Stream().(type) {
	case *stream.Host:
		return s
	case *demoStream:
		return s.Host
	}
	return nil
}

// guideRunner runs scripts on a host, nil while it isn't connected.
func (w *Window) guideRunner(id string) guide.Runner {
	if w.p.Runner != nil {
		return w.p.Runner(id)
	}
	if h := w.streamOf(id); h != nil {
		return reach.Runner(h)
	}
	return nil
}

// guideForwarder opens local ports that lead to a host, nil while it isn't connected.
func (w *Window) guideForwarder(id string) guide.Forwarder {
	if h := w.streamOf(id); h != nil {
		return reach.Forwarder(h)
	}
	return nil
}

// board returns the board of a host, "" that of outputs without any.
func (g *guides) board(id string) setup.Board {
	g.mu.Lock()
	b, ok := g.boards[id]
	g.mu.Unlock()
	if ok {
		return b
	}
	p := board.Params{
		Host: id, Now: g.w.p.Now, Go: g.w.p.Go, Needs: func() guide.Needs { return g.needsOf(id) },
		Changed: func() {
			if s := g.w.setup; s != nil {
				s.Changed()
			}
		},
		Runner:    func() guide.Runner { return g.w.guideRunner(id) },
		Forwarder: func() guide.Forwarder { return g.w.guideForwarder(id) },
	}
	if h := g.w.book.Get(id); h != nil {
		if !h.Demo() { // nothing of the demo is kept
			p.Store = g.w.p.Guide
		}
		p.Login = board.Login{Line: h.Line}
		if l, err := remote.ParseLogin(h.Line); err == nil {
			p.Login.Host, p.Login.User, p.Login.Port = l.Host, l.User, l.Port
		}
	}
	b = board.New(p)
	g.mu.Lock()
	g.boards[id] = b
	g.mu.Unlock()
	g.w.p.Go(func() {
		if err := b.Load(context.Background()); err != nil {
			g.w.Say("setup.unread", err.Error())
		}
	})
	return b
}

// drop ends the board of a host that is forgotten or gets another login; from any
// goroutine.
func (g *guides) drop(id string) {
	g.mu.Lock()
	b := g.boards[id]
	delete(g.boards, id)
	g.mu.Unlock()
	if b != nil {
		b.Close()
	}
}

// close ends what the boards run and keeps the rest.
func (g *guides) close() {
	g.mu.Lock()
	all := g.boards
	g.boards = make(map[string]*board.Board)
	g.mu.Unlock()
	for _, b := range all {
		b.Close()
	}
}

// planned takes over what the open plan asks of an instance.
func (g *guides) planned() {
	d := g.w.desk
	p := d.Plan()
	n := guide.Needs{UnderContract: p.Questions.Sensitivity == "contract"}
	if p.Job.Model != "" && len(planProblems(p)) == 0 {
		fit := d.Result().Fit
		n.Job = d.Name()
		n.VRAMLowGiB, n.VRAMHighGiB = &fit.VRAM.Low, &fit.VRAM.High
		n.DiskGB = &fit.Disk.GB.High
	}
	g.mu.Lock()
	g.needs, g.offers = n, slices.Clone(p.Offers)
	g.mu.Unlock()
	if g.w.setup != nil {
		g.w.setup.Changed()
	}
}

// retext makes prices speak another language.
func (g *guides) retext(c *texts.Catalogue) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.c = c
}

// needsOf is what the job asks for, with the price of a host's hour where an
// offer of its provider has one; from any goroutine.
func (g *guides) needsOf(id string) guide.Needs {
	g.mu.Lock()
	n, offers, b, c := g.needs, g.offers, g.boards[id], g.c
	g.mu.Unlock()
	if b == nil {
		return n
	}
	at := slices.IndexFunc(offers, func(o offer.Offer) bool {
		_, ok := o.Hour()
		return ok && o.Provider != "" && o.Provider == b.Provider() && !o.Hidden
	})
	if at < 0 {
		return n
	}
	o := offers[at]
	hour, _ := o.Hour()
	n.PriceHour = c.T("setup.hour", "amount", sheet.Money(c, hour, o.Currency))
	n.Cost = func(d time.Duration) string {
		cost := hour.Mul(money.Frac(int64(d/time.Second), 3600))
		if least := money.Frac(1, 100); cost.Less(least) {
			return c.T("setup.cost.under", "amount", sheet.Money(c, least, o.Currency))
		}
		return sheet.Money(c, cost, o.Currency)
	}
	return n
}

// providersIn are the profiles by their names in a language.
func providersIn(c *texts.Catalogue) []setup.Choice {
	var all []setup.Choice
	for _, p := range provider.Profiles() {
		all = append(all, setup.Choice{ID: p.ID, Name: p.Name[c.Lang]})
	}
	return all
}

// saveFile asks where to write b and writes it there, off the UI thread. Half a
// file is taken away again.
func (w *Window) saveFile(name string, b []byte) {
	d := dialog.NewFileSave(func(out fyne.URIWriteCloser, err error) {
		if err != nil {
			w.say(w.c.T("window.file.failed"), err.Error())
			return
		}
		if out == nil {
			return
		}
		w.p.Go(func() {
			if err := writeAll(out, b); err != nil {
				_ = storage.Delete(out.URI()) // half a file misleads
				w.Say("window.file.failed", err.Error())
			}
		})
	}, w.win)
	d.SetFileName(name)
	size := w.win.Canvas().Size()
	d.Resize(fyne.NewSize(min(860, size.Width-60), min(600, size.Height-60)))
	d.Show()
}

func writeAll(out io.WriteCloser, b []byte) error {
	_, err := out.Write(b)
	if cerr := out.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("write the file: %w", err)
	}
	return nil
}
