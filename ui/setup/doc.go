// Package setup is the place Set up: what an instance was found to be, item by
// item, with what to do about it, and the pages for the rest of its life.
//
// The place draws one board, that of the chosen host. Its page of items and the
// report are here; other pages are registered in Params.Pages.
package setup

import (
	"context"
	"time"

	"fyne.io/fyne/v2"

	"rentgen/app/guide"
	"rentgen/app/guide/track"
	"rentgen/app/provider"
	"rentgen/assets/texts"
)

// Board is what is kept and run for one host; *board.Board is one. Its methods
// may be called from any goroutine.
type Board interface {
	View(t guide.Track) track.View
	Track() guide.Track
	SetTrack(t guide.Track)
	Provider() string
	SetProvider(id string)
	Profile() provider.Profile
	Values() Values
	SetValue(name, value string) error
	Run(s Scope, l guide.Level) error
	// Estimate says what a run would do and take.
	Estimate(s Scope, l guide.Level) (track.LevelView, error)
	Resume() error
	// Look asks the instance which run it is in.
	Look(ctx context.Context) error
	Stop()
	Paste(in guide.Input) guide.Record
	Edit(id guide.CheckID, command string)
	Skip(on, reason string) error
	Unskip(on string)
	Tick(item string, done bool, note string, values map[string]string) error
	Entries(kind string) []guide.Entry
	Put(kind, key string, body any) error
	Drop(kind string, keys ...string) error
	Instance() guide.Run
	Fault() error
	Retry()
}

// Host is the chosen instance as the place needs it.
type Host struct {
	ID, Name string
	Demo     bool
	Live     bool   // connected: what is asked for can run
	Busy     bool   // on the way to be
	Words    string // how it is: "not connected", "connecting: checking the login"
	Next     string // what to do about it, "" for nothing
	Connect  func()
}

// Choice is something to choose by its name.
type Choice struct{ ID, Name string }

// Format is a form of the report.
type Format string

// The forms of the report.
const (
	Markdown Format = "md"
	HTML     Format = "html"
	JSON     Format = "json"
	PNG      Format = "png"
)

// Params say what the place works with.
type Params struct {
	Texts  *texts.Catalogue
	Window fyne.Window
	// Host is the chosen instance; ok is false while there is none.
	Host func() (h Host, ok bool)
	// Board returns the board of a host, always the same one; "" is that of
	// outputs which are pasted without any instance. It tells of changes through
	// Place.Changed.
	Board func(host string) Board
	// Runner runs scripts on a host, nil while it isn't connected; Forwarder opens
	// ports there, nil likewise.
	Runner    func(host string) guide.Runner
	Forwarder func(host string) guide.Forwarder
	// Providers are the profiles to choose from, in the language of c.
	Providers func(c *texts.Catalogue) []Choice
	// Needs is what the user's job asks of an instance.
	Needs func() guide.Needs
	// Fixes are what can be done about an outcome by us.
	Fixes func(o guide.Outcome, p provider.Profile, v Values) []Fix
	// Message is what the provider is asked for a check, with its evidence; nil for
	// none.
	Message func(v track.View, cv track.CheckView, l texts.Lang) string
	// Report writes the report of a host's tracks.
	Report func(ctx context.Context, host string, f Format, l texts.Lang, redact bool) ([]byte, error)
	// Pages are further pages, in the order of the strip, behind the items and
	// before the report.
	Pages []Page
	// Add opens the page that adds a host, Open another place by its key.
	Add  func()
	Open func(place string)
	// Copy puts a text on the clipboard; Save asks where to write b, and writes it.
	Copy func(text string)
	Save func(name string, b []byte)
	Now  func() time.Time
	// Go runs slow work, Do brings its result to the UI thread; nil takes a
	// goroutine and fyne.Do.
	Go func(f func())
	Do func(f func())
}

// Page is a page of the place: what survives, the end of a day, the report.
type Page struct {
	// Key names it: "survival". An item's Page and Here.Show lead to it.
	Key string
	// Title is the key of its name in the strip.
	Title string
	// Make builds it when it is first opened, and anew in another language or for
	// another host.
	Make func(h *Here) Body
}

// Body is a page that was made. Its methods belong to the UI thread.
type Body interface {
	Content() fyne.CanvasObject
	// Sync brings it up to date; it is called when the page is opened and after
	// every change while it is seen.
	Sync()
	// Leave says that it isn't seen any more.
	Leave()
}

// Here is where a page stands: the host, its board and what the window offers.
type Here struct {
	Texts  *texts.Catalogue
	Window fyne.Window
	Host   func() Host // as it is now
	Board  Board
	// Runner and Forwarder are nil while the host isn't connected.
	Runner    func() guide.Runner
	Forwarder func() guide.Forwarder
	Needs     func() guide.Needs
	// Show opens a page by its key, or another place: "bill".
	Show func(page string)
	Copy func(text string)
	Save func(name string, b []byte)
	// Say shows a sentence above the page until the next one: what was done or
	// why it could not be.
	Say func(v guide.Verdict, sentence, raw string)
	Now func() time.Time
	Go  func(f func())
	Do  func(f func())
}
