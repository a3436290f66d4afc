package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// The part of CBOR (RFC 8949) that frames use, by hand: the writer allocates
// nothing, and the reader knows a bound for every length before it believes it.
// Only definite lengths are written and accepted.

const (
	majorUint  = 0
	majorNeg   = 1
	majorBytes = 2
	majorText  = 3
	majorArray = 4
	majorMap   = 5
	majorTag   = 6
	majorOther = 7

	infoFalse   = 20
	infoTrue    = 21
	infoNull    = 22
	infoFloat16 = 25
	infoFloat32 = 26
	infoFloat64 = 27

	tagDecimal = 4 // [exponent, mantissa]: a power of 123.4 W takes 6 bytes, not 9
)

func appendHead(b []byte, major byte, n uint64) []byte {
	m := major << 5
	switch {
	case n < 24:
		return append(b, m|byte(n))
	case n <= math.MaxUint8:
		return append(b, m|24, byte(n))
	case n <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(b, m|25), uint16(n))
	case n <= math.MaxUint32:
		return binary.BigEndian.AppendUint32(append(b, m|26), uint32(n))
	}
	return binary.BigEndian.AppendUint64(append(b, m|27), n)
}

func appendUint(b []byte, n uint64) []byte { return appendHead(b, majorUint, n) }

func appendInt(b []byte, n int64) []byte {
	if n < 0 {
		return appendHead(b, majorNeg, uint64(-(n + 1)))
	}
	return appendHead(b, majorUint, uint64(n))
}

func appendBool(b []byte, v bool) []byte {
	if v {
		return append(b, majorOther<<5|infoTrue)
	}
	return append(b, majorOther<<5|infoFalse)
}

// appendText cuts s at the bound that the reader keeps, so that a long name
// costs its tail and not the link.
func appendText(b []byte, s string) []byte {
	if len(s) > MaxText {
		s = s[:MaxText]
	}
	return append(appendHead(b, majorText, uint64(len(s))), s...)
}

// appendNumber writes f without loss in the fewest bytes of the three forms:
// integer, decimal fraction with up to three places, float.
func appendNumber(b []byte, f float64) []byte {
	const exact = 1 << 53
	if f == math.Trunc(f) && math.Abs(f) < exact {
		if f == 0 && math.Signbit(f) {
			f = 0
		}
		return appendInt(b, int64(f))
	}
	scale := 1.0
	for e := int64(-1); e >= -3; e-- {
		scale *= 10
		m := math.Round(f * scale)
		if math.Abs(m) < 1<<31 && m/scale == f {
			b = appendHead(b, majorTag, tagDecimal)
			b = appendHead(b, majorArray, 2)
			return appendInt(appendInt(b, e), int64(m))
		}
	}
	if g := float32(f); float64(g) == f {
		return binary.BigEndian.AppendUint32(append(b, majorOther<<5|infoFloat32), math.Float32bits(g))
	}
	return binary.BigEndian.AppendUint64(append(b, majorOther<<5|infoFloat64), math.Float64bits(f))
}

var errShort = errors.New("frame ends inside a value")

// reader takes a frame apart. The first mistake sticks; after it every method
// returns zero values, so that callers check once, at the end.
type reader struct {
	b   []byte
	err error
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
	r.b = nil
}

// head reads a type and its argument. For floats the argument is the bits.
func (r *reader) head() (major, info byte, n uint64) {
	if r.err != nil {
		return 0, 0, 0
	}
	if len(r.b) == 0 {
		r.err = errShort
		return 0, 0, 0
	}
	c := r.b[0]
	major, info = c>>5, c&31
	r.b = r.b[1:]
	if info < 24 {
		return major, info, uint64(info)
	}
	if info > 27 {
		r.fail("unsupported CBOR head 0x%02x", c)
		return 0, 0, 0
	}
	size := 1 << (info - 24)
	if len(r.b) < size {
		r.b, r.err = nil, errShort
		return 0, 0, 0
	}
	switch size {
	case 1:
		n = uint64(r.b[0])
	case 2:
		n = uint64(binary.BigEndian.Uint16(r.b))
	case 4:
		n = uint64(binary.BigEndian.Uint32(r.b))
	case 8:
		n = binary.BigEndian.Uint64(r.b)
	}
	r.b = r.b[size:]
	return major, info, n
}

func (r *reader) uint() uint64 {
	major, _, n := r.head()
	if r.err == nil && major != majorUint {
		r.fail("expected an unsigned integer, got CBOR type %d", major)
		return 0
	}
	return n
}

func (r *reader) int() int64 {
	major, _, n := r.head()
	switch {
	case r.err != nil:
		return 0
	case n > math.MaxInt64:
		r.fail("integer out of range")
		return 0
	case major == majorUint:
		return int64(n)
	case major == majorNeg:
		return -1 - int64(n)
	}
	r.fail("expected an integer, got CBOR type %d", major)
	return 0
}

// small reads an integer that names a thing (index, pid, code).
func (r *reader) small() int {
	n := r.int()
	if n > math.MaxInt32 || n < math.MinInt32 {
		r.fail("integer %d out of range", n)
		return 0
	}
	return int(n)
}

func (r *reader) bool() bool {
	major, info, _ := r.head()
	if r.err == nil && (major != majorOther || (info != infoTrue && info != infoFalse)) {
		r.fail("expected a boolean")
		return false
	}
	return info == infoTrue
}

// text reads a string of at most MaxText bytes and cleans it.
func (r *reader) text() string {
	major, _, n := r.head()
	switch {
	case r.err != nil:
		return ""
	case major != majorText:
		r.fail("expected text, got CBOR type %d", major)
		return ""
	case n > MaxText:
		r.fail("text of %d bytes, at most %d", n, MaxText)
		return ""
	case n > uint64(len(r.b)):
		r.b, r.err = nil, errShort
		return ""
	}
	s := Clean(string(r.b[:n]))
	r.b = r.b[n:]
	return s
}

// list reads the head of an array of at most limit entries; every entry takes
// a byte at least, so a count beyond the rest of the frame is a lie.
func (r *reader) list(limit int) int { return r.count(majorArray, limit, 1) }

// dict reads the head of a map of at most limit pairs.
func (r *reader) dict(limit int) int { return r.count(majorMap, limit, 2) }

func (r *reader) count(want byte, limit, least int) int {
	major, _, n := r.head()
	switch {
	case r.err != nil:
		return 0
	case major != want:
		r.fail("expected CBOR type %d, got %d", want, major)
		return 0
	case n > uint64(limit):
		r.fail("%d entries, at most %d", n, limit)
		return 0
	case n*uint64(least) > uint64(len(r.b)):
		r.b, r.err = nil, errShort
		return 0
	}
	return int(n)
}

// skip passes over a value of a key that this version does not know.
func (r *reader) skip(depth int) {
	if depth > MaxDepth {
		r.fail("nested deeper than %d", MaxDepth)
		return
	}
	major, _, n := r.head()
	if r.err != nil {
		return
	}
	switch major {
	case majorBytes, majorText:
		if n > uint64(len(r.b)) {
			r.b, r.err = nil, errShort
			return
		}
		r.b = r.b[n:]
	case majorTag:
		r.skip(depth + 1)
	case majorArray, majorMap:
		if n > uint64(len(r.b)) {
			r.b, r.err = nil, errShort
			return
		}
		if major == majorMap {
			n *= 2
		}
		for ; n > 0 && r.err == nil; n-- {
			r.skip(depth + 1)
		}
	}
}

// number reads any of the forms appendNumber writes.
func (r *reader) number() float64 {
	if len(r.b) == 0 {
		return float64(r.int())
	}
	switch r.b[0] >> 5 {
	case majorUint:
		return float64(r.uint())
	case majorNeg:
		return float64(r.int())
	case majorTag:
		return r.decimal()
	}
	major, info, bits := r.head()
	if major == majorOther {
		switch info {
		case infoFloat16:
			return half(uint16(bits))
		case infoFloat32:
			return float64(math.Float32frombits(uint32(bits)))
		case infoFloat64:
			return math.Float64frombits(bits)
		}
	}
	r.fail("expected a number, got CBOR type %d", major)
	return 0
}

func (r *reader) decimal() float64 {
	if _, _, tag := r.head(); tag != tagDecimal {
		r.fail("unknown CBOR tag %d", tag)
		return 0
	}
	if r.list(2) != 2 {
		r.fail("decimal fraction needs two integers")
		return 0
	}
	e, m := r.int(), r.int()
	if e > 0 || e < -9 {
		r.fail("exponent %d out of range", e)
		return 0
	}
	return float64(m) / math.Pow10(int(-e))
}

// half widens an IEEE 754 half. We never write one; another writer may.
func half(h uint16) float64 {
	exp, frac := int(h>>10)&31, float64(h&1023)
	var f float64
	switch exp {
	case 0:
		f = math.Ldexp(frac, -24)
	case 31:
		f = math.Inf(1)
		if frac != 0 {
			f = math.NaN()
		}
	default:
		f = math.Ldexp(1024+frac, exp-25)
	}
	if h&0x8000 != 0 {
		return -f
	}
	return f
}
