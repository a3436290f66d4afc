package workflow

import (
	"math"
	"slices"
	"strings"
)

// samplers are the nodes that denoise.
var samplers = map[string]bool{
	"KSampler": true, "KSamplerAdvanced": true, "SamplerCustom": true, "SamplerCustomAdvanced": true,
	"KSampler (Efficient)": true, "KSampler Adv. (Efficient)": true, "KSampler SDXL (Eff.)": true,
	"WanVideoSampler": true, "easy kSampler": true, "easy fullkSampler": true, "easy preSampling": true,
	"ClownsharKSampler_Beta": true, "KSampler //Inspire": true, "KSamplerAdvanced //Inspire": true,
	"ImpactKSamplerBasicPipe": true, "ImpactKSamplerAdvancedBasicPipe": true, "XlabsSampler": true, "TiledKSampler": true,
	"BNK_TiledKSampler": true, "BNK_TiledKSamplerAdvanced": true, "SUPIR_sample": true, "KSampler Cycle": true,
}

// isSampler reports whether a node denoises: by its type, or because it is told
// steps and guidance and what to work on.
func isSampler(n *node) bool {
	if samplers[n.kind] {
		return true
	}
	if strings.HasPrefix(n.kind, "UltimateSDUpscale") || strings.Contains(n.kind, "Detailer") || strings.Contains(n.kind, "Provider") {
		return false
	}
	_, latent := firstOf(n, "latent_image", "latent", "samples", "image_embeds")
	return latent && n.has("steps") && (n.has("cfg") || n.has("denoise") || n.has("guidance"))
}

// pass is one sampler with what it is told.
type pass struct {
	n       *node
	steps   int // that run
	known   bool
	cfg     float64
	hasCFG  bool
	start   int
	denoise float64 // 0: not said
	goesOn  bool    // adds no noise of its own
	d       dims
}

// passOf reads a sampler.
func (g *graph) passOf(n *node) pass {
	p := pass{n: n, d: g.latentOf(n, 0)}
	if r, ok := n.links["sigmas"]; ok {
		var s float64
		s, p.denoise, p.known = g.sigmas(r, 0)
		p.steps = whole(s)
	} else if v, ok := g.num(n, "steps"); ok {
		p.known = true
		total := max(0, v)
		start, hasStart := g.num(n, "start_at_step", "start_step")
		end, hasEnd := g.num(n, "end_at_step", "end_step", "refine_at_step")
		if !hasStart || start < 0 {
			start = 0
		}
		if !hasEnd || end < 0 || end > total {
			end = total
		}
		p.start, p.steps = whole(start), whole(max(0, end-start))
		if v, ok := g.num(n, "denoise", "denoise_strength"); ok {
			p.denoise = v
			if v <= 0 {
				p.steps = 0
			}
		}
	}
	p.goesOn = n.str("add_noise") == "disable"
	if v, set := n.values["add_noise"].(bool); set && !v {
		p.goesOn = true
	}
	if r, ok := n.links["noise"]; ok {
		if from := g.nodes[r.id]; from != nil && from.kind == "DisableNoise" {
			p.goesOn = true
		}
	}
	p.cfg, p.hasCFG = g.guidance(n)
	return p
}

// sigmas counts the steps of a schedule of noise.
func (g *graph) sigmas(r ref, depth int) (steps, denoise float64, ok bool) {
	n := g.nodes[r.id]
	if n == nil || g.tired(depth) {
		return 0, 0, false
	}
	if c, chosen := g.chosen(n); chosen {
		return g.sigmas(c, depth+1)
	}
	in, linked := n.links["sigmas"]
	switch {
	case n.kind == "SplitSigmas" && linked:
		total, d, ok := g.sigmas(in, depth+1)
		at, okAt := g.num(n, "step")
		at = max(0, min(at, total))
		if r.slot == 0 {
			return at, d, ok && okAt
		}
		return total - at, d, ok && okAt
	case n.kind == "SplitSigmasDenoise" && linked:
		total, _, ok := g.sigmas(in, depth+1)
		d, okD := g.num(n, "denoise")
		low := math.Round(total * max(0, min(1, d)))
		if r.slot == 0 {
			return total - low, 0, ok && okD
		}
		return low, d, ok && okD
	case linked:
		return g.sigmas(in, depth+1)
	case n.kind == "ManualSigmas":
		list := strings.FieldsFunc(n.str("sigmas"), func(r rune) bool { return r == ',' || r == ' ' || r == ';' })
		return float64(len(list) - 1), 0, len(list) > 1
	}
	steps, ok = g.num(n, "steps")
	denoise, set := g.num(n, "denoise")
	if set && denoise <= 0 {
		steps = 0
	}
	return max(0, steps), denoise, ok
}

// guidance is the CFG of a sampler or of its guider. A guider without one runs
// the model once a step.
func (g *graph) guidance(n *node) (float64, bool) {
	if r, ok := n.links["guider"]; ok {
		from := g.nodes[r.id]
		switch {
		case from == nil:
			return 0, false
		case from.kind == "BasicGuider":
			return 1, true
		case from.kind == "DualCFGGuider":
			return g.num(from, "cfg_conds")
		}
		return g.num(from, "cfg")
	}
	return g.num(n, "cfg")
}

// run are the samplers that one picture goes through, the first first.
type run []pass

// work orders runs by what they cost.
func (r run) work() float64 {
	w := 0.0
	for _, p := range r {
		area := p.d.w * p.d.h
		if area <= 0 {
			area = 512 * 512
		}
		w += float64(max(p.steps, 1)) * area * float64(max(p.d.frames, 1)) * float64(max(p.d.batch, 1))
	}
	return w
}

// runs are the chains of samplers among nodes, the dearest first.
func (g *graph) runs(nodes []*node) []run {
	all := map[string]pass{}
	before := map[string]bool{}
	var ids []string
	for _, n := range nodes {
		if !isSampler(n) {
			continue
		}
		p := g.passOf(n)
		all[n.id] = p
		ids = append(ids, n.id)
		if p.d.prev != nil {
			before[p.d.prev.id] = true
		}
	}
	var list []run
	for _, id := range ids {
		if before[id] {
			continue
		}
		var r run
		for seen := map[string]bool{}; !seen[id]; {
			seen[id] = true
			p, ok := all[id]
			if !ok {
				break
			}
			r = append(r, p)
			if p.d.prev == nil {
				break
			}
			id = p.d.prev.id
		}
		slices.Reverse(r)
		list = append(list, r)
	}
	slices.SortStableFunc(list, func(a, b run) int {
		switch x, y := a.work(), b.work(); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	return list
}
