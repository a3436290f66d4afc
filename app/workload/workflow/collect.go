package workflow

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"rentgen/app/workload"
	"rentgen/assets/texts"
)

// collector reads a graph into a job.
type collector struct {
	notes
	g     *graph
	c     *carried
	job   workload.Job
	used  []*node // what leads to an output
	run   run
	model workload.Model
	known bool
}

// read reads the part of a graph that leads to an output.
func (g *graph) read(c *carried) Found {
	r := &collector{g: g, c: c}
	r.job.Framework = "comfyui"
	r.used = g.upstream(g.outputs(), nil)
	runs := g.runs(r.used)
	if len(runs) > 0 {
		r.run = runs[0]
		for _, other := range runs[1:] {
			last := other[len(other)-1]
			if !r.has(last.n) {
				r.miss(last.n.kind, "", last.n.from(), texts.P("workflow.miss.run"))
			}
		}
	}
	if len(r.run) > 0 {
		r.models()
		r.passes()
		r.size()
		r.parts()
	}
	r.upscale()
	r.decode()
	r.kind()
	if len(r.run) == 0 && r.job.Kind == "" {
		r.miss("workflow", "", "", texts.P("workflow.miss.sampler"))
	}
	r.rest()
	return r.finish(r.job, "ComfyUI")
}

func (r *collector) has(n *node) bool {
	return slices.ContainsFunc(r.run, func(p pass) bool { return p.n.id == n.id })
}

// above are the nodes that a sampler depends on, without those of the samplers
// before it.
func (r *collector) above(n *node) []*node {
	return r.g.upstream([]*node{n}, isSampler)
}

// models finds the denoisers of the run.
func (r *collector) models() {
	var first loaded
	seen := map[string]bool{}
	for _, p := range r.run {
		above := r.above(p.n)
		l, ok := r.g.modelOfSampler(p.n, above)
		if !ok || seen[l.file] {
			continue
		}
		seen[l.file] = true
		if first.n == nil {
			first = l
			r.takeModel(l, above)
			continue
		}
		id, _ := modelOf(l.file)
		was, _ := modelOf(first.file)
		if id != was || strings.Contains(plain(l.file), "refiner") {
			r.miss("model", base(l.file), l.n.from(), texts.P("workflow.miss.second"))
		} else {
			r.saw("model", base(l.file), l.n.from(), texts.P("workflow.note.second"))
		}
	}
	if first.n == nil {
		r.miss("model", "", r.run[0].n.from(), texts.P("workflow.miss.noloader"))
	}
}

// takeModel names the model of a file, its storage and its text encoders.
func (r *collector) takeModel(l loaded, above []*node) {
	files, kind, cpu, enc := r.g.encodersOf(above)
	r.setModel(l.file, l.n.from(), kind)
	quant, flag := quantOf(l.file)
	if q, _ := quantOf(l.option); q != "" {
		quant, flag = q, ""
	}
	if strings.Contains(l.n.kind, "NF4") {
		quant, flag = "nf4", "bnb"
	}
	if quant != "" {
		r.job.Quant = quant
		r.saw("precision", quant, l.n.from())
	}
	if strings.HasSuffix(strings.ToLower(l.file), ".gguf") {
		flag = "gguf"
	}
	if flag != "" {
		r.job.Extra = append(r.job.Extra, flag)
	}
	q, file, large := encoderQuant(files)
	switch {
	case large && q != "":
		r.job.TEQuant = q
		r.saw("te_precision", q, enc.from(), texts.P("workflow.note.file", "file", base(file)))
	case !large && len(files) > 0 && strings.HasPrefix(r.job.Model, "sd3"):
		r.job.Encoders = "no-t5"
		r.saw("encoders", "no-t5", enc.from())
	case strings.Contains(plain(l.file), "t5xxlfp8"):
		r.job.TEQuant = "fp8"
		r.saw("te_precision", "fp8", l.n.from())
	}
	if cpu {
		r.job.TEDevice = "cpu"
		r.saw("te_device", "cpu", enc.from())
	}
}

// encoderModels are models that the type of the text encoder tells.
var encoderModels = map[string]string{
	"flux": "flux1-dev", "qwen_image": "qwen-image", "hidream": "hidream-i1", "chroma": "chroma", "hunyuan_video": "hunyuanvideo",
	"flux2": "flux2-dev", "sd3": "sd3.5-large",
}

// setModel takes a model by the name of its file, else by the type of its text
// encoder, and says so.
func (r *collector) setModel(file, from, encoder string) {
	id, near := modelOf(file)
	if id == "" {
		if near = encoderModels[encoder] != ""; near {
			id = encoderModels[encoder]
		}
	}
	cat := workload.Load()
	r.model, r.known = cat.Model(id)
	switch {
	case !r.known:
		r.miss("model", base(file), from, texts.P("workflow.miss.model"))
		return
	case near:
		r.miss("model", base(file), from, texts.P("workflow.miss.near", "model", r.model.Name))
	}
	r.job.Model = id
	r.saw("model", r.model.Name, from, texts.P("workflow.note.file", "file", base(file)))
}

// passes counts steps and finds the pass at a larger size.
func (r *collector) passes() {
	first := r.run[0]
	total, same := first.steps, first
	known := first.known
	for _, p := range r.run[1:] {
		grows := p.d.mul
		if p.d.w > 0 && same.d.w > 0 {
			grows = math.Sqrt(p.d.w * p.d.h / (same.d.w * same.d.h))
		}
		switch {
		case p.steps == 0 && p.known:
		case math.Abs(grows-1) < 0.01 && (p.goesOn || p.start > 0):
			total += p.steps
			known = known && p.known
			same = p
		case r.job.Hires == nil && r.job.Frames == 0:
			r.hires(p, grows)
		default:
			r.miss(p.n.kind, "", p.n.from(), texts.P("workflow.miss.pass"))
		}
	}
	from := first.n.from()
	if known && total > 0 {
		r.job.Steps = total
		r.saw("steps", strconv.Itoa(total), from)
	} else {
		r.miss("steps", "", from, texts.P("workflow.miss.value"))
	}
	if first.hasCFG {
		on := first.cfg > 1 || first.cfg < 1 && first.cfg >= 0 && first.cfg != 0
		r.job.Guidance = &on
		r.saw("guidance", figure(first.cfg), from)
	}
}

// hires takes a second pass. ComfyUI runs as many steps as it is told whatever
// the denoising: it lays out more and runs the last. A job counts the share that
// runs, so that its steps are those laid out.
func (r *collector) hires(p pass, grows float64) {
	h := &workload.Hires{Scale: math.Round(max(1, grows)*100) / 100, Steps: p.steps}
	if p.denoise > 0 && p.denoise < 1 {
		h.Denoise = p.denoise
		h.Steps = int(float64(p.steps) / p.denoise)
	}
	r.job.Hires = h
	from := p.n.from()
	why := texts.P("workflow.note.hires", "n", strconv.Itoa(p.steps))
	if p.denoise > 0 && p.denoise < 1 {
		why = texts.P("workflow.note.hires_of", "n", strconv.Itoa(p.steps), "all", strconv.Itoa(h.Steps))
		r.saw("hires_denoise", figure(p.denoise), from)
	}
	r.saw("hires", figure(h.Scale)+"×", from, why)
	if p.d.net != nil {
		r.miss(p.d.net.kind, base(r.g.netFile(p.d.net)), p.d.net.from(), texts.P("workflow.miss.between"))
	}
	if math.Abs(grows-1) < 0.01 {
		r.miss("hires", "1×", from, texts.P("workflow.miss.again"))
	}
}

// size takes the size of the first pass.
func (r *collector) size() {
	d := r.run[0].d
	from := ""
	if d.from != nil {
		from = d.from.from()
	}
	batch := max(d.batch, 1)
	if d.batch > 0 {
		r.job.Batch = batch
		r.saw("at_once", strconv.Itoa(batch), from)
	}
	if d.frames > 1 {
		r.job.Frames = d.frames
		r.saw("frames", strconv.Itoa(d.frames), from)
	}
	w, h := floor8(d.w), floor8(d.h)
	switch {
	case w > 0 && h > 0:
		r.job.Width, r.job.Height = w, h
		why := texts.Phrase{}
		if d.about {
			why = texts.P("workflow.note.about")
		}
		r.saw("size", sides(w, h), from, why)
	case r.fromPicture():
	case d.image && !d.sizeless:
		r.miss("size", "", from, texts.P("workflow.miss.input"))
	default:
		r.miss("size", "", cmp.Or(from, r.run[0].n.from()), texts.P("workflow.miss.value"))
	}
}

// fromPicture takes the size of the picture that carried the workflow, where
// nothing enlarges it by an unknown factor.
func (r *collector) fromPicture() bool {
	if r.c == nil || r.c.width <= 0 || r.c.height <= 0 {
		return false
	}
	for _, n := range r.used {
		if n.kind == "ImageUpscaleWithModel" || strings.HasPrefix(n.kind, "UltimateSDUpscale") || n.kind == "ImageScale" || n.kind == "ImageScaleBy" {
			return false
		}
	}
	k := 1.0
	if r.job.Hires != nil {
		k = r.job.Hires.Scale
	}
	w, h := floor8(float64(r.c.width)/k), floor8(float64(r.c.height)/k)
	if w <= 0 || h <= 0 {
		return false
	}
	r.job.Width, r.job.Height = w, h
	r.saw("size", sides(w, h), "", texts.P("workflow.note.picture"))
	return true
}

// floor8 is a side as a latent holds it.
func floor8(v float64) int { return whole(max(0, math.Min(v, 1<<20))) / 8 * 8 }

func sides(w, h int) string { return fmt.Sprintf("%d × %d", w, h) }

// figure writes a number without a tail.
func figure(v float64) string { return strconv.FormatFloat(math.Round(v*1000)/1000, 'f', -1, 64) }
