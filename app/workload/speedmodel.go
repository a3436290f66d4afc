package workload

import (
	"math"
	"slices"
	"strings"
)

// The speed of a job on a card: seconds = text + steps x step + decoding, where
// a step takes the longer of its operations and its launches, joined smoothly:
// step = (operations^2 + launches^2)^(1/2). Operations run at the card's dense
// tensor rate times an efficiency; cards compare by few constants: the class of
// the chip, how much rate they have for their bandwidth, and a small correction
// of their own. Every constant is a natural logarithm with the prior mean 0, so
// that what no row speaks of stays at the values written here.
const (
	baseEfficiency = 0.5   // of the dense fp16 rate
	baseDecode     = 0.3   // efficiency of the VAE
	baseLaunch     = 0.001 // seconds for the kernels of one transformer layer
	baseText       = 0.08  // seconds a picture outside of denoising and decoding
	baseStream     = 5.0   // GB/s of weights streamed from RAM for each pass
	baseSwap       = 2.0   // GB/s of whole components moved in and out
	usualBalance   = 0.16  // TFLOPS a GB/s, of an RTX 4090 or A100
	decodeTFLOP    = 9.9   // of the VAE a megapixel: 1.24e12 multiply-adds at 512 x 512, own count
	enlargeTFLOP   = 37.0  // of a 4x ESRGAN a megapixel of input: 16.7e6 parameters (67 MB of fp32) and its enlarged layers, own count
	controlShare   = 0.5   // of a pass, for a ControlNet: the encoder half of a U-Net
)

// A feature is one named constant that works with a weight.
type feature struct {
	name   string
	weight float64
}

// speedTerms is a job on a card in the model's own words.
type speedTerms struct {
	ops       float64 // seconds of one step at the base efficiency
	launches  float64 // seconds of one step's launches at the base
	steps     float64
	batch     float64
	decode    float64 // seconds of decoding at the base
	streamGB  float64 // moved for each step
	swapGB    float64 // moved once a picture
	enlarge   float64 // seconds of an upscaler at the base of the VAE
	rate      []feature
	launch    []feature
	text      []feature
	vae       []feature
	stream    []feature
	swap      []feature
	secondRun *speedTerms // the hires pass
}

// constants are the fitted logarithms by name; what is missing is 0.
type constants map[string]float64

func (c constants) exp(fs []feature) float64 {
	sum := 0.0
	for _, f := range fs {
		sum += c[f.name] * f.weight
	}
	return math.Exp(sum)
}

// step returns the seconds of one step of the whole batch.
func (s *speedTerms) step(exp func([]feature) float64) float64 {
	t := math.Hypot(s.ops/exp(s.rate), s.launches*exp(s.launch))
	if s.streamGB > 0 {
		t += s.streamGB / (baseStream * exp(s.stream))
	}
	return t
}

// seconds returns the seconds of one picture of the batch.
func (s *speedTerms) seconds(exp func([]feature) float64) float64 {
	t := s.steps*s.step(exp) + baseText*exp(s.text) + (s.decode+s.enlarge)/exp(s.vae)
	if s.swapGB > 0 {
		t += s.swapGB / (baseSwap * exp(s.swap))
	}
	t /= s.batch
	if s.secondRun != nil {
		t += s.secondRun.seconds(exp)
	}
	return t
}

// operations returns the 1e12 operations of one pass over one picture or clip,
// with attention apart; ok is false where no figure of the model is known.
func (f modelFacts) operations(j Job) (total float64, ok bool) {
	px := float64(j.Width) * float64(j.Height)
	if f.UNetTMAC > 0 {
		r := px / f.UNetPx
		return 2*f.UNetTMAC*r + f.UNetAttention*r*r, true
	}
	if f.Layers > 0 && f.tokenPx > 0 {
		tokens := px/sq(f.tokenPx)*f.latentFrames(j.Frames)*(1+inputPictures(j)) + f.TextTokens
		return (2*f.Matrices*f.Layers*f.Dim*f.Dim*tokens + 4*f.Layers*f.Dim*tokens*tokens) / 1e12, true
	}
	params := f.Denoiser.MParams * 1e6
	if f.Denoiser.ActiveMParams > 0 {
		params = f.Denoiser.ActiveMParams * 1e6
	}
	if params <= 0 || f.tokenPx <= 0 || f.makes() != makesPictures {
		return 0, false // of a clip, attention outweighs the parameters
	}
	// Two operations a parameter and token, and a fifth for attention: as for
	// transformers of known layers at a megapixel.
	tokens := px/sq(f.tokenPx)*(1+inputPictures(j)) + usualTextTokens
	return 2 * params * tokens * 1.2 / 1e12, true
}

// latentFrames is how many frames the denoiser sees.
func (f modelFacts) latentFrames(frames int) float64 {
	if frames <= 1 {
		return 1
	}
	return float64(frames-1)/float64(f.joined) + 1
}

// inputPictures counts the pictures that are denoised along: one of an edit
// unless the job says otherwise.
func inputPictures(j Job) float64 {
	n := 0.0
	if j.Kind == Edit {
		n = 1
	}
	for _, e := range j.Extra {
		if rest, ok := strings.CutPrefix(e, "input-images-"); ok && len(rest) == 1 {
			n = float64(rest[0] - '0')
		}
	}
	return n
}

// family joins models that share a denoiser.
func (f modelFacts) family() string {
	switch f.ID {
	case "kolors": // SDXL's U-Net
		return "sdxl"
	case "sd3.5-large": // another width than the rest of sd3
		return f.ID
	}
	return f.Family
}

// class is the chip's generation, by its compute capability.
func (c Card) class() string {
	switch {
	case c.Compute == nil:
		return ""
	case *c.Compute < 7.5:
		return "volta"
	case *c.Compute < 8:
		return "turing"
	case *c.Compute < 8.6:
		return "ampere-hbm"
	case *c.Compute < 8.9:
		return "ampere"
	case *c.Compute < 9:
		return "ada"
	case *c.Compute < 10:
		return "hopper"
	}
	return "blackwell"
}

// termsOf puts a filled job on a card into terms. It is not ok where the card's
// rate or the model's operations stand in no source, or where the card has no
// tensor cores, whose rate is the only one that the table holds.
func (cat *Catalogue) termsOf(j Job, c Card) (*speedTerms, bool) {
	f, known := cat.factsOf(j.Model)
	if j.Kind.Training() {
		return cat.trainingTerms(j, f, known, c)
	}
	if !known || f.makes() == enlarges || c.TFLOPS == nil || c.Compute == nil || *c.Compute < 7 {
		return nil, false
	}
	ops, ok := f.operations(j)
	if !ok || j.Width <= 0 || j.Height <= 0 || j.Steps <= 0 || j.Batch <= 0 {
		return nil, false
	}
	passes := 1.0
	if j.Guidance != nil && *j.Guidance {
		passes = 2
	}
	batch := float64(j.Batch)
	mpx := float64(j.Width) * float64(j.Height) / 1e6 * float64(max(1, j.Frames))
	s := &speedTerms{
		ops:      ops * passes * batch * (1 + controlShare*float64(j.ControlNets)) / (*c.TFLOPS * baseEfficiency),
		launches: baseLaunch * f.launchUnits() * (1 + controlShare*float64(j.ControlNets)),
		steps:    float64(j.Steps),
		batch:    batch,
		decode:   decodeTFLOP * mpx * batch / (*c.TFLOPS * baseDecode),
	}
	s.features(j, f, c)
	s.offload(j, f, passes)
	if u := j.Upscaler; u != nil {
		if u.Model != "" && u.Model != "esrgan-unnamed" {
			return nil, false // only ESRGAN's operations are counted
		}
		s.enlarge = enlargeTFLOP * mpx * batch / (*c.TFLOPS * baseDecode)
		if u.Tile == nil || *u.Tile > 0 {
			s.enlarge *= 1.15 // what tiles overlap
		}
	}
	if h := j.Hires; h != nil && h.Scale > 0 {
		second := j
		second.Hires, second.Upscaler = nil, nil
		second.Width, second.Height = int(float64(j.Width)*h.Scale), int(float64(j.Height)*h.Scale)
		steps, part := h.Steps, h.Denoise
		if steps == 0 {
			steps = j.Steps
		}
		if part == 0 {
			part = 1
		}
		second.Steps = max(1, int(math.Round(float64(steps)*part)))
		s.secondRun, _ = cat.termsOf(second, c)
	}
	return s, true
}

// launchUnits counts layers: a U-Net's blocks hold far more small kernels.
func (f modelFacts) launchUnits() float64 {
	switch {
	case f.UNetTMAC > 2:
		return 70
	case f.UNetTMAC > 0 && f.UNetPx < 1e6:
		return 25
	case f.Layers > 0:
		return f.Layers
	}
	return 28
}

// names lists the constants that terms touch, once each.
func (s *speedTerms) names() []string {
	seen := map[string]bool{}
	for t := s; t != nil; t = t.secondRun {
		for _, list := range [][]feature{t.rate, t.launch, t.text, t.vae, t.stream, t.swap} {
			for _, f := range list {
				seen[f.name] = true
			}
		}
	}
	list := make([]string, 0, len(seen))
	for n := range seen {
		list = append(list, n)
	}
	slices.Sort(list)
	return list
}
