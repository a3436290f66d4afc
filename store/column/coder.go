package column

import "math/bits"

// The streams of a column are coded bit by bit, each bit with the probability
// that it had so far at its place (a binary range coder as in G. N. N. Martin,
// "Range encoding", 1979, with the carry-free interval of M. Mahoney's paq
// coders). A sensor's noise then takes hardly more than its entropy.

// chance is how likely a one is, in 65536ths, and how often it was seen. The
// zero chance is even: p is kept with its top bit turned over.
type chance struct {
	p uint16
	n uint8
}

func (c *chance) of() uint16 { return c.p ^ even }

// seenMost bounds the memory of a chance: older readings fade.
const seenMost = 250

// shares are 65536/(n+2): the estimator of Krichevsky and Trofimov.
var shares = func() (s [seenMost + 1]int32) {
	for n := range s {
		s[n] = int32(65536 / (n + 2))
	}
	return s
}()

func (c *chance) see(bit int) {
	target := int32(0)
	if bit != 0 {
		target = 65535
	}
	p := int32(c.of())
	p += int32(int64(target-p) * int64(shares[c.n]) >> 16)
	c.p = uint16(min(max(p, 48), 65535-48)) ^ even
	if c.n < seenMost {
		c.n++
	}
}

// even is the chance of a bit that nothing is known of.
const even = 1 << 15

// coder writes bits.
type coder struct {
	lo, hi uint32
	b      []byte
}

func newCoder() *coder { return &coder{hi: 1<<32 - 1} }

// bit writes a bit whose chance of being one is p.
func (c *coder) bit(bit int, p uint16) {
	mid := c.lo + uint32(uint64(c.hi-c.lo)*uint64(p)>>16)
	if bit != 0 {
		c.hi = mid
	} else {
		c.lo = mid + 1
	}
	for (c.lo^c.hi)>>24 == 0 {
		c.b = append(c.b, byte(c.hi>>24))
		c.lo <<= 8
		c.hi = c.hi<<8 | 0xff
	}
}

// learn writes a bit and remembers it.
func (c *coder) learn(bit int, at *chance) int {
	c.bit(bit, at.of())
	at.see(bit)
	return bit
}

// end returns what was written, in as few bytes as tell it from all else.
func (c *coder) end() []byte {
	for n := 1; n <= 4; n++ {
		mask := uint32(1)<<(32-8*n) - 1
		v := uint64(c.lo) + uint64(mask)
		v &^= uint64(mask)
		if v <= uint64(c.hi) {
			for i := range n {
				c.b = append(c.b, byte(v>>(24-8*i)))
			}
			break
		}
	}
	for len(c.b) > 0 && c.b[len(c.b)-1] == 0 {
		c.b = c.b[:len(c.b)-1]
	}
	return c.b
}

// decoder reads what a coder wrote. Behind the end there are zeros.
type decoder struct {
	lo, hi, code uint32
	b            []byte
}

func newDecoder(b []byte) *decoder {
	d := &decoder{hi: 1<<32 - 1, b: b}
	for range 4 {
		d.code = d.code<<8 | uint32(d.next())
	}
	return d
}

func (d *decoder) next() byte {
	if len(d.b) == 0 {
		return 0
	}
	v := d.b[0]
	d.b = d.b[1:]
	return v
}

func (d *decoder) shift() {
	for (d.lo^d.hi)>>24 == 0 {
		d.code = d.code<<8 | uint32(d.next())
		d.lo <<= 8
		d.hi = d.hi<<8 | 0xff
	}
}

// even reads n bits of which nothing was known.
func (d *decoder) even(n int) (v int64) {
	for range n {
		mid := d.lo + (d.hi-d.lo)>>1
		v <<= 1
		if d.code <= mid {
			d.hi = mid
			v |= 1
		} else {
			d.lo = mid + 1
		}
		d.shift()
	}
	return v
}

func (d *decoder) learn(at *chance) int {
	p := uint32(at.p ^ even)
	mid := d.lo + uint32(uint64(d.hi-d.lo)*uint64(p)>>16)
	bit := 0
	if d.code <= mid {
		d.hi = mid
		bit = 1
	} else {
		d.lo = mid + 1
	}
	at.see(bit)
	if (d.lo^d.hi)>>24 == 0 {
		d.shift()
	}
	return bit
}

const (
	loudest  = 14 // contexts: how loud it was of late
	classes  = 64
	exact    = 3 // leading bits below the first that have chances of their own
	mantissa = 1 << exact
)

// residuals codes signed numbers that are mostly small: how many bits the
// magnitude has, the sign, the bits. What is small is known from those before.
type residuals struct {
	class [loudest][classes]chance
	sign  [classes]chance
	bits  [classes][mantissa]chance
	loud  int64 // mean magnitude of late, in 16ths
}

// at are the chances of how large a number is, by how large those before were.
func (r *residuals) at() *[classes]chance {
	return &r.class[min(bits.Len64(uint64(r.loud)), loudest-1)]
}

func (r *residuals) see(size int64) {
	r.loud += (min(size, 1<<40)<<4 - r.loud) >> 4
	if size > 0 && r.loud == 0 {
		r.loud = 1
	}
}

func (r *residuals) write(c *coder, v int64) {
	size, minus := v, 0
	if v < 0 {
		size, minus = -v, 1
	}
	class := min(bits.Len64(uint64(size)), classes-1)
	at := r.at()
	for k := range class {
		c.learn(1, &at[k])
	}
	if class < classes-1 {
		c.learn(0, &at[class])
	}
	if class > 0 {
		c.learn(minus, &r.sign[class])
		node := 1
		for i := class - 2; i >= 0; i-- {
			bit := int(size>>i) & 1
			if class-2-i < exact {
				node = node<<1 | c.learn(bit, &r.bits[class][node])
			} else {
				c.bit(bit, even)
			}
		}
	}
	r.see(size)
}

func (r *residuals) read(d *decoder) int64 {
	at := r.at()
	class := 0
	for class < classes-1 && d.learn(&at[class]) != 0 {
		class++
	}
	if class == 0 {
		r.see(0)
		return 0
	}
	minus := d.learn(&r.sign[class])
	node := 1
	left := class - 1
	tree := &r.bits[class]
	for range min(left, exact) {
		node = node<<1 | d.learn(&tree[node])
	}
	size := int64(node)
	if left > exact {
		size = size<<(left-exact) | d.even(left-exact)
	}
	r.see(size)
	if minus != 0 {
		return -size
	}
	return size
}
