package tariff

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"rentgen/app/bill"
	"rentgen/app/bill/offer"
	"rentgen/app/bill/sheet"
	"rentgen/app/money"
	"rentgen/app/provider"
	"rentgen/assets/texts"
)

// Typed is a tariff as a person types it; "" and zero times are not said.
type Typed struct {
	PerHour, Currency, Provider, NoGPU string
	Granularity                        string // seconds
	PackagePrice                       string
	From, Until                        time.Time // of the package
}

// maxSpan bounds a package: nobody pays for more than ten years.
const maxSpan = 3660 * 24 * time.Hour

// Parse reads what was typed. A package without a begin is taken for one of a
// month before its end, or from now where that lies ahead. The error is an
// offer.InputErrors, one for each field.
func Parse(in Typed, now time.Time) (Tariff, error) {
	p := parser{}
	t := Tariff{
		Provider: strings.ToLower(strings.TrimSpace(in.Provider)), Currency: money.Currency(strings.ToUpper(strings.TrimSpace(in.Currency))),
		PerHour: p.price("per_hour", in.PerHour), NoGPU: p.price("no_gpu_per_hour", in.NoGPU), Since: now,
	}
	if r, ok := provider.Find(t.Provider); ok && t.Currency == "" {
		t.Currency = r.Currency
	}
	if g := strings.TrimSpace(in.Granularity); g != "" {
		t.Terms = map[offer.TermID]offer.Term{offer.Granularity: {Value: g, Status: offer.Typed}}
	}
	if price := p.price("package_price", in.PackagePrice); price != nil {
		t.Package = &Package{*price, in.From, in.Until}
		if in.From.IsZero() && !in.Until.IsZero() {
			t.Package.From = bill.MonthsLater(in.Until, -1)
			if t.Package.From.After(now) {
				t.Package.From = now
			}
		}
	} else if !in.Until.IsZero() || !in.From.IsZero() {
		p.miss("package_price", in.PackagePrice, texts.P("offer.allowed.positive"))
	}
	if len(p.errs) > 0 {
		return Tariff{}, p.errs
	}
	return t, t.Check()
}

type parser struct{ errs offer.InputErrors }

func (p *parser) miss(field, value string, allowed texts.Phrase) {
	p.errs = append(p.errs, &offer.InputError{Field: field, Value: value, Allowed: allowed})
}

// price reads an amount above 0; nil where none was typed.
func (p *parser) price(field, text string) *money.Rat {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	v, err := money.Parse(text)
	if err != nil || v.Sign() <= 0 {
		p.miss(field, text, texts.P("offer.allowed.positive"))
		return nil
	}
	return &v
}

// Check says what is wrong with a tariff; the error is an offer.InputErrors.
func (t Tariff) Check() error {
	p := parser{}
	if t.PerHour == nil && t.Package == nil {
		p.miss("per_hour", "", texts.P("offer.allowed.positive"))
	}
	for field, v := range map[string]*money.Rat{"per_hour": t.PerHour, "no_gpu_per_hour": t.NoGPU} {
		if v != nil && v.Sign() <= 0 {
			p.miss(field, v.String(), texts.P("offer.allowed.positive"))
		}
	}
	if !t.Currency.Valid() {
		p.miss("currency", string(t.Currency), texts.P("offer.allowed.currency"))
	}
	if _, ok := provider.Find(t.Provider); t.Provider != "" && !ok {
		var ids []string
		for _, r := range provider.All() {
			ids = append(ids, r.ID)
		}
		p.miss("provider", t.Provider, texts.P("offer.allowed.provider", "list", strings.Join(texts.Nearest(ids, t.Provider, 8), ", ")))
	}
	if k := t.Package; k != nil {
		if k.Price.Sign() <= 0 {
			p.miss("package_price", k.Price.String(), texts.P("offer.allowed.positive"))
		}
		if k.Until.IsZero() || !k.From.Before(k.Until) || k.Until.Sub(k.From) > maxSpan {
			p.miss("until", dateText(k.Until), texts.P("purse.allowed.until"))
		}
	}
	for id, term := range t.Terms {
		d, ok := offer.DefOf(id)
		if ok && (term.Status == offer.Unknown || d.Check(term.Value) == nil) {
			continue
		}
		if !ok {
			p.miss(string(id), term.Value, texts.P("offer.allowed.nothing"))
			continue
		}
		p.miss(string(id), term.Value, d.Allowed())
	}
	if len(p.errs) == 0 {
		return nil
	}
	slices.SortFunc(p.errs, func(a, b *offer.InputError) int { return strings.Compare(a.Field, b.Field) })
	return p.errs
}

func dateText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.DateTime)
}

// FromOffer takes what a host costs from an offer of a plan. A period that is
// paid in advance begins at from, and so does a package of hours or units, which
// becomes the price of one of its hours. The error is an offer.InputErrors.
func FromOffer(o offer.Offer, plan string, from, now time.Time) (Tariff, error) {
	o = o.Filled()
	t := Tariff{Provider: o.Provider, Currency: o.Currency, Offer: o.Name, Plan: plan, Since: now}
	for _, d := range offer.Defs() {
		term, ok := o.Terms[d.ID]
		if r, ruled := provider.Find(o.Provider); ok && ruled {
			if x, same := r.Terms[string(d.ID)]; same && x.Value == term.Value && x.Source == term.Source {
				continue // the provider's rules are read anew each time
			}
		}
		if ok {
			if t.Terms == nil {
				t.Terms = make(map[offer.TermID]offer.Term)
			}
			t.Terms[d.ID] = term
		}
	}
	cards := money.Int(int64(max(o.Cards, 1)))
	pay := o.Payment
	unit := pay.Price.Mul(cards)
	each := func(hours money.Rat) {
		if hours.Sign() > 0 && unit.Sign() > 0 {
			v := unit.Quo(hours)
			t.PerHour = &v
		}
	}
	switch pay.Unit {
	case offer.Second, offer.Minute, offer.Hour:
		if v, ok := o.Hour(); ok {
			t.PerHour = &v
		}
		if _, _, known := o.Rat(offer.Granularity); !known && pay.Unit != offer.Hour {
			if t.Terms == nil {
				t.Terms = make(map[offer.TermID]offer.Term)
			}
			s := map[offer.Unit]int{offer.Second: 1, offer.Minute: 60}[pay.Unit]
			t.Terms[offer.Granularity] = offer.Term{Value: strconv.Itoa(s), Status: offer.Typed}
		}
	case offer.Pack:
		each(pay.Hours)
	case offer.Quota:
		if pay.DrawPerHour.Sign() > 0 {
			each(pay.Units.Quo(pay.DrawPerHour))
		}
	default:
		if unit.Sign() > 0 {
			t.Package = &Package{unit, from, periodEnd(from, pay.Unit)}
			t.PerHour = pay.Overage
		}
	}
	if t.PerHour != nil && t.PerHour.Sign() <= 0 {
		t.PerHour = nil
	}
	return t, t.Check()
}

// periodEnd is when a period that begins at a time ends; months are the
// calendar's, clamped to their last day.
func periodEnd(from time.Time, u offer.Unit) time.Time {
	switch u {
	case offer.Day:
		return from.AddDate(0, 0, 1)
	case offer.Week:
		return from.AddDate(0, 0, 7)
	case offer.Year:
		return bill.MonthsLater(from, 12)
	}
	return bill.MonthsLater(from, 1)
}

// Planned takes a plan's bill as the forecast of one of its machines, for the
// days of the plan. A bill without a total has none.
func (t Tariff) Planned(b sheet.Bill, days int) Tariff {
	t.Forecast = nil
	if b.Status != sheet.OK || days < 1 || b.Currency != t.Currency {
		return t
	}
	one := money.Frac(1, int64(max(b.Usage.Machines, 1)))
	f := &Forecast{Days: days, Total: b.Total.Times(one)}
	for _, l := range b.Lines {
		f.Lines = append(f.Lines, Line{l.ID, l.Amount.Times(one)})
	}
	t.Forecast = f
	return t
}
