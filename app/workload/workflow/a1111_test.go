package workflow

import (
	"encoding/binary"
	"testing"

	"rentgen/app/workload"
)

var parameterTexts = map[string]struct {
	text, program string
	want          workload.Job
	missed        []string
}{
	"A1111 1.10 with hires, LoRAs and ControlNet": {
		`masterpiece, 1girl, <lora:add_detail:0.6>, <lora:gufeng:0.8:0.5>
second line, (detail:1.2)
Negative prompt: lowres, bad hands, <lora:unused:1>
Steps: 25, Sampler: DPM++ 2M, Schedule type: Karras, CFG scale: 7, Seed: 12345, Size: 512x768, Model hash: 6ce0161689, Model: majicmixRealistic_v7, VAE hash: 735e4c3a44, VAE: vae-ft-mse-840000-ema-pruned.safetensors, Denoising strength: 0.5, Clip skip: 2, Hires upscale: 2, Hires steps: 15, Hires upscaler: Latent, ControlNet 0: "Module: canny, Model: control_v11p_sd15_canny [d14c016b], Weight: 1.0, Resize Mode: Crop and Resize, Processor Res: 512", ControlNet 1: "Module: ip-adapter_clip_sd15, Model: ip-adapter-plus_sd15 [836b5c2e], Weight: 0.7", Lora hashes: "add_detail: 7c6bad76eb54, gufeng: 0123456789ab", Version: v1.10.1`,
		"A1111",
		workload.Job{Model: "sd1.5", Kind: workload.Txt2Img, Width: 512, Height: 768, Steps: 25, Guidance: ptr(true), Framework: "a1111", ControlNets: 1, LoRAs: 2, IPAdapter: 1, Hires: &workload.Hires{Scale: 2, Steps: 30, Denoise: 0.5}},
		nil,
	},
	"A1111 1.3 without a model name": {
		"a cat\nSteps: 20, Sampler: Euler a, CFG scale: 7, Seed: 1, Size: 512x512, Model hash: 6ce0161689, Batch size: 4, Batch pos: 0",
		"A1111",
		workload.Job{Kind: workload.Txt2Img, Width: 512, Height: 512, Steps: 20, Batch: 4, Guidance: ptr(true), Framework: "a1111"},
		[]string{"model noname"},
	},
	"A1111 img2img with ultimate upscale and a face pass": {
		"a cat\nNegative prompt: dog\nSteps: 30, Sampler: DPM++ SDE Karras, CFG scale: 6, Seed: 1, Size: 1024x1024, Model: ponyDiffusionV6XL_v6, Denoising strength: 0.35, ADetailer model: face_yolov8n.pt, ADetailer confidence: 0.3, Ultimate SD upscale upscaler: R-ESRGAN 4x+, Ultimate SD upscale tile_width: 512, Ultimate SD upscale mask_blur: 8, Version: v1.6.0",
		"A1111",
		workload.Job{Model: "sdxl", Kind: workload.Img2Img, Width: 1024, Height: 1024, Steps: 10, Guidance: ptr(true), Framework: "a1111", Upscaler: &workload.Upscaler{Model: "esrgan-4x", Scale: 4, Tile: ptr(512)}},
		[]string{"Ultimate SD upscale upscaler tiles", "ADetailer model detailer"},
	},
	"Forge with Flux nf4": {
		"a cat\nSteps: 20, Sampler: Euler, Schedule type: Simple, CFG scale: 1, Distilled CFG Scale: 3.5, Seed: 1, Size: 896x1152, Model hash: bea01d51bd, Model: flux1-dev-bnb-nf4-v2, Diffusion in Low Bits: bnb-nf4 (fp16 LoRA), Version: f2.0.1v1.10.1-previous-635-gf5330788, Module 1: ae, Module 2: clip_l, Module 3: t5xxl_fp8_e4m3fn",
		"Forge",
		workload.Job{Model: "flux1-dev", Kind: workload.Txt2Img, Quant: "nf4", TEQuant: "fp8", Width: 896, Height: 1152, Steps: 20, Guidance: ptr(false), Framework: "forge", Extra: []string{"bnb"}},
		nil,
	},
	"a prompt that looks like JSON": {
		"{cat|dog} Steps: of life\nNegative prompt: x\nSteps: 9, Sampler: Euler, CFG scale: 2.5, Size: 640x640, Model: animagine-xl-3.1, Hires resize: 1280x1280, Hires upscaler: 4x-UltraSharp, Denoising strength: 0.4, Version: v1.9.4",
		"A1111",
		workload.Job{Model: "sdxl", Kind: workload.Txt2Img, Width: 640, Height: 640, Steps: 9, Guidance: ptr(true), Framework: "a1111", Hires: &workload.Hires{Scale: 2, Steps: 22, Denoise: 0.4}},
		[]string{"Hires upscaler between"},
	},
}

func TestParameters(t *testing.T) {
	for name, c := range parameterTexts {
		t.Run(name, func(t *testing.T) {
			f := mustRead(t, "p.txt", []byte(c.text))
			wantJob(t, f, c.want)
			wantMissed(t, f, c.missed...)
			if f.Program != c.program {
				t.Errorf("program %q, want %q", f.Program, c.program)
			}
		})
	}
}

// TestParametersInEveryDress reads one text from all that can carry it.
func TestParametersInEveryDress(t *testing.T) {
	const text = "猫, cat\nSteps: 20, Sampler: Euler, CFG scale: 7, Size: 512x512, Model: 墨幽人造人_v1080, Version: v1.6.0"
	little := append([]byte("\xff\xfe"), unicodeComment(binary.LittleEndian, text)[8:]...)
	for name, b := range map[string][]byte{
		"txt":              []byte("\xef\xbb\xbf" + text),
		"txt of Notepad":   little,
		"png iTXt":         picture(512, 512, chunk("iTXt", []byte("parameters\x00\x00\x00\x00\x00"+text))),
		"png iTXt packed":  picture(512, 512, chunk("iTXt", []byte("parameters\x00\x01\x00\x00\x00"+packed(text)))),
		"png zTXt":         picture(512, 512, chunk("zTXt", []byte("parameters\x00\x00"+packed(text)))),
		"png exif":         picture(512, 512, chunk("eXIf", tiff(binary.BigEndian, nil, unicodeComment(binary.BigEndian, text)))),
		"jpeg":             jpegWith(tiff(binary.BigEndian, nil, unicodeComment(binary.BigEndian, text))),
		"jpeg other order": jpegWith(tiff(binary.LittleEndian, nil, unicodeComment(binary.BigEndian, text))),
		"webp":             webpWith(tiff(binary.LittleEndian, nil, unicodeComment(binary.LittleEndian, text))),
	} {
		f, err := Read(name, b)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if f.Job.Model != "sd1.5" || f.Job.Steps != 20 || f.Job.Width != 512 {
			t.Errorf("%s: %+v", name, f.Job)
		}
	}
}
