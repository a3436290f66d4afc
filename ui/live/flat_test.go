package live

import (
	"math/rand/v2"
	"testing"
)

// TestFlatBlock compares a block with plain slices over random readings: the
// same, others, more than one in a slot, and slots that are cleared.
func TestFlatBlock(t *testing.T) {
	const slots = 40
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 3))
		b := &block{slots: slots}
		want := make([]struct {
			sum, lo, hi float32
			n           int
		}, slots)
		for i := range slots {
			if rng.IntN(10) == 0 {
				continue
			}
			for range 1 + rng.IntN(2)*rng.IntN(2) {
				v := float32(7)
				switch seed % 4 {
				case 1: // whole numbers
					v = float32(rng.IntN(100))
				case 2: // seldom a part of one, or one that is too large
					if v = float32(rng.IntN(100)); rng.IntN(40) == 0 {
						v = []float32{0.5, 70000, -3, 65535}[rng.IntN(4)]
					}
				default:
					if rng.IntN(60) == 0 {
						v = float32(rng.IntN(5))
					}
				}
				b.add(i, v, v, v)
				w := &want[i]
				if w.n == 0 {
					w.lo, w.hi = v, v
				}
				w.sum, w.n, w.lo, w.hi = w.sum+v, w.n+1, min(w.lo, v), max(w.hi, v)
			}
			if rng.IntN(30) == 0 {
				j := rng.IntN(i + 1)
				b.set(j, nan)
				want[j].n = 0
			}
		}
		for i, w := range want {
			mean, lo, hi := b.at(i)
			if w.n == 0 {
				if !isNaN(mean) {
					t.Fatalf("seed %d: slot %d holds %v", seed, i, mean)
				}
				continue
			}
			if d := mean - w.sum/float32(w.n); d > 1e-2 || d < -1e-2 || lo != w.lo || hi != w.hi {
				t.Fatalf("seed %d: slot %d is %v (%v to %v), want %v (%v to %v)", seed, i, mean, lo, hi, w.sum/float32(w.n), w.lo, w.hi)
			}
		}
	}
}

func TestFlatBlockTakesNoRoom(t *testing.T) {
	b := &block{slots: 600}
	for i := range 600 {
		b.add(i, 24564, 24564, 24564)
	}
	if b.mean != nil || b.small != nil {
		t.Error("the same value 600 times takes 600 places")
	}
	whole := &block{slots: 600}
	for i := range 600 {
		whole.add(i, float32(i%90), float32(i%90), float32(i%90))
	}
	if whole.mean != nil {
		t.Error("whole numbers take four bytes each")
	}
	b.add(599, 1, 1, 1)
	if m, lo, hi := b.at(599); m != 12282.5 || lo != 1 || hi != 24564 {
		t.Error(m, lo, hi)
	}
}
