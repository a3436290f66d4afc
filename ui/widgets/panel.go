package widgets

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// Panel is a page above the place: a question, a form, a help text. Escape
// closes it as its cancel button does.
type Panel struct {
	pop      *widget.PopUp
	onCancel func()
	first    fyne.Focusable
	closed   bool
}

// PanelParams say what a panel holds.
type PanelParams struct {
	Canvas  fyne.Canvas
	Title   string
	Content fyne.CanvasObject
	Buttons []fyne.CanvasObject // right-aligned under the content
	Width   float32             // 0: 480
	Height  float32             // 0: as the content needs
	First   fyne.Focusable      // has the keyboard when the panel opens
	// OnCancel is called when Escape closes the panel.
	OnCancel func()
}

// panelBody is what the pop-up holds; the window's Escape finds Cancel here.
type panelBody struct {
	widget.BaseWidget
	panel *Panel
	box   fyne.CanvasObject
}

func (b *panelBody) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(b.box) }

// Cancel closes the panel as Escape does.
func (b *panelBody) Cancel() { b.panel.Cancel() }

// NewPanel makes a panel; Show shows it.
func NewPanel(p PanelParams) *Panel {
	title := widget.NewLabel(p.Title)
	title.TextStyle.Bold = true
	title.SizeName = theme.SizeNameSubHeadingText
	title.Wrapping = fyne.TextWrapWord
	var bottom fyne.CanvasObject
	if len(p.Buttons) > 0 {
		bottom = container.NewVBox(Gap(1, 6), container.NewBorder(nil, nil, nil, Row(p.Buttons...)))
	}
	width := p.Width
	if width == 0 {
		width = 480
	}
	width = min(Scaled(width), p.Canvas.Size().Width-80)
	panel := &Panel{onCancel: p.OnCancel, first: p.First}
	body := &panelBody{panel: panel}
	body.box = container.New(&minSize{fyne.NewSize(width, p.Height)},
		Inset(10, container.NewBorder(title, bottom, nil, nil, p.Content)))
	body.ExtendBaseWidget(body)
	panel.pop = widget.NewModalPopUp(body, p.Canvas)
	return panel
}

// Show puts the panel above everything.
func (p *Panel) Show() {
	p.pop.Show()
	// Wrapped text learns its height from its width, which it has only now.
	p.Fit()
	if p.first != nil {
		p.pop.Canvas.Focus(p.first)
	}
}

// Fit gives the panel the height that its content needs by now.
func (p *Panel) Fit() { p.pop.Resize(p.pop.Content.MinSize()) }

// Close takes the panel away without asking anyone.
func (p *Panel) Close() {
	if !p.closed {
		p.closed = true
		p.pop.Hide()
	}
}

// Closed reports whether the panel was taken away.
func (p *Panel) Closed() bool { return p.closed }

// Cancel closes the panel and tells its maker.
func (p *Panel) Cancel() {
	if p.closed {
		return
	}
	p.Close()
	if p.onCancel != nil {
		p.onCancel()
	}
}

// Dismiss closes what lies on top of the canvas, as Escape does, and reports
// whether there was anything.
func Dismiss(c fyne.Canvas) bool {
	top := c.Overlays().Top()
	if top == nil {
		return false
	}
	if pop, ok := top.(*widget.PopUp); ok {
		if body, ok := pop.Content.(interface{ Cancel() }); ok {
			body.Cancel()
			return true
		}
	}
	top.Hide()
	c.Overlays().Remove(top)
	return true
}

// minSize gives its one object at least a size.
type minSize struct{ min fyne.Size }

func (m *minSize) MinSize(objects []fyne.CanvasObject) fyne.Size {
	s := m.min
	for _, o := range objects {
		s = s.Max(o.MinSize())
	}
	return s
}

func (m *minSize) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	for _, o := range objects {
		o.Move(fyne.NewPos(0, 0))
		o.Resize(size)
	}
}

// AtLeast gives an object at least a size.
func AtLeast(size fyne.Size, o fyne.CanvasObject) *fyne.Container {
	return container.New(&minSize{size}, o)
}

// Column keeps its object in the middle and no wider than width, so that lines
// of text stay readable in a wide window.
func Column(width float32, o fyne.CanvasObject) *fyne.Container {
	return container.New(&column{width: width}, o)
}

// Left keeps its object at the left and no wider than width.
func Left(width float32, o fyne.CanvasObject) *fyne.Container {
	return container.New(&column{width: width, left: true}, o)
}

type column struct {
	width float32
	left  bool
}

func (c *column) MinSize(objects []fyne.CanvasObject) fyne.Size {
	var s fyne.Size
	for _, o := range objects {
		s = s.Max(o.MinSize())
	}
	return s
}

func (c *column) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	w := min(c.width, size.Width)
	for _, o := range objects {
		o.Resize(fyne.NewSize(w, size.Height))
		x := (size.Width - w) / 2
		if c.left {
			x = 0
		}
		o.Move(fyne.NewPos(x, 0))
	}
}

// Row lays buttons beside each other with room between them.
func Row(o ...fyne.CanvasObject) *fyne.Container {
	return container.New(layout.NewCustomPaddedHBoxLayout(6), o...)
}

// Rule returns a thin line between two parts.
func Rule() fyne.CanvasObject { return widget.NewSeparator() }

// Gap is empty room.
func Gap(w, h float32) fyne.CanvasObject {
	r := canvas.NewRectangle(color.Transparent)
	r.SetMinSize(fyne.NewSize(w, h))
	return r
}
