package cli

import (
	"context"
	"fmt"

	"rentgen/app/bill/sheet"
	"rentgen/app/money"
)

func costBudgetCommand() command {
	return command{
		name: "cost budget",
		args: []arg{costMaybe},
		flags: []flagSpec{
			{name: "limit", kind: kindText, meta: "AMOUNT", must: true},
			{name: "currency", kind: kindText, meta: "CODE"},
		},
		examples: []string{"rentgen cost budget mycard --limit 300 --currency CNY", "rentgen cost budget --limit 500 --currency CNY"},
		run:      runCostBudget,
	}
}

// costBudgetJSON is a limit of a month; host and id are null for that of all hosts
// together, limit is null where it was taken away.
type costBudgetJSON struct {
	Host     *string `json:"host"`
	ID       *string `json:"id"`
	Currency string  `json:"currency"`
	Limit    *string `json:"limit"`
}

// runCostBudget keeps what a month may cost: of a host, or of all together.
func runCostBudget(ctx context.Context, j *job) error {
	limit, err := j.budgetLimit()
	if err != nil {
		return err
	}
	id, name := "", ""
	if len(j.args) > 0 {
		if id, name, err = j.costHost(ctx, j.args[0]); err != nil {
			return err
		}
	}
	currency := money.Currency(currencyOf(j.flags["currency"]))
	if currency != "" && !currency.Valid() {
		return &UsageError{Code: "value", Field: "--currency", Value: j.flags["currency"], Allowed: "CNY, USD"}
	}
	p, err := j.purse(ctx, true)
	if err != nil {
		return err
	}
	defer p.close()
	if t, ok := p.Tariff(id); currency == "" && ok && id != "" {
		currency = t.Currency // that of its price
	}
	if currency == "" {
		return &UsageError{Code: "missing", Field: "--currency", Allowed: j.cmd.usage()}
	}
	if err := p.SetBudget(ctx, id, currency, limit); err != nil {
		return err
	}
	out := costBudgetJSON{Host: orNull(name), ID: orNull(id), Currency: string(currency)}
	text := j.c.T("cli.cost.budget.none", "currency", string(currency))
	if limit != nil {
		s := limit.String()
		out.Limit = &s
		key := "cli.cost.budget.set"
		if id == "" {
			key = "cli.cost.budget.all"
		}
		text = j.c.T(key, "limit", sheet.Money(j.c, *limit, currency))
	}
	if j.is("json") {
		return j.printJSON(out)
	}
	if id != "" {
		text = j.named(name, text)
	}
	fmt.Fprintln(j.p.Stdout, text)
	return nil
}

// budgetLimit reads the limit; nil is 0, which takes it away.
func (j *job) budgetLimit() (*money.Rat, error) {
	text := j.flags["limit"]
	if text == "" {
		return nil, &UsageError{Code: "missing", Field: "--limit", Allowed: j.cmd.usage()}
	}
	v, err := money.Parse(text)
	if err != nil || v.Sign() < 0 {
		return nil, &UsageError{Code: "value", Field: "--limit", Value: text, Allowed: "0, 300, 1.88"}
	}
	if v.IsZero() {
		return nil, nil
	}
	return &v, nil
}
