package workload

import "slices"

// lever is a change of a job that may lower its peak.
type lever struct {
	id string
	// can reports whether the job can be changed so.
	can   func(r run) bool
	apply func(j Job) Job
}

func yes(v bool) *bool { return &v }

func isOn(v *bool) bool { return v != nil && *v }

// levers are all, the least painful first: what changes nothing but memory,
// then what costs quality, then what costs time.
var levers = []lever{
	{
		"flash_attention",
		func(r run) bool { return r.Attention == "vanilla" },
		func(j Job) Job { j.Attention = "flash"; return j },
	},
	{
		"vae_slicing",
		func(r run) bool { return r.Batch > 1 && !isOn(r.VAESlicing) && r.decodes() },
		func(j Job) Job { j.VAESlicing = yes(true); return j },
	},
	{
		"vae_tiling",
		func(r run) bool { return !isOn(r.VAETiling) && r.decodes() },
		func(j Job) Job { j.VAETiling = yes(true); return j },
	},
	{
		"grad_checkpointing",
		func(r run) bool {
			return r.Kind.Training() && r.Job.Training != nil && r.Job.Training.Checkpointing != nil && !*r.Job.Training.Checkpointing
		},
		func(j Job) Job {
			t := *j.Training
			t.Checkpointing = yes(true)
			j.Training = &t
			return j
		},
	},
	{
		"adam8bit",
		func(r run) bool {
			return r.Kind.Training() && (r.Job.Training == nil || r.Job.Training.Optimizer == "" || r.Job.Training.Optimizer == "adamw")
		},
		func(j Job) Job {
			t := Training{}
			if j.Training != nil {
				t = *j.Training
			}
			t.Optimizer = "adam8bit"
			j.Training = &t
			return j
		},
	},
	{
		"precomputed_text",
		func(r run) bool { return r.Kind.Training() && !r.textless() },
		func(j Job) Job { j.Encoders = "precomputed"; return j },
	},
	{
		"te_offload",
		func(r run) bool { return !r.Kind.Training() && !r.textless() && r.TEDevice != "offloaded" && r.keeps() },
		func(j Job) Job { j.TEDevice = "offloaded"; return j },
	},
	{
		"upscale_tiled",
		func(r run) bool {
			return r.Job.Upscaler != nil && r.Job.Upscaler.Tile != nil && (*r.Job.Upscaler.Tile == 0 || *r.Job.Upscaler.Tile > plainTile)
		},
		func(j Job) Job {
			u := *j.Upscaler
			tile := plainTile
			u.Tile = &tile
			j.Upscaler = &u
			return j
		},
	},
	{
		"half_precision",
		func(r run) bool { return r.fp32() },
		func(j Job) Job { return quantised(j, "fp16", "fp16") },
	},
	{
		"fp8",
		func(r run) bool { return plain16(r.Quant) && !r.fullTraining() },
		func(j Job) Job { return quantised(j, "fp8", "fp8") },
	},
	{
		"q4",
		func(r run) bool {
			return !r.Kind.Training() && !slices.Contains([]string{"q4", "q4_1", "q3", "q2", "nf4", "int4", "fp4", "int2"}, r.Quant) && !r.fp32()
		},
		func(j Job) Job { return quantised(j, "q4", "q4") },
	},
	{
		"nf4",
		func(r run) bool {
			return r.Kind.Training() && !r.fullTraining() && (plain16(r.Quant) || r.Quant == "fp8")
		},
		func(j Job) Job { return quantised(j, "nf4", j.TEQuant) },
	},
	{
		"batch_1",
		func(r run) bool { return r.Batch > 1 },
		func(j Job) Job { j.Batch = 1; return j },
	},
	{
		"offload_model",
		func(r run) bool { return !r.Kind.Training() && r.keeps() },
		func(j Job) Job { j.Offload = "model"; return j },
	},
	{
		"offload_block",
		func(r run) bool { return r.keeps() || r.Offload == "model" && !r.Kind.Training() },
		func(j Job) Job { j.Offload = "block"; return j },
	},
	{
		"offload_sequential",
		func(r run) bool { return !r.Kind.Training() && r.Offload != "sequential" },
		func(j Job) Job { j.Offload = "sequential"; return j },
	},
}

// quantised stores the denoiser and, unless it is already smaller, the text
// encoder otherwise.
func quantised(j Job, den, te string) Job {
	j.Quant = den
	if te != "" && j.TEQuant != "none" && (j.TEQuant == "" || plain16(j.TEQuant) || j.TEQuant == "fp32") {
		j.TEQuant = te
	}
	j.Extra = slices.DeleteFunc(slices.Clone(j.Extra), func(x string) bool {
		return slices.Contains([]string{"bnb", "gguf", "quanto", "torchao", "weight-only", "dynamic-quant", "fp8-rowwise"}, x)
	})
	return j
}

// decodes reports whether a VAE runs whose tiles and slices can be chosen.
func (r run) decodes() bool {
	return !r.Kind.Training() && r.f.Denoiser != "upscaler" && r.f.VAE != "none"
}

// keeps reports whether all weights stay on the card.
func (r run) keeps() bool {
	return (r.Offload == "" || r.Offload == "none") && r.f.Denoiser != "upscaler"
}

func (r run) fullTraining() bool { return r.Kind == TrainFull || r.Kind == TrainDreamBooth }

// leastSaved is the least a lever saves to be named, GiB.
const leastSaved = 0.1

// Levers are the changes that lower the job's peak, each alone, the least
// painful first, with what they save.
func (c *Catalogue) Levers(j Job) []Lever {
	r, ok := c.usual(j, nil)
	if !ok {
		return nil
	}
	now := c.Peaks(j)
	var out []Lever
	for _, l := range levers {
		if !l.can(r) {
			continue
		}
		save := now.Whole.Point - c.Peaks(l.apply(j)).Whole.Point
		if save >= leastSaved {
			out = append(out, Lever{ID: l.id, Phase: now.Peak, SaveGiB: save, Apply: l.apply})
		}
	}
	return out
}
