package theme

import (
	"sync"

	"fyne.io/fyne/v2"
	fynetheme "fyne.io/fyne/v2/theme"

	"rentgen/assets/icons"
)

// Verdict is a judgement with its own shape and colour.
type Verdict string

// The verdicts.
const (
	Pass   Verdict = "pass"
	Warn   Verdict = "warn"
	Fail   Verdict = "fail"
	Skip   Verdict = "skip"
	NotRun Verdict = "notrun"
	Stale  Verdict = "stale"
)

// Verdicts returns all verdicts.
func Verdicts() []Verdict { return []Verdict{Pass, Warn, Fail, Skip, NotRun, Stale} }

// Color returns the name of the verdict's colour.
func (v Verdict) Color() fyne.ThemeColorName {
	switch v {
	case Pass:
		return ColorPass
	case Warn, Stale:
		return ColorWarn
	case Fail:
		return ColorFail
	}
	return ColorQuiet
}

// Icon returns the verdict's shape in its colour.
func (v Verdict) Icon() fyne.Resource { return Coloured(string(v), v.Color()) }

var (
	mu       sync.Mutex
	resource = map[string]*fyne.StaticResource{}
)

// Icon returns one of our drawings (assets/icons) in the colour of text; nil
// for a name that has none.
func Icon(name string) fyne.Resource { return Coloured(name, fynetheme.ColorNameForeground) }

// Coloured returns one of our drawings in a named colour of the theme, which
// it follows when the theme changes; nil for a name that has none.
func Coloured(name string, colour fyne.ThemeColorName) fyne.Resource {
	mu.Lock()
	defer mu.Unlock()
	r, ok := resource[name]
	if !ok {
		svg, found := icons.SVG(name)
		if !found {
			return nil
		}
		r = fyne.NewStaticResource("rentgen-"+name+".svg", svg)
		resource[name] = r
	}
	return fynetheme.NewColoredResource(r, colour)
}
