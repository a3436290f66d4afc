package workload

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"rentgen/assets/catalogue"
)

// published says which file of the table of files a part is.
var published = []struct {
	model  string // "" for any with a part of this name
	part   string
	named  string // the component's name, "" for any
	quants []string
	file   string
	row    string // the kind of row, as file names repeat
}{
	{"flux1-dev", "denoiser", "", []string{"fp8"}, "flux1-dev-fp8.safetensors", "diffusion_model"},
	{"flux1-dev", "denoiser", "", []string{"q8_0"}, "flux1-dev-Q8_0.gguf", "diffusion_model"},
	{"flux1-dev", "denoiser", "", []string{"q6_k"}, "flux1-dev-Q6_K.gguf", "diffusion_model"},
	{"flux1-dev", "denoiser", "", []string{"q5_1"}, "flux1-dev-Q5_1.gguf", "diffusion_model"},
	{"flux1-dev", "denoiser", "", []string{"q5"}, "flux1-dev-Q5_K_S.gguf", "diffusion_model"},
	{"flux1-dev", "denoiser", "", []string{"q4_1"}, "flux1-dev-Q4_1.gguf", "diffusion_model"},
	{"flux1-dev", "denoiser", "", []string{"q4"}, "flux1-dev-Q4_K_S.gguf", "diffusion_model"},
	{"flux1-dev", "denoiser", "", []string{"q3"}, "flux1-dev-Q3_K_S.gguf", "diffusion_model"},
	{"flux1-dev", "denoiser", "", []string{"q2"}, "flux1-dev-Q2_K.gguf", "diffusion_model"},
	{"flux1-schnell", "denoiser", "", []string{"bf16", "fp16"}, "flux1-schnell.safetensors", "diffusion_model"},
	{"flux1-schnell", "denoiser", "", []string{"fp8"}, "flux1-schnell-fp8.safetensors", "diffusion_model"},
	{"flux1-schnell", "denoiser", "", []string{"q8_0"}, "flux1-schnell-Q8_0.gguf", "diffusion_model"},
	{"flux1-schnell", "denoiser", "", []string{"q4"}, "flux1-schnell-Q4_K_S.gguf", "diffusion_model"},
	{"wan2.1-t2v-14b", "denoiser", "", []string{"bf16"}, "wan2.1_t2v_14B_bf16.safetensors", "diffusion_model"},
	{"wan2.1-t2v-14b", "denoiser", "", []string{"fp16"}, "wan2.1_t2v_14B_fp16.safetensors", "diffusion_model"},
	{"wan2.1-t2v-14b", "denoiser", "", []string{"fp8"}, "wan2.1_t2v_14B_fp8_scaled.safetensors", "diffusion_model"},
	{"wan2.1-t2v-1.3b", "denoiser", "", []string{"bf16"}, "wan2.1_t2v_1.3B_bf16.safetensors", "diffusion_model"},
	{"wan2.1-t2v-1.3b", "denoiser", "", []string{"fp16"}, "wan2.1_t2v_1.3B_fp16.safetensors", "diffusion_model"},
	{"hunyuanvideo", "denoiser", "", []string{"bf16"}, "hunyuan_video_t2v_720p_bf16.safetensors", "diffusion_model"},
	{"", "encoder", "T5-XXL", []string{"fp16"}, "t5xxl_fp16.safetensors", "clip"},
	{"", "encoder", "T5-XXL", []string{"fp8"}, "t5xxl_fp8_e4m3fn.safetensors", "clip"},
	{"", "encoder", "T5-XXL", []string{"q8_0"}, "t5-v1_1-xxl-encoder-Q8_0.gguf", "clip"},
	{"", "encoder", "T5-XXL", []string{"q4"}, "t5-v1_1-xxl-encoder-Q4_K_S.gguf", "clip"},
	{"", "encoder", "UMT5-XXL", []string{"fp16"}, "umt5_xxl_fp16.safetensors", "clip"},
	{"", "encoder", "UMT5-XXL", []string{"fp8"}, "umt5_xxl_fp8_e4m3fn_scaled.safetensors", "clip"},
	{"", "encoder", "LLaVA-Llama-3", []string{"fp16"}, "llava_llama3_fp16.safetensors", "clip"},
	{"", "encoder", "LLaVA-Llama-3", []string{"fp8"}, "llava_llama3_fp8_scaled.safetensors", "clip"},
	{"", "encoder", "CLIP-L", []string{"fp16", "bf16"}, "clip_l.safetensors", "clip"},
}

// sizedFile is a file of the table.
type sizedFile struct {
	gb       float64
	verified bool
}

// fileSizes are the published sizes in decimal GB by kind of row and name.
var fileSizes = sync.OnceValue(func() map[[2]string]sizedFile {
	sizes, err := readFileSizes(catalogue.Models)
	if err != nil {
		panic("the built-in catalogue: " + err.Error()) // the tests read it
	}
	return sizes
})

func readFileSizes(b []byte) (map[[2]string]sizedFile, error) {
	r := csv.NewReader(bytes.NewReader(b))
	r.FieldsPerRecord = -1 // short rows lack notes
	rows, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("read the table of files: %w", err)
	}
	col := func(row []string, name string) string {
		if i := slices.Index(rows[0], name); i >= 0 && i < len(row) {
			return row[i]
		}
		return ""
	}
	all := map[[2]string]sizedFile{}
	for _, row := range rows[1:] {
		gb, err := strconv.ParseFloat(col(row, "size_gb"), 64)
		if err != nil || !strings.HasPrefix(col(row, "size_unit"), "GB") {
			continue // a row of parameters, or of another unit
		}
		key := [2]string{col(row, "component"), col(row, "file_or_repo")}
		all[key] = sizedFile{gb, !strings.HasPrefix(col(row, "verified"), "no")}
	}
	return all, nil
}

// fileOf returns the published file of a part.
func fileOf(m Model, part, named, quant string) (DiskPart, bool) {
	for _, p := range published {
		if p.model != "" && p.model != m.ID || p.part != part || p.named != "" && p.named != named || !slices.Contains(p.quants, quant) {
			continue
		}
		if f, ok := fileSizes()[[2]string{p.row, p.file}]; ok {
			return DiskPart{Name: p.file, GB: f.gb, Persistent: true, Verified: f.verified}, true
		}
	}
	return DiskPart{}, false
}
