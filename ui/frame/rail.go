package frame

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/ui/widgets"
)

// rail is the list of places at the left.
type rail struct {
	f       *Frame
	buttons []*widgets.Button
	ground  *themed
	box     *fyne.Container
	folded  bool
}

func newRail(f *Frame) *rail {
	r := &rail{f: f, ground: newGround(theme.ColorNameHeaderBackground)}
	col := container.NewVBox(widgets.Gap(1, 2))
	for i, pl := range f.p.Places {
		if i == len(f.p.Places)-f.p.Low {
			col.Add(layout.NewSpacer())
		}
		b := widgets.Quiet("", pl.Icon(), func() { f.open(pl.Key()) })
		b.Alignment = widget.ButtonAlignLeading
		r.buttons = append(r.buttons, b)
		col.Add(b)
	}
	col.Add(widgets.Gap(1, 2))
	r.box = container.NewStack(r.ground, container.New(&inset{4}, col))
	return r
}

// open shows a place that was asked for by hand: the first-run page goes.
func (f *Frame) open(key string) {
	if f.cover != nil {
		f.Cover(nil)
	}
	f.Show(key)
}

func (r *rail) fold(folded bool) {
	if r.folded != folded {
		r.folded = folded
		r.retext()
	}
}

func (r *rail) retext() {
	for i, pl := range r.f.p.Places {
		text := ""
		if !r.folded {
			text = r.f.c.T("place." + pl.Key())
		}
		if r.buttons[i].Text != text {
			r.buttons[i].SetText(text)
		}
	}
}

// mark shows which place is open.
func (r *rail) mark() {
	for i, pl := range r.f.p.Places {
		want := widget.LowImportance
		if pl == r.f.shown {
			want = widget.HighImportance
		}
		if r.buttons[i].Importance != want {
			r.buttons[i].Importance = want
			r.buttons[i].Refresh()
		}
	}
}

// themed is a ground in a colour of the theme that follows the theme.
type themed struct {
	widget.BaseWidget
	name fyne.ThemeColorName
	rect *canvas.Rectangle
}

func newGround(name fyne.ThemeColorName) *themed {
	t := &themed{name: name, rect: canvas.NewRectangle(theme.Color(name))}
	t.ExtendBaseWidget(t)
	return t
}

func (t *themed) CreateRenderer() fyne.WidgetRenderer {
	return &themedRenderer{WidgetRenderer: widget.NewSimpleRenderer(t.rect), t: t}
}

type themedRenderer struct {
	fyne.WidgetRenderer
	t *themed
}

func (r *themedRenderer) Refresh() {
	r.t.rect.FillColor = theme.Color(r.t.name)
	r.t.rect.Refresh()
}

// inset leaves room round its object.
type inset struct{ by float32 }

func (i *inset) MinSize(o []fyne.CanvasObject) fyne.Size {
	return o[0].MinSize().Add(fyne.NewSquareSize(2 * i.by))
}

func (i *inset) Layout(o []fyne.CanvasObject, size fyne.Size) {
	o[0].Move(fyne.NewSquareOffsetPos(i.by))
	o[0].Resize(size.Subtract(fyne.NewSquareSize(2 * i.by)))
}
