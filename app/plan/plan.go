// Package plan holds a plan: the job, how the card is used, the offers and the
// answers, its file form, and the one evaluation that window and command line
// share.
package plan

import (
	"rentgen/app/advice"
	"rentgen/app/bill/offer"
	"rentgen/app/bill/sheet"
	"rentgen/app/money"
	"rentgen/app/workload"
	"rentgen/assets/texts"
)

// Version of the file form.
const Version = 1

// Own is what the user's own time is worth.
type Own struct {
	HourlyRate *money.Rat // nil: own hours are shown as hours
	SetupH     money.Rat  // with a whole machine, once
	WeeklyH    money.Rat  // with a whole machine, every week
}

// Plan is everything a user decided. A zero plan is empty, not invalid.
type Plan struct {
	Name        string
	Currency    money.Currency
	Days        int    // of the bill's span, 30
	Start       string // first day of that span, "2026-12-01"; "" counts months by their usual length
	Job         workload.Job
	Use         workload.Use
	Questions   advice.Questions
	Own         Own
	CrossRegion bool
	SaveEvery   int // pictures between two saved states, 0 or 1: every picture; of a training its steps, 0 or 1: only its end
	Rates       money.Rates
	Measured    []workload.Measured
	Offers      []offer.Offer
	Seed        uint64 // of the draws
}

// Result is what a plan comes to.
type Result struct {
	Fit    workload.Answer
	Hours  []workload.Hours // by offer
	Sheet  sheet.Sheet
	Advice advice.Advice
	Notes  []texts.Phrase // names that the catalogue doesn't know, with those that may be meant
}
