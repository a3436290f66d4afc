package setup

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/guide"
	"rentgen/app/guide/track"
	"rentgen/assets/texts"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// verdictOf is a verdict as the theme draws it.
func verdictOf(v guide.Verdict) theme.Verdict {
	if v == guide.NotRun {
		return theme.NotRun
	}
	return theme.Verdict(v)
}

// shape is the drawn shape of a state.
func shape(s track.State, v guide.Verdict) fyne.Resource {
	switch s {
	case track.Running:
		return theme.Coloured("live", theme.ColorBusy)
	case track.Queued, track.Idle:
		return theme.NotRun.Icon()
	case track.Stale:
		return theme.Stale.Icon()
	case track.Blocked, track.Left, track.Folded:
		return theme.Skip.Icon()
	}
	return verdictOf(v).Icon()
}

// stateWords is a state in a word or two.
func stateWords(c *texts.Catalogue, s track.State, v guide.Verdict) string {
	switch s {
	case track.Running, track.Queued, track.Idle, track.Stale, track.Blocked, track.Left, track.Folded:
		return c.T("setup.state." + string(s))
	}
	return c.T("setup.verdict." + string(verdictOf(v)))
}

// checkName is a check in words.
func checkName(c *texts.Catalogue, id guide.CheckID) string {
	if key := "track.check." + string(id); c.Has(key) {
		return c.T(key)
	}
	return string(id)
}

// heading is the name of a part.
func heading(text string) *widget.Label {
	l := widgets.Words(text)
	l.TextStyle.Bold = true
	return l
}

// raw is foreign text: monospace, to be selected, broken where it is too long.
func raw(text string) *widget.Label {
	l := widget.NewLabel(text)
	l.TextStyle.Monospace = true
	l.Selectable = true
	l.Wrapping = fyne.TextWrapBreak
	l.SizeName = fynetheme.SizeNameCaptionText
	return l
}

// icon is a shape that stands on the first line of what is beside it.
func icon(r fyne.Resource) fyne.CanvasObject { return container.New(firstLine{}, widget.NewIcon(r)) }

// firstLine keeps its object in the middle of a label's first line.
type firstLine struct{}

// MinSize implements fyne.Layout.
func (firstLine) MinSize(o []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(o[0].MinSize().Width, lineHeight())
}

// Layout implements fyne.Layout.
func (firstLine) Layout(o []fyne.CanvasObject, _ fyne.Size) {
	m := o[0].MinSize()
	o[0].Resize(m)
	o[0].Move(fyne.NewPos(0, (lineHeight()-m.Height)/2))
}

// lineHeight is the height of a label of one line.
func lineHeight() float32 {
	return fyne.MeasureText("0", fynetheme.TextSize(), fyne.TextStyle{}).Height + 2*fynetheme.InnerPadding()
}

// said is a text behind its shape.
func said(v guide.Verdict, text string) fyne.CanvasObject {
	return container.NewBorder(nil, nil, icon(verdictOf(v).Icon()), nil, widgets.Words(text))
}

// named sets a part beside its name at the left.
func named(name string, o fyne.CanvasObject) fyne.CanvasObject {
	l := widget.NewLabel(name)
	l.Importance = widget.LowImportance
	l.Truncation = fyne.TextTruncateEllipsis
	return container.NewBorder(nil, nil, container.NewVBox(container.New(&fixed{nameWidth}, l)), nil, o)
}

// nameWidth is the width of the names of parts beside text of the usual size.
const nameWidth = 78

// fixed keeps its object at one width.
type fixed struct{ width float32 }

func (f *fixed) MinSize(o []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(widgets.Scaled(f.width), o[0].MinSize().Height)
}

func (f *fixed) Layout(o []fyne.CanvasObject, size fyne.Size) {
	o[0].Move(fyne.NewPos(0, 0))
	o[0].Resize(size)
}

// tightly stacks lines of text without the room that rows have.
func tightly(o ...fyne.CanvasObject) *fyne.Container {
	return container.New(layout.NewCustomPaddedVBoxLayout(-fynetheme.InnerPadding()*2), o...)
}

// note is a sentence above the page: what was done, or why it could not be.
type note struct {
	box  *fyne.Container
	text *fyne.Container
	shut *widgets.Button
}

func newNote() *note {
	n := &note{text: container.NewStack()}
	n.shut = widgets.Quiet("", fynetheme.CancelIcon(), n.clear)
	n.box = widgets.Card(3, container.NewBorder(nil, nil, nil, container.NewVBox(n.shut), n.text))
	n.box.Hide()
	return n
}

func (n *note) say(v guide.Verdict, sentence, foreign string) {
	col := container.NewVBox(widgets.Words(sentence))
	if foreign != "" {
		col.Add(raw(guide.Clean([]byte(foreign), 4000)))
	}
	n.text.Objects = []fyne.CanvasObject{container.NewBorder(nil, nil, icon(verdictOf(v).Icon()), nil, col)}
	n.box.Show()
	n.box.Refresh()
}

func (n *note) clear() {
	if n.box.Visible() {
		n.box.Hide()
	}
}

// bar is a thin line that is filled as far as something is done. It keeps its
// room while it is empty.
type bar struct {
	box  *fyne.Container
	fill *widgets.Ground
	part float32
}

func newBar() *bar {
	b := &bar{fill: widgets.NewGround(fynetheme.ColorNamePrimary, "")}
	b.box = container.New(b, b.fill)
	return b
}

// MinSize implements fyne.Layout.
func (b *bar) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(10, 3) }

// Layout implements fyne.Layout.
func (b *bar) Layout(o []fyne.CanvasObject, size fyne.Size) {
	o[0].Move(fyne.NewPos(0, 0))
	o[0].Resize(fyne.NewSize(size.Width*b.part, size.Height))
}

func (b *bar) set(part float32) {
	if b.part != part {
		b.part = part
		b.Layout(b.box.Objects, b.box.Size())
		canvas.Refresh(b.box)
	}
}
