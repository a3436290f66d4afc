package widgets

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// Stacked sets objects below each other with a gap of our own; hidden ones take
// no room.
func Stacked(gap float32, o ...fyne.CanvasObject) *fyne.Container {
	return container.New(&stack{gap}, o...)
}

type stack struct{ gap float32 }

func (l *stack) MinSize(o []fyne.CanvasObject) fyne.Size {
	var s fyne.Size
	n := 0
	for _, c := range o {
		if c.Visible() {
			m := c.MinSize()
			s.Width = max(s.Width, m.Width)
			s.Height += m.Height
			n++
		}
	}
	s.Height += l.gap * float32(max(n-1, 0))
	return s
}

func (l *stack) Layout(o []fyne.CanvasObject, size fyne.Size) {
	y := float32(0)
	for _, c := range o {
		if !c.Visible() {
			continue
		}
		// Wrapped text learns its height from its width.
		c.Resize(fyne.NewSize(size.Width, c.MinSize().Height))
		h := c.MinSize().Height
		c.Move(fyne.NewPos(0, y))
		c.Resize(fyne.NewSize(size.Width, h))
		y += h + l.gap
	}
}

// BesideBar leaves room for the bar of a scroll container, which lies over its
// content.
func BesideBar(o fyne.CanvasObject) *fyne.Container { return container.New(besideBar{}, o) }

type besideBar struct{}

func (besideBar) MinSize(o []fyne.CanvasObject) fyne.Size {
	return o[0].MinSize().AddWidthHeight(10, 4)
}

func (besideBar) Layout(o []fyne.CanvasObject, size fyne.Size) {
	o[0].Move(fyne.NewPos(0, 0))
	o[0].Resize(size.SubtractWidthHeight(10, 4))
}

// LineHeight is the height of a label of one line.
func LineHeight() float32 {
	return fyne.MeasureText("0", theme.TextSize(), fyne.TextStyle{}).Height + 2*theme.InnerPadding()
}

// OnLine holds an icon to the first line of the text beside it.
func OnLine(i *widget.Icon) *fyne.Container { return container.New(onLine{}, i) }

type onLine struct{}

func (onLine) MinSize([]fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(theme.IconInlineSize(), LineHeight())
}

func (onLine) Layout(o []fyne.CanvasObject, _ fyne.Size) {
	side := theme.IconInlineSize()
	o[0].Resize(fyne.NewSquareSize(side))
	o[0].Move(fyne.NewPos(0, (LineHeight()-side)/2))
}

// ThinBar tells how much of something is done or used.
type ThinBar struct {
	Box  *fyne.Container // what is put on a page
	part float64
	fill *Ground
}

// NewThinBar returns an empty bar.
func NewThinBar() *ThinBar {
	b := &ThinBar{fill: NewGround(theme.ColorNamePrimary, "")}
	b.Box = container.New(&barLayout{b}, NewGround(theme.ColorNameSeparator, ""), b.fill)
	return b
}

// Set shows a part from 0 to 1 in a colour of the theme; "" is that of what can
// be pressed.
func (b *ThinBar) Set(part float64, colour fyne.ThemeColorName) {
	if colour == "" {
		colour = theme.ColorNamePrimary
	}
	part = min(max(part, 0), 1)
	if b.part == part && b.fill.Fill == colour {
		return
	}
	b.part, b.fill.Fill = part, colour
	b.fill.Refresh()
	b.Box.Refresh()
}

// Part returns what the bar shows, from 0 to 1.
func (b *ThinBar) Part() float64 { return b.part }

// Colour returns the name of the bar's colour.
func (b *ThinBar) Colour() fyne.ThemeColorName { return b.fill.Fill }

type barLayout struct{ b *ThinBar }

func (l *barLayout) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(10, 4) }

func (l *barLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	o[0].Resize(size)
	o[1].Resize(fyne.NewSize(size.Width*float32(l.b.part), size.Height))
}
