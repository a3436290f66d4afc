package workload

import (
	"math"
	"math/rand/v2"
	"testing"
)

// anyJob draws a job of the catalogue.
func anyJob(rng *rand.Rand, cat *Catalogue) Job {
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	flag := func() *bool {
		switch rng.IntN(3) {
		case 0:
			return nil
		case 1:
			return yes(false)
		}
		return yes(true)
	}
	m := cat.models[rng.IntN(len(cat.models))]
	j := Job{
		Model: m.ID, Kind: m.Kinds[rng.IntN(len(m.Kinds))], Quant: m.Quants[rng.IntN(len(m.Quants))],
		TEQuant: pick("", "fp16", "bf16", "fp8", "nf4", "q4", "none"), TEDevice: pick("", "gpu", "cpu", "offloaded"),
		Encoders: pick("", "default", "no-t5", "precomputed"), Width: 64 * (1 + rng.IntN(32)), Height: 64 * (1 + rng.IntN(32)),
		Batch: 1 + rng.IntN(8), Framework: pick("", "diffusers", "comfyui", "onediff", "edge-dit.cpp"), Offload: pick("none", "none", "", "model", "sequential", "block", "params-budget"),
		VAESlicing: flag(), VAETiling: flag(), Attention: pick("", "flash", "vanilla"), Guidance: flag(),
		ControlNets: rng.IntN(3), LoRAs: rng.IntN(3), IPAdapter: rng.IntN(3),
	}
	switch rng.IntN(8) {
	case 0:
		j.Extra = []string{pick("bnb", "quanto", "torchao", "tiny-vae", "vae-tiles-2x2", "budget-8")}
	case 1:
		j.Hires = &Hires{Scale: 1 + rng.Float64()}
	case 2:
		tile := 256 * rng.IntN(4)
		j.Upscaler = &Upscaler{Tile: &tile}
	}
	if j.Kind.Training() {
		j.Training = &Training{Rank: rng.IntN(128), Checkpointing: flag(), Optimizer: pick("", "adam8bit", "adamw", "adafactor")}
	}
	if j.Kind.Video() {
		j.Frames = 1 + rng.IntN(128)
	}
	return j
}

const drawn = 4000

func drawJobs(t *testing.T, check func(j Job, p Peaks)) {
	t.Helper()
	cat := Load()
	rng := rand.New(rand.NewPCG(7, 11))
	for range drawn {
		j := anyJob(rng, cat)
		p := cat.Peaks(j)
		if !p.Known {
			t.Fatalf("%+v: unknown", j)
		}
		check(j, p)
		if t.Failed() {
			t.Fatalf("job %+v", j)
		}
	}
}

func ordered(t *testing.T, what string, b Band) {
	t.Helper()
	for _, v := range []float64{b.Low, b.Point, b.High} {
		if math.IsNaN(v) || math.IsInf(v, 0) || v <= 0 {
			t.Errorf("%s: %+v", what, b)
		}
	}
	if b.Low > b.Point || b.Point > b.High {
		t.Errorf("%s: %+v is not in order", what, b)
	}
}

func TestBandsAreOrdered(t *testing.T) {
	drawJobs(t, func(_ Job, p Peaks) {
		ordered(t, "whole", p.Whole)
		for _, n := range p.Phases {
			ordered(t, string(n.Phase), n.Band)
			if n.Point > p.Whole.Point {
				t.Errorf("%s takes %.2f, the whole %.2f", n.Phase, n.Point, p.Whole.Point)
			}
		}
	})
}

// never wants that a change doesn't take more than the job.
func never(t *testing.T, what string, less, more Peaks) {
	t.Helper()
	const rounding = 1e-9
	if less.Whole.Point > more.Whole.Point+rounding {
		t.Errorf("%s: %.4f, else %.4f", what, less.Whole.Point, more.Whole.Point)
	}
}

func TestMoreWorkNeverTakesLess(t *testing.T) {
	cat := Load()
	drawJobs(t, func(j Job, p Peaks) {
		for what, change := range map[string]func(*Job){
			"wider":              func(j *Job) { j.Width *= 2 },
			"higher":             func(j *Job) { j.Height += 64 },
			"more at once":       func(j *Job) { j.Batch++ },
			"one more Control":   func(j *Job) { j.ControlNets++ },
			"one more LoRA":      func(j *Job) { j.LoRAs++ },
			"one more IPAdapter": func(j *Job) { j.IPAdapter++ },
			"longer clip": func(j *Job) {
				if j.Kind.Video() {
					j.Frames += 8
				}
			},
		} {
			k := j
			change(&k)
			never(t, what, p, cat.Peaks(k))
		}
	})
}

func TestSavingNeverTakesMore(t *testing.T) {
	cat := Load()
	drawJobs(t, func(j Job, p Peaks) {
		slices, tiles, few := j, j, j
		slices.VAESlicing, tiles.VAETiling = yes(true), yes(true)
		never(t, "slices", cat.Peaks(slices), p)
		never(t, "tiles", cat.Peaks(tiles), p)
		few.TEDevice = "cpu"
		never(t, "text encoder on the CPU", cat.Peaks(few), p)
		all := j
		all.Offload = "none"
		for _, way := range []string{"model", "block", "sequential"} {
			o := j
			o.Offload = way
			never(t, way, cat.Peaks(o), cat.Peaks(all))
		}
		if j.Attention == "vanilla" {
			f := j
			f.Attention = "flash"
			never(t, "flash", cat.Peaks(f), p)
		}
	})
}

func TestLeversSaveWhatTheySay(t *testing.T) {
	cat := Load()
	drawJobs(t, func(j Job, p Peaks) {
		for _, l := range cat.Levers(j) {
			got := p.Whole.Point - cat.Peaks(l.Apply(j)).Whole.Point
			if math.Abs(got-l.SaveGiB) > 1e-9 || got < leastSaved {
				t.Errorf("%s says %.3f and saves %.3f", l.ID, l.SaveGiB, got)
			}
			if l.Phase != p.Peak {
				t.Errorf("%s lowers %s, the peak is %s", l.ID, l.Phase, p.Peak)
			}
		}
	})
}

// rank orders the verdicts.
var rank = map[Fit]int{No: 0, Offload: 1, Tight: 2, Fits: 3}

func TestMoreRoomNeverFitsWorse(t *testing.T) {
	cat := Load()
	drawJobs(t, func(j Job, p Peaks) {
		last := -1
		for _, gb := range []float64{4, 8, 12, 16, 24, 32, 48, 80, 141} {
			total, zero := gb*1024, 0.0
			a := cat.FitOn(j, p, Card{Name: "any", NominalGB: gb, TotalMiB: &total, ReservedMiB: &zero}, 0)
			if rank[a.Fit] < last && !isOwnTiling(cat, j) {
				t.Errorf("%v GB: %s, a smaller card did better", gb, a.Fit)
			}
			last = rank[a.Fit]
			if a.Why.IsZero() {
				t.Errorf("%v GB: %s without a reason", gb, a.Fit)
			}
			ordered(t, "on a card", a.Peak)
			if a.Fit == Fits && a.Peak.High*1024 >= a.UsableMiB {
				t.Errorf("%v GB: fits with %.2f GiB", gb, a.Peak.High)
			}
		}
	})
}

// isOwnTiling reports whether the program tiles on small cards only, so that a
// larger card may look worse.
func isOwnTiling(cat *Catalogue, j Job) bool {
	r, _ := cat.usual(j, nil)
	own, _ := r.ownTiling()
	return own
}
