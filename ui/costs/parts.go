package costs

import (
	"unicode"
	"unicode/utf8"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/assets/texts"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// faint is small text of lower weight that wraps.
func faint(text string) *widget.Label {
	l := widgets.Words(text)
	l.SizeName, l.Importance = fynetheme.SizeNameCaptionText, widget.LowImportance
	return l
}

func bold(text string) *widget.Label {
	l := widgets.Words(text)
	l.TextStyle.Bold = true
	return l
}

// right is a value at the right of its column.
func right(text string) *widget.Label {
	l := widgets.Words(text)
	l.Alignment = fyne.TextAlignTrailing
	return l
}

// named is a value with its name.
func named(name, value string) fyne.CanvasObject {
	v := right(value)
	v.TextStyle.Bold = true
	return widgets.Columns([]float32{0, 420}, widgets.Words(name), v)
}

// marked is a sentence behind a verdict's shape.
func marked(v theme.Verdict, text string) fyne.CanvasObject {
	return container.NewBorder(nil, nil, widgets.OnLine(widget.NewIcon(v.Icon())), nil, widgets.Words(text))
}

// wrong is what is wrong with a field, hidden while nothing is.
type wrong struct {
	box  *fyne.Container
	text *widget.Label
}

func newWrong() *wrong {
	l := faint("")
	l.Importance = widget.DangerImportance
	e := &wrong{text: l, box: container.NewBorder(nil, nil, widgets.OnLine(widget.NewIcon(theme.Fail.Icon())), nil, l)}
	e.box.Hide()
	return e
}

// say shows what is wrong; "" hides it.
func (e *wrong) say(text string) {
	widgets.SetWords(e.text, text)
	widgets.SetShown(e.box, text != "")
}

// why is a dash with its reason.
func why(c *texts.Catalogue, reason string) string {
	return c.T("costs.why."+reason, "dash", texts.Dash)
}

// upper begins a sentence with a capital letter.
func upper(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return s
	}
	return string(unicode.ToUpper(r)) + s[n:]
}
