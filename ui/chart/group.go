package chart

import (
	"sync"
	"time"

	"fyne.io/fyne/v2"
)

// The paces of redrawing: data at most four times a second whatever its rate,
// the hand's own movements fast enough to follow.
const (
	dataPace = 250 * time.Millisecond
	handPace = 33 * time.Millisecond
)

// MinSpan is the shortest span a view can show.
const MinSpan = 200 * time.Millisecond

// member is a drawing that shares a group's view.
type member interface {
	redraw()
	cursorMoved()
}

// Group ties the charts of one host: one view in time, one crosshair, one pace.
// Its zero value is not usable; call NewGroup.
type Group struct {
	members []member
	span    int64 // ms shown while live
	now     int64 // newest moment, unix ms; 0 before the first
	from    int64
	to      int64
	live    bool
	// homeFrom and homeTo are the whole of what a recorded chart can show; both
	// 0 where the charts are live.
	homeFrom int64
	homeTo   int64
	cursor   int64
	hasHand  bool
	marking  bool // drags mark a span
	selFrom  int64
	selTo    int64
	shown    bool
	onView   []func(from, to time.Time, live bool)
	onCursor []func(t time.Time, ok bool)
	onSelect []func(from, to time.Time)
	pace     pacer
}

// Pace is how a group waits and comes back to the UI thread; nil fields take
// the real ones. Tests give their own to stay on one goroutine.
type Pace struct {
	After func(d time.Duration, f func()) // time.AfterFunc
	Do    func(f func())                  // fyne.Do
	Now   func() time.Time
}

// DefaultPace is the pace of groups made by NewGroup. A test that shows charts
// sets it to Immediate before it makes any, so that no timer draws from another
// goroutine.
var DefaultPace Pace

// Immediate draws at every request, on the goroutine that asks.
var Immediate = Pace{
	After: func(_ time.Duration, f func()) { f() },
	Do:    func(f func()) { f() },
}

// NewGroup returns a live group that shows the last five minutes.
func NewGroup() *Group { return NewPacedGroup(DefaultPace) }

// NewPacedGroup is NewGroup with the caller's clock.
func NewPacedGroup(p Pace) *Group {
	g := &Group{span: (5 * time.Minute).Milliseconds(), live: true, shown: true}
	g.pace = pacer{Pace: p.orReal(), mu: new(sync.Mutex), draw: g.redraw}
	return g
}

func (p Pace) orReal() Pace {
	if p.After == nil {
		p.After = func(d time.Duration, f func()) { time.AfterFunc(d, f) }
	}
	if p.Do == nil {
		p.Do = fyne.Do
	}
	if p.Now == nil {
		p.Now = time.Now
	}
	return p
}

func (g *Group) add(m member) { g.members = append(g.members, m) }

// Remove takes a chart or spark out of the group; it is no longer redrawn.
func (g *Group) Remove(o fyne.CanvasObject) {
	for i, m := range g.members {
		if fyne.CanvasObject(nil) != o && any(m) == any(o) {
			g.members = append(g.members[:i], g.members[i+1:]...)
			return
		}
	}
}

// SetSpan sets how much a live view shows and returns to live.
func (g *Group) SetSpan(d time.Duration) {
	g.span = max(d, MinSpan).Milliseconds()
	g.GoLive()
}

// Span returns how much a live view shows.
func (g *Group) Span() time.Duration { return time.Duration(g.span) * time.Millisecond }

// SetNow sets the newest moment there is. A live view ends there. The charts
// are redrawn at the data's pace.
func (g *Group) SetNow(t time.Time) {
	g.now = t.UnixMilli()
	if g.live {
		g.from, g.to = g.now-g.span, g.now
	}
	g.touch(dataPace)
}

// SetHome gives the charts of a recording their whole span; double click and
// Home return to it, and no view reaches beyond. It shows the whole.
func (g *Group) SetHome(from, to time.Time) {
	g.homeFrom, g.homeTo = from.UnixMilli(), max(to.UnixMilli(), from.UnixMilli()+MinSpan.Milliseconds())
	g.live = false
	g.selFrom, g.selTo = 0, 0
	g.setView(g.homeFrom, g.homeTo, false)
}

// Recorded reports whether the charts show a recording (SetHome was called).
func (g *Group) Recorded() bool { return g.homeTo != 0 }

// SetView shows a span; a live view is left.
func (g *Group) SetView(from, to time.Time) { g.setView(from.UnixMilli(), to.UnixMilli(), false) }

// View returns the span shown.
func (g *Group) View() (from, to time.Time) { return time.UnixMilli(g.from), time.UnixMilli(g.to) }

// Live reports whether the view follows the newest moment.
func (g *Group) Live() bool { return g.live }

// GoLive returns to the newest moment, or to the whole of a recording.
func (g *Group) GoLive() {
	if g.Recorded() {
		g.setView(g.homeFrom, g.homeTo, false)
		return
	}
	g.setView(g.now-g.span, g.now, true)
}

func (g *Group) setView(from, to int64, live bool) {
	if least := MinSpan.Milliseconds(); to-from < least {
		mid := from + (to-from)/2
		from, to = mid-least/2, mid+least/2
	}
	if g.Recorded() {
		from, to = clampSpan(from, to, g.homeFrom, g.homeTo)
	} else if !live && g.now > 0 && to > g.now {
		from, to = from-(to-g.now), g.now
	}
	if from == g.from && to == g.to && live == g.live {
		return
	}
	g.from, g.to, g.live = from, to, live
	for _, f := range g.onView {
		f(time.UnixMilli(from), time.UnixMilli(to), live)
	}
	g.touch(handPace)
}

// clampSpan moves [from, to] into [lo, hi], shortening it only when it is longer.
func clampSpan(from, to, lo, hi int64) (int64, int64) {
	if to-from >= hi-lo {
		return lo, hi
	}
	if from < lo {
		return lo, lo + to - from
	}
	if to > hi {
		return hi - (to - from), hi
	}
	return from, to
}

// Zoom changes the span by a factor, keeping the moment at where it is; a
// factor under 1 shows less time.
func (g *Group) Zoom(at time.Time, factor float64) {
	a := at.UnixMilli()
	g.setView(a-int64(float64(a-g.from)*factor), a+int64(float64(g.to-a)*factor), false)
}

// Pan moves the view by d; positive shows later times.
func (g *Group) Pan(d time.Duration) {
	ms := d.Milliseconds()
	if g.live && ms >= 0 {
		return
	}
	g.setView(g.from+ms, g.to+ms, false)
}

// OnView is told when the view was changed by hand or by call, not when a live
// view moves on.
func (g *Group) OnView(f func(from, to time.Time, live bool)) { g.onView = append(g.onView, f) }

// OnCursor is told where the crosshair stands; ok is false when it is gone.
func (g *Group) OnCursor(f func(t time.Time, ok bool)) { g.onCursor = append(g.onCursor, f) }

// OnSelect is told the span that was selected by hand.
func (g *Group) OnSelect(f func(from, to time.Time)) { g.onSelect = append(g.onSelect, f) }

// SetCursor puts the crosshair of all charts at t.
func (g *Group) SetCursor(t time.Time) { g.setCursor(t.UnixMilli(), true) }

// ClearCursor removes the crosshair.
func (g *Group) ClearCursor() { g.setCursor(0, false) }

// Cursor returns the crosshair's moment.
func (g *Group) Cursor() (t time.Time, ok bool) { return time.UnixMilli(g.cursor), g.hasHand }

func (g *Group) setCursor(t int64, ok bool) {
	if g.cursor == t && g.hasHand == ok {
		return
	}
	g.cursor, g.hasHand = t, ok
	for _, m := range g.members {
		m.cursorMoved()
	}
	for _, f := range g.onCursor {
		f(time.UnixMilli(t), ok)
	}
}

// Select marks a span in all charts and tells OnSelect; equal ends clear it,
// and OnSelect hears two equal moments.
func (g *Group) Select(from, to time.Time) {
	g.mark(from.UnixMilli(), to.UnixMilli())
	for _, f := range g.onSelect {
		f(time.UnixMilli(g.selFrom), time.UnixMilli(g.selTo))
	}
}

func (g *Group) mark(a, b int64) {
	if a > b {
		a, b = b, a
	}
	if a == b {
		a, b = 0, 0
	}
	g.selFrom, g.selTo = a, b
	for _, m := range g.members {
		m.cursorMoved()
	}
}

// Selection returns the marked span; ok is false without one.
func (g *Group) Selection() (from, to time.Time, ok bool) {
	return time.UnixMilli(g.selFrom), time.UnixMilli(g.selTo), g.selTo > g.selFrom
}

// SetShown says whether the place the charts stand in is on screen. Nothing is
// prepared or drawn while it is not; coming back draws at once.
func (g *Group) SetShown(shown bool) {
	if g.shown == shown {
		return
	}
	g.shown = shown
	if shown {
		g.touch(0)
	}
}

// Touch asks for a redraw at the data's pace. It may be called from any
// goroutine, as often as data comes.
func (g *Group) Touch() { g.touch(dataPace) }

// Redraw draws now, on the UI thread, and instead of a drawing that waits for
// its pace. Who changes texts beside the charts calls it, so that both come in
// one frame of the window.
func (g *Group) Redraw() { g.pace.now() }

func (g *Group) touch(pace time.Duration) { g.pace.touch(pace) }

func (g *Group) redraw() {
	if !g.shown {
		return
	}
	for _, m := range g.members {
		m.redraw()
	}
}

// pacer puts many requests to draw together into few.
type pacer struct {
	Pace
	mu   *sync.Mutex
	last time.Time // of the last drawing
	due  time.Time // of the next one, zero for none
	draw func()
}

// touch draws once, at the earliest pace after the last time. An earlier
// request that waits longer is overtaken.
func (p *pacer) touch(pace time.Duration) {
	p.mu.Lock()
	now := p.Now()
	due := p.last.Add(pace)
	if due.Before(now) {
		due = now
	}
	if !p.due.IsZero() && !p.due.After(due) {
		p.mu.Unlock()
		return
	}
	p.due = due
	p.mu.Unlock()
	p.After(due.Sub(now), func() { p.fire(due) })
}

// now draws at once; what was due is done with it.
func (p *pacer) now() {
	p.mu.Lock()
	p.due, p.last = time.Time{}, p.Now()
	p.mu.Unlock()
	p.draw()
}

// fire draws unless what was due has been overtaken or drawn meanwhile.
func (p *pacer) fire(due time.Time) {
	p.mu.Lock()
	overtaken := !p.due.Equal(due)
	p.mu.Unlock()
	if overtaken {
		return
	}
	p.Do(func() {
		p.mu.Lock()
		if !p.due.Equal(due) {
			p.mu.Unlock()
			return
		}
		p.due, p.last = time.Time{}, p.Now()
		p.mu.Unlock()
		p.draw()
	})
}
