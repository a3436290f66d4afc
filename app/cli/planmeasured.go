package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"rentgen/app/cli/reach"
	"rentgen/app/judge"
	"rentgen/app/plan"
	"rentgen/app/purse/measured"
	"rentgen/probe/remote"
	"rentgen/store"
)

func planMeasuredCommand() command {
	return command{
		name:     "plan measured",
		args:     []arg{{name: "PLAN.yaml", complete: "plan"}},
		flags:    []flagSpec{{name: "host", kind: kindText, meta: "NAME", text: "measured-host"}, {name: "unsure", kind: kindBool}},
		examples: []string{"rentgen plan measured plan.yaml > measured.yaml", "rentgen plan measured plan.yaml --host mycard | rentgen bill -"},
		run:      runPlanMeasured,
	}
}

type replacedJSON struct {
	ID     string  `json:"id"`
	Kind   string  `json:"kind"`
	Offer  *string `json:"offer"`
	Host   string  `json:"host"`
	Source string  `json:"source"` // "log 12", or the host's name
	Date   string  `json:"date"`
	Sure   bool    `json:"sure"`
	Text   string  `json:"text"`
}

type planMeasuredJSON struct {
	Format   string         `json:"format"`
	Text     string         `json:"text"`
	Replaced []replacedJSON `json:"replaced"`
	Left     []replacedJSON `json:"left"` // what isn't sure and wasn't asked for
}

// runPlanMeasured prints a plan with what was measured on hosts in the place of
// estimates, and says on stderr what that was.
func runPlanMeasured(ctx context.Context, j *job) error {
	f, err := j.readPlan(0)
	if err != nil {
		return err
	}
	ms, err := j.measured(ctx, j.flags["host"])
	if err != nil {
		return err
	}
	unsure := j.is("unsure")
	got, made := measured.Choose(f.Plan, ms, func(c measured.Change) bool { return c.Sure || unsure })
	var left []measured.Change
	if !unsure {
		for _, c := range measured.Offered(f.Plan, &f.result, ms) {
			if !c.Sure {
				left = append(left, c)
			}
		}
	}
	text, err := plan.Write(got)
	if err != nil {
		return fmt.Errorf("write the plan: %w", err)
	}
	if j.is("json") {
		return j.printJSON(planMeasuredJSON{"yaml", string(text), j.replaced(made), j.replaced(left)})
	}
	if len(made) == 0 {
		j.say("cli.measured.none")
	}
	for _, c := range made {
		fmt.Fprintln(j.p.Stderr, j.c.Say(c.Say))
	}
	if len(left) > 0 {
		j.say("cli.measured.left")
		for _, c := range left {
			fmt.Fprintln(j.p.Stderr, "  "+j.c.Say(c.Say))
		}
	}
	_, err = j.p.Stdout.Write(text)
	return err
}

func (j *job) replaced(list []measured.Change) []replacedJSON {
	out := []replacedJSON{}
	for _, c := range list {
		out = append(out, replacedJSON{
			c.ID, string(c.Kind), orNull(c.Offer), c.Host.Name, c.Source, c.At.Local().Format(time.DateOnly), c.Sure, j.c.Say(c.Say),
		})
	}
	return out
}

// measured is what was measured of saved hosts, of one where it is named.
func (j *job) measured(ctx context.Context, only string) ([]measured.Measured, error) {
	if only != "" {
		id, _, err := j.costHost(ctx, only)
		var bad *UsageError
		if errors.As(err, &bad) {
			bad.Field = "--host"
		}
		if err != nil {
			return nil, err
		}
		only = id
	}
	p, err := j.purse(ctx, false)
	if err != nil {
		return nil, err
	}
	defer p.close()
	hosts, err := p.store.Hosts(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the saved hosts: %w", err)
	}
	phases, err := p.store.Phases(ctx, 0)
	if err != nil {
		return nil, fmt.Errorf("read the judged logs: %w", err)
	}
	var all []measured.Measured
	for _, h := range hosts {
		if only != "" && h.ID != only || h.Line == reach.LineDemo {
			continue
		}
		ms, err := p.measured(ctx, h, phases)
		if err != nil {
			return nil, err
		}
		all = append(all, ms...)
	}
	return all, nil
}

func (p *purseBook) measured(ctx context.Context, h store.Host, phases []judge.Phase) ([]measured.Measured, error) {
	of := measured.Of{Host: measured.Host{ID: h.ID, Name: h.Name}, Phases: phases}
	var err error
	if of.Entries, err = p.store.GuideEntries(ctx, h.ID); err != nil {
		return nil, fmt.Errorf("read what is kept of %s: %w", h.Name, err)
	}
	logs, err := p.store.Recordings(ctx, store.Filter{Host: h.ID, NoDemo: true})
	if err != nil {
		return nil, fmt.Errorf("read the history of %s: %w", h.Name, err)
	}
	for _, r := range logs {
		of.Logs = append(of.Logs, measured.Log{ID: r.ID, From: r.From, To: r.To, Card: measured.CardOf(r.Devices)})
	}
	a, _ := p.Account(h.ID)
	of.Sessions = a.Sessions
	login := ""
	if l, err := remote.ParseLogin(h.Line); err == nil {
		login = l.Host
	}
	of.Host.Provider = measured.ProviderOf(of.Entries, a.Tariff, login)
	return measured.Gather(of), nil
}
