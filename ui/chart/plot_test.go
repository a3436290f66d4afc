package chart

import (
	"math"
	"math/rand/v2"
	"testing"

	"rentgen/ui/theme"
)

func benchData() *Data {
	r := rand.New(rand.NewPCG(1, 2))
	d := &Data{Unit: "%", Fixed: 100}
	for k := range 4 {
		s := d.Grow("s", k)
		s.Step = 1000
		for i := range 3600 {
			v := 50 + 30*math.Sin(float64(i)/200+float64(k)) + 6*r.Float64()
			s.AddSpan(int64(i)*1000, v-4, v+5, v)
		}
	}
	return d
}

func BenchmarkFrame(b *testing.B) {
	d := benchData()
	s := &snapshot{data: d, from: 0, to: 3600_000, axis: newAxis("%", 100, 0, 5), palette: theme.PaletteOf(0)}
	var p plotter
	p.draw(s, 1200, 300, 1)
	b.ReportAllocs()
	for b.Loop() {
		p.draw(s, 1200, 300, 1)
	}
}
