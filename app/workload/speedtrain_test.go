package workload

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"
)

// trainingSteps reads the published seconds of a training step.
func trainingSteps(t *testing.T) (jobs []Job, cards []Card, seconds []float64) {
	t.Helper()
	f, err := os.Open(filepath.Join(vramCases(), "vram", "measured.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	published := regexp.MustCompile(`([\d.]+) s/step`)
	for _, row := range rows[1:] {
		get := func(column string) string {
			if i := slices.Index(rows[0], column); i >= 0 {
				return row[i]
			}
			return ""
		}
		m := published.FindStringSubmatch(get("options"))
		if m == nil {
			continue
		}
		v, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		r := mapVRAM(t, get)
		card := mustCard(t, "H100 SXM") // the sweep says "H100 80GB"
		if r.card != nil {
			card = *r.card
		}
		jobs, cards, seconds = append(jobs, r.job), append(cards, card), append(seconds, v)
	}
	return jobs, cards, seconds
}

// TestTrainingStepsHoldThePublished: the sweep doesn't tell its batches, so that
// this is a check of the range with a batch of one.
func TestTrainingStepsHoldThePublished(t *testing.T) {
	c := Load()
	jobs, cards, seconds := trainingSteps(t)
	in, all := 0, 0
	for i, j := range jobs {
		b, thin, known := c.Seconds(j, cards[i])
		if !known {
			continue
		}
		if !thin {
			t.Errorf("%+v isn't thin", j)
		}
		all++
		if b.Low <= seconds[i] && seconds[i] <= b.High {
			in++
		} else {
			t.Logf("%s %s on %s: %.2f s, estimated %.2f (%.2f to %.2f)", j.Model, j.Quant, cards[i].Name, seconds[i], b.Point, b.Low, b.High)
		}
	}
	t.Logf("training steps: %d of %d in band", in, all)
	if all == 0 || float64(in) < 0.7*float64(all) {
		t.Errorf("%d of %d published steps in band", in, all)
	}
}

// TestTrainingStepsGrow: a step takes longer with more pictures, larger ones and
// with gradient checkpointing, and a LoRA's size in whole trainings is filled.
func TestTrainingStepsGrow(t *testing.T) {
	c, card := Load(), mustCard(t, "RTX 4090")
	for _, id := range []string{"sdxl", "sd1.5", "flux1-dev"} {
		at := func(change func(*Job)) float64 {
			j := Job{Model: id, Kind: TrainLoRA, Training: &Training{Checkpointing: yes(false)}}
			change(&j)
			b, thin, known := c.Seconds(j, card)
			if !known || !thin || b.High < 4*b.Low {
				t.Errorf("%s: %+v, thin %v, known %v", id, b, thin, known)
			}
			return b.Point
		}
		plain := at(func(*Job) {})
		if v := at(func(j *Job) { j.Batch = 4 }); v <= plain {
			t.Errorf("%s: %v of four, %v of one", id, v, plain)
		}
		if v := at(func(j *Job) { j.Width, j.Height = 2048, 2048 }); v <= plain {
			t.Errorf("%s: %v of large ones, %v", id, v, plain)
		}
		if v := at(func(j *Job) { j.Training = &Training{Checkpointing: yes(true)} }); v <= plain {
			t.Errorf("%s: %v with checkpointing, %v without", id, v, plain)
		}
		j := Job{Model: id, Kind: TrainLoRA, Training: &Training{}}
		if a := c.EstimateOn(j, card, 0, nil); a.SecondsOrigin != Estimated || !a.Thin {
			t.Errorf("%s: %s, thin %v", id, a.SecondsOrigin, a.Thin)
		}
		if n := c.Filled(j).Training.Steps; n != usualTrainingSteps {
			t.Errorf("%s: %d steps", id, n)
		}
	}
}

// TestStepDistilledIsAFlag: few steps without guidance, unless the job says how
// many.
func TestStepDistilledIsAFlag(t *testing.T) {
	c, card := Load(), mustCard(t, "RTX 4090")
	j := Job{Model: "sdxl", Extra: []string{stepDistilled}}
	if errs := c.Check(j); errs != nil {
		t.Fatal(errs)
	}
	f := c.Filled(j)
	if f.Steps != distilledSteps || f.Guidance == nil || *f.Guidance {
		t.Errorf("%d steps, guidance %v", f.Steps, f.Guidance)
	}
	j.Steps = 8
	if f := c.Filled(j); f.Steps != 8 {
		t.Errorf("%d steps of 8", f.Steps)
	}
	fast, _, _ := c.Seconds(j, card)
	slow, _, _ := c.Seconds(Job{Model: "sdxl"}, card)
	if fast.Point > slow.Point/3 || c.Peaks(j).Whole.Point > c.Peaks(Job{Model: "sdxl"}).Whole.Point {
		t.Errorf("%v against %v", fast, slow)
	}
}
