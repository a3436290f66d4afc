package bill

import (
	"strconv"
	"time"

	"rentgen/app/money"
)

// PricePiece is a time with one price or configuration.
type PricePiece struct {
	From         time.Time `json:"from"`
	To           time.Time `json:"to"`
	PricePerHour money.Rat `json:"price_per_hour"`
}

// PiecewisePriceIn describes a machine whose price or configuration changes.
type PiecewisePriceIn struct {
	Currency     money.Currency `json:"currency"`
	GranularityS int64          `json:"granularity_s"`
	Pieces       []PricePiece   `json:"pieces"`
}

// PiecewisePriceOut is what each piece costs.
type PiecewisePriceOut struct {
	BilledUnits []int64     `json:"billed_units"`
	Amounts     []money.Rat `json:"amounts"`
	Amount      money.Rat   `json:"amount"`
}

// PiecewisePrice bills each piece by itself, rounded up to units (formulas 17 and 22).
func PiecewisePrice(in PiecewisePriceIn) (PiecewisePriceOut, error) {
	var c checker
	c.granularity("granularity_s", in.GranularityS)
	for i, p := range in.Pieces {
		f := at("pieces", i)
		c.moment(f+".from", p.From)
		c.moment(f+".to", p.To)
		c.order(f+".to", p.From, p.To)
		c.price(f+".price_per_hour", p.PricePerHour)
	}
	if c.err != nil {
		return PiecewisePriceOut{}, c.err
	}
	out := PiecewisePriceOut{BilledUnits: make([]int64, len(in.Pieces)), Amounts: make([]money.Rat, len(in.Pieces))}
	for i, p := range in.Pieces {
		out.BilledUnits[i] = unitsOf(p.To.Unix()-p.From.Unix(), 0, in.GranularityS)
		out.Amounts[i] = priced(p.PricePerHour, money.Int(out.BilledUnits[i]).Mul(money.Int(in.GranularityS)))
	}
	out.Amount = money.Sum(out.Amounts...)
	return out, nil
}

// UpgradeProrateIn describes a prepaid period whose configuration is changed.
type UpgradeProrateIn struct {
	Currency  money.Currency `json:"currency"`
	OldPrice  money.Rat      `json:"old_price"` // of the whole period
	NewPrice  money.Rat      `json:"new_price"`
	DaysLeft  int64          `json:"days_left"`
	DaysTotal int64          `json:"days_total"`
}

// UpgradeProrateOut is what the change costs; below 0 for a cheaper one.
type UpgradeProrateOut struct {
	Amount money.Rat `json:"amount"`
}

// UpgradeProrate is (new - old) * days left / days of the period (formula 22).
func UpgradeProrate(in UpgradeProrateIn) (UpgradeProrateOut, error) {
	var c checker
	c.price("old_price", in.OldPrice)
	c.price("new_price", in.NewPrice)
	c.seconds("days_left", in.DaysLeft)
	c.positive(duration, "days_total", money.Int(in.DaysTotal))
	if in.DaysLeft > in.DaysTotal {
		c.fail("days_left", strconv.FormatInt(in.DaysLeft, 10), money.OutOfRange)
	}
	if c.err != nil {
		return UpgradeProrateOut{}, c.err
	}
	return UpgradeProrateOut{in.NewPrice.Sub(in.OldPrice).Mul(money.Frac(in.DaysLeft, in.DaysTotal))}, nil
}

// TermDiscountIn describes a long term paid at once.
type TermDiscountIn struct {
	Currency            money.Currency `json:"currency"`
	MonthPrice          money.Rat      `json:"month_price"`
	FirstYearMonthsPaid int64          `json:"first_year_months_paid"`
	RenewYears          int64          `json:"renew_years"`
	RenewDiscount       money.Rat      `json:"renew_discount"` // factor
}

// TermDiscountOut is what the term costs.
type TermDiscountOut struct {
	FirstYearAmount money.Rat `json:"first_year_amount"`
	RenewalAmount   money.Rat `json:"renewal_amount"`
	Amount          money.Rat `json:"amount"`
}

// TermDiscount bills a first year of so many paid months and years that are
// renewed at a factor of the month price (formula 22).
func TermDiscount(in TermDiscountIn) (TermDiscountOut, error) {
	var c checker
	c.price("month_price", in.MonthPrice)
	c.count("first_year_months_paid", in.FirstYearMonthsPaid)
	c.count("renew_years", in.RenewYears)
	c.quantity("renew_discount", in.RenewDiscount)
	if c.err != nil {
		return TermDiscountOut{}, c.err
	}
	first := in.MonthPrice.Mul(money.Int(in.FirstYearMonthsPaid))
	renewal := in.MonthPrice.Mul(money.Int(12)).Mul(money.Int(in.RenewYears)).Mul(in.RenewDiscount)
	return TermDiscountOut{first, renewal, first.Add(renewal)}, nil
}

// NothingRefundable flags a refund of which nothing is left.
const NothingRefundable = "nothing_refundable"

// RefundIn describes a prepaid term that is given back: full months count at
// the month price, the rest by the hour.
type RefundIn struct {
	Currency    money.Currency `json:"currency"`
	Paid        money.Rat      `json:"paid"`
	MonthPrice  money.Rat      `json:"month_price"`
	FullMonths  int64          `json:"full_months"`
	RestH       money.Rat      `json:"rest_h"`
	HourlyPrice money.Rat      `json:"hourly_price"`
}

// RefundOut is what comes back.
type RefundOut struct {
	ConsumedAmount money.Rat `json:"consumed_amount"`
	RawAmount      money.Rat `json:"raw_amount"` // paid - consumed
	Amount         money.Rat `json:"amount"`     // never below 0
	Flag           *string   `json:"flag"`       // NothingRefundable, or nil
}

// Refund gives back what isn't consumed (formula 22).
func Refund(in RefundIn) (RefundOut, error) {
	var c checker
	c.price("paid", in.Paid)
	c.price("month_price", in.MonthPrice)
	c.count("full_months", in.FullMonths)
	c.duration("rest_h", in.RestH)
	c.price("hourly_price", in.HourlyPrice)
	if c.err != nil {
		return RefundOut{}, c.err
	}
	consumed := in.MonthPrice.Mul(money.Int(in.FullMonths)).Add(in.RestH.Mul(in.HourlyPrice))
	out := RefundOut{ConsumedAmount: consumed, RawAmount: in.Paid.Sub(consumed), Amount: above(in.Paid, consumed)}
	if out.RawAmount.Sign() <= 0 {
		flag := NothingRefundable
		out.Flag = &flag
	}
	return out, nil
}

// Payment is one payment of an order. Days are counted from its start; the end
// isn't included.
type Payment struct {
	Amount     money.Rat `json:"amount"`
	StartDay   int64     `json:"start_day"`
	EndDay     int64     `json:"end_day"`
	Refundable bool      `json:"refundable"` // false: a voucher
}

// RefundProrateIn describes an order that is given back by unused days.
type RefundProrateIn struct {
	Currency  money.Currency `json:"currency"`
	Payments  []Payment      `json:"payments"`
	UsedS     int64          `json:"used_s"`     // rounded up to whole days
	LossShare money.Rat      `json:"loss_share"` // kept by the provider
	Round     Round          `json:"round"`
}

// RefundProrateOut is what comes back of each payment.
type RefundProrateOut struct {
	UsedDays      int64       `json:"used_days"`
	Refunds       []money.Rat `json:"refunds"`
	Amount        money.Rat   `json:"amount"`
	AmountRounded money.Rat   `json:"amount_rounded"`
}

// RefundProrate gives back each payment by the share of its own days that are
// left, less the provider's share (formula 22).
func RefundProrate(in RefundProrateIn) (RefundProrateOut, error) {
	var c checker
	for i, p := range in.Payments {
		f := at("payments", i)
		c.price(f+".amount", p.Amount)
		c.seconds(f+".start_day", p.StartDay)
		c.seconds(f+".end_day", p.EndDay)
		if p.EndDay <= p.StartDay {
			c.fail(f+".end_day", strconv.FormatInt(p.EndDay, 10), money.OutOfRange)
		}
	}
	c.seconds("used_s", in.UsedS)
	c.share("loss_share", in.LossShare)
	c.round(in.Round)
	if c.err != nil {
		return RefundProrateOut{}, c.err
	}
	out := RefundProrateOut{UsedDays: unitsOf(in.UsedS, 0, 86400), Refunds: make([]money.Rat, len(in.Payments))}
	kept := one.Sub(in.LossShare)
	for i, p := range in.Payments {
		if left := p.EndDay - max(p.StartDay, out.UsedDays); p.Refundable && left > 0 {
			out.Refunds[i] = p.Amount.Mul(money.Frac(left, p.EndDay-p.StartDay)).Mul(kept)
		}
	}
	out.Amount, out.AmountRounded = money.Sum(out.Refunds...), in.Round.sum(out.Refunds...)
	return out, nil
}

// Order is what a discount and a coupon are taken from.
type Order string

// The orders.
const (
	DiscountThenCoupon Order = "discount_then_coupon"
	CouponThenDiscount Order = "coupon_then_discount"
)

// DiscountOrderIn describes a price with a discount and a coupon.
type DiscountOrderIn struct {
	Currency       money.Currency `json:"currency"`
	ListPrice      money.Rat      `json:"list_price"`
	Discount       money.Rat      `json:"discount"` // factor
	Coupon         money.Rat      `json:"coupon"`
	CouponMinSpend money.Rat      `json:"coupon_min_spend"` // of the price the coupon is taken from
	Order          Order          `json:"order"`
}

// DiscountOrderOut is what is to pay.
type DiscountOrderOut struct {
	CouponApplied bool      `json:"coupon_applied"`
	Amount        money.Rat `json:"amount"` // never below 0
}

// DiscountOrder takes a discount and a coupon off in the order given
// (formula 22).
func DiscountOrder(in DiscountOrderIn) (DiscountOrderOut, error) {
	var c checker
	c.price("list_price", in.ListPrice)
	c.quantity("discount", in.Discount)
	c.price("coupon", in.Coupon)
	c.price("coupon_min_spend", in.CouponMinSpend)
	option(&c, "order", in.Order, DiscountThenCoupon, CouponThenDiscount)
	if c.err != nil {
		return DiscountOrderOut{}, c.err
	}
	before, after := in.Discount, one
	if in.Order == CouponThenDiscount {
		before, after = one, in.Discount
	}
	from := in.ListPrice.Mul(before)
	out := DiscountOrderOut{CouponApplied: !from.Less(in.CouponMinSpend)}
	if out.CouponApplied {
		from = above(from, in.Coupon)
	}
	out.Amount = from.Mul(after)
	return out, nil
}
