package plan

import (
	"slices"
	"strconv"

	"fyne.io/fyne/v2/container"

	core "rentgen/app/plan"
	"rentgen/app/workload"
	"rentgen/assets/texts"
)

// moreFields are the lesser fields of the job.
func (f *form) moreFields() {
	w, c := f.w, f.w.c
	m := f.more
	kind := newPick(w, "job.kind", func(p core.Plan) string { return string(p.Job.Kind) }, func(p *core.Plan, code string) {
		p.Job.Kind = workload.Kind(code)
		if p.Job.Kind.Training() && p.Job.Training == nil {
			p.Job.Training = &workload.Training{Steps: usualTraining}
			p.Use.Pictures = workload.Count{Total: 1} // what counts now is whole trainings
		} else if !p.Job.Kind.Training() {
			p.Job.Training = nil
		}
	})
	f.list(m, "plan.f.kind", kind, nil, nil)
	showKind := kind.show
	kind.field.sync = func(p core.Plan) {
		codes := []string{""}
		if md, ok := w.modelOf(p.Job.Model); ok {
			for _, k := range md.Kinds {
				codes = append(codes, string(k))
			}
		}
		kind.offer(f.words("plan.kind.", codes...))
		showKind(p)
	}

	quant := newPick(w, "job.precision", func(p core.Plan) string { return p.Job.Quant }, func(p *core.Plan, code string) { p.Job.Quant = code })
	f.list(m, "plan.f.precision", quant, nil, nil)
	showQuant := quant.show
	quant.field.sync = func(p core.Plan) {
		codes := quants
		if md, ok := w.modelOf(p.Job.Model); ok && len(md.Quants) > 0 {
			codes = md.Quants
		}
		if p.Job.Quant != "" && !slices.Contains(codes, p.Job.Quant) {
			codes = append(slices.Clone(codes), p.Job.Quant)
		}
		names := append([]string{w.usual(p, func(j workload.Job) string { return j.Quant })}, codes...)
		quant.offer(append([]string{""}, codes...), names)
		showQuant(p)
	}

	number := func(key, id string, get func(*workload.Job) *int, seen func(core.Plan) bool) *input {
		in := whole(w, id, func(p core.Plan) int { return *get(&p.Job) }, func(p *core.Plan, n int) { *get(&p.Job) = n })
		in.seen = seen
		return f.text(m, key, in, "")
	}
	batch := number("plan.f.at_once", "job.batch", func(j *workload.Job) *int { return &j.Batch }, nil)
	batch.usual = func(j workload.Job) string { return usualNumber(j.Batch) }
	frames := number("plan.f.frames", "job.frames", func(j *workload.Job) *int { return &j.Frames }, w.isVideo)
	frames.usual = func(j workload.Job) string { return usualNumber(j.Frames) }
	number("plan.f.controlnets", "job.controlnets", func(j *workload.Job) *int { return &j.ControlNets }, nil)
	number("plan.f.loras", "job.loras", func(j *workload.Job) *int { return &j.LoRAs }, nil)
	number("plan.f.ip_adapter", "job.ip_adapter", func(j *workload.Job) *int { return &j.IPAdapter }, nil)
	f.hiresFields()
	f.upscalerFields()

	word := func(key, id, prefix string, get func(*workload.Job) *string, codes ...string) {
		p := newPick(w, id, func(p core.Plan) string { return *get(&p.Job) }, func(p *core.Plan, code string) { *get(&p.Job) = code })
		all := append([]string{""}, codes...)
		_, names := f.words(prefix, all...)
		f.list(m, key, p, all, names)
	}
	flag := func(key, id string, get func(*workload.Job) **bool) {
		p := newPick(w, id, func(p core.Plan) string { return ofFlag(*get(&p.Job)) }, func(p *core.Plan, code string) { *get(&p.Job) = flagOf(code) })
		codes, names := f.words("plan.flag.", "", "true", "false")
		f.list(m, key, p, codes, names)
	}
	flag("plan.f.vae_slicing", "job.vae_slicing", func(j *workload.Job) **bool { return &j.VAESlicing })
	flag("plan.f.vae_tiling", "job.vae_tiling", func(j *workload.Job) **bool { return &j.VAETiling })
	word("plan.f.offload", "job.offload", "plan.offload.", func(j *workload.Job) *string { return &j.Offload },
		"none", "model", "sequential", "block", "params-budget", "lowvram")
	te := newPick(w, "job.te_precision", func(p core.Plan) string { return p.Job.TEQuant }, func(p *core.Plan, code string) { p.Job.TEQuant = code })
	f.list(m, "plan.f.te_precision", te, append([]string{""}, quants...), append([]string{c.T("plan.flag.usual")}, quants...))
	word("plan.f.te_device", "job.te_device", "plan.te.", func(j *workload.Job) *string { return &j.TEDevice }, "gpu", "cpu", "offloaded")
	word("plan.f.encoders", "job.text_encoders", "plan.encoders.", func(j *workload.Job) *string { return &j.Encoders }, "default", "no-t5", "precomputed", "remote", "none")
	word("plan.f.attention", "job.attention", "plan.attention.", func(j *workload.Job) *string { return &j.Attention }, "flash", "vanilla")
	word("plan.f.framework", "job.framework", "plan.framework.", func(j *workload.Job) *string { return &j.Framework },
		"comfyui", "diffusers", "a1111", "forge", "kohya", "simpletuner")
	flag("plan.f.guidance", "job.guidance", func(j *workload.Job) **bool { return &j.Guidance })
	f.add(m, newTick(w, "job.compile", c.T("plan.f.compile"), func(p core.Plan) bool { return p.Job.Compile },
		func(p *core.Plan, on bool) { p.Job.Compile = on }))
	f.trainingFields()
}

// quants are the precisions that weights are kept in.
var quants = []string{
	"fp32", "fp16", "bf16", "fp8", "int8", "q8_0", "q6_k", "q5_1", "q5", "q4_1", "q4", "q3", "q2", "nf4", "fp4", "int4",
}

// usualTraining is the length of a training that nobody typed yet.
const usualTraining = 2000

func ofFlag(b *bool) string {
	if b == nil {
		return ""
	}
	return strconv.FormatBool(*b)
}

func flagOf(code string) *bool {
	if code == "" {
		return nil
	}
	on := code == "true"
	return &on
}

func (f *form) hiresFields() {
	w, c, m := f.w, f.w.c, f.more
	still := func(p core.Plan) bool { return !p.Job.Kind.Training() && !w.isVideo(p) }
	on := newTick(w, "job.hires", c.T("plan.f.hires"), func(p core.Plan) bool { return p.Job.Hires != nil }, func(p *core.Plan, on bool) {
		p.Job.Hires = nil
		if on {
			p.Job.Hires = &workload.Hires{Scale: 2, Denoise: 0.5}
		}
	})
	on.seen = still
	f.add(m, on)
	has := func(p core.Plan) bool { return p.Job.Hires != nil }
	scale := decimal(w, "job.hires.scale", func(p core.Plan) float64 {
		if p.Job.Hires == nil {
			return 0
		}
		return p.Job.Hires.Scale
	}, func(p *core.Plan, v float64) {
		if p.Job.Hires != nil {
			p.Job.Hires.Scale = v
		}
	})
	scale.seen = has
	f.text(m, "plan.f.hires_scale", scale, "×")
	denoise := decimal(w, "job.hires.denoise", func(p core.Plan) float64 {
		if p.Job.Hires == nil {
			return 0
		}
		return p.Job.Hires.Denoise
	}, func(p *core.Plan, v float64) {
		if p.Job.Hires != nil {
			p.Job.Hires.Denoise = v
		}
	})
	denoise.seen = has
	denoise.usual = func(workload.Job) string { return "1" }
	f.text(m, "plan.f.hires_denoise", denoise, "")
}

func (f *form) upscalerFields() {
	w, c, m := f.w, f.w.c, f.more
	on := newTick(w, "job.upscaler", c.T("plan.f.upscaler"), func(p core.Plan) bool { return p.Job.Upscaler != nil }, func(p *core.Plan, on bool) {
		p.Job.Upscaler = nil
		if on {
			p.Job.Upscaler = &workload.Upscaler{Scale: 4}
		}
	})
	on.seen = func(p core.Plan) bool { return !p.Job.Kind.Training() && !w.isVideo(p) }
	f.add(m, on)
	has := func(p core.Plan) bool { return p.Job.Upscaler != nil }
	scale := whole(w, "job.upscaler.scale", func(p core.Plan) int {
		if p.Job.Upscaler == nil {
			return 0
		}
		return p.Job.Upscaler.Scale
	}, func(p *core.Plan, n int) {
		if p.Job.Upscaler != nil {
			p.Job.Upscaler.Scale = n
		}
	})
	scale.seen = has
	f.text(m, "plan.f.upscaler_scale", scale, "×")
	tile := newInput(w, "job.upscaler.tile", func(p core.Plan) string {
		if p.Job.Upscaler == nil || p.Job.Upscaler.Tile == nil {
			return ""
		}
		return strconv.Itoa(*p.Job.Upscaler.Tile)
	}, func(p *core.Plan, text string) texts.Phrase {
		if p.Job.Upscaler == nil {
			return texts.Phrase{}
		}
		if text = plainNumber(text); text == "" {
			p.Job.Upscaler.Tile = nil
			return texts.Phrase{}
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return texts.P("plan.whole")
		}
		p.Job.Upscaler.Tile = &n
		return texts.Phrase{}
	})
	tile.seen = has
	tile.usual = func(workload.Job) string { return "512" }
	f.text(m, "plan.f.upscaler_tile", tile, "px")
}

func (f *form) trainingFields() {
	w, m := f.w, f.more
	trains := func(p core.Plan) bool { return p.Job.Kind.Training() && p.Job.Training != nil }
	number := func(key, id string, get func(*workload.Training) *int) {
		in := whole(w, id, func(p core.Plan) int {
			if p.Job.Training == nil {
				return 0
			}
			return *get(p.Job.Training)
		}, func(p *core.Plan, n int) {
			if p.Job.Training != nil {
				*get(p.Job.Training) = n
			}
		})
		in.seen = trains
		f.text(m, key, in, "")
	}
	number("plan.f.training_steps", "job.training.steps", func(t *workload.Training) *int { return &t.Steps })
	number("plan.f.rank", "job.training.rank", func(t *workload.Training) *int { return &t.Rank })
	opt := newPick(w, "job.training.optimizer", func(p core.Plan) string {
		if p.Job.Training == nil {
			return ""
		}
		return p.Job.Training.Optimizer
	}, func(p *core.Plan, code string) {
		if p.Job.Training != nil {
			p.Job.Training.Optimizer = code
		}
	})
	opt.seen = trains
	f.list(m, "plan.f.optimizer", opt, []string{"", "adam8bit", "adafactor", "adamw"},
		[]string{w.c.T("plan.flag.usual"), "AdamW 8-bit", "Adafactor", "AdamW"})
	save := newPick(w, "job.training.grad_checkpointing", func(p core.Plan) string {
		if p.Job.Training == nil {
			return ""
		}
		return ofFlag(p.Job.Training.Checkpointing)
	}, func(p *core.Plan, code string) {
		if p.Job.Training != nil {
			p.Job.Training.Checkpointing = flagOf(code)
		}
	})
	save.seen = trains
	codes, names := f.words("plan.flag.", "", "true", "false")
	f.list(m, "plan.f.recompute", save, codes, names)
	m.Add(container.NewVBox())
}

func (w *Place) isVideo(p core.Plan) bool {
	switch p.Job.Kind {
	case workload.Txt2Vid, workload.Img2Vid:
		return true
	case "":
		md, ok := w.modelOf(p.Job.Model)
		return ok && len(md.Kinds) > 0 && (md.Kinds[0] == workload.Txt2Vid || md.Kinds[0] == workload.Img2Vid)
	}
	return false
}

// usual names the choice that leaves it to the program, with what that is.
func (w *Place) usual(p core.Plan, get func(workload.Job) string) string {
	if j := w.good.Fit.Job; j.Model == p.Job.Model && get(j) != "" {
		return w.c.T("plan.usual.is", "value", get(j))
	}
	return w.c.T("plan.flag.usual")
}

func (w *Place) modelOf(id string) (Model, bool) {
	for _, m := range w.models {
		if m.ID == id {
			return m, true
		}
	}
	return Model{}, false
}
