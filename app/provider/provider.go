// Package provider holds the dated rules of the platforms: what they bill, what
// goes on billing when stopped, when they delete. A rule is what a page said on
// a date; it is never a current price.
package provider

import (
	"fmt"
	"sync"

	"rentgen/app/money"
	"rentgen/assets/providers"
	"rentgen/assets/texts"
)

// The marks of a rule: whose page it was read on.
const (
	MarkProvider   = "provider"    // the provider's own
	MarkThirdParty = "third-party" // somebody who quotes the provider
	MarkMeasured   = "measured"    // somebody who tried
)

// Undated is the date of a rule whose page bears none.
const Undated = "undated"

// The kinds of providers.
const (
	Shared    = "shared"    // containers on machines of several tenants
	Dedicated = "dedicated" // whole machines, virtual or not
	Both      = "both"
)

// Term is one rule. Value is text as the term's definition reads it.
type Term struct {
	Value  string `yaml:"value"`
	Source string `yaml:"source"` // page or address
	Date   string `yaml:"date"`   // of the copy it was read in: "2026-11-30", "2023-08" or Undated
	Mark   string `yaml:"mark"`
	// Also are what other pages say instead.
	Also []Term `yaml:"also"`
}

// Note is a fact that no term holds.
type Note struct {
	Topic   string `yaml:"topic"` // of Topics
	English string `yaml:"en"`
	Chinese string `yaml:"zh"`
	Source  string `yaml:"source"`
	Date    string `yaml:"date"`
	Mark    string `yaml:"mark"`
	// Doubt says that the page was read in part, or was about another product.
	Doubt bool `yaml:"doubt"`
}

// Text returns the note in a language.
func (n Note) Text(l texts.Lang) string {
	if l == texts.Chinese {
		return n.Chinese
	}
	return n.English
}

// Rules is what is known of a provider.
type Rules struct {
	ID       string                `yaml:"id"`
	Name     map[texts.Lang]string `yaml:"name"`
	Kind     string                `yaml:"kind"`
	Machine  string                `yaml:"machine"`  // container, vm, bare-metal; "" when it offers several or doesn't say
	Currency money.Currency        `yaml:"currency"` // of its pages, "" when no amount was read
	Terms    map[string]Term       `yaml:"terms"`    // by the text of the offer's TermID
	Notes    []Note                `yaml:"notes"`
	// Sources lists every source of the terms and notes once, in the file's
	// alphabetical order of terms, then notes.
	Sources []string `yaml:"-"`
}

// NameIn returns the provider's name in a language.
func (r Rules) NameIn(l texts.Lang) string {
	if n := r.Name[l]; n != "" {
		return n
	}
	return r.ID
}

var load = sync.OnceValue(func() []Rules {
	all, err := read(providers.Files)
	if err != nil {
		panic(fmt.Sprintf("provider: %v", err)) // the files are part of the program; a test reads them
	}
	return all
})

// All returns the rules of every provider, by id. What it returns is shared and
// must not be changed.
func All() []Rules { return load() }

// Find returns the rules of a provider.
func Find(id string) (Rules, bool) {
	for _, r := range load() {
		if r.ID == id {
			return r, true
		}
	}
	return Rules{}, false
}
