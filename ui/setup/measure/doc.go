// Package measure holds the pages of Set up that take their time: the reading
// for other tenants, and the times of the first pictures.
package measure

import (
	"context"
	"time"

	"rentgen/app/guide"
	"rentgen/app/guide/ledger"
	"rentgen/app/workload"
	"rentgen/ui/chart"
	"rentgen/ui/setup"
)

// The keys of the pages.
const (
	PageTenants  = "tenants"
	PagePictures = "pictures"
)

// Params say what the pages work with beside what Set up gives them.
type Params struct {
	Pace chart.Pace
	// Web reaches the program that paints on the connected host; close ends it.
	Web func(ctx context.Context, fw guide.Forwarder) (w ledger.Web, closed func(), err error)
	// Peak is what Watch still knows of a host's cards in a span.
	Peak func(host string, from, to time.Time) ledger.Peak
	// Card is the host's card as the catalogue names it, "" where it isn't known.
	Card func(host string) string
	// Job is the key of the plan's job, "" without one.
	Job func() string
	// Take puts what was measured into the plan.
	Take func(m workload.Measured)
	// Cost says what a duration costs on the instance, "" where no price is known.
	Cost func(d time.Duration) string
}

// Pages returns the pages. Readings under way go on while another page is seen.
func Pages(p Params) []setup.Page {
	looks := make(map[string]*look)
	runs := make(map[string]*times)
	return []setup.Page{
		{Key: PageTenants, Title: "setup.page.tenants", Make: func(h *setup.Here) setup.Body {
			id := h.Host().ID
			if looks[id] == nil {
				looks[id] = &look{}
			}
			return newTenants(p, h, looks[id])
		}},
		{Key: PagePictures, Title: "setup.page.pictures", Make: func(h *setup.Here) setup.Body {
			id := h.Host().ID
			if runs[id] == nil {
				runs[id] = &times{}
			}
			return newPictures(p, h, runs[id])
		}},
	}
}
