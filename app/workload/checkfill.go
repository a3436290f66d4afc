package workload

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Check returns what is wrong with a job; nil: nothing. What is empty is
// filled by Filled and not wrong, but a clip has frames and a training its own
// settings.
func (cat *Catalogue) Check(j Job) []*InputError {
	c := checker{cat: cat}
	m, known := cat.Model(j.Model)
	if !known {
		c.add("job.model", j.Model, oneOf(cat.modelIDs()))
		m.Kinds = allKinds
	}
	kind := c.kindOf(j, m)
	c.fields(j, kind)
	return c.errs
}

// Filled puts the usual of the model in where the job says nothing. Framework,
// VAE slicing and tiling stay open: empty is the program's own way. A job of an
// unknown model is returned with what doesn't depend on it.
func (cat *Catalogue) Filled(j Job) Job {
	m, known := cat.Model(j.Model)
	if known {
		j.Kind = cmp.Or(j.Kind, m.kind())
		j.Quant = cmp.Or(j.Quant, m.precision())
		if j.Width == 0 && j.Height == 0 {
			j.Width, j.Height = m.DefaultWidth, m.DefaultHeight
		}
		if j.distilled() {
			j.Steps = cmp.Or(j.Steps, distilledSteps)
			if j.Guidance == nil {
				j.Guidance = new(bool)
			}
		}
		j.Steps = cmp.Or(j.Steps, m.DefaultSteps)
		if j.Kind.Video() {
			j.Frames = cmp.Or(j.Frames, m.DefaultFrames)
		}
		if j.Guidance == nil {
			g := m.Guidance
			j.Guidance = &g
		}
	}
	j.Width, j.Height = cmp.Or(j.Width, j.Height), cmp.Or(j.Height, j.Width)
	j.Batch = cmp.Or(j.Batch, 1)
	if j.TEQuant == "" {
		j.TEQuant = usualEncoder(j.Quant)
	}
	j.TEDevice = cmp.Or(j.TEDevice, "gpu")
	j.Encoders = cmp.Or(j.Encoders, "default")
	j.Offload = cmp.Or(j.Offload, "none")
	j.Attention = cmp.Or(j.Attention, "default")
	if u := j.Upscaler; u != nil {
		filled := *u
		filled.Scale = cmp.Or(filled.Scale, 4)
		if filled.Tile == nil {
			tile := 512
			filled.Tile = &tile
		}
		j.Upscaler = &filled
	}
	if h := j.Hires; h != nil {
		filled := *h
		filled.Steps = cmp.Or(filled.Steps, j.Steps)
		filled.Denoise = cmp.Or(filled.Denoise, 1)
		j.Hires = &filled
	}
	if t := j.Training; t != nil {
		filled := *t
		if j.Kind == TrainLoRA || j.Kind == TrainLoKr {
			filled.Rank = cmp.Or(filled.Rank, 16)
		}
		filled.Steps = cmp.Or(filled.Steps, usualTrainingSteps)
		filled.Optimizer = cmp.Or(filled.Optimizer, "adam8bit")
		if filled.Checkpointing == nil {
			on := true
			filled.Checkpointing = &on
		}
		j.Training = &filled
	}
	return j
}

// Step-distilled weights, or a LoRA that makes a model so (Turbo, Lightning,
// Hyper, LCM), paint in few steps without guidance.
const (
	stepDistilled  = "step-distilled" // the flag in Extra
	distilledSteps = 4
)

func (j Job) distilled() bool { return slices.Contains(j.Extra, stepDistilled) }

// usualTrainingSteps are those of a LoRA of some tens of pictures.
const usualTrainingSteps = 2000

// precision is the usual storage of the denoiser: what the model was released
// in.
func (m Model) precision() string {
	if slices.Contains(m.Quants, "bf16") {
		return "bf16"
	}
	return "fp16"
}

// usualEncoder is the storage of the text encoder that goes with a denoiser's:
// a plain type is used for all components, fp8 files come with an fp8 encoder,
// other kinds of quantising leave the encoder plain.
func usualEncoder(quant string) string {
	switch quant {
	case "fp32", "fp16", "bf16", "fp8":
		return quant
	case "":
		return ""
	}
	return "bf16"
}

// Key is the job as one line, the same for jobs that take the same time and
// VRAM; a measured figure is kept by it. Take it of a filled job: an empty field
// and the usual written out are different lines otherwise. How long a whole
// training runs is no part of it, as figures of a training are of one step.
func (j Job) Key() string {
	var b strings.Builder
	b.WriteString(j.Model)
	word := func(name, v string) {
		if v != "" {
			b.WriteString(" " + name + "=" + v)
		}
	}
	whole := func(name string, v int) {
		if v != 0 {
			word(name, strconv.Itoa(v))
		}
	}
	yes := func(name string, v *bool) {
		if v != nil && *v {
			word(name, "yes")
		}
	}
	word("kind", string(j.Kind))
	word("precision", j.Quant)
	word("te", j.TEQuant)
	if j.TEDevice != "gpu" {
		word("te-on", j.TEDevice)
	}
	if j.Encoders != "default" {
		word("encoders", j.Encoders)
	}
	word("size", fmt.Sprintf("%dx%d", j.Width, j.Height))
	whole("steps", j.Steps)
	whole("batch", max(j.Batch, 1))
	whole("frames", j.Frames)
	yes("guidance", j.Guidance)
	word("with", j.Framework)
	if j.Offload != "none" {
		word("offload", j.Offload)
	}
	yes("vae-slicing", j.VAESlicing)
	yes("vae-tiling", j.VAETiling)
	if j.Attention != "default" {
		word("attention", j.Attention)
	}
	if j.Compile {
		word("compile", "yes")
	}
	whole("controlnets", j.ControlNets)
	whole("loras", j.LoRAs)
	whole("ip-adapter", j.IPAdapter)
	if h := j.Hires; h != nil {
		word("hires", fmt.Sprintf("%gx/%d/%g", h.Scale, h.Steps, h.Denoise))
	}
	if u := j.Upscaler; u != nil {
		tile := -1 // the program's own
		if u.Tile != nil {
			tile = *u.Tile
		}
		word("upscaler", fmt.Sprintf("%s/%dx/%d", cmp.Or(u.Model, "esrgan"), u.Scale, tile))
	}
	if t := j.Training; t != nil {
		word("training", fmt.Sprintf("%d/%s", t.Rank, t.Optimizer))
		yes("checkpointing", t.Checkpointing)
	}
	extra := slices.Compact(slices.Sorted(slices.Values(j.Extra)))
	word("extra", strings.Join(extra, "+"))
	return b.String()
}
