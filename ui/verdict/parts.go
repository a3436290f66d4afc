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

// onLine holds an icon to the first line of the text beside it.
type onLine struct{}

func lineHeight() float32 {
	return fyne.MeasureText("0", fynetheme.TextSize(), fyne.TextStyle{}).Height + 2*fynetheme.InnerPadding()
}

func (onLine) MinSize(o []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(fynetheme.IconInlineSize(), lineHeight())
}

func (onLine) Layout(o []fyne.CanvasObject, _ fyne.Size) {
	side := fynetheme.IconInlineSize()
	o[0].Resize(fyne.NewSquareSize(side))
	o[0].Move(fyne.NewPos(0, (lineHeight()-side)/2))
}

// sign is a shape on the first line of what stands behind it.
func sign(i *widget.Icon) fyne.CanvasObject { return container.New(onLine{}, i) }

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

// column stacks objects without the padding of Fyne's box.
type column struct{ gap float32 }

func (l *column) MinSize(o []fyne.CanvasObject) fyne.Size {
	var s fyne.Size
	for _, c := range o {
		if c.Visible() {
			m := c.MinSize()
			s.Width = max(s.Width, m.Width)
			s.Height += m.Height + l.gap
		}
	}
	return s
}

func (l *column) Layout(o []fyne.CanvasObject, size fyne.Size) {
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

func stacked(gap float32, o ...fyne.CanvasObject) *fyne.Container {
	return container.New(&column{gap}, o...)
}

// thinBar tells how much of something is done.
type thinBar struct {
	part float64
	rect *widgets.Ground
	box  *fyne.Container
}

func newThinBar() *thinBar {
	b := &thinBar{rect: widgets.NewGround(fynetheme.ColorNamePrimary, "")}
	b.box = container.New(b, widgets.NewGround(fynetheme.ColorNameSeparator, ""), b.rect)
	return b
}

// set shows a part from 0 to 1.
func (b *thinBar) set(part float64) {
	if part = min(max(part, 0), 1); b.part != part {
		b.part = part
		b.box.Refresh()
	}
}

// MinSize implements fyne.Layout.
func (b *thinBar) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(10, 4) }

// Layout implements fyne.Layout.
func (b *thinBar) Layout(o []fyne.CanvasObject, size fyne.Size) {
	o[0].Resize(size)
	o[1].Resize(fyne.NewSize(size.Width*float32(b.part), size.Height))
}
