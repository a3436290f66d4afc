package offer

import "rentgen/app/money"

// Hour is the price of an hour of all cards of a metered offer, false where it is
// not metered or has no price.
func (o Offer) Hour() (money.Rat, bool) {
	per := map[Unit]int64{Second: 3600, Minute: 60, Hour: 1}[o.Payment.Unit]
	if per == 0 || !o.Payment.Metered() || o.Payment.Price.Sign() <= 0 {
		return money.Rat{}, false
	}
	return o.Payment.Price.Mul(money.Int(per * int64(max(o.Cards, 1)))), true
}
