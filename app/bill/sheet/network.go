package sheet

import (
	"rentgen/app/bill"
	"rentgen/app/bill/offer"
	"rentgen/app/money"
)

const bytesOfGB = 1_000_000_000 // providers bill decimal gigabytes

// network bills bandwidth or traffic, whichever the offer has, the cheaper one
// where it has both, and fetching from another region.
func (e *eval) network() {
	gb := e.use.DownloadGB.Mul(money.Int(e.machines)).Add(e.use.UploadGB)
	perGB, byGB := e.rat(offer.Traffic)
	month, fixed := e.rat(offer.BandwidthPrice)
	free, _ := e.rat(offer.TrafficFree)
	paid := gb.Sub(free).Max(zero)
	if byGB && fixed {
		mbps, _ := e.rat(offer.Bandwidth)
		out, err := bill.Traffic(bill.TrafficIn{
			Currency: e.offer.Currency, GB: paid, PricePerGB: perGB, Mbps: mbps, PriceBandwidthMonth: e.bandwidth(month),
			MonthH: e.monthH, GBBytes: bytesOfGB,
		})
		if mbps.Sign() > 0 {
			e.fail(err)
			fixed = err == nil && out.Cheapest[0] == bill.ByBandwidth
		}
		byGB = !fixed || mbps.Sign() <= 0
		fixed = !byGB
	}
	if fixed {
		e.add(part{
			id: LineBandwidth, amount: e.bandwidth(month), formula: e.many("bandwidth"), group: 8, rule: offer.BandwidthPrice,
			inputs: e.inputs(func() []Input {
				return []Input{
					e.term("bandwidth_price", offer.BandwidthPrice), reckoned("held", e.runs(), "h"), e.monthInput(),
					reckoned("machines", money.Int(e.machines), ""),
				}
			}),
		})
	} else {
		e.traffic(paid, perGB, byGB)
	}
	e.crossRegion()
}

// bandwidth is the price of fixed bandwidth while the machines run.
func (e *eval) bandwidth(month money.Rat) money.Rat {
	return month.Mul(e.runs()).Quo(e.monthH).Mul(money.Int(e.machines))
}

func (e *eval) traffic(gb, perGB money.Rat, byGB bool) {
	if gb.Sign() <= 0 {
		return
	}
	p := part{id: LineTraffic, amount: gb.Mul(perGB), formula: "traffic", group: 8, rule: offer.Traffic}
	p.inputs = e.inputs(func() []Input {
		return []Input{
			{Name: "gb", Value: money.Sure(gb), Unit: "GB", Status: Estimated},
			e.term("free", offer.TrafficFree),
			e.term("traffic_price", offer.Traffic),
		}
	})
	size, ok := e.rat(offer.TrafficPack)
	cost, priced := e.rat(offer.TrafficPackCost)
	if ok && priced && size.Sign() > 0 {
		over := perGB
		out, err := bill.TrafficPackage(bill.TrafficPackageIn{
			Currency: e.offer.Currency, GB: gb, PaygPricePerGB: perGB, PackageGB: size, PackagePrice: cost, OveragePricePerGB: over,
		})
		e.fail(err)
		best := out.PackagesAmount
		if byGB {
			best = best.Min(out.OnePackageAmount).Min(out.PaygAmount)
		}
		if !byGB || best.Less(p.amount) {
			p.amount, p.formula, p.rule = best, "traffic_pack", offer.TrafficPack
			p.inputs = append(p.inputs, e.inputs(func() []Input {
				return []Input{e.term("pack", offer.TrafficPack), e.term("pack_price", offer.TrafficPackCost)}
			})...)
		}
	}
	e.add(p)
}

// crossRegion bills fetching the models from another region; the card waits
// for it.
func (e *eval) crossRegion() {
	if !e.use.CrossRegion || e.use.DownloadGB.Sign() <= 0 {
		return
	}
	gb := e.use.DownloadGB.Mul(money.Int(e.machines))
	price, _ := e.rat(offer.CrossRegion)
	mbps, timed := e.rat(offer.Bandwidth)
	waits := timed && mbps.Sign() > 0
	p := part{id: LineCrossRegion, amount: gb.Mul(price), formula: "cross_region", group: 9, rule: offer.CrossRegion}
	wait := zero
	if waits {
		out, err := bill.CrossRegion(bill.CrossRegionIn{
			Currency: e.offer.Currency, GB: gb, PricePerGB: price, Mbps: mbps, GPUPricePerHour: e.hourly,
			GPUWaits: e.metered(), GBBytes: bytesOfGB,
		})
		e.fail(err)
		p.amount, wait = out.Amount, out.TransferH
	}
	p.inputs = e.inputs(func() []Input {
		return []Input{
			{Name: "gb", Value: money.Sure(gb), Unit: "GB", Status: Estimated},
			e.term("traffic_price", offer.CrossRegion),
			e.term("mbps", offer.Bandwidth), reckoned("wait", wait, "h"), e.priceInput(),
		}
	})
	e.add(p)
}

// ip bills the public address while the machines run.
func (e *eval) ip() {
	price, ok := e.rat(offer.IPPrice)
	if !ok {
		return
	}
	h := e.runs().Mul(money.Int(e.machines))
	e.add(part{id: LineIP, amount: e.goesOn(zero, price, h, zero), formula: "ip", group: 5, rule: offer.IPPrice, inputs: e.inputs(func() []Input {
		return []Input{reckoned("held", h, "h"), e.term("ip_price", offer.IPPrice)}
	})})
}
