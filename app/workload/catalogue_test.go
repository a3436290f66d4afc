package workload

import (
	"slices"
	"testing"
)

// rowModels are the names that measured rows use.
var rowModels = []string{
	"auraflow", "chroma", "cosmos-predict2-2b", "dat2-4x", "ernie-image", "esrgan-2x", "esrgan-unnamed", "fdat-m-4x", "flux1-dev", "flux1-kontext-dev",
	"flux1-schnell", "flux2-dev", "flux2-klein-4b", "flux2-klein-base-4b", "hat-l-4x", "hidream-e1", "hidream-i1", "hunyuandit", "hunyuanimage-2.1", "hunyuanvideo",
	"ideogram-4", "kandinsky5-image-6b", "kolors", "krea-2", "lcm-pixart-alpha", "lcm-sdxl", "lumina-2", "omnigen", "pixart-alpha", "pixart-sigma", "pixart-unspecified",
	"qwen-image", "qwen-image-edit", "sana", "sana-1.6b-4k", "sd-unspecified", "sd1-unspecified", "sd1.4", "sd1.5", "sd2.1", "sd3-medium", "sd3-unspecified", "sd3.5-large",
	"sd3.5-medium-turbo", "sdxl", "sensenova-u1-8b", "stable-cascade-c", "supir", "wan2.1-t2v-1.3b", "wan2.1-t2v-14b", "wan2.2-fun-14b", "wan2.2-i2v-a14b", "z-image",
	"z-image-turbo",
}

func TestCatalogueKnowsTheModelsOfTheRows(t *testing.T) {
	for _, id := range rowModels {
		if _, ok := Load().Model(id); !ok {
			t.Errorf("%s is missing", id)
		}
	}
}

func TestModelsAreWhole(t *testing.T) {
	cat := Load()
	seen := map[string]bool{}
	for _, m := range cat.models {
		if seen[m.ID] {
			t.Errorf("%s twice", m.ID)
		}
		seen[m.ID] = true
		f, ok := cat.families[m.Family]
		if !ok {
			t.Errorf("%s: no family %q", m.ID, m.Family)
		}
		if f.TokenPx <= 0 || f.Heads <= 0 || f.Denoise <= 0 {
			t.Errorf("family %+v", f)
		}
		if f.VAE != "none" && cat.consts[f.VAE+".decode"] <= 0 {
			t.Errorf("%s: no figure for its VAE %s", f.ID, f.VAE)
		}
		if m.Name == "" || len(m.Kinds) == 0 || m.DefaultWidth <= 0 || m.DefaultHeight <= 0 || m.DefaultSteps <= 0 || len(m.Quants) == 0 {
			t.Errorf("%s: %+v", m.ID, m)
		}
		if slices.ContainsFunc(m.Kinds, Kind.Video) && m.DefaultFrames <= 0 {
			t.Errorf("%s makes clips of no length", m.ID)
		}
		if !m.Denoiser.Present() {
			t.Errorf("%s has no denoiser", m.ID)
		}
		for _, p := range []Component{m.Denoiser, m.Encoder, m.EncodersSmall, m.VAE} {
			s, ok := cat.Source(p.Source)
			if p.Present() && (!ok || s.Date == "" || p.Verified && s.URL == "") {
				t.Errorf("%s: %s rests on %q: %+v", m.ID, p.Name, p.Source, s)
			}
		}
		if m.RepoGiB > 0 {
			if _, ok := cat.Source(m.RepoSource); !ok {
				t.Errorf("%s: repository from %q", m.ID, m.RepoSource)
			}
		}
		for _, q := range m.Quants {
			if _, ok := cat.BytesPerParam(q); !ok {
				t.Errorf("%s: storage %s has no size", m.ID, q)
			}
		}
		if m.Thin != (m.Rows < thinRows) {
			t.Errorf("%s: thin %v with %d rows", m.ID, m.Thin, m.Rows)
		}
	}
	for _, k := range builtFamilies(t).Constants {
		if _, ok := cat.Source(k.Source); !ok || k.Note == "" || k.Value <= 0 || k.Start <= 0 {
			t.Errorf("constant %+v", k)
		}
		if k.Fitted != (k.Sources > 0) {
			t.Errorf("%s: fitted %v, from %d sources", k.ID, k.Fitted, k.Sources)
		}
	}
}

func TestCards(t *testing.T) {
	cat := Load()
	if n := len(cat.Cards()); n < 50 {
		t.Errorf("%d cards", n)
	}
	k, ok := cat.Card("rtx 4090")
	if !ok || k.TotalMiB == nil || *k.TotalMiB != 24564 || k.ReservedMiB != nil || k.Compute == nil || *k.Compute != 8.9 {
		t.Errorf("%+v", k)
	}
	// a row of the table lacks a comma
	a30, ok := cat.Card("A30")
	if !ok || !slices.Contains(a30.Unverified, "mem_bw_gbs") || a30.Sources == "" {
		t.Errorf("%+v", a30)
	}
	if _, ok := cat.Card("RTX 9999"); ok {
		t.Error("found a card that nobody makes")
	}
}

func TestCardByNVML(t *testing.T) {
	cat := Load()
	for _, c := range []struct {
		nvml  string
		total float64
		want  string
		gb    float64
	}{
		{"NVIDIA GeForce RTX 4090", 24564, "RTX 4090", 24},
		{"NVIDIA GeForce RTX 4090", 49140, "RTX 4090 48GB (modified)", 48},
		{"NVIDIA GeForce RTX 4090", 0, "RTX 4090", 24},
		{"NVIDIA H100 80GB HBM3", 81559, "H100 SXM", 80},
		{"NVIDIA H100 80GB HBM3", 40448, "MIG 3g.40gb on H100 (name unchanged)", 40},
		{"NVIDIA H100 80GB HBM3", 9856, "MIG 3g.40gb on H100 (name unchanged) (10 GB)", 10},
		{"NVIDIA L40S", 46068, "L40S", 48},
		{"Tesla T4", 15109, "T4", 16},
	} {
		k, ok := cat.CardByNVML(c.nvml, c.total)
		if !ok || k.Name != c.want || k.NominalGB != c.gb {
			t.Errorf("%s %v: %q %v %v, want %q", c.nvml, c.total, k.Name, k.NominalGB, ok, c.want)
		}
		if c.total > 0 && (k.TotalMiB == nil || *k.TotalMiB != c.total) {
			t.Errorf("%s %v: the total is %v", c.nvml, c.total, k.TotalMiB)
		}
	}
	if _, ok := cat.CardByNVML("Voodoo 2", 12); ok {
		t.Error("found a card that isn't there")
	}
}

func TestUsable(t *testing.T) {
	cat := Load()
	k, _ := cat.Card("L40S")
	if mib, known := usableMiB(k, 1000); mib != 46068-609-1000 || !known {
		t.Errorf("L40S: %v %v", mib, known)
	}
	k, _ = cat.Card("RTX 4090")
	if mib, _ := usableMiB(k, 0); mib != 24564-reservedGeForce {
		t.Errorf("4090: %v", mib)
	}
	k, _ = cat.Card("RTX 4090 48GB (modified)")
	if mib, known := usableMiB(k, 0); known || mib >= 48*1024 {
		t.Errorf("nominal: %v %v", mib, known)
	}
	k, _ = cat.Card("T4")
	if mib, _ := usableMiB(k, 1e9); mib != 0 {
		t.Errorf("full card: %v", mib)
	}
}
