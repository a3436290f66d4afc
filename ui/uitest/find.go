// Package uitest finds things on a test window the way a person does: by what
// they say.
package uitest

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"rentgen/ui/widgets"
)

// roots returns what is seen on a canvas: the top overlay or the content.
func roots(c fyne.Canvas) []fyne.CanvasObject {
	if top := c.Overlays().Top(); top != nil {
		return []fyne.CanvasObject{top}
	}
	return []fyne.CanvasObject{c.Content()}
}

// Visible calls f for every visible object on the canvas, those of the top
// overlay where there is one.
func Visible(c fyne.Canvas, f func(o fyne.CanvasObject)) {
	for _, root := range roots(c) {
		walk(root, f)
	}
}

func walk(o fyne.CanvasObject, f func(fyne.CanvasObject)) {
	if o == nil || !o.Visible() {
		return
	}
	f(o)
	switch o := o.(type) {
	case *fyne.Container:
		for _, c := range o.Objects {
			walk(c, f)
		}
	case fyne.Widget:
		for _, c := range test.WidgetRenderer(o).Objects() {
			walk(c, f)
		}
	}
}

// Texts returns every text that is seen, in the tree's order.
func Texts(c fyne.Canvas) []string { return seen(c, false) }

// Prose returns every text that is seen but those in monospace, which are a
// host's words.
func Prose(c fyne.Canvas) []string { return seen(c, true) }

func seen(c fyne.Canvas, prose bool) []string {
	var out []string
	Visible(c, func(o fyne.CanvasObject) {
		switch o := o.(type) {
		case *canvas.Text:
			if strings.TrimSpace(o.Text) != "" && !(prose && o.TextStyle.Monospace) {
				out = append(out, o.Text)
			}
		case *widgets.Entry:
			out = append(out, o.Text, o.PlaceHolder)
		case *widget.Label:
			if strings.TrimSpace(o.Text) != "" && !(prose && o.TextStyle.Monospace) {
				out = append(out, o.Text)
			}
		case *widget.TextGrid:
			out = append(out, o.Text())
		}
	})
	// Numbers carry thin and no-break spaces, and Chinese marks where it may
	// break; a test writes plain text.
	for i, t := range out {
		out[i] = strings.NewReplacer("\u2009", " ", "\u00a0", " ", "\r", "").Replace(t)
	}
	return out
}

// Sees reports whether a text that holds part is seen.
func Sees(c fyne.Canvas, part string) bool {
	for _, t := range Texts(c) {
		if strings.Contains(t, part) {
			return true
		}
	}
	return false
}

// Button finds a visible button by its text.
func Button(t testing.TB, c fyne.Canvas, text string) *widgets.Button {
	t.Helper()
	var found *widgets.Button
	Visible(c, func(o fyne.CanvasObject) {
		if b, ok := o.(*widgets.Button); ok && b.Text == text && found == nil {
			found = b
		}
	})
	if found == nil {
		t.Fatalf("no button %q; seen: %q", text, Texts(c))
	}
	return found
}

// Press taps a button by its text; a disabled one fails the test.
func Press(t testing.TB, c fyne.Canvas, text string) {
	t.Helper()
	b := Button(t, c, text)
	if b.Disabled() {
		t.Fatalf("button %q is disabled", text)
	}
	test.Tap(b)
}

// Field finds a visible field by its placeholder.
func Field(t testing.TB, c fyne.Canvas, placeholder string) *widgets.Entry {
	t.Helper()
	var found *widgets.Entry
	Visible(c, func(o fyne.CanvasObject) {
		if e, ok := o.(*widgets.Entry); ok && e.PlaceHolder == placeholder && found == nil {
			found = e
		}
	})
	if found == nil {
		t.Fatalf("no field %q; seen: %q", placeholder, Texts(c))
	}
	return found
}

// Check finds a visible tick box by its text.
func Check(t testing.TB, c fyne.Canvas, text string) *widgets.Check {
	t.Helper()
	var found *widgets.Check
	Visible(c, func(o fyne.CanvasObject) {
		if e, ok := o.(*widgets.Check); ok && e.Text == text {
			found = e
		}
	})
	if found == nil {
		t.Fatalf("no tick box %q; seen: %q", text, Texts(c))
	}
	return found
}

// Tap presses what can be pressed and holds a text, a row of a table.
func Tap(t testing.TB, c fyne.Canvas, text string) {
	t.Helper()
	var found *widgets.Tap
	Visible(c, func(o fyne.CanvasObject) {
		if p, ok := o.(*widgets.Tap); ok && found == nil {
			walk(p, func(o fyne.CanvasObject) {
				if l, ok := o.(*widget.Label); ok && l.Text == text {
					found = p
				}
			})
		}
	})
	if found == nil {
		t.Fatalf("nothing to press holds %q; seen: %q", text, Texts(c))
	}
	test.Tap(found)
}
