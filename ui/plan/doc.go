// Package plan is the Plan place: the painting job and how the card is used at
// the left, what it needs and an advice at the right. It works on the desk's
// open plan, as Bill does.
package plan

import (
	"context"
	"io"
	"time"

	"fyne.io/fyne/v2"

	core "rentgen/app/plan"
	"rentgen/app/workload"
	"rentgen/assets/texts"
	"rentgen/ui/desk"
	"rentgen/ui/measuring"
)

// Model is a model that can be chosen.
type Model struct {
	ID, Name, Family string
	Kinds            []workload.Kind // of jobs it can do, the usual first; empty: unknown
	Quants           []string        // precisions it exists in; empty: any
	Thin             bool            // few measured rows stand behind its figures
}

// Problem is a field that can't hold what it holds. Field is named as in a plan
// file: "job.width".
type Problem struct {
	Field, Value string
	Allowed      texts.Phrase
}

// Item is something that was found in a workflow.
type Item struct {
	Field string // of the job: "width"; or what stands in the file
	Value string
	From  string // where it stood
	// Why says how it was taken, or why it was not understood.
	Why texts.Phrase
}

// Found is what a workflow says of a job.
type Found struct {
	Job                workload.Job
	Understood, Missed []Item
	Program            string
}

// Params say what the place works with.
type Params struct {
	Texts  *texts.Catalogue
	Desk   *desk.Desk
	Window fyne.Window
	// Models returns those that can be chosen; it is asked once, when the page is
	// first seen.
	Models func() []Model
	// Check returns what is wrong with a plan.
	Check func(p core.Plan) []Problem
	// Key names a job for what was measured of it, as workload.Measured.Job does.
	Key func(j workload.Job) string
	// ReadFile reads a workflow, a picture that carries one, or parameters.
	ReadFile func(name string, b []byte) (Found, error)
	// Say says an error in the user's language; nil takes the error's own words.
	Say func(c *texts.Catalogue, err error) string
	// Running reads the job of the program that runs on the chosen host.
	Running func(ctx context.Context) (Found, error)
	// Host names the chosen host; ok is false while none is connected.
	Host func() (name string, ok bool)
	// Pick asks for a file; nil shows the dialog of the system.
	Pick func(open func(name string, r io.ReadCloser, err error))
	// Measured is what was measured on hosts; nil offers none of it.
	Measured *measuring.Model
	// Bill opens the Bill; offer and line are what it is to show, "" for all.
	Bill func(offer, line string)
	Now  func() time.Time
	// Go runs slow work, Do brings its result to the UI thread; nil takes a
	// goroutine and fyne.Do.
	Go func(f func())
	Do func(f func())
}

// mostFile is the largest file that is read as a workflow, in bytes.
const mostFile = 64 << 20
