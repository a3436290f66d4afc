package bill

import "rentgen/app/money"

// StorageStoppedIn describes the disks of a machine that is stopped for a part
// of the month, where the price of a disk may change on stop.
type StorageStoppedIn struct {
	Currency                     money.Currency  `json:"currency"`
	ContainerGB                  money.Rat       `json:"container_gb"`
	VolumeGB                     money.Rat       `json:"volume_gb"`
	ContainerPricePerGBMonth     money.Rat       `json:"container_price_per_gb_month"` // bills while running only
	VolumeRunningPricePerGBMonth money.Rat       `json:"volume_running_price_per_gb_month"`
	VolumeStoppedPricePerGBMonth money.Rat       `json:"volume_stopped_price_per_gb_month"`
	NetworkVolumePricePerGBMonth money.Rat       `json:"network_volume_price_per_gb_month"`
	RunningH                     money.Rat       `json:"running_h"`
	StoppedH                     money.Rat       `json:"stopped_h"`
	MonthConvention              MonthConvention `json:"month_convention"`
	Month                        string          `json:"month"`
	Round                        Round           `json:"round"`
}

// StorageStoppedOut is what the disks cost.
type StorageStoppedOut struct {
	ContainerRunningAmount money.Rat `json:"container_running_amount"`
	VolumeRunningAmount    money.Rat `json:"volume_running_amount"`
	VolumeStoppedAmount    money.Rat `json:"volume_stopped_amount"`
	Amount                 money.Rat `json:"amount"` // the sum of the three
	AmountRounded          money.Rat `json:"amount_rounded"`
	// NetworkVolumeAmount is for the volume as a network volume for all hours, in
	// place of the volume; the container isn't in it.
	NetworkVolumeAmount money.Rat `json:"network_volume_amount"`
}

// StorageStopped bills the disks of a machine that runs for some hours and is
// stopped for others (formula 5).
func StorageStopped(in StorageStoppedIn) (StorageStoppedOut, error) {
	var c checker
	c.quantity("container_gb", in.ContainerGB)
	c.quantity("volume_gb", in.VolumeGB)
	c.price("container_price_per_gb_month", in.ContainerPricePerGBMonth)
	c.price("volume_running_price_per_gb_month", in.VolumeRunningPricePerGBMonth)
	c.price("volume_stopped_price_per_gb_month", in.VolumeStoppedPricePerGBMonth)
	c.price("network_volume_price_per_gb_month", in.NetworkVolumePricePerGBMonth)
	c.duration("running_h", in.RunningH)
	c.duration("stopped_h", in.StoppedH)
	month := c.monthHours(in.MonthConvention, in.Month)
	all := in.RunningH.Add(in.StoppedH)
	c.held("stopped_h", all, in.MonthConvention, month)
	c.round(in.Round)
	if c.err != nil {
		return StorageStoppedOut{}, c.err
	}
	of := func(gb, price, h money.Rat) money.Rat { return gb.Mul(price).Mul(h).Quo(month) }
	out := StorageStoppedOut{
		ContainerRunningAmount: of(in.ContainerGB, in.ContainerPricePerGBMonth, in.RunningH),
		VolumeRunningAmount:    of(in.VolumeGB, in.VolumeRunningPricePerGBMonth, in.RunningH),
		VolumeStoppedAmount:    of(in.VolumeGB, in.VolumeStoppedPricePerGBMonth, in.StoppedH),
		NetworkVolumeAmount:    of(in.VolumeGB, in.NetworkVolumePricePerGBMonth, all),
	}
	parts := []money.Rat{out.ContainerRunningAmount, out.VolumeRunningAmount, out.VolumeStoppedAmount}
	out.Amount, out.AmountRounded = money.Sum(parts...), in.Round.sum(parts...)
	return out, nil
}

// StoppedBillingIn describes a machine that runs for some hours and is stopped
// for others.
type StoppedBillingIn struct {
	Currency            money.Currency  `json:"currency"`
	ComputePerHour      money.Rat       `json:"compute_per_hour"`
	DiskGB              money.Rat       `json:"disk_gb"`
	DiskPricePerGBMonth money.Rat       `json:"disk_price_per_gb_month"`
	IPPerHour           money.Rat       `json:"ip_per_hour"`
	RunH                money.Rat       `json:"run_h"`
	StoppedH            money.Rat       `json:"stopped_h"`
	MonthConvention     MonthConvention `json:"month_convention"`
	Month               string          `json:"month"`
}

// StoppedBillingOut compares the two ways of stopping.
type StoppedBillingOut struct {
	OrdinaryStopAmount   money.Rat `json:"ordinary_stop_amount"`   // all goes on
	EconomicalStopAmount money.Rat `json:"economical_stop_amount"` // compute only while running; disk and IP go on
	SavingAmount         money.Rat `json:"saving_amount"`
}

// StoppedBilling bills a machine whose compute goes on or not while stopped
// (formula 5).
func StoppedBilling(in StoppedBillingIn) (StoppedBillingOut, error) {
	var c checker
	c.price("compute_per_hour", in.ComputePerHour)
	c.quantity("disk_gb", in.DiskGB)
	c.price("disk_price_per_gb_month", in.DiskPricePerGBMonth)
	c.price("ip_per_hour", in.IPPerHour)
	c.duration("run_h", in.RunH)
	c.duration("stopped_h", in.StoppedH)
	month := c.monthHours(in.MonthConvention, in.Month)
	all := in.RunH.Add(in.StoppedH)
	c.held("stopped_h", all, in.MonthConvention, month)
	if c.err != nil {
		return StoppedBillingOut{}, c.err
	}
	goesOn := in.DiskGB.Mul(in.DiskPricePerGBMonth).Mul(all).Quo(month).Add(in.IPPerHour.Mul(all))
	ordinary := in.ComputePerHour.Mul(all).Add(goesOn)
	economical := in.ComputePerHour.Mul(in.RunH).Add(goesOn)
	return StoppedBillingOut{ordinary, economical, ordinary.Sub(economical)}, nil
}

// AutoReleaseIn describes a machine that is stopped, or destroyed and restored
// later.
type AutoReleaseIn struct {
	Currency money.Currency `json:"currency"`
	// ReleaseAfterStoppedH is when the provider takes the machine and its data;
	// nil: never.
	ReleaseAfterStoppedH *money.Rat `json:"release_after_stopped_h"`
	StoppedH             money.Rat  `json:"stopped_h"`
	StoppedPricePerHour  money.Rat  `json:"stopped_price_per_hour"` // all that bills while stopped
	DataGB               money.Rat  `json:"data_gb"`
	GBBytes              int64      `json:"gb_bytes"` // bytes of one GB
	UploadMbps           money.Rat  `json:"upload_mbps"`
	UploadPricePerHour   money.Rat  `json:"upload_price_per_hour"` // the machine runs during upload
	SetupOpsH            money.Rat  `json:"setup_ops_h"`
	OpsPricePerHour      money.Rat  `json:"ops_price_per_hour"`
}

// AutoReleaseOut compares stopping with destroying.
type AutoReleaseOut struct {
	DataLost          bool       `json:"data_lost"`
	LostAtH           *money.Rat `json:"lost_at_h"` // nil if safe
	ReuploadS         money.Rat  `json:"reupload_s"`
	ReuploadAmount    money.Rat  `json:"reupload_amount"`
	ResetupAmount     money.Rat  `json:"resetup_amount"`
	RestoreAmount     money.Rat  `json:"restore_amount"` // both
	StopAmount        money.Rat  `json:"stop_amount"`    // until restart or release, and restoring if lost
	Cheapest          []string   `json:"cheapest"`       // Stop, Destroy; destroying costs RestoreAmount
	BreakevenStoppedH *money.Rat `json:"breakeven_stopped_h"`
}

// AutoRelease compares stopping a machine with destroying and restoring it;
// data is lost once the stopped hours reach the release (formula 5).
func AutoRelease(in AutoReleaseIn) (AutoReleaseOut, error) {
	var c checker
	c.optional(duration, "release_after_stopped_h", in.ReleaseAfterStoppedH)
	c.duration("stopped_h", in.StoppedH)
	c.price("stopped_price_per_hour", in.StoppedPricePerHour)
	c.price("upload_price_per_hour", in.UploadPricePerHour)
	c.duration("setup_ops_h", in.SetupOpsH)
	c.price("ops_price_per_hour", in.OpsPricePerHour)
	transfer := c.transfer("data_gb", in.DataGB, in.GBBytes, "upload_mbps", in.UploadMbps)
	if c.err == nil && transfer == nil {
		c.fail("upload_mbps", in.UploadMbps.String(), money.ThroughputNonpositive)
	}
	if c.err != nil {
		return AutoReleaseOut{}, c.err
	}
	out := AutoReleaseOut{ReuploadS: *transfer, ReuploadAmount: priced(in.UploadPricePerHour, *transfer)}
	out.ResetupAmount = in.SetupOpsH.Mul(in.OpsPricePerHour)
	out.RestoreAmount = out.ReuploadAmount.Add(out.ResetupAmount)
	stopped := in.StoppedH
	if limit := in.ReleaseAfterStoppedH; limit != nil && !stopped.Less(*limit) {
		lost := *limit
		stopped, out.DataLost, out.LostAtH = lost, true, &lost
	}
	out.StopAmount = in.StoppedPricePerHour.Mul(stopped)
	if out.DataLost {
		out.StopAmount = out.StopAmount.Add(out.RestoreAmount)
	}
	out.Cheapest = cheapest(side{Stop, out.StopAmount}, side{Destroy, out.RestoreAmount})
	out.BreakevenStoppedH = ratio(out.RestoreAmount, in.StoppedPricePerHour)
	return out, nil
}
