package home

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/ui/widgets"
)

// say gives text that wraps another text.
func say(l *widget.Label, text string) { widgets.SetWords(l, text) }

// relabel gives a button another text, if it is another.
func relabel(b *widgets.Button, text string) {
	if b.Text != text {
		b.SetText(text)
	}
}

func bold(text string) *widget.Label {
	l := widget.NewLabel(text)
	l.TextStyle.Bold = true
	return l
}

func oneLine(l *widget.Label) *widget.Label {
	l.Truncation = fyne.TextTruncateEllipsis
	return l
}

// faint is small text of lower weight that wraps.
func faint(text string) *widget.Label {
	l := widgets.Words(text)
	l.SizeName, l.Importance = fynetheme.SizeNameCaptionText, widget.LowImportance
	return l
}

// columns are two columns that share the width; in a narrow place the second
// stands below the first.
type columns struct {
	left  float32 // share of the width
	gap   float32
	width float32 // of the last layout
}

// leastTwo is the width from which there is room for two columns.
const leastTwo = 760

func (l *columns) beside(width float32) bool { return width >= widgets.Scaled(leastTwo) }

func (l *columns) MinSize(o []fyne.CanvasObject) fyne.Size {
	a, b := o[0].MinSize(), o[1].MinSize()
	if l.width == 0 || l.beside(l.width) {
		return fyne.NewSize(max(a.Width, b.Width), max(a.Height, b.Height))
	}
	return fyne.NewSize(max(a.Width, b.Width), a.Height+l.gap+b.Height)
}

func (l *columns) Layout(o []fyne.CanvasObject, size fyne.Size) {
	l.width = size.Width
	if l.beside(size.Width) {
		left := (size.Width - l.gap) * l.left
		o[0].Move(fyne.NewPos(0, 0))
		o[0].Resize(fyne.NewSize(left, size.Height))
		o[1].Move(fyne.NewPos(left+l.gap, 0))
		o[1].Resize(fyne.NewSize(size.Width-left-l.gap, size.Height))
		return
	}
	y := float32(0)
	for _, c := range o[:2] {
		c.Move(fyne.NewPos(0, y))
		c.Resize(fyne.NewSize(size.Width, c.MinSize().Height))
		y += c.MinSize().Height + l.gap
	}
}

// even shares the width among its objects.
type even struct{ gap float32 }

func (l *even) MinSize(o []fyne.CanvasObject) fyne.Size {
	var s fyne.Size
	for _, c := range o {
		s = s.Max(c.MinSize())
	}
	return fyne.NewSize(float32(len(o))*(s.Width+l.gap)-l.gap, s.Height)
}

func (l *even) Layout(o []fyne.CanvasObject, size fyne.Size) {
	w := (size.Width - float32(len(o)-1)*l.gap) / float32(len(o))
	for i, c := range o {
		c.Move(fyne.NewPos(float32(i)*(w+l.gap), 0))
		c.Resize(fyne.NewSize(w, size.Height))
	}
}

// lines keeps the room of so many lines of small text, so that what is said in it
// moves nothing.
type lines struct{ n int }

func (l *lines) MinSize(o []fyne.CanvasObject) fyne.Size {
	line := fyne.MeasureText("0", fynetheme.CaptionTextSize(), fyne.TextStyle{}).Height
	return fyne.NewSize(60, float32(l.n)*line+2*fynetheme.InnerPadding())
}

func (l *lines) Layout(o []fyne.CanvasObject, size fyne.Size) {
	o[0].Move(fyne.NewPos(0, 0))
	o[0].Resize(size)
}

// titled is a card with a title.
func titled(title string, right fyne.CanvasObject, o ...fyne.CanvasObject) *fyne.Container {
	head := container.NewBorder(nil, nil, nil, right, bold(title))
	return widgets.Card(4, widgets.Stacked(0, append([]fyne.CanvasObject{head}, o...)...))
}
