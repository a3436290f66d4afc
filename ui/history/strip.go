package history

import (
	"image/color"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/assets/texts"
	"rentgen/store"
	"rentgen/ui/theme"
)

// The strip shows at least six weeks; logs older than a year lie off its left
// end, but still in the list.
const (
	leastDays = 42
	mostDays  = 366
	stripRoom = 26 // height of the bars
)

// strip is a bar a day, as high as the part of the day that was watched. A tap
// opens that day's newest log; left and right go to the next day that has one.
type strip struct {
	widget.BaseWidget
	w       *Place
	days    []day
	first   time.Time // midnight of the first day shown
	open    *store.Recording
	hover   int // index of the day under the hand, -1 for none
	focused bool
	ground  *canvas.Rectangle
	bars    []*canvas.Rectangle
	marks   []*canvas.Rectangle // under the days of the open log
	labels  []*canvas.Text
	tip     *canvas.Text
}

// day is what was watched on one day.
type day struct {
	watched time.Duration
	demo    bool  // only the demo was
	newest  int64 // ID of its newest log, 0 for none
	logs    int
}

func newStrip(w *Place) *strip {
	s := &strip{w: w, hover: -1, ground: canvas.NewRectangle(color.Transparent), tip: canvas.NewText("", color.Black)}
	s.ground.CornerRadius, s.ground.StrokeWidth = 3, 1
	s.ExtendBaseWidget(s)
	return s
}

func midnight(t time.Time) time.Time {
	y, m, d := t.Local().Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.Local)
}

// set counts the logs by days. They come the newest first.
func (s *strip) set(logs []store.Recording) {
	today := midnight(s.w.p.Now())
	first := today.AddDate(0, 0, 1-leastDays)
	for i := range logs {
		if f := logs[i].From; !f.IsZero() && midnight(f).Before(first) {
			first = midnight(f)
		}
	}
	if oldest := today.AddDate(0, 0, 1-mostDays); first.Before(oldest) {
		first = oldest
	}
	s.first = first
	s.days = make([]day, 0, mostDays)
	for d := first; !d.After(today); d = d.AddDate(0, 0, 1) {
		s.days = append(s.days, dayOf(d, logs))
	}
	s.Refresh()
}

// dayOf adds up what was watched on a day.
func dayOf(from time.Time, logs []store.Recording) day {
	to := from.AddDate(0, 0, 1)
	d := day{demo: true}
	for i := range logs {
		r := &logs[i]
		if r.From.IsZero() || !r.From.Before(to) || r.To.Before(from) {
			continue
		}
		a, b := r.From, r.To
		if a.Before(from) {
			a = from
		}
		if b.After(to) {
			b = to
		}
		d.watched += b.Sub(a)
		d.logs++
		d.demo = d.demo && r.Demo
		if d.newest == 0 {
			d.newest = r.ID
		}
	}
	d.watched = min(d.watched, to.Sub(from)) // two hosts at a time fill no more than the day
	return d
}

// mark shows which days the open log covers.
func (s *strip) mark(log *store.Recording) {
	s.open = log
	s.Refresh()
}

func (s *strip) dayAt(x float32) int {
	if len(s.days) == 0 || s.Size().Width <= 0 {
		return -1
	}
	return min(max(int(x/s.Size().Width*float32(len(s.days))), 0), len(s.days)-1)
}

// Tapped opens the newest log of a day.
func (s *strip) Tapped(e *fyne.PointEvent) {
	if i := s.dayAt(e.Position.X); i >= 0 && s.days[i].newest != 0 {
		s.w.choose(s.days[i].newest)
	}
}

// TypedKey goes to the next day with a log.
func (s *strip) TypedKey(e *fyne.KeyEvent) {
	switch e.Name {
	case fyne.KeyLeft:
		s.step(-1)
	case fyne.KeyRight:
		s.step(1)
	default:
		if cv := fyne.CurrentApp().Driver().CanvasForObject(s); cv != nil && cv.OnTypedKey() != nil {
			cv.OnTypedKey()(e)
		}
	}
}

func (s *strip) step(by int) {
	at := len(s.days)
	if s.open != nil && !s.open.From.IsZero() {
		at = s.index(s.open.To)
	}
	for i := at + by; i >= 0 && i < len(s.days); i += by {
		if id := s.days[i].newest; id != 0 && (s.open == nil || id != s.open.ID) {
			s.w.choose(id)
			return
		}
	}
}

// index returns the day a moment falls on, counted from the first shown.
func (s *strip) index(t time.Time) int {
	// A day has 23 to 25 hours; the middle of it is safe from both.
	return int(midnight(t).Add(12*time.Hour).Sub(s.first) / (24 * time.Hour))
}

// TypedRune does nothing: there is no text in it.
func (s *strip) TypedRune(rune) {}

// FocusGained shows the focus.
func (s *strip) FocusGained() { s.focused = true; s.Refresh() }

// FocusLost hides the focus.
func (s *strip) FocusLost() { s.focused = false; s.Refresh() }

// MouseIn shows what a day holds.
func (s *strip) MouseIn(e *desktop.MouseEvent) { s.MouseMoved(e) }

// MouseMoved shows what a day holds.
func (s *strip) MouseMoved(e *desktop.MouseEvent) {
	if i := s.dayAt(e.Position.X); i != s.hover {
		s.hover = i
		s.Refresh()
	}
}

// MouseOut takes it away.
func (s *strip) MouseOut() {
	s.hover = -1
	s.Refresh()
}

// say names the day under the hand and what was watched on it.
func (s *strip) say() string {
	if s.hover < 0 || s.hover >= len(s.days) {
		return ""
	}
	d := s.days[s.hover]
	date := texts.DateYear(s.w.c, s.first.AddDate(0, 0, s.hover))
	if d.logs == 0 {
		return s.w.c.T("history.day.none", "date", date)
	}
	return s.w.c.T("history.day", "date", date, "d", texts.Duration(s.w.c, d.watched))
}

// CreateRenderer implements fyne.Widget.
func (s *strip) CreateRenderer() fyne.WidgetRenderer { return &stripView{s} }

type stripView struct{ s *strip }

func (v *stripView) MinSize() fyne.Size {
	return fyne.NewSize(300, stripRoom+6+fynetheme.CaptionTextSize()*1.4)
}

func (v *stripView) Layout(size fyne.Size) {
	s, p := v.s, theme.Current()
	s.ground.Resize(size)
	s.ground.FillColor, s.ground.StrokeColor = p.Panel, p.Line
	if s.focused {
		s.ground.StrokeColor = p.Accent
	}
	n := len(s.days)
	for len(s.bars) < n {
		s.bars = append(s.bars, canvas.NewRectangle(color.Transparent))
		s.marks = append(s.marks, canvas.NewRectangle(color.Transparent))
	}
	from, to := -1, -1
	if s.open != nil && !s.open.From.IsZero() {
		from, to = s.index(s.open.From), s.index(s.open.To)
	}
	for i, bar := range s.bars {
		mark := s.marks[i]
		if i >= n {
			bar.Hide()
			mark.Hide()
			continue
		}
		w := size.Width / float32(n)
		x, d := w*float32(i), s.days[i]
		h := stripRoom * float32(d.watched.Hours()/24)
		if d.logs > 0 {
			h = max(h, 3)
		}
		gap := min(w*0.15, 2)
		bar.Hidden = d.logs == 0
		bar.FillColor = p.Accent
		if d.demo {
			bar.FillColor = p.Quiet
		}
		bar.Move(fyne.NewPos(x+gap, stripRoom+2-h))
		bar.Resize(fyne.NewSize(max(w-2*gap, 1), h))
		mark.FillColor = p.Text
		mark.Hidden = i < from || i > to
		mark.Move(fyne.NewPos(x+gap/2, stripRoom+2))
		mark.Resize(fyne.NewSize(max(w-gap, 2), 2))
	}
	v.dates(size, p)
}

// dates puts a date under every month's first and every Monday there is room
// for, or what the day under the hand holds.
func (v *stripView) dates(size fyne.Size, p *theme.Palette) {
	s := v.s
	tip := s.say()
	s.tip.Text, s.tip.TextSize, s.tip.Color = tip, fynetheme.CaptionTextSize(), p.Text
	s.tip.Move(fyne.NewPos(4, stripRoom+4))
	s.tip.Resize(s.tip.MinSize())
	s.tip.Hidden = tip == ""
	used, right := 0, float32(0)
	for i := range s.days {
		at := s.first.AddDate(0, 0, i)
		if at.Day() != 1 && (len(s.days) > 100 || at.Weekday() != time.Monday) || tip != "" {
			continue
		}
		if used == len(s.labels) {
			s.labels = append(s.labels, canvas.NewText("", color.Black))
		}
		t := s.labels[used]
		t.Text, t.TextSize, t.Color = texts.Date(s.w.c, at), fynetheme.CaptionTextSize(), p.Faint
		m := t.MinSize()
		x := size.Width / float32(len(s.days)) * float32(i)
		if x < right || x+m.Width > size.Width {
			continue
		}
		right = x + m.Width + 10
		t.Move(fyne.NewPos(x+2, stripRoom+4))
		t.Resize(m)
		t.Show()
		used++
	}
	for _, t := range s.labels[used:] {
		t.Hide()
	}
}

func (v *stripView) Refresh() {
	v.Layout(v.s.Size())
	canvas.Refresh(v.s)
}

func (v *stripView) Objects() []fyne.CanvasObject {
	s := v.s
	o := []fyne.CanvasObject{s.ground}
	for i := range s.bars {
		o = append(o, s.bars[i], s.marks[i])
	}
	for _, t := range s.labels {
		o = append(o, t)
	}
	return append(o, s.tip)
}

func (v *stripView) Destroy() {}
