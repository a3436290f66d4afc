package workload

import (
	"math"
	"slices"
	"strings"
)

// features names the constants that a job on a card touches.
func (s *speedTerms) features(j Job, f modelFacts, c Card) {
	class, family := c.class(), f.family()
	s.rate = []feature{{"class:" + class, 1}, {"card:" + c.Name, 1}, {"family:" + family, 1}, {"model:" + f.ID, 1}}
	if c.BandwidthGB != nil {
		s.rate = append(s.rate, feature{"balance", math.Log(*c.TFLOPS / *c.BandwidthGB / usualBalance)})
	}
	s.launch = []feature{{"launch", 1}, {"launch:" + class, 1}}
	s.text = []feature{{"text", 1}}
	s.vae = []feature{{"vae", 1}, {"vae:" + class, 1}}
	if j.Kind.Video() {
		s.vae = append(s.vae, feature{"vae:video", 1})
	}
	if j.Batch > 1 {
		s.rate = append(s.rate, feature{"together", 1 - 1/float64(j.Batch)})
	}
	s.program(j)
	s.quantising(j, class)
	if j.Attention == "vanilla" {
		s.rate = append(s.rate, feature{"vanilla", 1}, feature{"vanilla:" + class, 1})
	}
	if j.ControlNets > 0 {
		s.rate = append(s.rate, feature{"controlnet", float64(j.ControlNets)})
	}
	if j.IPAdapter > 0 {
		s.rate = append(s.rate, feature{"ip-adapter", float64(j.IPAdapter)})
	}
	if j.LoRAs > 0 {
		s.rate = append(s.rate, feature{"lora", float64(j.LoRAs)})
	}
	if slices.Contains(j.Extra, "fbcache") {
		s.rate = append(s.rate, feature{"fbcache", 1})
	}
}

// program names what the program and its compiler change.
func (s *speedTerms) program(j Job) {
	if j.Framework != "" && j.Framework != "diffusers" && j.Framework != "onediff" {
		s.rate = append(s.rate, feature{"with:" + j.Framework, 1})
		s.launch = append(s.launch, feature{"launch-with:" + j.Framework, 1})
	}
	if j.Compile {
		s.rate = append(s.rate, feature{"compile", 1})
		s.launch = append(s.launch, feature{"launch-compile", 1})
		s.vae = append(s.vae, feature{"vae-compile", 1})
	}
}

// quantising names what storage and its arithmetic change.
func (s *speedTerms) quantising(j Job, class string) {
	switch j.Quant {
	case "fp16", "":
		return
	case "bf16":
		if class == "volta" || class == "turing" { // no bf16: runs as fp32
			s.rate = append(s.rate, feature{"fp32", 1}, feature{"fp32:" + class, 1})
		}
		return
	case "fp32":
		s.rate = append(s.rate, feature{"fp32", 1}, feature{"fp32:" + class, 1})
		return
	}
	how := quantiser(j)
	mode := "eager"
	if j.Compile {
		mode = "compiled"
	}
	width := "8" // bits, about
	if bytesOf(j.Quant) < 0.65 {
		width = "4"
	}
	s.rate = append(s.rate,
		feature{"quant:" + how + "/" + mode, 1},
		feature{"quant:" + how + "/" + mode + "/" + width, 1})
}

// quantiser names how the denoiser is quantised.
func quantiser(j Job) string {
	has := func(flag string) bool { return slices.Contains(j.Extra, flag) }
	switch {
	case has("dynamic-quant"):
		return "dynamic"
	case has("weight-only"):
		return "weight-only"
	case has("bnb"):
		return "bnb"
	case has("quanto"):
		return "quanto"
	case has("gguf"):
		return "gguf"
	case j.Framework == "edge-dit.cpp" || j.Framework == "stable-diffusion.cpp":
		return "ggml"
	case j.Quant == "fp8":
		return "fp8"
	}
	return "other"
}

// offload adds what is moved between RAM and the card.
func (s *speedTerms) offload(j Job, f modelFacts, passes float64) {
	weights := f.Denoiser.MParams / 1000 * bytesOf(j.Quant)
	s.stream = []feature{{"stream", 1}}
	s.swap = []feature{{"swap", 1}}
	switch j.Offload {
	case "sequential":
		s.streamGB = weights * passes
		s.swapGB = encoderOf(j, f)
	case "block", "lowvram":
		s.streamGB = weights * 0.5
	case "params-budget":
		s.streamGB = max(0, weights-budgetOf(j))
		s.swapGB = encoderOf(j, f)
		s.stream = append(s.stream, feature{"stream:budget", 1})
	case "model":
		s.swapGB = 2 * (weights + encoderOf(j, f)) // in and out again
	}
}

// encoderOf returns the GB of the largest text encoder.
func encoderOf(j Job, f modelFacts) float64 {
	if j.Encoders == "no-t5" || j.Encoders == "precomputed" || j.Encoders == "remote" {
		return 0
	}
	return f.Encoder.MParams / 1000 * bytesOf(j.TEQuant)
}

// budgetOf returns the GB of weights that stay on the card: the flag's GiB less
// what the picture itself needs.
func budgetOf(j Job) float64 {
	const forPicture = 4
	for _, e := range j.Extra {
		if rest, ok := strings.CutPrefix(e, "budget-"); ok {
			v := 0.0
			for _, d := range rest {
				v = v*10 + float64(d-'0')
			}
			return max(0, v*1.0737-forPicture)
		}
	}
	return 8
}

// bytesOf returns the bytes a parameter of a storage.
func bytesOf(quant string) float64 {
	switch quant {
	case "fp32":
		return 4
	case "fp8", "int8":
		return 1
	case "q8_0":
		return 1.07
	case "q6_k":
		return 0.83
	case "fp6", "q5_1":
		return 0.76
	case "q5":
		return 0.70
	case "q4_1":
		return 0.63
	case "fp4", "int4", "nf4", "q4":
		return 0.57
	case "q3":
		return 0.44
	case "q2":
		return 0.34
	case "int2":
		return 0.25
	case "none":
		return 0
	}
	return 2
}
