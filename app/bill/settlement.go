package bill

import (
	"time"

	"rentgen/app/money"
)

// Settlement is when a provider settles a session.
type Settlement string

// The settlements.
const (
	SettlePerSession    Settlement = "per_session"
	SettleWallClockHour Settlement = "wall_clock_hour"
)

// SettlementRoundingIn describes one session on the clock.
type SettlementRoundingIn struct {
	Currency     money.Currency `json:"currency"`
	PricePerHour money.Rat      `json:"price_per_hour"`
	GranularityS int64          `json:"granularity_s"`
	Start        time.Time      `json:"start"`
	End          time.Time      `json:"end"`
	Settlement   Settlement     `json:"settlement"`
	Round        Round          `json:"round"` // level total or per_settlement
}

// SettlementRoundingOut is what each settlement costs.
type SettlementRoundingOut struct {
	SegmentsS             []int64     `json:"segments_s"`
	BilledUnits           []int64     `json:"billed_units"`
	SegmentAmounts        []money.Rat `json:"segment_amounts"`
	SegmentAmountsRounded []money.Rat `json:"segment_amounts_rounded"`
	Amount                money.Rat   `json:"amount"` // sum of SegmentAmounts
	AmountRounded         money.Rat   `json:"amount_rounded"`
}

// mostSegments is a century of settled hours.
const mostSegments = 24 * 36525

// SettlementRounding bills a session that is settled as a whole or at each full
// hour of the local clock, the clock of Start; units are rounded up in each
// settlement (formula 2).
func SettlementRounding(in SettlementRoundingIn) (SettlementRoundingOut, error) {
	var c checker
	c.price("price_per_hour", in.PricePerHour)
	c.granularity("granularity_s", in.GranularityS)
	c.moment("start", in.Start)
	c.moment("end", in.End)
	c.order("end", in.Start, in.End)
	option(&c, "settlement", in.Settlement, SettlePerSession, SettleWallClockHour)
	c.round(in.Round, Total, PerSettlement)
	from, to := in.Start.Unix(), in.End.Unix()
	c.between("end", to-from, 0, mostSegments*3600)
	if c.err != nil {
		return SettlementRoundingOut{}, c.err
	}
	out := SettlementRoundingOut{SegmentsS: []int64{}}
	if in.Settlement == SettlePerSession {
		out.SegmentsS = append(out.SegmentsS, to-from)
	} else {
		// Offsets of half and quarter hours have their full hours elsewhere.
		_, offset := in.Start.Zone()
		into := (from + int64(offset)) % 3600
		if into < 0 {
			into += 3600
		}
		for length := 3600 - into; from < to; length = 3600 {
			s := min(length, to-from)
			out.SegmentsS = append(out.SegmentsS, s)
			from += s
		}
	}
	n := len(out.SegmentsS)
	out.BilledUnits, out.SegmentAmounts, out.SegmentAmountsRounded = make([]int64, n), make([]money.Rat, n), make([]money.Rat, n)
	for i, s := range out.SegmentsS {
		out.BilledUnits[i] = unitsOf(s, 0, in.GranularityS)
		out.SegmentAmounts[i] = priced(in.PricePerHour, money.Int(out.BilledUnits[i]).Mul(money.Int(in.GranularityS)))
		out.SegmentAmountsRounded[i] = in.Round.one(out.SegmentAmounts[i])
	}
	out.Amount = money.Sum(out.SegmentAmounts...)
	out.AmountRounded = in.Round.sum(out.SegmentAmounts...)
	return out, nil
}
