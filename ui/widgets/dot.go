package widgets

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// State is how a host is, as its dot shows it.
type State int

// The states. Each has a colour and a form of its own: a ring while nothing
// comes, a disc while readings do, a half disc for old ones, a bar across for
// a failure.
const (
	Off        State = iota // grey ring
	Connecting              // blue ring with a core
	Live                    // green disc
	Stale                   // amber half disc
	Failed                  // red disc with a bar
	Paused                  // grey disc with a gap
)

// Dot shows a State.
type Dot struct {
	widget.BaseWidget
	State State
}

// NewDot returns a dot.
func NewDot(s State) *Dot {
	d := &Dot{State: s}
	d.ExtendBaseWidget(d)
	return d
}

// Set changes the state; it draws only when the state differs.
func (d *Dot) Set(s State) {
	if d.State != s {
		d.State = s
		d.Refresh()
	}
}

// dotSize is the dot's width and height beside the text of now.
func dotSize() float32 { return Scaled(11) }

// CreateRenderer draws the dot.
func (d *Dot) CreateRenderer() fyne.WidgetRenderer {
	r := &dotRenderer{
		dot: d, disc: canvas.NewCircle(color.Transparent), core: canvas.NewCircle(color.Transparent),
		bar: canvas.NewRectangle(color.Transparent),
	}
	r.Refresh()
	return r
}

type dotRenderer struct {
	dot        *Dot
	disc, core *canvas.Circle
	bar        *canvas.Rectangle
}

func (r *dotRenderer) Destroy() {}

func (r *dotRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.disc, r.core, r.bar}
}

func (r *dotRenderer) MinSize() fyne.Size { return fyne.NewSquareSize(dotSize()) }

func (r *dotRenderer) Layout(size fyne.Size) {
	d := dotSize()
	x, y := (size.Width-d)/2, (size.Height-d)/2
	place := func(o fyne.CanvasObject, dx, dy, w, h float32) {
		o.Move(fyne.NewPos(x+dx, y+dy))
		o.Resize(fyne.NewSize(w, h))
	}
	place(r.disc, 0, 0, d, d)
	place(r.core, d*0.27, d*0.27, d*0.46, d*0.46)
	switch r.dot.State {
	case Stale:
		place(r.bar, d/2, 1, d/2, d-2)
	case Failed:
		place(r.bar, 2, d/2-1, d-4, 2)
	default: // Paused
		place(r.bar, d/2-1, 1, 2, d-2)
	}
}

// DotColour returns the colour of a state in the theme of now.
func DotColour(s State) color.Color {
	switch s {
	case Connecting:
		return theme.Color(theme.ColorNamePrimary)
	case Live:
		return theme.Color(theme.ColorNameSuccess)
	case Stale:
		return theme.Color(theme.ColorNameWarning)
	case Failed:
		return theme.Color(theme.ColorNameError)
	case Off, Paused:
	}
	return theme.Color(theme.ColorNamePlaceHolder)
}

func (r *dotRenderer) Refresh() {
	s := r.dot.State
	c, ground := DotColour(s), theme.Color(theme.ColorNameBackground)
	ring := s == Off || s == Connecting
	r.disc.StrokeColor, r.disc.StrokeWidth = c, 1.5
	r.disc.FillColor = c
	if ring {
		r.disc.FillColor = color.Transparent
	}
	r.core.FillColor = c
	r.core.Hidden = s != Connecting
	r.bar.FillColor = ground
	r.bar.Hidden = s != Stale && s != Failed && s != Paused
	r.Layout(r.dot.Size())
	canvas.Refresh(r.dot)
}
