package workload

import (
	"testing"

	"rentgen/assets/texts"
)

var sittings = Use{Pattern: Screen, Pictures: Count{PerDay: 100}, DaysPerWeek: 5, HoursPerSitting: 3}

func find(t *testing.T, a Answer, card string) CardAnswer {
	t.Helper()
	for _, c := range a.Cards {
		if c.Card.Name == card {
			return c
		}
	}
	t.Fatalf("no %s in the answer", card)
	return CardAnswer{}
}

func TestEstimateOfSDXL(t *testing.T) {
	cat := Load()
	a := cat.Estimate(Job{Model: "sdxl", Kind: Txt2Img}, sittings, 30, nil)
	ordered(t, "vram", a.VRAM)
	if a.Peak != Decode || a.Thin || a.Rows < thinRows {
		t.Errorf("peak %s thin %v rows %d", a.Peak, a.Thin, a.Rows)
	}
	if len(a.Cards) != len(cat.Cards()) {
		t.Errorf("%d cards", len(a.Cards))
	}
	for card, want := range map[string]Fit{"RTX 4090": Fits, "H200": Fits, "RTX 2080 SUPER": Offload} {
		if c := find(t, a, card); c.Fit != want {
			t.Errorf("%s: %s %+v, want %s", card, c.Fit, c.Peak, want)
		}
	}
	for _, c := range a.Cards {
		if c.Fit == Offload != (c.OffloadSeconds.Point > 0) && c.SecondsOrigin == Estimated {
			t.Errorf("%s is %s with %+v when offloaded", c.Card.Name, c.Fit, c.OffloadSeconds)
		}
	}
	if len(a.Levers) == 0 || a.Disk.GB.Point <= 0 {
		t.Errorf("levers %d disk %+v", len(a.Levers), a.Disk)
	}
}

func TestMeasuredBeatsEstimated(t *testing.T) {
	cat := Load()
	j := Job{Model: "flux1-dev", Kind: Txt2Img, Quant: "fp8"}
	key := cat.Filled(j).Key()
	peak, secs, old := 20000.0, 12.5, 99.0
	m := []Measured{
		{Job: key, Card: "RTX 4090", SecondsPerPic: &old},
		{Job: key, Card: "rtx 4090", PeakMiB: &peak, SecondsPerPic: &secs},
		{Job: "another job", Card: "L40S", SecondsPerPic: &old},
	}
	a := cat.Estimate(j, sittings, 30, m)
	c := find(t, a, "RTX 4090")
	if c.PeakOrigin != MeasuredBy || c.SecondsOrigin != MeasuredBy || c.Seconds.Point != secs || c.Peak.Point*1024 != peak || c.Fit != Fits {
		t.Errorf("%+v", c)
	}
	if c.PerHour != 3600/secs {
		t.Errorf("%v an hour", c.PerHour)
	}
	if l := find(t, a, "L40S"); l.PeakOrigin != Estimated || l.SecondsOrigin == MeasuredBy {
		t.Errorf("another job's figure: %+v", l)
	}
	if with := cat.EstimateOn(j, c.Card, 8000, m); with.Fit == Fits || with.UsableMiB != c.UsableMiB-8000 {
		t.Errorf("8 GB held by others: %+v", with)
	}
}

func TestUnknownModelHasNoFigures(t *testing.T) {
	cat := Load()
	a := cat.Estimate(Job{Model: "nobody-knows"}, sittings, 30, nil)
	if a.VRAM != (Band{}) || len(a.Notes) == 0 {
		t.Errorf("%+v", a)
	}
	for _, c := range a.Cards {
		if c.Fit != No || c.PeakOrigin != Unknown || c.Why.Key != "fit.why.unknown" {
			t.Fatalf("%+v", c)
		}
	}
}

func TestThinFamiliesAreWideAndSaySo(t *testing.T) {
	cat := Load()
	for _, m := range cat.Models() {
		a := cat.Peaks(Job{Model: m.ID, Offload: "none"})
		half := (a.Whole.High - a.Whole.Low) / 2 / a.Whole.Point
		if m.Thin && (!a.Thin || half < doubtThin-1e-9) {
			t.Errorf("%s: thin %v, band ±%.0f %%", m.ID, a.Thin, 100*half)
		}
	}
	more := cat.Peaks(Job{Model: "sdxl", Offload: "none", ControlNets: 1})
	if !more.Thin {
		t.Error("a ControlNet is as sure as none")
	}
}

// TestPhrasesHaveTexts says every reason, note and lever in both languages.
func TestPhrasesHaveTexts(t *testing.T) {
	cat := Load()
	for _, l := range levers {
		for _, lang := range texts.Langs() {
			if !texts.For(lang).Has("lever." + l.id) {
				t.Errorf("%v has no lever.%s", lang, l.id)
			}
		}
	}
	jobs := []Job{
		{Model: "nobody-knows"},
		{Model: "flux1-dev", Kind: Txt2Img},
		{Model: "krea-2", Kind: TrainLoRA, Training: &Training{Rank: 16}},
		{Model: "sd3-medium", Framework: "edge-dit.cpp"},
		{Model: "sdxl", ControlNets: 2, Batch: 8, Attention: "vanilla"},
		{Model: "flux1-dev", Quant: "int8", TEQuant: "bf16", Extra: []string{"torchao"}, Offload: "none"},
	}
	for _, lang := range texts.Langs() {
		c := texts.For(lang)
		for _, j := range jobs {
			a := cat.Estimate(j, sittings, 30, nil)
			for _, n := range a.Notes {
				said(t, c, n)
			}
			for _, k := range a.Cards {
				said(t, c, k.Why)
			}
		}
	}
}

func said(t *testing.T, c *texts.Catalogue, p texts.Phrase) {
	t.Helper()
	if !c.Has(p.Key) || c.Say(p) == "" || c.Say(p) == p.Key {
		t.Errorf("%s says %q", p.Key, c.Say(p))
	}
}

func BenchmarkEstimate(b *testing.B) {
	cat := Load()
	for b.Loop() {
		cat.Estimate(Job{Model: "flux1-dev", Kind: Txt2Img, Batch: 4}, sittings, 30, nil)
	}
}
