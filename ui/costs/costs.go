package costs

import (
	"context"
	"io"
	"slices"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/purse"
	"rentgen/app/purse/meter"
	"rentgen/assets/texts"
	"rentgen/ui/widgets"
)

// Params say what the page works with.
type Params struct {
	Texts  *texts.Catalogue
	Window fyne.Window
	Book   *meter.Book
	Store  purse.Store // keeps that a bill was taken in; nil keeps nothing
	// Host is the id of the host that is shown first, Names what hosts are called.
	Host  string
	Names func(id string) string
	// Changed is called on the UI thread when something was kept; may be nil.
	Changed func()
	Now     func() time.Time
	// Do runs f on the UI thread; nil takes fyne.Do. Go runs what takes its time;
	// nil takes a goroutine.
	Do func(f func())
	Go func(f func())
	// AskFile asks for the bill; nil opens the system's dialog.
	AskFile func(open func(name string, r io.ReadCloser, err error))
}

// The views of the page, in their order; text "costs.view.<view>".
const (
	viewSum    = "sum"
	viewRuns   = "runs"
	viewBill   = "bill"
	viewBudget = "budget"
)

func views() []string { return []string{viewSum, viewRuns, viewBill, viewBudget} }

// Page is the open page. Its methods belong to the UI thread.
type Page struct {
	p        Params
	c        *texts.Catalogue
	ctx      context.Context
	stop     context.CancelFunc
	panel    *widgets.Panel
	host     string
	view     string
	switches map[string]*widgets.Button
	head     *widget.Label // the meter's own sentence
	body     *fyne.Container
	roll     *container.Scroll
	shown    int // runs that are drawn
	bill     *billView
}

// Open shows the page above the place.
func Open(p Params) *Page {
	if p.Now == nil {
		p.Now = time.Now
	}
	if p.Do == nil {
		p.Do = fyne.Do
	}
	if p.Go == nil {
		p.Go = func(f func()) { go f() }
	}
	if p.Names == nil {
		p.Names = func(id string) string { return id }
	}
	w := &Page{p: p, c: p.Texts, host: p.Host, view: viewSum, switches: make(map[string]*widgets.Button)}
	w.ctx, w.stop = context.WithCancel(context.Background())
	w.bill = newBillView(w)
	c := w.c
	w.head = widgets.Words("")
	row := widgets.Row()
	for _, v := range views() {
		b := widgets.Quiet(c.T("costs.view."+v), nil, func() { w.Show(v) })
		w.switches[v] = b
		row.Add(b)
	}
	top := widgets.Stacked(2, row, w.head)
	if s := w.chooser(); s != nil {
		top = widgets.Stacked(2, container.NewBorder(nil, nil, row, container.NewGridWrap(fyne.NewSize(widgets.Scaled(240), s.MinSize().Height), s)), w.head)
	}
	w.body = widgets.Stacked(2)
	w.roll = container.NewVScroll(widgets.BesideBar(w.body))
	done := widgets.Primary(c.T("costs.close"), nil, w.Close)
	title := c.T("costs.title.all")
	if w.chosenAlone() {
		title = c.T("costs.title", "name", p.Names(w.host))
	}
	size := p.Window.Canvas().Size()
	w.panel = widgets.NewPanel(widgets.PanelParams{
		Canvas: p.Window.Canvas(), Title: title, Content: container.NewBorder(top, nil, nil, nil, w.roll),
		Width: 900, Height: min(size.Height-60, widgets.Scaled(900)), First: w.switches[viewSum], Buttons: []fyne.CanvasObject{done},
		OnCancel: w.stop,
	})
	w.Show(viewSum)
	w.panel.Show()
	return w
}

// Close takes the page away; what is being kept is kept.
func (w *Page) Close() {
	w.stop()
	w.panel.Close()
}

// hosts are those that have run or have a price, and the chosen one.
func (w *Page) hosts() []string {
	ids := w.p.Book.Hosts()
	if w.p.Host != "" && !slices.Contains(ids, w.p.Host) {
		ids = append([]string{w.p.Host}, ids...)
	}
	return ids
}

func (w *Page) chosenAlone() bool { return len(w.hosts()) < 2 && w.host != "" }

// chooser is the choice among hosts, nil where there is none.
func (w *Page) chooser() *widgets.Select {
	ids := w.hosts()
	if len(ids) < 2 {
		if w.host == "" && len(ids) == 1 {
			w.host = ids[0]
		}
		return nil
	}
	var names []string
	for _, id := range ids {
		names = append(names, w.p.Names(id))
	}
	s := widgets.NewSelect(names, nil)
	if !slices.Contains(ids, w.host) {
		w.host = ids[0]
	}
	s.SetSelectedIndex(slices.Index(ids, w.host))
	s.OnChanged = func(string) {
		w.host, w.shown = ids[max(s.SelectedIndex(), 0)], 0
		w.Show(w.view)
	}
	return s
}

// Show opens one of the views: "sum", "runs", "bill" or "budget".
func (w *Page) Show(view string) {
	if view != w.view {
		w.roll.ScrollToTop()
	}
	w.view = view
	for v, b := range w.switches {
		b.Importance = widget.LowImportance
		if v == view {
			b.Importance = widget.HighImportance
		}
		b.Refresh()
	}
	w.update()
}

// update draws the view anew from what is known now.
func (w *Page) update() {
	c := w.c
	a, known := w.p.Book.Account(w.host)
	text := c.T("costs.none")
	if known {
		text = c.T("costs.head", "what", upper(c.Say(a.Glance.Say)), "at", texts.DateTime(c, w.p.Now()))
	}
	widgets.SetWords(w.head, text)
	var o []fyne.CanvasObject
	switch w.view {
	case viewRuns:
		o = w.runs(a)
	case viewBill:
		o = w.bill.objects(a)
	case viewBudget:
		o = w.budget(a)
	default:
		o = w.sum(a, known)
	}
	w.body.Objects = o
	w.body.Refresh()
	w.roll.Refresh()
}

// later runs what takes its time off the UI thread, and what follows on it unless
// the page was closed meanwhile. What is kept is not cut off by closing.
func (w *Page) later(work func(ctx context.Context) error, then func(err error)) {
	ctx := context.WithoutCancel(w.ctx)
	w.p.Go(func() {
		ctx, cancel := context.WithTimeout(ctx, time.Minute)
		defer cancel()
		err := work(ctx)
		w.p.Do(func() {
			if err == nil && w.p.Changed != nil {
				w.p.Changed()
			}
			if w.ctx.Err() == nil {
				then(err)
			}
		})
	})
}
