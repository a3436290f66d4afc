package plan

import (
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"rentgen/app/advice"
	core "rentgen/app/plan"
	"rentgen/app/workload"
	"rentgen/assets/texts"
	"rentgen/ui/desk"
	"rentgen/ui/desk/desktest"
	"rentgen/ui/theme"
	"rentgen/ui/uitest"
)

var (
	en  = texts.For(texts.English)
	now = time.Date(2026, 11, 29, 10, 57, 30, 0, time.UTC)
)

func band(low, point, high float64) workload.Band {
	return workload.Band{Low: low, Point: point, High: high}
}

// eval is an evaluation whose figures are easy to follow: a picture takes a
// second for every ten of its steps, VRAM grows with what is painted at once.
func eval(p core.Plan) core.Result {
	j := p.Job
	if j.Width == 0 {
		j.Width, j.Height = 1024, 1024
	}
	if j.Steps == 0 {
		j.Steps = 30
	}
	j.Batch = max(j.Batch, 1)
	j.Quant = "fp16"
	n := float64(j.Batch)
	decode := band(6+2.2*n, 6+2.5*n, 6+3*n)
	if j.VAESlicing != nil && *j.VAESlicing {
		decode = band(8, 8.4, 9)
	}
	denoise := band(7.5+0.4*n, 8+0.4*n, 8.6+0.4*n)
	f := workload.Answer{
		Job: j, VRAM: decode, Peak: workload.Decode, Rows: 12,
		Phases: []workload.PhasePeak{
			{Phase: workload.Encode, Band: band(7.2, 7.4, 7.6), WeightsGiB: 6.8},
			{Phase: workload.Denoise, Band: denoise, WeightsGiB: 6.8},
			{Phase: workload.Decode, Band: decode, WeightsGiB: 6.8},
		},
		Disk: workload.Disk{
			GB: band(6.9, 6.9, 7.4), Persistent: 6.9, DownloadGB: 6.9, ScratchGB: 6.9, PicturesGB: 4.5,
			Parts: []workload.DiskPart{{Name: "sd_xl_base_1.0.safetensors", GB: 6.9, Persistent: true, Verified: true}},
		},
	}
	if f.VRAM.Point < denoise.Point {
		f.VRAM, f.Peak = denoise, workload.Denoise
	}
	if j.VAESlicing == nil && n > 1 {
		f.Levers = append(f.Levers, workload.Lever{ID: "vae_slicing", Phase: workload.Decode, SaveGiB: 6.1, Apply: func(j workload.Job) workload.Job {
			on := true
			j.VAESlicing = &on
			return j
		}})
	}
	for _, k := range []struct {
		name  string
		total float64
		speed float64
	}{
		{"RTX 3060", 12288, 2.4},
		{"RTX 4060 Ti 16GB", 16380, 1.8},
		{"RTX 4080", 16376, 1.1},
		{"RTX 3090", 24576, 1.5},
		{"RTX 4090", 24564, 0.8},
		{"L20", 46068, 1.2},
		{"A100 40GB", 40960, 1.1},
		{"H100 80GB", 81559, 0.5},
		{"Tesla P4", 7611, 0},
	} {
		usable := k.total - 450
		a := workload.CardAnswer{
			Card: workload.Card{Name: k.name, TotalMiB: &k.total}, UsableMiB: usable, UsableKnown: true,
			Peak: f.VRAM, PeakOrigin: workload.Estimated, SecondsOrigin: workload.Estimated,
		}
		switch {
		case f.VRAM.High*1024 < usable:
			a.Fit = workload.Fits
		case f.VRAM.Low*1024 < usable:
			a.Fit = workload.Tight
		case usable > 12000:
			a.Fit = workload.Offload
		default:
			a.Fit = workload.No
		}
		if k.speed > 0 {
			s := float64(j.Steps) / 10 * k.speed
			a.Seconds = band(s*0.9, s, s*1.2)
			a.OffloadSeconds = band(s*3, s*4, s*6)
		}
		for _, m := range p.Measured {
			if m.Card == k.name && m.Job == key(p.Job) && m.SecondsPerPic != nil {
				a.Seconds, a.SecondsOrigin = band(*m.SecondsPerPic, *m.SecondsPerPic, *m.SecondsPerPic), workload.MeasuredBy
			}
		}
		f.Cards = append(f.Cards, a)
	}
	ad := advice.Advice{Choice: advice.Shared, Basis: advice.ByQuestions}
	ad.Sentence = texts.P("advice.sentence.questions", "choice", texts.P("advice.choice.shared"))
	ad.Reasons = []advice.Reason{
		{Item: "duration", Text: texts.P("advice.say.duration.short"), Row: "billing"},
		{Item: "load", Text: texts.P("advice.say.load.peaks"), Row: "billing"},
		{Item: "sensitivity", Text: texts.P("advice.say.sensitivity.own"), Row: "isolation", Against: true},
	}
	ad.Open = []string{"offers", "sensitivity"}
	return core.Result{Fit: f, Advice: ad}
}

func key(j workload.Job) string { return j.Model }

func check(p core.Plan) []Problem {
	var out []Problem
	for _, e := range append(workload.Load().Check(p.Job), workload.CheckUse(p.Use)...) {
		out = append(out, Problem{Field: e.Field, Value: e.Value, Allowed: e.Allowed})
	}
	return out
}

var models = func() []Model {
	var all []Model
	for _, m := range workload.Load().Models() {
		all = append(all, Model{ID: m.ID, Name: m.Name, Family: m.Family, Kinds: m.Kinds, Quants: m.Quants, Thin: m.Thin})
	}
	return all
}()

// first is the plan of a first start, empty that of a first start before
// anything was chosen.
var (
	empty = core.Plan{Name: "My plan", Days: 30, Use: workload.Use{
		Pattern: workload.Screen, Pictures: workload.Count{PerDay: 100}, DaysPerWeek: 5, HoursPerSitting: 2,
	}}
	first = func() core.Plan {
		p := empty
		p.Job.Model = "sdxl"
		return p
	}()
)

type fixture struct {
	*Place
	t     *testing.T
	d     *desk.Desk
	s     *desktest.Store
	win   fyne.Window
	hold  bool
	held  []func()
	found Found
	err   error
	bill  [2]string
}

func newFixture(t *testing.T, start core.Plan) *fixture {
	t.Helper()
	f := &fixture{t: t, s: &desktest.Store{}}
	app := test.NewTempApp(t)
	app.Settings().SetTheme(theme.New(theme.Params{Ground: theme.Dark}))
	f.win = test.NewTempWindow(t, nil)
	f.d = desk.New(desktest.Params(f.s, start, eval))
	f.Place = New(Params{
		Texts: en, Desk: f.d, Window: f.win, Models: func() []Model { return models }, Check: check, Key: key,
		ReadFile: func(string, []byte) (Found, error) { return f.found, f.err },
		Bill:     func(offer, line string) { f.bill = [2]string{offer, line} },
		Now:      func() time.Time { return now },
		Go: func(g func()) {
			if f.hold {
				f.held = append(f.held, g)
				return
			}
			g()
		},
		Do: func(g func()) { g() },
	})
	f.d.AddKeys(f.win.Canvas(), func() bool { return true })
	f.win.SetContent(f.Content())
	f.win.Resize(fyne.NewSize(980, 650))
	f.Shown()
	if ch := f.answer.cards.chips["RTX 4090"]; ch != nil {
		test.Tap(ch.Tap)
	}
	return f
}

func (f *fixture) sees(texts ...string) {
	f.t.Helper()
	for _, s := range texts {
		if !uitest.Sees(f.win.Canvas(), s) {
			f.t.Errorf("%q is not seen in %q", s, uitest.Texts(f.win.Canvas()))
		}
	}
}

func (f *fixture) misses(texts ...string) {
	f.t.Helper()
	for _, s := range texts {
		if uitest.Sees(f.win.Canvas(), s) {
			f.t.Errorf("%q is seen", s)
		}
	}
}
