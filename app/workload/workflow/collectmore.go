package workflow

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"rentgen/app/workload"
	"rentgen/assets/texts"
)

// parts counts LoRAs, ControlNets and IP-Adapters: of the pass that has most, as
// passes follow one another.
func (r *collector) parts() {
	var loras, controls, adapters int
	for _, p := range r.run {
		above := r.above(p.n)
		var files []string
		keys := map[string]int{}
		adapted := 0
		for _, n := range above {
			if isSampler(n) && n.id != p.n.id {
				continue
			}
			for _, f := range r.g.lorasOf(n) {
				files = append(files, f)
				r.saw("loras", base(f), n.from())
			}
			if c, key := r.g.controlsOf(n); c > 0 {
				keys[key] = max(keys[key], c)
				r.saw("controlnets", r.controlFile(n), n.from())
			}
			if r.g.adapterOf(n) {
				adapted++
				r.saw("ip_adapter", n.kind, n.from())
			}
			if n.kind == "ApplyInstantID" || n.kind == "ApplyInstantIDAdvanced" {
				keys[n.id], adapted = 1, adapted+1
				r.flag("instantid", n)
			}
			r.patch(n)
		}
		count := 0
		for _, c := range keys {
			count += c
		}
		loras, controls, adapters = max(loras, len(files)), max(controls, count), max(adapters, adapted)
	}
	r.job.LoRAs, r.job.ControlNets, r.job.IPAdapter = loras, controls, adapters
}

// controlFile is the file of the ControlNet that a node applies, "" unknown.
func (r *collector) controlFile(n *node) string {
	in, ok := firstOf(n, "control_net", "controlnet")
	for range maxNested {
		if !ok {
			break
		}
		from := r.g.nodes[in.id]
		if from == nil {
			break
		}
		if s := from.str("control_net_name", "controlnet_name"); s != "" {
			return base(s)
		}
		in, ok = firstOf(from, "control_net")
	}
	return base(n.str("control_net_name", "controlnet_1"))
}

func (r *collector) flag(f string, n *node) {
	if !slices.Contains(r.job.Extra, f) {
		r.job.Extra = append(r.job.Extra, f)
		r.saw(f, "", n.from())
	}
}

// patch reads nodes that change how a model runs.
func (r *collector) patch(n *node) {
	switch kind := strings.ToLower(n.kind); {
	case strings.Contains(kind, "torchcompile"):
		if !r.job.Compile {
			r.saw("compile", "", n.from())
		}
		r.job.Compile = true
	case strings.Contains(kind, "fbcache"), strings.Contains(kind, "firstblockcache"):
		r.flag("fbcache", n)
	case strings.Contains(kind, "perturbedattention"):
		r.flag("pag", n)
	case strings.Contains(kind, "blockswap"), strings.Contains(kind, "distorch"):
		if v, ok := r.g.num(n, "blocks_to_swap", "virtual_vram_gb"); !ok || v > 0 {
			r.job.Offload = "block"
			r.saw("offload", "", n.from())
		}
	case strings.HasPrefix(kind, "overrideclipdevice"), strings.HasPrefix(kind, "cliploadermultigpu"), strings.HasPrefix(kind, "dualcliploadermultigpu"):
		if n.str("device") == "cpu" {
			r.job.TEDevice = "cpu"
			r.saw("te_device", "cpu", n.from())
		}
	case strings.HasPrefix(kind, "nunchaku") && n.str("cpu_offload") == "enable":
		r.job.Offload = "block"
		r.saw("offload", "", n.from())
	}
}

// upscale finds a network that enlarges the finished picture.
func (r *collector) upscale() {
	between := map[string]bool{}
	for _, p := range r.run {
		if p.d.net != nil {
			between[p.d.net.id] = true
		}
	}
	for _, n := range r.used {
		tiled := strings.HasPrefix(n.kind, "UltimateSDUpscale")
		if between[n.id] || !tiled && n.kind != "ImageUpscaleWithModel" && r.g.netFile(n) == "" || n.kind == "UpscaleModelLoader" {
			continue
		}
		if r.job.Upscaler != nil {
			r.miss(n.kind, "", n.from(), texts.P("workflow.miss.upscaler_more"))
			continue
		}
		r.takeUpscaler(n, tiled)
	}
}

func (r *collector) takeUpscaler(n *node, tiled bool) {
	file := r.g.netFile(n)
	id, scale, known := upscalerOf(file)
	if _, ok := workload.Load().Model(id); !ok {
		id = ""
	}
	u := &workload.Upscaler{Model: id, Scale: scale}
	if tiled {
		if v, ok := r.g.num(n, "upscale_by"); ok {
			u.Scale = whole(math.Ceil(v))
		} else if strings.Contains(n.kind, "NoUpscale") {
			u.Scale = 1
		}
		w, okW := r.g.num(n, "tile_width")
		h, okH := r.g.num(n, "tile_height")
		if okW && okH {
			tile := whole(max(w, h))
			u.Tile = &tile
			r.saw("upscaler_tile", strconv.Itoa(tile), n.from())
		}
		steps, _ := r.g.num(n, "steps")
		r.miss(n.kind, "", n.from(), texts.P("workflow.miss.tiles", "n", figure(steps)))
		if v, ok := n.values["tiled_decode"].(bool); ok && v {
			r.tiling(n)
		}
	}
	r.job.Upscaler = u
	value := base(file)
	if u.Scale > 0 {
		value = strings.TrimSpace(value + " " + strconv.Itoa(u.Scale) + "×")
	}
	r.saw("upscaler", value, n.from())
	switch {
	case scale == 0 && !tiled:
		r.miss("upscaler_scale", base(file), n.from(), texts.P("workflow.miss.factor"))
	case !known:
		r.miss("upscaler", base(file), n.from(), texts.P("workflow.miss.network"))
	}
}

func (r *collector) tiling(n *node) {
	on := true
	if r.job.VAETiling == nil {
		r.saw("vae_tiling", "", n.from())
	}
	r.job.VAETiling = &on
}

// decode reads how latents become pictures.
func (r *collector) decode() {
	for _, n := range r.used {
		switch n.kind {
		case "VAEDecodeTiled", "VAEDecodeTiled_TiledDiffusion", "LTXVSpatioTemporalTiledVAEDecode":
			r.tiling(n)
		case "WanVideoDecode":
			if v, ok := n.values["enable_vae_tiling"].(bool); ok && v {
				r.tiling(n)
			}
		case "VAELoader":
			if f := plain(n.str("vae_name")); strings.HasPrefix(f, "tae") {
				r.flag("tiny-vae", n)
			}
		}
	}
}

// kind says what the job does.
func (r *collector) kind() {
	j := &r.job
	if len(r.run) == 0 {
		if j.Upscaler != nil {
			j.Kind = workload.Upscale
			up := j.Upscaler
			j.Model = up.Model
			if j.Model == "" {
				j.Model = "esrgan-4x"
			}
			j.Upscaler = nil
			r.saw("kind", string(j.Kind), "")
		}
		return
	}
	d := r.run[0].d
	pictures := r.references()
	switch {
	case j.Frames > 1:
		j.Kind = workload.Txt2Vid
		if d.image {
			j.Kind = workload.Img2Vid
		}
	case r.known && r.model.Does(workload.Edit) && pictures > 0:
		j.Kind = workload.Edit
		if pictures > 1 {
			j.Extra = append(j.Extra, fmt.Sprintf("input-images-%d", min(pictures, 99)))
			r.saw("input-images", strconv.Itoa(pictures), "")
		}
	case r.known && r.model.Does(workload.Edit) && !r.model.Does(workload.Txt2Img):
		j.Kind = workload.Edit
	case d.image:
		j.Kind = workload.Img2Img
	case r.model.Does(workload.Txt2Vid) || r.model.Does(workload.Img2Vid):
		j.Kind = workload.Txt2Img
		if d.frames == 0 && d.w == 0 { // the length is unknown
			j.Kind = ""
		}
	default:
		j.Kind = workload.Txt2Img
	}
	if j.Kind != "" {
		r.saw("kind", string(j.Kind), "")
	}
	if j.Kind == workload.Txt2Vid || j.Kind == workload.Img2Vid {
		if j.Hires != nil {
			j.Hires = nil
			r.miss("hires", "", "", texts.P("workflow.miss.pass"))
		}
		if j.Upscaler != nil {
			j.Upscaler = nil
			r.miss("upscaler", "", "", texts.P("workflow.miss.clip_upscaler"))
		}
	}
}

// references counts the pictures that an editing model is shown.
func (r *collector) references() int {
	latents, encoded := 0, 0
	for _, n := range r.above(r.run[0].n) {
		switch {
		case n.kind == "ReferenceLatent":
			if _, ok := n.links["latent"]; ok {
				latents++
			}
		case strings.HasPrefix(n.kind, "TextEncodeQwenImageEdit"):
			count := 0
			for name := range n.links {
				if strings.HasPrefix(name, "image") {
					count++
				}
			}
			encoded = max(encoded, count)
		}
	}
	if encoded == 0 && latents > 0 {
		encoded = r.shown()
	}
	return encoded
}

// shown counts the references of one prompt: those before a ReferenceLatent that
// no other stands behind.
func (r *collector) shown() int {
	most := 0
	for _, n := range r.above(r.run[0].n) {
		count := 0
		for range maxNested {
			if n == nil || n.kind != "ReferenceLatent" {
				break
			}
			count++
			n = r.g.nodes[n.links["conditioning"].id]
		}
		most = max(most, count)
	}
	return most
}

// rest lists the nodes that may matter and were not understood.
func (r *collector) rest() {
	for _, n := range r.used {
		key := ""
		for _, s := range special {
			if key == "" && s.kind.MatchString(n.kind) {
				key = s.key
			}
		}
		switch {
		case key != "":
			r.miss(n.kind, "", n.from(), texts.P(key))
		case strings.HasPrefix(n.kind, "workflow/"), strings.HasPrefix(n.kind, "workflow>"):
			r.miss(n.kind, "", n.from(), texts.P("workflow.miss.group"))
		case !r.g.readable(n) && r.g.netFile(n) == "":
			r.miss(n.kind, "", n.from(), texts.P("workflow.miss.node"))
		}
	}
}
