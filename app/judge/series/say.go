package series

import (
	"maps"
	"math"
	"slices"
	"time"

	"rentgen/app/judge"
	"rentgen/assets/texts"
	"rentgen/probe"
)

// Finding is a verdict before it is put on the segment's span.
type Finding struct {
	Kind       judge.Kind
	Level      judge.Level
	Confidence float64
	Doubts     []texts.Phrase
	Numbers    map[string]judge.Number
	// Say is the sentence's key behind "judge.say."; "" takes the kind. Its
	// placeholders are the names of Numbers and of Args.
	Say string
	// Next is the key behind "judge.next."; "" for nothing to do.
	Next string
	Args []any // pairs beyond the numbers
}

// Verdict puts a finding on the span of the case.
func (c *Case) Verdict(rule string, f Finding) judge.Verdict {
	if f.Say == "" {
		f.Say = string(f.Kind)
	}
	v := judge.Verdict{
		Kind: f.Kind, Level: f.Level, GPU: c.GPU, From: c.From, To: c.To, Open: c.Open,
		Confidence: min(max(f.Confidence, 0), 1), Doubts: f.Doubts, Numbers: f.Numbers, Rule: rule,
		Say: texts.P("judge.say."+f.Say, Pairs(f.Numbers, f.Args...)...),
	}
	if f.Next != "" {
		v.Next = texts.P("judge.next."+f.Next, Pairs(f.Numbers, f.Args...)...)
	}
	return v
}

// Pairs makes the arguments of a phrase out of numbers, said with their units,
// and further pairs. Minutes and longer are said as such.
func Pairs(numbers map[string]judge.Number, more ...any) []any {
	var list []any
	for _, name := range slices.Sorted(maps.Keys(numbers)) {
		list = append(list, name, Said(numbers[name]))
	}
	return append(list, more...)
}

// Said returns how a number is written in the language of then.
func Said(n judge.Number) func(*texts.Catalogue) string {
	return func(c *texts.Catalogue) string {
		if n.Unit == "s" && n.Value >= 60 && n.Value < math.MaxInt64/1e9 {
			return texts.Duration(c, time.Duration(n.Value)*time.Second)
		}
		return texts.Value(c, n.Value, n.Unit)
	}
}

// Doubt returns the phrase of what a verdict lacks to certainty.
func Doubt(name string, pairs ...any) texts.Phrase { return texts.P("judge.doubt."+name, pairs...) }

// Why returns the words for why a metric has no value.
func Why(s probe.State) func(*texts.Catalogue) string {
	return func(c *texts.Catalogue) string { return texts.Missing(c, s.String(), "") }
}
