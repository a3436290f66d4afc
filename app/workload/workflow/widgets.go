package workflow

import "strings"

// order is the order in which nodes write their values where names are missing,
// from the inputs that each node declares. "!" marks a seed, behind which the
// editor writes what becomes of it after a run.
var order = map[string]string{
	"KSampler":                         "seed! steps cfg sampler_name scheduler denoise",
	"KSampler (Efficient)":             "seed! steps cfg sampler_name scheduler denoise preview_method vae_decode",
	"KSamplerAdvanced":                 "add_noise noise_seed! steps cfg sampler_name scheduler start_at_step end_at_step return_with_leftover_noise",
	"SamplerCustom":                    "add_noise noise_seed! cfg",
	"CheckpointLoaderSimple":           "ckpt_name",
	"CheckpointLoader":                 "config_name ckpt_name",
	"CheckpointLoaderNF4":              "ckpt_name",
	"Checkpoint Loader":                "ckpt_name",
	"CheckpointLoader|pysssss":         "ckpt_name",
	"CheckpointLoaderSimpleShared":     "ckpt_name",
	"ImageOnlyCheckpointLoader":        "ckpt_name",
	"unCLIPCheckpointLoader":           "ckpt_name",
	"UNETLoader":                       "unet_name weight_dtype",
	"UnetLoaderGGUF":                   "unet_name",
	"UnetLoaderGGUFAdvanced":           "unet_name dequant_dtype patch_dtype patch_on_device",
	"LoaderGGUF":                       "gguf_name",
	"NunchakuFluxDiTLoader":            "model_path cache_threshold attention cpu_offload device_id data_type i2f_mode",
	"NunchakuQwenImageDiTLoader":       "model_name cpu_offload num_blocks_on_gpu use_pin_memory",
	"NunchakuFluxLoraLoader":           "lora_name lora_strength",
	"DiffusersLoader":                  "model_path",
	"CLIPLoader":                       "clip_name type device",
	"CLIPLoaderGGUF":                   "clip_name type",
	"DualCLIPLoader":                   "clip_name1 clip_name2 type device",
	"DualCLIPLoaderGGUF":               "clip_name1 clip_name2 type",
	"TripleCLIPLoader":                 "clip_name1 clip_name2 clip_name3",
	"TripleCLIPLoaderGGUF":             "clip_name1 clip_name2 clip_name3",
	"QuadrupleCLIPLoader":              "clip_name1 clip_name2 clip_name3 clip_name4",
	"QuadrupleCLIPLoaderGGUF":          "clip_name1 clip_name2 clip_name3 clip_name4",
	"VAELoader":                        "vae_name",
	"EmptyLatentImage":                 "width height batch_size",
	"EmptySD3LatentImage":              "width height batch_size",
	"EmptyFlux2LatentImage":            "width height batch_size",
	"EmptyHunyuanImageLatent":          "width height batch_size",
	"EmptyChromaRadianceLatentImage":   "width height batch_size",
	"EmptyQwenImageLayeredLatentImage": "width height layers batch_size",
	"EmptyHunyuanLatentVideo":          "width height length batch_size",
	"EmptyHunyuanVideo15Latent":        "width height length batch_size",
	"EmptyMochiLatentVideo":            "width height length batch_size",
	"EmptyLTXVLatentVideo":             "width height length batch_size",
	"EmptyCosmosLatentVideo":           "width height length batch_size",
	"StableCascade_EmptyLatentImage":   "width height compression batch_size",
	"Wan22ImageToVideoLatent":          "width height length batch_size",
	"WanImageToVideo":                  "width height length batch_size",
	"WanFirstLastFrameToVideo":         "width height length batch_size",
	"WanFunInpaintToVideo":             "width height length batch_size",
	"WanFunControlToVideo":             "width height length batch_size",
	"Wan22FunControlToVideo":           "width height length batch_size",
	"WanVaceToVideo":                   "width height length batch_size strength",
	"WanCameraImageToVideo":            "width height length batch_size",
	"WanPhantomSubjectToVideo":         "width height length batch_size",
	"HunyuanImageToVideo":              "width height length batch_size guidance_type",
	"LTXVImgToVideo":                   "width height length batch_size strength",
	"CosmosImageToVideoLatent":         "width height length batch_size",
	"SVD_img2vid_Conditioning":         "width height video_frames motion_bucket_id fps augmentation_level",
	"RepeatLatentBatch":                "amount",
	"LatentUpscale":                    "upscale_method width height crop",
	"LatentUpscaleBy":                  "upscale_method scale_by",
	"NNLatentUpscale":                  "version upscale",
	"ImageScale":                       "upscale_method width height crop",
	"ImageScaleBy":                     "upscale_method scale_by",
	"ImageScaleToTotalPixels":          "upscale_method megapixels",
	"ImageScaleToMaxDimension":         "upscale_method largest_size",
	"EmptyImage":                       "width height batch_size color",
	"LoraLoader":                       "lora_name strength_model strength_clip",
	"LoraLoader|pysssss":               "lora_name strength_model strength_clip",
	"LoraLoaderModelOnly":              "lora_name strength_model",
	"LoadLoraWithTags":                 "lora_name strength_model strength_clip",
	"Lora Loader Stack (rgthree)":      "lora_01 strength_01 lora_02 strength_02 lora_03 strength_03 lora_04 strength_04",
	"CR LoRA Stack":                    "switch_1 lora_name_1 model_weight_1 clip_weight_1 switch_2 lora_name_2 model_weight_2 clip_weight_2 switch_3 lora_name_3 model_weight_3 clip_weight_3",
	"CR Multi-ControlNet Stack":        "switch_1 controlnet_1 controlnet_strength_1 start_percent_1 end_percent_1 switch_2 controlnet_2 controlnet_strength_2 start_percent_2 end_percent_2 switch_3 controlnet_3 controlnet_strength_3 start_percent_3 end_percent_3",
	"ControlNetLoader":                 "control_net_name",
	"DiffControlNetLoader":             "control_net_name",
	"ControlNetLoaderAdvanced":         "control_net_name",
	"ControlNetApply":                  "strength",
	"ControlNetApplyAdvanced":          "strength start_percent end_percent",
	"ControlNetApplySD3":               "strength start_percent end_percent",
	"ControlNetInpaintingAliMamaApply": "strength start_percent end_percent",
	"ACN_AdvancedControlNetApply":      "strength start_percent end_percent",
	"ACN_AdvancedControlNetApply_v2":   "strength start_percent end_percent",
	"Control Net Stacker":              "strength start_percent end_percent",
	"QwenImageDiffsynthControlnet":     "strength",
	"UpscaleModelLoader":               "model_name",
	"UltimateSDUpscale": "upscale_by seed! steps cfg sampler_name scheduler denoise mode_type tile_width tile_height mask_blur tile_padding " +
		"seam_fix_mode seam_fix_denoise seam_fix_width seam_fix_mask_blur seam_fix_padding force_uniform_tiles tiled_decode",
	"UltimateSDUpscaleNoUpscale": "seed! steps cfg sampler_name scheduler denoise mode_type tile_width tile_height",
	"VAEDecodeTiled":             "tile_size overlap temporal_size temporal_overlap",
	"BasicScheduler":             "scheduler steps denoise",
	"Flux2Scheduler":             "steps width height",
	"SDTurboScheduler":           "steps denoise",
	"KarrasScheduler":            "steps sigma_max sigma_min rho",
	"ExponentialScheduler":       "steps sigma_max sigma_min",
	"PolyexponentialScheduler":   "steps sigma_max sigma_min rho",
	"VPScheduler":                "steps beta_d beta_min eps_s",
	"LaplaceScheduler":           "steps sigma_max sigma_min mu beta",
	"BetaSamplingScheduler":      "steps alpha beta",
	"LTXVScheduler":              "steps max_shift base_shift stretch terminal",
	"AlignYourStepsScheduler":    "model_type steps denoise",
	"GITSScheduler":              "coeff steps denoise",
	"OptimalStepsScheduler":      "model_type steps denoise",
	"SplitSigmas":                "step",
	"SplitSigmasDenoise":         "denoise",
	"ManualSigmas":               "sigmas",
	"CFGGuider":                  "cfg",
	"DualCFGGuider":              "cfg_conds cfg_cond2_negative style",
	"FluxGuidance":               "guidance",
	"Efficient Loader": "ckpt_name vae_name clip_skip lora_name lora_model_strength lora_clip_strength positive negative " +
		"token_normalization weight_interpretation empty_latent_width empty_latent_height batch_size",
	"WanVideoModelLoader":       "model base_precision quantization load_device attention_mode",
	"WanVideoSampler":           "steps cfg shift seed! force_offload scheduler riflex_freq_index denoise_strength",
	"WanVideoEmptyEmbeds":       "width height num_frames",
	"WanVideoBlockSwap":         "blocks_to_swap offload_img_emb offload_txt_emb",
	"WanVideoLoraSelect":        "lora strength",
	"WanVideoDecode":            "enable_vae_tiling tile_x tile_y tile_stride_x tile_stride_y",
	"LoadWanVideoT5TextEncoder": "model_name precision load_device quantization",
	"ComfyMathExpression":       "expression",
	"PrimitiveInt":              "value!",
	"PrimitiveFloat":            "value",
	"PrimitiveBoolean":          "value",
	"INTConstant":               "value",
	"FloatConstant":             "value",
	"easy int":                  "value",
	"easy float":                "value",
	"Seed (rgthree)":            "seed",
	"ImpactSwitch":              "select sel_mode",
	"ComfySwitchNode":           "switch",
	"LoadImage":                 "image upload",
}

// after are the words that the editor writes behind a seed.
var after = map[string]bool{"fixed": true, "increment": true, "decrement": true, "randomize": true}

// valuesOf names the values of a node as drawn: by the names that it writes, by
// its inputs that stand for values where they are as many as the values, or by
// the order that its type is known for.
func valuesOf(d *drawn) map[string]any {
	out := map[string]any{}
	if d.named != nil {
		for k, v := range d.named {
			out[k] = v
		}
		return out
	}
	var names []string
	for _, in := range d.in {
		if in.widget != "" {
			names = append(names, in.widget)
		}
	}
	if v, used := named(names, d.values); len(names) > 0 && used == len(d.values) && len(v) == len(names) {
		return v
	}
	if o := order[d.kind]; o != "" {
		v, _ := named(strings.Fields(o), d.values)
		return v
	}
	return out
}

// named gives values their names and returns how many it used.
func named(names []string, values []any) (map[string]any, int) {
	out := map[string]any{}
	i := 0
	for _, name := range names {
		if i >= len(values) {
			break
		}
		name, seed := strings.CutSuffix(name, "!")
		out[name] = values[i]
		i++
		seed = seed || strings.HasSuffix(name, "seed") || name == "value"
		if seed && i < len(values) && after[text(values[i])] {
			i++
		}
	}
	return out, i
}
