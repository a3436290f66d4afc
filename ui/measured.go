package ui

import (
	"context"
	"fmt"

	core "rentgen/app/plan"
	"rentgen/app/purse/measured"
	"rentgen/probe/remote"
	"rentgen/store"
	"rentgen/ui/measuring"
)

// newMeasuring returns what was measured on the hosts, for the open plan.
func (w *Window) newMeasuring() *measuring.Model {
	return measuring.New(measuring.Params{
		Desk: w.desk, Read: w.measured, Go: w.p.Go, Do: w.doOpen,
		Sound: func(p core.Plan) bool { return len(planProblems(p)) == 0 },
	})
}

// measured is what was measured of all hosts; a made-up one has measured nothing.
// It is called from any goroutine.
func (w *Window) measured(ctx context.Context) ([]measured.Measured, error) {
	var all []measured.Measured
	phases := w.sense.Phases()
	for _, h := range w.book.Hosts() {
		if h.Demo() {
			continue
		}
		of := measured.Of{Host: measured.Host{ID: h.ID, Name: h.Name, Provider: w.guides.providerOf(h.ID)}, Phases: phases}
		var err error
		if w.p.Guide != nil {
			if of.Entries, err = w.p.Guide.GuideEntries(ctx, h.ID); err != nil {
				return nil, fmt.Errorf("read what Set up keeps of %s: %w", h.Name, err)
			}
		}
		if w.p.History != nil {
			logs, err := w.p.History.Recordings(ctx, store.Filter{Host: h.ID, NoDemo: true, Limit: newestLogs})
			if err != nil {
				return nil, fmt.Errorf("list the logs of %s: %w", h.Name, err)
			}
			for _, r := range logs {
				of.Logs = append(of.Logs, measured.Log{ID: r.ID, From: r.From, To: r.To, Card: measured.CardOf(r.Devices)})
			}
		}
		a, _ := w.sense.Book().Account(h.ID)
		of.Sessions = a.Sessions
		if of.Host.Provider == "" {
			login := ""
			if l, err := remote.ParseLogin(h.Line); err == nil {
				login = l.Host
			}
			of.Host.Provider = measured.ProviderOf(of.Entries, a.Tariff, login)
		}
		all = append(all, measured.Gather(of)...)
	}
	return all, nil
}
