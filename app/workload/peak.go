package workload

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Peaks is the VRAM a job needs at device level, as the driver shows it: by
// phase and as a whole.
type Peaks struct {
	Known    bool // false: the catalogue doesn't know the model, nothing else is said
	Phases   []PhasePeak
	Whole    Band  // GiB, the greatest phase
	Peak     Phase // which that is
	FloorGiB float64
	Thin     bool     // the family has few measured rows, or the job has parts that nobody measured
	Rows     int      // measured rows behind the family
	Unproved []string // parts whose size no source proves
}

// gib is a gibibyte, mega a million of parameters.
const (
	gib  = 1 << 30
	mega = 1e6
	mpx  = 1 << 20 // pixels
)

// phaseNeed is what a phase takes, in GiB.
type phaseNeed struct {
	phase   Phase
	weights float64 // resident
	act     float64 // allocated of the moment
	residue float64 // reserved but not allocated: left over from quantising
	slack   float64 // reserved over allocated, of act
}

// reserved is the phase at the level of the allocator's reservation.
func (n phaseNeed) reserved() float64 { return n.weights + n.residue + n.act*n.slack }

// allocated is the phase at the level of live tensors.
func (n phaseNeed) allocated() float64 { return n.weights + n.act }

// estimator is the catalogue's figures with constants that a fit
// may vary. peak_device = max over phases of (resident weights + slack x
// activations) + context.
type estimator struct {
	cat    *Catalogue
	consts map[string]float64
	dens   map[string]float64 // by family, GiB a Mpx and sample
}

func (c *Catalogue) estimator() estimator { return estimator{cat: c, consts: c.consts} }

func (e estimator) k(id string) float64 { return e.consts[id] }

func (e estimator) denoise(f family) float64 {
	if v, ok := e.dens[f.ID]; ok {
		return v
	}
	return f.Denoise
}

// run is a job with what the estimate asks about it again and again.
type run struct {
	Job
	m    Model
	f    family
	card *Card // nil: none in particular
}

func (r run) extra(flag string) bool { return slices.Contains(r.Extra, flag) }

// number returns the number behind a flag such as budget-20.
func (r run) number(prefix string) (int, bool) {
	for _, x := range r.Extra {
		if rest, ok := strings.CutPrefix(x, prefix); ok {
			rest, _, _ = strings.Cut(rest, "x")
			if n, err := strconv.Atoi(rest); err == nil && n > 0 {
				return n, true
			}
		}
	}
	return 0, false
}

// ggml reports whether the program is one of the C++ ones with an allocator of
// their own: no reservation over need, weights kept as they are stored.
func (r run) ggml() bool {
	return r.Framework == "edge-dit.cpp" || r.Framework == "stable-diffusion.cpp"
}

func (r run) fp32() bool { return r.Quant == "fp32" }

func (r run) samples() float64 {
	n := float64(max(r.Batch, 1))
	guided := r.m.Guidance && !r.distilled()
	if r.Guidance != nil {
		guided = *r.Guidance
	}
	if guided {
		n *= 2
	}
	return n
}

// smallCardMiB is the size up to which the C++ programs were seen decoding in
// tiles by themselves (a 24 GB card) and above which not (a 141 GB card).
const smallCardMiB = 25000

// ownTiling reports whether the program decides about tiles itself and would
// tile on the card.
func (r run) ownTiling() (decides, tiles bool) {
	if !r.ggml() || r.VAETiling != nil {
		return false, false
	}
	return true, r.card != nil && totalOf(*r.card) <= smallCardMiB
}

// usual fills what the estimate can't do without.
func (c *Catalogue) usual(j Job, card *Card) (run, bool) {
	m, ok := c.Model(j.Model)
	if !ok {
		return run{}, false
	}
	if j.Kind == "" && len(m.Kinds) > 0 {
		j.Kind = m.Kinds[0]
	}
	if j.Width <= 0 {
		j.Width = m.DefaultWidth
	}
	if j.Height <= 0 {
		j.Height = m.DefaultHeight
	}
	if j.Batch <= 0 {
		j.Batch = 1
	}
	if j.Frames <= 0 && j.Kind.Video() {
		j.Frames = max(m.DefaultFrames, 1)
	}
	if j.Quant == "" {
		j.Quant = "bf16"
		if d := c.families[m.Family].Denoiser; d == "unet" || d == "upscaler" {
			j.Quant = "fp16"
		}
	}
	if j.TEQuant == "" {
		j.TEQuant = j.Quant
		if !plain16(j.Quant) && j.Quant != "fp32" && !strings.HasPrefix(j.Quant, "q") {
			j.TEQuant = "bf16"
		}
	}
	return run{Job: j, m: m, f: c.families[m.Family], card: card}, true
}

func plain16(q string) bool { return q == "fp16" || q == "bf16" }

// Peaks estimates the VRAM of a job, on no card in particular.
func (c *Catalogue) Peaks(j Job) Peaks { return c.peaksOn(j, nil) }

func (c *Catalogue) peaksOn(j Job, card *Card) Peaks {
	r, ok := c.usual(j, card)
	if !ok {
		return Peaks{}
	}
	e := c.estimator()
	return e.peaks(r)
}

func (e estimator) peaks(r run) Peaks {
	needs := e.needs(r)
	p := Peaks{Known: true, Rows: r.m.Rows, Thin: r.m.Thin || r.Kind.Training(), Unproved: unproved(r)}
	ctx := e.k("context")
	width := r.doubt()
	if width.thin {
		p.Thin = true
	}
	bare := 0.0 // the greatest phase before decoding
	for _, n := range needs {
		point := n.reserved() + ctx
		b := width.around(point)
		if n.phase != Decode {
			bare = max(bare, b.Low)
		}
		p.Phases = append(p.Phases, PhasePeak{Phase: n.phase, Band: b, WeightsGiB: n.weights, ActivationGiB: point - n.weights})
		if point > p.Whole.Point || p.Peak == "" {
			p.Peak = n.phase
		}
		p.Whole.Low = max(p.Whole.Low, b.Low)
		p.Whole.Point = max(p.Whole.Point, b.Point)
		p.Whole.High = max(p.Whole.High, b.High)
		p.FloorGiB = max(p.FloorGiB, n.allocated()+ctx)
	}
	if r.extra("quanto") && bare > 0 {
		// Of two pages on quanto one has peaks that don't grow with the batch and
		// leave no room for decoding: the bottom of the band is without it.
		p.Whole.Low = min(p.Whole.Low, bare)
	}
	if r.Attention == "vanilla" {
		more := e
		more.consts = maps.Clone(e.consts)
		more.consts["vanilla"] *= vanillaMore
		p.Whole.High = max(p.Whole.High, more.top(r))
	}
	if r.Batch > many && !r.Kind.Training() {
		// The allocator holds on to blocks of the pictures before: one and the
		// same job took 11.6 to 22.2 GiB on four cards.
		p.Whole.High = max(p.Whole.High, p.Whole.Point*manyMore)
	}
	if decides, tiles := r.ownTiling(); decides && tiles {
		// Whether the program tiles here rests on two published pages: the top
		// of the band is what it takes if it doesn't.
		whole := r
		whole.card = nil
		p.Whole.High = max(p.Whole.High, e.top(whole)*ownTilingMargin)
	}
	for i := range p.Phases {
		if n := &p.Phases[i]; n.Phase == p.Peak {
			n.Low, n.High = min(n.Low, p.Whole.Low), max(n.High, p.Whole.High)
		}
	}
	return p
}

// vanillaMore is what plain attention takes at most over the point: the rows of
// one job have a copy of the score matrix more or less, by card.
const vanillaMore = 1.5

// Above so many pictures at once the band goes up to so many times the point.
const (
	many     = 16
	manyMore = 1.75
)

// ownTilingMargin: the rows of the page without tiles lie up to so much above
// their estimate.
const ownTilingMargin = 1.09

// top is the greatest phase at device level, GiB.
func (e estimator) top(r run) float64 {
	t := 0.0
	for _, n := range e.needs(r) {
		t = max(t, n.reserved())
	}
	return t + e.k("context")
}

// unproved lists the parts of a model whose size no source proves.
func unproved(r run) []string {
	var out []string
	for _, p := range []Component{r.m.Denoiser, r.m.Encoder, r.m.EncodersSmall, r.m.VAE} {
		if p.Present() && !p.Verified {
			out = append(out, p.Name)
		}
	}
	return out
}

// doubt is how far the truth may lie from the point, as shares of it.
type doubt struct {
	below, above float64
	thin         bool
}

func (d doubt) around(point float64) Band {
	return Band{Low: point * (1 - d.below), Point: point, High: point * (1 + d.above)}
}

// The half widths, as shares of the peak: what the measured rows of one job
// differ by between programs, versions and cards.
const (
	doubtKnown    = 0.135 // families with rows
	doubtThin     = 0.25  // fewer than three rows
	doubtPart     = 0.12  // each kind of part that hardly anybody measured: ControlNet, IP-Adapter, upscaler ...
	doubtOffload  = 0.12  // the programs move weights differently
	doubtUnsaid   = 0.10  // whether weights move isn't said: the program decides
	doubtTraining = 0.45
	doubtMost     = 0.6
)

// doubt widens the band by what is not known, adding in quadrature.
func (r run) doubt() doubt {
	sum := 0.0
	add := func(v float64) { sum += v * v }
	var d doubt
	switch {
	case r.Kind.Training():
		add(doubtTraining)
	case r.m.Thin:
		add(doubtThin)
		d.thin = true
	default:
		add(doubtKnown)
	}
	parts := []bool{r.ControlNets > 0, r.IPAdapter > 0, r.Upscaler != nil, r.Hires != nil, r.Kind == Edit, r.Kind.Video()}
	for _, p := range parts {
		if p {
			add(doubtPart)
			d.thin = d.thin || r.Kind != Edit && !r.Kind.Video()
		}
	}
	switch r.Offload {
	case "none", "params-budget":
	case "":
		if !r.Kind.Training() && !r.Kind.Video() && r.f.Denoiser != "upscaler" {
			add(doubtUnsaid)
		}
	case "block", "lowvram":
		add(2 * doubtOffload)
		d.thin = true
	default:
		add(doubtOffload)
	}
	w := math.Min(math.Sqrt(sum), doubtMost)
	d.below, d.above = w, w
	return d
}
