// Package icons holds the signs of the window as SVG: the shapes of verdicts,
// the places of the rail and the tools of charts. They are black on nothing;
// ui/theme gives them their colour. Every shape is a filled outline: Fyne colours
// fills, never strokes.
package icons

import (
	"embed"
	"sort"
	"strings"
)

//go:embed svg/*.svg
var files embed.FS

// SVG returns the drawing of a name ("pass", "watch"); ok is false for a name
// that has none.
func SVG(name string) (svg []byte, ok bool) {
	b, err := files.ReadFile("svg/" + name + ".svg")
	return b, err == nil
}

// Names returns the names of all drawings, sorted.
func Names() []string {
	entries, err := files.ReadDir("svg")
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".svg"))
	}
	sort.Strings(names)
	return names
}
