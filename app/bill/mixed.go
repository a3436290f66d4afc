package bill

import "rentgen/app/money"

// MixedStrategyIn describes a job that is validated first and may end there.
type MixedStrategyIn struct {
	Currency              money.Currency `json:"currency"`
	SharedPricePerHour    money.Rat      `json:"shared_price_per_hour"`
	DedicatedPricePerHour money.Rat      `json:"dedicated_price_per_hour"` // also of overage
	DedicatedMonth        money.Rat      `json:"dedicated_month"`          // price of the month
	MonthIncludedH        *money.Rat     `json:"month_included_h"`         // nil: all hours
	ValidationH           money.Rat      `json:"validation_h"`             // on shared
	BatchHShared          money.Rat      `json:"batch_h_shared"`           // in hours of the shared card
	DedicatedSpeedup      money.Rat      `json:"dedicated_speedup"`        // above 0
	TransferGB            money.Rat      `json:"transfer_gb"`
	TransferPricePerGB    money.Rat      `json:"transfer_price_per_gb"`
	SetupOpsH             money.Rat      `json:"setup_ops_h"`
	OpsPricePerHour       money.Rat      `json:"ops_price_per_hour"`
	ValidationFailProb    money.Rat      `json:"validation_fail_prob"`
}

// MixedStrategyOut compares the four plans by their expected cost.
type MixedStrategyOut struct {
	AllSharedAmount         money.Rat  `json:"all_shared_amount"`
	MixedHourlyAmount       money.Rat  `json:"mixed_hourly_amount"`
	MixedMonthAmount        money.Rat  `json:"mixed_month_amount"`
	AllDedicatedMonthAmount money.Rat  `json:"all_dedicated_month_amount"`
	DedicatedOverageH       money.Rat  `json:"dedicated_overage_h"` // all on dedicated, validation passed
	Cheapest                []string   `json:"cheapest"`
	Choice                  string     `json:"choice"`
	BreakevenFailProb       *money.Rat `json:"breakeven_fail_prob"` // nil outside 0 to 1
}

// MixedStrategy compares all on shared, validate on shared and then run on
// dedicated by the hour or by the month, and all on dedicated. Mixed pays
// transfer, set-up and batch only if validation passes; all-dedicated pays month
// and set-up always, overage only if it passes, no transfer (formula 20).
func MixedStrategy(in MixedStrategyIn) (MixedStrategyOut, error) {
	var c checker
	c.price("shared_price_per_hour", in.SharedPricePerHour)
	c.price("dedicated_price_per_hour", in.DedicatedPricePerHour)
	c.price("dedicated_month", in.DedicatedMonth)
	c.optional(duration, "month_included_h", in.MonthIncludedH)
	c.duration("validation_h", in.ValidationH)
	c.duration("batch_h_shared", in.BatchHShared)
	c.number(throughput, "dedicated_speedup", in.DedicatedSpeedup)
	c.quantity("transfer_gb", in.TransferGB)
	c.price("transfer_price_per_gb", in.TransferPricePerGB)
	c.duration("setup_ops_h", in.SetupOpsH)
	c.price("ops_price_per_hour", in.OpsPricePerHour)
	c.share("validation_fail_prob", in.ValidationFailProb)
	if c.err != nil {
		return MixedStrategyOut{}, c.err
	}
	passes := one.Sub(in.ValidationFailProb)
	validation := in.ValidationH.Mul(in.SharedPricePerHour)
	setup := in.SetupOpsH.Mul(in.OpsPricePerHour)
	move := in.TransferGB.Mul(in.TransferPricePerGB).Add(setup)
	batchH := in.BatchHShared.Quo(in.DedicatedSpeedup)
	overage := func(h money.Rat) money.Rat {
		if in.MonthIncludedH == nil {
			return zero
		}
		return above(h, *in.MonthIncludedH)
	}
	month := in.DedicatedMonth.Add(overage(batchH).Mul(in.DedicatedPricePerHour))

	out := MixedStrategyOut{DedicatedOverageH: overage(in.ValidationH.Add(in.BatchHShared).Quo(in.DedicatedSpeedup))}
	over := out.DedicatedOverageH.Mul(in.DedicatedPricePerHour)
	out.AllSharedAmount = validation.Add(passes.Mul(in.BatchHShared.Mul(in.SharedPricePerHour)))
	out.MixedHourlyAmount = validation.Add(passes.Mul(move.Add(batchH.Mul(in.DedicatedPricePerHour))))
	out.MixedMonthAmount = validation.Add(passes.Mul(move.Add(month)))
	out.AllDedicatedMonthAmount = in.DedicatedMonth.Add(setup).Add(passes.Mul(over))
	out.Cheapest = cheapest(
		side{AllShared, out.AllSharedAmount}, side{MixedHourly, out.MixedHourlyAmount},
		side{MixedMonth, out.MixedMonthAmount}, side{AllDedicatedMonth, out.AllDedicatedMonthAmount},
	)
	out.Choice = out.Cheapest[0]
	if p := ratio(in.DedicatedMonth.Add(setup).Sub(validation), move.Add(month).Sub(over)); p != nil {
		if q := one.Sub(*p); q.Sign() >= 0 && !one.Less(q) {
			out.BreakevenFailProb = &q
		}
	}
	return out, nil
}
