// Package column packs the seconds, minutes and hours of a metric into blobs.
//
// A sealed hour of one metric of one card is one blob: whole numbers of the
// metric's step, predicted from those before (or, for an energy, from the power
// beside it), what is left coded with the chances it had so far, a checksum; see
// stream.go and coder.go. Blobs of version 1 are differences or distances as
// zigzag varints in zstd, and stay readable. What could not be read stands
// beside the numbers with its state and its raw token and never becomes a
// number. Blobs come from a file that may be damaged, so every length and count
// is bounded.
package column

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"rentgen/probe"
)

// MaxCells bounds the entries of one blob. An hour has 3600 seconds; more come
// only from readers that overlap.
const MaxCells = 1 << 16

// MaxRaw bounds a stored raw token, in bytes.
const MaxRaw = 256

// ErrCorrupt is in the chain of every error of the decoders.
var ErrCorrupt = errors.New("corrupt column")

func corrupt(what string) error { return fmt.Errorf("%w: %s", ErrCorrupt, what) }

// Cell is one second of one metric. V is the mean, Lo and Hi the least and the
// greatest, all in steps of the metric; they mean something only when State is
// probe.OK.
type Cell struct {
	V, Lo, Hi int64
	State     probe.State
	Raw       string
}

// OK reports whether the cell holds a reading.
func (c Cell) OK() bool { return c.State == probe.OK }

const (
	version      = 1
	versionCoded = 2    // the numbers are streams, with a checksum behind them
	flagZstd     = 0x10 // the body is a zstd frame
	flagGap      = 0x01 // states are listed
	flagSpread   = 0x02 // Lo and Hi are listed
	flagConst    = 0x04 // one number stands for all
	flagOffset   = 0x08 // numbers are distances from the least
	flagDrift    = 0x20 // numbers are differences, as distances from the least difference
)

// Steps returns how many steps of m make one unit: 1 for whole numbers, 10 for
// tenths.
func Steps(m probe.Metric) int64 {
	step := m.Info().Step
	if step <= 0 {
		return 1
	}
	if n := int64(math.Round(1 / step)); n >= 1 {
		return n
	}
	return 1
}

// Float turns steps back into the metric's unit.
func Float(v, steps int64) float64 {
	if steps <= 1 {
		return float64(v)
	}
	return float64(v) / float64(steps)
}

// Encode packs cells. steps is what Steps returned for the metric; it is kept
// in the blob so that a later change of a metric's step changes no history.
// Cells beyond MaxCells are an error.
func Encode(cells []Cell, steps int64) ([]byte, error) { return EncodeBeside(cells, steps, nil) }

// EncodeBeside packs cells of a counter that grows by about what beside holds,
// as an energy does by the power of the second; beside is nil where nothing is
// known. Such a blob is read with DecodeBeside and the same cells.
func EncodeBeside(cells []Cell, steps int64, beside []Cell) ([]byte, error) {
	if len(cells) > MaxCells {
		return nil, fmt.Errorf("pack column: %d cells, at most %d", len(cells), MaxCells)
	}
	var flags byte
	values := make([]int64, 0, len(cells))
	for _, c := range cells {
		if !c.OK() {
			flags |= flagGap
			continue
		}
		values = append(values, c.V)
		if c.Lo != c.V || c.Hi != c.V {
			flags |= flagSpread
		}
	}
	if constant(values) {
		flags |= flagConst
	}
	if flags&flagConst != 0 || len(values) == 0 {
		return pack(cells, values, steps, flags), nil
	}
	coded, states := packCoded(cells, values, steps, flags, besideOf(cells, beside))
	if states < worthPacking {
		return coded, nil
	}
	// Many changes of state pack better in the older form.
	best := coded
	for _, how := range []byte{0, flagOffset, flagDrift} {
		if other := pack(cells, values, steps, flags|how); len(other) < len(best) {
			best = other
		}
	}
	return best, nil
}

// besideOf are the numbers beside the cells that hold readings; where there is
// none, the one before.
func besideOf(cells, beside []Cell) []int64 {
	if beside == nil || len(beside) != len(cells) {
		return nil
	}
	list := make([]int64, 0, len(cells))
	last := int64(0)
	for i := range cells {
		if beside[i].OK() {
			last = beside[i].V
		}
		if cells[i].OK() {
			list = append(list, last)
		}
	}
	return list
}

// packCoded writes the numbers as streams; states is how many bytes of it list
// states.
func packCoded(cells []Cell, values []int64, steps int64, flags byte, beside []int64) (blob []byte, states int) {
	w := writer{b: make([]byte, 0, 2*len(cells)+64)}
	w.uint(uint64(len(cells)))
	w.uint(uint64(max(steps, 1)))
	w.byte(flags)
	if flags&flagGap != 0 {
		at := len(w.b)
		w.states(cells)
		states = len(w.b) - at
	}
	w.stream(values, 0, beside)
	if flags&flagSpread != 0 {
		for _, end := range []func(*Cell) (from, is int64){
			func(c *Cell) (int64, int64) { return c.V - c.Lo, c.Lo },
			func(c *Cell) (int64, int64) { return c.Hi - c.V, c.Hi },
		} {
			far, abs := make([]int64, 0, len(values)), make([]int64, 0, len(values))
			for i := range cells {
				if cells[i].OK() {
					a, b := end(&cells[i])
					far, abs = append(far, a), append(abs, b)
				}
			}
			one, two := writer{}, writer{}
			one.stream(far, 0, nil)
			two.stream(abs, streamBase, nil)
			if len(two.b) < len(one.b) {
				one = two
			}
			w.b = append(w.b, one.b...)
		}
	}
	return sealCoded(w.b), states
}

func constant(values []int64) bool {
	for _, v := range values {
		if v != values[0] {
			return false
		}
	}
	return true
}

func pack(cells []Cell, values []int64, steps int64, flags byte) []byte {
	w := writer{b: make([]byte, 0, 2*len(cells)+64)}
	w.uint(uint64(len(cells)))
	w.uint(uint64(max(steps, 1)))
	w.byte(flags)
	if flags&flagGap != 0 {
		w.states(cells)
	}
	switch {
	case len(values) == 0:
	case flags&flagConst != 0:
		w.int(values[0])
	case flags&flagOffset != 0:
		base := slices.Min(values)
		w.int(base)
		for _, v := range values {
			w.uint(uint64(v - base))
		}
	case flags&flagDrift != 0:
		least := int64(math.MaxInt64)
		for i := 1; i < len(values); i++ {
			least = min(least, values[i]-values[i-1])
		}
		w.int(values[0])
		w.int(least)
		for i := 1; i < len(values); i++ {
			w.uint(uint64(values[i] - values[i-1] - least))
		}
	default:
		last := int64(0)
		for _, v := range values {
			w.int(v - last)
			last = v
		}
	}
	if flags&flagSpread != 0 {
		for _, c := range cells {
			if c.OK() {
				w.uint(uint64(c.V - c.Lo))
			}
		}
		for _, c := range cells {
			if c.OK() {
				w.uint(uint64(c.Hi - c.V))
			}
		}
	}
	return seal(w.b)
}

// Decode unpacks a blob into dst, which is overwritten and grown as needed,
// and returns the cells with the steps a unit has.
func Decode(dst []Cell, blob []byte) ([]Cell, int64, error) { return DecodeBeside(dst, blob, nil) }

// DecodeBeside is Decode for what EncodeBeside packed: beside is asked for the
// cells beside where the blob needs them.
func DecodeBeside(dst []Cell, blob []byte, beside func() ([]Cell, error)) ([]Cell, int64, error) {
	return decode(dst, blob, beside, true)
}

// DecodeMeans is Decode without Lo and Hi, which are left at V: what stands
// beside an energy is read so.
func DecodeMeans(blob []byte) ([]Cell, error) {
	cells, _, err := decode(nil, blob, nil, false)
	return cells, err
}

func decode(dst []Cell, blob []byte, beside func() ([]Cell, error), spread bool) ([]Cell, int64, error) {
	body, err := unseal(blob)
	if err != nil {
		return nil, 0, err
	}
	r := reader{b: body}
	n, steps := r.count(MaxCells, "cells"), int64(r.count(1<<30, "steps"))
	flags := r.byte()
	if r.err != nil {
		return nil, 0, r.err
	}
	if steps < 1 {
		return nil, 0, corrupt("steps")
	}
	if !spread {
		flags &^= flagSpread
	}
	dst = slices.Grow(dst[:0], n)[:n]
	ok := n
	if flags&flagGap != 0 {
		ok = r.states(dst)
	} else {
		for i := range dst {
			dst[i].State, dst[i].Raw = probe.OK, ""
		}
	}
	switch {
	case ok == 0:
	case blob[0] == versionCoded:
		r.coded(dst, ok, flags, beside)
	default:
		r.values(dst, flags)
		r.spread(dst, flags)
	}
	if r.err != nil {
		return nil, 0, r.err
	}
	return dst, steps, nil
}

// coded reads the streams of ok cells that hold readings.
func (r *reader) coded(dst []Cell, ok int, flags byte, beside func() ([]Cell, error)) {
	v, _ := r.stream(ok, func() ([]int64, error) {
		if beside == nil {
			return nil, corrupt("no cells beside")
		}
		cells, err := beside()
		if err != nil {
			return nil, err
		}
		if len(cells) != len(dst) {
			return nil, corrupt("cells beside")
		}
		return besideOf(dst, cells), nil
	})
	if r.err != nil {
		return
	}
	k := 0
	for i := range dst {
		if dst[i].OK() {
			dst[i].V, dst[i].Lo, dst[i].Hi = v[k], v[k], v[k]
			k++
		}
	}
	if flags&flagSpread == 0 {
		return
	}
	for _, end := range []func(c *Cell, far, abs int64, isAbs bool){
		func(c *Cell, far, abs int64, isAbs bool) {
			if c.Lo = c.V - far; isAbs {
				c.Lo = abs
			}
		},
		func(c *Cell, far, abs int64, isAbs bool) {
			if c.Hi = c.V + far; isAbs {
				c.Hi = abs
			}
		},
	} {
		v, mark := r.stream(ok, nil)
		if r.err != nil {
			return
		}
		k := 0
		for i := range dst {
			if dst[i].OK() {
				end(&dst[i], v[k], v[k], mark&streamBase != 0)
				k++
			}
		}
	}
}

// spread reads Lo and Hi of the older form.
func (r *reader) spread(dst []Cell, flags byte) {
	if flags&flagSpread == 0 {
		return
	}
	for i := range dst {
		if dst[i].OK() {
			dst[i].Lo = dst[i].V - int64(r.uint())
		}
	}
	for i := range dst {
		if dst[i].OK() {
			dst[i].Hi = dst[i].V + int64(r.uint())
		}
	}
}

func (r *reader) values(dst []Cell, flags byte) {
	var last, base, least int64
	first := true
	switch {
	case flags&flagConst != 0, flags&flagOffset != 0:
		last = r.int()
		base = last
	case flags&flagDrift != 0:
		last = r.int()
		least = r.int()
	}
	for i := range dst {
		if !dst[i].OK() {
			continue
		}
		switch {
		case flags&flagConst != 0:
		case flags&flagOffset != 0:
			last = base + int64(r.uint())
		case flags&flagDrift != 0:
			if !first {
				last += least + int64(r.uint())
			}
			first = false
		default:
			last += r.int()
		}
		if r.err != nil {
			return
		}
		dst[i].V, dst[i].Lo, dst[i].Hi = last, last, last
	}
}
