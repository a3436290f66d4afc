package setup

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/ui/widgets"
)

// paper shows a long text in monospace. It breaks the lines itself: a label that
// wraps takes seconds for a few hundred of them.
type paper struct {
	text   string
	width  float32 // of the lines as they are broken
	label  *widget.Label
	scroll *container.Scroll
	box    *fyne.Container
}

func newPaper() *paper {
	p := &paper{label: widget.NewLabel("")}
	p.label.TextStyle.Monospace = true
	p.label.SizeName = fynetheme.SizeNameCaptionText
	p.label.Selectable = true
	p.scroll = container.NewVScroll(p.label)
	p.box = container.New(p, p.scroll)
	return p
}

func (p *paper) set(text string) {
	if p.text != text {
		p.text = text
		p.wrap()
	}
}

// wrap breaks the text for the width of now.
func (p *paper) wrap() {
	if p.width <= 0 {
		return
	}
	var lines []string
	for l := range strings.SplitSeq(p.text, "\n") {
		if l == "" {
			lines = append(lines, "")
			continue
		}
		lines = append(lines, widgets.Wrap(l, p.width, fynetheme.CaptionTextSize(), p.label.TextStyle)...)
	}
	p.label.SetText(strings.Join(lines, "\n"))
	p.scroll.Refresh()
}

// MinSize implements fyne.Layout.
func (p *paper) MinSize(o []fyne.CanvasObject) fyne.Size { return fyne.NewSize(100, 60) }

// Layout implements fyne.Layout.
func (p *paper) Layout(o []fyne.CanvasObject, size fyne.Size) {
	if width := size.Width - 2*fynetheme.InnerPadding() - 12; width != p.width {
		p.width = width
		p.wrap()
	}
	o[0].Move(fyne.NewPos(0, 0))
	o[0].Resize(size)
}
