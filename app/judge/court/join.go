package court

import (
	"maps"
	"math"
	"strings"
	"time"

	"rentgen/app/judge"
	"rentgen/app/judge/series"
	"rentgen/app/judge/slow"
	"rentgen/assets/texts"
)

// episode is a verdict that minutes which follow on one another share.
type episode struct {
	v      judge.Verdict
	weight float64 // seconds that the numbers stand for
	sure   float64 // mean confidence of the minutes
	n      int     // minutes
}

// joins reports whether a minute's verdict goes on with the episode.
func (e *episode) joins(v *judge.Verdict) bool {
	return e.v.Kind == v.Kind && e.v.GPU == v.GPU && e.v.Rule == v.Rule && (e.v.Say.Key == v.Say.Key || slow.Alike(&e.v, v)) &&
		v.From.Sub(e.v.To) <= joinGap
}

// joinGap is how long a rule may be silent within one episode.
const joinGap = 2 * time.Minute

// join adds a minute to the episode: numbers are averaged by seconds; peaks
// are the greatest, counts and seconds are added up.
func (e *episode) join(v judge.Verdict) {
	w := math.Max(1, v.To.Sub(v.From).Seconds())
	numbers := maps.Clone(e.v.Numbers)
	for name, n := range v.Numbers {
		old, ok := numbers[name]
		if !ok {
			numbers[name] = n
			continue
		}
		switch how(name) {
		case "peak":
			n.Value = math.Max(n.Value, old.Value)
		case "sum":
			n.Value += old.Value
		default:
			n.Value = (old.Value*e.weight + n.Value*w) / (e.weight + w)
		}
		numbers[name] = n
	}
	// Minutes that agree say a little more than one, but what each lacks all lack.
	e.sure = (e.sure*e.weight + v.Confidence*w) / (e.weight + w)
	e.n++
	e.v.Confidence = math.Max(e.sure, math.Min(0.99, e.sure+0.05*(1-math.Exp(-float64(e.n)/5))))
	e.v.To, e.v.Open = v.To, v.Open
	if v.Level.Rank() > e.v.Level.Rank() {
		e.v.Level = v.Level
	}
	e.v.Doubts = v.Doubts
	e.weight += w
	e.v.Numbers = numbers
	e.v.Say, e.v.Next = said(v.Say, numbers), said(v.Next, numbers)
	slow.Rephrase(&e.v)
}

// how says how a figure of several minutes is put together, by its name.
func how(name string) string {
	switch {
	case name == "peak" || strings.HasSuffix(name, "_peak"):
		return "peak"
	case name == "seconds" || name == "count" || strings.HasSuffix(name, "_seconds") || strings.HasSuffix(name, "_count"):
		return "sum"
	}
	return "mean"
}

// said puts the joined numbers where the phrase has those of its minute.
func said(p texts.Phrase, numbers map[string]judge.Number) texts.Phrase {
	args := append([]any(nil), p.Args...)
	for i := 0; i+1 < len(args); i += 2 {
		name, _ := args[i].(string)
		if n, ok := numbers[name]; ok {
			args[i+1] = series.Said(n)
		}
	}
	p.Args = args
	return p
}
