// Package desk holds the plans of the user and the one that is open. Plan and
// Bill both work on it: what one changes the other shows, an undo of one is an
// undo of both, and every change is saved without holding up the window.
package desk

import (
	"context"
	"time"

	"rentgen/app/advice"
	"rentgen/app/bill/sheet"
	"rentgen/app/plan"
)

// Record is a plan as it is kept.
type Record struct {
	ID       string
	Name     string
	Body     []byte // what Params.Encode made of the plan
	Position int    // in the list
	Updated  time.Time
}

// Store keeps plans. Its methods are called off the UI thread, but for Plans,
// which Load calls where it is called.
type Store interface {
	Plans(ctx context.Context) ([]Record, error)
	SavePlan(ctx context.Context, r Record) error
	DeletePlan(ctx context.Context, id string) error
}

// Params say what a desk works with.
type Params struct {
	Store Store
	// Evaluate says what a plan comes to, without IO. It must not change the plan.
	Evaluate func(p plan.Plan) plan.Result
	// Encode and Decode are the form in which plans are kept.
	Encode func(p plan.Plan) ([]byte, error)
	Decode func(b []byte) (plan.Plan, error)
	// Chances draws the bills of a plan and what it comes to; progress is told how
	// many draws are done. nil: there are no chances.
	Chances func(ctx context.Context, p plan.Plan, r plan.Result, draws int, progress func(done int)) (sheet.Chance, error)
	// Advise gives the advice of a result once its chances are known; nil leaves
	// it as Evaluate has it.
	Advise func(p plan.Plan, r plan.Result, ch *sheet.Chance) advice.Advice
	// First returns the plan that a first start has, named in the user's language.
	First func() plan.Plan
	Now   func() time.Time
	// Go runs slow work, Do brings its result to the UI thread.
	Go func(f func())
	Do func(f func())
}

// Info is a line of the list of plans.
type Info struct {
	ID, Name string
	Open     bool
	Updated  time.Time
}

const (
	// draws is how many draws stand behind a chance.
	draws = 100_000
	// typingPause ends a run of typing: what comes later is undone by itself.
	typingPause = 2 * time.Second
	// mostSteps is how far undo goes back.
	mostSteps = 200
	// mostName is the longest name of a plan in characters.
	mostName = 80
	// slow is an evaluation that typing would feel; the next one leaves the UI
	// thread.
	slow = 40 * time.Millisecond
)
