package column

import (
	"math/rand/v2"
	"testing"

	"rentgen/probe"
)

// banded is an hour of a sensor around a level, with its band.
func banded() []Cell {
	r := rand.New(rand.NewPCG(3, 4))
	cells := make([]Cell, 3600)
	for i := range cells {
		v := int64(330 + 7*r.NormFloat64())
		cells[i] = Cell{V: v, Lo: v - 20 - r.Int64N(8), Hi: v + 20 + r.Int64N(8), State: probe.OK}
	}
	return cells
}

func BenchmarkEncode(b *testing.B) {
	cells := banded()
	for b.Loop() {
		if _, err := Encode(cells, 1); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	blob, err := Encode(banded(), 1)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(len(blob))/3600, "B/s")
	var dst []Cell
	for b.Loop() {
		if dst, _, err = Decode(dst, blob); err != nil {
			b.Fatal(err)
		}
	}
}
