package workload

import "math"

// held are the weights of a job's parts in GiB, as they are stored.
type held struct {
	denoiser, encoders, vae, extras float64
	active                          float64 // of the denoiser in a step: one of two experts
	residue                         float64
}

func (h held) all() float64 { return h.denoiser + h.encoders + h.vae + h.extras }

// textless are the words that leave the text encoders out of the card.
func (r run) textless() bool {
	switch r.Encoders {
	case "precomputed", "remote", "none":
		return true
	}
	return r.TEQuant == "none" || r.TEDevice == "cpu"
}

// weights sums the parts. See Catalogue.BytesPerParam for the storages.
func (e estimator) weights(r run) held {
	bytes := func(q string) float64 {
		if b, ok := e.cat.bytes[q]; ok {
			return b
		}
		return e.cat.bytes["bf16"]
	}
	size := func(p Component, q string) float64 { return p.MParams * mega * bytes(q) / gib }
	small := "fp16"
	if r.fp32() {
		small = "fp32"
	}
	var h held
	h.denoiser = size(r.m.Denoiser, r.Quant)
	h.active = h.denoiser
	if a := r.m.Denoiser.ActiveMParams; a > 0 {
		h.active *= a / r.m.Denoiser.MParams
	}
	residue := 0.0
	if !plain16(r.Quant) && !r.fp32() {
		residue = size(r.m.Denoiser, "bf16")
	}
	if !r.textless() {
		if r.Encoders != "no-t5" {
			h.encoders = size(r.m.Encoder, r.TEQuant)
			if r.TEQuant == "fp16" && !r.ggml() && r.Framework != "comfyui" && r.Framework != "forge" {
				// the layers that stay fp32 take two bytes more
				h.encoders += r.m.Encoder.FP32MParams * mega * 2 / gib
			}
			if !plain16(r.TEQuant) && r.TEQuant != "fp32" {
				residue += size(r.m.Encoder, "bf16")
			}
		}
		h.encoders += size(r.m.EncodersSmall, e.smallEncoders(r, small))
		if r.Encoders == "plus-dialoggen" {
			h.encoders += dialogGen
		}
	}
	h.vae = size(r.m.VAE, small)
	if r.f.VAEFP32 || r.ggml() {
		h.vae = size(r.m.VAE, "fp32")
	}
	h.extras = e.adapters(r, h)
	switch {
	case r.extra("bnb"):
		h.residue = e.k("residue.bnb") * residue
	case r.extra("torchao"), r.extra("quanto"), r.extra("gguf") && !r.ggml():
		h.residue = e.k("residue.other") * residue
	}
	return h
}

// dialogGen is HunyuanDiT's prompt model, 7.0B in 4 bits with its scales.
const dialogGen = 7.0e9 * 0.55 / gib

// smallEncoders is the storage of the smaller encoders: the C++ programs store
// all parts alike, the others quantise them only where that is said.
func (e estimator) smallEncoders(r run, small string) string {
	if r.ggml() {
		return r.TEQuant
	}
	if r.extra("te1-fp8") || r.extra("te2-fp8") {
		return "fp8"
	}
	return small
}

// Sizes where the catalogue has none for the model, in decimal GB and shares.
const (
	controlNetShare = 0.12  // of the denoiser: FLUX 1.49 of 23.8 GB, SD1.5 0.72 of 1.72
	ipAdapterGB     = 3.4   // with its image encoder
	loraShare       = 0.015 // of the denoiser in 16 bits
)

// adapters are ControlNets, IP-Adapters and LoRAs.
func (e estimator) adapters(r run, h held) float64 {
	den16 := r.m.Denoiser.MParams * mega * 2 / gib
	sum := float64(r.LoRAs) * loraShare * den16
	if r.ControlNets > 0 {
		one := controlNetShare * den16
		if r.m.ControlNetGB > 0 {
			one = r.m.ControlNetGB * 1e9 / gib
		}
		sum += float64(r.ControlNets) * one
	}
	if r.IPAdapter > 0 {
		gb := r.m.IPAdapterGB
		if gb == 0 {
			gb = ipAdapterGB
		}
		sum += gb * 1e9 / gib // the image encoder is shared by all
		sum += float64(r.IPAdapter-1) * gb * 0.25 * 1e9 / gib
	}
	return sum
}

// resident returns the weights on the card in a phase under the job's offload
// policy.
func (e estimator) resident(r run, h held, p Phase) float64 {
	encoders := h.encoders
	if p != Encode && r.TEDevice == "offloaded" {
		encoders = 0
	}
	switch r.Offload {
	case "model":
		keep := e.k("offload.keep")
		switch {
		case p == Encode:
			return encoders + keep*(h.denoiser+h.extras+h.vae)
		case p == Denoise:
			return h.active + h.extras + keep*(encoders+h.vae)
		case p == Decode && (r.Kind.Video() || r.f.Alone): // the makers' programs move it out: Wan2.2's textimage2video.py
			return h.vae + keep*(h.active+h.extras+encoders)
		case p == Decode: // Diffusers was seen to keep the denoiser
			return h.vae + e.k("offload.decode")*(h.active+h.extras) + keep*encoders
		}
		return keep * (h.denoiser + h.extras + h.vae + encoders)
	case "sequential":
		return e.k("sequential.share") * (h.all() - h.encoders + encoders)
	case "block", "lowvram":
		if p == Denoise {
			return encoders + e.k("block.share")*h.active + h.extras + h.vae
		}
		return encoders + h.vae
	}
	return encoders + h.denoiser + h.extras + h.vae
}

// needs returns the phases of a job in their order.
func (e estimator) needs(r run) []phaseNeed {
	if r.Kind.Training() {
		return e.trainingNeeds(r)
	}
	slack := e.slack(r, r.fp32())
	h := e.weights(r)
	if r.f.Denoiser == "upscaler" {
		act := e.enlarge(r.f, r.mpxOf(1), r.tileOf(r.Upscaler, 0)) * e.compiled(r) * r.wide() * float64(r.Batch)
		return []phaseNeed{{phase: Enlarge, weights: h.denoiser, act: act, slack: slack}}
	}
	var out []phaseNeed
	add := func(p Phase, act float64) {
		n := phaseNeed{phase: p, weights: e.resident(r, h, p), act: act, slack: slack, residue: h.residue}
		if p == Decode {
			n.slack = e.slack(r, r.fp32() || r.f.VAEFP32)
		}
		out = append(out, e.budgeted(r, n))
	}
	if r.extra("torchao") && !plain16(r.Quant) && plain16(r.TEQuant) && r.Offload == "none" {
		// the whole pipeline lies on the card in 16 bits and is quantised there
		whole := r
		whole.Quant = r.TEQuant
		out = append(out, phaseNeed{phase: Loading, weights: e.weights(whole).all(), slack: slack})
	}
	if h.encoders > 0 {
		add(Encode, e.k("fixed"))
	}
	add(Denoise, e.denoising(r, 1))
	if r.Hires != nil {
		s := r.Hires.Scale * r.Hires.Scale
		big := r
		big.Width, big.Height = int(float64(r.Width)*r.Hires.Scale), int(float64(r.Height)*r.Hires.Scale)
		out = append(out, e.worse(r, h, slack, Hires2, e.denoising(r, s), e.decoding(big)))
	} else if r.f.VAE != "none" {
		add(Decode, e.decoding(r))
	}
	if r.Upscaler != nil {
		out = append(out, e.enlarging(r, h, slack))
	}
	return out
}

// slack is what the allocator reserves over what is allocated. The C++ programs
// have an allocator of their own that keeps nothing back.
func (e estimator) slack(r run, fp32 bool) float64 {
	switch {
	case r.ggml():
		return 1
	case fp32:
		return e.k("slack.fp32")
	}
	return e.k("slack")
}

// worse is the greater of a denoising and its decoding, as one phase.
func (e estimator) worse(r run, h held, slack float64, p Phase, den, dec float64) phaseNeed {
	a := e.budgeted(r, phaseNeed{phase: p, weights: e.resident(r, h, Denoise), act: den, slack: slack, residue: h.residue})
	b := e.budgeted(r, phaseNeed{phase: p, weights: e.resident(r, h, Decode), act: dec, slack: slack, residue: h.residue})
	if b.reserved() > a.reserved() {
		return b
	}
	return a
}

// budgeted keeps a phase within the budget that the program was given: it moves
// weights out until it fits, never less than a twentieth of them.
func (e estimator) budgeted(r run, n phaseNeed) phaseNeed {
	gb, ok := r.number("budget-")
	if r.Offload != "params-budget" || !ok {
		return n
	}
	budget := float64(gb) * 1e9 / gib
	n.weights = min(n.weights, max(budget-n.act*n.slack-n.residue, n.weights/20))
	return n
}

// compiled is the factor of programs that trade memory for speed. torch.compile
// was seen to take nothing more.
func (e estimator) compiled(r run) float64 {
	if r.Framework == "onediff" || r.Framework == "tensorrt" || r.extra("onediff") || r.extra("stable-fast") {
		return e.k("onediff")
	}
	return 1
}

// wide is the factor of computing in fp32.
func (r run) wide() float64 {
	if r.fp32() {
		return 2
	}
	return 1
}

// mpxOf returns the picture's pixels times a factor, in units of 2^20.
func (r run) mpxOf(scale float64) float64 {
	return float64(r.Width) * float64(r.Height) * scale / mpx
}

// denoising is what a step allocates: linear in tokens, and with plain
// attention the score matrix besides.
func (e estimator) denoising(r run, scale float64) float64 {
	px := r.mpxOf(scale)
	frames := 1.0
	if r.Kind.Video() {
		frames = float64((r.Frames-1)/r.f.joined() + 1)
	}
	inputs := 1.0
	if r.Kind == Edit {
		inputs = 2
		if n, ok := r.number("input-images-"); ok {
			inputs = 1 + float64(n)
		}
	}
	tokens := px * frames * inputs
	act := e.denoise(r.f) * r.f.tokenShare() * tokens * r.samples() * r.wide()
	if r.ControlNets > 0 {
		act *= 1 + controlNetAct*float64(r.ControlNets)
	}
	if r.ggml() {
		act *= e.k("ggml.denoise")
	}
	if r.Attention == "vanilla" {
		n := tokens * mpx / float64(r.f.TokenPx*r.f.TokenPx)
		act += e.k("vanilla") * float64(r.f.Heads) * n * n * 2 * r.wide() * r.samples() / gib
	}
	return act*e.compiled(r) + e.k("fixed")
}

// usualTokenPx are the picture pixels along a token's side of most
// transformers: a VAE of 8 and patches of 2.
const usualTokenPx = 16.0

// tokenShare is how many tokens a transformer sees for one of the usual
// compression: a quarter where the VAE or its patches shrink a side by 32. A
// U-Net's widest layers see the latents of all the same.
func (f family) tokenShare() float64 {
	if f.Denoiser != "dit" || f.TokenPx <= 0 {
		return 1
	}
	return sq(usualTokenPx / float64(f.TokenPx))
}

// joined are the frames of a clip that one latent frame holds.
func (f family) joined() int {
	if f.Joined > 0 {
		return f.Joined
	}
	return usualJoined
}

// usualJoined: the VAEs of most video models shrink time by four.
const usualJoined = 4

// controlNetAct is what each ControlNet adds to the activations: it runs half
// of the denoiser beside it.
const controlNetAct = 0.35

// tinyVAE is the share of a full decoder that the tiny ones take.
const tinyVAE = 0.1

// The side of a VAE tile in pixels where none is said: of the Python programs
// and of the C++ ones (32 latents).
const (
	plainTile = 512
	ggmlTile  = 256
)

// decoding is what the VAE allocates: linear in the pixels it sees at once.
func (e estimator) decoding(r run) float64 {
	whole := r.mpxOf(1)
	px, pictures := whole, float64(r.Batch)
	kept := 0.0
	if r.VAESlicing != nil && *r.VAESlicing {
		kept = (pictures - 1) * whole * mpx * 3 * 4 / gib // the finished ones, fp32
		pictures = 1
	}
	_, tiles := r.ownTiling()
	if tiles || r.VAETiling != nil && *r.VAETiling {
		tile := float64(plainTile*plainTile) / mpx
		if r.ggml() {
			tile = float64(ggmlTile*ggmlTile) / mpx
		}
		if n, ok := r.number("vae-tiles-"); ok {
			tile = whole / float64(n*n)
		}
		px = min(whole, tile*e.k("tile.overlap"))
		kept += pictures * (whole - px) * mpx * 3 * 4 / gib
	}
	per := 0.0
	switch {
	case r.Kind.Video() && r.Frames > 1:
		per = e.clip(r)
	case r.ggml():
		per = e.k("ggml.decode")
	default:
		per = e.k(r.f.VAE + ".decode")
	}
	if !r.ggml() && (r.fp32() || r.f.VAEFP32) {
		per *= e.k("kl8.fp32")
	}
	if r.extra("tiny-vae") {
		per *= tinyVAE
	}
	return per*px*pictures*e.compiled(r) + kept + e.k("fixed")
}

// clip is what decoding a clip takes a Mpx, GiB.
func (e estimator) clip(r run) float64 {
	more := float64(r.Frames - 1)
	switch vae := r.f.VAE; vae {
	case "wan", "wan22":
		return e.k(vae+".decode")*e.k("wan.chunk") + e.k("wan.frame")*more
	case "hyvid", "ltx":
		return e.k(vae+".decode") + e.k(vae+".frame")*more
	default: // a model of pictures: one after another
		return e.k(vae + ".decode")
	}
}

// tileOf returns the pixels an upscaler sees at once; untiled is the tile of
// the program where none is said.
func (r run) tileOf(u *Upscaler, untiled int) float64 {
	t := untiled
	if u != nil && u.Tile != nil {
		t = *u.Tile
	}
	if t <= 0 {
		return math.Inf(1)
	}
	return float64(t) * float64(t) / mpx
}

// enlarge is what an upscaler allocates of so many Mpx of input.
func (e estimator) enlarge(f family, px, tile float64) float64 {
	return e.denoise(f)*min(px, tile) + 3*4*px*mpx/gib
}

// enlarging is the phase of an upscaler behind a picture.
func (e estimator) enlarging(r run, h held, slack float64) phaseNeed {
	id := r.Upscaler.Model
	m, ok := e.cat.Model(id)
	if id == "" || !ok {
		m, _ = e.cat.Model("esrgan-4x")
	}
	scale := 1.0
	if r.Hires != nil {
		scale = r.Hires.Scale * r.Hires.Scale
	}
	f := e.cat.families[m.Family]
	out := 0.0
	if s := max(r.Upscaler.Scale, m.Scale); s > 0 {
		out = r.mpxOf(scale) * float64(s*s) * mpx * 3 * 4 / gib // the picture itself, fp32
	}
	act := e.enlarge(f, r.mpxOf(scale), r.tileOf(r.Upscaler, plainTile)) + out
	w := m.Denoiser.MParams * mega * 2 / gib
	return phaseNeed{phase: Enlarge, weights: e.resident(r, h, Enlarge) + w, act: act, slack: slack, residue: h.residue}
}
