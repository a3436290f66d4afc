package why

import (
	"math"
	"time"

	"rentgen/app/judge"
	"rentgen/app/judge/compare"
	"rentgen/assets/texts"
)

// stamp is how moments stand in JSON, UTC.
const stamp = "2006-01-02T15:04:05.000Z"

// JSON is an answer as docs/contracts.md has it.
type JSON struct {
	Host     string        `json:"host"`
	Demo     bool          `json:"demo"`
	From     *string       `json:"from"` // null without readings
	To       *string       `json:"to"`
	Seconds  int           `json:"seconds"`
	Level    judge.Level   `json:"level"` // of the headline
	Sentence string        `json:"sentence"`
	Next     string        `json:"next"` // "" for nothing to do
	Doubts   []string      `json:"doubts"`
	Verdicts []VerdictJSON `json:"verdicts"`
}

// VerdictJSON is a verdict.
type VerdictJSON struct {
	Host       string                `json:"host"`
	Kind       judge.Kind            `json:"kind"`
	Level      judge.Level           `json:"level"`
	GPU        *string               `json:"gpu"` // null for the machine
	From       *string               `json:"from"`
	To         *string               `json:"to"`
	Confidence float64               `json:"confidence"`
	Doubts     []string              `json:"doubts"`
	Numbers    map[string]NumberJSON `json:"numbers"`
	Sentence   string                `json:"sentence"`
	Next       string                `json:"next"`
	Rule       string                `json:"rule"`
}

// NumberJSON is a figure with its unit, "" for a plain number.
type NumberJSON struct {
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
}

// DifferenceJSON is something that isn't the same on two sides. A side without
// a figure is null where it doesn't tell.
type DifferenceJSON struct {
	Metric   string  `json:"metric"`
	A        any     `json:"a"`
	B        any     `json:"b"`
	Share    float64 `json:"share"`
	Slower   *string `json:"slower"` // "a" or "b": the side it slows; null for neither
	Sentence string  `json:"sentence"`
	Why      string  `json:"why"`
}

// ComparisonJSON is what differs between two.
type ComparisonJSON struct {
	A           string           `json:"a"`
	B           string           `json:"b"`
	Sentence    string           `json:"sentence"`
	Pace        string           `json:"pace"` // "" where the time of a picture isn't seen on both
	Differences []DifferenceJSON `json:"differences"`
}

func moment(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	s := t.UTC().Format(stamp)
	return &s
}

// round keeps two decimals: more are no knowledge.
func round(v float64) float64 { return math.Round(100*v) / 100 }

func word(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// JSON returns the documented object, said in the language of c.
func (a Answer) JSON(c *texts.Catalogue) JSON {
	head := a.Headline()
	out := JSON{
		Host: a.Host, Demo: a.Demo, From: moment(a.From), To: moment(a.To), Seconds: a.Seconds,
		Level: head.Level, Sentence: c.Say(head.Say), Next: c.Say(head.Next),
	}
	out.Doubts = Verdict(c, head).Doubts
	for _, v := range a.Verdicts {
		j := Verdict(c, v)
		j.Host = a.Host
		out.Verdicts = append(out.Verdicts, j)
	}
	return out
}

// Verdict returns the documented object of a verdict.
func Verdict(c *texts.Catalogue, v judge.Verdict) VerdictJSON {
	out := VerdictJSON{
		Kind: v.Kind, Level: v.Level, GPU: word(v.GPU), From: moment(v.From), To: moment(v.To), Confidence: round(v.Confidence),
		Doubts: []string{}, Numbers: map[string]NumberJSON{}, Sentence: c.Say(v.Say), Next: c.Say(v.Next), Rule: v.Rule,
	}
	for _, d := range v.Doubts {
		out.Doubts = append(out.Doubts, c.Say(d))
	}
	for name, n := range v.Numbers {
		out.Numbers[name] = NumberJSON(n)
	}
	return out
}

// Comparison returns the documented object of a comparison.
func Comparison(c *texts.Catalogue, r compare.Result) ComparisonJSON {
	out := ComparisonJSON{A: r.A.Name, B: r.B.Name, Sentence: c.Say(r.Say), Pace: c.Say(r.Pace), Differences: []DifferenceJSON{}}
	for _, d := range r.Differences {
		j := DifferenceJSON{Metric: d.Metric, A: reading(d.A), B: reading(d.B), Share: round(d.Share), Slower: word(d.Slower), Sentence: c.Say(d.Say), Why: c.Say(d.Why)}
		out.Differences = append(out.Differences, j)
	}
	return out
}

func reading(r compare.Reading) any {
	switch {
	case !r.Known:
		return nil
	case r.Text != "":
		return r.Text
	}
	return NumberJSON(r.Number)
}
