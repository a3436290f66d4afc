package ui

import (
	"context"
	"errors"
	"sync"
	"time"

	"fyne.io/fyne/v2"

	"rentgen/app/guide"
	"rentgen/app/judge"
	"rentgen/app/purse"
	"rentgen/app/purse/push"
	"rentgen/app/settings"
	"rentgen/assets/texts"
	"rentgen/probe"
	"rentgen/probe/demo"
	"rentgen/probe/remote"
	"rentgen/probe/stream"
	"rentgen/ui/alerts"
	"rentgen/ui/bill"
	"rentgen/ui/chart"
	"rentgen/ui/connect"
	"rentgen/ui/desk"
	"rentgen/ui/frame"
	"rentgen/ui/history"
	"rentgen/ui/home"
	"rentgen/ui/hosts"
	"rentgen/ui/measuring"
	"rentgen/ui/plan"
	"rentgen/ui/prefs"
	"rentgen/ui/sense"
	"rentgen/ui/setup"
	"rentgen/ui/watch"
)

const (
	// leastPause lies between two drawings of new readings.
	leastPause = 250 * time.Millisecond
	// agePause is how often ages are brought up to date while nothing comes.
	agePause = time.Second
)

// Params say what a window works with.
type Params struct {
	App      fyne.App
	Settings *settings.Settings
	Store    hosts.Store // see Storage
	Reach    Reacher
	// History is what the History place reads; nil takes it from Store.
	History history.Store
	// Plans keeps the plans; nil takes it from Store. Without either there are
	// no Plan and no Bill.
	Plans desk.Store
	// Guide keeps what Set up found; nil takes it from Store. Without either, Set
	// up forgets with the window.
	Guide guide.Store
	// Purse keeps what instances cost and the alerts, Judged what logs were found
	// to mean; nil takes them from Store. Without them both are forgotten with the
	// window.
	Purse  purse.Store
	Judged judge.Store
	// Logs reads logs as a whole; nil takes it from Store. Without it History
	// shows no verdicts and takes no files in.
	Logs LogStore
	// Secrets keeps what pushes need; nil offers none.
	Secrets push.Secrets
	// Runner runs Set up's scripts on a host, nil while it isn't connected; without
	// it the host's own connection does.
	Runner func(host string) guide.Runner
	// SetupPages are further pages of Set up, made for this window.
	SetupPages func(w *Window) []setup.Page
	// Opener makes connections; nil makes real ones through Reach.
	Opener hosts.Opener
	// Keyring says that secrets may be kept in the system's keyring.
	Keyring bool
	// Places are the places beside Watch, made for this window in the rail's
	// order.
	Places func(w *Window) []Place
	// Demo opens with the demo host, running.
	Demo bool
	// Home is our folder, Version the program's, Log the masked end of its log.
	Home, Version string
	Log           func() string
	Redactor      *settings.Redactor
	// System is the language of the system; "" asks it.
	System texts.Lang
	Now    func() time.Time
	// Do runs f on the UI thread; nil takes fyne.Do. Pace is how charts wait.
	// Go runs what takes its time, After looks again later; nil takes a
	// goroutine and time.AfterFunc.
	Do    func(f func())
	Go    func(f func())
	After func(d time.Duration, f func())
	Pace  chart.Pace
}

// Window is the program's window. Its methods belong to the UI thread but for
// those that say otherwise.
type Window struct {
	p       Params
	win     fyne.Window
	c       *texts.Catalogue
	book    *hosts.Book
	asker   *connect.Asker
	frame   *frame.Frame
	sense   *sense.Sense
	meaning meaning
	home    *home.Place
	alerts  *alerts.List
	watch   *watch.Place
	desk    *desk.Desk       // nil without a store of plans, as plan is
	real    *measuring.Model // what was measured, for the open plan
	plan    *plan.Place
	bill    *bill.Place
	setup   *setup.Place
	history *history.Place // nil without a history
	guides  *guides
	look    [2]any        // theme and size of text as they are shown
	page    *connect.Page // over the place while a host is added
	tunnels map[string][]connect.Tunnel
	offered map[string]connect.New
	notices map[string][]remote.Notice // of a host's connections, guarded by mu
	// askedHost is the host whose running job is read, guarded by mu.
	askedHost  *hosts.Host
	askedLocal bool // it is this computer

	mu      sync.Mutex
	pending bool // a refresh is on its way to the UI thread
	// Hosts and ssh configuration are being read again.
	rereading bool
	closing   bool
	stop      chan struct{}
	arrived   chan struct{} // holds one
	saver     saver
	unhear    func() // of the store's troubles, may be nil
	loads     context.CancelFunc
	done      sync.WaitGroup
}

// New builds the window; Start fills it with life.
func New(p Params) *Window {
	if p.Now == nil {
		p.Now = time.Now
	}
	if p.Do == nil {
		p.Do = fyne.Do
	}
	if p.Go == nil {
		p.Go = func(f func()) { go f() }
	}
	if p.System == "" {
		p.System = texts.Detect()
	}
	if p.Redactor == nil {
		p.Redactor = &settings.Redactor{}
	}
	p.fromStore()
	w := &Window{
		p: p, stop: make(chan struct{}), arrived: make(chan struct{}, 1),
		tunnels: make(map[string][]connect.Tunnel), offered: make(map[string]connect.New),
		notices: make(map[string][]remote.Notice),
	}
	w.c = w.catalogue()
	fyneWords(w.c.Lang)
	w.applyTheme()
	w.win = p.App.NewWindow(w.c.T("app.name"))
	w.win.SetPadded(false)
	w.asker = &connect.Asker{
		Canvas:  w.win.Canvas,
		Texts:   func() *texts.Catalogue { return w.c },
		Keyring: p.Keyring, Do: p.Do,
	}
	open := p.Opener
	if open == nil {
		way := &opener{reach: p.Reach, prompt: w.asker, consent: w.asker.Upload, notice: w.noticed}
		if real, ok := p.Store.(*shelf); ok {
			way.history = func(h hosts.Saved) stream.History { return counted{real.filler(h), h.ID, w.sense} }
		}
		open = way
	}
	w.sense = w.newSense()
	w.meaning = meaning{w.sense, w.newResidents(), w}
	w.book = hosts.New(hosts.Params{
		Tap: func(h *hosts.Host, m probe.Message) {
			w.heard(h, m)
			w.meaning.Heard(h.ID, m)
		},
		Store: p.Store, Opener: open, Now: p.Now, Changed: w.changed, Arrived: w.arrive, Go: p.Go,
		Rate:   func() float64 { return p.Settings.Rate },
		Record: func() bool { return p.Settings.Record },
	})
	w.watch = watch.New(watch.Params{
		Texts: w.c, Book: w.book, Window: w.win, Now: p.Now, Pace: p.Pace, Actions: w.actions(),
		Model: w.meaning, Do: p.Do, Go: p.Go,
	})
	w.home = w.newHome()
	w.hearStore()
	places := []Place{w.home}
	if p.Plans != nil {
		w.desk = w.newDesk(p.Plans)
		w.real = w.newMeasuring()
		w.plan = w.newPlan()
		w.bill = w.newBill()
		places = append(places, w.plan, w.bill)
	}
	w.setup = w.newSetup()
	places = append(places, w.setup, w.watch)
	if p.History != nil {
		w.history = history.New(history.Params{
			Texts: w.c, Store: p.History, Window: w.win, Now: p.Now, Do: p.Do, Go: p.Go, After: p.After, Pace: p.Pace,
			Watch: func() { w.frame.Show(w.watch.Key()) },
			Judge: w.judgeLog(), Verdicts: w.listVerdicts, Differences: w.differLogs(), Import: w.importLog(), Report: w.reportLog(),
		})
		places = append(places, w.history)
	}
	if p.Places != nil {
		places = append(places, p.Places(w)...)
	}
	places = append(places, prefs.New(prefs.Params{
		Texts: w.c, Settings: p.Settings, Changed: w.settingsChanged,
		Home: p.Home, Version: p.Version, Diagnostics: w.diagnostics, More: w.alertSettings(),
	}))
	w.frame = frame.New(frame.Params{
		Window: w.win, Texts: w.c, Model: w, Places: places, Low: 1, First: w.home.Key(),
		Money: w.money, OnAlerts: w.openAlerts, OnCost: w.openCosts,
		OnLang: w.setLang, OnTheme: w.flipTheme,
	})
	w.win.Canvas().AddShortcut(&fyne.ShortcutPaste{}, func(s fyne.Shortcut) {
		if p, ok := s.(*fyne.ShortcutPaste); ok && w.page != nil && w.win.Canvas().Overlays().Top() == nil {
			w.page.Paste(p.Clipboard)
		}
	})
	w.win.Canvas().SetOnTypedRune(func(r rune) {
		if w.page != nil && w.win.Canvas().Overlays().Top() == nil {
			w.page.Type(r)
		}
	})
	w.win.SetOnDropped(func(_ fyne.Position, files []fyne.URI) { w.Dropped(files) })
	w.win.SetContent(w.frame.Content())
	size := fyne.NewSize(1280, 800)
	if s := p.Settings.Window; s.Width >= frame.MinWidth && s.Height >= frame.MinHeight {
		size = fyne.NewSize(s.Width, s.Height)
	}
	w.win.Resize(size)
	w.win.SetCloseIntercept(w.quit)
	p.App.Lifecycle().SetOnEnteredForeground(w.Reread)
	return w
}

// Fyne returns the window for what needs one: dialogs, places.
func (w *Window) Fyne() fyne.Window { return w.win }

// Texts returns the catalogue of the language of now.
func (w *Window) Texts() *texts.Catalogue { return w.c }

// Book returns the hosts.
func (w *Window) Book() *hosts.Book { return w.book }

// Desk returns the plans, nil where none can be kept.
func (w *Window) Desk() *desk.Desk { return w.desk }

// Guide returns the board of a host, "" that of outputs without any.
func (w *Window) Guide(host string) setup.Board { return w.guides.board(host) }

// Setup returns the Set up place.
func (w *Window) Setup() *setup.Place { return w.setup }

// Bill returns the Bill place, nil where no plans can be kept.
func (w *Window) Bill() *bill.Place { return w.bill }

// Frame returns the frame.
func (w *Window) Frame() *frame.Frame { return w.frame }

// Open reads the saved hosts and opens the demo or the first-run page where
// they are due. An error of the store is returned; the window works without it.
func (w *Window) Open(ctx context.Context) error {
	err := w.book.Load(ctx)
	if w.desk != nil {
		err = errors.Join(err, w.desk.Load(ctx))
	}
	if w.p.Demo {
		w.openDemo(true)
	} else if len(w.book.Hosts()) == 0 {
		// The demo runs behind the first page, so that its door opens at once.
		w.openDemo(false)
		if w.desk != nil && w.desk.Kept() {
			w.frame.Show(w.plan.Key()) // who plans without an instance goes on there
		} else {
			w.welcome(nil)
		}
	}
	w.refresh()
	return err
}

// Start opens the window's content and begins to look for changes.
func (w *Window) Start(ctx context.Context) error {
	err := w.Open(ctx)
	ctx, w.loads = context.WithCancel(ctx)
	w.done.Go(func() { w.loadSense(ctx) })
	w.done.Go(w.loop)
	w.done.Go(w.remind)
	return err
}

// Close ends every connection and log; from any goroutine. It must be called
// before the event loop ends.
func (w *Window) Close() {
	w.mu.Lock()
	if w.closing {
		w.mu.Unlock()
		return
	}
	w.closing = true
	var open []connect.Tunnel
	for _, ts := range w.tunnels {
		open = append(open, ts...)
	}
	w.mu.Unlock()
	if w.unhear != nil {
		w.unhear()
	}
	if w.loads != nil {
		w.loads()
	}
	close(w.stop)
	w.done.Wait()
	w.saver.wait()
	if w.desk != nil {
		w.desk.Close()
	}
	w.guides.close()
	for _, t := range open {
		t.Close()
	}
	w.book.Close()
	w.sense.Close()
}

// quit keeps the window's size, ends the connections off the UI thread, so
// that the window never hangs, and closes it then.
func (w *Window) quit() {
	size := w.win.Canvas().Size()
	w.p.Settings.Window = settings.Window{Width: size.Width, Height: size.Height}
	save := w.saver.save(w.p.Settings)
	w.win.Hide()
	go func() {
		_ = save() // the size of a window is not worth a word
		w.Close()
		w.p.Do(w.win.Close)
	}()
}

// Raise brings the window to the front; from any goroutine.
func (w *Window) Raise() { w.p.Do(w.win.RequestFocus) }

// demoHost is the demo as a host.
func (w *Window) demoHost() hosts.Saved {
	return hosts.Saved{ID: demo.ID, Name: w.c.T("hosts.demo.name"), Line: hosts.LineDemo}
}

// openDemo runs the demo host, and shows it where asked.
func (w *Window) openDemo(show bool) {
	h, err := w.book.Add(context.Background(), w.demoHost())
	if err != nil {
		w.say(w.c.T("window.host.unsaved"), err.Error())
		return
	}
	if !h.Connected() {
		h.Connect()
	}
	if show {
		w.book.Choose(h.ID)
		w.uncover()
	}
}
