package workload

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"rentgen/assets/catalogue"
)

var update = flag.Bool("update-vram", false, "write the fitted constants into the catalogue")

// The bars of the estimate, on inference rows that are hard and complete.
const (
	barError     = 0.07 // median absolute percent error
	barInBand    = 0.90
	barWidth     = 0.15 // median half width
	barFits      = 0.80 // of device rows under roomy of their card
	roomy        = 0.85
	barUnmapped  = 0.10
	barLeftOut   = 2 // leaving the source out may be so many times as bad
	sameConstant = 0.03
)

// tally are the figures of a set of rows.
type tally struct {
	errors, widths, unsaid, naive []float64
	in, rows                      int
}

func (a *tally) add(e estimator, r vramRow) (b reading, in bool) {
	b, in = e.best(r)
	a.rows++
	a.errors = append(a.errors, b.err(r.peak))
	a.widths = append(a.widths, (b.high-b.low)/2/b.point)
	a.naive = append(a.naive, naive(e, r))
	if r.metric == "unknown" {
		a.unsaid = append(a.unsaid, b.err(r.peak))
	}
	if in {
		a.in++
	}
	return b, in
}

func (a *tally) join(b *tally) {
	a.rows, a.in = a.rows+b.rows, a.in+b.in
	a.errors, a.widths = append(a.errors, b.errors...), append(a.widths, b.widths...)
	a.unsaid, a.naive = append(a.unsaid, b.unsaid...), append(a.naive, b.naive...)
}

func (a *tally) error() float64  { return medianOf(a.errors) }
func (a *tally) inBand() float64 { return float64(a.in) / float64(a.rows) }

func (a *tally) String() string {
	return fmt.Sprintf("%4d rows  error %5.1f %%  in band %5.1f %%  band ±%4.1f %%  weights + 20 %%: %5.1f %%",
		a.rows, 100*a.error(), 100*a.inBand(), 100*medianOf(a.widths), 100*medianOf(a.naive))
}

// naive is the error of the rule "weights and a fifth".
func naive(e estimator, r vramRow) float64 {
	return math.Abs(e.weights(r.run).all()*1.2-r.peak) / r.peak
}

func medianOf(v []float64) float64 {
	if len(v) == 0 {
		return math.NaN()
	}
	v = slices.Clone(v)
	slices.Sort(v)
	if n := len(v); n%2 == 0 {
		return (v[n/2-1] + v[n/2]) / 2
	}
	return v[len(v)/2]
}

func builtFamilies(t testing.TB) families {
	t.Helper()
	var f families
	if err := json.Unmarshal(catalogue.Families, &f); err != nil {
		t.Fatal(err)
	}
	return f
}

// mapped are the rows that the bars are set on, and those that no job says.
func mapped(rows []vramRow) (said, unsaid []vramRow) {
	for _, r := range rows {
		switch {
		case !r.inference():
		case r.unmapped != "":
			unsaid = append(unsaid, r)
		default:
			said = append(said, r)
		}
	}
	return said, unsaid
}

func TestMeasuredVRAM(t *testing.T) {
	given, _ := mapped(readVRAM(t, "testdata/cases"))
	f := builtFamilies(t)
	if *update {
		writeConstants(t, f, given)
		t.Skip("written; run again without the flag")
	}
	judged := readVRAM(t, vramCases())
	rows, unmapped := mapped(judged)
	if len(rows) == 0 {
		t.Fatal("no rows")
	}
	fitted, leftOut := &tally{}, &tally{}
	var fitVerdicts, outVerdicts verdicts
	for _, source := range sourcesOf(rows) {
		own, out := &tally{}, &tally{}
		rest := slices.DeleteFunc(slices.Clone(given), func(o vramRow) bool { return o.source == source })
		without := calibrate(Load(), f.Constants, f.Families, rest)
		refitted := without.catalogue()
		for _, r := range rows {
			if r.source != source {
				continue
			}
			b, in := own.add(Load().estimator(), r)
			if !in {
				t.Logf("out of band: %s: %s %.2f, estimated %.2f (%.2f to %.2f) %+.0f %%", r, r.metric, r.peak, b.point, b.low, b.high, 100*(b.point/r.peak-1))
			}
			out.add(without, r)
			fitVerdicts.add(t.Logf, Load(), r)
			outVerdicts.add(func(string, ...any) {}, refitted, r)
		}
		t.Logf("%s | left out: error %5.1f %%, in band %5.1f %% | %s", own, 100*out.error(), 100*out.inBand(), strings.TrimPrefix(source, "https://"))
		fitted.join(own)
		leftOut.join(out)
	}
	for _, r := range unmapped {
		t.Logf("unmapped: %s: %s", r, r.unmapped)
	}
	e := Load().estimator()
	t.Logf("constants: %s", sayConstants(f))
	t.Logf("one offset: device = reserved + %.2f GiB; reserved = allocated + %.2f x the activations of the peak (fp32: %.2f)", e.k("context"), e.k("slack")-1, e.k("slack.fp32")-1)
	softRows(t, judged)
	t.Logf("fitted:          %s", fitted)
	t.Logf("source left out: %s", leftOut)
	t.Logf("rows of unknown metric, apart: %d, error %.1f %%; source left out %.1f %%", len(fitted.unsaid), 100*medianOf(fitted.unsaid), 100*medianOf(leftOut.unsaid))
	t.Logf("fitted:          %s", fitVerdicts)
	t.Logf("source left out: %s", outVerdicts)

	atMost(t, "median error", fitted.error(), barError)
	atMost(t, "median error, source left out", leftOut.error(), barLeftOut*barError)
	atLeast(t, "in band", fitted.inBand(), barInBand)
	atLeast(t, "in band, source left out", leftOut.inBand(), 1-barLeftOut*(1-barInBand))
	atMost(t, "median half width", medianOf(fitted.widths), barWidth)
	atMost(t, "median half width, source left out", medianOf(leftOut.widths), barLeftOut*barWidth)
	atMost(t, "wrong fits", float64(fitVerdicts.wrong), 0)
	atLeast(t, "called fits", fitVerdicts.share(), barFits)
	atLeast(t, "called fits, source left out", outVerdicts.share(), 1-barLeftOut*(1-barFits))
	atMost(t, "unmapped", float64(len(unmapped))/float64(len(unmapped)+len(rows)), barUnmapped)
	if medianOf(fitted.naive) < fitted.error() {
		t.Errorf("weights + 20 %% does better: %.1f %%", 100*medianOf(fitted.naive))
	}
	fmt.Printf("vram rows %d, mdape %.1f %%, in band %.1f %%, wrong fits %d, unmapped %d\n", len(rows), 100*fitted.error(), 100*fitted.inBand(), fitVerdicts.wrong, len(unmapped))
}

func sourcesOf(rows []vramRow) []string {
	seen := map[string]bool{}
	for _, r := range rows {
		seen[r.source] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

func atMost(t *testing.T, what string, v, bar float64) {
	t.Helper()
	if !(v <= bar) {
		t.Errorf("%s: %.3f, at most %.3f", what, v, bar)
	}
}

func atLeast(t *testing.T, what string, v, bar float64) {
	t.Helper()
	if !(v >= bar) {
		t.Errorf("%s: %.3f, at least %.3f", what, v, bar)
	}
}

func sayConstants(f families) string {
	var b strings.Builder
	for _, c := range f.Constants {
		if c.Fitted {
			fmt.Fprintf(&b, "%s %.3g (start %.3g); ", c.ID, c.Value, c.Start)
		}
	}
	for _, k := range f.Families {
		if k.Fitted {
			fmt.Fprintf(&b, "denoise of %s %.3g (start %.3g); ", k.ID, k.Denoise, k.Start)
		}
	}
	return b.String()
}

// verdicts count what FitOn says of the rows.
type verdicts struct {
	wrong  int // device rows called fits on a card smaller than their peak
	lower  int // the same of rows of other metrics
	roomy  int // device rows with room on their card
	called int // of them called fits
}

func (v verdicts) share() float64 {
	if v.roomy == 0 {
		return 1
	}
	return float64(v.called) / float64(v.roomy)
}

func (v verdicts) String() string {
	return fmt.Sprintf("wrong fits %d; of %d device rows under %.0f %% of their card %d are called fits (%.0f %%); rows of other metrics called fits below their figure: %d",
		v.wrong, v.roomy, 100*roomy, v.called, 100*v.share(), v.lower)
}

// add judges a row on every card. Figures of other metrics are a lower bound of
// the device peak; but what a large card reserved isn't needed on a small one,
// so those are counted apart.
func (v *verdicts) add(logf func(string, ...any), cat *Catalogue, r vramRow) {
	p := cat.Peaks(r.job)
	bad := ""
	for _, k := range cat.Cards() {
		usable, _ := usableMiB(k, 0)
		if usable/1024 < r.peak && cat.FitOn(r.job, p, k, 0).Fit == Fits {
			bad = k.Name
		}
	}
	switch {
	case bad == "":
	case r.metric == "device":
		v.wrong++
		logf("wrong fit: %s takes %.2f GiB at device level and is called fits on %s", r, r.peak, bad)
	default:
		v.lower++
		logf("%s: %s %.2f GiB, called fits on %s", r, r.metric, r.peak, bad)
	}
	if r.metric != "device" || r.card == nil || r.peak >= roomy*r.room {
		return
	}
	v.roomy++
	if a := cat.FitOn(r.job, p, *r.card, 0); a.Fit == Fits {
		v.called++
	} else {
		logf("not called fits: %s takes %.2f of %.1f GiB and is called %s (%.2f to %.2f)", r, r.peak, r.room, a.Fit, a.Peak.Low, a.Peak.High)
	}
}

// softRows prints how many of the soft and training rows lie in their band:
// range checks, no bars.
func softRows(t *testing.T, rows []vramRow) {
	e := Load().estimator()
	groups := map[string][2]int{}
	for _, r := range rows {
		if r.inference() || r.unmapped != "" {
			continue
		}
		g := "soft: " + r.soft
		if r.job.Kind.Training() {
			g = "training, complete"
			if !r.complete {
				g = "training, size or batch not published"
			}
		} else if r.hard {
			g = "incomplete"
		}
		n := groups[g]
		n[1]++
		if _, in := e.best(r); in {
			n[0]++
		}
		groups[g] = n
	}
	for _, g := range slices.Sorted(maps.Keys(groups)) {
		t.Logf("range check: %-40s %d of %d in band", g, groups[g][0], groups[g][1])
	}
}

// TestConstantsAreFitted repeats the fit and wants the shipped constants.
func TestConstantsAreFitted(t *testing.T) {
	f := builtFamilies(t)
	given, _ := mapped(readVRAM(t, "testdata/cases"))
	e := calibrate(Load(), f.Constants, f.Families, given)
	same := func(id string, shipped, fit float64) {
		if math.Abs(shipped-fit) > sameConstant*fit {
			t.Errorf("%s ships %.4f, the fit says %.4f; run with -update-vram", id, shipped, fit)
		}
	}
	for _, c := range f.Constants {
		same(c.ID, c.Value, e.consts[c.ID])
	}
	counts, sources := countRows(given)
	for _, k := range f.Families {
		same(k.ID, k.Denoise, e.dens[k.ID])
		if k.Rows != counts[k.ID] || k.Sources != sources[k.ID] {
			t.Errorf("%s ships %d rows of %d sources, there are %d of %d", k.ID, k.Rows, k.Sources, counts[k.ID], sources[k.ID])
		}
	}
}

// countRows counts the rows and sources of each family; "" has all.
func countRows(rows []vramRow) (n, sources map[string]int) {
	n, sources = map[string]int{}, map[string]int{}
	seen := map[string]bool{}
	for _, r := range rows {
		for _, id := range []string{"", r.run.f.ID} {
			n[id]++
			if !seen[id+" "+r.source] {
				seen[id+" "+r.source] = true
				sources[id]++
			}
		}
	}
	return n, sources
}

// writeConstants fits and writes the catalogue's file, keeping all else.
func writeConstants(t *testing.T, f families, given []vramRow) {
	e := calibrate(Load(), f.Constants, f.Families, given)
	n, sources := countRows(given)
	var doc map[string]json.RawMessage
	if err := json.Unmarshal(catalogue.Families, &doc); err != nil {
		t.Fatal(err)
	}
	for i := range f.Constants {
		c := &f.Constants[i]
		c.Value = math.Round(e.consts[c.ID]*1e4) / 1e4
		if c.Fitted {
			c.Rows, c.Sources = n[""], sources[""]
		}
	}
	for i := range f.Families {
		k := &f.Families[i]
		k.Denoise, k.Rows, k.Sources = math.Round(e.dens[k.ID]*1e4)/1e4, n[k.ID], sources[k.ID]
	}
	var b bytes.Buffer
	b.WriteString("{\n")
	for i, key := range []string{"sources", "bytes", "bytes_source", "constants", "families", "models"} {
		raw := doc[key]
		switch key {
		case "constants":
			raw = lines(t, f.Constants)
		case "families":
			raw = lines(t, f.Families)
		}
		if i > 0 {
			b.WriteString(",\n")
		}
		fmt.Fprintf(&b, "%q: %s", key, raw)
	}
	b.WriteString("\n}\n")
	if err := os.WriteFile("../../assets/catalogue/families.json", b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// lines writes a list with an entry a line.
func lines[T any](t *testing.T, list []T) json.RawMessage {
	var b bytes.Buffer
	b.WriteString("[")
	for i, v := range list {
		one, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString("\n " + string(one))
	}
	b.WriteString("\n]")
	return b.Bytes()
}
