// Package life holds the pages of Set up about what becomes of the user's files:
// what survives which event, the end of a day, release, a move to another machine.
package life

import (
	"rentgen/app/guide/keep"
	"rentgen/ui/setup"
)

// The keys of the pages.
const PageSurvival = "survival"

// Params say what the pages work with beside what Set up gives them.
type Params struct{}

// Pages returns the pages. What was seen of a host stays while another page is
// open.
func Pages(Params) []setup.Page {
	views := make(map[string]*view)
	return []setup.Page{
		{Key: PageSurvival, Title: "setup.page.survival", Make: func(h *setup.Here) setup.Body {
			id := h.Host().ID
			if views[id] == nil {
				views[id] = &view{}
			}
			return newSurvival(h, views[id])
		}},
	}
}

// view is what was seen of a host's directories; UI thread.
type view struct {
	survey *keep.Survey
	busy   bool
	failed string
	asked  bool // it was looked by itself once
	open   string
	seen   *survival
	change int
}

func (v *view) update() {
	v.change++
	if v.seen != nil {
		v.seen.Sync()
	}
}
