package offer

import (
	"rentgen/app/money"
	"rentgen/app/provider"
)

// Undated is the date of a term whose page bears none.
const Undated = provider.Undated

// Filled returns the offer with the rules of its provider beneath its own terms
// and with the usual in empty places: one machine, one whole card, the
// provider's machine and currency. A price of the rules is left out where the
// offer is in another currency than the provider's pages: amounts are never
// mixed.
func (o Offer) Filled() Offer {
	r, found := provider.Find(o.Provider)
	if found && o.Currency == "" {
		o.Currency = r.Currency
	}
	if found && o.Machine == "" {
		o.Machine = Machine(r.Machine)
	}
	if o.Count == 0 {
		o.Count = 1
	}
	if o.Cards == 0 {
		o.Cards = 1
	}
	if o.Card.Part == "" {
		o.Card.Part = Whole
	}
	terms := make(map[TermID]Term, len(o.Terms)+len(r.Terms))
	for k, t := range r.Terms {
		d, ok := DefOf(TermID(k))
		if ok && (d.Kind != KindMoney || o.Currency == r.Currency || free(t)) {
			terms[d.ID] = ruled(t)
		}
	}
	for id, t := range o.Terms {
		terms[id] = t
	}
	o.Terms = terms
	return o
}

// free reports whether every page says that there is nothing to pay, which
// holds in any currency.
func free(t provider.Term) bool {
	for _, x := range append([]provider.Term{t}, t.Also...) {
		if v, err := parse(x.Value); err != nil || !v.IsZero() {
			return false
		}
	}
	return true
}

// ruled turns a provider's rule into a term.
func ruled(t provider.Term) Term {
	n := Term{Value: t.Value, Status: Known, Source: t.Source, Date: t.Date, Mark: Mark(t.Mark)}
	for _, a := range t.Also {
		n.Also = append(n.Also, ruled(a))
	}
	return n
}

// Term returns what the offer itself says of a term; its status is Unknown when
// nobody says. Ask a filled offer to have the provider's rules too.
func (o Offer) Term(id TermID) Term {
	t, ok := o.Terms[id]
	if !ok || t.Status == "" {
		t.Status = Unknown
		if t.Value != "" {
			t.Status = Typed
		}
	}
	if t.Status != Unknown && t.Value == "" {
		t.Status = Unknown
	}
	return t
}

// Rat returns the number of a term. Point is what the term says; where other
// pages say otherwise the band spans all of them. Of a Def that Cheapens the
// dear end is the low one. known is false, and the band 0, when nobody says or
// the term holds no number.
func (o Offer) Rat(id TermID) (band money.Band, t Term, known bool) {
	t = o.Term(id)
	d, ok := DefOf(id)
	if !ok || t.Status == Unknown {
		return money.Band{}, t, false
	}
	v, err := d.number(t.Value)
	if err != nil {
		return money.Band{}, t, false
	}
	band = money.Sure(v)
	for _, a := range t.Also {
		if v, err := d.number(a.Value); err == nil {
			band.Low, band.High = band.Low.Min(v), band.High.Max(v)
		}
	}
	return band, t, true
}

// Flag returns a yes or no; known is false when nobody says. What other pages
// say is in t.Also.
func (o Offer) Flag(id TermID) (value, known bool, t Term) {
	t = o.Term(id)
	d, ok := DefOf(id)
	if !ok || d.Kind != KindFlag || t.Status == Unknown {
		return false, false, t
	}
	return t.Value == "true", t.Value == "true" || t.Value == "false", t
}

// Choice returns one of the term's options; known is false when nobody says.
func (o Offer) Choice(id TermID) (value string, known bool, t Term) {
	t = o.Term(id)
	d, ok := DefOf(id)
	if !ok || d.Kind != KindChoice || t.Status == Unknown || d.Check(t.Value) != nil {
		return "", false, t
	}
	return t.Value, true, t
}
