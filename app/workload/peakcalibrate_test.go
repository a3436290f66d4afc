package workload

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// How the fit weighs. Errors are relative.
const (
	outlier = 0.4 // an error beyond counts no more: a few rows contradict each other
	closeTo = 0.1 // an error beyond weighs thrice
	ridge   = 0.15

	// ridgeFamily is weaker: a family's start is only ComfyUI's factor.
	ridgeFamily = 0.05

	farthest = 1.6 // in logarithms: a factor of five from the start
)

// knob is a constant that the fit turns.
type knob struct {
	set   func(float64)
	start float64
	fam   string // whose rows it moves; "": all
	ridge float64
	most  float64 // physical bound; 0: none
	at    float64 // logarithm over the start
}

func (k *knob) turn(to float64) { k.set(k.start * math.Exp(to)) }

func (k *knob) allowed(to float64) bool {
	return math.Abs(to) <= farthest && (k.most == 0 || k.start*math.Exp(to) <= k.most)
}

// calibrate fits the constants to rows: coordinate descent in logarithms from
// the physical starts, on the sum of relative errors, held to the starts by a
// ridge, so that a constant without rows keeps its start. Rows of one job share
// their weight.
func calibrate(cat *Catalogue, consts []constant, fams []family, rows []vramRow) estimator {
	e := estimator{cat: cat, consts: map[string]float64{}, dens: map[string]float64{}}
	var knobs []*knob
	for _, c := range consts {
		e.consts[c.ID] = c.Start
		if c.Fitted {
			knobs = append(knobs, &knob{set: func(v float64) { e.consts[c.ID] = v }, start: c.Start, ridge: ridge, most: c.Most})
		}
	}
	for _, f := range fams {
		e.dens[f.ID] = f.Start
		if f.Fitted {
			knobs = append(knobs, &knob{set: func(v float64) { e.dens[f.ID] = v }, start: f.Start, fam: f.ID, ridge: ridgeFamily})
		}
	}
	groups := map[string][]vramRow{}
	for _, r := range rows {
		key := jobKey(r)
		if own, _ := r.run.ownTiling(); own {
			key += r.id // what it takes depends on the card
		}
		groups[key] = append(groups[key], r)
	}
	keys := slices.Sorted(maps.Keys(groups)) // sums in one order: the fit repeats to the bit
	cost := func(k *knob, at float64) float64 {
		sum := k.ridge * at * at
		for _, key := range keys {
			g := groups[key]
			if k.fam != "" && g[0].run.f.ID != k.fam {
				continue
			}
			alloc, top := e.levels(g[0].run)
			errs := 0.0
			for _, r := range g {
				d := min(e.nearest(r, alloc, top), outlier)
				errs += d + 2*max(0, d-closeTo)
			}
			sum += errs / math.Sqrt(float64(len(g)))
		}
		return sum
	}
	for step := 0.32; step > 0.015; step /= 2 {
		for pass, moved := 0, true; pass < 5 && moved; pass++ {
			moved = false
			for _, k := range knobs {
				best, bestAt := cost(k, k.at), k.at
				for _, to := range []float64{k.at - step, k.at + step} {
					if !k.allowed(to) {
						continue
					}
					k.turn(to)
					if c := cost(k, to); c < best-1e-9 {
						best, bestAt, moved = c, to, true
					}
				}
				k.at = bestAt
				k.turn(k.at)
			}
		}
	}
	return e
}

// catalogue is the built-in one with the estimator's constants.
func (e estimator) catalogue() *Catalogue {
	c := *e.cat
	c.consts, c.families = e.consts, map[string]family{}
	for id, f := range e.cat.families {
		f.Denoise = e.dens[id]
		c.families[id] = f
	}
	return &c
}

// jobKey is the same for rows that measured one job, whatever the card.
func jobKey(r vramRow) string {
	j := r.job
	say := func(v *bool) string {
		if v == nil {
			return "?"
		}
		return fmt.Sprint(*v)
	}
	return fmt.Sprint(j.Model, j.Kind, j.Quant, j.TEQuant, j.TEDevice, j.Width, j.Height, j.Batch, j.Frames,
		j.Framework, j.Offload, say(j.VAESlicing), say(j.VAETiling), j.Attention, j.Extra, r.metric)
}
