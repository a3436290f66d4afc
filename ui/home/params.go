package home

import (
	"time"

	"fyne.io/fyne/v2"

	"rentgen/app/purse"
	"rentgen/assets/texts"
	"rentgen/ui/chart"
	"rentgen/ui/hosts"
)

// Actions are what the place asks the window to do.
type Actions struct {
	Add    func()                   // a host is to be added
	Choose func(id string)          // another host is to be the chosen one
	Demo   func()                   // shows the demo host; nil hides the offer
	Watch  func()                   // opens Watch
	Setup  func()                   // opens Set up
	Plan   func()                   // opens Plan, nil where there is none
	Bill   func()                   // opens Bill, nil where there is none
	Costs  func()                   // opens all costs of the chosen host; nil hides the button
	Alerts func()                   // opens the list of all alerts
	Alert  func(a purse.Alert)      // opens what an alert is about; nil leaves them plain
	Jump   func(from, to time.Time) // shows a span of the chosen host in Watch or History
	Copy   func(text string)        // puts a text on the clipboard
}

// Params say what the place works with.
type Params struct {
	Texts   *texts.Catalogue
	Book    *hosts.Book
	Model   Model
	Actions Actions
	Window  fyne.Window
	Now     func() time.Time
	// Do runs f on the UI thread; nil takes fyne.Do. Go runs what takes its
	// time; nil takes a goroutine. Pace is how sparks wait.
	Do   func(f func())
	Go   func(f func())
	Pace chart.Pace
}
