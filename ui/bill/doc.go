// Package bill is the Bill place: the offers of the desk's open plan side by
// side, line by line, with what each figure comes from, beside pictures of what
// would turn the answer. It works on the open plan, as Plan does.
package bill

import (
	"io"
	"time"

	"fyne.io/fyne/v2"

	"rentgen/app/bill/offer"
	"rentgen/app/bill/sheet"
	"rentgen/app/money"
	core "rentgen/app/plan"
	"rentgen/assets/texts"
	"rentgen/ui/desk"
	"rentgen/ui/measuring"
)

// Params say what the place works with.
type Params struct {
	Texts  *texts.Catalogue
	Desk   *desk.Desk
	Window fyne.Window
	// Cards returns the names of the cards that can be chosen.
	Cards func() []string
	// Examples returns offers that are marked as examples and the made-up rates
	// that join their currencies; nil offers none.
	Examples func() ([]offer.Offer, money.Rates)
	// Curves returns the cost of each offer by rented hours a month, and where
	// one overtakes another. It runs off the UI thread; nil draws no curves.
	Curves func(p core.Plan, r core.Result, maxHours float64, points int) ([]sheet.Curve, []sheet.Crossing)
	// Measured is what was measured on hosts; nil offers none of it.
	Measured *measuring.Model
	// Plan opens the Plan; nil offers no way there.
	Plan func()
	// Pick asks for a file of one of the extensions, Ask for where to write one;
	// nil shows the dialogs of the system.
	Pick func(exts []string, open func(name string, r io.ReadCloser, err error))
	Ask  func(name string, write func(out io.WriteCloser, drop func()))
	Now  func() time.Time
	// Go runs slow work, Do brings its result to the UI thread; nil takes a
	// goroutine and fyne.Do.
	Go func(f func())
	Do func(f func())
}
