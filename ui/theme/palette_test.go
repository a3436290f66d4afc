package theme

import (
	"image/color"
	"math"
	"testing"

	"fyne.io/fyne/v2"
	fynetheme "fyne.io/fyne/v2/theme"
)

var grounds = map[string]*Palette{"dark": &dark, "light": &light}

func linear(v uint8) float64 {
	c := float64(v) / 255
	if c <= 0.04045 {
		return c / 12.92
	}
	return math.Pow((c+0.055)/1.055, 2.4)
}

func rgbOf(c color.NRGBA) [3]float64 {
	return [3]float64{linear(c.R), linear(c.G), linear(c.B)}
}

func luminance(c color.NRGBA) float64 {
	l := rgbOf(c)
	return 0.2126*l[0] + 0.7152*l[1] + 0.0722*l[2]
}

func contrast(a, b color.NRGBA) float64 {
	x, y := luminance(a), luminance(b)
	if x < y {
		x, y = y, x
	}
	return (x + 0.05) / (y + 0.05)
}

func TestSeriesContrast(t *testing.T) {
	for name, p := range grounds {
		for i, c := range p.Series {
			if r := contrast(c, p.Panel); r < 3 {
				t.Errorf("%s: series %d has %.2f:1 on the chart's ground, want 3:1", name, i, r)
			}
		}
	}
}

func TestTextContrast(t *testing.T) {
	for name, p := range grounds {
		for what, c := range map[string]color.NRGBA{
			"text": p.Text, "faint": p.Faint, "accent": p.Accent, "pass": p.Pass, "warn": p.Warn, "fail": p.Fail,
		} {
			for _, g := range []color.NRGBA{p.Panel, p.Ground} {
				if r := contrast(c, g); r < 4.5 {
					t.Errorf("%s: %s has %.2f:1 on %v, want 4.5:1", name, what, r, g)
				}
			}
		}
		if r := contrast(p.OnAccent, p.Accent); r < 4.5 {
			t.Errorf("%s: text on the accent has %.2f:1", name, r)
		}
		for what, c := range map[string]color.NRGBA{"quiet": p.Quiet, "border": p.Border, "busy": p.Busy} {
			if r := contrast(c, p.Panel); r < 3 {
				t.Errorf("%s: %s has %.2f:1, want 3:1", name, what, r)
			}
		}
	}
}

// deficiencies holds what full protanopia, deuteranopia and tritanopia make of
// linear RGB (Machado, Oliveira and Fernandes 2009).
var deficiencies = map[string][3][3]float64{
	"none":         {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protanopia":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"tritanopia":   {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

// lab returns CIELAB under D65 of linear RGB.
func lab(c [3]float64) [3]float64 {
	for i := range c {
		c[i] = min(max(c[i], 0), 1)
	}
	x := (0.4124564*c[0] + 0.3575761*c[1] + 0.1804375*c[2]) / 0.95047
	y := 0.2126729*c[0] + 0.7151522*c[1] + 0.0721750*c[2]
	z := (0.0193339*c[0] + 0.1191920*c[1] + 0.9503041*c[2]) / 1.08883
	f := func(t float64) float64 {
		if t > 216.0/24389 {
			return math.Cbrt(t)
		}
		return (24389.0/27*t + 16) / 116
	}
	return [3]float64{116*f(y) - 16, 500 * (f(x) - f(y)), 200 * (f(y) - f(z))}
}

func seen(c color.NRGBA, m [3][3]float64) [3]float64 {
	l := rgbOf(c)
	var o [3]float64
	for i := range o {
		o[i] = m[i][0]*l[0] + m[i][1]*l[1] + m[i][2]*l[2]
	}
	return lab(o)
}

func TestSeriesToldApart(t *testing.T) {
	const least = 10 // CIE76; 2.3 is just noticeable side by side
	for name, p := range grounds {
		for eye, m := range deficiencies {
			worst, a, b := math.Inf(1), 0, 0
			for i := range p.Series {
				for j := range i {
					x, y := seen(p.Series[i], m), seen(p.Series[j], m)
					if d := math.Hypot(math.Hypot(x[0]-y[0], x[1]-y[1]), x[2]-y[2]); d < worst {
						worst, a, b = d, j, i
					}
				}
			}
			t.Logf("%s, %s: closest are %d and %d at %.1f", name, eye, a, b, worst)
			if worst < least {
				t.Errorf("%s, %s: series %d and %d are %.1f apart, want %d", name, eye, a, b, worst, least)
			}
		}
	}
}

// TestBandsToldApart looks at the doubt of series, which is their colour laid
// thinly over the ground.
func TestBandsToldApart(t *testing.T) {
	const least = 2.3 // just noticeable side by side
	for name, p := range grounds {
		bands := p.Series
		for i, c := range p.Series {
			mix := func(a, b uint8) uint8 { return uint8((int(a)*BandAlpha + int(b)*(256-BandAlpha)) / 256) }
			bands[i] = color.NRGBA{mix(c.R, p.Panel.R), mix(c.G, p.Panel.G), mix(c.B, p.Panel.B), 255}
		}
		for eye, m := range deficiencies {
			for i := range bands {
				for j := range i {
					x, y := seen(bands[i], m), seen(bands[j], m)
					if d := math.Hypot(math.Hypot(x[0]-y[0], x[1]-y[1]), x[2]-y[2]); d < least {
						t.Errorf("%s, %s: the bands of %d and %d are %.1f apart, want %v", name, eye, j, i, d, least)
					}
				}
			}
		}
	}
}

func TestSeriesCycle(t *testing.T) {
	c, dashed := dark.SeriesOf(1)
	c2, dashed2 := dark.SeriesOf(7)
	if dashed || !dashed2 || c != c2 {
		t.Errorf("slot 7 must be slot 1 dashed: %v %v, %v %v", c, dashed, c2, dashed2)
	}
	if _, d := dark.SeriesOf(-3); d {
		t.Error("a negative slot is the first")
	}
}

func TestPaletteOf(t *testing.T) {
	if PaletteOf(fynetheme.VariantLight) != &light || PaletteOf(fynetheme.VariantDark) != &dark || PaletteOf(fyne.ThemeVariant(9)) != &dark {
		t.Error("wrong palette")
	}
}
