package bill

import "rentgen/app/money"

// IdleIn describes hours that are paid and hours that are used.
type IdleIn struct {
	Currency     money.Currency `json:"currency"`
	PricePerHour money.Rat      `json:"price_per_hour"`
	OnH          money.Rat      `json:"on_h"`
	UsefulH      money.Rat      `json:"useful_h"` // at most OnH
}

// IdleOut is what idling costs.
type IdleOut struct {
	Amount                      money.Rat  `json:"amount"`
	IdleAmount                  money.Rat  `json:"idle_amount"`
	Utilisation                 *money.Rat `json:"utilisation"` // nil if OnH is 0
	EffectivePricePerUsefulHour *money.Rat `json:"effective_price_per_useful_hour"`
}

// Idle divides a bill into useful and idle hours (formula 6).
func Idle(in IdleIn) (IdleOut, error) {
	var c checker
	c.price("price_per_hour", in.PricePerHour)
	c.duration("on_h", in.OnH)
	c.duration("useful_h", in.UsefulH)
	if in.OnH.Less(in.UsefulH) {
		c.fail("useful_h", in.UsefulH.String(), money.OutOfRange)
	}
	if c.err != nil {
		return IdleOut{}, c.err
	}
	amount := in.OnH.Mul(in.PricePerHour)
	return IdleOut{
		Amount: amount, IdleAmount: in.OnH.Sub(in.UsefulH).Mul(in.PricePerHour),
		Utilisation: ratio(in.UsefulH, in.OnH), EffectivePricePerUsefulHour: ratio(amount, in.UsefulH),
	}, nil
}

// PhaseWork is the name of the phase that isn't overhead.
const PhaseWork = "work"

// Phase is a part of a session.
type Phase struct {
	Name   string `json:"name"`
	S      int64  `json:"s"`
	Billed bool   `json:"billed"`
}

// PhasesIn describes a session by its phases. All billed phases are one session.
type PhasesIn struct {
	Currency     money.Currency `json:"currency"`
	PricePerHour money.Rat      `json:"price_per_hour"`
	GranularityS int64          `json:"granularity_s"`
	// TimeValuePerHour is what an hour of waiting is worth to the user; nil: not given.
	TimeValuePerHour *money.Rat `json:"time_value_per_hour"`
	Phases           []Phase    `json:"phases"`
}

// PhasesOut is what the session costs.
type PhasesOut struct {
	BilledUnits int64     `json:"billed_units"`
	BilledS     int64     `json:"billed_s"` // units times granularity
	WallS       int64     `json:"wall_s"`   // of all phases
	Amount      money.Rat `json:"amount"`
	// OverheadShareOfBilled is billed seconds other than work of billed seconds,
	// before rounding up; nil when none is billed.
	OverheadShareOfBilled *money.Rat `json:"overhead_share_of_billed"`
	UnbilledWaitValue     *money.Rat `json:"unbilled_wait_value"` // not part of Amount
}

// Phases bills a session that starts with waiting (formula 7).
func Phases(in PhasesIn) (PhasesOut, error) {
	var c checker
	c.price("price_per_hour", in.PricePerHour)
	c.granularity("granularity_s", in.GranularityS)
	c.optional(price, "time_value_per_hour", in.TimeValuePerHour)
	billed, overhead, unbilled := zero, zero, zero
	for i, p := range in.Phases {
		c.seconds(at("phases", i)+".s", p.S)
		s := money.Int(p.S)
		switch {
		case !p.Billed:
			unbilled = unbilled.Add(s)
		case p.Name != PhaseWork:
			overhead = overhead.Add(s)
			fallthrough
		default:
			billed = billed.Add(s)
		}
	}
	out := PhasesOut{WallS: c.whole("phases", billed.Add(unbilled))}
	if c.err != nil {
		return PhasesOut{}, c.err
	}
	out.BilledUnits = unitsOf(c.whole("phases", billed), 0, in.GranularityS)
	s := money.Int(out.BilledUnits).Mul(money.Int(in.GranularityS))
	out.BilledS, out.Amount = c.whole("phases", s), priced(in.PricePerHour, s)
	out.OverheadShareOfBilled = ratio(overhead, billed)
	if in.TimeValuePerHour != nil {
		v := priced(*in.TimeValuePerHour, unbilled)
		out.UnbilledWaitValue = &v
	}
	if c.err != nil {
		return PhasesOut{}, c.err
	}
	return out, nil
}

// OpsIn describes the user's own hours with a machine.
type OpsIn struct {
	Currency     money.Currency `json:"currency"`
	SetupH       money.Rat      `json:"setup_h"`
	WeeklyH      money.Rat      `json:"weekly_h"`
	Weeks        money.Rat      `json:"weeks"`
	PricePerHour *money.Rat     `json:"price_per_hour"` // nil: not given
}

// OpsOut is the hours, and their worth if they have a price.
type OpsOut struct {
	OpsH   money.Rat  `json:"ops_h"`
	Amount *money.Rat `json:"amount"`
}

// Ops counts the user's own hours (formula 19).
func Ops(in OpsIn) (OpsOut, error) {
	var c checker
	c.duration("setup_h", in.SetupH)
	c.duration("weekly_h", in.WeeklyH)
	c.duration("weeks", in.Weeks)
	c.optional(price, "price_per_hour", in.PricePerHour)
	if c.err != nil {
		return OpsOut{}, c.err
	}
	out := OpsOut{OpsH: in.SetupH.Add(in.WeeklyH.Mul(in.Weeks))}
	if in.PricePerHour != nil {
		a := out.OpsH.Mul(*in.PricePerHour)
		out.Amount = &a
	}
	return out, nil
}
