package bill

import "rentgen/app/money"

// bitsAMbit is the bits of one Mbit.
var bitsAMbit = money.Int(1_000_000)

// transfer returns the seconds that a transfer takes, nil when it never ends.
func (c *checker) transfer(gbField string, gb money.Rat, gbBytes int64, mbpsField string, mbps money.Rat) *money.Rat {
	c.quantity(gbField, gb)
	c.between("gb_bytes", gbBytes, 1, 1<<40)
	c.quantity(mbpsField, mbps)
	if c.err == nil && gb.IsZero() {
		none := zero
		return &none
	}
	return ratio(gb.Mul(money.Int(8*gbBytes)), mbps.Mul(bitsAMbit))
}

// TrafficIn describes a month's traffic, by the GB or through a fixed bandwidth.
type TrafficIn struct {
	Currency            money.Currency `json:"currency"`
	GB                  money.Rat      `json:"gb"`
	PricePerGB          money.Rat      `json:"price_per_gb"`
	Mbps                money.Rat      `json:"mbps"`
	PriceBandwidthMonth money.Rat      `json:"price_bandwidth_month"`
	MonthH              money.Rat      `json:"month_h"`
	GBBytes             int64          `json:"gb_bytes"`
}

// TrafficOut compares the two. The transfer is nil when it never ends.
type TrafficOut struct {
	ByTrafficAmount   money.Rat  `json:"by_traffic_amount"`
	ByBandwidthAmount money.Rat  `json:"by_bandwidth_amount"`
	Cheapest          []string   `json:"cheapest"` // ByTraffic, ByBandwidth; bandwidth only if it fits
	BreakevenGB       *money.Rat `json:"breakeven_gb"`
	TransferS         *money.Rat `json:"transfer_s"`
	TransferH         *money.Rat `json:"transfer_h"`
	MaxGBMonth        money.Rat  `json:"max_gb_month"`
	FitsInMonth       bool       `json:"fits_in_month"`
}

// Traffic compares pay by the GB with a fixed bandwidth (formula 8).
func Traffic(in TrafficIn) (TrafficOut, error) {
	var c checker
	c.price("price_per_gb", in.PricePerGB)
	c.price("price_bandwidth_month", in.PriceBandwidthMonth)
	c.duration("month_h", in.MonthH)
	transfer := c.transfer("gb", in.GB, in.GBBytes, "mbps", in.Mbps)
	if c.err != nil {
		return TrafficOut{}, c.err
	}
	out := TrafficOut{
		ByTrafficAmount: in.GB.Mul(in.PricePerGB), ByBandwidthAmount: in.PriceBandwidthMonth,
		BreakevenGB: ratio(in.PriceBandwidthMonth, in.PricePerGB),
		MaxGBMonth:  in.Mbps.Mul(bitsAMbit).Mul(in.MonthH).Mul(hour).Quo(money.Int(8 * in.GBBytes)),
	}
	out.FitsInMonth = !out.MaxGBMonth.Less(in.GB)
	if transfer != nil {
		h := transfer.Quo(hour)
		out.TransferS, out.TransferH = transfer, &h
	}
	out.Cheapest = []string{ByTraffic}
	if out.FitsInMonth {
		out.Cheapest = cheapest(side{ByTraffic, out.ByTrafficAmount}, side{ByBandwidth, out.ByBandwidthAmount})
	}
	return out, nil
}

// TrafficPackageIn describes traffic by the GB or in packages.
type TrafficPackageIn struct {
	Currency          money.Currency `json:"currency"`
	GB                money.Rat      `json:"gb"`
	PaygPricePerGB    money.Rat      `json:"payg_price_per_gb"`
	PackageGB         money.Rat      `json:"package_gb"` // above 0
	PackagePrice      money.Rat      `json:"package_price"`
	OveragePricePerGB money.Rat      `json:"overage_price_per_gb"`
}

// TrafficPackageOut compares the three ways.
type TrafficPackageOut struct {
	PaygAmount       money.Rat `json:"payg_amount"`
	OverageGB        money.Rat `json:"overage_gb"`         // above one package
	OnePackageAmount money.Rat `json:"one_package_amount"` // with overage
	PackagesToCover  int64     `json:"packages_to_cover"`
	PackagesAmount   money.Rat `json:"packages_amount"`
	Cheapest         []string  `json:"cheapest"` // PayAsYouGo, OnePackage, Packages
}

// TrafficPackage compares pay by the GB with packages (formula 8).
func TrafficPackage(in TrafficPackageIn) (TrafficPackageOut, error) {
	var c checker
	c.quantity("gb", in.GB)
	c.price("payg_price_per_gb", in.PaygPricePerGB)
	c.positive(quantity, "package_gb", in.PackageGB)
	c.price("package_price", in.PackagePrice)
	c.price("overage_price_per_gb", in.OveragePricePerGB)
	if c.err != nil {
		return TrafficPackageOut{}, c.err
	}
	n := in.GB.Quo(in.PackageGB).Ceil()
	out := TrafficPackageOut{
		PaygAmount: in.GB.Mul(in.PaygPricePerGB), OverageGB: above(in.GB, in.PackageGB),
		PackagesToCover: c.whole("gb", n), PackagesAmount: n.Mul(in.PackagePrice),
	}
	out.OnePackageAmount = in.PackagePrice.Add(out.OverageGB.Mul(in.OveragePricePerGB))
	out.Cheapest = cheapest(side{PayAsYouGo, out.PaygAmount}, side{OnePackage, out.OnePackageAmount}, side{Packages, out.PackagesAmount})
	if c.err != nil {
		return TrafficPackageOut{}, c.err
	}
	return out, nil
}

// CrossRegionIn describes data that is moved between regions.
type CrossRegionIn struct {
	Currency        money.Currency `json:"currency"`
	GB              money.Rat      `json:"gb"`
	PricePerGB      money.Rat      `json:"price_per_gb"`
	Mbps            money.Rat      `json:"mbps"` // above 0 when there is anything to move
	GPUPricePerHour money.Rat      `json:"gpu_price_per_hour"`
	GPUWaits        bool           `json:"gpu_waits"`
	GBBytes         int64          `json:"gb_bytes"`
}

// CrossRegionOut is what moving costs.
type CrossRegionOut struct {
	TransferS     money.Rat `json:"transfer_s"`
	TransferH     money.Rat `json:"transfer_h"`
	TrafficAmount money.Rat `json:"traffic_amount"`
	GPUWaitAmount money.Rat `json:"gpu_wait_amount"` // 0 if nobody waits
	Amount        money.Rat `json:"amount"`
}

// CrossRegion bills traffic between regions and the card that waits for it
// (formula 9).
func CrossRegion(in CrossRegionIn) (CrossRegionOut, error) {
	var c checker
	c.price("price_per_gb", in.PricePerGB)
	c.price("gpu_price_per_hour", in.GPUPricePerHour)
	transfer := c.transfer("gb", in.GB, in.GBBytes, "mbps", in.Mbps)
	if c.err == nil && transfer == nil {
		c.fail("mbps", in.Mbps.String(), money.ThroughputNonpositive)
	}
	if c.err != nil {
		return CrossRegionOut{}, c.err
	}
	out := CrossRegionOut{TransferS: *transfer, TransferH: transfer.Quo(hour), TrafficAmount: in.GB.Mul(in.PricePerGB)}
	if in.GPUWaits {
		out.GPUWaitAmount = out.TransferH.Mul(in.GPUPricePerHour)
	}
	out.Amount = out.TrafficAmount.Add(out.GPUWaitAmount)
	return out, nil
}
