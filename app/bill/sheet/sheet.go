// Package sheet makes the bill: every offer of a plan side by side, line by
// line, each line with its formula, its inputs and where they are known from.
package sheet

import (
	"time"

	"rentgen/app/bill/offer"
	"rentgen/app/money"
	"rentgen/assets/texts"
)

// Usage is how one offer would be used over the span. Bands come from the
// seconds a picture on the offer's card.
type Usage struct {
	Days     int // of the span, at least 1
	Machines int // at once, at least 1; a class has many
	Sessions int // starts of each machine in the span
	// SessionH is the rented time of one session of one machine, Busy and Rented
	// are sums over all machines, in hours.
	SessionH, Busy, Rented money.Band
	Pictures               money.Rat // in the span
	Unattended             bool      // nobody sits there: an interruption costs a rerun, not an evening
	// StartsBilled are the parts of a start, in seconds, estimated until measured.
	Waits Waits
	// Disk, in GB: what must stay on a disk, and what is fetched at first.
	ModelGB, DownloadGB, UploadGB money.Rat
	CrossRegion                   bool // the data lies in another region
	// Heads share the bill; 0 or 1: nobody.
	Heads int
	// OpsSetupH and OpsWeeklyH are the user's own hours with a whole machine;
	// OwnRate is what they are worth an hour, nil: shown as hours.
	OpsSetupH, OpsWeeklyH money.Rat
	OwnRate               *money.Rat
	// Steps are those of a whole training, of which Pictures counts how many; 0
	// where pictures are painted.
	Steps int
	// SaveEvery is how many pictures lie between two saved states, of a training
	// how many steps; 1: each picture is saved.
	SaveEvery int
	// BusyUnknown says that nobody knows the seconds a picture; Busy says nothing
	// then, and metered time can't be split into busy and idle.
	BusyUnknown bool
	// Measured says that the seconds a picture were measured for this job and
	// card.
	Measured bool
	// CardFits is whether the job runs on the card at all; a bill for a card that
	// can't hold the job is no bill.
	CardFits bool
	// CardUnknown says that the card is in no catalogue: whether the job goes onto
	// it and how fast it runs there is not known.
	CardUnknown bool
	Slower      bool // with weights in RAM
}

// Wait is a part of a start, in seconds.
type Wait struct {
	ID       string // queue, boot, pull, load, first
	Seconds  money.Band
	Measured bool
	Billed   bool // the provider's clock runs
	Unknown  bool
}

// Waits are the parts of a start in order.
type Waits []Wait

// Input is a number in a formula.
type Input struct {
	Name   string // text "bill.input.<name>"
	Value  money.Band
	Unit   string
	Status offer.Status
	Source string
	Date   string
	Mark   offer.Mark
	Also   []offer.Term // what contradicting pages say
}

// The ids of lines, in the order of the page; text "bill.line.<id>".
const (
	LineCompute     = "compute" // busy hours of metered time
	LineIdle        = "idle"    // rented, not busy
	LineStart       = "start"   // billed parts of starts
	LineRounding    = "rounding"
	LinePackage     = "package"
	LineOverage     = "overage"
	LineRerun       = "rerun"    // what interruptions cost
	LineMaxLife     = "max_life" // starts that a limited life of an instance adds
	LineStopped     = "stopped"
	LineSystemDisk  = "system_disk"
	LineDataDisk    = "data_disk"
	LineSnapshot    = "snapshot"
	LineSystemImage = "image"
	LineBandwidth   = "bandwidth"
	LineTraffic     = "traffic"
	LineCrossRegion = "cross_region"
	LineIP          = "ip"
	LineRelease     = "release" // restoring what an automatic release takes
	LineOps         = "ops"
	LineDiscount    = "discount"
	LineTax         = "tax"
	LineUnknown     = "unknown" // what unknown terms could add
	// Of a mixed bill: everything on the offer where it is validated, and moving
	// to the other.
	LineValidation = "validation"
	LineTransfer   = "transfer"
)

// Line is one line of a bill. Its amounts are exact; the page rounds.
type Line struct {
	ID      string
	Amount  money.Band
	Hours   *money.Band // of the user's own time, where it has no price
	Formula string      // text "bill.formula.<formula>"
	Group   int         // of the formula list, 1 to 23
	Inputs  []Input
	Rule    string // which rule, text "term.<rule>", "" for none
	Source  string
	Date    string
	Mark    offer.Mark
	Note    texts.Phrase
}

// Status is whether a bill is a bill.
type Status string

// The statuses.
const (
	OK           Status = "ok"
	CannotFinish Status = "cannot-finish" // interruptions or life time don't let the job end
	CardTooSmall Status = "card-too-small"
	NoPrice      Status = "no-price"
	NoRate       Status = "no-rate"  // no rate joins its currency with the sheet's
	NoHours      Status = "no-hours" // metered, and nobody knows for how long
	BadTerms     Status = "bad-terms"
)

// Column is an offer, filled with its provider's rules, and how it is used.
type Column struct {
	Offer offer.Offer
	Usage Usage
}

// Mixed asks for one more bill: validate on one column, then run on another.
type Mixed struct {
	Shared, Dedicated int       // indices of Columns
	FailShare         money.Rat // chance that validation stops the project, 0 to 1
	ValidationH       money.Rat // on the shared offer, all machines together
	TransferGB        money.Rat // from one to the other
}

// Params are what a sheet is made of.
type Params struct {
	Days     int            // of the span, at least 1
	Start    time.Time      // first day of the span; with it months are the calendar's
	Currency money.Currency // of all totals; "" takes the first offer's
	Rates    money.Rates
	Columns  []Column
	Mixed    *Mixed // nil: no such bill
}

const (
	low = iota
	point
	high
)

// Bill is one offer's column. With a Status other than OK it has no total.
type Bill struct {
	Name     string
	Offer    offer.Offer // with the provider's rules filled in
	Usage    Usage
	Status   Status
	Why      texts.Phrase
	Currency money.Currency // of the amounts
	RateDate string         // of the rate that converted them, "" for none
	Rate     money.Rat      // from the offer's currency, 1 for none
	Lines    []Line
	Total    money.Band
	PerHead  *money.Band // where heads share
	Per1000  *money.Band // per 1000 pictures
	Waits    Waits
	WaitH    money.Band // a start, in hours
	Unknown  []offer.Question
	Notes    []texts.Phrase // what to know of the bill as a whole
	LastsH   *money.Band    // how long the balance lasts, in hours of running
	Dies     texts.Phrase   // when stopped data dies
	Mixed    bool           // validate on one offer, then run on another
	// Of a mixed bill, the names of its offers: where it is validated, and where
	// the long run goes.
	ValidateOn, RunOn string
	// FailShare is the chance that validation stops the project; PaysFrom is the
	// one from which validating first is cheaper than the long run alone, nil for
	// none.
	FailShare money.Rat
	PaysFrom  *money.Rat
}

// Move is the smallest change of one input that changes the cheapest offer.
type Move struct {
	Input string // hours, price, package_price, fail_prob; text "bill.move.<input>"
	Offer string // whose
	From  money.Rat
	To    money.Rat
	Unit  string
	Share money.Rat // |To-From| / From
	Then  string    // the offer that would be cheapest
}

// Curve is an offer's cost by rented hours a month.
type Curve struct {
	Offer string
	Hours []float64
	Low   []float64
	Point []float64
	High  []float64
}

// Crossing is where one offer overtakes another.
type Crossing struct {
	A, B  string // A is cheaper below
	Hours float64
	Cost  float64
	// Least says that both are the cheapest there: the answer turns.
	Least bool
}

// Sheet is the page: all bills of a plan.
type Sheet struct {
	Days     int
	Start    time.Time // zero: on no calendar
	Currency money.Currency
	Bills    []Bill // in the plan's order
	Cheapest []int  // indices of the cheapest bills with a total; more than one is a tie
	Overlap  bool   // the cheapest one's band touches another's
	Moves    []Move
}

// Chance is what the draws say.
type Chance struct {
	Draws    int
	Seed     uint64
	Cheapest []float64 // by bill: share of the draws in which it is cheapest
	P10, P90 []float64 // by bill, of the total
	Mean     []float64
}
