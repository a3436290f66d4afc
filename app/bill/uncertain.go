package bill

import (
	"math"

	"rentgen/app/money"
)

// PertIn describes hours by three points.
type PertIn struct {
	Currency     money.Currency `json:"currency"`
	LowH         money.Rat      `json:"low_h"`
	ModeH        money.Rat      `json:"mode_h"`
	HighH        money.Rat      `json:"high_h"`
	PricePerHour money.Rat      `json:"price_per_hour"`
}

// PertOut is the mean and the standard deviation.
type PertOut struct {
	MeanH      money.Rat `json:"mean_h"`
	SDH        money.Rat `json:"sd_h"`
	MeanAmount money.Rat `json:"mean_amount"`
	SDAmount   money.Rat `json:"sd_amount"`
}

// Pert is the three-point estimate: mean (a+4m+b)/6, sd (b-a)/6 (formula 21).
func Pert(in PertIn) (PertOut, error) {
	var c checker
	c.duration("low_h", in.LowH)
	c.duration("mode_h", in.ModeH)
	c.duration("high_h", in.HighH)
	c.price("price_per_hour", in.PricePerHour)
	c.ascending("mode_h", in.LowH, in.ModeH)
	c.ascending("high_h", in.ModeH, in.HighH)
	if c.err != nil {
		return PertOut{}, c.err
	}
	six := money.Int(6)
	mean := in.LowH.Add(in.ModeH.Mul(money.Int(4))).Add(in.HighH).Quo(six)
	sd := in.HighH.Sub(in.LowH).Quo(six)
	return PertOut{mean, sd, mean.Mul(in.PricePerHour), sd.Mul(in.PricePerHour)}, nil
}

// ascending checks that b isn't below a.
func (c *checker) ascending(field string, a, b money.Rat) {
	if b.Less(a) {
		c.fail(field, b.String(), money.OutOfRange)
	}
}

// UniformProductIn describes a price and hours that are even between two ends.
type UniformProductIn struct {
	Currency money.Currency `json:"currency"`
	Price    [2]money.Rat   `json:"price"` // low, high
	Hours    [2]money.Rat   `json:"hours"`
}

// UniformProductOut is their product.
type UniformProductOut struct {
	Mean     money.Rat `json:"mean"`
	Min      money.Rat `json:"min"`
	Max      money.Rat `json:"max"`
	Variance money.Rat `json:"variance"`
	SD       float64   `json:"sd"`
}

// UniformProduct gives the moments of the product of two independent uniform
// numbers, E(X²) = (a²+ab+b²)/3 (formula 21).
func UniformProduct(in UniformProductIn) (UniformProductOut, error) {
	var c checker
	for i := range 2 {
		c.price(at("price", i), in.Price[i])
		c.duration(at("hours", i), in.Hours[i])
	}
	c.ascending("price[1]", in.Price[0], in.Price[1])
	c.ascending("hours[1]", in.Hours[0], in.Hours[1])
	if c.err != nil {
		return UniformProductOut{}, c.err
	}
	mean := func(r [2]money.Rat) money.Rat { return r[0].Add(r[1]).Quo(money.Int(2)) }
	square := func(r [2]money.Rat) money.Rat {
		return money.Sum(r[0].Mul(r[0]), r[0].Mul(r[1]), r[1].Mul(r[1])).Quo(money.Int(3))
	}
	out := UniformProductOut{
		Mean: mean(in.Price).Mul(mean(in.Hours)),
		Min:  in.Price[0].Mul(in.Hours[0]), Max: in.Price[1].Mul(in.Hours[1]),
	}
	out.Variance = square(in.Price).Mul(square(in.Hours)).Sub(out.Mean.Mul(out.Mean))
	out.SD = math.Sqrt(out.Variance.Float64())
	return out, nil
}

// ChoiceProbabilityIn describes a package against hours that are normal.
type ChoiceProbabilityIn struct {
	Currency     money.Currency `json:"currency"`
	PackagePrice money.Rat      `json:"package_price"`
	PricePerHour money.Rat      `json:"price_per_hour"`
	MeanH        money.Rat      `json:"mean_h"`
	SDH          money.Rat      `json:"sd_h"`
}

// ChoiceProbabilityOut is the chance that the package is cheaper.
type ChoiceProbabilityOut struct {
	Z                  *money.Rat `json:"z"` // nil for hours that are sure, or free
	PPackageCheaper    float64    `json:"p_package_cheaper"`
	OnDemandMeanAmount money.Rat  `json:"on_demand_mean_amount"`
	Choice             string     `json:"choice"` // OnDemand, Package; by the mean
}

// ChoiceProbability is 1-Phi(z), z = (package / price - mean) / sd (formula 21).
func ChoiceProbability(in ChoiceProbabilityIn) (ChoiceProbabilityOut, error) {
	var c checker
	c.price("package_price", in.PackagePrice)
	c.price("price_per_hour", in.PricePerHour)
	c.duration("mean_h", in.MeanH)
	c.duration("sd_h", in.SDH)
	if c.err != nil {
		return ChoiceProbabilityOut{}, c.err
	}
	out := ChoiceProbabilityOut{OnDemandMeanAmount: in.MeanH.Mul(in.PricePerHour), Choice: OnDemand}
	dearer := in.PackagePrice.Less(out.OnDemandMeanAmount)
	if dearer {
		out.Choice = Package
	}
	if h := ratio(in.PackagePrice, in.PricePerHour); h != nil {
		out.Z = ratio(h.Sub(in.MeanH), in.SDH)
	}
	switch {
	case out.Z != nil:
		out.PPackageCheaper = 0.5 * math.Erfc(out.Z.Float64()/math.Sqrt2)
	case dearer:
		out.PPackageCheaper = 1
	}
	return out, nil
}

// FlipPointIn describes a choice between a package and hourly payment.
type FlipPointIn struct {
	Currency     money.Currency `json:"currency"`
	PackagePrice money.Rat      `json:"package_price"`
	PricePerHour money.Rat      `json:"price_per_hour"`
	UsageH       money.Rat      `json:"usage_h"`
}

// FlipPointOut is the signed change of each input alone that makes both sides
// equal; nil where none does.
type FlipPointOut struct {
	Choice           string     `json:"choice"` // OnDemand, Package
	MoveUsageH       *money.Rat `json:"move_usage_h"`
	MovePricePerHour *money.Rat `json:"move_price_per_hour"`
	MovePackagePrice money.Rat  `json:"move_package_price"`
	RelativeUsage    *money.Rat `json:"relative_usage"` // MoveUsageH / UsageH
}

// FlipPoint finds the smallest moves that change a choice (formula 21).
func FlipPoint(in FlipPointIn) (FlipPointOut, error) {
	var c checker
	c.price("package_price", in.PackagePrice)
	c.price("price_per_hour", in.PricePerHour)
	c.duration("usage_h", in.UsageH)
	if c.err != nil {
		return FlipPointOut{}, c.err
	}
	hourly := in.UsageH.Mul(in.PricePerHour)
	out := FlipPointOut{Choice: OnDemand, MovePackagePrice: hourly.Sub(in.PackagePrice)}
	if out.MovePackagePrice.Sign() > 0 {
		out.Choice = Package
	}
	if h := ratio(in.PackagePrice, in.PricePerHour); h != nil {
		move := h.Sub(in.UsageH)
		out.MoveUsageH, out.RelativeUsage = &move, ratio(move, in.UsageH)
	}
	if p := ratio(in.PackagePrice, in.UsageH); p != nil {
		move := p.Sub(in.PricePerHour)
		out.MovePricePerHour = &move
	}
	return out, nil
}
