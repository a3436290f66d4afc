package workflow

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"rentgen/app/workload"
	"rentgen/assets/texts"
)

func TestPicturesWithAWorkflow(t *testing.T) {
	api, ui := string(testFile(t, "default-api.json")), string(testFile(t, "default-ui.json"))
	for name, b := range map[string][]byte{
		"both":          picture(512, 768, tEXt("prompt", api), tEXt("workflow", ui)),
		"drawn only":    picture(512, 768, chunk("zTXt", []byte("workflow\x00\x00"+packed(ui)))),
		"broken prompt": picture(512, 768, tEXt("prompt", "{"), tEXt("workflow", ui)),
		"beside A1111":  picture(512, 768, tEXt("parameters", "Steps: 3, Sampler: x"), tEXt("prompt", api)),
		"cut short":     picture(512, 768, tEXt("prompt", api))[:len(api)+70],
		"webp":          webpWith(tiff(binary.LittleEndian, map[uint16]string{0x110: "prompt:" + api}, nil)),
	} {
		f, err := Read(name+".png", b)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		wantJob(t, f, defaultJob)
	}
}

func TestSizeOfThePictureFillsIn(t *testing.T) {
	const graph = `{"1":{"class_type":"CheckpointLoaderSimple","inputs":{"ckpt_name":"sd_xl_base_1.0.safetensors"}},"2":{"class_type":"LoadImage","inputs":{"image":"a.png"}},"4":{"class_type":"VAEEncode","inputs":{"pixels":["2",0],"vae":["1",2]}},
	"8":{"class_type":"KSampler","inputs":{"steps":20,"cfg":7,"denoise":0.6,"model":["1",0],"latent_image":["4",0]}},"9":{"class_type":"VAEDecode","inputs":{"samples":["8",0]}},"12":{"class_type":"SaveImage","inputs":{"images":["9",0]}}}`
	f := mustRead(t, "a.png", picture(832, 1216, tEXt("prompt", graph)))
	if f.Job.Width != 832 || f.Job.Height != 1216 {
		t.Errorf("size %d x %d", f.Job.Width, f.Job.Height)
	}
	f = mustRead(t, "a.json", []byte(graph))
	if f.Job.Width != 0 {
		t.Errorf("a size of %d from nowhere", f.Job.Width)
	}
	wantMissed(t, f, "size input")
}

// TestErrorsSayWhatItIs keeps the key of every refusal, in both languages.
func TestErrorsSayWhatItIs(t *testing.T) {
	bomb := packed(strings.Repeat("a", maxText+1))
	for name, c := range map[string]struct {
		b    []byte
		want string
	}{
		"empty":            {nil, "empty"},
		"blank":            {[]byte(" \n"), "empty"},
		"huge":             {make([]byte, maxFile+1), "large"},
		"long text":        {bytes.Repeat([]byte("a"), maxText+1), "large"},
		"bare PNG":         {picture(8, 8, tEXt("Software", "x")), "bare_png"},
		"head of a PNG":    {[]byte(pngHead), "bare_png"},
		"bomb":             {picture(8, 8, chunk("zTXt", []byte("prompt\x00\x00"+bomb))), "large"},
		"bombs":            {picture(8, 8, bytes.Repeat(chunk("zTXt", []byte("a\x00\x00"+packed(strings.Repeat("a", maxText/2)))), 3)), "large"},
		"bare JPEG":        {jpegWith(nil), "bare_picture"},
		"bare WebP":        {webpWith(nil), "bare_picture"},
		"GIF":              {[]byte("GIF89a......"), "kind"},
		"clip":             {[]byte("\x00\x00\x00\x20ftypisom...."), "kind"},
		"ZIP":              {[]byte("PK\x03\x04......"), "kind"},
		"weights":          {[]byte("\x40\x00\x00\x00\x00\x00\x00\x00{\"a\":1}"), "kind"},
		"JSON of others":   {[]byte(`{"a":1}`), "not"},
		"a list":           {[]byte(`[1,2]`), "not"},
		"no nodes":         {[]byte(`{"nodes":[],"links":[]}`), "nothing"},
		"half":             {[]byte("{\"nodes\":[\n{\"id\":"), "json"},
		"deep":             {[]byte(strings.Repeat(`{"a":`, 200) + "1" + strings.Repeat("}", 200)), "deep"},
		"prose":            {[]byte("hello there"), "neither"},
		"prompt is broken": {picture(8, 8, tEXt("prompt", `{"a`)), "json"},
	} {
		_, err := Read(name, c.b)
		var e *Error
		if !errors.As(err, &e) || e.Reason.Key != "workflow.bad."+c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
			continue
		}
		for _, l := range texts.Langs() {
			if s := texts.For(l).Say(e.Phrase()); s == "" || strings.ContainsAny(s, "{}") {
				t.Errorf("%s in %s: %q", name, l, s)
			}
		}
	}
}

// TestSubgraphsCantMultiply lays out subgraphs that hold two of the next each.
func TestSubgraphsCantMultiply(t *testing.T) {
	var subs []string
	for i := range 14 {
		next := string(rune('a' + i + 1))
		subs = append(subs, `{"id":"`+string(rune('a'+i))+`","nodes":[`+strings.Repeat(`{"id":1,"type":"`+next+`"},{"id":2,"type":"`+next+`"},{"id":3,"type":"`+next+`"},`, 1)+`{"id":4,"type":"`+next+`"}],"links":[]}`)
	}
	_, err := Read("x.json", []byte(`{"nodes":[{"id":1,"type":"a"}],"links":[],"definitions":{"subgraphs":[`+strings.Join(subs, ",")+`]}}`))
	var e *Error
	if !errors.As(err, &e) || e.Reason.Key != "workflow.bad.many" {
		t.Errorf("%v", err)
	}
	_, err = Read("x.json", []byte(`{"nodes":[{"id":1,"type":"a"}],"links":[],"definitions":{"subgraphs":[{"id":"a","nodes":[{"id":1,"type":"a"}],"links":[]}]}}`))
	if !errors.As(err, &e) || e.Reason.Key != "workflow.bad.deep" {
		t.Errorf("a subgraph within itself: %v", err)
	}
}

// TestRingsAndFormulasEnd reads graphs that lead nowhere.
func TestRingsAndFormulasEnd(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"s":{"class_type":"KSampler","inputs":{"steps":["90",0],"cfg":7,"model":["s",0],"latent_image":["l",0]}},"l":{"class_type":"LatentUpscaleBy","inputs":{"scale_by":2,"samples":["s",0]}},"o":{"class_type":"SaveImage","inputs":{"images":["l",0]}}`)
	for i := range 90 {
		n := string(rune('0'+(i+1)/10)) + string(rune('0'+(i+1)%10))
		p := string(rune('0'+i/10)) + string(rune('0'+i%10))
		b.WriteString(`,"` + n + `":{"class_type":"ComfyMathExpression","inputs":{"expression":"a+a+a","values.a":["` + p + `",0]}}`)
	}
	b.WriteString("}")
	f := mustRead(t, "x.json", []byte(b.String()))
	if f.Job.Steps != 0 {
		t.Errorf("%d steps", f.Job.Steps)
	}
}

func TestWhatNoPlanTakesIsListed(t *testing.T) {
	s := strings.ReplaceAll(string(testFile(t, "default-api.json")), `"steps": 20`, `"steps": 1e300`)
	s = strings.ReplaceAll(s, `"width": 512`, `"width": 99999999999999999999`)
	f := mustRead(t, "x.json", []byte(s))
	if f.Job.Steps != 0 || f.Job.Width != 0 {
		t.Errorf("%+v", f.Job)
	}
	wantMissed(t, f, "width range", "steps range")
}

func TestNamesOfFiles(t *testing.T) {
	for file, want := range map[string]string{
		"v1-5-pruned-emaonly.ckpt": "sd1.5", "dreamshaper_8.safetensors": "sd1.5", "majicmixRealistic_v7.safetensors": "sd1.5", "麦橘写实_v7.safetensors": "sd1.5",
		"realisticVisionV60B1_v51VAE": "sd1.5", "AWPainting_v1.4": "sd1.5", "chilloutmix_NiPrunedFp32Fix": "sd1.5", "anything-v5-PrtRE": "sd1.5", "sd-v1-4.ckpt": "sd1.4",
		"sd_xl_base_1.0_0.9vae.safetensors": "sdxl", "juggernautXL_ragnarokBy": "sdxl", "ponyDiffusionV6XL_v6StartWithThisOne": "sdxl", "waiNSFWIllustrious_v140": "sdxl", "Illustrious-XL-v1.0": "sdxl",
		"noobaiXLNAIXL_vPred10Version": "sdxl", "dreamshaperXL_lightningDPMSDE": "sdxl", "realvisxlV50_v50Bakedvae": "sdxl", "animagine-xl-4.0": "sdxl", "基础算法_XL.safetensors": "sdxl", "sd_xl_turbo_1.0_fp16": "sdxl-turbo",
		"cyberrealisticPony_v110": "sdxl", "leosamsHelloworldXL_v70": "sdxl", "hassakuXLIllustrious_v21": "sdxl",
		"flux1-dev-fp8.safetensors": "flux1-dev", "flux1-dev-Q8_0.gguf": "flux1-dev", "flux_dev.safetensors": "flux1-dev", "svdq-int4_r32-flux.1-dev.safetensors": "flux1-dev", "flux1-schnell": "flux1-schnell",
		"flux1-dev-kontext_fp8_scaled": "flux1-kontext-dev", "flux1-krea-dev_fp8_scaled": "flux1-krea-dev", "麦橘超然 majicFlus_v1": "~flux1-dev", "flux1-fill-dev": "~flux1-dev", "基础算法_F.1": "~flux1-dev",
		"flux2_dev_fp8mixed": "flux2-dev", "flux-2-klein-4b-fp8": "flux2-klein-4b", "flux-2-klein-base-4b": "flux2-klein-base-4b", "flux-2-klein-9b": "flux2-klein-9b",
		"sd3_medium_incl_clips_t5xxlfp8": "sd3-medium", "sd3.5_large_fp8_scaled": "sd3.5-large", "sd3.5_medium": "sd3.5-medium", "stable-diffusion-3.5-medium-turbo": "sd3.5-medium-turbo",
		"qwen_image_fp8_e4m3fn": "qwen-image", "Qwen-Image-2512-Q4_K_M.gguf": "qwen-image", "qwen_image_edit_2511_bf16": "qwen-image-edit", "Qwen-Image-Edit-2509-Q5_K_S.gguf": "qwen-image-edit",
		"z_image_turbo_bf16": "z-image-turbo", "z_image_bf16": "z-image", "Wan2_1-T2V-14B_fp8_e4m3fn": "wan2.1-t2v-14b", "wan2.1_t2v_1.3B_fp16": "wan2.1-t2v-1.3b",
		"wan2.1_i2v_480p_14B_fp8": "wan2.1-i2v-14b", "wan2.1_vace_14B_fp16": "~wan2.1-t2v-14b", "wan2.2_ti2v_5B_fp16": "wan2.2-ti2v-5b", "wan2.2_i2v_high_noise_14B_fp8_scaled": "wan2.2-i2v-a14b", "wan2.2_t2v_low_noise_14B": "wan2.2-t2v-a14b",
		"wan2.2_fun_control_high_noise_14B": "wan2.2-fun-14b", "hunyuan_video_t2v_720p_bf16": "hunyuanvideo", "hunyuanvideo1.5_720p_t2v_fp16": "hunyuanvideo-1.5", "hunyuan_dit_1.2": "hunyuandit", "hunyuanimage2.1_bf16": "hunyuanimage-2.1",
		"Chroma1-HD-fp8mixed": "chroma", "chroma-unlocked-v50": "chroma", "Kolors/diffusion_pytorch_model.fp16": "~kolors", "可图_Kolors.safetensors": "kolors", "lumina_2": "lumina-2", "NetaYumev35": "lumina-2",
		"hidream_i1_dev_fp8": "hidream-i1", "hidream_e1_full_bf16": "hidream-e1", "omnigen2_fp16": "omnigen2", "auraflow_v0.3": "auraflow", "ltx-video-2b-v0.9": "ltx-video-2b", "ltxv-13b-0.9.7-dev": "ltx-video-13b", "ltx-2-19b-dev": "", "svd_xt": "", "SDXL\\myMerge.safetensors": "~sdxl",
		"qwen_2.5_vl_7b": "", "myMerge_v2.0.safetensors": "", "myMerge_v1.5.safetensors": "", "zavychromaxl_v100": "sdxl", "myMerge_final.safetensors": "", "svdq-fp4_r128-qwen-image": "qwen-image", "v2-1_768-ema-pruned": "sd2.1", "PixArt-Sigma-XL-2-1024-MS": "pixart-sigma", "SUPIR-v0Q": "supir",
	} {
		id, near := modelOf(file)
		if near {
			id = "~" + id
		}
		if id != want {
			t.Errorf("%s is %q, want %q", file, id, want)
		}
	}
	cat := workload.Load()
	for _, r := range slices.Concat(rules(), dirs()) {
		if _, ok := cat.Model(r.id); !ok && r.id != "" {
			t.Errorf("%s stands for %q, which the catalogue doesn't hold", r.name, r.id)
		}
	}
}

func TestStoragesOfFiles(t *testing.T) {
	for file, want := range map[string]string{
		"flux1-dev-Q8_0.gguf": "q8_0", "flux1-dev-Q6_K.gguf": "q6_k", "x-Q5_K_S.gguf": "q5", "x-Q5_1.gguf": "q5_1", "x-Q4_K_M.gguf": "q4", "x-IQ4_XS.gguf": "q4", "x-Q3_K_L.gguf": "q3", "x-Q2_K.gguf": "q2",
		"t5xxl_fp8_e4m3fn": "fp8", "fp8_e5m2": "fp8", "a_fp8_scaled": "fp8", "svdq-int4_r32-flux": "int4", "nvfp4": "fp4", "flux1-dev-bnb-nf4-v2": "nf4", "a-bf16": "bf16", "a.fp16.safetensors": "fp16", "default": "", "ae.safetensors": "",
	} {
		if got, _ := quantOf(file); got != want {
			t.Errorf("%s is %q, want %q", file, got, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	api := testFile(f, "default-api.json")
	f.Add("a.json", api)
	f.Add("b.json", testFile(f, "sdxl-control-hires-ui.json"))
	f.Add("c.json", testFile(f, "zimage-subgraph-ui.json"))
	f.Add("d.png", picture(8, 8, tEXt("prompt", string(api)), chunk("zTXt", []byte("workflow\x00\x00"+packed("{}")))))
	f.Add("e.jpg", jpegWith(tiff(binary.BigEndian, map[uint16]string{0x10f: "workflow:{}"}, unicodeComment(binary.BigEndian, "Steps: 1, Size: 8x8"))))
	f.Add("f.webp", webpWith(tiff(binary.LittleEndian, nil, []byte("ASCII\x00\x00\x00Steps: 2, Sampler: a"))))
	for _, c := range parameterTexts {
		f.Add("g.txt", []byte(c.text))
	}
	for _, c := range prompts {
		f.Add("h.json", []byte(c.graph))
	}
	f.Fuzz(func(t *testing.T, name string, b []byte) {
		found, err := Read(name, b)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("%T %v", err, err)
			}
			return
		}
		if found.Job.Model != "" {
			for _, e := range workload.Load().Check(found.Job) {
				t.Errorf("a plan doesn't take it: %v", e)
			}
		}
		if len(found.Understood) > maxItems || len(found.Missed) > maxItems {
			t.Errorf("%d and %d items", len(found.Understood), len(found.Missed))
		}
	})
}
