package workload

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"

	"rentgen/assets/catalogue"
)

// modelFacts are what a job of a model usually is, and what one pass of its
// denoiser costs. A nil figure stands in no source.
type modelFacts struct {
	ID        string
	Makes     makes
	Precision string
	Width     int
	Height    int
	Steps     int
	Frames    int  // of a usual clip
	Guidance  bool // two passes a step

	// A U-Net is published by its multiplications at a size; a transformer is
	// counted from its layers; else only its parameters are known.
	UNetTMAC      float64 // 1e12 multiply-adds of a pass over UNetPx pixels, without attention scores
	UNetPx        float64
	UNetAttention float64 // 1e12 operations of the attention scores at UNetPx
	Layers, Dim   float64
	Matrices      float64 // weights of a layer that a token meets, in units of Dim squared
	TextTokens    float64
	ParamsB       float64 // 1e9

	Source, Date string
	Verified     bool
}

var facts = loadFacts(catalogue.Speed)

func factsOf(model string) (modelFacts, bool) {
	f, ok := facts[model]
	return f, ok
}

// modelsThat returns the models that make something, sorted.
func modelsThat(m makes) []string {
	var list []string
	for id, f := range facts {
		if f.Makes == m {
			list = append(list, id)
		}
	}
	slices.Sort(list)
	return list
}

// kind is the usual kind of job.
func (f modelFacts) kind() Kind {
	switch {
	case f.Makes == makesClips && f.ID == "wan2.2-i2v-a14b":
		return Img2Vid
	case f.Makes == makesClips:
		return Txt2Vid
	case f.Makes == enlarges:
		return Upscale
	case slices.Contains([]string{"flux1-kontext-dev", "qwen-image-edit", "hidream-e1"}, f.ID):
		return Edit
	}
	return Txt2Img
}

// loadFacts reads the embedded table. Its form is ours: a fault is a fault of
// the program.
func loadFacts(b []byte) map[string]modelFacts {
	rows, err := csv.NewReader(bytes.NewReader(b)).ReadAll()
	if err != nil {
		panic(fmt.Errorf("read the speed table: %w", err))
	}
	all := make(map[string]modelFacts, len(rows))
	for n, row := range rows[1:] {
		num := func(column string) float64 {
			text := row[slices.Index(rows[0], column)]
			if text == "" {
				return 0
			}
			v, err := strconv.ParseFloat(text, 64)
			if err != nil {
				panic(fmt.Errorf("row %d of the speed table, %s: %w", n+2, column, err))
			}
			return v
		}
		word := func(column string) string { return row[slices.Index(rows[0], column)] }
		f := modelFacts{
			ID: word("model"), Precision: word("precision"),
			Width: int(num("width")), Height: int(num("height")), Steps: int(num("steps")), Frames: int(num("frames")),
			Guidance: num("guidance") == 1,
			UNetTMAC: num("unet_tmac"), UNetPx: num("unet_px"), UNetAttention: num("unet_attention_tflop"),
			Layers: num("layers"), Dim: num("dim"), Matrices: num("matrices"), TextTokens: num("text_tokens"),
			ParamsB: num("params_b"), Source: word("source"), Date: word("date"), Verified: word("verified") == "yes",
		}
		switch word("makes") {
		case "clip":
			f.Makes = makesClips
		case "enlarged":
			f.Makes = enlarges
		}
		all[f.ID] = f
	}
	return all
}
