package report

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"

	"rentgen/assets/fonts"
)

// typeface is a Latin font with the Chinese one beside it.
type typeface struct{ latin, han *sfnt.Font }

var typefaces = sync.OnceValues(func() ([2]typeface, error) {
	var out [2]typeface
	for i, b := range [][2][]byte{{goregular.TTF, fonts.Regular()}, {gobold.TTF, fonts.Bold()}} {
		latin, err := opentype.Parse(b[0])
		if err != nil {
			return out, fmt.Errorf("read a font: %w", err)
		}
		han, err := opentype.Parse(b[1])
		if err != nil {
			return out, fmt.Errorf("read a font: %w", err)
		}
		out[i] = typeface{latin, han}
	}
	return out, nil
})

// style is how a text is written.
type style struct {
	size  float64 // pixels
	bold  bool
	color color.Color
}

var (
	ink   = color.RGBA{0x1d, 0x22, 0x26, 0xff}
	soft  = color.RGBA{0x5b, 0x65, 0x6d, 0xff}
	rule  = color.RGBA{0xd5, 0xda, 0xde, 0xff}
	green = color.RGBA{0x00, 0x73, 0x5a, 0xff}
	amber = color.RGBA{0x8a, 0x5a, 0x00, 0xff}
	red   = color.RGBA{0xb3, 0x26, 0x1e, 0xff}
)

// canvas draws text and signs. Without a picture it only measures.
type canvas struct {
	img   *image.RGBA
	faces map[style][2]font.Face
	fonts [2]typeface
	buf   sfnt.Buffer
}

func newCanvas() (*canvas, error) {
	f, err := typefaces()
	if err != nil {
		return nil, err
	}
	return &canvas{faces: map[style][2]font.Face{}, fonts: f}, nil
}

// paper gives the canvas a white picture.
func (c *canvas) paper(w, h int) {
	c.img = image.NewRGBA(image.Rect(0, 0, w, h))
	draw.Draw(c.img, c.img.Bounds(), image.White, image.Point{}, draw.Src)
}

func (c *canvas) typeface(s style) typeface {
	if s.bold {
		return c.fonts[1]
	}
	return c.fonts[0]
}

// face returns the face that has a character; false where neither has.
func (c *canvas) face(s style, r rune) (font.Face, bool) {
	key := style{size: s.size, bold: s.bold}
	pair, ok := c.faces[key]
	tf := c.typeface(s)
	if !ok {
		for i, f := range []*sfnt.Font{tf.latin, tf.han} {
			face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: s.size, DPI: 72, Hinting: font.HintingNone})
			if err != nil {
				return nil, false
			}
			pair[i] = face
		}
		c.faces[key] = pair
	}
	for i, f := range []*sfnt.Font{tf.latin, tf.han} {
		if g, err := f.GlyphIndex(&c.buf, r); err == nil && g != 0 {
			return pair[i], true
		}
	}
	return pair[0], false
}

// thinSpace is the gap between a number and its unit; no font need have it.
const thinSpace = '\u2009'

// glyph is the character that stands in the picture for r: one that no font has
// becomes a box.
func (c *canvas) glyph(s style, r rune) (font.Face, rune) {
	if f, ok := c.face(s, r); ok {
		return f, r
	}
	f, _ := c.face(s, '□')
	return f, '□'
}

// width is how far a text goes, in pixels.
func (c *canvas) width(s style, text string) float64 {
	w := 0.0
	for _, r := range text {
		w += c.advance(s, r)
	}
	return w
}

func (c *canvas) advance(s style, r rune) float64 {
	if r == thinSpace {
		return s.size / 6
	}
	f, r := c.glyph(s, r)
	if f == nil {
		return 0
	}
	a, _ := f.GlyphAdvance(r)
	return float64(a) / 64
}

// text writes one line; x and y are of its baseline's beginning.
func (c *canvas) text(s style, x, y float64, text string) {
	if c.img == nil {
		return
	}
	for _, r := range text {
		if f, g := c.glyph(s, r); r != thinSpace && f != nil {
			d := font.Drawer{Dst: c.img, Src: image.NewUniform(s.color), Face: f, Dot: fixed.Point26_6{X: fixed.Int26_6(x * 64), Y: fixed.Int26_6(y * 64)}}
			d.DrawString(string(g))
		}
		x += c.advance(s, r)
	}
}

// closing are marks that don't begin a line, opening such that don't end one.
const (
	closing = "，。、；：）】》」』”’！？,.;:)]}%·"
	opening = "（【《「『“‘([{"
)

// gaps don't begin or end a line.
const gaps = " \u2009"

// wrap breaks a text into lines no wider than max. Lines break at blanks and
// between Chinese characters; a word too long for a line breaks anywhere.
func (c *canvas) wrap(s style, text string, most float64) []string {
	var lines []string
	line, width := []rune{}, 0.0
	flush := func(keep []rune) {
		lines = append(lines, strings.TrimRight(string(line), gaps))
		line, width = append([]rune{}, keep...), c.width(s, string(keep))
	}
	for _, r := range text {
		if strings.ContainsRune(gaps, r) && len(line) == 0 {
			continue
		}
		a := c.advance(s, r)
		if width+a > most && len(line) > 0 && !strings.ContainsRune(gaps, r) && !strings.ContainsRune(closing, r) {
			at := lastBreak(line, r)
			if at == 0 {
				at = len(line)
			}
			rest := append([]rune{}, line[at:]...)
			line = line[:at]
			flush([]rune(strings.TrimLeft(string(rest), gaps)))
		}
		line, width = append(line, r), width+a
	}
	if len(line) > 0 || len(lines) == 0 {
		flush(nil)
	}
	return lines
}

// lastBreak is where a line that goes on with next may be broken, 0 for nowhere.
func lastBreak(line []rune, next rune) int {
	for i := len(line); i > 0; i-- {
		after := next
		if i < len(line) {
			after = line[i]
		}
		before := line[i-1]
		if strings.ContainsRune(closing, after) || strings.ContainsRune(opening, before) {
			continue
		}
		if before == ' ' || wide(before) || wide(after) {
			return i
		}
	}
	return 0
}

func wide(r rune) bool {
	return unicode.Is(unicode.Han, r) || r >= 0x3000 && r <= 0x303f || r >= 0xff00 && r <= 0xffef
}

// line draws a horizontal rule.
func (c *canvas) line(x0, x1, y float64) {
	if c.img != nil {
		draw.Draw(c.img, image.Rect(int(x0), int(y), int(x1), int(y)+2), image.NewUniform(rule), image.Point{}, draw.Src)
	}
}

// stroke draws a thick line through points, with round ends.
func (c *canvas) stroke(col color.Color, w float64, points ...[2]float64) {
	for i := 1; i < len(points); i++ {
		a, b := points[i-1], points[i]
		n := math.Hypot(b[0]-a[0], b[1]-a[1])
		if n == 0 {
			continue
		}
		dx, dy := (b[1]-a[1])/n*w/2, (a[0]-b[0])/n*w/2
		c.fill(col, [][2]float64{{a[0] + dx, a[1] + dy}, {b[0] + dx, b[1] + dy}, {b[0] - dx, b[1] - dy}, {a[0] - dx, a[1] - dy}})
	}
	for _, p := range points {
		c.disc(col, p[0], p[1], w/2)
	}
}

func (c *canvas) disc(col color.Color, x, y, r float64) { c.fill(col, circle(x, y, r, 32)) }

// ring draws a circle, dashed where asked.
func (c *canvas) ring(col color.Color, x, y, r, w float64, dashed bool) {
	points := circle(x, y, r, 40)
	points = append(points, points[0])
	for i := 1; i < len(points); i++ {
		if !dashed || i%8 < 5 {
			c.stroke(col, w, points[i-1], points[i])
		}
	}
}

func circle(x, y, r float64, n int) [][2]float64 {
	list := make([][2]float64, n)
	for i := range list {
		s, c := math.Sincos(2 * math.Pi * float64(i) / float64(n))
		list[i] = [2]float64{x + r*c, y + r*s}
	}
	return list
}

// fill fills a polygon. The rasterizer is only as large as that: a page has many.
func (c *canvas) fill(col color.Color, points [][2]float64) {
	if c.img == nil {
		return
	}
	box := image.Rectangle{Min: image.Pt(math.MaxInt32, math.MaxInt32)}
	for _, p := range points {
		box.Min.X, box.Min.Y = min(box.Min.X, int(p[0])), min(box.Min.Y, int(p[1]))
		box.Max.X, box.Max.Y = max(box.Max.X, int(p[0])+2), max(box.Max.Y, int(p[1])+2)
	}
	z := vector.NewRasterizer(box.Dx(), box.Dy())
	for i, p := range points {
		x, y := float32(p[0]-float64(box.Min.X)), float32(p[1]-float64(box.Min.Y))
		if i == 0 {
			z.MoveTo(x, y)
		} else {
			z.LineTo(x, y)
		}
	}
	z.ClosePath()
	z.Draw(c.img, box, image.NewUniform(col), image.Point{})
}

// sign draws the sign of a verdict in a square of the size at x, y.
func (c *canvas) sign(v Verdict, stale bool, x, y, size float64) {
	at := func(px, py float64) [2]float64 { return [2]float64{x + px*size, y + py*size} }
	w := size * 0.14
	switch s := shape(v, stale); s {
	case "✓":
		c.stroke(green, w, at(.15, .55), at(.4, .8), at(.85, .22))
	case "!":
		c.stroke(amber, w, at(.5, .14), at(.5, .6))
		c.disc(amber, x+.5*size, y+.83*size, w*.62)
	case "✗":
		c.stroke(red, w, at(.2, .2), at(.8, .8))
		c.stroke(red, w, at(.8, .2), at(.2, .8))
	case "◌", "○":
		c.ring(soft, x+.5*size, y+.5*size, .34*size, w*.8, s == "◌")
	default:
		c.stroke(soft, w, at(.2, .5), at(.8, .5))
	}
}
