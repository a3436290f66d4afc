package bill

import (
	"fmt"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	core "rentgen/app/plan"
	"rentgen/assets/texts"
	"rentgen/ui/measuring"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// Place is the Bill place. Its methods belong to the UI thread.
type Place struct {
	p    Params
	c    *texts.Catalogue
	root *fyne.Container

	head     *head
	top      *top
	table    *table
	side     *side
	pictures *pictures
	empty    *fyne.Container
	body     *fyne.Container
	notice   *notice
	real     *measuring.Notice

	good    core.Result
	shown   bool
	dirty   bool            // something changed while the place was not seen
	chances bool            // the draws are asked for
	drawn   bool            // where there is no room for both, the pictures are shown
	noMixed bool            // the column that tries out first is hidden
	folded  bool            // the parts of the waiting are hidden
	plan    string          // whose page is shown
	version uint64          // counts what the pictures depend on
	mine    map[string]bool // drafts of fields of offers
}

// New returns the place.
func New(p Params) *Place {
	if p.Now == nil {
		p.Now = time.Now
	}
	if p.Go == nil {
		p.Go = func(f func()) { go f() }
	}
	if p.Do == nil {
		p.Do = fyne.Do
	}
	w := &Place{p: p, c: p.Texts, root: container.NewStack(), dirty: true, version: 1, mine: make(map[string]bool)}
	p.Desk.OnChange(w.changed)
	if p.Measured != nil {
		p.Measured.OnChange(w.changed)
	}
	p.Desk.OnChance(func() {
		if w.shown && w.chances {
			w.sync()
		}
	})
	return w
}

// Key is "bill".
func (w *Place) Key() string { return "bill" }

// Icon is the place's sign in the rail.
func (w *Place) Icon() fyne.Resource { return theme.Icon("bill") }

// Content returns the page, which is empty until it is seen.
func (w *Place) Content() fyne.CanvasObject { return w.root }

// Shown brings the page up to date.
func (w *Place) Shown() {
	w.shown = true
	if w.head == nil {
		w.build()
	}
	w.head.tend()
	if w.dirty {
		w.sync()
	}
	if w.p.Measured != nil {
		w.p.Measured.Load()
	}
}

// Hidden stops drawing.
func (w *Place) Hidden() { w.shown = false }

// Escape closes what is open at the side and reports whether anything was.
func (w *Place) Escape() bool {
	if w.head == nil || !w.side.isOpen() {
		return false
	}
	w.side.close()
	return true
}

// Reveal opens what a line of an offer is made of; an empty line is the total,
// an empty offer nothing.
func (w *Place) Reveal(offerName, line string) {
	if w.dirty && w.shown {
		w.sync()
	}
	if offerName == "" || w.head == nil {
		return
	}
	if line == "" {
		line = rowTotal
	}
	for i, b := range w.p.Desk.Result().Sheet.Bills {
		if b.Name == offerName {
			w.explain(i, line)
			return
		}
	}
}

// Retext makes the place speak another language. What was typed stays.
func (w *Place) Retext(c *texts.Catalogue) {
	w.c = c
	if w.head == nil {
		return // not seen yet
	}
	open, first := w.side.again, w.table.first
	kept := w.side.form
	w.build()
	w.table.first = first
	w.dirty = true
	if open != nil {
		w.side.kept = kept
		open()
		w.side.kept = nil
	}
	if w.shown {
		w.sync()
	}
}

// changed follows the desk.
func (w *Place) changed() {
	w.version++
	if !w.shown {
		w.dirty = true
		return
	}
	w.sync()
}

// build makes the page in the language of now.
func (w *Place) build() {
	w.head = newHead(w)
	w.notice = newNotice(w)
	w.real = measuring.NewNotice(w.p.Measured, w.c, w.p.Window.Canvas)
	w.top = newTop(w)
	w.table = newTable(w)
	w.side = newSide(w)
	w.pictures = newPictures(w)
	w.empty = w.firstUse()
	w.body = container.New(&arrange{w}, w.table.box, w.pictures.box, w.side.box, w.empty)
	w.root.Objects = []fyne.CanvasObject{widgets.Inset(4, container.NewBorder(
		container.NewVBox(w.head.box, w.notice.box, w.real.Box(), w.top.box), nil, nil, nil, w.body))}
	w.root.Refresh()
}

// sync brings everything up to date with the desk.
func (w *Place) sync() {
	w.dirty = false
	d := w.p.Desk
	if w.plan != d.ID() {
		w.plan = d.ID()
		w.table.first, w.noMixed = 0, false
		w.side.close()
	}
	w.good = d.Result()
	if w.noMixed {
		w.good.Sheet = withoutMixed(w.good.Sheet)
	}
	_, broken := d.Unreadable()
	none := len(d.Plan().Offers) == 0 && broken == nil
	w.head.sync()
	w.notice.sync()
	if w.real.Sync() {
		w.root.Refresh()
	}
	w.top.sync(none)
	w.table.sync()
	w.side.sync()
	w.pictures.sync()
	w.lay()
}

// lay shares the room anew.
func (w *Place) lay() {
	none := len(w.p.Desk.Plan().Offers) == 0
	_, broken := w.p.Desk.Unreadable()
	w.empty.Hidden = !none || broken != nil
	w.table.box.Hidden = none
	w.body.Layout.Layout(w.body.Objects, w.body.Size())
}

// arrange shares the body among the table, the pictures and what is open at
// the side.
type arrange struct{ w *Place }

const (
	sideWidth    = 372
	pictureWidth = 400 // the least that pictures need beside the table
	gap          = 6
)

func (l *arrange) MinSize(o []fyne.CanvasObject) fyne.Size { return fyne.NewSize(400, 200) }

func (l *arrange) Layout(o []fyne.CanvasObject, size fyne.Size) {
	w := l.w
	put := func(i int, x, width float32) {
		o[i].Move(fyne.NewPos(x, 0))
		o[i].Resize(fyne.NewSize(width, size.Height))
	}
	room := size.Width
	if w.side.isOpen() {
		sw := min(widgets.Scaled(sideWidth), size.Width*0.6)
		room -= sw + gap
		o[2].Show()
		put(2, room+gap, sw)
	} else {
		o[2].Hide()
	}
	put(3, 0, room)
	if !w.empty.Hidden {
		o[0].Hide()
		o[1].Hide()
		w.head.both(false)
		return
	}
	wide := w.table.wanted()
	beside := !w.side.isOpen() && room-wide-gap >= widgets.Scaled(pictureWidth)
	w.head.both(!beside)
	switch {
	case beside:
		wide = min(max(wide, min(room*0.52, w.table.most())), room-widgets.Scaled(pictureWidth)-gap)
		o[0].Show()
		o[1].Show()
		put(0, 0, wide)
		w.pictures.resize(room - wide - gap)
		put(1, wide+gap, room-wide-gap)
	case w.drawn:
		o[0].Hide()
		o[1].Show()
		w.pictures.resize(room)
		put(1, 0, room)
	default:
		o[1].Hide()
		o[0].Show()
		put(0, 0, room)
	}
}

// field names a field of the plan for drafts.
func field(format string, args ...any) string { return fmt.Sprintf(format, args...) }
