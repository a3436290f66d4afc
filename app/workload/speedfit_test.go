package workload

import (
	"bytes"
	"encoding/csv"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"rentgen/assets/catalogue"
)

var updateSpeed = flag.Bool("update-speed", false, "write the fit of the given rows to the catalogue")

// The fit of the speed model's constants: least squares of the logarithm of
// seconds over the measured rows, in which far-off rows weigh less, with a prior
// of mean 0 for every constant (ridge), by Gauss-Newton steps. It is a pure
// function of the rows.

// fitRow is a measured row in the model's terms.
type fitRow struct {
	terms    *speedTerms
	seconds  float64
	perStep  bool // seconds of one step of the batch, else of one picture
	source   string
	id       string
	features []string
	// What the row is.
	job       Job
	card      string
	cardFacts Card
	family    string
	exact     bool // the row names the card
}

func (r fitRow) predict(exp func([]feature) float64) float64 {
	if r.perStep {
		return r.terms.step(exp)
	}
	return r.terms.seconds(exp)
}

// priorWidth is how far a constant may well lie from 0, in logarithms. What
// speaks of a single card or of one storage may lie less far than what speaks of
// a way to run.
func priorWidth(name string) float64 {
	kind, _, _ := strings.Cut(name, ":")
	switch {
	case kind == "card":
		return 0.15
	case kind == "class" || kind == "vanilla" || kind == "fp32" && name != "fp32":
		return 0.3
	case kind == "vae" && name != "vae" || kind == "launch" && name != "launch":
		return 0.3
	case kind == "quant":
		return 0.7
	case kind == "model":
		return 0.4
	case kind == "balance":
		return 0.5
	}
	return 0.5
}

const (
	rowNoise  = 0.15 // of a good row, in logarithms
	farOff    = 1.5  // noises from which a row weighs less (Huber)
	fitRounds = 12
)

// fitSpeed returns the constants of the rows.
func fitSpeed(rows []fitRow) constants {
	names := map[string]bool{}
	for _, r := range rows {
		for _, n := range r.features {
			names[n] = true
		}
	}
	order := make([]string, 0, len(names))
	for n := range names {
		order = append(order, n)
	}
	slices.Sort(order)
	index := make(map[string]int, len(order))
	for i, n := range order {
		index[n] = i
	}
	touched := make([][]int, len(rows))
	for i, r := range rows {
		for _, n := range r.features {
			touched[i] = append(touched[i], index[n])
		}
	}
	theta := constants{}
	for range fitRounds {
		n := len(order)
		a := make([][]float64, n)
		b := make([]float64, n)
		for i := range a {
			a[i] = make([]float64, n)
			w := 1 / (priorWidth(order[i]) * priorWidth(order[i]))
			a[i][i] += w
			b[i] -= w * theta[order[i]]
		}
		for i, r := range rows {
			at := math.Log(r.predict(theta.exp))
			miss := math.Log(r.seconds) - at
			w := 1 / (rowNoise * rowNoise)
			if far := math.Abs(miss) / rowNoise; far > farOff {
				w *= farOff / far
			}
			slope := make([]float64, len(touched[i]))
			for k, p := range touched[i] {
				const d = 1e-4
				old := theta[order[p]]
				theta[order[p]] = old + d
				slope[k] = (math.Log(r.predict(theta.exp)) - at) / d
				theta[order[p]] = old
			}
			for k, p := range touched[i] {
				b[p] += w * slope[k] * miss
				for l, q := range touched[i] {
					a[p][q] += w * slope[k] * slope[l]
				}
			}
		}
		for i, d := range solve(a, b) {
			theta[order[i]] += max(-0.5, min(0.5, d))
		}
	}
	return theta
}

// solve returns x of a x = b, a symmetric and positive (Cholesky).
func solve(a [][]float64, b []float64) []float64 {
	n := len(b)
	x := slices.Clone(b)
	for i := range n {
		for j := range i + 1 {
			sum := a[i][j]
			for k := range j {
				sum -= a[i][k] * a[j][k]
			}
			if i == j {
				a[i][i] = math.Sqrt(sum)
			} else {
				a[i][j] = sum / a[j][j]
			}
		}
	}
	for i := range n {
		for k := range i {
			x[i] -= a[i][k] * x[k]
		}
		x[i] /= a[i][i]
	}
	for i := n - 1; i >= 0; i-- {
		for k := i + 1; k < n; k++ {
			x[i] -= a[k][i] * x[k]
		}
		x[i] /= a[i][i]
	}
	return x
}

// TestSpeedFit makes the embedded constants anew from the given rows.
func TestSpeedFit(t *testing.T) {
	rows := sortRows(Load(), givenRows(t)).rows
	fit := fitSpeed(rows)
	count := map[string]int{}
	for _, r := range rows {
		for _, n := range r.features {
			count[n]++
		}
	}
	for name, key := range map[string]func(fitRow) string{
		spreadSource: func(r fitRow) string { return r.source },
		spreadCard:   func(r fitRow) string { return r.card },
		spreadFamily: func(r fitRow) string { return r.family },
	} {
		fit[name], count[name] = unseenError(rows, key), len(rows)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Fitted on %s by TestSpeedFit of app/workload to %d measured rows; value is a natural logarithm,\n", time.Now().Format(time.DateOnly), len(rows))
	fmt.Fprintf(&b, "# rows the measured rows that touch the constant. The rows are from\n")
	for _, source := range fitSources(rows) {
		fmt.Fprintf(&b, "# %s\n", source)
	}
	w := csv.NewWriter(&b)
	lines := [][]string{{"constant", "value", "rows"}}
	for _, name := range slices.Sorted(maps.Keys(fit)) {
		lines = append(lines, []string{name, strconv.FormatFloat(fit[name], 'f', 3, 64), strconv.Itoa(count[name])})
	}
	if err := w.WriteAll(lines); err != nil {
		t.Fatal(err)
	}
	if *updateSpeed {
		path := filepath.Join("..", "..", "assets", "catalogue", "speed-fit.csv")
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		fitted = loadFit(b.Bytes())
	}
	for _, source := range fitSources(rows) {
		if !bytes.Contains(catalogue.SpeedFit, []byte("# "+source+"\n")) && !*updateSpeed {
			t.Errorf("the catalogue doesn't name %s as a source of the fit", source)
		}
	}
	if !regexp.MustCompile(`^# Fitted on 20\d\d-\d\d-\d\d by`).Match(catalogue.SpeedFit) && !*updateSpeed {
		t.Error("the catalogue doesn't say when the fit was made")
	}
	if len(fitted.constants) != len(fit) {
		t.Errorf("%d constants in the catalogue, %d in the fit", len(fitted.constants), len(fit))
	}
	for name, v := range fit {
		if math.Abs(fitted.constants[name]-v) > 0.002 || fitted.rows[name] != count[name] {
			t.Errorf("%s: the catalogue has %.3f of %d rows, the fit %.3f of %d (write it with -update-speed)",
				name, fitted.constants[name], fitted.rows[name], v, count[name])
		}
	}
}

// fitSources names where the rows are from, once each.
func fitSources(rows []fitRow) []string {
	seen := map[string]bool{}
	for _, r := range rows {
		seen[r.source] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

// unseenError is the error in logarithms that four of five rows keep below in a
// fit that has not seen their source, card or family.
func unseenError(rows []fitRow, key func(fitRow) string) float64 {
	fits := map[string]constants{}
	var errs []float64
	for _, r := range rows {
		k := key(r)
		if fits[k] == nil {
			fits[k] = fitSpeed(leave(rows, func(g fitRow) bool { return key(g) == k }))
		}
		errs = append(errs, math.Abs(math.Log(r.predict(fits[k].exp)/r.seconds)))
	}
	return quantile(errs, 0.8)
}
