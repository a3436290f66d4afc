package chart

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"rentgen/ui/theme"
)

// legend makes one item for each series, none for a single one unless asked.
func (v *view) legend() {
	d := v.c.data
	n := len(d.Series)
	if d.Missing != "" || n == 1 && !v.c.legend {
		n = 0
	}
	if n < len(v.items) {
		v.items = v.items[:n]
	}
	for i := range n {
		s := &d.Series[i]
		if i == len(v.items) {
			v.items = append(v.items, newLegendItem(v.c))
		}
		_, dashed := theme.Current().SeriesOf(s.Slot)
		v.items[i].set(s.Name, s.Name, s.Slot, dashed || s.Dashed, v.c.isHidden(s.Name))
	}
}

// item is what legend entries and the notice share: a small text that can be
// pressed, with the hand or the space bar.
type item struct {
	widget.BaseWidget
	text    *canvas.Text
	under   *canvas.Rectangle // shows hover and focus
	left    float32           // room before the text
	hover   bool
	focused bool
	press   func()
}

func (i *item) Tapped(*fyne.PointEvent) { i.press() }

func (i *item) FocusGained() { i.focused = true; i.Refresh() }

func (i *item) FocusLost() { i.focused = false; i.Refresh() }

func (i *item) TypedRune(rune) {}

func (i *item) TypedKey(e *fyne.KeyEvent) {
	if e.Name == fyne.KeySpace || e.Name == fyne.KeyReturn || e.Name == fyne.KeyEnter {
		i.press()
		return
	}
	passKey(i, e)
}

func (i *item) MouseIn(*desktop.MouseEvent) { i.hover = true; i.Refresh() }

func (i *item) MouseMoved(*desktop.MouseEvent) {}

func (i *item) MouseOut() { i.hover = false; i.Refresh() }

func (i *item) Cursor() desktop.Cursor { return desktop.PointerCursor }

// paint colours what lies under the text.
func (i *item) paint(p *theme.Palette) {
	c := p.Text
	c.A = 0
	if i.hover {
		c.A = 0x14
	}
	i.under.FillColor = c
	i.under.StrokeColor, i.under.StrokeWidth = color.Transparent, 0
	if i.focused {
		i.under.StrokeColor, i.under.StrokeWidth = p.Accent, 1
	}
}

func (i *item) size() fyne.Size {
	m := i.text.MinSize()
	return fyne.NewSize(m.Width+i.left+6, m.Height+2)
}

// legendItem shows one series and toggles it.
type legendItem struct {
	item
	key    *canvas.Line
	key2   *canvas.Line // the second half of a dashed key
	name   string
	label  string // the name, cut where it is too long
	slot   int
	dashed bool
	off    bool
}

func newLegendItem(c *Chart) *legendItem {
	i := &legendItem{key: canvas.NewLine(color.Black), key2: canvas.NewLine(color.Black)}
	i.item = item{text: canvas.NewText("", color.Black), under: canvas.NewRectangle(color.Transparent), left: 18}
	i.under.CornerRadius = 2
	i.press = func() { c.Toggle(i.name) }
	i.ExtendBaseWidget(i)
	return i
}

func (i *legendItem) set(name, label string, slot int, dashed, off bool) {
	i.name, i.label, i.slot, i.dashed, i.off = name, label, slot, dashed, off
	i.Refresh()
}

// CreateRenderer implements fyne.Widget.
func (i *legendItem) CreateRenderer() fyne.WidgetRenderer {
	return &itemView{size: i.size, paint: i.draw, objects: []fyne.CanvasObject{i.under, i.key, i.key2, i.text}}
}

func (i *legendItem) draw(size fyne.Size) {
	p := theme.Current()
	i.paint(p)
	c, _ := p.SeriesOf(i.slot)
	ink := p.Text
	if i.off {
		c, ink = p.Quiet, p.Quiet
	}
	setText(i.text, i.label, smallSize(), ink)
	i.under.Resize(size)
	y, end := size.Height/2, float32(15)
	i.key.StrokeColor, i.key.StrokeWidth = c, 2
	i.key2.StrokeColor, i.key2.StrokeWidth = c, 2
	if i.off {
		i.key.StrokeWidth, i.key2.StrokeWidth = 1, 1
	}
	i.key2.Hidden = !i.dashed
	if i.dashed {
		i.key2.Position1, i.key2.Position2 = fyne.NewPos(11, y), fyne.NewPos(15, y)
		end = 8
	}
	i.key.Position1, i.key.Position2 = fyne.NewPos(4, y), fyne.NewPos(end, y)
	i.text.Move(fyne.NewPos(i.left, 1))
	i.text.Resize(i.text.MinSize())
}

// noticeItem says that a chart is not live; pressing it returns to live.
type noticeItem struct {
	item
	c *Chart
}

func newNotice(c *Chart) *noticeItem {
	n := &noticeItem{c: c}
	n.item = item{text: canvas.NewText("", color.Black), under: canvas.NewRectangle(color.Transparent), left: 6}
	n.under.CornerRadius = 2
	n.press = c.group.GoLive
	n.Hidden = true
	n.ExtendBaseWidget(n)
	return n
}

// update shows the notice while the view does not follow the newest moment.
func (n *noticeItem) update() {
	if n.c.group.live || n.c.group.Recorded() || n.c.group.now == 0 {
		n.Hide()
		return
	}
	setText(n.text, n.c.texts.T("chart.notlive"), smallSize(), theme.Current().Warn)
	n.Show()
}

// CreateRenderer implements fyne.Widget.
func (n *noticeItem) CreateRenderer() fyne.WidgetRenderer {
	return &itemView{size: n.size, paint: func(size fyne.Size) {
		n.paint(theme.Current())
		n.under.Resize(size)
		n.text.Move(fyne.NewPos(n.left, 1))
		n.text.Resize(n.text.MinSize())
	}, objects: []fyne.CanvasObject{n.under, n.text}}
}

// itemView renders an item.
type itemView struct {
	size    func() fyne.Size
	paint   func(fyne.Size)
	objects []fyne.CanvasObject
	last    fyne.Size
}

func (v *itemView) MinSize() fyne.Size { return v.size() }

func (v *itemView) Layout(s fyne.Size) {
	v.last = s
	v.paint(s)
}

func (v *itemView) Refresh() {
	v.paint(v.last)
	for _, o := range v.objects {
		o.Refresh()
	}
}

func (v *itemView) Objects() []fyne.CanvasObject { return v.objects }

func (v *itemView) Destroy() {}
