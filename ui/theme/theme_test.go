package theme

import (
	"bytes"
	"image"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/software"
	"fyne.io/fyne/v2/test"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/assets/fonts"
	"rentgen/assets/icons"
)

func TestVariant(t *testing.T) {
	a := test.NewTempApp(t)
	for ground, want := range map[Ground]*Palette{Light: &light, Dark: &dark} {
		th := New(Params{Ground: ground})
		a.Settings().SetTheme(th)
		if Current() != want {
			t.Errorf("%s: wrong palette", ground)
		}
		for _, v := range []fyne.ThemeVariant{fynetheme.VariantLight, fynetheme.VariantDark} {
			if got := th.Color(fynetheme.ColorNameBackground, v); got != want.Ground {
				t.Errorf("%s: ground is %v when the system says %d", ground, got, v)
			}
		}
	}
	th := New(Params{Ground: System})
	if th.Color(fynetheme.ColorNameForeground, fynetheme.VariantLight) != light.Text || th.Color(fynetheme.ColorNameForeground, fynetheme.VariantDark) != dark.Text {
		t.Error("the system's variant is not followed")
	}
}

// TestEveryColour asks for all names Fyne has, so that none is left to a
// theme made for another ground.
func TestEveryColour(t *testing.T) {
	test.NewTempApp(t)
	th := New(Params{})
	for _, n := range []fyne.ThemeColorName{
		fynetheme.ColorNameBackground, fynetheme.ColorNameButton, fynetheme.ColorNameDisabledButton, fynetheme.ColorNameDisabled,
		fynetheme.ColorNameError, fynetheme.ColorNameFocus, fynetheme.ColorNameForeground, fynetheme.ColorNameForegroundOnError,
		fynetheme.ColorNameForegroundOnPrimary, fynetheme.ColorNameForegroundOnSuccess, fynetheme.ColorNameForegroundOnWarning,
		fynetheme.ColorNameHeaderBackground, fynetheme.ColorNameHover, fynetheme.ColorNameHyperlink, fynetheme.ColorNameInputBackground,
		fynetheme.ColorNameInputBorder, fynetheme.ColorNameMenuBackground, fynetheme.ColorNameOverlayBackground, fynetheme.ColorNamePlaceHolder,
		fynetheme.ColorNamePressed, fynetheme.ColorNamePrimary, fynetheme.ColorNameScrollBar, fynetheme.ColorNameScrollBarBackground,
		fynetheme.ColorNameSelection, fynetheme.ColorNameSeparator, fynetheme.ColorNameShadow, fynetheme.ColorNameSuccess, fynetheme.ColorNameWarning,
		ColorPass, ColorWarn, ColorFail, ColorQuiet, ColorBusy, ColorPanel, ColorLine, ColorFaint,
	} {
		for _, v := range []fyne.ThemeVariant{fynetheme.VariantLight, fynetheme.VariantDark} {
			if c := th.Color(n, v); c == nil {
				t.Errorf("no colour %q", n)
			} else if _, _, _, a := c.RGBA(); a == 0 {
				t.Errorf("colour %q can't be seen", n)
			}
		}
	}
}

func TestSizes(t *testing.T) {
	test.NewTempApp(t)
	def := fynetheme.DefaultTheme()
	for _, scale := range []float32{1, 1.25, 1.5} {
		th := New(Params{Scale: scale})
		for n, want := range map[fyne.ThemeSizeName]float32{
			fynetheme.SizeNameText: 13 * scale, fynetheme.SizeNameCaptionText: 11 * scale, fynetheme.SizeNameHeadingText: 22 * scale,
			fynetheme.SizeNamePadding:      def.Size(fynetheme.SizeNamePadding) / 2,
			fynetheme.SizeNameInnerPadding: def.Size(fynetheme.SizeNameInnerPadding) / 2,
			fynetheme.SizeNameLineSpacing:  def.Size(fynetheme.SizeNameLineSpacing) / 2,
		} {
			if got := th.Size(n); got != want {
				t.Errorf("scale %v: %s is %v, want %v", scale, n, got, want)
			}
		}
	}
	if New(Params{Scale: 9}).Scale() != 2 || New(Params{}).Scale() != 1 || New(Params{Scale: 0.1}).Scale() != 0.75 {
		t.Error("the scale must be held within bounds")
	}
}

func TestFontOfStyle(t *testing.T) {
	test.NewTempApp(t)
	th := New(Params{})
	def := fynetheme.DefaultTheme()
	for _, c := range []struct {
		style fyne.TextStyle
		want  []byte
	}{
		{fyne.TextStyle{}, fonts.Regular()},
		{fyne.TextStyle{Monospace: true}, fonts.Regular()},
		{fyne.TextStyle{Italic: true}, fonts.Regular()},
		{fyne.TextStyle{Bold: true}, fonts.Bold()},
		{fyne.TextStyle{Bold: true, Italic: true}, fonts.Bold()},
		{fyne.TextStyle{Bold: true, Monospace: true}, fonts.Bold()},
		{fyne.TextStyle{Symbol: true}, def.Font(fyne.TextStyle{Symbol: true}).Content()},
	} {
		if got := th.Font(c.style).Content(); !bytes.Equal(got, c.want) {
			t.Errorf("%+v: wrong face", c.style)
		}
	}
	if bytes.Equal(fonts.Regular(), fonts.Bold()) {
		t.Error("bold is the regular face")
	}
}

// ink returns how dark a text is drawn: the sum of all coverage.
func ink(t *testing.T, s string, style fyne.TextStyle) int {
	t.Helper()
	l := canvas.NewText(s, light.Text)
	l.TextStyle, l.TextSize = style, 22
	return inkOf(l)
}

func inkOf(o fyne.CanvasObject) int {
	c := software.NewTransparentCanvas()
	c.SetPadded(false)
	c.SetContent(o)
	c.Resize(o.MinSize())
	img := c.Capture()
	sum := 0
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			_, _, _, a := img.At(x, y).RGBA()
			sum += int(a >> 8)
		}
	}
	return sum
}

func TestBoldIsBold(t *testing.T) {
	test.NewTempApp(t).Settings().SetTheme(New(Params{Ground: Light}))
	for _, s := range []string{"显存占用", "GPU 97"} {
		plain, bold := ink(t, s, fyne.TextStyle{}), ink(t, s, fyne.TextStyle{Bold: true})
		if plain == 0 || float64(bold) < 1.1*float64(plain) {
			t.Errorf("%q: bold has ink %d, regular %d", s, bold, plain)
		}
	}
}

// TestChineseInEveryStyle draws each style beside the black diamond that stands
// for a missing character.
func TestChineseInEveryStyle(t *testing.T) {
	test.NewTempApp(t).Settings().SetTheme(New(Params{Ground: Light}))
	for _, s := range []fyne.TextStyle{{}, {Bold: true}, {Monospace: true}, {Italic: true}, {Bold: true, Italic: true}} {
		if got, diamond := ink(t, "一", s), ink(t, "\ufffd", s); got == diamond {
			t.Errorf("%+v: 一 is drawn as the sign for a missing character", s)
		}
	}
}

func TestMonoKeepsPitch(t *testing.T) {
	test.NewTempApp(t).Settings().SetTheme(New(Params{}))
	mono := fyne.TextStyle{Monospace: true}
	if a, b := fyne.MeasureText("iiii", 13, mono), fyne.MeasureText("WWWW", 13, mono); a.Width != b.Width {
		t.Errorf("iiii is %v wide and WWWW %v", a.Width, b.Width)
	}
}

func TestIcons(t *testing.T) {
	a := test.NewTempApp(t)
	a.Settings().SetTheme(New(Params{Ground: Dark}))
	for _, n := range icons.Names() {
		r := Icon(n)
		if r == nil {
			t.Fatalf("no icon %q", n)
		}
		w := canvas.NewImageFromResource(r)
		w.SetMinSize(fyne.NewSize(24, 24))
		if inkOf(w) < 24*255 {
			t.Errorf("icon %q shows almost nothing", n)
		}
		if bytes.Contains(r.Content(), []byte("stroke")) {
			t.Errorf("icon %q has a stroke, which Fyne doesn't colour", n)
		}
	}
	for _, n := range []string{"home", "plan", "bill", "setup", "watch", "history"} {
		if Icon(n) == nil {
			t.Errorf("the rail lacks %q", n)
		}
	}
	if Icon("no such icon") != nil {
		t.Error("an unknown icon must be nil")
	}
	for _, v := range Verdicts() {
		if v.Icon() == nil {
			t.Errorf("verdict %q has no shape", v)
		}
	}
}

// TestVerdictShapes holds that no two verdicts share their shape, since colour
// is never alone.
func TestVerdictShapes(t *testing.T) {
	a := test.NewTempApp(t)
	a.Settings().SetTheme(New(Params{Ground: Dark}))
	seen := map[string]Verdict{}
	for _, v := range Verdicts() {
		w := canvas.NewImageFromResource(Coloured(string(v), fynetheme.ColorNameForeground))
		w.SetMinSize(fyne.NewSize(24, 24))
		c := software.NewTransparentCanvas()
		c.SetPadded(false)
		c.SetContent(w)
		img := c.Capture().(*image.NRGBA)
		if other, twice := seen[string(img.Pix)]; twice {
			t.Errorf("%s and %s look the same", v, other)
		}
		seen[string(img.Pix)] = v
	}
}

// TestIconFollowsTheme switches the ground and expects another ink.
func TestIconFollowsTheme(t *testing.T) {
	a := test.NewTempApp(t)
	r := Icon("watch")
	a.Settings().SetTheme(New(Params{Ground: Dark}))
	one := r.Content()
	a.Settings().SetTheme(New(Params{Ground: Light}))
	if bytes.Equal(one, r.Content()) {
		t.Error("the icon keeps the colour of the former ground")
	}
	_ = widget.NewIcon(r)
}
