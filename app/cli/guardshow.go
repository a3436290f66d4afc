package cli

import (
	"context"
	"fmt"
	"time"

	"rentgen/app/purse/guard"
	"rentgen/assets/texts"
	"rentgen/probe"
)

type guardJSON struct {
	Host     string        `json:"host"`
	Provider string        `json:"provider"`
	Eligible eligibleJSON  `json:"eligible"`
	Login    *loginJSON    `json:"login"`
	Recorder bool          `json:"recorder"`
	State    guardStateOut `json:"state"`
	Told     []toldJSON    `json:"told"`
	Limit    string        `json:"limit"`
	Warnings []string      `json:"warnings"`
}

type eligibleJSON struct {
	OK       bool   `json:"ok"`
	Action   string `json:"action"`
	Sentence string `json:"sentence"`
	Source   string `json:"source"`
	Date     string `json:"date"`
	Mark     string `json:"mark"`
}

type loginJSON struct {
	OK       bool   `json:"ok"`
	Sentence string `json:"sentence"`
}

type guardStateOut struct {
	Phase     string         `json:"phase"`
	Sentence  string         `json:"sentence"`
	DryRun    bool           `json:"dry_run"`
	AfterS    int64          `json:"after_s"`
	OnQueue   bool           `json:"on_queue"`
	IdleS     int64          `json:"idle_s"`
	StopAt    *string        `json:"stop_at"`
	Held      bool           `json:"held"`
	KeepUntil *string        `json:"keep_until"`
	DryAt     *string        `json:"dry_at"`
	Why       string         `json:"why"`
	Detail    string         `json:"detail"`
	Busy      []guard.Reason `json:"busy"`
}

type toldJSON struct {
	Time     string  `json:"time"`
	DryRun   bool    `json:"dry_run"`
	IdleS    int64   `json:"idle_s"`
	Cause    string  `json:"cause"`
	Sentence string  `json:"sentence"`
	Stopped  bool    `json:"stopped"`
	Saved    *string `json:"saved"`
}

// print says how the guard stands.
func (g *guarding) print(ctx context.Context, login *loginJSON) error {
	r, told, err := g.collect(ctx)
	if err != nil {
		return err
	}
	if r.State.On && !g.there { // it was fresh a moment ago
		r.State.Phase = guard.Silent
	}
	if g.j.is("json") {
		out := g.out(r, told)
		out.Login = login
		return g.j.printJSON(out)
	}
	c, w := g.j.c, g.j.p.Stdout
	now := time.Now()
	fmt.Fprintln(w, c.Say(r.State.Say(now)))
	if r.State.Detail != "" {
		fmt.Fprintln(w, "  "+r.State.Detail)
	}
	if us := r.State.Unreadable(); len(us) > 0 {
		fmt.Fprintln(w, "  "+c.T("cli.guard.unreadable"))
	}
	if login != nil {
		fmt.Fprintln(w, login.Sentence)
	}
	for _, t := range told {
		fmt.Fprintln(w, c.Say(t.Say))
	}
	switch s := r.State; {
	case g.can.OK || !s.On:
		fmt.Fprintln(w, c.Say(g.can.Say))
		for _, p := range g.can.Warn {
			fmt.Fprintln(w, c.Say(p))
		}
		fmt.Fprintln(w, c.Say(g.can.Limit))
	default: // switched on for a provider that only the command line named
		fmt.Fprintln(w, c.T("cli.guard.named"))
	}
	if g.clock != nil && g.clock.InPackage(now) {
		fmt.Fprintln(w, c.T("cli.guard.package", "until", texts.DateTime(c, g.clock.Tariff().Package.Until)))
	}
	switch s := r.State; {
	case !g.can.OK && !s.On:
	case !s.On:
		fmt.Fprintln(w, c.T("cli.guard.next.on", "target", wordFor(g.s.target)))
	case s.Phase == guard.Silent:
		fmt.Fprintln(w, c.T("cli.guard.next.silent", "target", wordFor(g.s.target)))
	case s.Order.DryRun && s.Practised(s.Order.Action):
		fmt.Fprintln(w, c.T("cli.guard.next.arm", "target", wordFor(g.s.target)))
	case s.Order.DryRun:
		fmt.Fprintln(w, c.T("cli.guard.next.wait"))
	default:
		fmt.Fprintln(w, c.T("cli.guard.next.armed", "target", wordFor(g.s.target), "dir", g.host.Dir))
	}
	return nil
}

// collect reads the guard and what it did since it was last told; of a saved host
// that is kept.
func (g *guarding) collect(ctx context.Context) (guard.Report, []guard.Told, error) {
	var run probe.Run
	if inv := g.s.host.Inventory(); inv != nil {
		run = inv.Run
	}
	if g.s.id == "" {
		return g.host.Collect(ctx, nil, "", run, nil)
	}
	st, err := g.j.writeStore(ctx)
	if err != nil {
		return guard.Report{}, nil, err
	}
	defer st.Close()
	return g.host.Collect(ctx, st, g.s.id, run, g.price)
}

// price is what an hour costs at a moment; without a tariff nobody knows.
func (g *guarding) price(at time.Time) guard.Price {
	if g.clock == nil {
		return guard.Price{}
	}
	if v, ok := g.clock.PerHour(at, false); ok {
		return guard.Price{PerHour: v, Currency: g.clock.Tariff().Currency}
	}
	return guard.Price{}
}

// out is the JSON of a report.
func (g *guarding) out(r guard.Report, told []guard.Told) guardJSON {
	c := g.j.c
	at := func(t time.Time) *string {
		if t.IsZero() {
			return nil
		}
		s := moment(t)
		return &s
	}
	s := r.State
	o := guardJSON{
		Host: g.s.name, Provider: g.profile.ID, Recorder: g.there, Limit: c.Say(g.can.Limit), Warnings: []string{}, Told: []toldJSON{},
		Eligible: eligibleJSON{g.can.OK, string(g.can.Action), c.Say(g.can.Say), g.can.Said.Source, g.can.Said.Date, g.can.Said.Mark},
		State: guardStateOut{
			Phase: string(s.Phase), Sentence: c.Say(s.Say(time.Now())), DryRun: s.Order.DryRun, AfterS: int64(s.Order.After / time.Second),
			OnQueue: s.Order.OnQueue, IdleS: int64(s.Idle / time.Second), StopAt: at(s.StopAt), Held: r.Held, KeepUntil: at(s.KeepUntil),
			DryAt: at(s.DryAt), Why: s.Why, Detail: s.Detail, Busy: s.Busy,
		},
	}
	if o.State.Busy == nil {
		o.State.Busy = []guard.Reason{}
	}
	for _, p := range g.can.Warn {
		o.Warnings = append(o.Warnings, c.Say(p))
	}
	for _, t := range told {
		j := toldJSON{
			Time: moment(t.Stop.Time), DryRun: t.Stop.Dry, IdleS: t.Stop.IdleS, Cause: t.Stop.Cause, Sentence: c.Say(t.Say),
			Stopped: t.Entry != nil && !t.Stop.Dry,
		}
		if t.Saved != nil {
			v := t.Saved.Fixed(2)
			j.Saved = &v
		}
		o.Told = append(o.Told, j)
	}
	return o
}
