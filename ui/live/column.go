package live

import (
	"math"

	"rentgen/probe"
)

// Column is one line that is kept over time: a metric of a card or of the
// machine, or one that is derived from a card's process list.
type Column int

// The derived columns of a card, in MiB. Other holds what the driver lists for
// processes outside this container.
const (
	MemOwn Column = 1000 + iota
	MemOther
)

const derived = 2

// Of returns the column of a metric.
func Of(m probe.Metric) Column { return Column(m) }

// Metric returns the metric of the column; false for a derived one.
func (c Column) Metric() (probe.Metric, bool) {
	if c >= MemOwn || c < 0 {
		return 0, false
	}
	m := probe.Metric(c)
	return m, m.Valid()
}

// slot returns the index of the column among the columns of a card or of the
// machine, and whether there is such a column.
func (c Column) slot() (int, bool) {
	if c == MemOwn || c == MemOther {
		return probe.GPUMetricCount + int(c-MemOwn), true
	}
	m, ok := c.Metric()
	if !ok {
		return 0, false
	}
	if m.System() {
		return int(m) - int(probe.CPU), true
	}
	return int(m), true
}

var nan = float32(math.NaN())

func isNaN(f float32) bool { return f != f } //nolint:gocritic // the cheap test for NaN

// block holds blockLen slots of one column, in the smallest form that loses
// nothing. As long as every reading is the same, as limits and totals are, it is
// that value and a span of slots; whole numbers take two bytes each, as most
// sensors give them; else mean is there, and lo and hi once a slot held more than
// one reading.
type block struct {
	slots    int
	flat     float32
	from, to int // slots that hold flat while neither small nor mean is there

	small []uint16 // whole numbers; noSmall is none

	mean, lo, hi []float32
	n            []uint16 // readings in a slot, nil while every slot holds one
}

const noSmall = math.MaxUint16

// fits reports whether a value, or that there is none, can stand in small.
func fits(v float32) bool {
	return isNaN(v) || v >= 0 && v < noSmall && v == float32(uint16(v))
}

func smallOf(v float32) uint16 {
	if isNaN(v) {
		return noSmall
	}
	return uint16(v)
}

func (b *block) set(i int, v float32) {
	if b.mean == nil {
		if b.small == nil && b.keepFlat(i, v) {
			return
		}
		if fits(v) && b.shrunk() {
			b.small[i] = smallOf(v)
			return
		}
	}
	b.spread()
	b.mean[i] = v
	if b.lo != nil {
		b.lo[i], b.hi[i] = v, v
	}
	if b.n != nil {
		b.n[i] = 1
	}
}

// keepFlat puts a reading into a block of one value, and reports whether it still
// is one.
func (b *block) keepFlat(i int, v float32) bool {
	switch {
	case isNaN(v):
		return i < b.from || i >= b.to
	case b.from == b.to:
		b.flat, b.from, b.to = v, i, i+1
	case v != b.flat:
		return false
	case i == b.to:
		b.to++
	default:
		return i >= b.from && i < b.to
	}
	return true
}

// shrunk gives the block two bytes for each slot and reports whether its values
// fit there.
func (b *block) shrunk() bool {
	if b.small == nil && fits(b.flat) {
		b.small = make([]uint16, b.slots)
		for i := range b.small {
			b.small[i] = noSmall
			if i >= b.from && i < b.to {
				b.small[i] = smallOf(b.flat)
			}
		}
	}
	return b.small != nil
}

// spread gives the block a number for each slot.
func (b *block) spread() {
	if b.mean != nil {
		return
	}
	mean := make([]float32, b.slots)
	for i := range mean {
		mean[i] = b.value(i)
	}
	b.mean, b.small = mean, nil
}

// value is the mean of a slot.
func (b *block) value(i int) float32 {
	switch {
	case b.mean != nil:
		return b.mean[i]
	case b.small != nil:
		if b.small[i] == noSmall {
			return nan
		}
		return float32(b.small[i])
	case i >= b.from && i < b.to:
		return b.flat
	}
	return nan
}

// add puts another reading with its least and greatest into slot i.
func (b *block) add(i int, v, lo, hi float32) {
	if isNaN(v) {
		return
	}
	first := isNaN(b.value(i))
	if first && lo == v && hi == v {
		b.set(i, v)
		return
	}
	b.widen()
	if first {
		b.mean[i], b.lo[i], b.hi[i], b.n[i] = v, lo, hi, 1
		return
	}
	if b.n[i] < math.MaxUint16 {
		b.n[i]++
	}
	b.mean[i] += (v - b.mean[i]) / float32(b.n[i])
	b.lo[i] = min(b.lo[i], lo)
	b.hi[i] = max(b.hi[i], hi)
}

// widen gives the block room for spreads; until then they equal the mean.
func (b *block) widen() {
	if b.lo != nil {
		return
	}
	b.spread()
	b.lo = append([]float32(nil), b.mean...)
	b.hi = append([]float32(nil), b.mean...)
	b.n = make([]uint16, len(b.mean))
	for i := range b.n {
		if !isNaN(b.mean[i]) {
			b.n[i] = 1
		}
	}
}

func (b *block) at(i int) (mean, lo, hi float32) {
	mean = b.value(i)
	if b.lo == nil {
		return mean, mean, mean
	}
	return mean, b.lo[i], b.hi[i]
}

// lane is one column over the whole ring: a list of blocks, nil where the
// column had no reading at all. A card without NVLink costs nothing for it.
type lane struct{ blocks []*block }

func (l *lane) block(i, length int) *block {
	for len(l.blocks) <= i {
		l.blocks = append(l.blocks, nil)
	}
	b := l.blocks[i]
	if b == nil {
		b = &block{slots: length}
		l.blocks[i] = b
	}
	return b
}

func (l *lane) at(i, length int) (mean, lo, hi float32) {
	k := i / length
	if k >= len(l.blocks) || l.blocks[k] == nil {
		return nan, nan, nan
	}
	return l.blocks[k].at(i % length)
}
