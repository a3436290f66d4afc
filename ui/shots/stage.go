// Package shots sets the window's scenes: every place in every state, with the
// demo's made-up readings. Tests look at them, and make shots paints them.
package shots

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/storage"
	"fyne.io/fyne/v2/test"

	"rentgen/app/guide"
	"rentgen/app/plan"
	"rentgen/app/settings"
	"rentgen/assets/texts"
	"rentgen/probe"
	"rentgen/probe/demo"
	"rentgen/probe/stream"
	"rentgen/store"
	"rentgen/ui"
	"rentgen/ui/chart"
	"rentgen/ui/desk"
	"rentgen/ui/desk/desktest"
	"rentgen/ui/history"
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
	// History is what the History place reads; nil is an empty one.
	History history.Store
	// Plans are kept before the window opens.
	Plans []plan.Plan
	// Guide keeps what Set up finds; nil forgets it.
	Guide guide.Store
	// Go runs what takes its time; nil runs it at once.
	Go func(f func())
	// Places are further places of the rail.
	Places func(w *ui.Window) []ui.Place
}

// Stage is a window with hosts that exist only in memory. Everything happens
// on the test's goroutine.
type Stage struct {
	T     testing.TB
	Win   *ui.Window
	Store *hoststest.Store
	Plans *desktest.Store
	// Aside sends what takes its time to goroutines from now on.
	Aside bool
	// Runner answers what Set up runs; nil: nothing comes back.
	Runner   func(ctx context.Context, e guide.Exec) (guide.Output, error)
	Opener   *hoststest.Opener
	Settings *settings.Settings
	App      fyne.App
	Time     time.Time
}

// noHistory is a history in which nothing was kept yet.
type noHistory struct{ history.Store }

func (noHistory) Recordings(context.Context, store.Filter) ([]store.Recording, error) {
	return nil, nil
}
func (noHistory) Damaged() *store.Damage { return nil }

func (noHistory) Retention(context.Context) (store.Retention, error) { return store.Retention{}, nil }
func (noHistory) Size(context.Context) (store.Size, error)           { return store.Size{}, nil }

func (noHistory) Cost(context.Context, store.Retention) (store.Cost, error) { return store.Cost{}, nil }

// Keep returns a history on disk with three logs of the demo's readings.
func Keep(t testing.TB) history.Store {
	t.Helper()
	st, err := store.Open(t.Context(), store.Params{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	for i, past := range []time.Duration{50 * time.Hour, 26 * time.Hour, 45 * time.Minute} {
		r, err := st.StartRecording(t.Context(), store.RecordingStart{HostID: "box", HostName: "AutoDL 4090", Source: probe.SourceAgent})
		if err != nil {
			t.Fatal(err)
		}
		from := Now.Add(-past)
		demo.History(demo.Params{Cards: 1, Seed: uint64(i + 1), Start: from}, from, from.Add(40*time.Minute), time.Second, r.Message)
		if err := r.Close("asked"); err != nil {
			t.Fatal(err)
		}
	}
	return st
}

// New opens a window.
func New(t testing.TB, o Options) *Stage {
	t.Helper()
	s := &Stage{
		T: t, Store: &hoststest.Store{}, Plans: &desktest.Store{}, Opener: &hoststest.Opener{},
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
	for i, p := range o.Plans {
		b, err := plan.Write(p)
		if err != nil {
			t.Fatal(err)
		}
		r := desk.Record{ID: p.Name, Name: p.Name, Body: b, Position: i, Updated: Now.Add(-time.Duration(i) * time.Hour)}
		if err := s.Plans.SavePlan(context.Background(), r); err != nil {
			t.Fatal(err)
		}
	}
	if o.History == nil {
		o.History = noHistory{}
	}
	do := func(f func()) { f() }
	if o.Go == nil {
		o.Go = func(f func()) {
			if s.Aside {
				go f()
			} else {
				f()
			}
		}
	}
	logs, _ := o.History.(ui.LogStore) // a history on disk can be read as a whole
	s.Win = ui.New(ui.Params{
		App: s.App, Settings: s.Settings, Store: s.Store, Opener: s.Opener, Demo: o.Demo,
		Home: "~/.config/rentgen", Version: "0.1.0", System: texts.English, Places: o.Places,
		Now: func() time.Time { return s.Time }, Do: do, History: o.History, Logs: logs, Plans: s.Plans,
		Runner: s.runner, Guide: o.Guide, Go: o.Go, After: func(time.Duration, func()) {},
		Pace: chart.Pace{After: func(_ time.Duration, f func()) { f() }, Do: do, Now: func() time.Time { return s.Time }},
	})
	t.Cleanup(s.Win.Close)
	if err := s.Win.Open(context.Background()); err != nil {
		t.Fatal(err)
	}
	if s.Win.Frame().Shown() == "home" {
		s.Win.Frame().Show("watch") // scenes begin where the readings are
	}
	if o.Size.Width > 0 {
		s.Win.Fyne().Resize(o.Size)
	}
	return s
}

// runner answers for a host that gives readings.
func (s *Stage) runner(id string) guide.Runner {
	if h := s.Win.Book().Get(id); h == nil || h.State().Phase != stream.Live {
		return nil
	}
	return runner(func(ctx context.Context, e guide.Exec) (guide.Output, error) {
		if s.Runner == nil {
			return guide.Output{}, guide.ErrOffline
		}
		return s.Runner(ctx, e)
	})
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
		s.Win.Hear(h, m)
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

// Drop drops a file of a name and content on the window.
func (s *Stage) Drop(name, content string) {
	s.T.Helper()
	file := filepath.Join(s.T.TempDir(), name)
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		s.T.Fatal(err)
	}
	s.Win.Dropped([]fyne.URI{storage.NewFileURI(file)})
}

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
