package bill

import "rentgen/app/money"

// unitsOf returns how many units of g seconds a session of s seconds has: 0 for
// a session of 0 s, which costs nothing, else rounded up with a least length.
func unitsOf(s, least, g int64) int64 {
	if s == 0 {
		return 0
	}
	s = max(s, least)
	n := s / g
	if s%g > 0 {
		n++
	}
	return n
}

// SessionBillingIn describes sessions of one machine.
type SessionBillingIn struct {
	Currency     money.Currency `json:"currency"`
	PricePerHour money.Rat      `json:"price_per_hour"`
	GranularityS int64          `json:"granularity_s"`
	MinBilledS   int64          `json:"min_billed_s"` // least seconds of a session
	MinCharge    money.Rat      `json:"min_charge"`   // least money of a session
	SessionsS    []int64        `json:"sessions_s"`   // seconds of each
	Repeat       int64          `json:"repeat"`       // the whole list happens so many times
	Round        Round          `json:"round"`        // level total or per_session
}

// SessionBillingOut is what the sessions cost.
type SessionBillingOut struct {
	BilledUnits     []int64   `json:"billed_units"` // of the list, once
	BilledS         int64     `json:"billed_s"`     // all, with repeat
	Amount          money.Rat `json:"amount"`
	AmountRounded   money.Rat `json:"amount_rounded"`
	PerSecondAmount money.Rat `json:"per_second_amount"` // the same sessions by the second, no minimum
	BillingOverhead money.Rat `json:"billing_overhead"`  // Amount - PerSecondAmount
}

// SessionBilling bills sessions: units are rounded up in each session, then
// money (formula 1).
func SessionBilling(in SessionBillingIn) (SessionBillingOut, error) {
	var c checker
	c.price("price_per_hour", in.PricePerHour)
	c.granularity("granularity_s", in.GranularityS)
	c.seconds("min_billed_s", in.MinBilledS)
	c.price("min_charge", in.MinCharge)
	for i, s := range in.SessionsS {
		c.seconds(at("sessions_s", i), s)
	}
	c.count("repeat", in.Repeat)
	c.round(in.Round, Total, PerSession)
	if c.err != nil {
		return SessionBillingOut{}, c.err
	}
	out := SessionBillingOut{BilledUnits: make([]int64, len(in.SessionsS))}
	repeat := money.Int(in.Repeat)
	amounts := make([]money.Rat, len(in.SessionsS))
	billed, used := zero, zero
	for i, s := range in.SessionsS {
		n := unitsOf(s, in.MinBilledS, in.GranularityS)
		out.BilledUnits[i] = n
		b := money.Int(n).Mul(money.Int(in.GranularityS))
		billed, used = billed.Add(b), used.Add(money.Int(s))
		if s > 0 {
			amounts[i] = priced(in.PricePerHour, b).Max(in.MinCharge)
		}
	}
	out.BilledS = c.whole("sessions_s", billed.Mul(repeat))
	out.Amount = money.Sum(amounts...).Mul(repeat)
	out.AmountRounded = in.Round.one(out.Amount)
	if in.Round.Level == PerSession {
		out.AmountRounded = in.Round.sum(amounts...).Mul(repeat)
	}
	out.PerSecondAmount = priced(in.PricePerHour, used.Mul(repeat))
	out.BillingOverhead = out.Amount.Sub(out.PerSecondAmount)
	if c.err != nil {
		return SessionBillingOut{}, c.err
	}
	return out, nil
}

// SessionBillingHoursIn describes sessions in decimal hours.
type SessionBillingHoursIn struct {
	Currency     money.Currency `json:"currency"`
	PricePerHour money.Rat      `json:"price_per_hour"`
	GranularityS int64          `json:"granularity_s"`
	MinBilledS   int64          `json:"min_billed_s"`
	SessionsH    [][]money.Rat  `json:"sessions_h"` // the hours of each list are one session
	Round        Round          `json:"round"`      // level total or per_session
}

// SessionBillingHoursOut is what the sessions cost.
type SessionBillingHoursOut struct {
	BilledUnits   []int64   `json:"billed_units"`
	BilledS       int64     `json:"billed_s"`
	Amount        money.Rat `json:"amount"`
	AmountRounded money.Rat `json:"amount_rounded"`
}

// SessionBillingHours bills sessions whose hours are summed exactly before they
// are rounded up to units (formula 1).
func SessionBillingHours(in SessionBillingHoursIn) (SessionBillingHoursOut, error) {
	var c checker
	c.price("price_per_hour", in.PricePerHour)
	c.granularity("granularity_s", in.GranularityS)
	c.seconds("min_billed_s", in.MinBilledS)
	for i, session := range in.SessionsH {
		for j, h := range session {
			c.duration(at(at("sessions_h", i), j), h)
		}
	}
	c.round(in.Round, Total, PerSession)
	if c.err != nil {
		return SessionBillingHoursOut{}, c.err
	}
	out := SessionBillingHoursOut{BilledUnits: make([]int64, len(in.SessionsH))}
	g := money.Int(in.GranularityS)
	amounts := make([]money.Rat, len(in.SessionsH))
	var billed []money.Rat
	for i, session := range in.SessionsH {
		units := zero
		if s := money.Sum(session...).Mul(hour); !s.IsZero() {
			units = s.Max(money.Int(in.MinBilledS)).Quo(g).Ceil()
		}
		out.BilledUnits[i] = c.whole(at("sessions_h", i), units)
		billed = append(billed, units.Mul(g))
		amounts[i] = priced(in.PricePerHour, units.Mul(g))
	}
	out.BilledS = c.whole("sessions_h", money.Sum(billed...))
	out.Amount = money.Sum(amounts...)
	out.AmountRounded = in.Round.sum(amounts...)
	if c.err != nil {
		return SessionBillingHoursOut{}, c.err
	}
	return out, nil
}

// Leg is a part of a job on so many cards.
type Leg struct {
	Cards int64 `json:"cards"`
	S     int64 `json:"s"`
}

// GPULegsIn describes a job on a changing number of cards.
type GPULegsIn struct {
	Currency         money.Currency `json:"currency"`
	PricePerCardHour money.Rat      `json:"price_per_card_hour"`
	GranularityS     int64          `json:"granularity_s"`
	Legs             []Leg          `json:"legs"`
}

// GPULegsOut is what the legs cost.
type GPULegsOut struct {
	LegAmounts  []money.Rat `json:"leg_amounts"`
	BilledCardH money.Rat   `json:"billed_card_h"`
	WallS       int64       `json:"wall_s"` // not rounded
	Amount      money.Rat   `json:"amount"`
}

// GPULegs bills a job on several cards: each leg is rounded up, then times its
// cards (formula 1).
func GPULegs(in GPULegsIn) (GPULegsOut, error) {
	var c checker
	c.price("price_per_card_hour", in.PricePerCardHour)
	c.granularity("granularity_s", in.GranularityS)
	for i, l := range in.Legs {
		c.count(at("legs", i)+".cards", l.Cards)
		c.seconds(at("legs", i)+".s", l.S)
	}
	if c.err != nil {
		return GPULegsOut{}, c.err
	}
	out := GPULegsOut{LegAmounts: make([]money.Rat, len(in.Legs))}
	wall, card := zero, zero
	for i, l := range in.Legs {
		s := money.Int(unitsOf(l.S, 0, in.GranularityS)).Mul(money.Int(in.GranularityS)).Mul(money.Int(l.Cards))
		out.LegAmounts[i] = priced(in.PricePerCardHour, s)
		card, wall = card.Add(s), wall.Add(money.Int(l.S))
	}
	out.BilledCardH, out.WallS, out.Amount = card.Quo(hour), c.whole("legs", wall), money.Sum(out.LegAmounts...)
	if c.err != nil {
		return GPULegsOut{}, c.err
	}
	return out, nil
}
