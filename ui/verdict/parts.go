package verdict

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/ui/widgets"
)

// nameWidth is the width of the names before the parts of a verdict.
const nameWidth = 74

// named puts a small name before a part.
func named(name string, o fyne.CanvasObject) fyne.CanvasObject {
	l := widgets.Small(name)
	l.Importance = widget.LowImportance
	return container.New(&sideBySide{}, l, o)
}

type sideBySide struct{}

func (*sideBySide) MinSize(o []fyne.CanvasObject) fyne.Size {
	m := o[1].MinSize()
	return fyne.NewSize(widgets.Scaled(nameWidth)+m.Width, max(m.Height, o[0].MinSize().Height))
}

func (*sideBySide) Layout(o []fyne.CanvasObject, size fyne.Size) {
	left := widgets.Scaled(nameWidth)
	o[0].Move(fyne.NewPos(0, 0))
	o[0].Resize(fyne.NewSize(left, o[0].MinSize().Height))
	o[1].Move(fyne.NewPos(left, 0))
	o[1].Resize(fyne.NewSize(max(size.Width-left, 10), size.Height))
}

// sign is a shape on the first line of what stands behind it.
func sign(i *widget.Icon) fyne.CanvasObject { return widgets.OnLine(i) }

// Chip is a short word in a frame, such as the kind of a verdict.
type Chip struct {
	widget.BaseWidget
	text *canvas.Text
	edge *canvas.Rectangle
}

// NewChip returns a chip.
func NewChip(text string) *Chip {
	c := &Chip{text: canvas.NewText(text, nil), edge: canvas.NewRectangle(nil)}
	c.edge.CornerRadius, c.edge.StrokeWidth = 3, 1
	c.ExtendBaseWidget(c)
	return c
}

// Text returns what the chip says.
func (c *Chip) Text() string { return c.text.Text }

// SetText changes what the chip says.
func (c *Chip) SetText(s string) {
	if c.text.Text != s {
		c.text.Text = s
		c.Refresh()
	}
}

func (c *Chip) paint() {
	c.text.Color, c.text.TextSize = fynetheme.Color(fynetheme.ColorNameForeground), fynetheme.CaptionTextSize()
	c.edge.FillColor, c.edge.StrokeColor = fynetheme.Color(fynetheme.ColorNameButton), fynetheme.Color(fynetheme.ColorNameSeparator)
}

// CreateRenderer implements fyne.Widget.
func (c *Chip) CreateRenderer() fyne.WidgetRenderer {
	c.paint()
	return &chipRenderer{c}
}

type chipRenderer struct{ c *Chip }

func (r *chipRenderer) Destroy() {}

func (r *chipRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.c.edge, r.c.text}
}

func (r *chipRenderer) MinSize() fyne.Size { return r.c.text.MinSize().AddWidthHeight(10, 2) }

func (r *chipRenderer) Layout(size fyne.Size) {
	m := r.MinSize()
	y := (size.Height - m.Height) / 2
	r.c.edge.Move(fyne.NewPos(0, y))
	r.c.edge.Resize(m)
	r.c.text.Move(fyne.NewPos(5, y+1))
	r.c.text.Resize(r.c.text.MinSize())
}

func (r *chipRenderer) Refresh() {
	r.c.paint()
	r.Layout(r.c.Size())
	canvas.Refresh(r.c)
}
