// Package tariff holds what a host costs: a price an hour, one without a card, a
// package that is paid in advance, and the provider's rules by which time becomes
// money. What nobody says of a rule widens what a span costs.
package tariff

import (
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"rentgen/app/bill/offer"
	"rentgen/app/money"
	"rentgen/app/provider"
	"rentgen/app/purse"
)

// Tariff is what a host costs. Prices are of the whole machine with all its cards.
type Tariff struct {
	Provider string // id of the provider's rules, "" for none
	Currency money.Currency
	PerHour  *money.Rat // nil: nothing is metered, or nobody says
	NoGPU    *money.Rat // an hour without a card; nil: nobody says
	Package  *Package   // paid in advance; nil: none
	// Terms are what the offer says beside or instead of the provider's rules.
	Terms map[offer.TermID]offer.Term
	Offer string // name of the offer it was taken from, "" for typed
	Plan  string // name of that offer's plan
	Since time.Time
	// Forecast is what the plan's bill says; nil without a plan.
	Forecast *Forecast
}

// Package is a price for the span From to Until, in which nothing else is paid
// for running.
type Package struct {
	Price       money.Rat
	From, Until time.Time
}

// Forecast is a plan's bill of one machine.
type Forecast struct {
	Days  int // of the span it is for
	Lines []Line
	Total money.Band
}

// Line is a line of the forecast; its ID is that of the bill's line.
type Line struct {
	ID     string
	Amount money.Band
}

type bandJSON struct {
	Low   money.Exact `json:"low"`
	Point money.Exact `json:"point"`
	High  money.Exact `json:"high"`
}

func (b bandJSON) band() money.Band {
	return money.Band{Low: b.Low.Rat, Point: b.Point.Rat, High: b.High.Rat}
}

func bandOut(b money.Band) bandJSON {
	return bandJSON{money.Exact{Rat: b.Low}, money.Exact{Rat: b.Point}, money.Exact{Rat: b.High}}
}

type termJSON struct {
	Value  string     `json:"value,omitempty"`
	Status string     `json:"status"`
	Source string     `json:"source,omitempty"`
	Date   string     `json:"date,omitempty"`
	Mark   string     `json:"mark,omitempty"`
	Also   []termJSON `json:"also,omitempty"`
}

type lineJSON struct {
	ID     string   `json:"id"`
	Amount bandJSON `json:"amount"`
}

type packageJSON struct {
	Price money.Exact `json:"price"`
	From  time.Time   `json:"from"`
	Until time.Time   `json:"until"`
}

type forecastJSON struct {
	Days  int        `json:"days"`
	Lines []lineJSON `json:"lines"`
	Total bandJSON   `json:"total"`
}

type tariffJSON struct {
	Provider string              `json:"provider,omitempty"`
	Currency money.Currency      `json:"currency"`
	PerHour  *money.Exact        `json:"per_hour,omitempty"`
	NoGPU    *money.Exact        `json:"no_gpu_per_hour,omitempty"`
	Package  *packageJSON        `json:"package,omitempty"`
	Terms    map[string]termJSON `json:"terms,omitempty"`
	Offer    string              `json:"offer,omitempty"`
	Plan     string              `json:"plan,omitempty"`
	Since    time.Time           `json:"since"`
	Forecast *forecastJSON       `json:"forecast,omitempty"`
}

// MarshalJSON writes the kept form; every amount stays exact.
func (t Tariff) MarshalJSON() ([]byte, error) {
	j := tariffJSON{
		Provider: t.Provider, Currency: t.Currency, PerHour: fracOf(t.PerHour), NoGPU: fracOf(t.NoGPU), Offer: t.Offer, Plan: t.Plan, Since: t.Since,
	}
	if p := t.Package; p != nil {
		j.Package = &packageJSON{money.Exact{Rat: p.Price}, p.From, p.Until}
	}
	for id, term := range t.Terms {
		if j.Terms == nil {
			j.Terms = make(map[string]termJSON)
		}
		j.Terms[string(id)] = termOut(term)
	}
	if f := t.Forecast; f != nil {
		j.Forecast = &forecastJSON{Days: f.Days, Total: bandOut(f.Total)}
		for _, l := range f.Lines {
			j.Forecast.Lines = append(j.Forecast.Lines, lineJSON{l.ID, bandOut(l.Amount)})
		}
	}
	return json.Marshal(j)
}

// UnmarshalJSON reads the kept form.
func (t *Tariff) UnmarshalJSON(b []byte) error {
	var j tariffJSON
	if err := json.Unmarshal(b, &j); err != nil {
		return err
	}
	*t = Tariff{Provider: j.Provider, Currency: j.Currency, Offer: j.Offer, Plan: j.Plan, Since: j.Since}
	if j.PerHour != nil {
		t.PerHour = &j.PerHour.Rat
	}
	if j.NoGPU != nil {
		t.NoGPU = &j.NoGPU.Rat
	}
	if p := j.Package; p != nil {
		t.Package = &Package{p.Price.Rat, p.From, p.Until}
	}
	for id, term := range j.Terms {
		if t.Terms == nil {
			t.Terms = make(map[offer.TermID]offer.Term)
		}
		t.Terms[offer.TermID(id)] = term.term()
	}
	if f := j.Forecast; f != nil {
		t.Forecast = &Forecast{Days: f.Days, Total: f.Total.band()}
		for _, l := range f.Lines {
			t.Forecast.Lines = append(t.Forecast.Lines, Line{l.ID, l.Amount.band()})
		}
	}
	return nil
}

func fracOf(r *money.Rat) *money.Exact {
	if r == nil {
		return nil
	}
	return &money.Exact{Rat: *r}
}

func termOut(t offer.Term) termJSON {
	j := termJSON{Value: t.Value, Status: string(t.Status), Source: t.Source, Date: t.Date, Mark: string(t.Mark)}
	for _, a := range t.Also {
		j.Also = append(j.Also, termOut(a))
	}
	return j
}

func (j termJSON) term() offer.Term {
	t := offer.Term{Value: j.Value, Status: offer.Status(j.Status), Source: j.Source, Date: j.Date, Mark: offer.Mark(j.Mark)}
	for _, a := range j.Also {
		t.Also = append(t.Also, a.term())
	}
	return t
}

// Entry is the tariff of a host as it is kept.
func (t Tariff) Entry(host string) (purse.Entry, error) {
	b, err := json.Marshal(t)
	if err != nil {
		return purse.Entry{}, fmt.Errorf("keep the tariff of a host: %w", err)
	}
	return purse.Entry{Host: host, Kind: purse.KindTariff, Time: t.Since, Body: b}, nil
}

// Read reads a kept tariff. The error is that of JSON, or an offer.InputErrors of
// one that makes no sense.
func Read(b []byte) (Tariff, error) {
	var t Tariff
	if err := json.Unmarshal(b, &t); err != nil {
		return Tariff{}, fmt.Errorf("read a tariff: %w", err)
	}
	return t, t.Check()
}

// filled are the tariff's terms on top of the provider's rules.
func (t Tariff) filled() offer.Offer {
	return offer.Offer{Provider: t.Provider, Currency: t.Currency, Terms: maps.Clone(t.Terms)}.Filled()
}

// Rule is one of the terms that a cost or a stop rests on.
type Rule struct {
	ID   offer.TermID
	Term offer.Term // Status is Unknown where nobody says
}

// Rules are the terms that costs and stops rest on, unknown ones too, each with
// where it was read and when.
func (t Tariff) Rules() []Rule {
	o := t.filled()
	var rs []Rule
	for _, id := range []offer.TermID{
		offer.Granularity, offer.MinBilled, offer.MinCharge, offer.Settlement, offer.BilledFrom, offer.Discount, offer.Tax,
		offer.StopCompute, offer.GuestShutdown, offer.ReleaseAfter,
	} {
		rs = append(rs, Rule{id, o.Term(id)})
	}
	return rs
}

// ReleaseAfter is how long after a stop the provider deletes the instance; ok is
// false where nobody says. Of contradicting pages the soonest counts.
func (t Tariff) ReleaseAfter() (d time.Duration, ok bool) {
	b, _, known := t.filled().Rat(offer.ReleaseAfter)
	if !known {
		return 0, false
	}
	s, whole := b.Low.Mul(money.Int(3600)).Floor().Int64()
	return time.Duration(s) * time.Second, whole && s < 1e9
}

// Named is the provider as it is called, "" for none.
func (t Tariff) Named() (provider.Rules, bool) { return provider.Find(t.Provider) }
