package workflow

import (
	"math"
	"regexp"
	"strings"
)

// dims is the size of a latent or a picture, in pixels of the picture.
type dims struct {
	w, h     float64 // 0: not known
	batch    int     // 0: not said
	frames   int
	mul      float64 // of each side since the last sampler or the begin
	prev     *node   // the sampler before it
	image    bool    // begins with a picture of the user
	mask     bool    // paints a part anew
	net      *node   // an upscaling network between
	about    bool    // the size is that of a rule, not of the workflow
	from     *node   // where the size stands
	sizeless bool    // a size is asked for that can't be read
}

func (d *dims) scale(f float64) {
	if f > 0 {
		d.w, d.h, d.mul = d.w*f, d.h*f, d.mul*f
	}
}

// to sets an absolute size; a side of 0 keeps the shape.
func (d *dims) to(w, h float64, n *node) {
	switch {
	case w <= 0 && h <= 0:
		return
	case w <= 0 && d.h > 0:
		w = d.w * h / d.h
	case h <= 0 && d.w > 0:
		h = d.h * w / d.w
	case w <= 0 || h <= 0:
		w = max(w, h)
		h = w
		d.about = true
	}
	if d.w > 0 {
		d.mul *= math.Sqrt(w * h / (d.w * d.h))
	}
	d.w, d.h, d.from = w, h, n
}

// dims follows a latent or a picture to where its size comes from.
func (g *graph) dims(r ref, depth int) dims {
	n := g.nodes[r.id]
	if n == nil || g.tired(depth) {
		return dims{mul: 1}
	}
	if c, ok := g.chosen(n); ok {
		return g.dims(c, depth+1)
	}
	if isSampler(n) {
		d := g.latentOf(n, depth+1)
		d.prev, d.mul, d.net = n, 1, nil
		return d
	}
	if strings.HasPrefix(n.kind, "LoadImage") || strings.Contains(n.kind, "Load Image") || n.kind == "LoadVideo" || n.kind == "VHS_LoadVideo" {
		return dims{image: true, mul: 1, from: n}
	}
	d := g.inner(n, depth)
	g.change(n, &d)
	return d
}

// passed are the inputs by which a latent or a picture comes in, in order.
var passed = []string{
	"samples", "latent_image", "latent", "optional_latent_image", "LATENT", "pixels", "image", "images", "start_image", "IMAGE",
	"upscaled_image", "samples1", "destination", "image1", "latents", "input", "any_01", "value", "pipe", "basic_pipe", "context", "base_ctx",
}

// inner is the size of what a node works on.
func (g *graph) inner(n *node, depth int) dims {
	d := dims{mul: 1}
	for _, name := range passed {
		if r, ok := n.links[name]; ok {
			d = g.dims(r, depth+1)
			break
		}
	}
	return d
}

// change applies what a node does to a size.
func (g *graph) change(n *node, d *dims) {
	num := func(names ...string) float64 { v, _ := g.num(n, names...); return v }
	switch n.kind {
	case "LatentUpscaleBy", "ImageScaleBy", "NNLatentUpscale", "UltimateSDUpscale", "UltimateSDUpscaleCustomSample",
		"Upscale Latent By (WAS)", "LatentUpscaleBy+", "NNLatentUpscale+", "Image Scale By":
		d.scale(num("scale_by", "upscale", "upscale_by"))
		return
	case "ImageUpscaleWithModel", "ImageUpscaleWithModelBatched", "CR Upscale Image", "Upscale Image By Model", "ImageUpscaleWithModelByFactor":
		d.net = n
		if _, scale, _ := upscalerOf(g.netFile(n)); scale > 0 {
			d.scale(float64(scale))
		} else {
			d.w, d.h, d.sizeless = 0, 0, true
		}
		return
	case "ImageScaleToTotalPixels", "ImageScaleToTotalPixelsX":
		if mp := num("megapixels"); mp > 0 {
			g.toPixels(n, d, mp)
		}
		return
	case "FluxKontextImageScale":
		g.toPixels(n, d, 1)
		return
	case "ImageScaleToMaxDimension":
		if side := num("largest_size"); side > 0 && d.w > 0 {
			d.scale(side / max(d.w, d.h))
			return
		}
		d.sizeless = true
		return
	case "RepeatLatentBatch", "RepeatImageBatch", "VHS_DuplicateLatents":
		if k := num("amount", "multiply_by"); k > 0 {
			d.batch = whole(max(1, float64(d.batch)) * k)
		}
		return
	case "SetLatentNoiseMask", "VAEEncodeForInpaint", "InpaintModelConditioning":
		d.image, d.mask = true, true
		return
	}
	g.ownSize(n, d)
}

// toPixels scales to an area in 1024² px; where the shape is unknown, a square.
func (g *graph) toPixels(n *node, d *dims, mp float64) {
	side := 1024 * math.Sqrt(mp)
	if d.w > 0 {
		d.scale(side / math.Sqrt(d.w*d.h))
		return
	}
	d.to(side, side, n)
	d.about = true
}

var (
	startsPicture = regexp.MustCompile(`(?i)start_?image|first_?image|end_?image|^image$|^images$|clip_vision`)
	resizes       = regexp.MustCompile(`(?i)empty|scale|resize|upscale|latent|tovideo|embeds|img2vid|image ?size|aspect|resolution|loader|ImageToVideo|VideoEncode`)
)

// ownSize takes the width, height, frames and batch that a node asks for.
func (g *graph) ownSize(n *node, d *dims) {
	if !resizes.MatchString(n.kind) {
		return
	}
	asked := n.has("width") || n.has("height") || n.has("empty_latent_width")
	w, okW := g.num(n, "width", "empty_latent_width", "target_width")
	h, okH := g.num(n, "height", "empty_latent_height", "target_height")
	switch {
	case okW || okH:
		if n.kind == "CR Aspect Ratio" || n.str("swap_dimensions") == "On" {
			w, h = h, w
		}
		d.to(w, h, n)
	case asked:
		d.sizeless, d.from = true, n
	}
	if v, ok := g.num(n, "batch_size"); ok && v > 0 {
		d.batch = whole(v)
	}
	if v, ok := g.num(n, "length", "num_frames", "video_frames", "frames"); ok && v > 0 {
		d.frames = whole(v)
		for name := range n.links {
			if startsPicture.MatchString(name) {
				d.image = true
			}
		}
	}
}

// latentOf is the size that a sampler works at.
func (g *graph) latentOf(n *node, depth int) dims {
	for _, name := range []string{"latent_image", "optional_latent", "latent", "samples", "image_embeds", "latents", "pipe", "basic_pipe", "context", "base_ctx"} {
		if r, ok := n.links[name]; ok {
			return g.dims(r, depth)
		}
	}
	d := dims{mul: 1}
	g.change(n, &d)
	if w, ok := g.num(n, "width"); ok { // a node that holds all in one
		h, _ := g.num(n, "height")
		d.to(w, h, n)
	}
	return d
}

// netFile is the file of the network that an upscaling node uses.
func (g *graph) netFile(n *node) string {
	if s := n.str("upscale_model", "model_name"); s != "" {
		return s
	}
	if r, ok := firstOf(n, "upscale_model", "upscale_model_opt", "upscaler"); ok {
		for range maxNested {
			from := g.nodes[r.id]
			if from == nil {
				return ""
			}
			if s := g.str(from, "model_name", "upscale_model"); s != "" {
				return s
			}
			c, ok := g.chosen(from)
			if !ok {
				return ""
			}
			r = c
		}
	}
	return ""
}
