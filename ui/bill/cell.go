package bill

import (
	"image/color"
	"math"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// part is a text of a cell.
type part struct {
	text   string
	small  bool
	large  bool
	bold   bool
	most   int                 // lines; 0: as many as it takes
	colour fyne.ThemeColorName // "" is that of text
}

// content is what a cell says.
type content struct {
	parts []part
	icon  fyne.Resource
	left  bool   // else right-aligned
	tap   func() // nil: nothing opens
	key   string // whatever else makes tap another one
	best  bool   // of the cheapest column
	none  bool   // there is nothing to say
	// indent moves the texts to where those behind an icon stand.
	indent bool
	// spare is room at the right for something that lies over the cell.
	spare float32
	// slot is the colour that the pictures give the column, from 1 on; -1 is room
	// for one.
	slot int
}

func (c *content) same(o *content) bool {
	if len(c.parts) != len(o.parts) || c.icon != o.icon || c.left != o.left || c.key != o.key || c.best != o.best || c.indent != o.indent || c.spare != o.spare || c.slot != o.slot ||
		(c.tap == nil) != (o.tap == nil) {
		return false
	}
	for i := range c.parts {
		if c.parts[i] != o.parts[i] {
			return false
		}
	}
	return true
}

// cell is a cell of the table. It wraps its texts, and can be pressed and
// reached by keyboard where something opens.
type cell struct {
	widget.BaseWidget
	now     content
	ground  *canvas.Rectangle
	icon    *widget.Icon
	keys    [2]*canvas.Rectangle // the colour of the column
	texts   []*canvas.Text
	wrapped []line // for width
	width   float32
	focused bool
	hovered bool
}

type line struct {
	part
	y, h float32
}

const (
	cellPad   = float32(6)
	keyHeight = float32(4) // of the colour of a column above its name
)

func newCell() *cell {
	c := &cell{ground: canvas.NewRectangle(color.Transparent), icon: widget.NewIcon(nil)}
	c.ground.CornerRadius = 2
	for i := range c.keys {
		c.keys[i] = canvas.NewRectangle(color.Transparent)
		c.keys[i].Hide()
	}
	c.ExtendBaseWidget(c)
	return c
}

// set gives the cell another content and reports whether it differs.
func (c *cell) set(n content) bool {
	if c.now.same(&n) {
		c.now.tap = n.tap
		return false
	}
	c.now = n
	c.width = 0
	return true
}

func sizeOf(p part) float32 {
	switch {
	case p.small:
		return fynetheme.CaptionTextSize()
	case p.large:
		return fynetheme.TextSubHeadingSize()
	}
	return fynetheme.TextSize()
}

// place puts the cell somewhere and draws it where it differs.
func (c *cell) place(changed bool, x, y, w, h float32) {
	c.Move(fyne.NewPos(x, y))
	if size := fyne.NewSize(w, h); c.Size() != size {
		c.Resize(size)
		changed = true
	}
	if changed {
		c.Refresh()
	}
}

// height is what the cell needs at a width.
func (c *cell) height(width float32) float32 {
	c.wrap(width)
	if n := len(c.wrapped); n > 0 {
		return c.wrapped[n-1].y + c.wrapped[n-1].h + 3
	}
	return fynetheme.TextSize() * 1.5
}

func (c *cell) wrap(width float32) {
	if c.width == width {
		return
	}
	c.width, c.wrapped = width, c.wrapped[:0]
	room := width - 2*cellPad - c.now.spare
	y := float32(3)
	if c.now.slot != 0 {
		y += keyHeight
	}
	for i, p := range c.now.parts {
		if p.text == "" {
			continue
		}
		r := room
		if i == 0 && c.now.icon != nil || c.now.indent {
			r -= iconRoom()
		}
		lines := widgets.Wrap(p.text, r, sizeOf(p), fyne.TextStyle{Bold: p.bold})
		if p.most > 0 && len(lines) > p.most {
			lines = lines[:p.most]
			lines[p.most-1] = clipped(lines[p.most-1]+"…", r, p)
		}
		for _, l := range lines {
			n := p
			n.text = l
			h := sizeOf(p) * 1.4
			c.wrapped = append(c.wrapped, line{n, y, h})
			y += h
		}
	}
}

// clipped takes characters out before the last one until the text fits.
func clipped(s string, width float32, p part) string {
	rs := []rune(s)
	for len(rs) > 2 && fyne.MeasureText(string(rs), sizeOf(p), fyne.TextStyle{Bold: p.bold}).Width > width {
		rs = append(rs[:len(rs)-2], rs[len(rs)-1])
	}
	return string(rs)
}

// base is how far below its top a text stands.
func base(s string, p part) float32 {
	return widgets.Baseline(s, sizeOf(p), fyne.TextStyle{Bold: p.bold})
}

// stand puts a text so that it stands on a line, on whole pixels: texts beside
// each other are at one height, whatever face their characters have.
func stand(t *canvas.Text, p part, x, line float32) {
	t.Move(fyne.NewPos(x, float32(math.Round(float64(line)))-base(t.Text, p)))
}

func iconRoom() float32 { return fynetheme.TextSize() * 1.35 }

// CreateRenderer implements fyne.Widget.
func (c *cell) CreateRenderer() fyne.WidgetRenderer { return &cellView{c: c} }

// Tapped opens what the cell is made of.
func (c *cell) Tapped(*fyne.PointEvent) {
	if c.now.tap != nil {
		c.now.tap()
	}
}

// FocusGained shows the focus.
func (c *cell) FocusGained() { c.focused = true; c.Refresh() }

// FocusLost hides the focus.
func (c *cell) FocusLost() { c.focused = false; c.Refresh() }

// Disabled reports whether there is nothing to press: the focus passes by.
func (c *cell) Disabled() bool { return c.now.tap == nil }

// Enable and Disable are of fyne.Disableable; the content decides.
func (c *cell) Enable() {}

// Disable does nothing.
func (c *cell) Disable() {}

// TypedRune does nothing.
func (c *cell) TypedRune(rune) {}

// TypedKey opens on space and Enter; the window has the other keys.
func (c *cell) TypedKey(e *fyne.KeyEvent) {
	switch e.Name {
	case fyne.KeySpace, fyne.KeyReturn, fyne.KeyEnter:
		c.Tapped(nil)
	case fyne.KeyF1, fyne.KeyEscape:
		if cv := fyne.CurrentApp().Driver().CanvasForObject(c); cv != nil && cv.OnTypedKey() != nil {
			cv.OnTypedKey()(e)
		}
	}
}

// Cursor is a hand where something opens.
func (c *cell) Cursor() desktop.Cursor {
	if c.now.tap != nil {
		return desktop.PointerCursor
	}
	return desktop.DefaultCursor
}

// MouseIn shows that it can be pressed.
func (c *cell) MouseIn(*desktop.MouseEvent) { c.hovered = c.now.tap != nil; c.Refresh() }

// MouseMoved does nothing.
func (c *cell) MouseMoved(*desktop.MouseEvent) {}

// MouseOut takes the sign away.
func (c *cell) MouseOut() { c.hovered = false; c.Refresh() }

type cellView struct {
	c       *cell
	objects []fyne.CanvasObject
}

func (v *cellView) Destroy() {}

func (v *cellView) MinSize() fyne.Size { return fyne.NewSize(20, 10) }

func (v *cellView) Layout(size fyne.Size) {
	c := v.c
	c.wrap(size.Width)
	c.ground.Resize(size)
	c.icon.Hidden = c.now.icon == nil
	if c.icon.Resource != c.now.icon {
		c.icon.SetResource(c.now.icon)
	}
	for len(c.texts) < len(c.wrapped) {
		c.texts = append(c.texts, canvas.NewText("", color.Transparent))
	}
	for i, t := range c.texts {
		if i >= len(c.wrapped) {
			t.Hide()
			continue
		}
		l := c.wrapped[i]
		name := l.colour
		if name == "" {
			name = fynetheme.ColorNameForeground
		}
		t.Text, t.TextSize, t.TextStyle.Bold, t.Color = l.text, sizeOf(l.part), l.bold, fynetheme.Color(name)
		m := t.MinSize()
		x := size.Width - cellPad - m.Width
		if c.now.left {
			x = cellPad
			if i == 0 && c.now.icon != nil || c.now.indent {
				x += iconRoom()
			}
		}
		if i == 0 && c.now.icon != nil {
			d := fynetheme.TextSize()
			ix := cellPad - 2
			if !c.now.left {
				ix = x - iconRoom()
			}
			c.icon.Resize(fyne.NewSquareSize(d))
			c.icon.Move(fyne.NewPos(ix, l.y+(l.h-d)/2))
		}
		t.Resize(m)
		stand(t, l.part, x, l.y+l.h*0.78)
		t.Show()
		t.Refresh()
	}
	v.paint()
	v.key()
	v.objects = append(v.objects[:0], c.ground, c.icon, c.keys[0], c.keys[1])
	for _, t := range c.texts {
		v.objects = append(v.objects, t)
	}
}

// key draws the colour of the column as the legend of the pictures does.
func (v *cellView) key() {
	c := v.c
	ink, dashed := theme.Current().SeriesOf(c.now.slot - 1)
	for i, k := range c.keys {
		k.Hidden = c.now.slot <= 0 || i == 1 && !dashed
		k.FillColor = ink
		k.Move(fyne.NewPos(cellPad+float32(i)*13, 3))
		k.Resize(fyne.NewSize(22, 3))
		if dashed {
			k.Resize(fyne.NewSize(9, 3))
		}
		k.Refresh()
	}
}

func (v *cellView) paint() {
	c := v.c
	c.ground.FillColor, c.ground.StrokeWidth = color.Transparent, 0
	switch {
	case c.hovered:
		c.ground.FillColor = fynetheme.Color(fynetheme.ColorNameHover)
	case c.now.best:
		tint := theme.Current().Pass
		tint.A = 0x16
		c.ground.FillColor = tint
	}
	if c.focused {
		c.ground.StrokeColor, c.ground.StrokeWidth = fynetheme.Color(fynetheme.ColorNamePrimary), 2
	}
	c.ground.Refresh()
}

func (v *cellView) Refresh() {
	v.c.width = 0
	v.Layout(v.c.Size())
}

func (v *cellView) Objects() []fyne.CanvasObject {
	if len(v.objects) == 0 {
		v.Layout(v.c.Size())
	}
	return v.objects
}
