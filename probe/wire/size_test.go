package wire

import (
	"bytes"
	"io"
	"math/rand/v2"
	"testing"

	"rentgen/probe"
)

// The bytes of a tick are a figure of the product: a day of eight cards at
// 1 Hz must stay far under the 55 MB that plain arrays would take.
func TestTickSize(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	inv := inventory(8)
	enc := NewEncoder(io.Discard)
	for i := range uint64(2) {
		if err := enc.Write(Frame{Inventory: inv, Sample: tick(inv, i, r)}); err != nil {
			t.Fatal(err)
		}
	}
	before := enc.Bytes()
	const n = 100
	for i := range uint64(n) {
		s := tick(inv, 2+i, r)
		if i%10 != 0 { // between whole seconds
			s.System = nil
			for j := range s.GPUs {
				s.GPUs[j].Procs = nil
			}
		}
		if err := enc.Write(Frame{Sample: s}); err != nil {
			t.Fatal(err)
		}
	}
	per := float64(enc.Bytes()-before) / n
	t.Logf("8 cards: %.0f bytes a tick at 10 Hz", per)
	if per > 650 {
		t.Errorf("%.0f bytes a tick, at most 650 (81 a card)", per)
	}
}

func BenchmarkEncodeTick(b *testing.B) {
	inv := inventory(8)
	r := rand.New(rand.NewPCG(5, 6))
	ticks := make([]*probe.Sample, 64)
	for i := range ticks {
		ticks[i] = tick(inv, uint64(i), r)
	}
	enc := NewEncoder(io.Discard)
	if err := enc.Write(Frame{Inventory: inv}); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if err := enc.Write(Frame{Sample: ticks[i%len(ticks)]}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(enc.Bytes())/float64(b.N), "B/tick")
}

func BenchmarkDecodeTick(b *testing.B) {
	inv := inventory(8)
	r := rand.New(rand.NewPCG(5, 6))
	var buf bytes.Buffer
	enc := NewEncoder(&buf)
	if err := enc.Write(Frame{Inventory: inv}); err != nil {
		b.Fatal(err)
	}
	for i := range uint64(64) {
		if err := enc.Write(Frame{Sample: tick(inv, i, r)}); err != nil {
			b.Fatal(err)
		}
	}
	data := buf.Bytes()
	src := bytes.NewReader(nil)
	var dec *Decoder
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if i%65 == 0 {
			src.Reset(data)
			dec = NewDecoder(src)
		}
		if _, err := dec.Read(); err != nil {
			b.Fatal(err)
		}
	}
}
