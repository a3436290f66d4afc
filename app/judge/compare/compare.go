// Package compare says what differs between two looks at a job: two machines,
// or one machine yesterday and today. What explains most of a difference in
// speed stands first.
package compare

import (
	"cmp"
	"math"
	"slices"

	"rentgen/app/judge"
	"rentgen/assets/texts"
	"rentgen/probe"
)

// Side is one of the two that are compared.
type Side struct {
	Name   string // how it is told: a host's name, a date
	Card   string // product
	Driver string // "" for not known, as with the next three
	CUDA   string
	CPU    string
	// Limits are what the inventory says, by the metric's key: power_cap_w,
	// mem_total_mib, ram_limit_mib, cpu_quota_cores.
	Limits map[string]float64
	// Stats are by metric key over the seconds in which the card was at work.
	Stats map[string]judge.Stat
	// Picture is the time of one picture, s, where the card's rhythm shows it;
	// 0 for not known.
	Picture float64
}

// OfPhase makes a side of a phase that was kept.
func OfPhase(name string, p judge.Phase) Side {
	return Side{Name: name, Card: p.Card, Stats: p.Stats}
}

// WithInventory adds what an inventory says of the machine and one card.
func (s Side) WithInventory(inv *probe.Inventory, gpu string) Side {
	if inv == nil {
		return s
	}
	s.Driver, s.CUDA, s.CPU = inv.Driver, inv.CUDA, inv.System.CPUModel
	s.Limits = map[string]float64{}
	put := func(m probe.Metric, v probe.Value) {
		if n, ok := v.Ok(); ok {
			s.Limits[m.String()] = n
		}
	}
	put(probe.CPUQuota, inv.System.Quota)
	put(probe.RAMLimit, inv.System.RAMLimit)
	for _, d := range inv.GPUs {
		if d.UUID != gpu {
			continue
		}
		s.Card = d.Name
		put(probe.MemTotal, d.MemTotal)
		put(probe.PowerCap, d.PowerCap)
	}
	return s
}

// Reading is a figure of one side. Without one Known is false and Value means nothing.
type Reading struct {
	judge.Number
	Text  string // of what has no number: a card's name, a driver's version
	Known bool
}

// Difference is one thing that isn't the same on both sides.
type Difference struct {
	Metric string // its key, or "card", "driver", "cuda", "cpu", "pcie"
	A, B   Reading
	Slower string // "a", "b" or "": the side that it makes slower
	// Share is how much it can explain: the natural logarithm of the factor in
	// time that it would make alone, 0 to 3. It is 0 where a side is not known.
	Share float64
	Say   texts.Phrase // the sentence with both figures
	Why   texts.Phrase // what it does to the speed

	what texts.Phrase
	x, y any // the figures as they are said
}

// What names the thing.
func (d Difference) What() texts.Phrase { return d.what }

// Then says the difference without the names of the sides, a as what was.
func (d Difference) Then() texts.Phrase {
	return texts.P("judge.compare.then", "what", d.what, "a", d.x, "b", d.y)
}

// Result is a comparison.
type Result struct {
	A, B        Side
	Pace        texts.Phrase // "50 s a picture instead of 20 s"; zero where the rhythm isn't seen on both
	Differences []Difference // what explains most first, then what one side doesn't tell
	Say         texts.Phrase // the headline
}

// maxShare bounds the effect of one difference: a factor of 20.
const maxShare = 3

// Sides compares two.
func Sides(a, b Side) Result {
	r := Result{A: a, B: b}
	for _, row := range words {
		if d, ok := row.compare(a, b); ok {
			r.Differences = append(r.Differences, d)
		}
	}
	for _, row := range figures {
		if d, ok := row.compare(a, b); ok {
			r.Differences = append(r.Differences, d)
		}
	}
	slices.SortStableFunc(r.Differences, func(x, y Difference) int { return cmp.Compare(y.Share, x.Share) })
	if a.Picture > 0 && b.Picture > 0 {
		r.Pace = texts.P("judge.compare.pace", "a", seconds(a.Picture), "b", seconds(b.Picture), "left", a.Name, "right", b.Name)
	}
	r.Say = r.headline()
	return r
}

// worth is the least share that a headline is made of: a tenth of the time.
const worth = 0.1

func (r Result) headline() texts.Phrase {
	switch {
	case len(r.A.Stats) == 0 || len(r.B.Stats) == 0:
		who := r.A.Name
		if len(r.A.Stats) > 0 {
			who = r.B.Name
		}
		return texts.P("judge.compare.unseen", "who", who)
	case len(r.Differences) == 0:
		return texts.P("judge.compare.same", "left", r.A.Name, "right", r.B.Name)
	case r.Differences[0].Share < worth:
		return texts.P("judge.compare.little", "left", r.A.Name, "right", r.B.Name)
	}
	d := r.Differences[0]
	slower := r.B.Name
	if d.Slower == "a" {
		slower = r.A.Name
	}
	if d.Slower == "" {
		return texts.P("judge.compare.most", "first", d.Say)
	}
	return texts.P("judge.compare.slower", "who", slower, "first", d.Say)
}

// word is something without a number.
type word struct {
	what  string
	of    func(Side) string
	share float64
}

var words = []word{
	{"card", func(s Side) string { return s.Card }, 1},
	{"driver", func(s Side) string { return s.Driver }, 0.05},
	{"cuda", func(s Side) string { return s.CUDA }, 0.02},
	{"cpu", func(s Side) string { return s.CPU }, 0.12},
}

func (w word) compare(a, b Side) (Difference, bool) {
	x, y := w.of(a), w.of(b)
	if x == y {
		return Difference{}, false
	}
	d := Difference{Metric: w.what, A: Reading{Text: x, Known: x != ""}, B: Reading{Text: y, Known: y != ""}, Share: w.share}
	d.say(a, b, texts.P("judge.compare.what."+w.what), x, y)
	return d, true
}

// say fills the sentences. A side that doesn't tell is said so.
func (d *Difference) say(a, b Side, what texts.Phrase, x, y any) {
	d.what, d.x, d.y = what, x, y
	switch {
	case !d.A.Known:
		d.Share, d.Slower = 0, ""
		d.Say = texts.P("judge.compare.missing", "what", what, "who", a.Name, "other", b.Name, "value", y)
		return
	case !d.B.Known:
		d.Share, d.Slower = 0, ""
		d.Say = texts.P("judge.compare.missing", "what", what, "who", b.Name, "other", a.Name, "value", x)
		return
	}
	d.Say = texts.P("judge.compare.differs", "what", what, "left", a.Name, "right", b.Name, "a", x, "b", y)
	d.Why = texts.P("judge.compare.why." + d.Metric)
}

// seconds writes a span with three digits; its unit stands in the text.
func seconds(v float64) string {
	switch {
	case v >= 99.95:
		return texts.Number(v, 0)
	case v >= 9.95:
		return texts.Number(v, 1)
	}
	return texts.Number(v, 2)
}

// share bounds an effect.
func share(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return min(max(v, 0), maxShare)
}
