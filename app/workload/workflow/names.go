package workflow

import (
	"regexp"
	"strings"
	"sync"
)

// rule maps names of files to a model of the catalogue.
type rule struct {
	name *regexp.Regexp // of a file as plain writes it
	id   string         // "": a known model that the catalogue doesn't hold
	near bool           // another model of the same build and about the same size
}

// names compiles rules when they are first asked for: most starts of the program
// read no workflow.
func names(pairs ...string) func() []rule {
	return sync.OnceValue(func() []rule {
		var list []rule
		for i := 0; i < len(pairs); i += 2 {
			id, near := strings.CutPrefix(pairs[i+1], "~")
			list = append(list, rule{regexp.MustCompile(pairs[i]), id, near})
		}
		return list
	})
}

// rules are tried in order. Names are those of the publishers' files, then of
// models that are shared much; "~" marks the nearest model of the catalogue.
// Between words stands one "-", a version 3.5 reads 3-5.
var rules = names(
	// Not in the catalogue, but of names that would match below.
	`hunyuan3d|hy3d|\bsvd\b|stable-video|animatediff|flashvsr|seedvr|ace-?step|stable-audio|radiance|pixelflow`, "",
	`qwen-?(2-?5|3)?-?vl|qwen-?3-\d|florence|joy-?caption|llava`, "",

	// LTX: LTX-2 is another model than LTX-Video with 2 billion parameters.
	`ltx.*13b`, "ltx-video-13b",
	`ltx.*2b`, "ltx-video-2b",
	`ltx`, "",

	// Wan.
	`wan-?2-?2.*(fun|vace).*14b|wan-?2-?2-?fun|wan-?2-?2.*animate|wan-?2-?2.*s2v`, "wan2.2-fun-14b",
	`wan-?2-?2.*(ti2v|5b)`, "wan2.2-ti2v-5b",
	`wan-?2-?2.*i2v|i2v.*wan-?2-?2|wan2-?2i2v|wan22i2v`, "wan2.2-i2v-a14b",
	`wan-?2-?2.*t2v|t2v.*wan-?2-?2|wan2-?2t2v|wan22t2v|wan-?2-?2.*(14b|noise)`, "wan2.2-t2v-a14b",
	`wan-?2-?1?.*(t2v|vace|fun|causvid).*1-?3b|wan.*1-?3b`, "wan2.1-t2v-1.3b",
	`wan-?2-?1?.*t2v.*14b|wan-?2-?1.*t2v`, "wan2.1-t2v-14b",
	`wan-?2-?1.*(i2v|flf2v)|wan.*(i2v|flf2v).*(14b|480p|720p)`, "wan2.1-i2v-14b",
	`wan-?2-?1.*(i2v|vace|fun|flf2v|14b)|wan.*(i2v|flf2v|vace).*(14b|480p|720p)|phantom-wan.*14b|skyreels-?v2.*14b`, "~wan2.1-t2v-14b",
	`wan.*t2v.*14b|通义万相.*14b`, "wan2.1-t2v-14b",

	// FLUX.2, before FLUX.1.
	`flux-?2.*klein.*base.*4b`, "flux2-klein-base-4b",
	`flux-?2.*klein.*base.*9b`, "~flux2-klein-9b",
	`flux-?2.*klein.*9b`, "flux2-klein-9b",
	`flux-?2.*klein.*4b|flux-?2-?klein`, "flux2-klein-4b",
	`flux-?2`, "flux2-dev",
	`kontext`, "flux1-kontext-dev",
	`flux.*krea|krea.*flux`, "flux1-krea-dev",
	`krea-?2`, "krea-2",
	`\bchroma`, "chroma",
	`schnell`, "flux1-schnell",
	`flux.*(fill|depth|canny|redux)`, "~flux1-dev",
	`flux-?1?-?(d\b|dev)|f-?1-?dev|^flux1?-d|svdq.*flux-1-dev`, "flux1-dev",
	`majicflus|麦橘超然|awportrait-?fl|flux|\bf-1\b|基础算法-f|pixelwave|colossus-?project|fluxmania|jib-?mix-?flux`, "~flux1-dev",

	// Qwen, Z-Image and other transformers.
	`qwen-?image-?edit|qwen-?edit|千问.*编辑`, "qwen-image-edit",
	`qwen-?image-?layered`, "~qwen-image",
	`qwen-?image|千问.*(图|image)|通义千问`, "qwen-image",
	`z-?image-?turbo|zit-|造相.*turbo`, "z-image-turbo",
	`z-?image|造相`, "z-image",
	`hunyuan-?image-?3`, "",
	`hunyuan-?image`, "hunyuanimage-2.1",
	`hunyuan-?video-?1-?5`, "hunyuanvideo-1.5",
	`hunyuan-?video|hyvideo|skyreels-?v1`, "hunyuanvideo",
	`hunyuan-?dit`, "hunyuandit",
	`混元`, "~hunyuandit",
	`kolors|可图`, "kolors",
	`neta-?(lumina|yume)|netayume|lumina-?(image-?)?2|lumina2`, "lumina-2",
	`lumina-?next`, "",
	`hidream-?e1`, "hidream-e1",
	`hidream-?o1`, "",
	`hidream`, "hidream-i1",
	`omnigen-?2`, "omnigen2",
	`omnigen`, "omnigen",
	`pony-?v7`, "~auraflow",
	`aura-?flow`, "auraflow",
	`pixart.*(sigma|Σ)`, "pixart-sigma",
	`pixart`, "pixart-alpha",
	`sana.*4k`, "sana-1.6b-4k",
	`sana.*(1600m|1-?6b)`, "sana",
	`cosmos-?predict-?2.*2b`, "cosmos-predict2-2b",
	`cogvideo.*5b`, "cogvideox-5b",
	`cogvideo.*2b`, "cogvideox-2b",
	`mochi`, "mochi-1",
	`ernie-?image`, "ernie-image",
	`longcat-?image-?edit`, "~longcat-image",
	`longcat-?image`, "longcat-image",
	`ovis-?image`, "ovis-image",
	`fibo`, "bria-fibo",
	`ideogram-?4`, "ideogram-4",
	`kandinsky-?5.*(lite|image)`, "kandinsky5-image-6b",
	`sensenova-?u1`, "sensenova-u1-8b",
	`stable-?cascade`, "stable-cascade-c",
	`supir`, "supir",

	// Stable Diffusion 3.
	`(sd|stable-diffusion)-?3-?5.*medium.*turbo`, "sd3.5-medium-turbo",
	`(sd|stable-diffusion)-?3-?5.*medium|^sd3-?5-?m\b`, "sd3.5-medium",
	`(sd|stable-diffusion)-?3-?5`, "sd3.5-large",
	`(sd|stable-diffusion)-?3`, "sd3-medium",

	// SDXL and its kin.
	`xl-?turbo|turbo-?xl|turbovisionxl`, "sdxl-turbo",
	`refiner`, "~sdxl",
	`playground-?v?2|ssd-?1b|segmind-?vega`, "~sdxl",
	`pony|小马|illustrious|illust?rij|光辉|noob-?ai|noobai|\bnoob|wai-?(nsfw|ani|illu|shuffle)|hassaku|animagine|obsession|prefect|nova-?anime|janku|ntr-?mix|plant-?milk`, "sdxl",
	`xl(\b|-|v?\d|[a-z]*$)|[a-z]xl|xl[A-Z]|sd-?xl|leosam.*hello|helloworld|realvis.*v?[3-9]-?0|juggernaut.*(x|xi|xii|v9|v8|v7|v6|ragnarok)\b|zavy-?chroma|copax|基础算法-?xl`, "sdxl",

	// Stable Diffusion 2, then 1.
	`^v2-[01]|sd-?v?2-?[01]|diffusion-2-[01]|512-base-ema|768-v-ema|wd-?1-?5`, "sd2.1",
	`^v1-4|sd-?v?1-?4|diffusion-v1-4`, "sd1.4",
	`^v1-5|sd-?v?1-?5|diffusion-v1-5|基础算法-?v?1-?5|1-5-pruned|\bsd-?v?1\b`, "sd1.5",
	`majic-?mix|麦橘|墨幽|moyou|guofeng-?[1-3]|国风-?[1-3]|awpainting|awportrait|dreamshaper-?[1-9]|dreamshaper$|revanimated|rev-animated|counterfeit|anything-?v|anythingv|万象熔炉`, "sd1.5",
	`meina(mix|hentai|pastel|unreal)|chilloutmix|ghostmix|realistic-?vision|realisticvision|epicrealism|epic-realism|deliberate|cetusmix|dark-?sushi|toonyou|abyssorange|aom3|pastelmix|absolutereality|absolute-reality`, "sd1.5",
	`cyberrealistic|photon-?v1|photon$|lyriel|perfectworld|henmix|orangemix|nai-?leak|novelai|anylora|perfectdeliberate|protogen|openjourney|analog-?diffusion|xxmix-?9|beautifulrealistic|brav?[5-7]|hellonijicute|disneypixar|3danimation|architecture-?real|aziibpixelmix|icbinp|leosam.*filmgirl`, "sd1.5",
)

// dirs are folders in which people sort their models.
var dirs = names(
	`flux-?2`, "~flux2-dev", `flux|\bf-1\b`, "~flux1-dev", `qwen-?edit|qwen-?image-?edit`, "~qwen-image-edit", `qwen`, "~qwen-image",
	`z-?image`, "~z-image-turbo", `sd-?xl|\bxl\b|pony|illustrious|noob`, "~sdxl", `sd-?1-?5|sd-?v?1`, "~sd1.5", `sd-?3-?5`, "~sd3.5-large", `kolors|可图`, "~kolors", `chroma`, "~chroma",
)

var (
	betweenWords = regexp.MustCompile(`[\s_.\-+@()\[\]（）【】·]+`)
	fileEnd      = regexp.MustCompile(`(?i)\.(safetensors|sft|gguf|ckpt|pt|pth|bin|onnx|engine)$`)
	camel        = regexp.MustCompile(`([a-z])(V\d|XL|Pony|Illustrious)`)
)

// plain writes the name of a file without folder, ending and case, with "-"
// between words.
func plain(file string) string {
	file = base(file)
	file = fileEnd.ReplaceAllString(file, "")
	file = camel.ReplaceAllString(file, "$1-$2")
	return strings.Trim(betweenWords.ReplaceAllString(strings.ToLower(file), "-"), "-")
}

// base is the last part of a path of either system.
func base(file string) string { return file[strings.LastIndexAny(file, `/\`)+1:] }

// modelOf finds the model of a file. id is "" where no rule knows it; near where
// only the build is known.
func modelOf(file string) (id string, near bool) {
	if file == "" {
		return "", false
	}
	name := plain(file)
	for _, r := range rules() {
		if r.name.MatchString(name) {
			return r.id, r.near
		}
	}
	if dir := strings.TrimSuffix(file, base(file)); dir != "" {
		dir = strings.Trim(betweenWords.ReplaceAllString(strings.ToLower(dir), "-"), "-")
		for _, r := range dirs() {
			if r.name.MatchString(dir) {
				return r.id, r.near
			}
		}
	}
	return "", false
}

// quants map words in names of files to storages; tried in order.
var quants = []struct {
	word *regexp.Regexp
	id   string
	flag string
}{
	{regexp.MustCompile(`\bq8(-0|-k)?\b`), "q8_0", ""},
	{regexp.MustCompile(`\bq6-k`), "q6_k", ""},
	{regexp.MustCompile(`\bq5-1\b`), "q5_1", ""},
	{regexp.MustCompile(`\bi?q5-`), "q5", ""},
	{regexp.MustCompile(`\bq4-1\b`), "q4_1", ""},
	{regexp.MustCompile(`\bi?q4-`), "q4", ""},
	{regexp.MustCompile(`\bi?q3-`), "q3", ""},
	{regexp.MustCompile(`\bi?q2-`), "q2", ""},
	{regexp.MustCompile(`svdq-?int4|\bint4\b|nunchaku.*int4`), "int4", ""},
	{regexp.MustCompile(`nvfp4|mxfp4|svdq-?fp4|\bfp4\b`), "fp4", ""},
	{regexp.MustCompile(`nf4`), "nf4", "bnb"},
	{regexp.MustCompile(`fp8.*scaled|scaled.*fp8`), "fp8", "fp8-scaled"},
	{regexp.MustCompile(`fp8|\bf8\b|e4m3fn|e5m2|float8`), "fp8", ""},
	{regexp.MustCompile(`\bint8|w8a8`), "int8", ""},
	{regexp.MustCompile(`bf16|bfloat16`), "bf16", ""},
	{regexp.MustCompile(`fp16|\bf16\b|float16|half`), "fp16", ""},
	{regexp.MustCompile(`fp32|\bf32\b|float32`), "fp32", ""},
}

// quantOf reads a storage from the name of a file or from an option; flag says
// how it was made, where the name does.
func quantOf(s string) (id, flag string) {
	name := plain(s)
	for _, q := range quants {
		if q.word.MatchString(name) {
			return q.id, q.flag
		}
	}
	return "", ""
}

// encoderQuant is the storage of the largest encoder among files; large is
// whether there is one of those that are larger than CLIP.
func encoderQuant(files []string) (quant, file string, large bool) {
	for _, f := range files {
		if largeEncoder.MatchString(plain(f)) {
			q, _ := quantOf(f)
			return q, f, true
		}
	}
	return "", "", false
}

var (
	hatName       = regexp.MustCompile(`\bhat\b|^hat|xhat`)
	datName       = regexp.MustCompile(`\bdat\b|dat-?2|-dat`)
	dat2Name      = regexp.MustCompile(`dat-?2`)
	esrganName    = regexp.MustCompile(`esrgan|ultrasharp|nmkd|remacri|foolhardy|siax|superscale|anime-?sharp|lollypop|valar|nomos|clearreality|bsrgan`)
	largeEncoder  = regexp.MustCompile(`t5|umt5|qwen|mistral|llama|llava|gemma|byt5.*glyph|chatglm|pile`)
	upscalerScale = regexp.MustCompile(`(?:^|-|[a-z])([1248])x|x([1248])(?:-|plus|$|v)|x([1248])`)
)

// upscalerOf reads scale and build from the name of an upscaling network; scale
// is 0 where the name doesn't say.
func upscalerOf(file string) (id string, scale int, known bool) {
	name := plain(file)
	if m := upscalerScale.FindStringSubmatch(name); m != nil {
		for _, s := range m[1:] {
			if s != "" {
				scale = int(s[0] - '0')
			}
		}
	}
	switch {
	case strings.Contains(name, "fdat"):
		id, known = "fdat-m-4x", strings.Contains(name, "fdat-m") && scale == 4
	case hatName.MatchString(name):
		id, known = "hat-l-4x", strings.Contains(name, "hat-l") && scale == 4
	case datName.MatchString(name):
		id, known = "dat2-4x", dat2Name.MatchString(name) && scale == 4
	case scale == 2:
		id = "esrgan-2x"
	case scale == 4:
		id = "esrgan-4x"
	}
	if strings.HasPrefix(id, "esrgan") {
		known = esrganName.MatchString(name)
	}
	return id, scale, known
}
