// Package setuptest holds a host of Set up in memory, for the tests of its pages.
// Everything happens in the caller's goroutine.
package setuptest

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"rentgen/app/guide"
	"rentgen/app/guide/track"
	"rentgen/app/provider"
	"rentgen/assets/texts"
	"rentgen/ui/setup"
	"rentgen/ui/theme"
	"rentgen/ui/uitest"
)

// Board keeps entries in memory; what else a page asks of it panics.
type Board struct {
	setup.Board
	ID   string // of the provider
	Fail error  // of Put
	List []guide.Entry
	Now  func() time.Time
	// Network is what was found of the network; nothing of the other tracks was.
	Network track.View
}

// Instance implements setup.Board.
func (b *Board) Instance() guide.Run { return guide.Run{Boot: "b1", Instance: "i1"} }

// Track implements setup.Board.
func (b *Board) Track() guide.Track { return guide.Shared }

// View implements setup.Board.
func (b *Board) View(t guide.Track) track.View {
	if t == guide.Network {
		return b.Network
	}
	return track.View{Track: t}
}

// Provider implements setup.Board.
func (b *Board) Provider() string { return b.ID }

// Profile implements setup.Board.
func (b *Board) Profile() provider.Profile {
	p, _ := provider.ProfileOf(b.ID)
	return p
}

// Entries implements setup.Board.
func (b *Board) Entries(kind string) []guide.Entry {
	return slices.DeleteFunc(slices.Clone(b.List), func(e guide.Entry) bool { return e.Kind != kind })
}

// Put implements setup.Board.
func (b *Board) Put(kind, key string, body any) error {
	if b.Fail != nil {
		return b.Fail
	}
	j, err := json.Marshal(body)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(b.List, func(e guide.Entry) bool { return e.Kind == kind && e.Key == key })
	if at < 0 {
		b.List, at = append(b.List, guide.Entry{}), len(b.List)
	}
	b.List[at] = guide.Entry{Kind: kind, Key: key, Time: b.Now(), Body: j}
	return nil
}

// Tick implements setup.Board.
func (b *Board) Tick(item string, done bool, note string, values map[string]string) error {
	return b.Put(guide.KindTick, item, guide.Tick{Item: item, Done: done, Note: note, Values: values, Run: b.Instance()})
}

// Drop implements setup.Board.
func (b *Board) Drop(kind string, keys ...string) error {
	b.List = slices.DeleteFunc(b.List, func(e guide.Entry) bool { return e.Kind == kind && (len(keys) == 0 || slices.Contains(keys, e.Key)) })
	return nil
}

// Stage is a window with a page of Set up in it.
type Stage struct {
	T     testing.TB
	Win   fyne.Window
	C     *texts.Catalogue
	Board *Board
	Here  *setup.Here
	// Runner answers scripts, Forwarder opens ports; nil: not connected.
	Runner    guide.Runner
	Forwarder guide.Forwarder
	Time      time.Time
	Needs     guide.Needs
	Said      []string          // above the page
	Copied    []string          // to the clipboard
	Saved     map[string]string // files by name
	Shown     []string          // pages that were asked for
	Body      setup.Body
}

// New opens a window of the least size.
func New(t testing.TB, l texts.Lang) *Stage {
	t.Helper()
	test.NewTempApp(t).Settings().SetTheme(theme.New(theme.Params{}))
	s := &Stage{T: t, Win: test.NewTempWindow(t, nil), C: texts.For(l), Saved: make(map[string]string), Time: time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)}
	s.Win.Resize(fyne.NewSize(1024, 700))
	s.Board = &Board{ID: "autodl", Now: func() time.Time { return s.Time }}
	at := func(f func()) { f() }
	s.Here = &setup.Here{
		Texts: s.C, Window: s.Win, Board: s.Board, Now: s.Board.Now, Go: at, Do: at,
		Host:   func() setup.Host { return setup.Host{ID: "h1", Name: "mycard", Live: s.Runner != nil} },
		Runner: func() guide.Runner { return s.Runner }, Forwarder: func() guide.Forwarder { return s.Forwarder },
		Needs: func() guide.Needs { return s.Needs },
		Show:  func(page string) { s.Shown = append(s.Shown, page) },
		Copy:  func(text string) { s.Copied = append(s.Copied, text) },
		Save:  func(name string, b []byte) { s.Saved[name] = string(b) },
		Say:   func(_ guide.Verdict, sentence, _ string) { s.Said = append(s.Said, sentence) },
	}
	return s
}

// Open shows a page by its key.
func (s *Stage) Open(pages []setup.Page, key string) {
	s.T.Helper()
	for _, p := range pages {
		if p.Key == key {
			s.Body = p.Make(s.Here)
			s.Win.SetContent(s.Body.Content())
			s.Body.Sync()
			return
		}
	}
	s.T.Fatalf("no page %q", key)
}

// Press taps a button by the key of its text and brings the page up to date.
func (s *Stage) Press(key string, pairs ...any) {
	s.T.Helper()
	uitest.Press(s.T, s.Win.Canvas(), s.C.T(key, pairs...))
	s.Body.Sync()
}

// Words are all that is read on the window, blanks of every width plain.
func (s *Stage) Words() string { return strings.Join(uitest.Texts(s.Win.Canvas()), "\n") }

// Sees fails the test unless a text is read on the window.
func (s *Stage) Sees(text string) {
	s.T.Helper()
	if !strings.Contains(s.Words(), plain(text)) {
		s.T.Errorf("%q is not seen in\n%s", plain(text), s.Words())
	}
}

// Misses fails the test if a text is read on the window.
func (s *Stage) Misses(text string) {
	s.T.Helper()
	if strings.Contains(s.Words(), plain(text)) {
		s.T.Errorf("%q is seen in\n%s", plain(text), s.Words())
	}
}

// Says is a text of the catalogue.
func (s *Stage) Says(key string, pairs ...any) string { return s.C.T(key, pairs...) }

func plain(s string) string {
	return strings.NewReplacer("\u2009", " ", "\u00a0", " ", "\r", "").Replace(s)
}
