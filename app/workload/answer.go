package workload

import "rentgen/assets/texts"

// Band is a figure with its doubt: Low <= Point <= High.
type Band struct {
	Low   float64 `json:"low"`
	Point float64 `json:"point"`
	High  float64 `json:"high"`
}

// Origin is where a figure comes from.
type Origin string

// The origins.
const (
	Estimated  Origin = "estimated"
	MeasuredBy Origin = "measured" // by the user, for this job and card
	Unknown    Origin = "unknown"  // no facts: the band says nothing
)

// Phase is a part of a run with a peak of its own.
type Phase string

// The phases, in the order they run.
const (
	Loading Phase = "load" // weights are read, quantised
	Encode  Phase = "encode"
	Denoise Phase = "denoise"
	Hires2  Phase = "hires" // the second denoising with its decoding
	Decode  Phase = "decode"
	Enlarge Phase = "upscale"
	TrainIt Phase = "train"
)

// PhasePeak is the device-level VRAM of a phase in GiB, and what it is made of.
type PhasePeak struct {
	Phase Phase `json:"phase"`
	Band
	WeightsGiB    float64 `json:"weights_gib"`    // resident
	ActivationGiB float64 `json:"activation_gib"` // of the moment
}

// Lever is a change of the job that lowers its peak.
type Lever struct {
	ID      string  // "vae_slicing", "vae_tiling", "te_offload", "fp8", "offload_model" ...; text "lever.<id>"
	Phase   Phase   // the phase that it lowers
	SaveGiB float64 // off the point of the whole peak
	Apply   func(Job) Job
}

// Fit is whether a job runs on a card.
type Fit string

// The four answers.
const (
	Fits    Fit = "fits"
	Tight   Fit = "tight"
	Offload Fit = "offload" // runs slower, with weights in the machine's RAM
	No      Fit = "no"
)

// CardAnswer is a job on one card of the catalogue.
type CardAnswer struct {
	Card           Card
	UsableMiB      float64 // total - reserved - others
	UsableKnown    bool    // false: the total stands in no source and is nominal
	Fit            Fit
	Peak           Band // GiB at device level, as it is on this card
	PeakOrigin     Origin
	Seconds        Band // a picture, warm; of a clip for video; of a step for training
	SecondsOrigin  Origin
	Thin           bool    // few rows stand behind the figure: the band is wide
	PerHour        float64 // pictures
	OffloadSeconds Band    // a picture if weights are offloaded; zero where Fit is not Offload
	Why            texts.Phrase
}

// Hours are sums over the span of a plan.
type Hours struct {
	Busy      Band    `json:"busy"` // pictures x seconds
	Rented    Band    `json:"rented"`
	Idle      Band    `json:"idle"`       // rented - busy
	IdleShare Band    `json:"idle_share"` // 0 to 1
	Sessions  int     `json:"sessions"`   // starts on each machine
	Machines  int     `json:"machines"`
	SessionH  Band    `json:"session_h"` // of one session of one machine
	Pictures  float64 `json:"pictures"`
	Short     bool    `json:"short"` // the pictures don't fit into the sittings
	// Unknown: the seconds a picture are unknown, so that Busy, Idle, IdleShare
	// and, of a long run, Rented and SessionH say nothing.
	Unknown bool `json:"unknown,omitempty"`
}

// DiskPart is one entry of the model cache.
type DiskPart struct {
	Name       string  // a file or repository
	GB         float64 // decimal
	Persistent bool    // must live through a stop
	Note       texts.Phrase
	Verified   bool
}

// Disk is what the job keeps on disk, in decimal GB.
type Disk struct {
	GB          Band
	Parts       []DiskPart
	Persistent  float64 // of it
	DownloadGB  float64 // fetched on the first start
	ScratchGB   float64 // needed for a moment while downloading
	PicturesGB  float64 // of the span
	PicturesEst bool
}

// Answer is everything about a job.
type Answer struct {
	Job      Job  // with the usual filled in
	VRAM     Band // GiB, device level, the greatest phase
	Phases   []PhasePeak
	Peak     Phase // which is the greatest
	Levers   []Lever
	Cards    []CardAnswer
	Disk     Disk
	Thin     bool // the family has few measured rows
	Rows     int  // measured rows behind the family
	Notes    []texts.Phrase
	Unproved []string // catalogue figures used that no source proves
}
