// Package life holds the pages of Set up about what becomes of the user's files:
// what survives which event, begin and end of a day, and release.
package life

import (
	"context"
	"net/http"

	"rentgen/app/guide"
	"rentgen/app/guide/day"
	"rentgen/app/guide/keep"
	"rentgen/ui/setup"
)

// The keys of the pages.
const (
	PageSurvival = "survival"
	PageDay      = "day"
	PageRelease  = "release"
)

// Params say what the pages work with beside what Set up gives them.
type Params struct {
	// Dial connects to a host and returns when it let us in, or why not. Fatal
	// says of such an error that no later try will mend it.
	Dial  func(ctx context.Context, host string) error
	Fatal func(err error) bool
	// Ring tells the user beside the window that something is ready.
	Ring func(text string)
	// Waits takes what the waits for the card of a host came to into the plan, and
	// reports whether an offer of its provider is there to take it.
	Waits func(host string, s day.WaitStats) bool
	// Folder asks for a folder on this computer; "" is never given.
	Folder func(chosen func(path string))
	// Client asks the program that paints over HTTP at a base address.
	Client func(ctx context.Context, fw guide.Forwarder) (c *http.Client, base string, closed func(), err error)
}

// Pages returns the pages. What was seen of a host stays while another page is
// open, and what was begun goes on.
func Pages(p Params) []setup.Page {
	views := make(map[string]*view)
	of := func(h *setup.Here) *view {
		id := h.Host().ID
		if views[id] == nil {
			v := &view{}
			v.task.Changed = v.update
			v.wait.task.Changed = v.update
			views[id] = v
		}
		return views[id]
	}
	return []setup.Page{
		{Key: PageSurvival, Title: "setup.page.survival", Make: func(h *setup.Here) setup.Body { return newSurvival(h, of(h)) }},
		{Key: PageDay, Title: "setup.page.day", Make: func(h *setup.Here) setup.Body { return newToday(p, h, of(h)) }},
		{Key: PageRelease, Title: "setup.page.release", Make: func(h *setup.Here) setup.Body { return newRelease(p, h, of(h)) }},
	}
}

// view is what was seen of a host; UI thread.
type view struct {
	survey *keep.Survey
	whole  bool // with everything that a release would take
	task   setup.Task
	asked  bool   // it was looked by itself once
	open   string // the row that is unfolded
	seen   setup.Body
	change int
	wait   waiting
	end    evening
}

func (v *view) update() {
	v.change++
	if v.seen != nil {
		v.seen.Sync()
	}
}

// leave forgets the page that is seen.
func (v *view) leave(b setup.Body) {
	if v.seen == b {
		v.seen = nil
	}
}

// look surveys the host, with everything that a release would take where whole is
// set.
func (v *view) look(h *setup.Here, whole bool, then func()) {
	r := h.Runner()
	if r == nil {
		return
	}
	profile := h.Board.Profile()
	v.task.Start(h, h.Texts.T("life.looking"), setup.Failed(h.Texts), func(ctx context.Context) (func(), error) {
		s, err := keep.Look(ctx, r, profile)
		if err == nil && whole {
			s, err = keep.Inventory(ctx, r, s)
		}
		if err != nil {
			return nil, err
		}
		return func() {
			v.survey, v.whole = &s, whole
			if then != nil {
				then()
			}
		}, nil
	})
}

// rows are the table of what was surveyed.
func (v *view) rows(h *setup.Here) []keep.Row {
	if v.survey == nil {
		return nil
	}
	return keep.Table(tableOf(h, v))
}

func tableOf(h *setup.Here, v *view) keep.TableParams {
	return keep.TableParams{Survey: *v.survey, Profile: h.Board.Profile(), Proofs: kept(h), Now: h.Now()}
}
