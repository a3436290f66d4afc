package column

import (
	"hash/crc32"
	"math/bits"
	"slices"
)

// A stream is a row of numbers: a head byte that names the model, the first
// number, the step they share, the length of what is coded, and that.
//
// The models. Which one suits a metric follows from its numbers, so each is
// tried.
const (
	modelLast    = iota // the number before
	modelFast           // the mean of the last few
	modelSlow           // the mean of the last many: noise around a level
	modelDrift          // the number before and the usual difference: a counter
	modelPalette        // few distinct numbers, each after the one before it
	modelBeside         // a counter that grows by the number beside it
	modelEnd
)

const (
	modelMask    = 0x0f
	streamBase   = 0x10 // the numbers are lo or hi themselves, not their distance from the mean
	paletteMost  = 24
	stepsMost    = 1 << 40
	regime       = 6 // times the usual noise: a jump, not noise
	fastN, slowN = 4, 24
	driftN       = 16
	fractionBits = 8
	fractionHalf = 1 << (fractionBits - 1)
)

// level is a mean of late that forgets all at a jump.
type level struct {
	mean int64 // in 256ths
	n    int64
	most int64 // how many it is the mean of at most, a power of two
	bits int
	loud int64 // mean distance of late, in 16ths
}

func (l *level) guess() int64 { return (l.mean + fractionHalf) >> fractionBits }

func (l *level) see(v int64) {
	d := v - l.guess()
	if d < 0 {
		d = -d
	}
	if l.n == 0 || d<<4 > regime*l.loud+64 {
		l.mean, l.n = v<<fractionBits, 1
		l.loud = min(l.loud+8, 1<<40)
		return
	}
	l.loud += (d<<4 - l.loud) >> 3
	if l.n < l.most {
		l.n++
		l.mean += (v<<fractionBits - l.mean) / l.n
		return
	}
	l.mean += (v<<fractionBits - l.mean) >> l.bits
}

// predictor guesses the next number of a stream.
type predictor struct {
	model  int
	last   int64
	level  level
	beside []int64
	step   int64
}

func newPredictor(model int, beside []int64, step int64) *predictor {
	p := &predictor{model: model, beside: beside, step: step}
	switch model {
	case modelFast:
		p.level.most = fastN
	case modelSlow:
		p.level.most = slowN
	default:
		p.level.most = driftN
	}
	p.level.bits = bits.TrailingZeros64(uint64(p.level.most))
	return p
}

// grown is what the number beside says that a counter grew by.
func (p *predictor) grown(i int) int64 {
	if i < len(p.beside) {
		return p.beside[i] / p.step
	}
	return 0
}

func (p *predictor) guess(i int) int64 {
	switch p.model {
	case modelFast, modelSlow:
		return p.level.guess()
	case modelDrift:
		return p.last + p.level.guess()
	case modelBeside:
		return p.last + p.grown(i) + p.level.guess()
	}
	return p.last
}

func (p *predictor) see(i int, v int64) {
	switch p.model {
	case modelFast, modelSlow:
		p.level.see(v)
	case modelDrift:
		p.level.see(v - p.last)
	case modelBeside:
		p.level.see(v - p.last - p.grown(i))
	}
	p.last = v
}

// write writes all numbers but the first, which is 0, by their distance from the
// guess.
func write(c *coder, model int, v []int64, beside []int64, step int64) {
	var r residuals
	p := newPredictor(model, beside, step)
	p.see(0, 0)
	for i := 1; i < len(v); i++ {
		r.write(c, v[i]-p.guess(i))
		p.see(i, v[i])
	}
}

// read reads what write wrote into v.
func read(d *decoder, model int, v []int64, beside []int64, step int64) {
	var r residuals
	p := newPredictor(model, beside, step)
	v[0] = 0
	p.see(0, 0)
	for i := 1; i < len(v); i++ {
		v[i] = p.guess(i) + r.read(d)
		p.see(i, v[i])
	}
}

// width is how many bits name a place in a palette.
func width(palette []int64) int {
	wide := 1
	for 1<<wide < len(palette) {
		wide++
	}
	return wide
}

// places are the chances of each place of a palette after each.
type places [paletteMost][]chance

func (p *places) after(before, wide int) []chance {
	if p[before] == nil {
		p[before] = make([]chance, 1<<wide)
	}
	return p[before]
}

// writePalette writes numbers by their place in a palette, each knowing the one
// before.
func writePalette(c *coder, v []int64, palette []int64) {
	wide, before := width(palette), 0
	var all places
	for _, x := range v {
		want := slices.Index(palette, x)
		tree, node := all.after(before, wide), 1
		for k := wide - 1; k >= 0; k-- {
			node = node<<1 | c.learn(want>>k&1, &tree[node])
		}
		before = want
	}
}

func readPalette(d *decoder, v []int64, palette []int64) {
	wide, before := width(palette), 0
	var all places
	for i := range v {
		tree, node := all.after(before, wide), 1
		for range wide {
			node = node<<1 | d.learn(&tree[node])
		}
		before = min(node-1<<wide, len(palette)-1)
		v[i] = palette[before]
	}
}

// paletteOf lists the distinct numbers in the order they come; nil for too many.
func paletteOf(v []int64) []int64 {
	var list []int64
	for i, x := range v {
		if i > 0 && x == v[i-1] || slices.Contains(list, x) {
			continue
		}
		if len(list) >= paletteMost {
			return nil
		}
		list = append(list, x)
	}
	return list
}

// shared is the greatest step that all differences are multiples of, 1 at least.
func shared(v []int64) int64 {
	g := int64(0)
	for _, x := range v {
		d := x - v[0]
		if d < 0 {
			d = -d
		}
		for d != 0 {
			g, d = d, g%d
		}
		if g == 1 {
			break
		}
	}
	if g < 1 || g > stepsMost {
		return 1
	}
	return g
}

// stream appends the shortest form of v, which has one number at least.
func (w *writer) stream(v []int64, mark byte, beside []int64) {
	first, step := v[0], shared(v)
	body, model := []byte(nil), -1
	work := make([]int64, len(v))
	for i, x := range v {
		work[i] = (x - first) / step
	}
	palette := paletteOf(v)
	for m := range modelEnd {
		if m == modelBeside && beside == nil || m == modelPalette && palette == nil {
			continue
		}
		c := newCoder()
		if m == modelPalette {
			writePalette(c, v, palette)
		} else {
			write(c, m, work, beside, step)
		}
		b := c.end()
		extra := 0
		if m == modelPalette {
			extra = 1 + 2*len(palette)
		}
		if model < 0 || len(b)+extra < len(body) {
			body, model = b, m
		}
		if m == modelPalette && model == m {
			pw := writer{}
			pw.uint(uint64(len(palette)))
			last := int64(0)
			for _, x := range palette {
				pw.int(x - last)
				last = x
			}
			body = append(pw.b, b...)
		}
	}
	w.byte(byte(model) | mark)
	if model != modelPalette {
		w.int(first)
		w.uint(uint64(step))
	}
	w.uint(uint64(len(body)))
	w.b = append(w.b, body...)
}

// stream reads n numbers, n > 0, and the marks of its head.
func (r *reader) stream(n int, beside func() ([]int64, error)) (v []int64, mark byte) {
	head := r.byte()
	model := int(head & modelMask)
	if model >= modelEnd {
		r.fail("model")
	}
	first, step := int64(0), int64(1)
	if model != modelPalette {
		first = r.int()
		step = int64(r.uint())
		if step < 1 || step > stepsMost {
			r.fail("step")
		}
	}
	size := r.count(len(r.b), "stream")
	if r.err != nil || size > len(r.b) {
		r.fail("stream")
		return nil, 0
	}
	body := r.b[:size]
	r.b = r.b[size:]
	v = make([]int64, n)
	switch model {
	case modelPalette:
		p := reader{b: body}
		k := p.count(paletteMost, "palette")
		palette := make([]int64, k)
		last := int64(0)
		for i := range palette {
			last += p.int()
			palette[i] = last
		}
		if p.err != nil || k == 0 {
			r.fail("palette")
			return nil, 0
		}
		readPalette(newDecoder(p.b), v, palette)
		return v, head &^ modelMask
	case modelBeside:
		if beside == nil {
			r.fail("number beside")
			return nil, 0
		}
		list, err := beside()
		if err != nil {
			r.fail("number beside: " + err.Error())
			return nil, 0
		}
		read(newDecoder(body), model, v, list, step)
	default:
		read(newDecoder(body), model, v, nil, step)
	}
	for i := range v {
		v[i] = first + v[i]*step
	}
	return v, head &^ modelMask
}

// sealCoded closes a body whose numbers are coded: a wrong bit in it would give
// wrong numbers and no error, so a checksum goes with it.
func sealCoded(body []byte) []byte {
	out := append(make([]byte, 0, len(body)+5), versionCoded)
	out = append(out, body...)
	sum := crc32.Checksum(out, castagnoli)
	return append(out, byte(sum), byte(sum>>8), byte(sum>>16), byte(sum>>24))
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func unsealCoded(blob []byte) ([]byte, error) {
	if len(blob) < 5 {
		return nil, corrupt("short")
	}
	body, tail := blob[:len(blob)-4], blob[len(blob)-4:]
	sum := uint32(tail[0]) | uint32(tail[1])<<8 | uint32(tail[2])<<16 | uint32(tail[3])<<24
	if crc32.Checksum(body, castagnoli) != sum {
		return nil, corrupt("checksum")
	}
	return body[1:], nil
}
