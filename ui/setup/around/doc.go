// Package around holds the pages of Set up about what lies around an instance: the
// network between it and everything else, and other machines beside it.
package around

import (
	"context"

	"rentgen/app/guide/fleet"
	"rentgen/app/guide/network"
	"rentgen/app/guide/report"
	"rentgen/assets/texts"
	"rentgen/ui/chart"
	"rentgen/ui/setup"
)

// The keys of the pages.
const (
	PageNetwork  = "network"
	PageMachines = "machines"
)

// Params say what the pages work with beside what Set up gives them.
type Params struct {
	Pace chart.Pace
	// Ask asks for a file; nil shows the system's dialog.
	Ask setup.AskFile
	// Addr is where a host's login listens, "host:port", "" where it has none.
	Addr func(host string) string
	// Measure measures the way from this computer; nil is network.Measure.
	Measure func(ctx context.Context, p network.LatencyParams) (network.Latency, error)

	// Usable says why a line of a list can't be used, zero where it can.
	Usable func(line string) texts.Phrase
	// Check connects to a machine, runs the quick checks and reports.
	Check func(ctx context.Context, m fleet.Machine, l texts.Lang) (*report.Report, error)
	// Again is the report of the latest Check of a machine in another language, nil
	// where there is none.
	Again func(m fleet.Machine, l texts.Lang) *report.Report
	// Say puts an error of Check in words.
	Say func(c *texts.Catalogue, err error) string
	// Choose makes a machine the chosen one; it is added where it isn't saved yet.
	// known asks first whether there is one of that name without a login.
	Choose func(m fleet.Machine) error
	Known  func(name string) bool
}

// Pages returns the pages. What was measured stays while another page is open; the
// machines are the same whichever host is chosen.
func Pages(p Params) []setup.Page {
	if p.Measure == nil {
		p.Measure = network.Measure
	}
	ways := make(map[string]*ways)
	all := &many{open: -1}
	return []setup.Page{
		{Key: PageNetwork, Title: "setup.page.network", Make: func(h *setup.Here) setup.Body {
			id := h.Host().ID
			if ways[id] == nil {
				ways[id] = newWays()
			}
			return newNetPage(p, h, ways[id])
		}},
		{Key: PageMachines, Title: "setup.page.machines", Make: func(h *setup.Here) setup.Body { return newMachines(p, h, all) }},
	}
}
