// Package workload answers what a painting job needs: VRAM by phase, seconds a
// picture, hours and disk, each as a band, for every card of the catalogue.
package workload

// Kind is what a job does.
type Kind string

// The kinds of jobs.
const (
	Txt2Img         Kind = "txt2img"
	Img2Img         Kind = "img2img"
	Edit            Kind = "edit"
	Txt2Vid         Kind = "txt2vid"
	Img2Vid         Kind = "img2vid"
	Upscale         Kind = "upscale"
	TrainLoRA       Kind = "train_lora"
	TrainLoKr       Kind = "train_lokr"
	TrainDreamBooth Kind = "train_dreambooth"
	TrainFull       Kind = "train_full"
	TrainControlNet Kind = "train_controlnet"
)

// Training reports whether the kind trains.
func (k Kind) Training() bool { return len(k) > 6 && k[:6] == "train_" }

// Job is one painting job. Words are those of the measured tables, so that a
// published row reads as a job. An empty word or a nil choice leaves it to the
// program that paints; Filled puts the usual in.
type Job struct {
	Model       string `yaml:"model" json:"model"` // a model's id in the catalogue: "sdxl"
	Kind        Kind   `yaml:"kind,omitempty" json:"kind,omitempty"`
	Quant       string `yaml:"precision,omitempty" json:"precision,omitempty"`         // storage of the denoiser: "fp16", "q8_0", "nf4" ...
	TEQuant     string `yaml:"te_precision,omitempty" json:"te_precision,omitempty"`   // storage of the largest text encoder
	TEDevice    string `yaml:"te_device,omitempty" json:"te_device,omitempty"`         // gpu, cpu, offloaded
	Encoders    string `yaml:"text_encoders,omitempty" json:"text_encoders,omitempty"` // default, no-t5, precomputed, remote, plus-dialoggen, none
	Width       int    `yaml:"width,omitempty" json:"width,omitempty"`                 // pixels
	Height      int    `yaml:"height,omitempty" json:"height,omitempty"`
	Steps       int    `yaml:"steps,omitempty" json:"steps,omitempty"`
	Batch       int    `yaml:"batch,omitempty" json:"batch,omitempty"`         // pictures at once
	Frames      int    `yaml:"frames,omitempty" json:"frames,omitempty"`       // of a clip
	Guidance    *bool  `yaml:"guidance,omitempty" json:"guidance,omitempty"`   // classifier-free guidance: two passes a step; nil: as the model is used
	Framework   string `yaml:"framework,omitempty" json:"framework,omitempty"` // diffusers, comfyui, a1111, forge ...
	Offload     string `yaml:"offload,omitempty" json:"offload,omitempty"`     // none, model, sequential, block, params-budget, lowvram
	VAESlicing  *bool  `yaml:"vae_slicing,omitempty" json:"vae_slicing,omitempty"`
	VAETiling   *bool  `yaml:"vae_tiling,omitempty" json:"vae_tiling,omitempty"`
	Attention   string `yaml:"attention,omitempty" json:"attention,omitempty"` // flash, vanilla, default
	Compile     bool   `yaml:"compile,omitempty" json:"compile,omitempty"`
	ControlNets int    `yaml:"controlnets,omitempty" json:"controlnets,omitempty"`
	LoRAs       int    `yaml:"loras,omitempty" json:"loras,omitempty"`
	IPAdapter   int    `yaml:"ip_adapter,omitempty" json:"ip_adapter,omitempty"`

	Hires    *Hires    `yaml:"hires,omitempty" json:"hires,omitempty"`
	Upscaler *Upscaler `yaml:"upscaler,omitempty" json:"upscaler,omitempty"`
	Training *Training `yaml:"training,omitempty" json:"training,omitempty"`

	// Extra are the flags of the measured tables: "tiny-vae", "torchao" ...
	Extra []string `yaml:"extra,omitempty" json:"extra,omitempty"`
}

// Hires is a second denoising at a larger size, with its decoding.
type Hires struct {
	Scale   float64 `yaml:"scale" json:"scale"`                         // of each side, 1 to 4
	Steps   int     `yaml:"steps,omitempty" json:"steps,omitempty"`     // 0: as many as the first pass
	Denoise float64 `yaml:"denoise,omitempty" json:"denoise,omitempty"` // share of the steps that run, 0 to 1; 0: 1
}

// Upscaler enlarges the finished picture with a network of its own.
type Upscaler struct {
	Model string `yaml:"model,omitempty" json:"model,omitempty"` // a catalogue id; "": the usual 4x ESRGAN
	Scale int    `yaml:"scale,omitempty" json:"scale,omitempty"`
	Tile  *int   `yaml:"tile,omitempty" json:"tile,omitempty"` // side in pixels; 0: untiled; nil: the program's usual 512
}

// Training is how a model is trained.
type Training struct {
	Rank          int    `yaml:"rank,omitempty" json:"rank,omitempty"`
	Checkpointing *bool  `yaml:"grad_checkpointing,omitempty" json:"grad_checkpointing,omitempty"`
	Optimizer     string `yaml:"optimizer,omitempty" json:"optimizer,omitempty"` // adam8bit, adafactor, adamw
	Steps         int    `yaml:"steps,omitempty" json:"steps,omitempty"`         // of the whole training
}

// Count is how many pictures are wanted: one of both.
type Count struct {
	PerDay int `yaml:"per_day,omitempty" json:"per_day,omitempty"`
	Total  int `yaml:"total,omitempty" json:"total,omitempty"`
}

// Pattern is how the card is used.
type Pattern string

// The patterns of use.
const (
	Screen    Pattern = "screen"    // a person at the screen: rented while they sit
	LongRun   Pattern = "long-run"  // pictures one after another, unattended
	Timetable Pattern = "timetable" // a class: many machines at set hours
)

// Use says when the card is rented. Rented hours follow from it, busy hours
// from pictures times seconds, the idle share from both.
type Use struct {
	Pattern  Pattern `yaml:"pattern" json:"pattern"`
	Pictures Count   `yaml:"pictures" json:"pictures"`

	// Screen and Timetable: days a week, hours a sitting (sittings a day:1).
	DaysPerWeek     float64 `yaml:"days_per_week,omitempty" json:"days_per_week,omitempty"`
	HoursPerSitting float64 `yaml:"hours_per_sitting,omitempty" json:"hours_per_sitting,omitempty"`

	// LongRun: the run is split into so many starts in the span; 0: one a day
	// where pictures are per day, else one.
	Starts int `yaml:"starts,omitempty" json:"starts,omitempty"`

	// Timetable: Machines at once, SittingsPerWeek each of HoursPerSitting, for
	// Weeks; Spares stand by; each sitting starts StartEarlyMin minutes early;
	// Heads share the bill.
	Machines        int `yaml:"machines,omitempty" json:"machines,omitempty"`
	SittingsPerWeek int `yaml:"sittings_per_week,omitempty" json:"sittings_per_week,omitempty"`
	Weeks           int `yaml:"weeks,omitempty" json:"weeks,omitempty"`
	Spares          int `yaml:"spares,omitempty" json:"spares,omitempty"`
	StartEarlyMin   int `yaml:"start_early_min,omitempty" json:"start_early_min,omitempty"`
	Heads           int `yaml:"heads,omitempty" json:"heads,omitempty"`
}

// Measured is what a user measured for a job on a card; it replaces the
// estimate of that job and card. Nil figures were not measured.
type Measured struct {
	Job              string   `yaml:"job" json:"job"`   // Job.Key
	Card             string   `yaml:"card" json:"card"` // catalogue name
	SecondsPerPic    *float64 `yaml:"seconds_per_picture,omitempty" json:"seconds_per_picture,omitempty"`
	PeakMiB          *float64 `yaml:"peak_mib,omitempty" json:"peak_mib,omitempty"` // at device level
	StartupSeconds   *float64 `yaml:"startup_s,omitempty" json:"startup_s,omitempty"`
	FirstPictureSecs *float64 `yaml:"first_picture_s,omitempty" json:"first_picture_s,omitempty"`
	Date             string   `yaml:"date,omitempty" json:"date,omitempty"`
	Source           string   `yaml:"source,omitempty" json:"source,omitempty"` // where: "log 12", "typed"
}
