package chart

import (
	"image/color"
	"math"

	"rentgen/ui/theme"
)

// bandHeight is the height of the strip of bands at the foot of the plot, in
// device-independent pixels.
const bandHeight = 4

// A band's pattern tells its level without its colour: how many of the strip's
// pixels it is high, and how far it is drawn of each pitch along it.
type bandPattern struct{ high, on, pitch int }

// patternOf returns the pattern of a level, from a thin line for what is well to
// a full bar for a failure.
func patternOf(l Level) bandPattern {
	switch l {
	case Good:
		return bandPattern{2, 1, 1}
	case Warn:
		return bandPattern{bandHeight, 5, 8}
	case Fail:
		return bandPattern{bandHeight, 1, 1}
	case Unsure:
		return bandPattern{1, 1, 4}
	case Info:
	}
	return bandPattern{2, 2, 4}
}

// bandOrder is the order in which bands are laid over each other: where several
// hold, the gravest is seen.
var bandOrder = [...]Level{Unsure, Info, Good, Warn, Fail}

func levelColour(p *theme.Palette, l Level) color.NRGBA {
	switch l {
	case Warn:
		return p.Warn
	case Fail:
		return p.Fail
	case Good:
		return p.Pass
	case Info, Unsure:
	}
	return p.Faint
}

// foot is the room that the bands take from the plot, in device-independent
// pixels.
func (s *snapshot) foot() float32 {
	if s.data == nil || !s.data.Banded || s.plain {
		return 0
	}
	return bandHeight + 1
}

func (p *plotter) bands(s *snapshot) {
	if len(s.data.Bands) == 0 {
		return
	}
	for _, l := range bandOrder {
		for i := range s.data.Bands {
			if b := &s.data.Bands[i]; b.Level == l && b.To >= s.from && b.From <= s.to {
				p.band(s, b)
			}
		}
	}
}

// band draws one band over what lies there; the shortest is still seen.
func (p *plotter) band(s *snapshot, b *Band) {
	k := patternOf(b.Level)
	unit := max(p.scale, 1)
	x0 := int(s.x(max(b.From, s.from), p.w))
	x1 := int(math.Ceil(float64(s.x(min(b.To, s.to), p.w))))
	x1 = max(x1, x0+int(2*unit))
	on, pitch := max(int(float32(k.on)*unit), 1), max(int(float32(k.pitch)*unit), 1)
	c := levelColour(s.palette, b.Level)
	strip := int(bandHeight * p.scale)
	for y := p.h - strip; y < p.h; y++ {
		p.whole.hline(y, x0, x1, s.palette.Panel)
	}
	top := p.h - max(int(float32(k.high)*p.scale), 1)
	for y := max(top, p.h-strip); y < p.h; y++ {
		if on >= pitch {
			p.whole.hline(y, x0, x1, c)
			continue
		}
		// The pattern hangs on the picture, not on the band: it stands still while
		// a band grows.
		for x := x0 - x0%pitch; x < x1; x += pitch {
			p.whole.hline(y, max(x, x0), min(x+on, x1), c)
		}
	}
}
