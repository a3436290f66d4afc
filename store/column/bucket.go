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
		one.Sum = 0
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
	flagEven    = 0x08 // they stand in a row and have the same N
)

// maxBuckets bounds a blob of buckets: the minutes of an hour, with room.
const maxBuckets = 64

// EncodeBuckets packs buckets in rising order of At.
func EncodeBuckets(kind probe.Kind, list []Bucket, steps int64) ([]byte, error) {
	if len(list) > maxBuckets {
		return nil, fmt.Errorf("pack rollup: %d buckets, at most %d", len(list), maxBuckets)
	}
	var flags byte
	steady, even := len(list) > 0, len(list) > 0
	for i, b := range list {
		if b.N == 0 {
			flags |= flagMissing
		}
		want := list[0]
		want.At += i
		steady = steady && b == want
		even = even && b.At == want.At && b.N == want.N
	}
	if steady {
		flags |= flagSteady
	}
	if even {
		flags |= flagEven
	}
	if kind == probe.Gauge || kind == probe.Level {
		flags |= flagGauge
	}
	w := writer{}
	w.uint(uint64(len(list)))
	w.uint(uint64(max(steps, 1)))
	w.byte(flags)
	w.places(list, flags)
	if flags&flagMissing != 0 {
		at := w.texts(len(list), func(i int) string { return list[i].Raw })
		for _, b := range list {
			if b.N == 0 {
				w.byte(byte(b.State))
				w.uint(at[Clip(b.Raw)])
			}
			if flags&flagSteady != 0 {
				break
			}
		}
	}
	if flags&flagSteady != 0 || len(list) < 4 {
		w.numbers(list, flags)
		return seal(w.b), nil
	}
	forms := []bool{false}
	if kind == probe.Gauge || kind == probe.Level {
		forms = []bool{false, true}
	}
	var coded []byte
	for _, ends := range forms {
		c := writer{b: append(make([]byte, 0, len(w.b)+128), w.b...)}
		c.sums(kind, list, ends)
		if coded == nil || len(c.b) < len(coded) {
			coded = c.b
		}
	}
	w.numbers(list, flags)
	best, other := seal(w.b), sealCoded(coded)
	if len(other) < len(best) {
		best = other
	}
	return best, nil
}

// sumsByEnds marks sums of a gauge that are told by their least and greatest: a
// level in steps. Noise around a level is told by its mean.
const sumsByEnds = 0x80

// sums writes what the buckets hold as three streams. Of a gauge they are the
// sum, how far the least lies below the mean and how far the greatest above it,
// or the least, the way to the greatest and the sum of what lies above the least;
// of a counter its first number, the way to the last, and what it rose beyond
// that; of a mask the bits of any second, those of every second, nothing.
func (w *writer) sums(kind probe.Kind, list []Bucket, ends bool) {
	var a, b, c []int64
	for i := range list {
		x := &list[i]
		if x.N == 0 {
			continue
		}
		switch kind {
		case probe.Counter:
			a, b, c = append(a, x.Min), append(b, x.Max-x.Min), append(c, x.Sum-(x.Max-x.Min))
		case probe.Mask:
			a, b, c = append(a, x.Max), append(b, x.Min), append(c, x.Sum)
		case probe.Gauge, probe.Level:
			if ends {
				a, b, c = append(a, x.Min), append(b, x.Max-x.Min), append(c, x.Sum-x.N*x.Min)
				continue
			}
			mean := floorDiv(x.Sum, x.N)
			a, b, c = append(a, x.Sum), append(b, mean-x.Min), append(c, x.Max-mean)
		}
	}
	head := byte(kind)
	if ends {
		head |= sumsByEnds
	}
	w.byte(head)
	if len(a) == 0 {
		return
	}
	for _, v := range [][]int64{a, b, c} {
		w.stream(v, 0, nil)
	}
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// sums reads what the writer's sums wrote.
func (r *reader) sums(list []Bucket) {
	head := r.byte()
	kind := probe.Kind(head &^ sumsByEnds)
	if kind > probe.Level {
		r.fail("kind")
	}
	n := 0
	for i := range list {
		if list[i].N > 0 {
			n++
		}
	}
	if n == 0 || r.err != nil {
		return
	}
	var v [3][]int64
	for i := range v {
		v[i], _ = r.stream(n, nil)
	}
	if r.err != nil {
		return
	}
	k := 0
	for i := range list {
		x := &list[i]
		if x.N == 0 {
			continue
		}
		a, b, c := v[0][k], v[1][k], v[2][k]
		k++
		switch kind {
		case probe.Counter:
			x.Min, x.Max, x.Sum = a, a+b, b+c
		case probe.Mask:
			x.Max, x.Min, x.Sum = a, b, c
		case probe.Gauge, probe.Level:
			if head&sumsByEnds != 0 {
				x.Min, x.Max, x.Sum = a, a+b, c+x.N*a
				continue
			}
			mean := floorDiv(a, x.N)
			x.Sum, x.Min, x.Max = a, mean-b, mean+c
		}
	}
}

// places writes At and N.
func (w *writer) places(list []Bucket, flags byte) {
	last := -1
	for _, b := range list {
		w.uint(uint64(b.At - last))
		last = b.At
		if flags&flagEven != 0 {
			break
		}
	}
	for _, b := range list {
		w.uint(uint64(b.N))
		if flags&flagEven != 0 {
			break
		}
	}
}

// numbers writes Min, Max and Sum, each in a row of its own.
func (w *writer) numbers(list []Bucket, flags byte) {
	for part := range 3 {
		last := int64(0)
		for _, b := range list {
			if b.N == 0 {
				continue
			}
			switch {
			case part == 0:
				w.int(b.Min - last)
				last = b.Min
			case part == 1:
				w.int(b.Max - b.Min)
			case flags&flagGauge != 0:
				w.int(b.Sum - b.N*b.Min)
			default:
				w.int(b.Sum)
			}
			if flags&flagSteady != 0 {
				break
			}
		}
	}
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
	start := len(dst)
	for range n {
		dst = append(dst, Bucket{State: probe.OK})
	}
	list := dst[start:]
	r.places(list, flags)
	if flags&flagMissing != 0 && r.err == nil {
		texts := r.texts()
		for i := range list {
			if i > 0 && flags&flagSteady != 0 {
				list[i].State, list[i].Raw = list[0].State, list[0].Raw
				continue
			}
			if list[i].N == 0 && r.err == nil {
				if list[i].State = r.state(); list[i].State == probe.OK {
					r.fail("state")
				}
				list[i].Raw = r.textAt(texts)
			}
		}
	}
	if blob[0] == versionCoded {
		r.sums(list)
	} else {
		r.numbers(list, flags)
	}
	if r.err != nil {
		return nil, 0, r.err
	}
	return dst, steps, nil
}

func (r *reader) places(list []Bucket, flags byte) {
	last, step := -1, 0
	for i := range list {
		if i == 0 || flags&flagEven == 0 {
			step = r.count(maxBuckets, "minute")
		} else {
			step = 1
		}
		last += step
		if last < 0 || last >= maxBuckets {
			r.fail("minute")
		}
		list[i].At = last
		if r.err != nil {
			return
		}
	}
	for i := range list {
		if i > 0 && flags&flagEven != 0 {
			list[i].N = list[0].N
			continue
		}
		list[i].N = int64(r.count(1<<32, "seconds"))
	}
	for i := range list {
		if list[i].N == 0 && flags&flagMissing == 0 {
			r.fail("seconds")
		}
	}
}

func (r *reader) numbers(list []Bucket, flags byte) {
	for part := range 3 {
		first := (*Bucket)(nil)
		last := int64(0)
		for i := range list {
			b := &list[i]
			if b.N == 0 || r.err != nil {
				continue
			}
			if first != nil && flags&flagSteady != 0 {
				b.Min, b.Max, b.Sum = first.Min, first.Max, first.Sum
				continue
			}
			switch {
			case part == 0:
				b.Min = last + r.int()
				last = b.Min
			case part == 1:
				b.Max = b.Min + r.int()
			case flags&flagGauge != 0:
				b.Sum = r.int() + b.N*b.Min
			default:
				b.Sum = r.int()
			}
			if first == nil {
				first = b
			}
		}
	}
}
