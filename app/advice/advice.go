// Package advice says which kind of card to rent for a job: what is ruled out,
// what cost decides among the rest, and what would change the answer.
package advice

import (
	"slices"

	"rentgen/app/money"
	"rentgen/assets/texts"
)

// Choice is the answer.
type Choice string

// The choices.
const (
	Shared          Choice = "shared"
	Dedicated       Choice = "dedicated"
	Validate        Choice = "validate_then_dedicated"
	GuaranteedShare Choice = "guaranteed_shared"
	Tie             Choice = "tie"
	Nothing         Choice = "none" // every offer is ruled out, or there is none
)

// Questions are what a plan asks beside the job. An empty answer was not given.
type Questions struct {
	// Duration of one task: short (under 3 h), long (to a day), continuous.
	Duration string `yaml:"duration,omitempty" json:"duration,omitempty"`
	// Sensitivity of the data: none, some (encrypt it), contract (must not lie
	// beside other tenants).
	Sensitivity string `yaml:"sensitivity,omitempty" json:"sensitivity,omitempty"`
	Root        bool   `yaml:"root,omitempty" json:"root,omitempty"`     // needs root of the machine
	Driver      bool   `yaml:"driver,omitempty" json:"driver,omitempty"` // its own driver
	Kernel      bool   `yaml:"kernel,omitempty" json:"kernel,omitempty"` // kernel modules
	Docker      bool   `yaml:"docker,omitempty" json:"docker,omitempty"`
	MultiCard   int    `yaml:"multi_card,omitempty" json:"multi_card,omitempty"` // cards that work together
	Load        string `yaml:"load,omitempty" json:"load,omitempty"`             // steady, peaks
	// Proven says that the workflow already ran once on a rented card.
	Proven bool `yaml:"proven,omitempty" json:"proven,omitempty"`
	// FailShare is the chance that validation stops the project, 0 to 1.
	FailShare *float64 `yaml:"fail_share,omitempty" json:"fail_share,omitempty"`
	// Steady says that the time a picture takes must not vary.
	Steady bool `yaml:"steady_speed,omitempty" json:"steady_speed,omitempty"`
}

// Veto rules an offer, or all of one kind, out.
type Veto struct {
	Item  string // sensitivity, vram, root, driver, kernel, docker, multi_card, finish
	Kind  Choice // Shared or Dedicated, "" for single offers
	Offer string // "" for all of Kind
	Text  texts.Phrase
}

// Reason carries the answer, in order of weight.
type Reason struct {
	Item   string // duration, vram, sensitivity, idle, rights, load, cost, stability, ops, waiting
	Weight float64
	Text   texts.Phrase
	Row    string // of the comparison table, text "article.table.<row>.*", "" for none
	Offer  string // of the bill
	Line   string // of the bill, "" for none
	// Against says that the reason speaks for the other side: it was outweighed.
	Against bool
}

// For returns the reasons that carry the answer, for a page that lists what is
// ruled out beside them: a sentence stands there once.
func (a Advice) For() []Reason {
	return slices.DeleteFunc(slices.Clone(a.Reasons), func(r Reason) bool {
		return r.Against || slices.ContainsFunc(a.Vetoes, func(v Veto) bool {
			return v.Text.Key == r.Text.Key && v.Offer == r.Offer
		})
	})
}

// Against returns the reasons that were outweighed.
func (a Advice) Against() []Reason {
	return slices.DeleteFunc(slices.Clone(a.Reasons), func(r Reason) bool { return !r.Against })
}

// Change is an input that would turn the answer.
type Change struct {
	Input string
	From  string
	To    string
	Then  Choice
	Text  texts.Phrase

	offer string // whose price or hours
}

// Basis is what an answer rests on.
type Basis string

// The bases.
const (
	ByBills     Basis = "bills"
	ByQuestions Basis = "questions" // no offer has a total: offers may turn the answer
	ByNothing   Basis = "nothing"   // neither an offer nor an answer
)

// Advice is the answer with its reasons.
type Advice struct {
	Choice      Choice
	Basis       Basis
	Offer       string   // the recommended one, "" for none
	Second      string   // of Validate: where the long run goes; of a tie: the other side
	Vetoes      []Veto   // all that were met
	Reasons     []Reason // by weight
	WouldChange []Change
	Sentence    texts.Phrase
	Open        []string // questions that were not answered and matter

	// Total is of the recommended way, in the sheet's currency; nil without bills.
	Total *money.Band
	// Chance is how likely the recommended way is the cheaper one, 0 to 1; nil
	// where nothing competes.
	Chance *float64
}
