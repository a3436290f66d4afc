// Package offer holds what a provider offers: the card, the machine, the
// payment, and every term of the quotation with where it is known from.
package offer

import "rentgen/app/money"

// Status is how sure a term is.
type Status string

// The statuses.
const (
	Unknown Status = "unknown" // widens the band and becomes a question
	Known   Status = "known"   // a page says so: Source and Date name it
	Told    Status = "told"    // the provider said so to the user
	Typed   Status = "typed"   // the user entered it
)

// Mark says what kind of page stands behind a known term.
type Mark string

// The marks.
const (
	Page       Mark = "provider"    // the provider's own page
	ThirdParty Mark = "third-party" // somebody who quotes the provider
	Seen       Mark = "measured"    // the user's own measurement
)

// Term is one item of a quotation. Value is kept as text and read by the
// term's definition: a decimal, "true" or "false", or one of its options.
type Term struct {
	Value  string
	Status Status
	Source string // address or place, "" for typed
	Date   string // of the copy it was read in, "2026-11-30"
	Mark   Mark
	// Also are what other pages of the provider say instead. All are kept; the
	// dearer makes the high end of the band.
	Also []Term
}

// Part is how much of a card is rented.
type Part string

// The parts of a card.
const (
	Whole Part = "whole"
	Slice Part = "slice" // MIG or time share
	VGPU  Part = "vgpu"
)

// Machine is what one is root of.
type Machine string

// The machines.
const (
	Container Machine = "container"
	VM        Machine = "vm"
	BareMetal Machine = "bare-metal"
)

// Unit is what a price is for.
type Unit string

// The units of payment. Quota is a plan of units that are drawn by the hour.
const (
	Second Unit = "second"
	Minute Unit = "minute"
	Hour   Unit = "hour"
	Day    Unit = "day"
	Week   Unit = "week"
	Month  Unit = "month"
	Year   Unit = "year"
	Pack   Unit = "package" // own packages: Hours for Price
	Quota  Unit = "quota"
)

// Card is what of which card is offered.
type Card struct {
	Name string   // of the catalogue
	Part Part     // "" is Whole
	VRAM *float64 // MiB, of a slice; nil takes the card's
	// Guaranteed says that a share of the card is promised.
	Guaranteed bool
}

// Payment is how the card is paid for. Which unit says nothing about the
// machine: a container paid by the month is still a container.
type Payment struct {
	Unit  Unit
	Price money.Rat // of one unit (of one card; Offer.Count takes several)
	Hours money.Rat // of a package; 0 for others
	// IncludedHours of a period, Overage an hour beyond it; nil: all, none.
	IncludedHours, Overage *money.Rat
	// DrawPerHour is how many units of a quota an hour takes, Units how many it has.
	DrawPerHour, Units money.Rat
}

// Metered reports whether only used time is paid for.
func (p Payment) Metered() bool { return p.Unit == Second || p.Unit == Minute || p.Unit == Hour }

// Offer is one column of the bill.
type Offer struct {
	Name     string
	Provider string // id of the provider's rules, "" for none
	Currency money.Currency
	Count    int // machines, at least 1
	Cards    int // cards in each machine, at least 1
	Card     Card
	Machine  Machine
	Payment  Payment
	Terms    map[TermID]Term // what differs from the provider's rules
	Hidden   bool
	Example  bool   // shipped to show the form; its prices are nobody's
	Note     string // the user's own
}

// Question is something to ask the provider, because the term is unknown.
type Question struct {
	Offer string
	Term  TermID // text "question.<term>"
	// Spread is how much the total could move by it; nil when it isn't money.
	Spread *money.Rat
}
