package chart

import "image/color"

// limits draws the dashed lines across the plot.
func (p *plotter) limits(s *snapshot) {
	on, pitch := int(4*p.scale), int(8*p.scale)
	for _, l := range s.data.Limits {
		if l.Value <= 0 || l.Value > s.axis.top*1.001 {
			continue
		}
		y := int(p.y(float32(l.Value)))
		for x := 0; x < p.w; x += pitch {
			p.whole.hline(y, x, x+on, s.palette.Faint)
		}
	}
}

// markHalf is half of a mark's width in device-independent pixels.
const markHalf = 4.5

// marks draws events on the time axis: triangles, and diamonds for failures,
// so that colour is never alone.
func (p *plotter) marks(s *snapshot) {
	half := int(markHalf * p.scale)
	ground := p.h
	if s.data.Banded || len(s.data.Bands) > 0 {
		ground -= int((bandHeight + 1) * p.scale)
	}
	for _, m := range s.data.Marks {
		if m.T < s.from || m.T > s.to {
			continue
		}
		c := levelColour(s.palette, m.Level)
		x := int(s.x(m.T, p.w))
		for d := -half; d <= half; d++ {
			a := half - max(d, -d) // rises to the middle
			if m.Level == Fail {
				mid := float32(ground - half - 1)
				p.whole.span2(x+d, mid-float32(a), mid+float32(a)+1, c)
			} else {
				p.whole.span2(x+d, float32(ground-1)-float32(a)*1.7-1, float32(ground), c)
			}
		}
	}
}

// span2 is span for a column that may lie outside.
func (f *surface) span2(x int, y0, y1 float32, c color.NRGBA) {
	if x >= 0 && x < f.w {
		f.span(x, y0, y1, c, opaque)
	}
}
