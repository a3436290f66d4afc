package bill

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// prose is text that wraps: between words, after any Han character, and never
// inside of a number or before a closing mark.
type prose struct {
	widget.BaseWidget
	Text   string
	style  part
	right  bool
	colour fyne.ThemeColorName
	texts  []*canvas.Text
	width  float32 // that lines are wrapped for
	lines  []string
}

func newProse(text string, style part) *prose {
	p := &prose{Text: text, style: style, colour: style.colour}
	p.ExtendBaseWidget(p)
	return p
}

// words is text of the usual size.
func words(text string) *prose { return newProse(text, part{}) }

// quiet is small text.
func quiet(text string) *prose { return newProse(text, part{small: true}) }

// heading is the name of a part.
func heading(text string) *prose { return newProse(text, part{bold: true}) }

// faint is small text that says where something comes from.
func faint(text string) *prose { return newProse(text, part{small: true, colour: theme.ColorFaint}) }

// SetText gives it another text.
func (p *prose) SetText(text string) {
	if p.Text != text {
		p.Text = text
		p.Refresh()
	}
}

// paint gives it another colour.
func (p *prose) paint(name fyne.ThemeColorName) {
	if p.colour != name {
		p.colour = name
		p.Refresh()
	}
}

const prosePad = float32(2) // above and below

func (p *prose) wrap(width float32) {
	if p.width == width && p.lines != nil {
		return
	}
	p.width = width
	p.lines = widgets.Wrap(p.Text, width-2*fynetheme.InnerPadding(), sizeOf(p.style), fyne.TextStyle{Bold: p.style.bold})
	if p.lines == nil {
		p.lines = []string{""}
	}
}

// MinSize is the height that the text needs at the width of the last layout.
func (p *prose) MinSize() fyne.Size {
	p.ExtendBaseWidget(p)
	return p.BaseWidget.MinSize()
}

// CreateRenderer implements fyne.Widget.
func (p *prose) CreateRenderer() fyne.WidgetRenderer { return &proseView{p: p} }

type proseView struct {
	p       *prose
	objects []fyne.CanvasObject
}

func (v *proseView) Destroy() {}

func (v *proseView) lineHeight() float32 { return sizeOf(v.p.style) * 1.42 }

func (v *proseView) MinSize() fyne.Size {
	n := 1
	if v.p.width > 0 {
		v.p.wrap(v.p.width)
		n = len(v.p.lines)
	}
	return fyne.NewSize(30, float32(n)*v.lineHeight()+2*prosePad)
}

func (v *proseView) Layout(size fyne.Size) {
	p := v.p
	if size.Width < 1 {
		return
	}
	p.wrap(size.Width)
	for len(p.texts) < len(p.lines) {
		p.texts = append(p.texts, canvas.NewText("", color.Transparent))
	}
	name := p.colour
	if name == "" {
		name = fynetheme.ColorNameForeground
	}
	h, pad := v.lineHeight(), fynetheme.InnerPadding()
	for i, t := range p.texts {
		if i >= len(p.lines) {
			t.Hide()
			continue
		}
		t.Text, t.TextSize, t.TextStyle.Bold, t.Color = p.lines[i], sizeOf(p.style), p.style.bold, fynetheme.Color(name)
		m := t.MinSize()
		x := pad
		if p.right {
			x = size.Width - pad - m.Width
		}
		t.Resize(m)
		stand(t, p.style, x, prosePad+float32(i)*h+h*0.78)
		t.Show()
		t.Refresh()
	}
	v.objects = v.objects[:0]
	for _, t := range p.texts {
		v.objects = append(v.objects, t)
	}
}

func (v *proseView) Refresh() {
	v.p.lines = nil
	v.Layout(v.p.Size())
	canvas.Refresh(v.p)
}

func (v *proseView) Objects() []fyne.CanvasObject { return v.objects }
