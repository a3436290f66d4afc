package workload

import "math"

// Training, per picture: what backpropagation keeps of a Mpx in GiB, and the
// factor without gradient checkpointing. Middle of the SimpleTuner sweep: 1 to
// 5 with, 5 to 45 without; Krea 2 4.9 and Ideogram 4 4.2 by their batch slopes.
const (
	trainPerMpx      = 2.5
	trainNoCheck     = 6
	loraPerRank      = 0.00015 // parameters of a LoRA a rank, of the base: FLUX.1 0.0001 (attention only)
	usualRank        = 16
	ramBlocks        = 0.06 // share of the base on the card where blocks stream in
	controlNetCopied = 0.45 // of the base: the trained copy
	adamBytes        = 8    // two moments, fp32
	adam8Bytes       = 2
	adafactorBytes   = 0.5
)

var trainFamilies = map[string]float64{"krea2": 4.9, "ideogram": 4.2}

// optimizerBytes are the bytes a trained parameter of its optimizer.
func optimizerBytes(name string) float64 {
	switch name {
	case "adam8bit":
		return adam8Bytes
	case "adafactor":
		return adafactorBytes
	}
	return adamBytes
}

// trainingNeeds estimates training: frozen base + trained parameters x (weights
// + gradients + optimizer) + activations. Evidence is thin: bands are wide.
func (e estimator) trainingNeeds(r run) []phaseNeed {
	t := Training{}
	if r.Training != nil {
		t = *r.Training
	}
	rank := t.Rank
	if rank == 0 {
		rank = usualRank
	}
	h := e.weights(r)
	params := r.m.Denoiser.MParams * mega
	base := h.denoiser
	if r.Offload == "block" || r.extra("ramtorch") {
		base *= ramBlocks
	}
	opt := optimizerBytes(t.Optimizer)
	trained := 0.0
	switch r.Kind {
	case TrainFull, TrainDreamBooth:
		// weights in 16 bits, gradients in 16, the optimizer's
		trained = params * (2 + opt) / gib
		if r.fp32() {
			trained = params * (4 + opt) / gib
		}
		if r.extra("deepspeed-zero2-offload") {
			trained = params * 2 / gib
		}
	case TrainControlNet:
		trained = controlNetCopied * params * (4 + 4 + opt) / gib
	default:
		trained = params * loraPerRank * float64(rank) * (4 + 4 + opt) / gib
	}
	per := trainPerMpx
	if v, ok := trainFamilies[r.f.ID]; ok {
		per = v
	}
	if t.Checkpointing == nil || !*t.Checkpointing {
		if t.Checkpointing != nil || r.Kind == TrainControlNet {
			per *= trainNoCheck
		}
	}
	frames := 1.0
	if r.m.DefaultFrames > 0 {
		frames = math.Max(float64(r.Frames), 1)/float64(r.f.joined()) + 1
	}
	act := per*r.mpxOf(1)*frames*float64(r.Batch)*r.wide() + e.k("fixed")
	if r.Framework == "simpletuner" {
		h.encoders = 0 // computes all embeddings beforehand and unloads
	}
	return []phaseNeed{{phase: TrainIt, weights: base + h.encoders + trained, act: act, slack: 1}}
}
