package workflow

import (
	"regexp"
	"slices"
	"strings"
)

// loaded is a denoiser's file with how it is loaded.
type loaded struct {
	n      *node
	file   string
	option string // storage asked for: "fp8_e4m3fn"
}

// loaderOf reads a node that loads a denoiser.
func (g *graph) loaderOf(n *node) (loaded, bool) {
	kind := strings.ToLower(n.kind)
	for _, other := range []string{"upscale", "controlnet", "control_net", "lora", "clipvision", "vaeloader", "ipadapter", "sam", "detector", "textencoder", "t5", "patch", "audio", "stylemodel", "preview"} {
		if strings.Contains(kind, other) && !strings.Contains(kind, "checkpoint") && !strings.Contains(kind, "efficient") {
			return loaded{}, false
		}
	}
	names := []string{"ckpt_name", "unet_name", "gguf_name", "base_ckpt_name", "diffusion_name", "checkpoint"}
	if denoiserKind.MatchString(kind) {
		names = append(names, "model_path", "model_name", "model", "diffusion_model")
	}
	for _, name := range names {
		file := g.str(n, name)
		if o := object(n.values[name]); o != nil {
			file = text(o["content"])
		}
		if file != "" && file != "None" {
			return loaded{n, file, n.str("weight_dtype", "quantization", "precision", "dtype")}, true
		}
	}
	return loaded{}, false
}

var modelInputs = []string{
	"model", "guider", "model1", "unet", "MODEL", "model_high_noise", "pipe", "basic_pipe", "context", "base_ctx", "sdxl_tuple",
	"diffusion_model", "any_01", "input", "value", "ctx_01", "models",
}

// modelOfSampler follows the model of a sampler to its loader.
func (g *graph) modelOfSampler(n *node, above []*node) (loaded, bool) {
	for range maxDepth {
		r, ok := g.chosen(n)
		if !ok {
			r, ok = firstOf(n, modelInputs...)
		}
		if !ok {
			break
		}
		if n = g.nodes[r.id]; n == nil {
			break
		}
		if l, ok := g.loaderOf(n); ok {
			return l, true
		}
	}
	for _, n := range above { // a pipe or a node of its own kind between
		if l, ok := g.loaderOf(n); ok {
			return l, true
		}
	}
	return loaded{}, false
}

var (
	denoiserKind = regexp.MustCompile(`dit|unet|model ?loader|checkpoint|diffusion|omnigen|kolors|wanvideo|hyvideo`)
	loraName     = regexp.MustCompile(`^(lora|lora_name)_?\d*$`)
	loraInTag    = regexp.MustCompile(`<(?:lora|lyco):([^:>]+)(?::(-?[\d.]+))?[^>]*>`)
)

// lorasOf are the files of LoRAs that a node adds; those of strength 0 or turned
// off don't count.
func (g *graph) lorasOf(n *node) []string {
	kind := strings.ToLower(n.kind)
	var files []string
	take := func(f string) {
		if f != "" && !strings.EqualFold(f, "none") && f != "[None]" {
			files = append(files, f)
		}
	}
	if !strings.Contains(kind, "lora") && !strings.Contains(kind, "efficient loader") && n.str("lora_name") == "" {
		return nil
	}
	for _, v := range append(sortedValues(n.values), n.list...) { // rows of a node that holds many
		o := object(v)
		if f := text(o["lora"]); f != "" {
			if on, set := o["on"].(bool); !set || on {
				if s, ok := number(o["strength"]); !ok || s != 0 {
					take(f)
				}
			}
		}
		for _, row := range list(v) {
			o := object(row)
			if on, set := o["active"].(bool); set && on {
				take(text(o["name"]))
			}
		}
	}
	if len(files) > 0 {
		return files
	}
	most := 1 << 20
	if v, ok := g.num(n, "lora_count", "num_loras"); ok {
		most = whole(v)
	}
	for _, name := range sortedNames(n.values) {
		if !loraName.MatchString(name) {
			continue
		}
		end := strings.TrimLeft(strings.TrimPrefix(strings.TrimPrefix(name, "lora"), "_name"), "_")
		off := strings.EqualFold(n.str("switch_"+end), "off")
		f := g.str(n, name)
		if o := object(n.values[name]); o != nil { // with a preview: {"content": file}
			f = text(o["content"])
		}
		if off || len(files) >= most || g.weak(n, end) {
			continue
		}
		take(f)
	}
	if len(files) == 0 {
		for _, m := range loraInTag.FindAllStringSubmatch(n.str("text", "prompt"), -1) {
			take(m[1])
		}
	}
	return files
}

// weak reports whether every strength of a LoRA is 0.
func (g *graph) weak(n *node, end string) bool {
	any := false
	for _, name := range []string{"strength_model", "strength_clip", "strength", "lora_strength", "strength_" + end, "model_weight_" + end, "lora_wt_" + end} {
		if v, ok := g.num(n, name); ok {
			if v != 0 {
				return false
			}
			any = true
		}
	}
	return any
}

func sortedNames(m map[string]any) []string {
	names := make([]string, 0, len(m))
	for k := range m {
		names = append(names, k)
	}
	slices.Sort(names)
	return names
}

func sortedValues(m map[string]any) []any {
	var out []any
	for _, k := range sortedNames(m) {
		out = append(out, m[k])
	}
	return out
}

var (
	controlApply = regexp.MustCompile(`(?i)apply.*control.?net|control.?net.*apply|^control net stacker$|diffsynthcontrolnet|^CR Apply ControlNet|funcontrolnet|easy controlnetLoader`)
	controlStack = regexp.MustCompile(`(?i)multi-controlnet stack|controlnet ?stack$`)
	adapter      = regexp.MustCompile(`(?i)^(apply)?(flux|xlabs|sd3|instantx)?_?ip.?adapter|^apply.*ip.?adapter|^easy ipadapterApply`)
	adapterPart  = regexp.MustCompile(`(?i)loader|encode|embeds|combine|insightface|noise|save|weights|regional|mask`)
)

// controlsOf counts the ControlNets that a node applies; key is the same for
// nodes that apply one to both prompts.
func (g *graph) controlsOf(n *node) (count int, key string) {
	if controlStack.MatchString(n.kind) && !controlApply.MatchString(n.kind) {
		for name, v := range n.values {
			end, ok := strings.CutPrefix(name, "controlnet_")
			if ok && len(end) < 3 && text(v) != "" && text(v) != "None" && !strings.EqualFold(n.str("switch_"+end), "off") {
				count++
			}
		}
		return count, n.id
	}
	if !controlApply.MatchString(n.kind) || strings.Contains(n.kind, "Multi-ControlNet") {
		return 0, ""
	}
	if v, ok := g.num(n, "strength", "controlnet_strength"); ok && v == 0 {
		return 0, ""
	}
	net, a := n.links["control_net"]
	pic, b := n.links["image"]
	if !a || !b {
		return 1, n.id
	}
	return 1, strings.Join([]string{net.id, pic.id}, "\x00")
}

// adapterOf reports whether a node applies an IP-Adapter.
func (g *graph) adapterOf(n *node) bool {
	if !adapter.MatchString(n.kind) || adapterPart.MatchString(n.kind) && !strings.Contains(n.kind, "FromParams") {
		return false
	}
	v, ok := g.num(n, "weight", "weight_style", "strength_model", "ip_scale")
	return !ok || v != 0
}

// encodersOf are the files of text encoders among nodes.
func (g *graph) encodersOf(nodes []*node) (files []string, kind string, cpu bool, from *node) {
	for _, n := range nodes {
		lower := strings.ToLower(n.kind)
		if !strings.Contains(lower, "cliploader") && !strings.Contains(lower, "textencoder") && !strings.Contains(lower, "t5") {
			continue
		}
		if strings.Contains(lower, "vision") {
			continue
		}
		for _, name := range []string{"clip_name", "clip_name1", "clip_name2", "clip_name3", "clip_name4", "model_name", "text_encoder1", "text_encoder2"} {
			if f := g.str(n, name); f != "" {
				files = append(files, f)
			}
		}
		if from == nil || n.str("type") != "" {
			from = n
		}
		if t := n.str("type"); t != "" {
			kind = t
		}
		cpu = cpu || n.str("device") == "cpu"
	}
	return files, kind, cpu, from
}
