// Package shots sets the window's scenes: every place in every state, with the
// demo's made-up readings. Tests look at them, and make shots paints them.
package shots

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"rentgen/app/settings"
	"rentgen/assets/texts"
	"rentgen/probe"
	"rentgen/probe/demo"
	"rentgen/probe/stream"
	"rentgen/ui"
	"rentgen/ui/chart"
	"rentgen/ui/hosts"
	"rentgen/ui/hosts/hoststest"
)

// Now is the moment at which every scene stands.
var Now = time.Date(2026, 11, 29, 10, 57, 30, 0, time.UTC)

// Options say how a stage looks.
type Options struct {
	Lang  texts.Lang
	Theme string // "light" or "dark"
	Size  fyne.Size
	Scale float64 // of the font; 0 is 1
	// Hosts are saved before the window opens.
	Hosts []hosts.Saved
	Demo  bool
	// Places are further places of the rail.
	Places func(w *ui.Window) []ui.Place
}

// Stage is a window with hosts that exist only in memory. Everything happens
// on the test's goroutine.
type Stage struct {
	T        testing.TB
	Win      *ui.Window
	Store    *hoststest.Store
	Opener   *hoststest.Opener
	Settings *settings.Settings
	App      fyne.App
	Time     time.Time

	later atomic.Bool
	queue chan func()
}

// Wait does act, whose work comes back from other goroutines, and serves the UI
// thread until done.
func (s *Stage) Wait(act func(), done func() bool) {
	s.T.Helper()
	s.later.Store(true)
	defer s.later.Store(false)
	act()
	deadline := time.After(20 * time.Second)
	for !done() {
		select {
		case f := <-s.queue:
			f()
		case <-deadline:
			s.T.Fatal("it did not come to an end")
		}
	}
}

// New opens a window.
func New(t testing.TB, o Options) *Stage {
	t.Helper()
	s := &Stage{
		queue: make(chan func(), 64),
		T:     t, Store: &hoststest.Store{}, Opener: &hoststest.Opener{},
		Settings: settings.Default(t.TempDir() + "/settings.json"), Time: Now,
	}
	s.App = test.NewTempApp(t)
	s.Settings.Lang, s.Settings.Theme = string(o.Lang), o.Theme
	if o.Scale != 0 {
		s.Settings.FontScale = o.Scale
	}
	for _, h := range o.Hosts {
		if err := s.Store.SaveHost(context.Background(), h); err != nil {
			t.Fatal(err)
		}
	}
	do := func(f func()) {
		if s.later.Load() {
			s.queue <- f
			return
		}
		f()
	}
	s.Win = ui.New(ui.Params{
		App: s.App, Settings: s.Settings, Store: s.Store, Opener: s.Opener, Demo: o.Demo,
		Home: "~/.config/rentgen", Version: "0.1.0", System: texts.English, Places: o.Places,
		Now: func() time.Time { return s.Time }, Do: do,
		Pace: chart.Pace{After: func(_ time.Duration, f func()) { f() }, Do: do, Now: func() time.Time { return s.Time }},
	})
	t.Cleanup(s.Win.Close)
	if err := s.Win.Open(context.Background()); err != nil {
		t.Fatal(err)
	}
	if o.Size.Width > 0 {
		s.Win.Fyne().Resize(o.Size)
	}
	return s
}

// Canvas returns the window's canvas.
func (s *Stage) Canvas() fyne.Canvas { return s.Win.Fyne().Canvas() }

// Host returns a host by its id.
func (s *Stage) Host(id string) *hosts.Host {
	h := s.Win.Book().Get(id)
	if h == nil {
		s.T.Fatalf("no host %q", id)
	}
	return h
}

// LiveState is the state of a host that gives readings through our program.
func LiveState() stream.State {
	return stream.State{
		Phase: stream.Live, Source: probe.SourceAgent, Mode: probe.ModeGPU, Rate: 1,
		LastTick: Now, Since: Now.Add(-40 * time.Minute), RTT: 38 * time.Millisecond,
	}
}

// Feed connects a host and gives it the demo's past up to Now.
func (s *Stage) Feed(id string, p demo.Params, past time.Duration, change func(m probe.Message) probe.Message) {
	h := s.Host(id)
	if !h.Connected() {
		h.Connect()
	}
	p.Start = Now.Add(-past)
	s.Opener.Stream(id).Say(LiveState())
	var last *probe.Sample
	var inv *probe.Inventory
	demo.History(p, Now.Add(-past), Now, time.Second, func(m probe.Message) {
		if change != nil {
			if m = change(m); m == nil {
				return
			}
		}
		switch m := m.(type) {
		case *probe.Inventory:
			inv = m
		case *probe.Sample:
			last = m
		}
		h.Live().Message(m)
	})
	// The log opens with a reading that comes through the connection.
	for _, l := range s.Store.Logs() {
		if l.Host == id {
			return
		}
	}
	if inv != nil && last != nil {
		s.logOnly(id, inv, last)
	}
	s.Refresh()
}

// logOnly gives messages to the log alone; the memory has them already.
func (s *Stage) logOnly(id string, ms ...probe.Message) { s.Opener.Stream(id).Sink(ms...) }

// Say sets a host's state.
func (s *Stage) Say(id string, st stream.State) { s.Opener.Stream(id).Say(st) }

// Settle lays everything out again, as the real canvas does before it paints.
func (s *Stage) Settle() {
	c := s.Canvas()
	for range 2 {
		c.Content().Refresh()
		if top := c.Overlays().Top(); top != nil {
			top.Refresh()
		}
	}
}

// Refresh brings what is shown up to date.
func (s *Stage) Refresh() { s.Win.Refresh() }
