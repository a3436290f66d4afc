// Package handover holds the pages of Set up about what goes on to others: the
// card report, the list of what has to move to the next machine, and the client's
// files.
package handover

import (
	"context"

	"rentgen/app/guide/move"
	"rentgen/app/guide/report"
	"rentgen/app/money"
	"rentgen/assets/texts"
	"rentgen/ui/setup"
)

// The keys of the pages.
const (
	PageCard   = "card"
	PageMove   = "move"
	PageClient = "client"
)

// Params say what the pages work with beside what Set up gives them.
type Params struct {
	// Card makes the card report of a host, with everything hidden that others must
	// not read.
	Card func(host string, l texts.Lang) *report.Card
	// Ask asks for a file; nil shows the system's dialog.
	Ask setup.AskFile
	// Spans are the times that a host was seen to be on; off the UI thread.
	Spans func(ctx context.Context, host string) ([]move.Span, error)
	// Prices are those of a host's provider in the open plan.
	Prices func(host string) Prices
	// Rhythm puts measured days and hours of use into the open plan and reports
	// whether there is one.
	Rhythm func(daysPerWeek, hoursPerSitting float64) bool
}

// Prices are what an hour and a month cost, and the offers that say so; nil is not
// known.
type Prices struct {
	Hourly, Monthly     *money.Amount
	HourlyOf, MonthlyOf string
}

// Pages returns the pages. What was seen of a host stays while another page is
// open, and what was begun goes on.
func Pages(p Params) []setup.Page {
	moves := make(map[string]*moving)
	jobs := make(map[string]*job)
	return []setup.Page{
		{Key: PageCard, Title: "setup.page.card", Make: func(h *setup.Here) setup.Body { return newCard(p, h) }},
		{Key: PageMove, Title: "setup.page.move", Make: func(h *setup.Here) setup.Body { return newMover(p, h, of(moves, h.Host().ID)) }},
		{Key: PageClient, Title: "setup.page.client", Make: func(h *setup.Here) setup.Body { return newClient(h, of(jobs, h.Host().ID)) }},
	}
}

// of is what is known of a host, made at need.
func of[T any](all map[string]*T, id string) *T {
	if all[id] == nil {
		all[id] = new(T)
	}
	return all[id]
}

// listed puts names together to a list in a sentence.
func listed(c *texts.Catalogue, names []string) string {
	text := ""
	for i, n := range names {
		if i == 0 {
			text = n
			continue
		}
		text = c.T("handover.list", "a", text, "b", n)
	}
	return text
}
