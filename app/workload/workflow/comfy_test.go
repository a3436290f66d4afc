package workflow

import (
	"strings"
	"testing"

	"rentgen/app/workload"
)

var defaultJob = workload.Job{
	Model: "sd1.5", Kind: workload.Txt2Img, Quant: "fp16", Width: 512, Height: 768, Steps: 20, Batch: 2, Guidance: ptr(true), Framework: "comfyui",
}

func TestDefaultGraphInBothForms(t *testing.T) {
	for _, name := range []string{"default-ui.json", "default-api.json"} {
		f := mustRead(t, name, testFile(t, name))
		wantJob(t, f, defaultJob)
		wantMissed(t, f)
		if f.Program != "ComfyUI" {
			t.Errorf("%s: program %q", name, f.Program)
		}
	}
	f := mustRead(t, "x.json", []byte(`{"client_id":"1","prompt":`+string(testFile(t, "default-api.json"))+`}`))
	wantJob(t, f, defaultJob)
}

func TestItemsSayWhereTheyStand(t *testing.T) {
	f := mustRead(t, "a.json", testFile(t, "default-ui.json"))
	from := map[string]string{}
	for _, it := range f.Understood {
		from[it.Field] = it.Value + " from " + it.From
	}
	for field, want := range map[string]string{
		"model": "Stable Diffusion 1.5 from 1 CheckpointLoaderSimple", "size": "512 × 768 from 2 EmptyLatentImage",
		"steps": "20 from 5 KSampler", "at_once": "2 from 2 EmptyLatentImage", "guidance": "8 from 5 KSampler",
	} {
		if from[field] != want {
			t.Errorf("%s is %q, want %q", field, from[field], want)
		}
	}
}

func TestSDXLWithEverythingInTheDrawnForm(t *testing.T) {
	f := mustRead(t, "w.json", testFile(t, "sdxl-control-hires-ui.json"))
	wantJob(t, f, workload.Job{
		Model: "sdxl", Kind: workload.Txt2Img, Width: 832, Height: 1216, Steps: 30, Batch: 1, Guidance: ptr(true), Framework: "comfyui",
		VAETiling: ptr(true), ControlNets: 2, LoRAs: 1,
		Hires:    &workload.Hires{Scale: 1.5, Steps: 40, Denoise: 0.5},
		Upscaler: &workload.Upscaler{Model: "esrgan-4x", Scale: 4},
	})
	wantMissed(t, f, "FancyColorWizard node")
}

func TestSubgraphShowsItsValues(t *testing.T) {
	f := mustRead(t, "w.json", testFile(t, "zimage-subgraph-ui.json"))
	wantJob(t, f, workload.Job{
		Model: "z-image-turbo", Kind: workload.Txt2Img, Quant: "bf16", TEQuant: "fp8", Width: 1024, Height: 1536, Steps: 9, Batch: 1,
		Guidance: ptr(false), Framework: "comfyui",
	})
	wantMissed(t, f)
	if len(f.Understood) == 0 || !strings.HasPrefix(f.Understood[0].From, "5:28 ") {
		t.Errorf("the model is from %+v", f.Understood)
	}
}

// TestBypassedAndMutedNodes turns nodes of a graph off as the editor does.
func TestBypassedAndMutedNodes(t *testing.T) {
	s := string(testFile(t, "sdxl-control-hires-ui.json"))
	off := func(kind string, mode string) string {
		i := strings.Index(s, `"type": "`+kind+`"`)
		if i < 0 {
			t.Fatalf("no %s", kind)
		}
		j := i + strings.Index(s[i:], `"mode": 0`)
		return s[:j] + `"mode": ` + mode + s[j+len(`"mode": 0`):]
	}
	f := mustRead(t, "w.json", []byte(off("LoraLoader", "4")))
	if f.Job.LoRAs != 0 || f.Job.Model != "sdxl" {
		t.Errorf("a bypassed LoRA: %+v", f.Job)
	}
	f = mustRead(t, "w.json", []byte(off("ControlNetApplyAdvanced", "4")))
	if f.Job.ControlNets != 1 {
		t.Errorf("%d ControlNets beside a bypassed one", f.Job.ControlNets)
	}
	f = mustRead(t, "w.json", []byte(off("LatentUpscaleBy", "4")))
	if h := f.Job.Hires; h == nil || h.Scale != 1 {
		t.Errorf("hires %+v behind a bypassed enlarging", f.Job.Hires)
	}
	f = mustRead(t, "w.json", []byte(off("ImageUpscaleWithModel", "4")))
	if f.Job.Upscaler != nil {
		t.Errorf("a bypassed upscaler: %+v", f.Job.Upscaler)
	}
	// A muted last step leaves no output but those that save elsewhere.
	f = mustRead(t, "w.json", []byte(off("SaveImage", "2")))
	if f.Job.Model != "" && f.Job.Steps == 30 && f.Job.Upscaler != nil {
		t.Errorf("a muted output still counts: %+v", f.Job)
	}
}

// prompts are graphs in the executed form with the job that they are.
var prompts = map[string]struct {
	graph  string
	want   workload.Job
	missed []string
}{
	"sdxl base and refiner": {
		`{"4":{"class_type":"CheckpointLoaderSimple","inputs":{"ckpt_name":"sd_xl_base_1.0.safetensors"}},
		"12":{"class_type":"CheckpointLoaderSimple","inputs":{"ckpt_name":"sd_xl_refiner_1.0.safetensors"}},
		"5":{"class_type":"EmptyLatentImage","inputs":{"width":1024,"height":1024,"batch_size":1}},
		"10":{"class_type":"KSamplerAdvanced","inputs":{"add_noise":"enable","steps":25,"cfg":8.0,"start_at_step":0,"end_at_step":20,"model":["4",0],"latent_image":["5",0]}},
		"11":{"class_type":"KSamplerAdvanced","inputs":{"add_noise":"disable","steps":25,"cfg":8.0,"start_at_step":20,"end_at_step":10000,"model":["12",0],"latent_image":["10",0]}},
		"17":{"class_type":"VAEDecode","inputs":{"samples":["11",0],"vae":["12",2]}},"19":{"class_type":"SaveImage","inputs":{"images":["17",0]}}}`,
		workload.Job{Model: "sdxl", Kind: workload.Txt2Img, Width: 1024, Height: 1024, Steps: 25, Batch: 1, Guidance: ptr(true), Framework: "comfyui"},
		[]string{"model second"},
	},
	"flux dev fp8": {
		`{"12":{"class_type":"UNETLoader","inputs":{"unet_name":"flux1-dev.safetensors","weight_dtype":"fp8_e4m3fn"}},
		"11":{"class_type":"DualCLIPLoader","inputs":{"clip_name1":"t5xxl_fp8_e4m3fn.safetensors","clip_name2":"clip_l.safetensors","type":"flux"}},
		"6":{"class_type":"CLIPTextEncode","inputs":{"text":"a","clip":["11",0]}},"26":{"class_type":"FluxGuidance","inputs":{"guidance":3.5,"conditioning":["6",0]}},
		"30":{"class_type":"ModelSamplingFlux","inputs":{"max_shift":1.15,"base_shift":0.5,"width":1024,"height":1024,"model":["12",0]}},
		"22":{"class_type":"BasicGuider","inputs":{"model":["30",0],"conditioning":["26",0]}},"16":{"class_type":"KSamplerSelect","inputs":{"sampler_name":"euler"}},
		"17":{"class_type":"BasicScheduler","inputs":{"scheduler":"simple","steps":28,"denoise":1.0,"model":["30",0]}},"25":{"class_type":"RandomNoise","inputs":{"noise_seed":18446744073709551615123}},
		"27":{"class_type":"EmptySD3LatentImage","inputs":{"width":1344,"height":768,"batch_size":1}},
		"13":{"class_type":"SamplerCustomAdvanced","inputs":{"noise":["25",0],"guider":["22",0],"sampler":["16",0],"sigmas":["17",0],"latent_image":["27",0]}},
		"10":{"class_type":"VAELoader","inputs":{"vae_name":"ae.safetensors"}},"8":{"class_type":"VAEDecode","inputs":{"samples":["13",0],"vae":["10",0]}},"9":{"class_type":"SaveImage","inputs":{"images":["8",0]}}}`,
		workload.Job{Model: "flux1-dev", Kind: workload.Txt2Img, Quant: "fp8", TEQuant: "fp8", Width: 1344, Height: 768, Steps: 28, Batch: 1, Guidance: ptr(false), Framework: "comfyui"},
		nil,
	},
	"flux gguf with power loras": {
		`{"1":{"class_type":"UnetLoaderGGUF","inputs":{"unet_name":"flux1-schnell-Q4_K_S.gguf"}},
		"2":{"class_type":"DualCLIPLoaderGGUF","inputs":{"clip_name1":"clip_l.safetensors","clip_name2":"t5-v1_1-xxl-encoder-Q8_0.gguf","type":"flux"}},
		"3":{"class_type":"Power Lora Loader (rgthree)","inputs":{"PowerLoraLoaderHeaderWidget":{"type":"PowerLoraLoaderHeaderWidget"},"lora_1":{"on":true,"lora":"a.safetensors","strength":1},
			"lora_2":{"on":false,"lora":"b.safetensors","strength":1},"lora_3":{"on":true,"lora":"c.safetensors","strength":0.5},"➕ Add Lora":"","model":["1",0],"clip":["2",0]}},
		"4":{"class_type":"EmptySD3LatentImage","inputs":{"width":1024,"height":1024,"batch_size":4}},"5":{"class_type":"CLIPTextEncode","inputs":{"text":"x","clip":["3",1]}},
		"6":{"class_type":"KSampler","inputs":{"seed":1,"steps":4,"cfg":1.0,"denoise":1.0,"model":["3",0],"positive":["5",0],"negative":["5",0],"latent_image":["4",0]}},
		"7":{"class_type":"VAEDecode","inputs":{"samples":["6",0],"vae":["8",0]}},"8":{"class_type":"VAELoader","inputs":{"vae_name":"taef1"}},"9":{"class_type":"PreviewImage","inputs":{"images":["7",0]}}}`,
		workload.Job{Model: "flux1-schnell", Kind: workload.Txt2Img, Quant: "q4", TEQuant: "q8_0", Width: 1024, Height: 1024, Steps: 4, Batch: 4, Guidance: ptr(false), Framework: "comfyui", LoRAs: 2, Extra: []string{"gguf", "tiny-vae"}},
		nil,
	},
	"wan 2.2 in two halves, by switches and formulas": {
		`{"80":{"class_type":"SaveVideo","inputs":{"video":["88",0]}},"88":{"class_type":"CreateVideo","inputs":{"fps":["25",0],"images":["87",0]}},"87":{"class_type":"VAEDecode","inputs":{"samples":["78",0],"vae":["73",0]}},
		"73":{"class_type":"VAELoader","inputs":{"vae_name":"wan_2.1_vae.safetensors"}},"71":{"class_type":"CLIPLoader","inputs":{"clip_name":"umt5_xxl_fp8_e4m3fn_scaled.safetensors","type":"wan","device":"cpu"}},
		"75":{"class_type":"UNETLoader","inputs":{"unet_name":"wan2.2_i2v_high_noise_14B_fp8_scaled.safetensors","weight_dtype":"default"}},"76":{"class_type":"UNETLoader","inputs":{"unet_name":"wan2.2_i2v_low_noise_14B_fp8_scaled.safetensors","weight_dtype":"default"}},
		"83":{"class_type":"LoraLoaderModelOnly","inputs":{"lora_name":"high.safetensors","strength_model":1,"model":["75",0]}},"85":{"class_type":"LoraLoaderModelOnly","inputs":{"lora_name":"low.safetensors","strength_model":1,"model":["76",0]}},
		"20":{"class_type":"ComfySwitchNode","inputs":{"switch":["29",0],"on_false":["75",0],"on_true":["83",0]}},"21":{"class_type":"ComfySwitchNode","inputs":{"switch":["29",0],"on_false":["76",0],"on_true":["85",0]}},
		"86":{"class_type":"ModelSamplingSD3","inputs":{"shift":5,"model":["21",0]}},"82":{"class_type":"ModelSamplingSD3","inputs":{"shift":5,"model":["20",0]}},"89":{"class_type":"CLIPTextEncode","inputs":{"text":"x","clip":["71",0]}},
		"74":{"class_type":"WanImageToVideo","inputs":{"width":640,"height":640,"length":["27",1],"batch_size":1,"positive":["89",0],"negative":["89",0],"vae":["73",0],"start_image":["31",0]}},"31":{"class_type":"LoadImage","inputs":{"image":"a.png"}},
		"81":{"class_type":"KSamplerAdvanced","inputs":{"add_noise":"enable","steps":["22",0],"cfg":["24",0],"start_at_step":0,"end_at_step":["23",0],"model":["82",0],"positive":["74",0],"negative":["74",1],"latent_image":["74",2]}},
		"78":{"class_type":"KSamplerAdvanced","inputs":{"add_noise":"disable","steps":["22",0],"cfg":["24",0],"start_at_step":["23",0],"end_at_step":["22",0],"model":["86",0],"positive":["74",0],"negative":["74",1],"latent_image":["81",0]}},
		"14":{"class_type":"PrimitiveInt","inputs":{"value":20}},"15":{"class_type":"PrimitiveInt","inputs":{"value":10}},"17":{"class_type":"PrimitiveInt","inputs":{"value":4}},"18":{"class_type":"PrimitiveInt","inputs":{"value":2}},
		"22":{"class_type":"ComfySwitchNode","inputs":{"switch":["29",0],"on_false":["14",0],"on_true":["17",0]}},"23":{"class_type":"ComfySwitchNode","inputs":{"switch":["29",0],"on_false":["15",0],"on_true":["18",0]}},
		"24":{"class_type":"PrimitiveFloat","inputs":{"value":3.5}},"25":{"class_type":"PrimitiveFloat","inputs":{"value":16}},"26":{"class_type":"PrimitiveFloat","inputs":{"value":5}},"29":{"class_type":"PrimitiveBoolean","inputs":{"value":false}},
		"27":{"class_type":"ComfyMathExpression","inputs":{"expression":"floor(a * b) + 1","values.a":["26",0],"values.b":["25",0]}}}`,
		workload.Job{Model: "wan2.2-i2v-a14b", Kind: workload.Img2Vid, Quant: "fp8", TEQuant: "fp8", TEDevice: "cpu", Width: 640, Height: 640, Frames: 81, Steps: 20, Batch: 1, Guidance: ptr(true), Framework: "comfyui", Extra: []string{"fp8-scaled"}},
		nil,
	},
	"qwen edit of two pictures": {
		`{"37":{"class_type":"UNETLoader","inputs":{"unet_name":"qwen_image_edit_2509_fp8_e4m3fn.safetensors","weight_dtype":"default"}},"38":{"class_type":"CLIPLoader","inputs":{"clip_name":"qwen_2.5_vl_7b_fp8_scaled.safetensors","type":"qwen_image"}},
		"39":{"class_type":"VAELoader","inputs":{"vae_name":"qwen_image_vae.safetensors"}},"78":{"class_type":"LoadImage","inputs":{"image":"a.png"}},"79":{"class_type":"LoadImage","inputs":{"image":"b.png"}},
		"93":{"class_type":"ImageScaleToTotalPixels","inputs":{"upscale_method":"lanczos","megapixels":1.0,"image":["78",0]}},"88":{"class_type":"VAEEncode","inputs":{"pixels":["93",0],"vae":["39",0]}},
		"111":{"class_type":"TextEncodeQwenImageEditPlus","inputs":{"prompt":"x","clip":["38",0],"vae":["39",0],"image1":["93",0],"image2":["79",0]}},"110":{"class_type":"TextEncodeQwenImageEditPlus","inputs":{"prompt":"","clip":["38",0],"vae":["39",0],"image1":["93",0],"image2":["79",0]}},
		"89":{"class_type":"LoraLoaderModelOnly","inputs":{"lora_name":"Qwen-Image-Lightning-4steps.safetensors","strength_model":1,"model":["37",0]}},"66":{"class_type":"ModelSamplingAuraFlow","inputs":{"shift":3,"model":["89",0]}},"75":{"class_type":"CFGNorm","inputs":{"strength":1,"model":["66",0]}},
		"3":{"class_type":"KSampler","inputs":{"seed":1,"steps":4,"cfg":1,"denoise":1,"model":["75",0],"positive":["111",0],"negative":["110",0],"latent_image":["88",0]}},
		"8":{"class_type":"VAEDecode","inputs":{"samples":["3",0],"vae":["39",0]}},"60":{"class_type":"SaveImage","inputs":{"images":["8",0]}}}`,
		workload.Job{Model: "qwen-image-edit", Kind: workload.Edit, Quant: "fp8", TEQuant: "fp8", Width: 1024, Height: 1024, Steps: 4, Guidance: ptr(false), Framework: "comfyui", LoRAs: 1, Extra: []string{"input-images-2"}},
		nil,
	},
	"only upscaling": {
		`{"1":{"class_type":"LoadImage","inputs":{"image":"a.png"}},"2":{"class_type":"UpscaleModelLoader","inputs":{"model_name":"RealESRGAN_x2plus.pth"}},"3":{"class_type":"ImageUpscaleWithModel","inputs":{"upscale_model":["2",0],"image":["1",0]}},"4":{"class_type":"SaveImage","inputs":{"images":["3",0]}}}`,
		workload.Job{Model: "esrgan-2x", Kind: workload.Upscale, Framework: "comfyui"},
		nil,
	},
	"painting over with a tiled end, an unknown model and NaN": {
		`{"1":{"class_type":"CheckpointLoaderSimple","inputs":{"ckpt_name":"我的底模.safetensors"},"is_changed":[NaN]},"2":{"class_type":"LoadImage","inputs":{"image":"a.png"}},
		"3":{"class_type":"ImageScale","inputs":{"upscale_method":"lanczos","width":1001,"height":768,"crop":"center","image":["2",0]}},"4":{"class_type":"VAEEncode","inputs":{"pixels":["3",0],"vae":["1",2]}},"5":{"class_type":"CLIPTextEncode","inputs":{"text":"NaN \" { [","clip":["1",1]}},
		"6":{"class_type":"IPAdapterUnifiedLoader","inputs":{"preset":"PLUS","model":["1",0]}},"7":{"class_type":"IPAdapterAdvanced","inputs":{"weight":0.8,"model":["6",0],"ipadapter":["6",1],"image":["2",0]}},
		"8":{"class_type":"KSampler","inputs":{"seed":1,"steps":20,"cfg":7,"denoise":0.6,"model":["7",0],"positive":["5",0],"negative":["5",0],"latent_image":["4",0]}},"9":{"class_type":"VAEDecode","inputs":{"samples":["8",0],"vae":["1",2]}},
		"10":{"class_type":"UpscaleModelLoader","inputs":{"model_name":"4x_NMKD-Siax_200k.pth"}},"11":{"class_type":"UltimateSDUpscale","inputs":{"upscale_by":2,"steps":15,"cfg":7,"denoise":0.2,"tile_width":768,"tile_height":768,"tiled_decode":false,"image":["9",0],"model":["7",0],"positive":["5",0],"negative":["5",0],"vae":["1",2],"upscale_model":["10",0]}},
		"12":{"class_type":"SaveImage","inputs":{"images":["11",0]}}}`,
		workload.Job{Kind: workload.Img2Img, Width: 1000, Height: 768, Steps: 20, Guidance: ptr(true), Framework: "comfyui", IPAdapter: 1, Upscaler: &workload.Upscaler{Model: "esrgan-4x", Scale: 2, Tile: ptr(768)}},
		[]string{"model model", "UltimateSDUpscale tiles"},
	},
}

func TestPrompts(t *testing.T) {
	for name, c := range prompts {
		t.Run(name, func(t *testing.T) {
			f := mustRead(t, "x.json", []byte(c.graph))
			wantJob(t, f, c.want)
			wantMissed(t, f, c.missed...)
		})
	}
}
