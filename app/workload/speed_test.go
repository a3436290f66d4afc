package workload

import (
	"math"
	"math/rand/v2"
	"testing"
)

func mustCard(t *testing.T, name string) Card {
	t.Helper()
	k, ok := Load().Card(name)
	if !ok {
		t.Fatalf("no card %s", name)
	}
	return k
}

func TestSecondsAreKnownOrNot(t *testing.T) {
	c := Load()
	good := mustCard(t, "RTX 4090")
	bare := good
	bare.TFLOPS = nil
	for name, x := range map[string]struct {
		j           Job
		card        Card
		known, thin bool
	}{
		"with rows":             {Job{Model: "sdxl"}, good, true, false},
		"a card without rows":   {Job{Model: "sdxl"}, mustCard(t, "T4"), true, true},
		"a sister of its class": {Job{Model: "sdxl"}, mustCard(t, "L40S"), true, false},
		"a family without rows": {Job{Model: "flux2-dev"}, good, true, true},
		"an upscaler after it":  {Job{Model: "sdxl", Upscaler: &Upscaler{}}, good, true, true},
		"a card without a rate": {Job{Model: "sdxl"}, bare, false, true},
		"no tensor cores":       {Job{Model: "sdxl"}, mustCard(t, "P40"), false, true},
		"a LoRA in training":    {Job{Model: "sdxl", Kind: TrainLoRA, Training: &Training{}}, good, true, true},
		"another training":      {Job{Model: "sdxl", Kind: TrainFull, Training: &Training{}}, good, false, true},
		"training of clips":     {Job{Model: "wan2.1-t2v-14b", Kind: TrainLoRA, Training: &Training{}}, good, false, true},
		"an unknown model":      {Job{Model: "nothing"}, good, false, true},
		"an unknown upscaler":   {Job{Model: "sdxl", Upscaler: &Upscaler{Model: "hat-l-4x"}}, good, false, true},
	} {
		b, thin, known := c.Seconds(x.j, x.card)
		if known != x.known || thin != x.thin {
			t.Errorf("%s: known %v, thin %v", name, known, thin)
		}
		if !known && b != (Band{}) {
			t.Errorf("%s: %+v of what isn't known", name, b)
		}
	}
}

// TestSecondsHold: bands in order and finite; more work takes longer; pictures
// made together take no longer each; a slice is slower.
func TestSecondsHold(t *testing.T) {
	c := Load()
	rnd := rand.New(rand.NewPCG(5, 2))
	cards, models := c.Cards(), c.Models()
	hits := 0
	for range 3000 {
		card, m := cards[rnd.IntN(len(cards))], models[rnd.IntN(len(models))]
		j := Job{
			Model: m.ID, Width: 256 + 64*rnd.IntN(20), Height: 256 + 64*rnd.IntN(20), Steps: 1 + rnd.IntN(60), Batch: 1 + rnd.IntN(8),
			Quant: m.Quants[rnd.IntN(len(m.Quants))], Compile: rnd.IntN(2) == 0, ControlNets: rnd.IntN(3),
			Offload: allOffloads[rnd.IntN(len(allOffloads))], Framework: allFrameworks[rnd.IntN(len(allFrameworks))],
		}
		if m.makes() == makesClips {
			j.Frames = 1 + rnd.IntN(120)
		}
		b, thin, known := c.Seconds(j, card)
		if !known {
			continue
		}
		hits++
		if !(0 < b.Low && b.Low < b.Point && b.Point < b.High) || math.IsInf(b.High, 0) {
			t.Fatalf("%+v of %+v on %s", b, j, card.Name)
		}
		f, _ := c.factsOf(j.Model)
		if fitted.rows["card:"+card.Name] == 0 && fitted.rows["family:"+f.family()] == 0 && (!thin || b.High < 4*b.Low) {
			t.Errorf("no row of %s or %s and a narrow band %+v", card.Name, j.Model, b)
		}
		more := j
		more.Steps++
		larger := j
		larger.Width += 64
		for _, k := range []Job{more, larger} {
			if w, _, _ := c.Seconds(k, card); w.Point <= b.Point {
				t.Fatalf("%+v takes %v, more of it %v", j, b.Point, w.Point)
			}
		}
		single := j
		single.Batch = 1
		if w, _, _ := c.Seconds(single, card); w.Point < b.Point*0.999 {
			t.Fatalf("%+v takes %v each, alone %v", j, b.Point, w.Point)
		}
		if w, _, _ := c.Seconds(j, card.Slice(0.5, 0.5)); w.Point <= b.Point {
			t.Fatalf("half a %s is as fast: %v, %v", card.Name, b.Point, w.Point)
		}
		off, all := c.OffloadSeconds(j, card), j
		all.Offload = "none"
		a, _, _ := c.Seconds(all, card)
		if f := off.Point / a.Point; !(a.Low <= off.Low && off.Low < off.Point && off.Point < off.High) || math.IsInf(off.High, 0) || f < leastOffload-1e-9 || f > mostOffload+1e-9 {
			t.Fatalf("offloading: %+v against %+v", off, a)
		}
	}
	if hits < 1000 {
		t.Errorf("only %d jobs were known", hits)
	}
}

// TestOffloadedClipIsInDoubtUpwards: a long clip's operations outlast the moving
// of weights, which must not close the band at its point.
func TestOffloadedClipIsInDoubtUpwards(t *testing.T) {
	c := Load()
	for _, id := range []string{"hunyuanvideo", "wan2.2-ti2v-5b", "wan2.1-t2v-14b", "ltx-video-13b"} {
		b := c.OffloadSeconds(Job{Model: id}, mustCard(t, "RTX 4090"))
		if !(b.Low < b.Point && b.High > 1.1*b.Point) {
			t.Errorf("%s: %+v", id, b)
		}
	}
}

func TestHiresTakesASecondPass(t *testing.T) {
	c, card := Load(), mustCard(t, "RTX 4090")
	one, _, _ := c.Seconds(Job{Model: "sdxl"}, card)
	two, thin, known := c.Seconds(Job{Model: "sdxl", Hires: &Hires{Scale: 2, Denoise: 0.5}}, card)
	if !known || !thin || two.Point < 2.5*one.Point || two.Point > 6*one.Point {
		t.Errorf("%v becomes %v", one, two)
	}
}

func BenchmarkSeconds(b *testing.B) {
	c := Load()
	j := Job{Model: "sdxl"}
	for b.Loop() {
		for _, k := range c.cards {
			c.Seconds(j, k)
		}
	}
}
