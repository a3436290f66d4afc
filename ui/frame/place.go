// Package frame is what stands round every place of the window: the rail of
// places, the bar that names the chosen host and how it is, and the keys that
// work everywhere.
package frame

import (
	"fyne.io/fyne/v2"

	"rentgen/app/purse"
	"rentgen/assets/texts"
	"rentgen/ui/widgets"
)

// Place is one page of the window. Its name in the rail is the text
// "place.<key>", its explanation "place.<key>.help". All methods are called on
// the UI thread.
type Place interface {
	Key() string
	Icon() fyne.Resource
	// Content returns the page; always the same object between two Retext.
	Content() fyne.CanvasObject
	// Shown and Hidden say when the place comes to be seen and stops; only a
	// seen place draws.
	Shown()
	Hidden()
	// Retext makes the place speak another language; Content may change.
	Retext(c *texts.Catalogue)
}

// Action is something that can be done about a state.
type Action struct {
	Label string
	Do    func()
}

// Status is how the chosen host is, in words.
type Status struct {
	State widgets.State
	Words string // "live", "connecting: checking the login"
	// Sentence and Next open on a click: what is so, and what to do.
	Sentence, Next string
	Said           string   // what the host said last
	Notes          []string // what was worth saying on the way
	Actions        []Action
	// Record is "" while nothing is kept, otherwise the words of the mark.
	Record string
}

// Host is one line of the menu of hosts.
type Host struct {
	ID, Name string
	Status   Status
}

// Model is what the bar shows and what it can ask for. Its methods are called
// on the UI thread.
type Model interface {
	Hosts() []Host
	Chosen() string // ID, "" for none
	Choose(id string)
	Add()
}

// Money is what the bar says of cost and alerts.
type Money struct {
	// Running sums up all running hosts, one of each currency.
	Running []purse.Running
	// Chosen is the meter of the chosen host; Known is false where there is none.
	Chosen purse.Glance
	Known  bool
	// Alerts is how many hold that nobody has seen.
	Alerts int
}
