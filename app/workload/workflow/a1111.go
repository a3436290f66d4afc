package workflow

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"rentgen/app/workload"
	"rentgen/assets/texts"
)

var (
	stepsLine    = regexp.MustCompile(`(?m)^\s*Steps: \d+`)
	sizeValue    = regexp.MustCompile(`^(\d{1,6})\s*x\s*(\d{1,6})$`)
	forgeVersion = regexp.MustCompile(`^f\d|forge|neo|classic`)
	unitKey      = regexp.MustCompile(`^ControlNet( \d+)?$`)
)

// looksLikeParameters reports whether a text is what A1111 and its kin write
// beside a picture.
func looksLikeParameters(s string) bool {
	if len(s) > maxText || !strings.Contains(s, "Steps: ") {
		return false
	}
	return stepsLine.MatchString(s) && (strings.Contains(s, "Sampler: ") || strings.Contains(s, "CFG scale: ") || strings.Contains(s, "Size: "))
}

// parameters are the fields behind the prompts.
type parameters struct {
	keys   []string
	values map[string]string
}

func (p parameters) first(names ...string) string {
	for _, n := range names {
		if v := p.values[n]; v != "" {
			return v
		}
	}
	return ""
}

// splitParameters parts the prompt from the fields. The fields stand on the last
// line that begins with Steps; a value in quotes may hold commas.
func splitParameters(s string) (prompt string, p parameters) {
	p.values = map[string]string{}
	all := stepsLine.FindAllStringIndex(s, -1)
	if len(all) == 0 {
		return s, p
	}
	at := all[len(all)-1][0]
	prompt, s = s[:at], strings.TrimSpace(s[at:])
	for s != "" && len(p.keys) < 500 {
		colon := strings.Index(s, ":")
		if colon < 0 {
			break
		}
		key := strings.Trim(s[:colon], " ,\n\r\t")
		rest := strings.TrimLeft(s[colon+1:], " ")
		var value string
		value, s = fieldValue(rest)
		if _, has := p.values[key]; !has && key != "" {
			p.keys = append(p.keys, key)
			p.values[key] = value
		}
	}
	return prompt, p
}

// fieldValue takes a value up to its comma or the end of the line.
func fieldValue(s string) (value, rest string) {
	if strings.HasPrefix(s, `"`) {
		for i := 1; i < len(s); i++ {
			switch s[i] {
			case '\\':
				i++
			case '"':
				return strings.ReplaceAll(s[1:i], `\"`, `"`), strings.TrimLeft(s[i+1:], ", \r\n")
			}
		}
	}
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '{', '[':
			depth++
		case '}', ']':
			depth = max(0, depth-1)
		case '\n':
			return strings.TrimSpace(s[:i]), strings.TrimLeft(s[i:], " \r\n")
		case ',':
			if depth == 0 {
				return strings.TrimSpace(s[:i]), strings.TrimLeft(s[i+1:], " \r\n")
			}
		}
	}
	return strings.TrimSpace(s), ""
}

// program names who wrote the parameters, and the word of a job for it.
func (p parameters) program() (name, framework string) {
	v := p.values["Version"]
	switch {
	case strings.Contains(p.values["App"], "SD.Next"), strings.Contains(p.values["App"], "SDNext"):
		return "SD.Next", "diffusers"
	case strings.HasPrefix(v, "Fooocus"):
		return "Fooocus", "other"
	case strings.Contains(v, "ComfyUI"):
		return "ComfyUI", "comfyui"
	case forgeVersion.MatchString(v), p.values["Diffusion in Low Bits"] != "", p.values["Module 1"] != "", p.values["Distilled CFG Scale"] != "":
		return "Forge", "forge"
	}
	return "A1111", "a1111"
}

// parametric reads parameters into a job.
type parametric struct {
	collector
	p parameters
}

// readParameters reads the text of A1111, Forge and their kin.
func readParameters(s string) Found {
	prompt, p := splitParameters(s)
	r := &parametric{p: p}
	name, framework := p.program()
	r.job.Framework = framework
	r.models()
	r.numbers()
	r.hires()
	r.units(prompt)
	r.extras()
	return r.finish(r.job, name)
}

func (r *parametric) models() {
	file := r.p.first("Model", "Base Model", "Unet")
	if file == "" {
		r.miss("model", r.p.first("Model hash"), "", texts.P("workflow.miss.noname"))
	} else {
		r.setModel(file, "Model", "")
		if q, flag := quantOf(file); q != "" {
			r.quant(q, flag, "Model")
		}
		if strings.HasSuffix(strings.ToLower(file), ".gguf") {
			r.job.Extra = append(r.job.Extra, "gguf")
		}
	}
	if bits := r.p.values["Diffusion in Low Bits"]; bits != "" && !strings.HasPrefix(bits, "Automatic") {
		if q, flag := quantOf(bits); q != "" {
			r.quant(q, flag, "Diffusion in Low Bits")
		}
	}
	var modules []string
	for _, k := range r.p.keys {
		if strings.HasPrefix(k, "Module ") {
			modules = append(modules, r.p.values[k])
		}
	}
	if q, file, large := encoderQuant(modules); large && q != "" {
		r.job.TEQuant = q
		r.saw("te_precision", q, "Module", texts.P("workflow.note.file", "file", base(file)))
	}
	if f := r.p.values["Refiner"]; f != "" {
		r.miss("model", f, "Refiner", texts.P("workflow.miss.second"))
	}
}

func (r *parametric) quant(q, flag, from string) {
	r.job.Quant = q
	r.job.Extra = slices.DeleteFunc(r.job.Extra, func(s string) bool { return s == "bnb" || s == "fp8-scaled" })
	if flag != "" {
		r.job.Extra = append(r.job.Extra, flag)
	}
	r.saw("precision", q, from)
}

// count reads a whole number from 1; 0: none.
func (r *parametric) count(key string) int {
	if v, ok := number(r.p.values[key]); ok && v >= 1 {
		return whole(v)
	}
	return 0
}

// numbers reads steps, size, batch and guidance. Painting over a picture, A1111
// and Forge run the share of the steps that the denoising says
// (sd_samplers_common.setup_img2img_steps); a second pass runs all.
func (r *parametric) numbers() {
	j := &r.job
	denoise, hasDenoise := number(r.p.values["Denoising strength"])
	over := hasDenoise && r.p.first("Hires upscale", "Hires resize", "Hires upscaler", "Hires resize-1") == ""
	j.Kind = workload.Txt2Img
	if over || r.p.first("Mask blur", "Inpaint area", "Mask mode") != "" {
		j.Kind = workload.Img2Img
	}
	if r.known && r.model.Does(workload.Edit) && !r.model.Does(workload.Txt2Img) {
		j.Kind = workload.Edit
	}
	r.saw("kind", string(j.Kind), "")
	steps := r.count("Steps")
	switch {
	case steps == 0:
		r.miss("steps", r.p.values["Steps"], "Steps", texts.P("workflow.miss.value"))
	case over && denoise > 0 && denoise < 1:
		j.Steps = max(1, int(min(denoise, 0.999)*float64(steps)))
		r.saw("steps", strconv.Itoa(j.Steps), "Steps", texts.P("workflow.note.share", "n", strconv.Itoa(steps), "denoise", figure(denoise)))
	default:
		j.Steps = steps
		r.saw("steps", strconv.Itoa(steps), "Steps")
	}
	if m := sizeValue.FindStringSubmatch(r.p.values["Size"]); m != nil {
		w, _ := strconv.Atoi(m[1])
		h, _ := strconv.Atoi(m[2])
		j.Width, j.Height = floor8(float64(w)), floor8(float64(h))
		r.saw("size", sides(j.Width, j.Height), "Size")
	} else {
		r.miss("size", r.p.values["Size"], "Size", texts.P("workflow.miss.value"))
	}
	if n := r.count("Batch size"); n > 0 {
		j.Batch = n
		r.saw("at_once", strconv.Itoa(n), "Batch size")
	}
	if v, ok := number(r.p.first("CFG scale", "Guidance Scale")); ok && v >= 0 {
		on := v > 1 || v > 0 && v < 1
		j.Guidance = &on
		r.saw("guidance", figure(v), "CFG scale")
	}
}

// hires reads the second, larger pass. Its own steps all run; without them as
// many as in the first (processing.StableDiffusionProcessingTxt2Img).
func (r *parametric) hires() {
	scale, ok := number(r.p.values["Hires upscale"])
	from := "Hires upscale"
	if m := sizeValue.FindStringSubmatch(r.p.values["Hires resize"]); m != nil && !ok {
		w, _ := strconv.ParseFloat(m[1], 64)
		h, _ := strconv.ParseFloat(m[2], 64)
		from = "Hires resize"
		if j := r.job; j.Width > 0 && j.Height > 0 && max(w, h) > 0 {
			scale, ok = max(w/float64(j.Width), h/float64(j.Height)), true
		}
	}
	if !ok || scale <= 0 {
		if v := r.p.first("Hires upscale", "Hires resize", "Hires upscaler"); v != "" {
			r.miss("hires", v, from, texts.P("workflow.miss.value"))
		}
		return
	}
	h := &workload.Hires{Scale: math.Round(scale*100) / 100}
	ran := cmp.Or(r.count("Hires steps"), r.job.Steps)
	h.Steps = ran
	why := texts.P("workflow.note.hires", "n", strconv.Itoa(ran))
	if d, ok := number(r.p.values["Denoising strength"]); ok && d > 0 && d < 1 {
		h.Denoise = d
		h.Steps = int(float64(ran) / d)
		why = texts.P("workflow.note.hires_of", "n", strconv.Itoa(ran), "all", strconv.Itoa(h.Steps))
		r.saw("hires_denoise", figure(d), "Denoising strength")
	}
	r.job.Hires = h
	r.saw("hires", figure(h.Scale)+"×", from, why)
	if up := r.p.values["Hires upscaler"]; up != "" && !strings.HasPrefix(up, "Latent") && up != "None" && up != "Lanczos" && up != "Nearest" {
		r.miss("Hires upscaler", up, "Hires upscaler", texts.P("workflow.miss.between"))
	}
}

// units counts what the prompt and the units of extensions add.
func (r *parametric) units(prompt string) {
	positive, _, _ := strings.Cut(prompt, "\nNegative prompt:")
	seen := map[string]bool{}
	for _, m := range loraInTag.FindAllStringSubmatch(positive, -1) {
		if v, ok := number(m[2]); !seen[m[1]] && (!ok || v != 0) {
			seen[m[1]] = true
			r.saw("loras", m[1], "<lora>")
		}
	}
	if len(seen) == 0 {
		for pair := range strings.SplitSeq(r.p.values["Lora hashes"], ",") {
			if name, _, ok := strings.Cut(strings.TrimSpace(pair), ":"); ok && !seen[name] {
				seen[name] = true
				r.saw("loras", name, "Lora hashes")
			}
		}
	}
	r.job.LoRAs = len(seen)
	for _, k := range r.p.keys {
		v := r.p.values[k]
		if !unitKey.MatchString(k) && !strings.HasPrefix(k, "ControlNet-") {
			continue
		}
		if strings.Contains(k, "Enabled") || !unitKey.MatchString(k) {
			continue
		}
		_, unit := splitParameters("Steps: 0, " + v)
		net := cmp.Or(unit.first("Model", "model"), v)
		if strings.Contains(strings.ToLower(unit.first("Module", "preprocessor")+" "+net), "ip-adapter") || strings.Contains(strings.ToLower(net), "ip_adapter") {
			r.job.IPAdapter++
			r.saw("ip_adapter", net, k)
			continue
		}
		r.job.ControlNets++
		r.saw("controlnets", net, k)
		if strings.Contains(strings.ToLower(net), "instantid") && !slices.Contains(r.job.Extra, "instantid") {
			r.job.Extra = append(r.job.Extra, "instantid")
		}
	}
	if r.job.ControlNets == 0 && strings.EqualFold(r.p.values["ControlNet Enabled"], "True") { // one unit in fields of its own
		r.job.ControlNets = 1
		r.saw("controlnets", r.p.values["ControlNet Model"], "ControlNet Model")
	}
}

// extras reads what other parts of the program write.
func (r *parametric) extras() {
	yes := true
	if up := r.p.first("Ultimate SD upscale upscaler", "Postprocess upscaler", "SD upscale upscaler"); up != "" && up != "None" {
		r.upscaler(up)
	}
	for _, k := range r.p.keys {
		switch {
		case strings.HasPrefix(k, "ADetailer model"):
			r.miss(k, r.p.values[k], k, texts.P("workflow.miss.detailer"))
		case k == "AnimateDiff":
			r.miss(k, "", k, texts.P("workflow.miss.motion"))
		case k == "Tiled VAE" || k == "Tiled VAE Encoder" || k == "Tiled VAE Decoder" || k == "VAE tiling":
			if r.job.VAETiling == nil {
				r.saw("vae_tiling", "", k)
			}
			r.job.VAETiling = &yes
		case k == "Tiled Diffusion":
			r.miss(k, "", k, texts.P("workflow.miss.node"))
		case strings.HasPrefix(k, "ReActor"), strings.HasPrefix(k, "FaceSwap"):
			r.miss("ReActor", "", k, texts.P("workflow.miss.face"))
		}
	}
}

func (r *parametric) upscaler(up string) {
	id, scale, known := upscalerOf(up)
	u := &workload.Upscaler{Model: id, Scale: scale}
	tile, err := strconv.Atoi(r.p.first("Ultimate SD upscale tile_width", "Ultimate SD upscale tile width"))
	from := "Postprocess upscaler"
	if err == nil {
		from = "Ultimate SD upscale upscaler"
		u.Tile = &tile
		r.saw("upscaler_tile", strconv.Itoa(tile), from)
		r.miss(from, "", from, texts.P("workflow.miss.tiles", "n", strconv.Itoa(r.job.Steps)))
	}
	if v, ok := number(r.p.values["Postprocess upscale by"]); ok && v >= 1 {
		u.Scale = whole(math.Ceil(v))
	}
	r.job.Upscaler = u
	r.saw("upscaler", strings.TrimSpace(fmt.Sprintf("%s %s", up, timesOf(u.Scale))), from)
	if !known {
		r.miss("upscaler", up, from, texts.P("workflow.miss.network"))
	}
}

func timesOf(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n) + "×"
}
