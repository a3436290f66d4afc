package bill

import (
	"math"
	"math/rand/v2"
	"testing"

	"rentgen/app/money"
)

// draws draws doubtful inputs. The same seed draws the same.
type draws struct{ pcg *rand.PCG }

// newDraws starts the draws of a seed.
func newDraws(seed uint64) *draws { return &draws{rand.NewPCG(seed, 1)} }

// unit draws evenly from [0, 1).
func (d *draws) unit() float64 { return float64(d.pcg.Uint64()>>11) / (1 << 53) }

// uniform draws evenly between two ends.
func (d *draws) uniform(low, high float64) float64 { return low + (high-low)*d.unit() }

// normal draws from a bell.
func (d *draws) normal(mean, sd float64) float64 {
	u := (float64(d.pcg.Uint64()>>12) + 0.5) / (1 << 52) // never 0 or 1
	return mean + sd*math.Sqrt2*math.Erfinv(2*u-1)
}

// pert draws from a three-point estimate.
func (d *draws) pert(p *PertDist) float64 { return p.At(d.unit()) }

// moments returns the mean and the variance of n draws.
func moments(n int, draw func() float64) (mean, variance float64) {
	for i := range n {
		x := draw()
		d := x - mean
		mean += d / float64(i+1)
		variance += d * (x - mean)
	}
	return mean, variance / float64(n-1)
}

// within checks a mean of n draws against the true one, by 4 sd/sqrt(n).
func within(t *testing.T, what string, n int, got, mean, sd float64) {
	t.Helper()
	if math.Abs(got-mean) > 4*sd/math.Sqrt(float64(n)) {
		t.Errorf("%s: mean %g, want %g ± %g", what, got, mean, 4*sd/math.Sqrt(float64(n)))
	}
}

func TestDrawsMeetTheirMoments(t *testing.T) {
	const n = 100_000
	d := newDraws(7)
	for _, c := range [][3]float64{{20, 30, 60}, {0, 0, 1}, {0, 1, 1}, {5, 5, 5}, {-3, 2, 2.5}, {1e6, 1e6 + 1, 2e6}} {
		a, m, b := c[0], c[1], c[2]
		p, err := NewPertDist(a, m, b)
		if err != nil {
			t.Fatal(err)
		}
		mean := (a + 4*m + b) / 6
		variance := (mean - a) * (b - mean) / 7
		gotMean, gotVar := moments(n, func() float64 {
			x := d.pert(p)
			if x < a || x > b {
				t.Fatalf("drew %g outside %v", x, c)
			}
			return x
		})
		within(t, "pert", n, gotMean, mean, math.Sqrt(variance))
		if math.Abs(gotVar-variance) > 0.03*variance {
			t.Errorf("pert %v: variance %g, want %g", c, gotVar, variance)
		}
	}
	mean, variance := moments(n, func() float64 { return d.normal(600, 60) })
	within(t, "normal", n, mean, 600, 60)
	if math.Abs(variance-3600) > 0.03*3600 {
		t.Errorf("normal: variance %g", variance)
	}
}

// TestDrawsMeetTheFormulas holds draws against the exact results of formula 21.
func TestDrawsMeetTheFormulas(t *testing.T) {
	const n = 100_000
	d := newDraws(20261130)
	r := money.MustParse
	product, err := UniformProduct(UniformProductIn{Price: [2]money.Rat{r("1.8"), r("2.2")}, Hours: [2]money.Rat{r("80"), r("120")}})
	if err != nil {
		t.Fatal(err)
	}
	mean, variance := moments(n, func() float64 { return d.uniform(1.8, 2.2) * d.uniform(80, 120) })
	within(t, "product", n, mean, product.Mean.Float64(), product.SD)
	if math.Abs(math.Sqrt(variance)-product.SD) > 0.02*product.SD {
		t.Errorf("sd %g, want %g", math.Sqrt(variance), product.SD)
	}
	pert, err := Pert(PertIn{LowH: r("20"), ModeH: r("30"), HighH: r("60"), PricePerHour: r("1.88")})
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPertDist(20, 30, 60)
	if err != nil {
		t.Fatal(err)
	}
	mean, _ = moments(n, func() float64 { return 1.88 * d.pert(p) })
	within(t, "pert", n, mean, pert.MeanAmount.Float64(), pert.SDAmount.Float64())

	choice, err := ChoiceProbability(ChoiceProbabilityIn{PackagePrice: r("1180"), PricePerHour: r("1.88"), MeanH: r("600"), SDH: r("60")})
	if err != nil {
		t.Fatal(err)
	}
	q := choice.PPackageCheaper
	mean, _ = moments(n, func() float64 {
		if 1.88*d.normal(600, 60) > 1180 {
			return 1
		}
		return 0
	})
	within(t, "chance", n, mean, q, math.Sqrt(q*(1-q)))
}

// TestInterruptionsAsDrawn runs jobs that are interrupted and compares their
// mean with the formulas: with start-up, with checkpoints, with recovery.
func TestInterruptionsAsDrawn(t *testing.T) {
	const n, rate = 40_000, 0.3
	d := newDraws(3)
	next := func() float64 { return -math.Log1p(-d.unit()) / rate }
	r := money.MustParse
	no, err := InterruptNoCheckpoint(InterruptNoCheckpointIn{WorkH: r("3"), StartupH: r("0.5"), RatePerH: r("0.3"), DowntimeH: r("0.25")})
	if err != nil {
		t.Fatal(err)
	}
	mean, variance := moments(n, func() float64 {
		wall := 0.0
		for {
			at := next()
			if at >= 3.5 {
				return wall + 3.5
			}
			wall += at + 0.25
		}
	})
	within(t, "no checkpoint", n, mean, *no.ExpectedWallH, math.Sqrt(variance))

	with, err := InterruptCheckpoint(InterruptCheckpointIn{
		WorkH: r("6"), RatePerH: r("0.3"), Segments: 3, CheckpointH: r("0.1"), RecoveryH: r("0.2"), DowntimeH: r("0.25"),
	})
	if err != nil {
		t.Fatal(err)
	}
	mean, variance = moments(n, func() float64 {
		wall := 0.0
		for _, w := range []float64{2.1, 2.1, 2} {
			need := w
			at := next()
			for at < need {
				wall += at + 0.25
				need, at = 0.2+w, next() // recovery comes before each retry
			}
			wall += need
		}
		return wall
	})
	within(t, "checkpoints", n, mean, *with.ExpectedWallH, math.Sqrt(variance))
}

func TestPertDistRefuses(t *testing.T) {
	for _, c := range [][3]float64{{2, 1, 3}, {1, 3, 2}, {math.NaN(), 1, 2}, {0, math.Inf(1), math.Inf(1)}, {0, 1, math.NaN()}} {
		if _, err := NewPertDist(c[0], c[1], c[2]); err == nil {
			t.Errorf("%v is taken", c)
		}
	}
}
