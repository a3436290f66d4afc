package workload

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"rentgen/assets/catalogue"
)

// Component is a part of a model with weights of its own.
type Component struct {
	Name          string  `json:"name"`
	MParams       float64 `json:"mparams"`        // millions of parameters
	ActiveMParams float64 `json:"active_mparams"` // of them used in a step; 0: all
	FP32MParams   float64 `json:"fp32_mparams"`   // of them kept in fp32 where the rest is fp16
	Source        string  `json:"source"`         // a key of Catalogue.Source
	Verified      bool    `json:"verified"`       // false: no source proves the figure
}

// Present reports whether the model has the part.
func (c Component) Present() bool { return c.MParams > 0 }

// Model is a model of the catalogue.
type Model struct {
	ID       string   `json:"id"`   // "flux1-dev"
	Name     string   `json:"name"` // "FLUX.1 [dev]"
	Family   string   `json:"family"`
	Kinds    []Kind   `json:"kinds"`
	Quants   []string `json:"-"` // storages of the denoiser that can be asked for
	Unlisted bool     `json:"unlisted"`

	Denoiser      Component `json:"denoiser"`
	Encoder       Component `json:"encoder"`        // the largest text encoder
	EncodersSmall Component `json:"encoders_small"` // all the others
	VAE           Component `json:"vae"`

	DefaultWidth  int  `json:"width"` // pixels; of an upscaler the input
	DefaultHeight int  `json:"height"`
	DefaultSteps  int  `json:"steps"`
	DefaultFrames int  `json:"frames"`   // of a clip; 0 for pictures
	Guidance      bool `json:"guidance"` // runs with classifier-free guidance as it is used
	Scale         int  `json:"scale"`    // of an upscaler

	RepoGiB      float64 `json:"repo_gib"` // of the whole repository on disk; 0: not known
	RepoSource   string  `json:"repo_source"`
	ControlNetGB float64 `json:"controlnet_gb"` // of a usual one, decimal GB in fp16; 0: not known
	IPAdapterGB  float64 `json:"ip_adapter_gb"` // with its image encoder

	Rows int  `json:"-"` // measured rows behind the family's figures
	Thin bool `json:"-"` // fewer than three
}

// Does reports whether the model does a kind of job.
func (m Model) Does(k Kind) bool { return slices.Contains(m.Kinds, k) }

// family is what models of one build share.
type family struct {
	ID       string  `json:"id"`
	Denoiser string  `json:"denoiser"`         // unet, dit, upscaler
	VAE      string  `json:"vae"`              // kl8, wan, wan22, hyvid, ltx, dcae, kl32, none
	VAEFP32  bool    `json:"vae_fp32"`         // decodes in fp32 whatever the rest is
	TokenPx  int     `json:"token_px"`         // picture pixels along a token's side where attention is widest
	Joined   int     `json:"joined,omitempty"` // frames that a clip's latent frame holds; 0: four
	Heads    int     `json:"heads"`
	Denoise  float64 `json:"denoise_gib_mpx"` // activations a Mpx and sample, 16 bits, a transformer's at tokens of 16 pixels; for an upscaler a Mpx of input
	Fitted   bool    `json:"fitted"`
	Start    float64 `json:"start"` // of the fit
	Rows     int     `json:"rows"`
	Sources  int     `json:"sources"`
	Alone    bool    `json:"decodes_alone,omitempty"` // under model offload the denoiser leaves the card before decoding
	Source   string  `json:"source,omitempty"`        // of a compression that is not the usual: a key of Catalogue.Source
}

// Source is where a figure of the catalogue comes from.
type Source struct {
	URL  string `json:"url"`
	Date string `json:"date"` // when it was read
	Note string `json:"note"`
}

type constant struct {
	ID      string  `json:"id"`
	Value   float64 `json:"value"`
	Start   float64 `json:"start"`          // physical default, where the fit begins
	Most    float64 `json:"most,omitempty"` // physical bound of the fit
	Fitted  bool    `json:"fitted"`
	Source  string  `json:"source"`
	Note    string  `json:"note"`
	Rows    int     `json:"rows"`
	Sources int     `json:"sources"`
}

type families struct {
	Sources     map[string]Source  `json:"sources"`
	Bytes       map[string]float64 `json:"bytes"` // a parameter, by storage
	BytesSource string             `json:"bytes_source"`
	Constants   []constant         `json:"constants"`
	Families    []family           `json:"families"`
	Models      []Model            `json:"models"`
}

// Catalogue holds the models and cards that are known. It never changes.
type Catalogue struct {
	models   []Model
	byID     map[string]int
	families map[string]family
	cards    []Card
	bytes    map[string]float64
	consts   map[string]float64
	sources  map[string]Source
}

var load = sync.OnceValue(func() *Catalogue {
	c, err := parse(catalogue.Families, catalogue.GPUs)
	if err != nil {
		panic("the built-in catalogue: " + err.Error()) // the tests read it
	}
	return c
})

// Load returns the built-in catalogue, parsed once.
func Load() *Catalogue { return load() }

func parse(fam, gpus []byte) (*Catalogue, error) {
	var f families
	if err := json.Unmarshal(fam, &f); err != nil {
		return nil, err
	}
	cards, err := parseCards(gpus)
	if err != nil {
		return nil, err
	}
	c := &Catalogue{
		models: f.Models, byID: map[string]int{}, families: map[string]family{}, cards: cards,
		bytes: f.Bytes, consts: map[string]float64{}, sources: f.Sources,
	}
	for _, k := range f.Constants {
		c.consts[k.ID] = k.Value
	}
	for _, k := range f.Families {
		c.families[k.ID] = k
	}
	for i := range c.models {
		m := &c.models[i]
		c.byID[m.ID] = i
		m.Rows = c.families[m.Family].Rows
		m.Thin = m.Rows < thinRows
		m.Quants = quantsOf(*m)
	}
	return c, nil
}

// thinRows is the number of measured rows below which a family's band is wide.
const thinRows = 3

// quantsOf are the storages to choose from, largest first.
func quantsOf(m Model) []string {
	if m.Does(Upscale) {
		return []string{"fp32", "fp16"}
	}
	if m.Family == "sd1" || m.Family == "sd2" || m.Family == "sdxl" || m.Family == "kolors" {
		return []string{"fp32", "fp16", "fp8", "int8", "nf4", "q8_0", "q5", "q4"}
	}
	return []string{"bf16", "fp16", "fp8", "int8", "nf4", "int4", "q8_0", "q6_k", "q5", "q4", "q3", "q2"}
}

// Models returns the models one can choose, the best known first.
func (c *Catalogue) Models() []Model {
	out := make([]Model, 0, len(c.models))
	for _, m := range c.models {
		if !m.Unlisted {
			out = append(out, m)
		}
	}
	return out
}

// Model returns the model with an id.
func (c *Catalogue) Model(id string) (Model, bool) {
	i, ok := c.byID[strings.ToLower(strings.TrimSpace(id))]
	if !ok {
		return Model{}, false
	}
	return c.models[i], true
}

// Source returns what a source key of a component stands for.
func (c *Catalogue) Source(key string) (Source, bool) {
	s, ok := c.sources[key]
	return s, ok
}

// BytesPerParam returns the bytes a parameter takes in a storage, scales
// included.
func (c *Catalogue) BytesPerParam(storage string) (float64, bool) {
	b, ok := c.bytes[storage]
	return b, ok
}
