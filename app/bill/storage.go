package bill

import (
	"time"

	"rentgen/app/money"
)

// monthHours returns the hours of a month by convention; month is "YYYY-MM"
// under Calendar.
func (c *checker) monthHours(conv MonthConvention, month string) money.Rat {
	option(c, "month_convention", conv, Fixed720h, Fixed730h, Calendar)
	switch conv {
	case Fixed720h:
		return money.Int(720)
	case Fixed730h:
		return money.Int(730)
	}
	if month == "" {
		c.fail("month", "", money.Missing)
		return one
	}
	first, err := time.Parse("2006-01", month)
	if err != nil {
		c.fail("month", month, money.BadNumber)
		return one
	}
	return money.Int(int64(daysIn(first.Year(), first.Month()))).Mul(day)
}

// held checks that hours that are held lie in the calendar month.
func (c *checker) held(field string, h money.Rat, conv MonthConvention, month money.Rat) {
	if conv == Calendar && month.Less(h) {
		c.fail(field, h.String(), money.OutOfRange)
	}
}

// StorageDailyIn describes a disk that is billed each midnight, on or off.
type StorageDailyIn struct {
	Currency      money.Currency `json:"currency"`
	PricePerGBDay money.Rat      `json:"price_per_gb_day"`
	ProvisionedGB money.Rat      `json:"provisioned_gb"`
	FreeGB        money.Rat      `json:"free_gb"`
	Midnights     int64          `json:"midnights"`
	Round         Round          `json:"round"`
}

// StorageDailyOut is what the disk costs.
type StorageDailyOut struct {
	BillableGB    money.Rat `json:"billable_gb"` // never below 0
	PerDay        money.Rat `json:"per_day"`
	Amount        money.Rat `json:"amount"`
	AmountRounded money.Rat `json:"amount_rounded"`
}

// StorageDaily bills what lies above the free tier for each midnight (formula 3).
func StorageDaily(in StorageDailyIn) (StorageDailyOut, error) {
	var c checker
	c.price("price_per_gb_day", in.PricePerGBDay)
	c.quantity("provisioned_gb", in.ProvisionedGB)
	c.quantity("free_gb", in.FreeGB)
	c.count("midnights", in.Midnights)
	c.round(in.Round)
	if c.err != nil {
		return StorageDailyOut{}, c.err
	}
	gb := above(in.ProvisionedGB, in.FreeGB)
	perDay := gb.Mul(in.PricePerGBDay)
	amount := perDay.Mul(money.Int(in.Midnights))
	return StorageDailyOut{gb, perDay, amount, in.Round.one(amount)}, nil
}

// StorageGBMonthIn describes a disk that is billed by the GB and month.
type StorageGBMonthIn struct {
	Currency        money.Currency  `json:"currency"`
	GB              money.Rat       `json:"gb"`
	PricePerGBMonth money.Rat       `json:"price_per_gb_month"`
	FreeGB          money.Rat       `json:"free_gb"`
	HeldH           money.Rat       `json:"held_h"`
	MonthConvention MonthConvention `json:"month_convention"`
	Month           string          `json:"month"` // "YYYY-MM" under Calendar, else ""
	Round           Round           `json:"round"`
}

// StorageGBMonthOut is what the disk costs.
type StorageGBMonthOut struct {
	MonthH        money.Rat `json:"month_h"`
	BillableGB    money.Rat `json:"billable_gb"`
	Amount        money.Rat `json:"amount"`
	AmountRounded money.Rat `json:"amount_rounded"`
}

// StorageGBMonth bills what lies above the free tier for its share of the month
// (formula 3).
func StorageGBMonth(in StorageGBMonthIn) (StorageGBMonthOut, error) {
	var c checker
	c.quantity("gb", in.GB)
	c.price("price_per_gb_month", in.PricePerGBMonth)
	c.quantity("free_gb", in.FreeGB)
	c.duration("held_h", in.HeldH)
	month := c.monthHours(in.MonthConvention, in.Month)
	c.held("held_h", in.HeldH, in.MonthConvention, month)
	c.round(in.Round)
	if c.err != nil {
		return StorageGBMonthOut{}, c.err
	}
	gb := above(in.GB, in.FreeGB)
	amount := gb.Mul(in.PricePerGBMonth).Mul(in.HeldH).Quo(month)
	return StorageGBMonthOut{month, gb, amount, in.Round.one(amount)}, nil
}

// StoragePiece is a size that was held for some days.
type StoragePiece struct {
	GB   money.Rat `json:"gb"`
	Days money.Rat `json:"days"`
}

// StorageAverageIn describes storage of changing size.
type StorageAverageIn struct {
	Currency        money.Currency  `json:"currency"`
	Pieces          []StoragePiece  `json:"pieces"`
	FreeGB          money.Rat       `json:"free_gb"`
	PricePerGBMonth money.Rat       `json:"price_per_gb_month"`
	MonthConvention MonthConvention `json:"month_convention"`
	Month           string          `json:"month"`
}

// StorageAverageOut is what the storage costs. The sizes are nil when it was
// held for no time.
type StorageAverageOut struct {
	AverageGB  *money.Rat `json:"average_gb"` // weighted by days, before the free tier
	BillableGB *money.Rat `json:"billable_gb"`
	Amount     money.Rat  `json:"amount"`
}

// StorageAverage bills the mean size above the free tier for all the days
// (formula 3).
func StorageAverage(in StorageAverageIn) (StorageAverageOut, error) {
	var c checker
	days, gbDays := zero, zero
	for i, p := range in.Pieces {
		c.quantity(at("pieces", i)+".gb", p.GB)
		c.duration(at("pieces", i)+".days", p.Days)
		days, gbDays = days.Add(p.Days), gbDays.Add(p.GB.Mul(p.Days))
	}
	c.quantity("free_gb", in.FreeGB)
	c.price("price_per_gb_month", in.PricePerGBMonth)
	month := c.monthHours(in.MonthConvention, in.Month)
	held := days.Mul(day)
	c.held("pieces", held, in.MonthConvention, month)
	if c.err != nil {
		return StorageAverageOut{}, c.err
	}
	average := ratio(gbDays, days)
	if average == nil {
		return StorageAverageOut{}, nil
	}
	gb := above(*average, in.FreeGB)
	return StorageAverageOut{average, &gb, gb.Mul(in.PricePerGBMonth).Mul(held).Quo(month)}, nil
}

// HiddenDiskIn describes an offer whose shown price leaves its disk out.
type HiddenDiskIn struct {
	Currency            money.Currency  `json:"currency"`
	OfferPricePerHour   money.Rat       `json:"offer_price_per_hour"`
	DiskGB              money.Rat       `json:"disk_gb"`
	DiskPricePerGBMonth money.Rat       `json:"disk_price_per_gb_month"`
	MonthConvention     MonthConvention `json:"month_convention"`
	Month               string          `json:"month"`
	Round               Round           `json:"round"`
}

// HiddenDiskOut is what an hour really costs.
type HiddenDiskOut struct {
	DiskPricePerHour        money.Rat  `json:"disk_price_per_hour"`
	TruePricePerHour        money.Rat  `json:"true_price_per_hour"`
	TruePricePerHourRounded money.Rat  `json:"true_price_per_hour_rounded"`
	UnderstatementFactor    *money.Rat `json:"understatement_factor"` // true / offer; nil at an offer of 0
}

// HiddenDisk adds the disk to the price that is shown (formula 4).
func HiddenDisk(in HiddenDiskIn) (HiddenDiskOut, error) {
	var c checker
	c.price("offer_price_per_hour", in.OfferPricePerHour)
	c.quantity("disk_gb", in.DiskGB)
	c.price("disk_price_per_gb_month", in.DiskPricePerGBMonth)
	month := c.monthHours(in.MonthConvention, in.Month)
	c.round(in.Round)
	if c.err != nil {
		return HiddenDiskOut{}, c.err
	}
	disk := in.DiskGB.Mul(in.DiskPricePerGBMonth).Quo(month)
	all := in.OfferPricePerHour.Add(disk)
	return HiddenDiskOut{disk, all, in.Round.one(all), ratio(all, in.OfferPricePerHour)}, nil
}

// SnapshotIn describes a full snapshot and its increments, or an image.
type SnapshotIn struct {
	Currency        money.Currency `json:"currency"`
	FullGB          money.Rat      `json:"full_gb"`
	IncrementsGB    []money.Rat    `json:"increments_gb"`
	FreeGB          money.Rat      `json:"free_gb"`
	PricePerGBMonth money.Rat      `json:"price_per_gb_month"`
	Months          money.Rat      `json:"months"`
}

// SnapshotOut is what they cost.
type SnapshotOut struct {
	StoredGB   money.Rat `json:"stored_gb"`
	BillableGB money.Rat `json:"billable_gb"`
	Amount     money.Rat `json:"amount"`
}

// Snapshot bills what is stored above the free quota (formula 10).
func Snapshot(in SnapshotIn) (SnapshotOut, error) {
	var c checker
	c.quantity("full_gb", in.FullGB)
	for i, gb := range in.IncrementsGB {
		c.quantity(at("increments_gb", i), gb)
	}
	c.quantity("free_gb", in.FreeGB)
	c.price("price_per_gb_month", in.PricePerGBMonth)
	c.duration("months", in.Months)
	if c.err != nil {
		return SnapshotOut{}, c.err
	}
	stored := in.FullGB.Add(money.Sum(in.IncrementsGB...))
	gb := above(stored, in.FreeGB)
	return SnapshotOut{stored, gb, gb.Mul(in.PricePerGBMonth).Mul(in.Months)}, nil
}
