package bill

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/bill/sheet"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

const (
	nameWidth = 168 // of the names of lines
	leastCol  = 138
	mostCol   = 240
)

// table shows the offers as columns. The names of lines and the heads of the
// columns stay; what doesn't fit beside each other is on further pages.
type table struct {
	w      *Place
	box    *fyne.Container
	heads  *fyne.Container
	body   *fyne.Container
	scroll *container.Scroll
	less   *widgets.Button
	more   *widgets.Button
	where  *widget.Label

	cols             []int // shown bills, by their place in the sheet
	rows             []row
	first            int // the first of cols on the page
	seen             int // how many are on the page
	names            []*cell
	cells            []*cell
	tops             []*cell
	menus            []*widgets.Button
	rules            []*canvas.Rectangle
	laid             fyne.Size
	headKey, bodyKey [2]int  // of what they held when they were drawn
	bottom           float32 // where the lines end
}

func newTable(w *Place) *table {
	t := &table{w: w, heads: container.NewWithoutLayout()}
	t.less = widgets.Quiet("", fynetheme.NavigateBackIcon(), func() { t.page(-1) })
	t.more = widgets.Quiet("", fynetheme.NavigateNextIcon(), func() { t.page(1) })
	t.where = widgets.Small("")
	t.body = container.New(&tall{t})
	t.scroll = container.NewVScroll(t.body)
	t.box = widgets.Card(1, container.New(&split{t}, t.heads, t.scroll))
	return t
}

// wanted is the width that all columns need beside each other.
func (t *table) wanted() float32 {
	return widgets.Scaled(nameWidth) + float32(max(len(t.cols), 1))*widgets.Scaled(leastCol+16) + 14
}

// most is the width beyond which the columns don't grow.
func (t *table) most() float32 {
	return widgets.Scaled(nameWidth) + float32(max(len(t.cols), 1))*widgets.Scaled(mostCol) + 16
}

func (t *table) page(by int) {
	t.first = min(max(t.first+by*max(t.seen, 1), 0), max(len(t.cols)-t.seen, 0))
	t.arrange(t.laid)
}

// reveal turns to the page of a bill.
func (t *table) reveal(bill int) {
	at := slices.Index(t.cols, bill)
	if at < 0 {
		return
	}
	if at < t.first {
		t.first = at
	} else if t.seen > 0 && at >= t.first+t.seen {
		t.first = at - t.seen + 1
	}
	t.arrange(t.laid)
}

// sync brings the table up to date.
func (t *table) sync() {
	t.cols = t.w.columns()
	t.rows = t.w.rows(t.cols)
	t.arrange(t.laid)
}

// split lays the heads of the columns above the lines.
type split struct{ t *table }

func (l *split) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(260, 120) }

func (l *split) Layout(_ []fyne.CanvasObject, size fyne.Size) { l.t.arrange(size) }

// tall gives the lines the height that they came out at.
type tall struct{ t *table }

func (l *tall) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(10, l.t.bottom+6) }

func (l *tall) Layout([]fyne.CanvasObject, fyne.Size) {}

// arrange places everything in a size.
func (t *table) arrange(size fyne.Size) {
	t.laid = size
	if size.Width < 20 || len(t.cols) == 0 {
		t.heads.Objects, t.body.Objects = nil, nil
		t.headKey, t.bodyKey = [2]int{}, [2]int{}
		t.heads.Refresh()
		t.body.Refresh()
		return
	}
	nw := min(widgets.Scaled(nameWidth), size.Width*0.4)
	room := size.Width - nw - 12 // beside the bar of the scroll
	t.seen = min(max(int(room/widgets.Scaled(leastCol)), 1), len(t.cols))
	if room/float32(len(t.cols)) >= widgets.Scaled(leastCol)*0.95 { // a little narrower, all are seen
		t.seen = len(t.cols)
	}
	t.first = min(max(t.first, 0), len(t.cols)-t.seen)
	cw := min(room/float32(t.seen), widgets.Scaled(mostCol))
	hh := t.placeHeads(nw, cw)
	t.heads.Move(fyne.NewPos(0, 0))
	t.heads.Resize(fyne.NewSize(size.Width, hh))
	ended, was := t.bottom, t.scroll.Size()
	t.placeRows(nw, cw)
	t.scroll.Move(fyne.NewPos(0, hh))
	t.scroll.Resize(fyne.NewSize(size.Width, size.Height-hh))
	t.show(t.heads, &t.headKey)
	t.show(t.body, &t.bodyKey)
	if t.scroll.Size() != was || t.bottom != ended {
		t.scroll.Refresh()
	}
}

// show draws a container anew where other objects stand in it than before.
func (t *table) show(c *fyne.Container, key *[2]int) {
	if now := [2]int{len(c.Objects), t.seen}; now != *key {
		*key = now
		c.Refresh()
	}
}

func grown[T any](all []T, n int, one func() T) []T {
	for len(all) < n {
		all = append(all, one())
	}
	return all
}

func newRule() *canvas.Rectangle { return canvas.NewRectangle(fynetheme.Color(theme.ColorLine)) }

// placeHeads places the heads of the columns and returns their height.
func (t *table) placeHeads(nw, cw float32) float32 {
	w, s := t.w, t.w.good.Sheet
	t.tops = grown(t.tops, t.seen, newCell)
	t.menus = grown(t.menus, t.seen, func() *widgets.Button { return widgets.Quiet("", fynetheme.MoreVerticalIcon(), nil) })
	o := t.heads.Objects[:0]
	high := float32(0)
	button := t.menus[0].MinSize()
	differs := make([]bool, t.seen)
	for k := range t.seen {
		i := t.cols[t.first+k]
		n := w.headCell(i, s.Bills[i])
		n.spare = button.Width
		differs[k] = t.tops[k].set(n)
		high = max(high, t.tops[k].height(cw-2))
	}
	high += 4
	for k := range t.seen {
		i := t.cols[t.first+k]
		x := nw + float32(k)*cw
		t.tops[k].place(differs[k], x+1, 0, cw-2, high)
		o = append(o, t.tops[k])
		b := t.menus[k]
		b.OnTapped = func() { w.columnMenu(i, b) }
		place(b, x+cw-button.Width, 2, button.Width, button.Height)
		o = append(o, b)
	}
	if t.seen < len(t.cols) {
		t.where.SetText(w.c.T("billpage.page", "from", t.first+1, "to", t.first+t.seen, "n", len(t.cols)))
		widgets.Able(t.less, t.first > 0)
		widgets.Able(t.more, t.first+t.seen < len(t.cols))
		bw := t.less.MinSize()
		place(t.less, 2, high-bw.Height-2, bw.Width, bw.Height)
		m := t.where.MinSize()
		place(t.where, 2+bw.Width, high-bw.Height-2+(bw.Height-m.Height)/2, m.Width, m.Height)
		place(t.more, 2+bw.Width+m.Width, high-bw.Height-2, bw.Width, bw.Height)
		o = append(o, t.less, t.where, t.more)
	}
	t.heads.Objects = o
	return high
}

func place(o fyne.CanvasObject, x, y, w, h float32) {
	o.Move(fyne.NewPos(x, y))
	if size := fyne.NewSize(w, h); o.Size() != size {
		o.Resize(size)
	}
}

// placeRows places the lines below one another.
func (t *table) placeRows(nw, cw float32) {
	t.names = grown(t.names, len(t.rows), newCell)
	t.cells = grown(t.cells, len(t.rows)*t.seen, newCell)
	t.rules = grown(t.rules, len(t.rows), newRule)
	o := make([]fyne.CanvasObject, 0, len(t.rows)*(t.seen+2))
	y := float32(0)
	differs := make([]bool, t.seen)
	for n, r := range t.rows {
		if r.silent(t.first, t.seen) {
			continue
		}
		named := t.names[n].set(r.name)
		high := t.names[n].height(nw)
		for k := range t.seen {
			c := t.cells[n*t.seen+k]
			differs[k] = c.set(r.cells[t.first+k])
			high = max(high, c.height(cw-2))
		}
		rule := t.rules[n]
		name, thick := theme.ColorLine, float32(1)
		if r.heavy {
			name, thick = fynetheme.ColorNameInputBorder, 1
		}
		rule.FillColor = fynetheme.Color(name)
		place(rule, 4, y, nw+cw*float32(t.seen)-4, thick)
		o = append(o, rule)
		y += 2
		t.names[n].place(named, 0, y, nw, high)
		o = append(o, t.names[n])
		for k := range t.seen {
			c := t.cells[n*t.seen+k]
			c.place(differs[k], nw+float32(k)*cw+1, y, cw-2, high)
			o = append(o, c)
		}
		y += high + 1
	}
	t.body.Objects = o
	t.body.Resize(fyne.NewSize(t.body.Size().Width, y))
	t.bottom = y
}

// silent reports whether none of the offers on the page has anything to say in
// a row.
func (r *row) silent(first, n int) bool {
	for _, c := range r.cells[first : first+n] {
		if !c.none {
			return false
		}
	}
	return true
}

// headCell names an offer, its card and its price.
func (w *Place) headCell(i int, b sheet.Bill) content {
	c := w.c
	n := content{left: true, key: field("head%d", i), tap: func() { w.edit(i) }}
	if slices.Contains(w.good.Sheet.Cheapest, i) && len(w.columns()) > 1 {
		n.icon, n.best = theme.Pass.Icon(), true
	}
	if b.Mixed {
		n.slot = -1
		n.parts = []part{
			{text: b.Name, bold: true, most: 2},
			{text: c.T("billpage.mixed", "a", b.ValidateOn, "b", b.RunOn), small: true, most: 3, colour: theme.ColorFaint},
		}
		n.tap = func() { w.explain(i, rowTotal) }
		return n
	}
	o := b.Offer
	n.slot = -1 // the names of all stand at one height
	if b.Status == sheet.OK {
		n.slot = w.slot(b.Name) + 1
	}
	n.parts = []part{
		{text: o.Name, bold: true, most: 2},
		{text: cardText(c, o), small: true, most: 2, colour: theme.ColorFaint},
		{text: priceText(c, o), small: true},
	}
	if o.Example {
		n.parts = append(n.parts, part{text: c.T("billpage.example"), small: true, colour: theme.ColorWarn})
	}
	return n
}
