package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"rentgen/app/bill/offer"
	"rentgen/app/bill/sheet"
	"rentgen/app/money"
	"rentgen/app/purse/tariff"
	"rentgen/assets/texts"
)

// flagFields names the fields of input errors as the flags they were typed in.
func flagFields(err error) error {
	es := offer.Inputs(err)
	if es == nil {
		return err
	}
	out := make(offer.InputErrors, len(es))
	for i, e := range es {
		x := *e
		switch x.Field {
		case string(offer.Granularity):
			x.Field = "granularity"
		case "no_gpu_per_hour", "per_hour", "package_price", "currency", "provider", "until", "at":
		default:
			out[i] = &x
			continue
		}
		x.Field = "--" + strings.ReplaceAll(x.Field, "_", "-")
		out[i] = &x
	}
	return out
}

// currencyOf is a currency as its code is written; what people call RMB has the
// code CNY.
func currencyOf(text string) string {
	code := strings.ToUpper(strings.TrimSpace(text))
	if code == "RMB" {
		return "CNY"
	}
	return code
}

// flagTime reads a flag's time, zero where it was not given; it was checked while
// it was read.
func (c *call) flagTime(name string) time.Time {
	t, err := parseTime(c.flags[name], time.Local)
	if err != nil {
		return time.Time{}
	}
	return t
}

// runCostPrice keeps what a host costs.
func runCostPrice(ctx context.Context, j *job) error {
	id, name, err := j.costHost(ctx, j.args[0])
	if err != nil {
		return err
	}
	t, err := j.priceOf(time.Now())
	if err != nil {
		return flagFields(err)
	}
	p, err := j.purse(ctx, true)
	if err != nil {
		return err
	}
	defer p.close()
	if err := p.SetTariff(ctx, id, t); err != nil {
		return flagFields(err)
	}
	if j.is("json") {
		return j.printJSON(map[string]any{"host": name, "id": id, "price": tariffOut(t)})
	}
	fmt.Fprintln(j.p.Stdout, j.named(name, j.tariffText(t)))
	for _, r := range t.Rules() {
		if s := j.ruleText(t, r); s != "" {
			fmt.Fprintln(j.p.Stdout, "  "+s)
		}
	}
	return nil
}

// priceOf reads the price from the flags, on top of an offer where one is named.
func (j *job) priceOf(now time.Time) (tariff.Tariff, error) {
	if j.flags["offer"] == "" {
		return tariff.Parse(tariff.Typed{
			PerHour: j.flags["per-hour"], Currency: currencyOf(j.flags["currency"]), Provider: j.flags["provider"], NoGPU: j.flags["no-gpu-per-hour"],
			Granularity: j.flags["granularity"], PackagePrice: j.flags["package-price"], From: j.flagTime("since"), Until: j.flagTime("until"),
		}, now)
	}
	for _, f := range []string{"per-hour", "currency", "provider", "granularity", "package-price"} {
		if j.flags[f] != "" {
			return tariff.Tariff{}, &UsageError{Code: "notwith", Field: "--" + f, Allowed: "--offer"}
		}
	}
	t, err := j.priceOfOffer(now)
	if err != nil {
		return t, err
	}
	if s := j.flags["no-gpu-per-hour"]; s != "" {
		v, err := money.Parse(s)
		if err != nil || v.Sign() <= 0 {
			return t, offer.InputErrors{{Field: "no_gpu_per_hour", Value: s, Allowed: texts.P("offer.allowed.positive")}}
		}
		t.NoGPU = &v
	}
	if until := j.flagTime("until"); !until.IsZero() && t.Package != nil {
		t.Package.Until = until
	}
	return t, t.Check()
}

// priceOfOffer takes an offer of a plan, PLAN.yaml#NAME, with its bill as the
// forecast. Without a name the plan must have one offer.
func (j *job) priceOfOffer(now time.Time) (tariff.Tariff, error) {
	path, name, named := strings.Cut(j.flags["offer"], "#")
	f, err := j.planOf(path, needOffers)
	if err != nil {
		var u *UsageError
		if errors.As(err, &u) && u.Code == "file" {
			u.Field = "--offer"
		}
		return tariff.Tariff{}, err
	}
	i := slices.IndexFunc(f.Offers, func(o offer.Offer) bool { return strings.EqualFold(strings.TrimSpace(o.Name), strings.TrimSpace(name)) })
	if !named && len(f.Offers) == 1 {
		i = 0
	}
	if i < 0 {
		var names []string
		for _, o := range f.Offers {
			names = append(names, o.Name)
		}
		return tariff.Tariff{}, &UsageError{Code: "value", Field: "--offer", Value: j.flags["offer"], Allowed: path + "#" + strings.Join(names, ", #")}
	}
	from := j.flagTime("since")
	if from.IsZero() {
		from = now
	}
	t, err := tariff.FromOffer(f.Offers[i], f.Name, from, now)
	if err != nil {
		return t, err
	}
	if i < len(f.result.Sheet.Bills) {
		t = t.Planned(f.result.Sheet.Bills[i], f.result.Sheet.Days)
	}
	return t, nil
}

type packageJSON struct {
	Price string `json:"price"`
	From  string `json:"from"`
	Until string `json:"until"`
}

type ruleJSON struct {
	Term   string  `json:"term"`
	Value  *string `json:"value"`
	Status string  `json:"status"`
	Source *string `json:"source"`
	Date   *string `json:"date"`
	Mark   *string `json:"mark"`
}

type tariffJSON struct {
	Currency string       `json:"currency"`
	PerHour  *string      `json:"per_hour"`
	NoGPU    *string      `json:"no_gpu_per_hour"`
	Package  *packageJSON `json:"package"`
	Provider *string      `json:"provider"`
	Offer    *string      `json:"offer"`
	Plan     *string      `json:"plan"`
	Since    string       `json:"since"`
	Rules    []ruleJSON   `json:"rules"`
}

func tariffOut(t tariff.Tariff) tariffJSON {
	out := tariffJSON{
		Currency: string(t.Currency), Provider: orNull(t.Provider), Offer: orNull(t.Offer), Plan: orNull(t.Plan), Since: moment(t.Since), Rules: []ruleJSON{},
	}
	plain := func(v *money.Rat) *string {
		if v == nil {
			return nil
		}
		s := v.String()
		return &s
	}
	out.PerHour, out.NoGPU = plain(t.PerHour), plain(t.NoGPU)
	if p := t.Package; p != nil {
		out.Package = &packageJSON{p.Price.String(), moment(p.From), moment(p.Until)}
	}
	for _, r := range t.Rules() {
		out.Rules = append(out.Rules, ruleJSON{
			string(r.ID), orNull(r.Term.Value), string(r.Term.Status), orNull(r.Term.Source), orNull(r.Term.Date), orNull(string(r.Term.Mark)),
		})
	}
	return out
}

// tariffText is what a host costs, in one line.
func (j *job) tariffText(t tariff.Tariff) string {
	var parts []string
	price := func(key string, v *money.Rat) {
		if v != nil {
			parts = append(parts, j.c.T(key, "price", sheet.Price(j.c, *v, t.Currency)))
		}
	}
	price("cli.cost.per_hour", t.PerHour)
	price("cli.cost.no_gpu", t.NoGPU)
	if p := t.Package; p != nil {
		parts = append(parts, j.c.T("cli.cost.package", "price", sheet.Money(j.c, p.Price, t.Currency), "span", texts.Span(j.c, p.From, p.Until)))
	}
	if r, ok := t.Named(); ok {
		parts = append(parts, r.NameIn(j.c.Lang))
	}
	if t.Offer != "" {
		parts = append(parts, j.c.T("cli.cost.offer", "offer", t.Offer))
	}
	return strings.Join(parts, " · ")
}

// ruleText is a rule with where it was read; "" for one that nobody says and that
// can be done without.
func (j *job) ruleText(t tariff.Tariff, r tariff.Rule) string {
	d, ok := offer.DefOf(r.ID)
	if !ok {
		return ""
	}
	if r.Term.Status == offer.Unknown {
		if r.ID == offer.Granularity {
			return j.c.T("cli.cost.rule.unknown", "term", j.c.Say(r.ID.Name()))
		}
		return ""
	}
	source := j.c.T("offer.status.typed")
	if r.Term.Source != "" {
		source = r.Term.Source
		if when := j.c.Say(r.Term.When()); when != "" {
			source += ", " + when
		}
	}
	return j.c.T("cli.cost.rule", "term", j.c.Say(r.ID.Name()), "value", d.ValueText(j.c, r.Term.Value, t.Currency), "source", source)
}
