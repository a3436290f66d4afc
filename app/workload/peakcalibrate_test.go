package workload

import (
	"fmt"
	"math"
)

// calibrate fits the constants to rows: coordinate descent in logarithms from
// the physical starts, on the median-like sum of relative errors, held to the
// starts by a ridge, so that a constant without rows keeps its start.
func calibrate(cat *Catalogue, consts []constant, fams []family, rows []vramRow) estimator {
	e := estimator{cat: cat, consts: map[string]float64{}, dens: map[string]float64{}}
	type knob struct {
		set   func(float64)
		start float64
		fam   string // "": all rows
		ridge float64
		most  float64 // physical bound; 0: none
	}
	var knobs []knob
	for _, c := range consts {
		e.consts[c.ID] = c.Start
		if c.Fitted {
			knobs = append(knobs, knob{func(v float64) { e.consts[c.ID] = v }, c.Start, "", ridge, c.Most})
		}
	}
	for _, f := range fams {
		e.dens[f.ID] = f.Start
		if f.Fitted {
			knobs = append(knobs, knob{func(v float64) { e.dens[f.ID] = v }, f.Start, f.ID, ridgeFamily, 0})
		}
	}
	same := map[string]float64{}
	for _, r := range rows {
		same[jobKey(r)]++
	}
	weight := make([]float64, len(rows))
	for i, r := range rows {
		weight[i] = 1 / math.Sqrt(same[jobKey(r)])
	}
	cost := func(fam string) float64 {
		sum := 0.0
		for i, r := range rows {
			if fam != "" && r.run.f.ID != fam {
				continue
			}
			d := min(e.nearest(r), outlier)
			sum += (d + 2*max(0, d-closeTo)) * weight[i]
		}
		return sum
	}
	at := make([]float64, len(knobs)) // logarithm over the start
	for step := 0.32; step > 0.015; step /= 2 {
		for pass := 0; pass < 5; pass++ {
			moved := false
			for i, k := range knobs {
				best, bestAt := cost(k.fam)+k.ridge*at[i]*at[i], at[i]
				for _, d := range []float64{-step, step} {
					v := at[i] + d
					if math.Abs(v) > farthest || k.most > 0 && k.start*math.Exp(v) > k.most {
						continue
					}
					k.set(k.start * math.Exp(v))
					if c := cost(k.fam) + k.ridge*v*v; c < best-1e-9 {
						best, bestAt, moved = c, v, true
					}
				}
				at[i] = bestAt
				k.set(k.start * math.Exp(bestAt))
			}
			if !moved {
				break
			}
		}
	}
	return e
}

const (
	outlier = 0.4  // an error beyond counts no more: a few rows contradict each other
	closeTo = 0.10 // errors beyond weigh thrice
	ridge   = 0.15

	// ridgeFamily is weaker: a family's start is only ComfyUI's factor.
	ridgeFamily = 0.05

	farthest = 1.6 // a factor of five from the start
)

// jobKey is the same for rows that measured one job, whatever the card.
func jobKey(r vramRow) string {
	j := r.job
	slice, tile := "?", "?"
	if j.VAESlicing != nil {
		slice = fmt.Sprint(*j.VAESlicing)
	}
	if j.VAETiling != nil {
		tile = fmt.Sprint(*j.VAETiling)
	}
	return fmt.Sprint(j.Model, j.Kind, j.Quant, j.TEQuant, j.TEDevice, j.Width, j.Height, j.Batch, j.Frames, j.Framework, j.Offload, slice, tile, j.Attention, j.Extra, r.metric)
}
