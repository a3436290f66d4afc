package live

import (
	"slices"
	"sort"

	"rentgen/probe"
)

// ring keeps slots in rising time: stamps hold the time of the newest reading
// of each slot in Unix milliseconds; every lane has the same slots. Slots come
// and go a block at a time, so nothing is moved when the ring is full.
type ring struct {
	width    int64 // ms that one slot spans; 0: every reading has its own
	blockLen int
	blocks   int // blocks kept
	stamps   []int64
	lanes    map[laneKey]*lane
}

type laneKey struct {
	gpu  string
	slot int
}

func newRing(width int64, blockLen, slots int) *ring {
	// One block more than asked: the oldest goes as a whole.
	return &ring{width: width, blockLen: blockLen, blocks: (slots+blockLen-1)/blockLen + 1, lanes: make(map[laneKey]*lane)}
}

// open returns the index of the slot for a reading at t, making room for it.
// fresh says that the slot is new.
func (r *ring) open(t int64) (i int, fresh bool) {
	n := len(r.stamps)
	if n > 0 && t < r.stamps[n-1] {
		r.cut(t)
		n = len(r.stamps)
	}
	if n > 0 && r.width > 0 && t/r.width == r.stamps[n-1]/r.width {
		r.stamps[n-1] = t
		return n - 1, false
	}
	if n > 0 && r.width == 0 && t == r.stamps[n-1] {
		return n - 1, false
	}
	if n == r.blockLen*r.blocks {
		r.dropOldest()
	}
	r.stamps = append(r.stamps, t)
	return len(r.stamps) - 1, true
}

func (r *ring) dropOldest() {
	r.stamps = append(r.stamps[:0], r.stamps[r.blockLen:]...)
	for k, l := range r.lanes {
		if len(l.blocks) == 0 {
			continue
		}
		copy(l.blocks, l.blocks[1:])
		l.blocks[len(l.blocks)-1] = nil
		l.blocks = l.blocks[:len(l.blocks)-1]
		if len(l.blocks) == 0 {
			delete(r.lanes, k)
		}
	}
}

// cut forgets the slots later than t: the clock was put back, and a chart
// needs time that rises.
func (r *ring) cut(t int64) {
	keep := sort.Search(len(r.stamps), func(i int) bool { return r.stamps[i] > t })
	for _, l := range r.lanes {
		for i := keep; i < len(r.stamps); i++ {
			if k := i / r.blockLen; k < len(l.blocks) && l.blocks[k] != nil {
				l.blocks[k].set(i%r.blockLen, nan)
			}
		}
	}
	r.stamps = r.stamps[:keep]
}

// put adds a reading to slot i of a column.
func (r *ring) put(gpu string, slot, i int, mean, lo, hi float32) {
	if isNaN(mean) {
		return
	}
	k := laneKey{gpu, slot}
	l := r.lanes[k]
	if l == nil {
		l = &lane{}
		r.lanes[k] = l
	}
	l.block(i/r.blockLen, r.blockLen).add(i%r.blockLen, mean, lo, hi)
}

// forget drops the columns of a card.
func (r *ring) forget(gpu string) {
	for slot := range probe.GPUMetricCount + derived {
		delete(r.lanes, laneKey{gpu, slot})
	}
}

// span returns the slots of [from, to], with one more on each side so that a
// line reaches the edge of the picture.
func (r *ring) span(from, to int64) (first, end int) {
	first = sort.Search(len(r.stamps), func(i int) bool { return r.stamps[i] >= from })
	end = sort.Search(len(r.stamps), func(i int) bool { return r.stamps[i] > to })
	if first > 0 {
		first--
	}
	if end < len(r.stamps) {
		end++
	}
	return first, end
}

// track copies a column of a span, put together so that at most about points
// remain. Buckets lie on multiples of their width, so that a moving picture
// does not shimmer.
func (r *ring) track(buf Track, gpu string, slot int, from, to int64, points int) Track {
	first, end := r.span(from, to)
	n := end - first
	l := r.lanes[laneKey{gpu, slot}]
	t := buf.reset()
	if n <= 0 || l == nil {
		return t
	}
	if points <= 0 || n <= points {
		t.grow(n)
		for i := first; i < end; i++ {
			mean, lo, hi := l.at(i, r.blockLen)
			t.add(r.stamps[i], mean, lo, hi)
		}
		return t
	}
	bucket := (to - from + int64(points) - 1) / int64(points)
	bucket = max(bucket, 1)
	t.grow(points + 2)
	for i := first; i < end; {
		key := r.stamps[i] / bucket
		var sum float32
		var count int
		lo, hi := nan, nan
		stamp := r.stamps[i]
		for ; i < end && r.stamps[i]/bucket == key; i++ {
			m, a, b := l.at(i, r.blockLen)
			if isNaN(m) {
				continue
			}
			stamp = r.stamps[i]
			sum += m
			count++
			if count == 1 || a < lo {
				lo = a
			}
			if count == 1 || b > hi {
				hi = b
			}
		}
		if count == 0 {
			t.add(stamp, nan, nan, nan)
			continue
		}
		t.add(stamp, sum/float32(count), lo, hi)
	}
	return t
}

// Track is a column of a span of time: times in Unix milliseconds, rising, and
// for each the mean, least and greatest reading; NaN where there is none.
type Track struct {
	T              []int64
	Min, Max, Mean []float32
}

func (t Track) reset() Track {
	return Track{T: t.T[:0], Min: t.Min[:0], Max: t.Max[:0], Mean: t.Mean[:0]}
}

func (t *Track) grow(n int) {
	t.T = slices.Grow(t.T, n)
	t.Min = slices.Grow(t.Min, n)
	t.Max = slices.Grow(t.Max, n)
	t.Mean = slices.Grow(t.Mean, n)
}

func (t *Track) add(stamp int64, mean, lo, hi float32) {
	t.T = append(t.T, stamp)
	t.Mean = append(t.Mean, mean)
	t.Min = append(t.Min, lo)
	t.Max = append(t.Max, hi)
}

// Empty reports whether the track holds no reading at all.
func (t Track) Empty() bool {
	for _, m := range t.Mean {
		if !isNaN(m) {
			return false
		}
	}
	return true
}
