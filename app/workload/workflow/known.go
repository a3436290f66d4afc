package workflow

import (
	"regexp"
	"strings"
)

// Nodes that need no card worth counting, or that are read elsewhere. What is
// neither may matter and is listed.
var (
	endings = regexp.MustCompile(`(?i)^(save|preview)|saveimage|image ?save|savevideo|savewebm|saveanimated|vhs_videocombine|websocket|^image comparer|previewany|display|easy showanything|^show|sendimage|cr image output|image output`)

	harmless = map[string]bool{
		"CLIPTextEncode": true, "CLIPSetLastLayer": true, "VAEDecode": true, "VAEDecodeTiled": true, "VAEEncode": true, "VAEEncodeTiled": true,
		"VAEEncodeForInpaint": true, "VAELoader": true, "LoadImage": true, "LoadImageMask": true, "LoadImageOutput": true, "LoadVideo": true, "CLIPLoader": true,
		"DualCLIPLoader": true, "TripleCLIPLoader": true, "QuadrupleCLIPLoader": true, "FluxGuidance": true, "RandomNoise": true, "DisableNoise": true,
		"KSamplerSelect": true, "BasicGuider": true, "CFGGuider": true, "DualCFGGuider": true, "UpscaleModelLoader": true, "ControlNetLoader": true,
		"DiffControlNetLoader": true, "SetUnionControlNetType": true, "CLIPVisionLoader": true, "CLIPVisionEncode": true, "FreeU": true, "FreeU_V2": true,
		"RescaleCFG": true, "CFGZeroStar": true, "CFGNorm": true, "ReferenceLatent": true, "InpaintModelConditioning": true, "SetLatentNoiseMask": true,
		"DifferentialDiffusion": true, "CreateVideo": true, "GetVideoComponents": true, "SplitSigmas": true, "SplitSigmasDenoise": true, "FlipSigmas": true,
		"SkipLayerGuidanceSD3": true, "SkipLayerGuidanceDiT": true, "ControlNetLoaderAdvanced": true, "ModelPatchLoader": true, "EmptyImage": true, "RebatchLatents": true,
		"WanVideoVAELoader": true, "WanVideoTextEncode": true, "WanVideoTorchCompileSettings": true, "WanVideoBlockSwap": true, "WanVideoDecode": true,
		"WanVideoLoraSelect": true, "LoadWanVideoT5TextEncoder": true, "WanVideoModelLoader": true, "UltimateSDUpscale": true, "UltimateSDUpscaleNoUpscale": true,
		"OverrideCLIPDevice": true, "ForceSetModelDevice": true, "InstantIDModelLoader": true, "InstantIDFaceAnalysis": true, "TorchCompileModel": true,
		"ApplyInstantID": true, "ApplyFBCacheOnModel": true, "PerturbedAttentionGuidance": true, "ComfySwitchNode": true, "StringConcatenate": true,
		"TAESDLoader": true, "QwenImageDiffsynthControlnet": true, "FluxDisableGuidance": true, "CLIPAttentionMultiply": true, "MaskToImage": true, "ImageToMask": true,
		"GrowMask": true, "FeatherMask": true, "SolidMask": true, "InvertMask": true, "ImageInvert": true, "ImageBatch": true, "ImageFromBatch": true, "ImageCrop": true,
		"ImagePadForOutpaint": true, "ImageStitch": true, "ImageBlend": true, "ImageSharpen": true, "ImageBlur": true, "ImageCompositeMasked": true, "LatentComposite": true,
		"Any Switch (rgthree)": true, "CR SDXL Aspect Ratio": true, "ColorMatch": true, "ImageColorMatch+": true, "LatentBlend": true, "LatentBatch": true,
		"LatentCut": true, "TrimVideoLatent": true, "NunchakuTextEncoderLoader": true, "NunchakuTextEncoderLoaderV2": true, "ImpactSwitch": true,
		"ACN_AdvancedControlNetApply": true, "Canny": true, "ThresholdMask": true, "SamplerEulerAncestral": true, "SamplerEulerAncestralCFGPP": true, "SamplerLCMUpscale": true,
	}
	harmlessKind = regexp.MustCompile(`(?i)^conditioning|^clip(text|merge|save)|textencode|^modelsampling|preprocessor|scheduler$|sigmas|^empty.*(latent|image|embeds)|` +
		`^image ?(scale|resize|crop|pad|concat|flip|rotate|stitch)|^latent(upscale|from|crop|flip|rotate|add|sub|mul|interp|concat)|kontextimagescale|imagetovideo|tovideo$|totalpixels|maxdimension|` +
		`primitive|constant|string|text|prompt|note|seed|math|expression|\bint\b|\bfloat\b|bool|number|concat|wildcard|styler|show|display|filename|imagesize|get.*resolution|aspect|mask|` +
		`(clip|vae|unet)loader.*gguf|unetloader|cliploader|checkpoint|loadergguf|(dit|checkpoint) ?loader|lora|ipadapter.*(loader|encode|weights|combine|embeds|insightface|noise)|^ipadapter|efficient loader|` +
		`^sampler(euler|dpm|lms|er_|sa|seeds|lcm)|controlnetauxpreprocessor|groupnode|reroute|^context|pipe(in|out)?$|teacache|sageattention|blockswap|repeat(latent|image)batch|duplicatelatents|color ?match|anything everywhere|` +
		`switch|latentsize|clear.?cache|cleangpu|unload|crystools`)
)

// isOutput reports whether a workflow is executed for a node.
func isOutput(n *node) bool { return endings.MatchString(n.kind) }

// readable reports whether the job can do without knowing a node.
func (g *graph) readable(n *node) bool {
	if isSampler(n) || isOutput(n) || harmless[n.kind] || harmlessKind.MatchString(n.kind) {
		return true
	}
	if c, key := g.controlsOf(n); c > 0 || key != "" || controlApply.MatchString(n.kind) || controlStack.MatchString(n.kind) || g.adapterOf(n) {
		return true
	}
	if _, ok := g.loaderOf(n); ok {
		return true
	}
	switch n.kind {
	case "ImageUpscaleWithModel", "NNLatentUpscale", "GetImageSize":
		return true
	}
	return strings.TrimSpace(n.kind) == ""
}

// special are nodes that are known to cost something that a job can't say.
var special = []struct {
	kind *regexp.Regexp
	key  string
}{
	{regexp.MustCompile(`(?i)detailer`), "workflow.miss.detailer"},
	{regexp.MustCompile(`(?i)reactor|faceswap|codeformer|facefusion`), "workflow.miss.face"},
	{regexp.MustCompile(`(?i)stylemodel`), "workflow.miss.style"},
	{regexp.MustCompile(`(?i)pulid|photomaker|infiniteyou|ecomid`), "workflow.miss.identity"},
	{regexp.MustCompile(`(?i)animatediff|ade_`), "workflow.miss.motion"},
	{regexp.MustCompile(`(?i)florence|joycaption|llm|ollama|qwen.*vl|tagger|interrogat`), "workflow.miss.caption"},
	{regexp.MustCompile(`(?i)rife|interpolat|film vfi`), "workflow.miss.frames"},
}
