// Package theme is the look of the window: dense spacing, one accent, the
// colours of verdicts and series on light and dark ground, and the faces that
// carry Chinese.
package theme

import (
	"image/color"

	"fyne.io/fyne/v2"
	fynetheme "fyne.io/fyne/v2/theme"
)

// Palette is the set of colours a chart or a place draws with on one ground.
type Palette struct {
	Ground    color.NRGBA // of the window
	Panel     color.NRGBA // of cards and charts
	Line      color.NRGBA // of separators and frames
	Border    color.NRGBA // of what can be filled in or ticked; at least 3:1
	Grid      color.NRGBA // of a chart's grid
	Text      color.NRGBA
	Faint     color.NRGBA // of axis labels and second lines; still at least 4.5:1
	Accent    color.NRGBA // of what can be pressed
	OnAccent  color.NRGBA
	Pass      color.NRGBA
	Warn      color.NRGBA
	Fail      color.NRGBA
	Quiet     color.NRGBA // skipped, not run, off
	Busy      color.NRGBA // connecting
	Hatch     color.NRGBA // of gaps
	Crosshair color.NRGBA
	Series    [SeriesColours]color.NRGBA
}

// SeriesColours is how many series are told apart by colour; the next ones
// take the same colours dashed.
const SeriesColours = 6

// BandAlpha is how strong the doubt of a series is laid over the ground, in
// 256ths.
const BandAlpha = 64

func rgb(v uint32) color.NRGBA {
	return color.NRGBA{R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v), A: 255}
}

// The series follow Okabe and Ito. On the dark ground blue is
// lightened until it reaches 3:1; on the light ground amber, green, purple and
// sky are darkened for the same reason, and vermilion further, since beside the
// darkened amber a deuteranope would see no difference.
var (
	dark = Palette{
		Ground: rgb(0x14171B), Panel: rgb(0x1B1F25), Line: rgb(0x343B45), Border: rgb(0x6C7683), Grid: rgb(0x2B313A),
		Text: rgb(0xE6E9ED), Faint: rgb(0x9AA4B1), Accent: rgb(0x7FB2FF), OnAccent: rgb(0x0B1524),
		Pass: rgb(0x3FBF7F), Warn: rgb(0xF0B429), Fail: rgb(0xF0655A), Quiet: rgb(0x8A94A1), Busy: rgb(0x5AA2F0),
		Hatch: rgb(0x4A525E), Crosshair: rgb(0xC8CFD8),
		Series: [SeriesColours]color.NRGBA{rgb(0x2E8FD0), rgb(0xE69F00), rgb(0x009E73), rgb(0xD55E00), rgb(0xCC79A7), rgb(0x56B4E9)},
	}
	light = Palette{
		Ground: rgb(0xF4F5F7), Panel: rgb(0xFFFFFF), Line: rgb(0xCDD3DB), Border: rgb(0x828C99), Grid: rgb(0xE4E8ED),
		Text: rgb(0x1B2027), Faint: rgb(0x5B6572), Accent: rgb(0x1F5FBF), OnAccent: rgb(0xFFFFFF),
		Pass: rgb(0x1B7F4B), Warn: rgb(0x9A6400), Fail: rgb(0xC0302A), Quiet: rgb(0x6A7481), Busy: rgb(0x2266C4),
		Hatch: rgb(0xB9C1CB), Crosshair: rgb(0x3A424D),
		Series: [SeriesColours]color.NRGBA{rgb(0x0072B2), rgb(0xB97F00), rgb(0x008F68), rgb(0xB04000), rgb(0xC0699A), rgb(0x2C8FCB)},
	}
)

// PaletteOf returns the colours of a variant; any other than light is dark.
func PaletteOf(v fyne.ThemeVariant) *Palette {
	if v == fynetheme.VariantLight {
		return &light
	}
	return &dark
}

// Current returns the colours the running application draws with now.
func Current() *Palette {
	app := fyne.CurrentApp()
	if app == nil {
		return &dark
	}
	v := app.Settings().ThemeVariant()
	if t, ok := app.Settings().Theme().(*Theme); ok {
		v = t.variant(v)
	}
	return PaletteOf(v)
}

// SeriesOf returns the colour of a slot and whether its line is dashed: the
// first six are whole, the next six the same colours dashed.
func (p *Palette) SeriesOf(slot int) (c color.NRGBA, dashed bool) {
	if slot < 0 {
		slot = 0
	}
	return p.Series[slot%SeriesColours], slot/SeriesColours%2 == 1
}
