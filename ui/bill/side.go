package bill

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	fynetheme "fyne.io/fyne/v2/theme"

	"rentgen/ui/widgets"
)

// side is what is open beside the table: what a figure is made of, an offer
// being edited, questions, settings. One thing at a time.
type side struct {
	w      *Place
	box    *fyne.Container
	title  *prose
	scroll *container.Scroll
	holder *fyne.Container
	shut   *widgets.Button
	// update brings what is open up to date; nil while nothing is open.
	update func()
	again  func() // opens the same in another language
	form   any    // what was typed into what is open
	kept   any    // of before the language changed
	bill   int    // whose it is, -1 for none
	before fyne.Focusable
}

func newSide(w *Place) *side {
	s := &side{w: w, title: heading(""), holder: container.NewStack(), bill: -1}
	s.scroll = container.NewVScroll(container.New(&beside{}, s.holder))
	s.shut = widgets.Quiet("", fynetheme.CancelIcon(), s.close)
	s.box = widgets.Card(4, container.NewBorder(
		container.NewBorder(nil, nil, nil, container.NewVBox(s.shut), s.title), nil, nil, nil, s.scroll))
	s.box.Hide()
	return s
}

func (s *side) isOpen() bool { return s.update != nil }

// open shows content; update is called after every change of the desk and
// reports whether it still belongs there.
func (s *side) open(title string, bill int, content fyne.CanvasObject, first fyne.Focusable, again func(), update func() bool) {
	if !s.isOpen() {
		s.before = s.w.p.Window.Canvas().Focused()
	}
	s.bill, s.again = bill, again
	s.form = nil
	s.update = func() {
		if !update() {
			s.close()
		}
	}
	s.title.SetText(title)
	s.holder.Objects = []fyne.CanvasObject{content}
	s.scroll.ScrollToTop()
	s.holder.Refresh()
	s.w.lay()
	if bill >= 0 {
		s.w.table.reveal(bill)
	}
	if first != nil {
		s.w.p.Window.Canvas().Focus(first)
	} else {
		s.w.p.Window.Canvas().Focus(s.shut)
	}
}

// close takes away what is open, and gives the keyboard back.
func (s *side) close() {
	if !s.isOpen() {
		return
	}
	s.update, s.again, s.form, s.bill = nil, nil, nil, -1
	s.holder.Objects = nil
	s.box.Hide()
	c := s.w.p.Window.Canvas()
	if o, ok := s.before.(fyne.CanvasObject); ok && o.Visible() {
		c.Focus(s.before)
	} else {
		c.Unfocus()
	}
	s.before = nil
	s.w.lay()
}

func (s *side) sync() {
	if s.update != nil {
		s.update()
	}
}

// beside leaves room for the bar of the scroll.
type beside struct{}

func (*beside) MinSize(o []fyne.CanvasObject) fyne.Size {
	return o[0].MinSize().AddWidthHeight(fynetheme.ScrollBarSize()+2, 0)
}

func (*beside) Layout(o []fyne.CanvasObject, size fyne.Size) {
	o[0].Move(fyne.NewPos(0, 0))
	o[0].Resize(size.SubtractWidthHeight(fynetheme.ScrollBarSize()+2, 0))
}

func buttons(o ...fyne.CanvasObject) *fyne.Container {
	return container.NewHBox(append(o, layout.NewSpacer())...)
}

// middle keeps its object at the middle of the height.
type middle struct{}

func (*middle) MinSize(o []fyne.CanvasObject) fyne.Size { return o[0].MinSize() }

func (*middle) Layout(o []fyne.CanvasObject, size fyne.Size) {
	o[0].Resize(fyne.NewSize(size.Width, o[0].MinSize().Height))
	high := o[0].MinSize().Height // wrapped for its width by now
	o[0].Resize(fyne.NewSize(size.Width, high))
	o[0].Move(fyne.NewPos(0, max((size.Height-high)/2, 0)))
}
