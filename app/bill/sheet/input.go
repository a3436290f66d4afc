package sheet

import (
	"rentgen/app/bill/offer"
	"rentgen/app/money"
)

// The origins of an input beyond those of a term.
const (
	Estimated offer.Status = "estimated" // from the tables, with its band
	Reckoned  offer.Status = "reckoned"  // follows from the other inputs
	Measured  offer.Status = "measured"  // by the user, for this job and card
	Usual     offer.Status = "usual"     // nobody says; taken as most providers have it
)

// inputs returns the inputs of a line where they are asked for: they cost more
// than the sum itself.
func (e *eval) inputs(f func() []Input) []Input {
	if !e.tell {
		return nil
	}
	return f()
}

// term is an input that the offer's terms give. Its band spans what pages say.
func (e *eval) term(name string, id offer.TermID) Input {
	d, _ := offer.DefOf(id)
	in := Input{Name: name, Unit: unitOf(d, e.offer), Status: offer.Unknown}
	v, ok := e.values[id]
	if !ok {
		return in
	}
	in.Value = ordered(v.band.Low, v.band.Point, v.band.High)
	in.Status, in.Source, in.Date, in.Mark, in.Also = v.term.Status, v.term.Source, v.term.Date, v.term.Mark, v.term.Also
	return in
}

// unitOf is what a term's number is in; money carries its currency, "CNY/h".
func unitOf(d offer.Def, o offer.Offer) string {
	if d.Kind != offer.KindMoney {
		return d.Unit
	}
	if d.Unit == "" {
		return string(o.Currency)
	}
	return string(o.Currency) + "/" + d.Unit
}

// typed is an input that the user gave with the offer or the plan.
func typed(name string, v money.Rat, unit string) Input {
	return Input{Name: name, Value: money.Sure(v), Unit: unit, Status: offer.Typed}
}

// reckoned is an input that follows from others.
func reckoned(name string, v money.Rat, unit string) Input {
	return Input{Name: name, Value: money.Sure(v), Unit: unit, Status: Reckoned}
}

// price is an hour of one machine.
func (e *eval) priceInput() Input {
	return typed("price", e.hourly, string(e.offer.Currency)+"/h")
}

// hoursInput is hours that come from the seconds a picture, with their band.
func (e *eval) hoursInput(name string, v money.Rat, b money.Band) Input {
	in := Input{Name: name, Value: money.Sure(v), Unit: "h", Status: Reckoned}
	if !b.Wide() {
		return in
	}
	in.Value = ordered(b.Low.Min(v), v, b.High.Max(v))
	in.Status = Estimated
	if e.use.Measured {
		in.Status = Measured
	}
	return in
}

func ordered(a, b, c money.Rat) money.Band {
	return money.Band{Low: a.Min(b).Min(c), Point: b, High: a.Max(b).Max(c)}
}
