package workload

import (
	"math"
	"strings"
	"testing"

	"rentgen/assets/texts"
)

func TestCheckJob(t *testing.T) {
	good := []Job{
		{Model: "sdxl"},
		{Model: "sd1.5", Kind: Img2Img, Width: 512, Height: 768, Hires: &Hires{Scale: 2, Denoise: 0.5}},
		{Model: "flux1-dev", Quant: "q4", Extra: []string{"gguf"}, Upscaler: &Upscaler{Model: "dat2-4x"}},
		{Model: "wan2.1-t2v-1.3b", Kind: Txt2Vid, Frames: 41},
		{Model: "sdxl", Kind: TrainLoRA, Training: &Training{Rank: 16}},
		{Model: "flux1-dev", Extra: []string{"budget-20", "vae-tiles-2x2"}},
	}
	for _, j := range good {
		if errs := Load().Check(j); len(errs) > 0 {
			t.Errorf("%+v: %v", j, errs)
		}
		if errs := Load().Check(Load().Filled(j)); len(errs) > 0 {
			t.Errorf("filled %+v: %v", j, errs)
		}
	}
	tile := 7
	bad := map[string]Job{
		"job.model":              {Model: "sdx"},
		"job.kind":               {Model: "sdxl", Kind: Txt2Vid, Frames: 9},
		"job.precision":          {Model: "sdxl", Quant: "fp17"},
		"job.te_precision":       {Model: "sdxl", TEQuant: "x"},
		"job.te_device":          {Model: "sdxl", TEDevice: "tpu"},
		"job.text_encoders":      {Model: "sdxl", Encoders: "some"},
		"job.framework":          {Model: "sdxl", Framework: "fooocus"},
		"job.offload":            {Model: "sdxl", Offload: "yes"},
		"job.attention":          {Model: "sdxl", Attention: "full"},
		"job.width":              {Model: "sdxl", Width: 1023, Height: 1024},
		"job.height":             {Model: "sdxl", Width: 1024, Height: -8},
		"job.steps":              {Model: "sdxl", Steps: -1},
		"job.batch":              {Model: "sdxl", Batch: 4096},
		"job.frames":             {Model: "wan2.1-t2v-14b", Kind: Txt2Vid},
		"job.controlnets":        {Model: "sdxl", ControlNets: 99},
		"job.loras":              {Model: "sdxl", LoRAs: -1},
		"job.ip_adapter":         {Model: "sdxl", IPAdapter: -1},
		"job.hires.scale":        {Model: "sdxl", Hires: &Hires{Scale: math.NaN()}},
		"job.hires.denoise":      {Model: "sdxl", Hires: &Hires{Scale: 2, Denoise: 2}},
		"job.hires":              {Model: "sdxl", Kind: TrainLoRA, Training: &Training{}, Hires: &Hires{Scale: 2}},
		"job.upscaler.model":     {Model: "sdxl", Upscaler: &Upscaler{Model: "sd1.5"}},
		"job.upscaler.tile":      {Model: "sdxl", Upscaler: &Upscaler{Tile: &tile}},
		"job.training":           {Model: "sdxl", Kind: TrainFull},
		"job.training.rank":      {Model: "sdxl", Kind: TrainLoRA, Training: &Training{Rank: -1}},
		"job.training.optimizer": {Model: "sdxl", Kind: TrainLoRA, Training: &Training{Optimizer: "lion"}},
		"job.extra":              {Model: "sdxl", Extra: []string{"magic"}},
	}
	for field, j := range bad {
		errs := Load().Check(j)
		if len(errs) != 1 || errs[0].Field != field {
			t.Errorf("%s: %v", field, errs)
			continue
		}
		for _, l := range texts.Langs() {
			if s := texts.For(l).Say(errs[0].Phrase()); !strings.Contains(s, field) || strings.Contains(s, "{") {
				t.Errorf("%s: %q", l, s)
			}
		}
		if errs[0].Allowed.IsZero() {
			t.Errorf("%s doesn't say what is allowed", field)
		}
	}
}

func TestCheckUse(t *testing.T) {
	day := Count{PerDay: 10}
	good := []Use{
		{Pattern: Screen, Pictures: day, DaysPerWeek: 5, HoursPerSitting: 3},
		{Pattern: LongRun, Pictures: Count{Total: 1000}},
		{Pattern: Timetable, Pictures: day, Machines: 30, SittingsPerWeek: 2, HoursPerSitting: 2, Weeks: 3, Spares: 2, StartEarlyMin: 15, Heads: 30},
	}
	for _, u := range good {
		if errs := CheckUse(u); len(errs) > 0 {
			t.Errorf("%+v: %v", u, errs)
		}
	}
	bad := map[string]Use{
		"use.pattern":           {Pictures: day},
		"use.pictures":          {Pattern: LongRun},
		"use.pictures.total":    {Pattern: LongRun, Pictures: Count{Total: -1}},
		"use.pictures.per_day":  {Pattern: LongRun, Pictures: Count{PerDay: -1}},
		"use.days_per_week":     {Pattern: Screen, Pictures: day, DaysPerWeek: 8, HoursPerSitting: 1},
		"use.hours_per_sitting": {Pattern: Screen, Pictures: day, DaysPerWeek: 5, HoursPerSitting: math.NaN()},
		"use.starts":            {Pattern: LongRun, Pictures: day, Starts: -1},
		"use.machines":          {Pattern: Timetable, Pictures: day, SittingsPerWeek: 1, HoursPerSitting: 1, Weeks: 1},
		"use.sittings_per_week": {Pattern: Timetable, Pictures: day, Machines: 1, SittingsPerWeek: 20, HoursPerSitting: 10, Weeks: 1},
		"use.weeks":             {Pattern: Timetable, Pictures: day, Machines: 1, SittingsPerWeek: 1, HoursPerSitting: 1},
		"use.spares":            {Pattern: Timetable, Pictures: day, Machines: 1, SittingsPerWeek: 1, HoursPerSitting: 1, Weeks: 1, Spares: -1},
		"use.start_early_min":   {Pattern: Timetable, Pictures: day, Machines: 1, SittingsPerWeek: 1, HoursPerSitting: 1, Weeks: 1, StartEarlyMin: 999},
		"use.heads":             {Pattern: Timetable, Pictures: day, Machines: 1, SittingsPerWeek: 1, HoursPerSitting: 1, Weeks: 1, Heads: -1},
	}
	for field, u := range bad {
		if errs := CheckUse(u); len(errs) != 1 || errs[0].Field != field {
			t.Errorf("%s: %v", field, errs)
		}
	}
}

// TestKey: jobs that differ in what costs have different keys, jobs that don't
// have one.
func TestKey(t *testing.T) {
	no, yes := false, true
	base := Load().Filled(Job{Model: "sdxl"})
	same := []Job{
		Load().Filled(Job{Model: "sdxl", Width: 1024, Height: 1024, Batch: 1, Kind: Txt2Img, Quant: "fp16"}),
		Load().Filled(Job{Model: "sdxl", VAETiling: &no, Offload: "none"}),
		Load().Filled(base),
	}
	for _, j := range same {
		if j.Key() != base.Key() {
			t.Errorf("%q is not %q", j.Key(), base.Key())
		}
	}
	seen := map[string]int{base.Key(): -1}
	for i, j := range []Job{
		{Model: "sd1.5"},
		{Model: "sdxl", Width: 832, Height: 1216},
		{Model: "sdxl", Width: 1216, Height: 832},
		{Model: "sdxl", Steps: 20},
		{Model: "sdxl", Batch: 2},
		{Model: "sdxl", Guidance: &no},
		{Model: "sdxl", VAETiling: &yes},
		{Model: "sdxl", VAESlicing: &yes},
		{Model: "sdxl", ControlNets: 1},
		{Model: "sdxl", LoRAs: 1},
		{Model: "sdxl", IPAdapter: 1},
		{Model: "sdxl", Hires: &Hires{Scale: 2}},
		{Model: "sdxl", Upscaler: &Upscaler{}},
		{Model: "sdxl", Compile: true},
		{Model: "sdxl", Offload: "model"},
		{Model: "sdxl", Attention: "vanilla"},
		{Model: "sdxl", Framework: "comfyui"},
		{Model: "sdxl", Extra: []string{"tiny-vae"}},
		{Model: "sdxl", Quant: "fp8"},
		{Model: "sdxl", TEQuant: "fp8"},
		{Model: "sdxl", TEDevice: "cpu"},
		{Model: "sdxl", Encoders: "precomputed"},
		{Model: "sdxl", Kind: Img2Img},
		{Model: "sdxl", Kind: TrainLoRA, Training: &Training{}},
		{Model: "sdxl", Kind: TrainLoRA, Training: &Training{Rank: 32}},
		{Model: "sdxl", Kind: TrainLoRA, Training: &Training{Checkpointing: &no}},
	} {
		k := Load().Filled(j).Key()
		if other, twice := seen[k]; twice {
			t.Errorf("jobs %d and %d share %q", i, other, k)
		}
		seen[k] = i
	}
	a, b := base, base
	a.Extra, b.Extra = []string{"gguf", "pag"}, []string{"pag", "gguf", "pag"}
	if a.Key() != b.Key() {
		t.Errorf("the order of flags changes the key: %q, %q", a.Key(), b.Key())
	}
}
