package column

import (
	"fmt"

	"rentgen/probe"
)

// Bucket sums up a minute or an hour of one metric, in steps. N counts the
// seconds with a reading; with none, State and Raw say why.
//
// What Min, Max and Sum hold depends on the metric's kind:
//   - Gauge, Level: the least, the greatest, the sum of the seconds' means
//   - Mask: bits set in every second, bits set in any, nothing
//   - Counter: the first reading, the last, and how much it grew between them
//     (a fall is a counter that began anew and adds nothing)
type Bucket struct {
	At            int // number of the minute in its hour; 0 for an hour
	N             int64
	Min, Max, Sum int64
	State         probe.State
	Raw           string
}

// Add counts one more second in, which must be later than those before.
func (b *Bucket) Add(kind probe.Kind, c Cell) {
	if !c.OK() {
		if b.N == 0 {
			b.State, b.Raw = c.State, c.Raw
		}
		return
	}
	one := Bucket{N: 1, Min: c.Lo, Max: c.Hi, Sum: c.V, State: probe.OK}
	switch kind {
	case probe.Counter:
		one.Min, one.Max, one.Sum = c.V, c.V, 0
	case probe.Mask:
		one.Min, one.Max, one.Sum = c.V, c.V, 0
	case probe.Gauge, probe.Level:
	}
	b.Merge(kind, one)
}

// Merge counts a later bucket in.
func (b *Bucket) Merge(kind probe.Kind, o Bucket) {
	switch {
	case o.N == 0:
		if b.N == 0 {
			b.State, b.Raw = o.State, o.Raw
		}
		return
	case b.N == 0:
		o.At = b.At
		*b = o
		return
	}
	switch kind {
	case probe.Counter:
		b.Sum += o.Sum
		if o.Min > b.Max {
			b.Sum += o.Min - b.Max
		}
		b.Max = o.Max
	case probe.Mask:
		b.Min &= o.Min
		b.Max |= o.Max
	case probe.Gauge, probe.Level:
		b.Min, b.Max = min(b.Min, o.Min), max(b.Max, o.Max)
		b.Sum += o.Sum
	}
	b.N += o.N
}

const (
	flagMissing = 0x01 // some bucket has no reading
	flagSteady  = 0x02 // all are alike and stand in a row
	flagGauge   = 0x04 // Sum is written as its distance from N times Min
)

// maxBuckets bounds a blob of buckets: the minutes of an hour, with room.
const maxBuckets = 64

// EncodeBuckets packs buckets in rising order of At.
func EncodeBuckets(kind probe.Kind, list []Bucket, steps int64) ([]byte, error) {
	if len(list) > maxBuckets {
		return nil, fmt.Errorf("pack rollup: %d buckets, at most %d", len(list), maxBuckets)
	}
	var flags byte
	steady := true
	for i, b := range list {
		if b.N == 0 {
			flags |= flagMissing
		}
		want := list[0]
		want.At += i
		steady = steady && b == want
	}
	if steady && len(list) > 0 {
		flags |= flagSteady
	}
	if kind == probe.Gauge || kind == probe.Level {
		flags |= flagGauge
	}
	w := writer{}
	w.uint(uint64(len(list)))
	w.uint(uint64(max(steps, 1)))
	w.byte(flags)
	var at map[string]uint64
	if flags&flagMissing != 0 {
		at = w.texts(len(list), func(i int) string { return list[i].Raw })
	}
	var prev Bucket
	prev.At = -1
	for _, b := range list {
		w.uint(uint64(b.At - prev.At))
		w.uint(uint64(b.N))
		if b.N == 0 {
			w.byte(byte(b.State))
			w.uint(at[Clip(b.Raw)])
			prev.At = b.At
		} else {
			sum := b.Sum
			if flags&flagGauge != 0 {
				sum -= b.N * b.Min
			}
			w.int(b.Min - prev.Min)
			w.int(b.Max - b.Min)
			w.int(sum)
			prev = b
		}
		if flags&flagSteady != 0 {
			break
		}
	}
	return seal(w.b), nil
}

// DecodeBuckets appends the buckets of a blob to dst and returns them with the
// steps a unit has.
func DecodeBuckets(dst []Bucket, blob []byte) ([]Bucket, int64, error) {
	body, err := unseal(blob)
	if err != nil {
		return nil, 0, err
	}
	r := reader{b: body}
	n, steps := r.count(maxBuckets, "buckets"), int64(r.count(1<<30, "steps"))
	flags := r.byte()
	if r.err == nil && steps < 1 {
		r.fail("steps")
	}
	list := []string{""}
	if flags&flagMissing != 0 {
		list = r.texts()
	}
	var prev Bucket
	prev.At = -1
	for i := 0; i < n && r.err == nil; i++ {
		if i > 0 && flags&flagSteady != 0 {
			b := dst[len(dst)-1]
			if b.At++; b.At >= maxBuckets {
				r.fail("minute")
				break
			}
			dst = append(dst, b)
			continue
		}
		b := Bucket{At: prev.At + r.count(maxBuckets, "minute"), State: probe.OK}
		b.N = int64(r.count(1<<32, "seconds"))
		if b.At < 0 || b.At >= maxBuckets {
			r.fail("minute")
		}
		if b.N == 0 {
			if b.State = r.state(); b.State == probe.OK {
				r.fail("state")
			}
			b.Raw = r.textAt(list)
			prev.At = b.At
		} else {
			b.Min = prev.Min + r.int()
			b.Max = b.Min + r.int()
			b.Sum = r.int()
			if flags&flagGauge != 0 {
				b.Sum += b.N * b.Min
			}
			prev = b
		}
		dst = append(dst, b)
	}
	if r.err != nil {
		return nil, 0, r.err
	}
	return dst, steps, nil
}
