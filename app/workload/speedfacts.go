package workload

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"rentgen/assets/catalogue"
)

// passFacts are what one pass of a denoiser computes. A U-Net is published by
// its multiplications at a size; a transformer is counted from its layers.
type passFacts struct {
	UNetTMAC      float64 // 1e12 multiply-adds of a pass over UNetPx pixels, without attention scores
	UNetPx        float64
	UNetAttention float64 // 1e12 operations of the attention scores at UNetPx
	Layers, Dim   float64
	Matrices      float64 // weights of a layer that a token meets, in units of Dim squared
	TextTokens    float64
	Verified      bool
}

// modelFacts are a model of the catalogue with its passes.
type modelFacts struct {
	Model
	passFacts
	tokenPx float64 // picture pixels along a token's side
	joined  int     // frames of a latent frame
}

// usualTextTokens are those of a long prompt, where only the parameters of a
// model are known.
const usualTextTokens = 256

var passes = sync.OnceValue(func() map[string]passFacts { return readPasses(catalogue.Speed) })

// factsOf joins what is known of a model.
func (c *Catalogue) factsOf(model string) (modelFacts, bool) {
	m, ok := c.Model(model)
	if !ok {
		return modelFacts{}, false
	}
	f := c.families[m.Family]
	return modelFacts{m, passes()[m.ID], float64(f.TokenPx), f.joined()}, true
}

// makes is what a model makes.
type makes int

const (
	makesPictures makes = iota
	makesClips
	enlarges
)

func (m Model) makes() makes {
	switch {
	case m.Does(Upscale):
		return enlarges
	case m.Does(Txt2Vid) || m.Does(Img2Vid):
		return makesClips
	}
	return makesPictures
}

// kind is the usual kind of job.
func (m Model) kind() Kind {
	if len(m.Kinds) == 0 {
		return Txt2Img
	}
	return m.Kinds[0]
}

// upscalers returns the ids of the models that enlarge.
func (c *Catalogue) upscalers() []string {
	var list []string
	for _, m := range c.models {
		if m.makes() == enlarges {
			list = append(list, m.ID)
		}
	}
	return list
}

// modelIDs returns the ids that one can choose.
func (c *Catalogue) modelIDs() []string {
	var list []string
	for _, m := range c.Models() {
		list = append(list, m.ID)
	}
	return list
}

// readPasses reads the embedded table. Its form is ours: a fault is a fault of
// the program.
func readPasses(b []byte) map[string]passFacts {
	rows, err := csv.NewReader(bytes.NewReader(b)).ReadAll()
	if err != nil {
		panic(fmt.Errorf("read the speed table: %w", err))
	}
	all := make(map[string]passFacts, len(rows))
	for n, row := range rows[1:] {
		word := func(column string) string { return row[slices.Index(rows[0], column)] }
		num := func(column string) float64 {
			if word(column) == "" {
				return 0
			}
			v, err := strconv.ParseFloat(word(column), 64)
			if err != nil {
				panic(fmt.Errorf("row %d of the speed table, %s: %w", n+2, column, err))
			}
			return v
		}
		all[word("model")] = passFacts{
			UNetTMAC: num("unet_tmac"), UNetPx: num("unet_px"), UNetAttention: num("unet_attention_tflop"),
			Layers: num("layers"), Dim: num("dim"), Matrices: num("matrices"), TextTokens: num("text_tokens"),
			Verified: word("verified") == "yes",
		}
	}
	return all
}
