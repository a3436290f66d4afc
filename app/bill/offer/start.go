package offer

import (
	"rentgen/app/money"
	"rentgen/app/provider"
	"rentgen/assets/texts"
)

// Five are the answers that a new offer needs.
type Five struct {
	Card     Card
	Unit     Unit
	Price    money.Rat // of one unit; 0 when the user has none yet
	Currency money.Currency
	// Hours of a package; Units of a quota and how many an hour draws.
	Hours, Units, DrawPerHour money.Rat
	// DataDiskGB is the disk beyond the provider's free part.
	DataDiskGB money.Rat
	Machine    Machine    // "" takes the provider's
	Balance    *money.Rat // nil: not said
	Name       string     // "" is made of provider and card
}

// Start makes an offer of the five answers on top of a provider's dated rules;
// the id "" is a provider without rules. The disk of the offer is the free part
// plus what was asked for. The errors are those of Check.
func Start(providerID string, f Five) (Offer, []*InputError) {
	r, _ := provider.Find(providerID)
	o := Offer{
		Name: f.Name, Provider: providerID, Currency: f.Currency, Count: 1, Cards: 1, Card: f.Card, Machine: f.Machine,
		Payment: Payment{Unit: f.Unit, Price: f.Price, Hours: f.Hours, Units: f.Units, DrawPerHour: f.DrawPerHour},
		Terms:   map[TermID]Term{},
	}
	if o.Currency == "" {
		o.Currency = r.Currency
	}
	if o.Machine == "" {
		o.Machine = Machine(r.Machine)
	}
	if o.Card.Part == "" {
		o.Card.Part = Whole
	}
	if o.Name == "" {
		o.Name = f.Card.Name
		if r.ID != "" {
			o.Name = r.NameIn(texts.English) + " " + f.Card.Name
		}
	}
	disk := f.DataDiskGB
	if free, _, known := o.Filled().Rat(DataDiskFree); known {
		disk = disk.Add(free.Point)
	}
	o.Terms[DataDisk] = Term{Value: disk.String(), Status: Typed}
	if f.Balance != nil {
		o.Terms[Balance] = Term{Value: f.Balance.String(), Status: Typed}
	}
	errs := o.Check()
	if f.DataDiskGB.Sign() < 0 { // the free part would hide it
		errs = append(errs, &InputError{Field: "data_disk_gb", Value: f.DataDiskGB.String(), Allowed: texts.P("offer.allowed.number")})
	}
	return o, errs
}
