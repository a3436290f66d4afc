package workload

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"rentgen/assets/texts"
)

var oneRun = Use{Pattern: LongRun, Pictures: Count{Total: 1000}}

func near(t *testing.T, what string, got, want, share float64) {
	t.Helper()
	if math.Abs(got-want) > share*want {
		t.Errorf("%s: %.2f, not near %.2f", what, got, want)
	}
}

// TestDiskOfKnownFiles compares with published sizes: single SDXL file 6.94 GB,
// FLUX.1 repository 31.42 GiB.
func TestDiskOfKnownFiles(t *testing.T) {
	c := Load()
	sdxl := c.DiskOf(Job{Model: "sdxl", Framework: "comfyui"}, oneRun, 30)
	near(t, "SDXL in one file", sdxl.GB.Point, 6.94, 0.02)
	if sdxl.GB.High > 1.1*6.94 {
		t.Errorf("a program of single files fetches no repository: %+v", sdxl.GB)
	}
	repo := c.DiskOf(Job{Model: "sdxl", Framework: "diffusers"}, oneRun, 30)
	near(t, "SDXL's repository", repo.GB.High, 32.0*1.0737, 0.01)
	near(t, "SDXL without doubles", repo.GB.Point, 6.94, 0.02)
	flux := c.DiskOf(Job{Model: "flux1-dev", Framework: "diffusers"}, oneRun, 30)
	near(t, "FLUX.1", flux.GB.Point, 31.42*1.0737, 0.02)
	q4 := c.DiskOf(Job{Model: "flux1-dev", Framework: "comfyui", Quant: "q4", TEQuant: "fp8", Extra: []string{"gguf"}}, oneRun, 30)
	near(t, "FLUX.1 Q4", q4.GB.Point, 6.81+4.89+0.246+0.168, 0.02)
	if q4.Parts[0].Name != "flux1-dev-Q4_K_S.gguf" || !q4.Parts[0].Verified {
		t.Errorf("%+v", q4.Parts[0])
	}
	bnb := c.DiskOf(Job{Model: "flux1-dev", Quant: "nf4", Framework: "diffusers", Extra: []string{"bnb"}}, oneRun, 30)
	near(t, "quantised when loaded", bnb.GB.Point, flux.GB.Point, 0.01)
	near(t, "1,000 pictures", sdxl.PicturesGB, 1.57, 0.01)
	near(t, "the largest file while it loads", flux.ScratchGB, 23.8, 0.01)
	more := c.DiskOf(Job{Model: "sdxl", Framework: "comfyui", ControlNets: 2, LoRAs: 3, IPAdapter: 1, Upscaler: &Upscaler{}}, oneRun, 30)
	near(t, "add-ons", more.GB.Point, sdxl.GB.Point+5+0.45+3.38+0.067, 0.02)
	unproved := 0
	for _, p := range more.Parts {
		if !p.Verified {
			unproved++
		}
	}
	if unproved == 0 {
		t.Error("an assumed LoRA is not marked")
	}
	if d := c.DiskOf(Job{Model: "nothing"}, oneRun, 30); d.GB.High != 0 {
		t.Errorf("%+v of an unknown model", d)
	}
}

// TestPublishedFilesExist finds names that stand in no row.
func TestPublishedFilesExist(t *testing.T) {
	for _, p := range published {
		if f, ok := fileSizes()[[2]string{p.row, p.file}]; !ok || f.gb <= 0 {
			t.Errorf("%s stands in no row of %s", p.file, p.row)
		}
		if p.model == "" {
			continue
		}
		m, ok := Load().Model(p.model)
		bytes, known := Load().BytesPerParam(p.quants[0])
		if !ok || !known {
			t.Errorf("%s: no model or storage", p.file)
			continue
		}
		near(t, p.file, fileSizes()[[2]string{p.row, p.file}].gb, m.Denoiser.MParams*bytes/1000, 0.03)
	}
}

// TestDiskHolds: bands in order, sums of parts, more never takes less, and
// everything that is said can be said.
func TestDiskHolds(t *testing.T) {
	c := Load()
	rnd := rand.New(rand.NewPCG(8, 1))
	models := c.Models()
	for range 3000 {
		m := models[rnd.IntN(len(models))]
		j := Job{
			Model: m.ID, Quant: m.Quants[rnd.IntN(len(m.Quants))], ControlNets: rnd.IntN(3), LoRAs: rnd.IntN(4), IPAdapter: rnd.IntN(2),
			Framework: allFrameworks[rnd.IntN(len(allFrameworks))], Encoders: allEncoders[rnd.IntN(len(allEncoders))],
		}
		if rnd.IntN(4) == 0 && m.makes() != enlarges {
			j.Kind, j.Training = TrainFull, &Training{}
		}
		d := c.DiskOf(j, oneRun, 30)
		if d.GB.High == 0 {
			t.Fatalf("no size of %+v", j)
		}
		sum := 0.0
		for _, p := range d.Parts {
			sum += p.GB
			if p.GB <= 0 || p.Name == "" {
				t.Fatalf("%+v of %+v", p, j)
			}
			for _, l := range texts.Langs() {
				if s := texts.For(l).Say(p.Note); strings.ContainsAny(s, "{}") || strings.HasPrefix(s, "use.") {
					t.Fatalf("%q", s)
				}
			}
		}
		if !(0 < d.GB.Low && d.GB.Low <= d.GB.Point && d.GB.Point <= d.GB.High) || math.Abs(sum-d.GB.Point) > 1e-9 || math.IsInf(d.GB.High, 0) {
			t.Fatalf("%+v of %+v", d, j)
		}
		if d.Persistent > d.GB.High || d.ScratchGB > d.GB.Point || d.DownloadGB > d.GB.High || d.PicturesGB < 0 {
			t.Fatalf("%+v of %+v", d, j)
		}
		more := j
		more.LoRAs++
		if w := c.DiskOf(more, oneRun, 30); w.GB.Point <= d.GB.Point || w.GB.High <= d.GB.High {
			t.Fatalf("a LoRA more takes less: %+v, %+v", d.GB, w.GB)
		}
	}
}
