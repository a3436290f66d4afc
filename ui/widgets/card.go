package widgets

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// Ground is a rectangle in colours of the theme that follows the theme.
type Ground struct {
	widget.BaseWidget
	Fill, Line fyne.ThemeColorName // "" for none
	rect       *canvas.Rectangle
}

// NewGround returns a ground.
func NewGround(fill, line fyne.ThemeColorName) *Ground {
	g := &Ground{Fill: fill, Line: line, rect: canvas.NewRectangle(theme.Color(fill))}
	g.paint()
	g.ExtendBaseWidget(g)
	return g
}

func (g *Ground) paint() {
	g.rect.FillColor = theme.Color(g.Fill)
	g.rect.StrokeWidth = 0
	if g.Line != "" {
		g.rect.StrokeColor, g.rect.StrokeWidth = theme.Color(g.Line), 1
	}
}

// CreateRenderer draws the rectangle.
func (g *Ground) CreateRenderer() fyne.WidgetRenderer {
	return &groundRenderer{WidgetRenderer: widget.NewSimpleRenderer(g.rect), g: g}
}

type groundRenderer struct {
	fyne.WidgetRenderer
	g *Ground
}

func (r *groundRenderer) Refresh() {
	r.g.paint()
	r.g.rect.Refresh()
}

// Inset leaves room round an object.
func Inset(by float32, o fyne.CanvasObject) *fyne.Container {
	return container.New(&inset{by}, o)
}

type inset struct{ by float32 }

func (i *inset) MinSize(o []fyne.CanvasObject) fyne.Size {
	return o[0].MinSize().Add(fyne.NewSquareSize(2 * i.by))
}

func (i *inset) Layout(o []fyne.CanvasObject, size fyne.Size) {
	o[0].Move(fyne.NewSquareOffsetPos(i.by))
	o[0].Resize(size.Subtract(fyne.NewSquareSize(2 * i.by)))
}

// Card sets an object on a panel with room round it.
func Card(by float32, o fyne.CanvasObject) *fyne.Container {
	g := NewGround(theme.ColorNameHeaderBackground, theme.ColorNameSeparator)
	g.rect.CornerRadius = 3
	return container.NewStack(g, Inset(by, o))
}

// Scaled returns a length that grows with the size of text.
func Scaled(length float32) float32 { return length * theme.TextSize() / 13 }
