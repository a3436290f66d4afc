package store

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"rentgen/probe"
	"rentgen/store/column"
)

// TestSizes prints with RENTGEN_BENCH=1 what every metric takes in every tier,
// in bytes a GPU-second of two days of one card of the month of the figures,
// without what the database adds.
func TestSizes(t *testing.T) {
	if os.Getenv("RENTGEN_BENCH") == "" {
		t.Skip("RENTGEN_BENCH is not set")
	}
	for _, bands := range []bool{true, false} {
		trace := &monthTrace{r: rand.New(rand.NewPCG(7, 1)), bands: bands, temp: 45, tempMem: 50}
		var seconds, minutes, hours [probe.GPUMetricCount]int
		ticks := 0
		const n = 48
		for h := range n {
			out := traceHour(trace, track{1, cardA}, uint64(h))
			for k := range out.seconds {
				seconds[k] += len(out.seconds[k])
				minutes[k] += len(out.minutes[k])
			}
			ticks += len(out.ticks)
			at := 0
			for k, m := range gpuMetrics {
				b, _, _, _ := findMetric(out.hour, m)
				one, _ := column.EncodeBuckets(m.Info().Kind, []column.Bucket{b}, 1)
				hours[k] += len(one) + 2
				at += len(one)
			}
		}
		fmt.Printf("# bands %v: bytes a GPU-second by metric: seconds, minutes, hours\n", bands)
		var sum [3]float64
		for k, m := range gpuMetrics {
			s, mi, ho := float64(seconds[k])/n/3600, float64(minutes[k])/n/3600, float64(hours[k])/n/3600
			sum[0], sum[1], sum[2] = sum[0]+s, sum[1]+mi, sum[2]+ho
			fmt.Printf("# %-18s %6.3f %6.3f %6.3f\n", m, s, mi, ho)
		}
		fmt.Printf("# %-18s %6.3f %6.3f %6.3f; ticks %.3f\n", "all", sum[0], sum[1], sum[2], float64(ticks)/n/3600)
	}
}
