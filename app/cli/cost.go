package cli

import (
	"context"
	"fmt"
	"time"

	"rentgen/app/money"
	"rentgen/app/purse"
	"rentgen/app/purse/meter"
	"rentgen/assets/texts"
	"rentgen/store"
)

var (
	costTarget = arg{name: "TARGET", complete: "target"}
	costMaybe  = arg{name: "TARGET", complete: "target", optional: true}
)

// The rows of the table about costs. That of "cost" alone stands last: the longer
// names are looked for first.

func costPriceCommand() command {
	return command{
		name: "cost price",
		args: []arg{costTarget},
		flags: []flagSpec{
			{name: "per-hour", kind: kindText, meta: "PRICE"},
			{name: "currency", kind: kindText, meta: "CODE"},
			{name: "provider", kind: kindText, meta: "ID"},
			{name: "no-gpu-per-hour", kind: kindText, meta: "PRICE"},
			{name: "granularity", kind: kindText, meta: "SECONDS"},
			{name: "package-price", kind: kindText, meta: "PRICE"},
			{name: "since", kind: kindTime, meta: "TIME"},
			{name: "until", kind: kindTime, meta: "TIME", text: "package-until"},
			{name: "offer", kind: kindText, meta: "PLAN.yaml#NAME"},
		},
		examples: []string{
			"rentgen cost price mycard --per-hour 1.88 --currency CNY --provider autodl",
			"rentgen cost price mycard --package-price 1500 --currency CNY --until 2026-12-31",
			"rentgen cost price mycard --offer 'plan.yaml#By the hour'",
		},
		run: runCostPrice,
	}
}

func costImportCommand() command {
	return command{
		name:     "cost import",
		args:     []arg{{name: "BILL.csv"}, costMaybe},
		flags:    []flagSpec{{name: "currency", kind: kindText, meta: "CODE"}, {name: "tz", kind: kindText, meta: "ZONE", takes: zones, text: "bill-tz"}},
		examples: []string{"rentgen cost import bill.csv", "rentgen cost import bill.csv mycard --currency CNY --json"},
		run:      runCostImport,
	}
}

func costStoppedCommand() command {
	return command{
		name:     "cost stopped",
		args:     []arg{costTarget},
		flags:    []flagSpec{{name: "at", kind: kindTime, meta: "TIME", must: true}},
		examples: []string{"rentgen cost stopped mycard --at '2026-11-29 23:40'"},
		run:      runCostStopped,
	}
}

func costCommand() command {
	return command{
		name:     "cost",
		args:     []arg{costMaybe},
		examples: []string{"rentgen cost", "rentgen cost mycard --json"},
		run:      runCost,
	}
}

// purseBook is what is kept of costs, with the names of hosts.
type purseBook struct {
	*meter.Book
	store *store.Store
	names map[string]string // by id
}

func (p *purseBook) close() { _ = p.store.Close() }

// name is what a host is called; a forgotten one keeps its id.
func (p *purseBook) name(id string) string {
	if n := p.names[id]; n != "" {
		return n
	}
	return id
}

// purse opens what is kept of costs.
func (j *job) purse(ctx context.Context, write bool) (*purseBook, error) {
	open := j.readStore
	if write {
		open = j.writeStore
	}
	s, err := open(ctx)
	if err != nil {
		return nil, err
	}
	p := &purseBook{store: s, names: make(map[string]string)}
	p.Book = meter.NewBook(meter.BookParams{Store: s})
	if err := p.Load(ctx); err != nil {
		p.close()
		return nil, err
	}
	hosts, err := s.Hosts(ctx)
	if err != nil {
		p.close()
		return nil, fmt.Errorf("read the saved hosts: %w", err)
	}
	for _, h := range hosts {
		p.names[h.ID] = h.Name
	}
	return p, nil
}

// costHost finds the id of the host that a word names.
func (j *job) costHost(ctx context.Context, text string) (id, name string, err error) {
	t, err := j.resolve(ctx, text, j.reach().Config())
	if err != nil {
		return "", "", err
	}
	if t.ID == "" {
		return "", "", &UsageError{Code: "notsaved", Field: "TARGET", Value: t.Name, Allowed: "rentgen host add NAME LOGINLINE"}
	}
	return t.ID, t.Name, nil
}

type runningJSON struct {
	Currency *string `json:"currency"`
	Count    int     `json:"count"`
	PerHour  string  `json:"per_hour"`
	Idle     string  `json:"idle_per_hour"`
	Unpriced int     `json:"unpriced"`
}

type costsJSON struct {
	Hosts   []costJSON    `json:"hosts"`
	Running []runningJSON `json:"running"`
}

// runCost prints what hosts cost so far.
func runCost(ctx context.Context, j *job) error {
	p, err := j.purse(ctx, false)
	if err != nil {
		return err
	}
	defer p.close()
	ids := p.Hosts()
	if len(j.args) > 0 {
		id, name, err := j.costHost(ctx, j.args[0])
		if err != nil {
			return err
		}
		if _, ok := p.Account(id); !ok {
			return &UsageError{Code: "nocost", Field: "TARGET", Value: name, Allowed: "rentgen cost price TARGET --per-hour PRICE --currency CODE"}
		}
		ids = []string{id}
	}
	running := p.Totals()
	if j.is("json") {
		out := costsJSON{Hosts: []costJSON{}, Running: []runningJSON{}}
		for _, id := range ids {
			a, _ := p.Account(id)
			out.Hosts = append(out.Hosts, j.costOut(p.name(id), a))
		}
		for _, r := range running {
			out.Running = append(out.Running, runningOut(r))
		}
		return j.printJSON(out)
	}
	if len(ids) == 0 {
		j.say("cli.cost.none")
		return nil
	}
	if len(j.args) > 0 {
		a, _ := p.Account(ids[0])
		j.printCost(p.name(ids[0]), a)
		return nil
	}
	j.printCosts(p, ids, running)
	return nil
}

func runningOut(r purse.Running) runningJSON {
	scale := r.Currency.Scale()
	return runningJSON{orNull(string(r.Currency)), r.Count, r.PerHour.Fixed(scale), r.Idle.Fixed(scale), r.Unpriced}
}

// runCostStopped notes when an instance stopped.
func runCostStopped(ctx context.Context, j *job) error {
	if j.flags["at"] == "" {
		return &UsageError{Code: "missing", Field: "--at", Allowed: j.cmd.usage()}
	}
	at, err := parseTime(j.flags["at"], time.Local)
	if err != nil {
		return &UsageError{Code: "value", Field: "--at", Value: j.flags["at"], Allowed: flagSpec{kind: kindTime}.allowed()}
	}
	id, name, err := j.costHost(ctx, j.args[0])
	if err != nil {
		return err
	}
	p, err := j.purse(ctx, true)
	if err != nil {
		return err
	}
	defer p.close()
	if err := p.Stopped(ctx, id, at, meter.ByUser); err != nil {
		return flagFields(err)
	}
	a, _ := p.Account(id)
	for _, s := range a.Sessions {
		if s.By == meter.ByBill && s.Start.Before(at) && s.End.Sub(at).Abs() > time.Minute {
			j.say("cli.cost.known", "at", texts.DateTime(j.c, s.End)) // of the session that it was said of
			break
		}
		if !s.Start.After(at) {
			break
		}
	}
	if j.is("json") {
		return j.printJSON(j.costOut(name, a))
	}
	fmt.Fprintln(j.p.Stdout, j.named(name, j.c.Say(a.Glance.Say)))
	return nil
}

// exact writes a band with more digits than the minor unit, so that sums agree.
func exact(b money.Band, c money.Currency) *amountJSON {
	d := decimals(b, c.Scale()+finer)
	return &d
}
