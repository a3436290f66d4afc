package workload

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"rentgen/assets/texts"
)

// The limits of a job. Sides are multiples of 8 because every VAE shrinks by 8
// or more.
const (
	minSide, maxSide   = 64, 8192
	sideUnit           = 8
	maxStepsOfPicture  = 1000
	maxBatch           = 1024
	maxFrames          = 2000
	maxControlNets     = 8
	maxLoRAs           = 64
	maxHiresSide       = 16384
	maxUpscale         = 8
	minTile, maxTile   = 64, 8192
	maxRank            = 1024
	maxStepsOfTraining = 10_000_000
)

// The words of a job.
var (
	allKinds = []Kind{
		Txt2Img, Img2Img, Edit, Txt2Vid, Img2Vid, Upscale,
		TrainLoRA, TrainLoKr, TrainDreamBooth, TrainFull, TrainControlNet,
	}
	allStorage = []string{
		"fp32", "fp16", "bf16", "fp8", "int8", "fp6", "fp4", "int4", "nf4", "int2",
		"q8_0", "q6_k", "q5_1", "q5", "q4_1", "q4", "q3", "q2",
	}
	allTEDevices  = []string{"gpu", "cpu", "offloaded"}
	allEncoders   = []string{"default", "no-t5", "precomputed", "remote", "plus-dialoggen", "none"}
	allFrameworks = []string{
		"diffusers", "comfyui", "forge", "a1111", "onediff", "tensorrt", "edge-dit.cpp", "stable-diffusion.cpp",
		"onnxruntime", "ncnn", "simpletuner", "kohya", "other",
	}
	allOffloads   = []string{"none", "model", "sequential", "block", "params-budget", "lowvram"}
	allAttentions = []string{"default", "flash", "vanilla"}
	allOptimizers = []string{"adam8bit", "adafactor", "adamw"}
	allExtra      = []string{
		"bnb", "gguf", "quanto", "torchao", "sdnq-hadamard", "fp8-scaled", "layerwise-cast", "weight-only",
		"dynamic-quant", "fp8-rowwise", "te1-fp8", "te2-fp8", "tiny-vae", "control-video", "activation-offload",
		"deepspeed", "deepspeed-zero2-offload", "grad-accum", "ramtorch", "unet-only", "validation", "fbcache",
		"fused-qkv", "instantid", "onediff", "pag", "stable-fast", stepDistilled,
		"budget-N", "vae-tiles-NxN", "input-images-N", "max-input-N",
	}
	extraWithNumber = regexp.MustCompile(`^(budget-\d{1,4}|vae-tiles-\d{1,2}x\d{1,2}|input-images-\d{1,2}|max-input-\d{2,4})$`)
)

// Video reports whether the kind makes clips.
func (k Kind) Video() bool { return k == Txt2Vid || k == Img2Vid }

// fields checks what doesn't depend on the model. The kind is the job's own or
// the model's.
func (c *checker) fields(j Job, kind Kind) {
	c.word("job.precision", j.Quant, allStorage)
	c.word("job.te_precision", j.TEQuant, append(slices.Clone(allStorage), "none"))
	c.word("job.te_device", j.TEDevice, allTEDevices)
	c.word("job.text_encoders", j.Encoders, allEncoders)
	c.word("job.framework", j.Framework, allFrameworks)
	c.word("job.offload", j.Offload, allOffloads)
	c.word("job.attention", j.Attention, allAttentions)
	c.side("job.width", j.Width)
	c.side("job.height", j.Height)
	c.whole("job.steps", j.Steps, 0, maxStepsOfPicture)
	c.whole("job.batch", j.Batch, 0, maxBatch)
	c.whole("job.frames", j.Frames, 0, maxFrames)
	c.whole("job.controlnets", j.ControlNets, 0, maxControlNets)
	c.whole("job.loras", j.LoRAs, 0, maxLoRAs)
	c.whole("job.ip_adapter", j.IPAdapter, 0, maxControlNets)
	for _, e := range j.Extra {
		if !slices.Contains(allExtra, e) && !extraWithNumber.MatchString(e) || strings.Contains(e, "N") {
			c.add("job.extra", e, oneOf(allExtra))
		}
	}
	c.hires(j, kind)
	c.upscaler(j, kind)
	c.training(j, kind)
}

// side wants a multiple of 8 in the limits; 0 is the model's usual.
func (c *checker) side(field string, v int) {
	if v != 0 && (v < minSide || v > maxSide || v%sideUnit != 0) {
		c.add(field, fmt.Sprint(v), texts.P("use.allowed.multiple",
			"low", plain(minSide), "high", plain(maxSide), "unit", plain(sideUnit)))
	}
}

func (c *checker) hires(j Job, kind Kind) {
	if j.Hires == nil {
		return
	}
	if kind.Training() || kind.Video() || kind == Upscale {
		c.add("job.hires", string(kind), texts.P("use.allowed.picture"))
		return
	}
	before := len(c.errs)
	c.real("job.hires.scale", j.Hires.Scale, 1, 4, false)
	c.whole("job.hires.steps", j.Hires.Steps, 0, maxStepsOfPicture)
	c.real("job.hires.denoise", j.Hires.Denoise, 0, 1, false)
	if side := j.Hires.Scale * float64(max(j.Width, j.Height)); len(c.errs) == before && side > maxHiresSide {
		c.add("job.hires.scale", fmt.Sprint(j.Hires.Scale), texts.P("use.allowed.side", "high", plain(maxHiresSide)))
	}
}

func (c *checker) upscaler(j Job, kind Kind) {
	if j.Upscaler == nil {
		return
	}
	if kind.Training() || kind.Video() {
		c.add("job.upscaler", string(kind), texts.P("use.allowed.picture"))
		return
	}
	if m := j.Upscaler.Model; m != "" {
		up, known := c.cat.Model(m)
		if !known || up.makes() != enlarges {
			c.add("job.upscaler.model", m, oneOf(c.cat.upscalers()))
		}
	}
	c.whole("job.upscaler.scale", j.Upscaler.Scale, 0, maxUpscale)
	if t := j.Upscaler.Tile; t != nil && *t != 0 {
		c.whole("job.upscaler.tile", *t, minTile, maxTile)
	}
}

func (c *checker) training(j Job, kind Kind) {
	if j.Training == nil {
		if kind.Training() {
			c.add("job.training", "", texts.P("use.allowed.training", "kind", string(kind)))
		}
		return
	}
	if !kind.Training() {
		c.add("job.training", string(kind), oneOf(trainings()))
		return
	}
	c.whole("job.training.rank", j.Training.Rank, 0, maxRank)
	c.whole("job.training.steps", j.Training.Steps, 0, maxStepsOfTraining)
	c.word("job.training.optimizer", j.Training.Optimizer, allOptimizers)
}

func trainings() []string {
	var list []string
	for _, k := range allKinds {
		if k.Training() {
			list = append(list, string(k))
		}
	}
	return list
}

// kindOf checks the kind against what the model does.
func (c *checker) kindOf(j Job, m Model) Kind {
	kind := cmp.Or(j.Kind, m.kind())
	if !kindFits(kind, m) {
		c.add("job.kind", string(kind), oneOf(words(kindsFor(m))))
	}
	switch {
	case kind.Video() && j.Frames == 0 && j.Kind != "":
		c.add("job.frames", "", texts.P("use.allowed.frames", "high", plain(maxFrames)))
	case !kind.Video() && !kind.Training() && j.Frames > 1:
		c.add("job.frames", fmt.Sprint(j.Frames), texts.P("use.allowed.still"))
	}
	return kind
}

// kindFits reports whether a model can do a kind of job. Who paints from words
// paints over a picture too; any but an upscaler can be trained somehow.
func kindFits(k Kind, m Model) bool { return slices.Contains(kindsFor(m), k) }

func kindsFor(m Model) []Kind {
	list := slices.Clone(m.Kinds)
	add := func(kinds ...Kind) {
		for _, k := range kinds {
			if !slices.Contains(list, k) {
				list = append(list, k)
			}
		}
	}
	switch m.makes() {
	case enlarges:
		return list
	case makesClips:
		add(Txt2Vid, Img2Vid, Txt2Img)
	default:
		add(Txt2Img, Img2Img, Edit)
	}
	add(TrainLoRA, TrainLoKr, TrainDreamBooth, TrainFull, TrainControlNet)
	return list
}

func words(kinds []Kind) []string {
	list := make([]string, len(kinds))
	for i, k := range kinds {
		list[i] = string(k)
	}
	return list
}
