package store

import (
	"fmt"
	"math"
	"os"
	"testing"
	"time"

	"rentgen/probe"
)

func figure(name string, value float64, unit string, limit float64) {
	fmt.Printf("figure\t%s\t%.3g\t%s\t%g\t%.2f\n", name, value, unit, limit, value/limit)
}

// TestFigures prints the figures of the history with RENTGEN_BENCH=1. The
// times are the best of five with a warm cache; nothing is asserted on them.
func TestFigures(t *testing.T) {
	if os.Getenv("RENTGEN_BENCH") == "" {
		t.Skip("RENTGEN_BENCH is not set")
	}
	const cards, days = 8, 30
	end := hourZero
	for _, bands := range []bool{true, false} {
		s := open(t, t.TempDir())
		began := time.Now()
		id := buildMonth(t, s, cards, days, bands, end)
		built := time.Since(began)
		if _, err := s.back.(*owner).db.Exec("PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
			t.Fatal(err)
		}
		z, err := s.Size(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		label := "without bands"
		if bands {
			label = "with bands"
		}
		seconds := float64(cards * days * 86400)
		fmt.Printf("# %s: built in %.0f s; seconds %.2f, minutes %.2f, hours %.2f bytes a GPU-second\n", label, built.Seconds(),
			float64(z.Seconds)/seconds, float64(z.Minutes)/seconds, float64(z.Hours)/seconds)
		figure("store: size, "+label, float64(z.File)/seconds, "B/GPU-s", 7)
		// From an hour to the whole month; 19.5 hours are the longest that is read
		// by seconds, and the energy is read beside the power.
		spans := []time.Duration{time.Hour, 6 * time.Hour, 19*time.Hour + 30*time.Minute, 7 * 24 * time.Hour, days * 24 * time.Hour}
		metrics := []probe.Metric{probe.Power, probe.Energy, probe.EventReasons}
		for _, n := range []int{1, cards} {
			worst, of := 0.0, ""
			for _, span := range spans {
				for _, m := range metrics {
					if ms := askFor(t, s, id, n, m, end, span); ms > worst {
						worst, of = ms, fmt.Sprintf("%s over %v", m, span)
					}
				}
			}
			fmt.Printf("# %s: slowest zoom of %d: %s\n", label, n, of)
			figure(fmt.Sprintf("store: slowest zoom of %d GPU, %s", n, label), worst, "ms", map[bool]float64{true: 50, false: 200}[n == 1])
		}
		figure("store: 1 h of one GPU, "+label, askFor(t, s, id, 1, probe.Power, end, time.Hour), "ms", 50)
		figure("store: 30 d of one GPU, "+label, askFor(t, s, id, 1, probe.Power, end, days*24*time.Hour), "ms", 50)
		figure("store: 30 d of 8 GPUs, "+label, askFor(t, s, id, cards, probe.Power, end, days*24*time.Hour), "ms", 200)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// askFor is how many milliseconds a metric of some cards takes, the best of five.
func askFor(t *testing.T, s *Store, id int64, cards int, m probe.Metric, end time.Time, span time.Duration) float64 {
	t.Helper()
	best := math.Inf(1)
	for range 5 {
		start := time.Now()
		for i := range cards {
			out, err := s.Query(t.Context(), Query{Recording: id, GPU: fmt.Sprintf("GPU-%d", i), Metric: m, From: end.Add(-span), To: end, Points: 1200})
			if err != nil || len(out.Points) < 600 {
				t.Fatalf("%s: %d points, %v", m, len(out.Points), err)
			}
		}
		best = min(best, float64(time.Since(start).Microseconds())/1000)
	}
	return best
}

// TestFigureOfAYear prints how long a year of one card takes through the rollups.
func TestFigureOfAYear(t *testing.T) {
	if os.Getenv("RENTGEN_BENCH") == "" {
		t.Skip("RENTGEN_BENCH is not set")
	}
	const days = 365
	s := open(t, t.TempDir())
	id := buildMonth(t, s, 1, days, true, hourZero)
	figure("store: a year of one GPU", askFor(t, s, id, 1, probe.Power, hourZero, days*24*time.Hour), "ms", 50)
}
