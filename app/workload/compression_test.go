package workload

import "testing"

// TestMakersCardRunsTheirModel: the makers of Wan2.2 run a 121-frame clip of
// their 5B model on a card of 24 GB with the model and the encoder moved out
// (README of Wan-Video/Wan2.2); those of HunyuanImage 2.1 make 2048 x 2048 in
// fp8 (README of Tencent-Hunyuan/HunyuanImage-2.1).
func TestMakersCardRunsTheirModel(t *testing.T) {
	c := Load()
	card := mustCard(t, "RTX 4090")
	for _, j := range []Job{
		{Model: "wan2.2-ti2v-5b", Offload: "model", TEDevice: "cpu"},
		{Model: "wan2.2-ti2v-5b", Offload: "model"},
		{Model: "hunyuanimage-2.1", Offload: "model", Quant: "fp8"},
	} {
		j = c.Filled(j)
		p := c.Peaks(j)
		usual := j.Width*j.Height == 1280*704 && j.Frames == 121 || j.Width*j.Height == 2048*2048
		if a := c.FitOn(j, p, card, 0); a.Fit == No || !usual {
			t.Errorf("%s of %+v, %d x %d, %d frames", a.Fit, p.Whole, j.Width, j.Height, j.Frames)
		}
	}
	j := c.Filled(Job{Model: "wan2.2-ti2v-5b"})
	if a := c.FitOn(j, c.Peaks(j), card, 0); a.Fit != Offload {
		t.Errorf("all on the card: %s", a.Fit)
	}
}

// TestCompressionSetsTheTokens: what a transformer sees of a picture goes by the
// model's own compression, of a clip by that in time as well.
func TestCompressionSetsTheTokens(t *testing.T) {
	c := Load()
	for id, want := range map[string]struct {
		px     int // along a token's side
		joined int
	}{
		"wan2.2-ti2v-5b": {32, 4}, "wan2.2-i2v-a14b": {16, 4}, "wan2.1-t2v-1.3b": {16, 4}, "hunyuanvideo": {16, 4}, "hunyuanvideo-1.5": {16, 4},
		"ltx-video-2b": {32, 8}, "ltx-video-13b": {32, 8}, "mochi-1": {16, 6}, "cogvideox-5b": {16, 4},
		"sana": {32, 4}, "hunyuanimage-2.1": {32, 4}, "flux2-dev": {16, 4}, "qwen-image": {16, 4}, "flux1-dev": {16, 4},
	} {
		m, _ := c.Model(id)
		f := c.families[m.Family]
		if f.TokenPx != want.px || f.joined() != want.joined {
			t.Errorf("%s: tokens of %d pixels, %d frames joined", id, f.TokenPx, f.joined())
		}
		if usual := want.px == 16 && want.joined == 4; !usual {
			if _, ok := c.Source(f.Source); !ok {
				t.Errorf("%s: its compression rests on %q", id, f.Source)
			}
		}
		if s := f.tokenShare(); s != 256/float64(want.px*want.px) {
			t.Errorf("%s: %v of the usual tokens", id, s)
		}
	}
	// The same clip, as if the VAE shrank each side by 8.
	e := c.estimator()
	r, _ := c.usual(Job{Model: "wan2.2-ti2v-5b"}, nil)
	own := e.denoising(r, 1) - e.k("fixed")
	r.f.TokenPx = 16
	if usual := e.denoising(r, 1) - e.k("fixed"); usual < 3.99*own || usual > 4.01*own {
		t.Errorf("%v of 32 pixels a token, %v of 16", own, usual)
	}
}

// TestNewModelsAreMarked: models that no row measures say so.
func TestNewModelsAreMarked(t *testing.T) {
	c := Load()
	for _, id := range []string{"wan2.2-t2v-a14b", "wan2.1-i2v-14b", "hunyuanvideo-1.5", "ltx-video-2b", "ltx-video-13b", "omnigen2", "wan2.2-ti2v-5b"} {
		m, ok := c.Model(id)
		if !ok || !m.Thin || !m.Denoiser.Verified {
			t.Errorf("%s: %v, thin %v", id, ok, m.Thin)
			continue
		}
		j := c.Filled(Job{Model: id})
		if errs := c.Check(j); errs != nil {
			t.Errorf("%s: %v", id, errs)
		}
		if _, thin, known := c.Seconds(j, mustCard(t, "RTX 4090")); !known || !thin {
			t.Errorf("%s: seconds known %v, thin %v", id, known, thin)
		}
	}
}
