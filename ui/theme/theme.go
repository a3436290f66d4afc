package theme

import (
	"image/color"

	"fyne.io/fyne/v2"
	fynetheme "fyne.io/fyne/v2/theme"

	"rentgen/assets/fonts"
)

// Ground says which variant is shown.
type Ground string

// The choices of the ground.
const (
	System Ground = "system" // as the desktop says
	Light  Ground = "light"
	Dark   Ground = "dark"
)

// Our own colour names, for ThemedResource and canvas objects.
const (
	ColorPass  fyne.ThemeColorName = "rentgenPass"
	ColorWarn  fyne.ThemeColorName = "rentgenWarn"
	ColorFail  fyne.ThemeColorName = "rentgenFail"
	ColorQuiet fyne.ThemeColorName = "rentgenQuiet"
	ColorBusy  fyne.ThemeColorName = "rentgenBusy"
	ColorPanel fyne.ThemeColorName = "rentgenPanel"
	ColorLine  fyne.ThemeColorName = "rentgenLine"
	ColorFaint fyne.ThemeColorName = "rentgenFaint"
)

// Sizes of type in device-independent pixels, before the font scale.
const (
	Body     float32 = 13
	Small    float32 = 11
	Headline float32 = 22
)

// SizeHeadline is the size of the one big number of a card.
const SizeHeadline fyne.ThemeSizeName = "rentgenHeadline"

// Params are the choices of the user.
type Params struct {
	Ground Ground
	// Scale multiplies type and icons; 0 means 1. It is held between 0.75 and 2.
	Scale float32
}

// Theme implements fyne.Theme.
type Theme struct {
	ground Ground
	scale  float32
}

// New returns the theme for the given choices.
func New(p Params) *Theme {
	if p.Scale == 0 {
		p.Scale = 1
	}
	return &Theme{ground: p.Ground, scale: min(max(p.Scale, 0.75), 2)}
}

// Scale returns the font scale in use.
func (t *Theme) Scale() float32 { return t.scale }

func (t *Theme) variant(system fyne.ThemeVariant) fyne.ThemeVariant {
	switch t.ground {
	case Light:
		return fynetheme.VariantLight
	case Dark:
		return fynetheme.VariantDark
	}
	return system
}

func alpha(c color.NRGBA, a uint8) color.NRGBA {
	c.A = a
	return c
}

// Color returns the colour of a name on the chosen ground.
func (t *Theme) Color(n fyne.ThemeColorName, v fyne.ThemeVariant) color.Color {
	v = t.variant(v)
	p := PaletteOf(v)
	switch n {
	case ColorPass, fynetheme.ColorNameSuccess:
		return p.Pass
	case ColorWarn, fynetheme.ColorNameWarning:
		return p.Warn
	case ColorFail, fynetheme.ColorNameError:
		return p.Fail
	case ColorQuiet:
		return p.Quiet
	case ColorBusy:
		return p.Busy
	case ColorPanel, fynetheme.ColorNameInputBackground, fynetheme.ColorNameMenuBackground, fynetheme.ColorNameOverlayBackground:
		return p.Panel
	case ColorLine, fynetheme.ColorNameSeparator:
		return p.Line
	case fynetheme.ColorNameInputBorder:
		return p.Border
	case ColorFaint, fynetheme.ColorNamePlaceHolder:
		return p.Faint
	case fynetheme.ColorNameBackground:
		return p.Ground
	case fynetheme.ColorNameHeaderBackground:
		return p.Panel
	case fynetheme.ColorNameForeground:
		return p.Text
	case fynetheme.ColorNameDisabled:
		return p.Quiet
	case fynetheme.ColorNameDisabledButton:
		return p.Ground
	case fynetheme.ColorNameButton:
		return p.Grid
	case fynetheme.ColorNamePrimary, fynetheme.ColorNameHyperlink:
		return p.Accent
	case fynetheme.ColorNameForegroundOnPrimary:
		return p.OnAccent
	case fynetheme.ColorNameForegroundOnError, fynetheme.ColorNameForegroundOnSuccess, fynetheme.ColorNameForegroundOnWarning:
		return p.Panel
	case fynetheme.ColorNameFocus:
		return alpha(p.Accent, 0x80)
	case fynetheme.ColorNameSelection:
		return alpha(p.Accent, 0x48)
	case fynetheme.ColorNameHover:
		return alpha(p.Text, 0x14)
	case fynetheme.ColorNamePressed:
		return alpha(p.Text, 0x28)
	case fynetheme.ColorNameScrollBar:
		return alpha(p.Text, 0x60)
	case fynetheme.ColorNameScrollBarBackground:
		return alpha(p.Text, 0x0C)
	}
	return fynetheme.DefaultTheme().Color(n, v)
}

var (
	regular = fyne.NewStaticResource("RentgenHan-Regular.otf", fonts.Regular())
	bold    = fyne.NewStaticResource("RentgenHan-Bold.otf", fonts.Bold())
)

// Font returns the Chinese face of a style. It comes first; what it lacks
// (Latin, digits) Fyne takes from its own face of the same style, so mono keeps
// its pitch. Symbols stay Fyne's.
func (t *Theme) Font(s fyne.TextStyle) fyne.Resource {
	switch {
	case s.Symbol:
		return fynetheme.DefaultTheme().Font(s)
	case s.Bold:
		return bold
	}
	return regular
}

// Icon returns Fyne's icon of a name.
func (t *Theme) Icon(n fyne.ThemeIconName) fyne.Resource {
	return fynetheme.DefaultTheme().Icon(n)
}

// Size returns half of Fyne's paddings, which are made for fingers, and our
// sizes of type times the font scale.
func (t *Theme) Size(n fyne.ThemeSizeName) float32 {
	switch n {
	case fynetheme.SizeNamePadding:
		return 2
	case fynetheme.SizeNameInnerPadding:
		return 4
	case fynetheme.SizeNameLineSpacing:
		return 2
	case fynetheme.SizeNameText:
		return Body * t.scale
	case fynetheme.SizeNameCaptionText:
		return Small * t.scale
	case fynetheme.SizeNameHeadingText, SizeHeadline:
		return Headline * t.scale
	case fynetheme.SizeNameSubHeadingText:
		return 16 * t.scale
	case fynetheme.SizeNameInlineIcon:
		return 16 * t.scale
	case fynetheme.SizeNameScrollBar:
		return 10
	case fynetheme.SizeNameScrollBarSmall:
		return 4
	case fynetheme.SizeNameInputRadius, fynetheme.SizeNameSelectionRadius:
		return 3
	}
	return fynetheme.DefaultTheme().Size(n)
}
