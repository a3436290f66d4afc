package bill

import (
	"errors"

	"rentgen/app/money"
)

// MinorUnitsItem is an amount of a currency.
type MinorUnitsItem struct {
	Currency    money.Currency `json:"currency"`
	AmountExact money.Rat      `json:"amount_exact"` // may be negative
	Mode        money.Mode     `json:"mode"`
}

// MinorUnitsIn holds amounts of any currencies.
type MinorUnitsIn struct {
	Items []MinorUnitsItem `json:"items"`
}

// MinorUnitsResult is an amount in whole minor units.
type MinorUnitsResult struct {
	Scale         int       `json:"scale"`
	AmountRounded money.Rat `json:"amount_rounded"`
}

// MinorUnitsOut is each item rounded.
type MinorUnitsOut struct {
	Results []MinorUnitsResult `json:"results"`
}

// MinorUnits rounds amounts to the minor units of their currencies (formula 23).
func MinorUnits(in MinorUnitsIn) (MinorUnitsOut, error) {
	var c checker
	out := MinorUnitsOut{Results: make([]MinorUnitsResult, len(in.Items))}
	for i, it := range in.Items {
		f := at("items", i)
		c.number(anyNumber, f+".amount_exact", it.AmountExact)
		option(&c, f+".mode", it.Mode, money.HalfUp, money.HalfEven)
		scale := it.Currency.Scale()
		out.Results[i] = MinorUnitsResult{scale, it.AmountExact.Round(scale, it.Mode)}
	}
	if c.err != nil {
		return MinorUnitsOut{}, c.err
	}
	return out, nil
}

// MoneyLine is a line of a bill in its own currency.
type MoneyLine struct {
	Currency money.Currency `json:"currency"`
	Amount   money.Rat      `json:"amount"` // may be negative
}

// CurrencyMixIn holds lines that are summed in one currency.
type CurrencyMixIn struct {
	Lines          []MoneyLine    `json:"lines"`
	TargetCurrency money.Currency `json:"target_currency"`
	Rates          money.Rates    `json:"rates"` // used in both directions
	Round          Round          `json:"round"` // level total or per_line
}

// CurrencyMixOut is the sum. With an Error all else is nil.
type CurrencyMixOut struct {
	Error         *money.Problem  `json:"error"`
	Amount        *money.Rat      `json:"amount"`
	AmountRounded *money.Rat      `json:"amount_rounded"`
	Currency      *money.Currency `json:"currency"`
	RateDates     []string        `json:"rate_dates"` // one a converted line
}

// CurrencyMix converts lines by dated rates and sums them; currencies are never
// mixed silently (formula 23). What is wrong is returned as Error, and as a
// *money.FieldError that names the line.
func CurrencyMix(in CurrencyMixIn) (CurrencyMixOut, error) {
	var c checker
	for i, l := range in.Lines {
		c.number(anyNumber, at("lines", i)+".amount", l.Amount)
		if l.Currency == "" {
			c.fail(at("lines", i)+".currency", "", money.Missing)
		}
	}
	if in.TargetCurrency == "" {
		c.fail("target_currency", "", money.Missing)
	}
	c.round(in.Round, Total, PerLine)
	amounts := make([]money.Rat, len(in.Lines))
	dates := []string{}
	for i, l := range in.Lines {
		a, date, err := in.Rates.Convert(money.Amount{Value: l.Amount, Currency: l.Currency}, in.TargetCurrency)
		if err != nil {
			c.fail(at("lines", i)+".currency", string(l.Currency), money.MissingRate)
		}
		if l.Currency != in.TargetCurrency {
			dates = append(dates, date)
		}
		amounts[i] = a.Value
	}
	if c.err != nil {
		var p money.Problem
		errors.As(c.err, &p)
		return CurrencyMixOut{Error: &p}, c.err
	}
	sum, rounded := money.Sum(amounts...), in.Round.sum(amounts...)
	return CurrencyMixOut{Amount: &sum, AmountRounded: &rounded, Currency: &in.TargetCurrency, RateDates: dates}, nil
}

// CompareTotalsIn holds two totals.
type CompareTotalsIn struct {
	Currency       money.Currency `json:"currency"`
	SharedTotal    money.Rat      `json:"shared_total"`
	DedicatedTotal money.Rat      `json:"dedicated_total"`
}

// CompareTotalsOut compares them.
type CompareTotalsOut struct {
	Cheapest   []string  `json:"cheapest"`   // Shared, Dedicated; both at a tie
	Difference money.Rat `json:"difference"` // dedicated - shared
}

// CompareTotals compares two totals as numbers, before rounding (formula 23).
func CompareTotals(in CompareTotalsIn) (CompareTotalsOut, error) {
	var c checker
	c.number(anyNumber, "shared_total", in.SharedTotal)
	c.number(anyNumber, "dedicated_total", in.DedicatedTotal)
	if c.err != nil {
		return CompareTotalsOut{}, c.err
	}
	return CompareTotalsOut{
		cheapest(side{Shared, in.SharedTotal}, side{Dedicated, in.DedicatedTotal}), in.DedicatedTotal.Sub(in.SharedTotal),
	}, nil
}

// BillLinesIn describes one bill of compute, storage and traffic.
type BillLinesIn struct {
	Currency      money.Currency `json:"currency"`
	PricePerHour  money.Rat      `json:"price_per_hour"`
	GranularityS  int64          `json:"granularity_s"`
	MinBilledS    int64          `json:"min_billed_s"`
	MinCharge     money.Rat      `json:"min_charge"`
	SessionsS     []int64        `json:"sessions_s"`
	ProvisionedGB money.Rat      `json:"provisioned_gb"`
	FreeGB        money.Rat      `json:"free_gb"`
	PricePerGBDay money.Rat      `json:"price_per_gb_day"`
	Midnights     int64          `json:"midnights"`
	TrafficGB     money.Rat      `json:"traffic_gb"`
	PricePerGB    money.Rat      `json:"price_per_gb"`
	Images        int64          `json:"images"`
	Round         Round          `json:"round"` // level total or per_line
}

// BillLinesOut is the bill.
type BillLinesOut struct {
	ComputeAmount money.Rat  `json:"compute_amount"`
	StorageAmount money.Rat  `json:"storage_amount"`
	TrafficAmount money.Rat  `json:"traffic_amount"`
	Amount        money.Rat  `json:"amount"`
	AmountRounded money.Rat  `json:"amount_rounded"`
	PerImage      *money.Rat `json:"per_image"` // nil at 0 images
}

// BillLines sums the lines of a bill and rounds them or their sum (formula 23).
func BillLines(in BillLinesIn) (BillLinesOut, error) {
	var c checker
	c.round(in.Round, Total, PerLine)
	c.quantity("traffic_gb", in.TrafficGB)
	c.price("price_per_gb", in.PricePerGB)
	c.count("images", in.Images)
	if c.err != nil {
		return BillLinesOut{}, c.err
	}
	whole := Round{Mode: in.Round.Mode, Scale: in.Round.Scale, Level: Total}
	compute, err := SessionBilling(SessionBillingIn{
		Currency: in.Currency, PricePerHour: in.PricePerHour, GranularityS: in.GranularityS, MinBilledS: in.MinBilledS,
		MinCharge: in.MinCharge, SessionsS: in.SessionsS, Repeat: 1, Round: whole,
	})
	if err != nil {
		return BillLinesOut{}, err
	}
	storage, err := StorageDaily(StorageDailyIn{
		Currency: in.Currency, PricePerGBDay: in.PricePerGBDay, ProvisionedGB: in.ProvisionedGB, FreeGB: in.FreeGB,
		Midnights: in.Midnights, Round: whole,
	})
	if err != nil {
		return BillLinesOut{}, err
	}
	lines := []money.Rat{compute.Amount, storage.Amount, in.TrafficGB.Mul(in.PricePerGB)}
	sum := money.Sum(lines...)
	return BillLinesOut{
		ComputeAmount: lines[0], StorageAmount: lines[1], TrafficAmount: lines[2],
		Amount: sum, AmountRounded: in.Round.sum(lines...), PerImage: ratio(sum, money.Int(in.Images)),
	}, nil
}
