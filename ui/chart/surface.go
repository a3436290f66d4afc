package chart

import (
	"encoding/binary"
	"image/color"
)

// surface is a block of RGBA pixels to draw on.
type surface struct {
	pix    []byte
	stride int
	w, h   int
}

// fill covers everything with one opaque colour.
func (f *surface) fill(c color.NRGBA) {
	pix := f.pix
	pix[0], pix[1], pix[2], pix[3] = c.R, c.G, c.B, 255
	for n := 4; n < len(pix); n *= 2 {
		copy(pix[n:], pix[:n])
	}
}

func (f *surface) hline(y, x0, x1 int, c color.NRGBA) {
	if y < 0 || y >= f.h {
		return
	}
	x0, x1 = max(x0, 0), min(x1, f.w)
	for i := y*f.stride + x0*4; x0 < x1; x0, i = x0+1, i+4 {
		pix := f.pix[i : i+4 : i+4]
		pix[0], pix[1], pix[2], pix[3] = c.R, c.G, c.B, 255
	}
}

func (f *surface) vline(x, y0, y1 int, c color.NRGBA) {
	if x < 0 || x >= f.w {
		return
	}
	y0, y1 = max(y0, 0), min(y1, f.h)
	for i := y0*f.stride + x*4; y0 < y1; y0, i = y0+1, i+f.stride {
		pix := f.pix[i : i+4 : i+4]
		pix[0], pix[1], pix[2], pix[3] = c.R, c.G, c.B, 255
	}
}

// span blends a vertical run of one column with a in 256ths; its ends are
// softened by the part of the pixel they cover. Two channels are mixed in one
// multiplication: this loop is most of a frame.
func (f *surface) span(x int, y0, y1 float32, c color.NRGBA, a uint32) {
	y0, y1 = max(y0, 0), min(y1, float32(f.h))
	if y1 <= y0 {
		return
	}
	i0, i1 := int(y0), int(y1)
	if i0 == i1 {
		f.blend(x, i0, c, uint32(float32(a)*(y1-y0)))
		return
	}
	if part := float32(i0+1) - y0; part < 1 {
		f.blend(x, i0, c, uint32(float32(a)*part))
		i0++
	}
	stride := f.stride
	off := i0*stride + x*4
	pix := f.pix
	rb, ga := packed(c)
	if a >= opaque {
		ink := rb | ga<<8
		for y := i0; y < i1; y, off = y+1, off+stride {
			binary.LittleEndian.PutUint32(pix[off:off+4:off+4], ink)
		}
	} else {
		rb, ga = rb*a, ga*a
		inv := opaque - a
		for y := i0; y < i1; y, off = y+1, off+stride {
			q := pix[off : off+4 : off+4]
			v := binary.LittleEndian.Uint32(q)
			binary.LittleEndian.PutUint32(q,
				(rb+(v&evenBytes)*inv)>>8&evenBytes|(ga+(v>>8&evenBytes)*inv)&^evenBytes)
		}
	}
	if part := y1 - float32(i1); part > 0 {
		f.blend(x, i1, c, uint32(float32(a)*part))
	}
}

// band blends the rows y0 to y1 of one column with bandAlpha. Its ends are
// hard: they lie where a reading was, and soft ones would cost as much as the
// rest. The rows must lie on the surface.
func (f *surface) band(x, y0, y1 int, c color.NRGBA) {
	if y1 <= y0 {
		return
	}
	rb, ga := packed(c)
	rb, ga = rb*bandAlpha, ga*bandAlpha
	pix := f.pix[y0*f.stride+x*4:]
	for off, n := 0, y1-y0; n > 0; off, n = off+f.stride, n-1 {
		q := pix[off : off+4 : off+4]
		v := binary.LittleEndian.Uint32(q)
		binary.LittleEndian.PutUint32(q,
			(rb+(v&evenBytes)*(opaque-bandAlpha))>>8&evenBytes|(ga+(v>>8&evenBytes)*(opaque-bandAlpha))&^evenBytes)
	}
}

// bandPair is band for the columns x and x+1 at once.
func (f *surface) bandPair(x, y0, y1 int, c color.NRGBA) {
	rb, ga := packed(c)
	rb2, ga2 := uint64(rb*bandAlpha), uint64(ga*bandAlpha)
	rb2, ga2 = rb2|rb2<<32, ga2|ga2<<32
	const even = evenBytes | evenBytes<<32
	pix := f.pix[y0*f.stride+x*4:]
	for off, n := 0, y1-y0; n > 0; off, n = off+f.stride, n-1 {
		q := pix[off : off+8 : off+8]
		v := binary.LittleEndian.Uint64(q)
		binary.LittleEndian.PutUint64(q,
			(rb2+(v&even)*(opaque-bandAlpha))>>8&even|(ga2+(v>>8&even)*(opaque-bandAlpha))&^uint64(even))
	}
}

const (
	opaque    = 256
	evenBytes = 0x00FF00FF
)

// packed returns red and blue, and green and a full alpha, each pair in one
// word with room to multiply.
func packed(c color.NRGBA) (rb, ga uint32) {
	return uint32(c.R) | uint32(c.B)<<16, uint32(c.G) | 0xFF<<16
}

func (f *surface) blend(x, y int, c color.NRGBA, a uint32) {
	if x < 0 || x >= f.w || y < 0 || y >= f.h || a == 0 {
		return
	}
	off := y*f.stride + x*4
	q := f.pix[off : off+4 : off+4]
	rb, ga := packed(c)
	v, inv := binary.LittleEndian.Uint32(q), opaque-a
	binary.LittleEndian.PutUint32(q,
		(rb*a+(v&evenBytes)*inv)>>8&evenBytes|(ga*a+(v>>8&evenBytes)*inv)&^evenBytes)
}
