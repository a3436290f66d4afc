// Package way holds the page of Set up that leads the browser to the programs of
// an instance, and looks at its ports from outside.
package way

import (
	"context"

	"rentgen/app/guide"
	"rentgen/app/guide/open"
	"rentgen/ui/setup"
)

// PageOpen is the key of the page.
const PageOpen = "open"

// Params say what the page works with beside what Set up gives it.
type Params struct {
	// Browse opens an address in the user's browser.
	Browse func(url string) error
	// Address is the host of a host's login, "" where it has none.
	Address func(host string) string
	// Keep takes what a test of the way came to.
	Keep func(host string, r guide.Record)
	// Probe looks from outside; nil is the real one.
	Probe func(ctx context.Context, p open.ProbeParams) ([]open.Seen, error)
}

// Pages returns the page. Ways stay open while another page is seen.
func Pages(p Params) []setup.Page {
	doors := make(map[string]*doors)
	return []setup.Page{{Key: PageOpen, Title: "setup.page.open", Make: func(h *setup.Here) setup.Body {
		id := h.Host().ID
		if doors[id] == nil {
			doors[id] = newDoors()
		}
		return newPage(p, h, doors[id])
	}}}
}
