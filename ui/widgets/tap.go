package widgets

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// Tap makes any content something that can be pressed and reached by keyboard.
// Its focus and hover are visible.
type Tap struct {
	widget.BaseWidget
	OnTapped func()
	// OnNear is called when the pointer or the focus comes; nil for nothing.
	OnNear func()
	// OnKey sees a key before the content is pressed by it and reports whether it
	// took it; nil takes none.
	OnKey   func(ev *fyne.KeyEvent) bool
	Chosen  bool
	content fyne.CanvasObject
	ground  *canvas.Rectangle
	focused bool
	hovered bool
}

// NewTap returns content that can be pressed.
func NewTap(content fyne.CanvasObject, tapped func()) *Tap {
	t := &Tap{OnTapped: tapped, content: content, ground: canvas.NewRectangle(color.Transparent)}
	t.ground.CornerRadius = 3
	t.ExtendBaseWidget(t)
	return t
}

// CreateRenderer draws content over the ground.
func (t *Tap) CreateRenderer() fyne.WidgetRenderer {
	t.paint()
	return &tapRenderer{WidgetRenderer: widget.NewSimpleRenderer(container.NewStack(t.ground, t.content)), tap: t}
}

type tapRenderer struct {
	fyne.WidgetRenderer
	tap *Tap
}

func (r *tapRenderer) Refresh() {
	r.tap.paint()
	r.WidgetRenderer.Refresh()
}

func (t *Tap) paint() {
	t.ground.FillColor = color.Transparent
	t.ground.StrokeWidth = 0
	switch {
	case t.Chosen:
		t.ground.FillColor = theme.Color(theme.ColorNameSelection)
	case t.hovered:
		t.ground.FillColor = theme.Color(theme.ColorNameHover)
	}
	if t.focused {
		t.ground.StrokeColor, t.ground.StrokeWidth = theme.Color(theme.ColorNamePrimary), 2
	}
}

func (t *Tap) repaint() {
	t.paint()
	t.ground.Refresh()
}

// SetChosen marks the content as the chosen one of its kind.
func (t *Tap) SetChosen(on bool) {
	if t.Chosen != on {
		t.Chosen = on
		t.repaint()
	}
}

// Tapped calls OnTapped.
func (t *Tap) Tapped(*fyne.PointEvent) {
	if t.OnTapped != nil {
		t.OnTapped()
	}
}

// FocusGained shows the focus.
func (t *Tap) FocusGained() {
	t.focused = true
	t.repaint()
	t.near()
}

func (t *Tap) near() {
	if t.OnNear != nil {
		t.OnNear()
	}
}

// FocusLost hides the focus.
func (t *Tap) FocusLost() {
	t.focused = false
	t.repaint()
}

// TypedRune does nothing: there is no text in it.
func (t *Tap) TypedRune(rune) {}

// TypedKey presses on space and Enter.
func (t *Tap) TypedKey(ev *fyne.KeyEvent) {
	if passKey(t, ev) || t.OnKey != nil && t.OnKey(ev) {
		return
	}
	switch ev.Name {
	case fyne.KeySpace, fyne.KeyReturn, fyne.KeyEnter:
		t.Tapped(nil)
	}
}

// Cursor is a hand.
func (t *Tap) Cursor() desktop.Cursor { return desktop.PointerCursor }

// MouseIn shows that it can be pressed.
func (t *Tap) MouseIn(*desktop.MouseEvent) {
	t.hovered = true
	t.repaint()
	t.near()
}

// MouseMoved does nothing.
func (t *Tap) MouseMoved(*desktop.MouseEvent) {}

// MouseOut takes the sign away.
func (t *Tap) MouseOut() {
	t.hovered = false
	t.repaint()
}
