package chart

import (
	"testing"
	"time"
)

// hand is a clock and a queue of timers that a test moves by hand.
type hand struct {
	now   time.Time
	queue []timed
}

type timed struct {
	at time.Time
	f  func()
}

func (h *hand) pace() Pace {
	return Pace{
		Now: func() time.Time { return h.now },
		Do:  func(f func()) { f() },
		After: func(d time.Duration, f func()) {
			h.queue = append(h.queue, timed{h.now.Add(d), f})
		},
	}
}

// run moves the clock by d and fires what falls due on the way.
func (h *hand) run(d time.Duration) {
	end := h.now.Add(d)
	for {
		next := -1
		for i, q := range h.queue {
			if !q.at.After(end) && (next < 0 || q.at.Before(h.queue[next].at)) {
				next = i
			}
		}
		if next < 0 {
			break
		}
		q := h.queue[next]
		h.queue = append(h.queue[:next], h.queue[next+1:]...)
		if q.at.After(h.now) {
			h.now = q.at
		}
		q.f()
	}
	h.now = end
}

// counter counts how often it is drawn.
type counter struct{ draws, cursors int }

func (c *counter) redraw()      { c.draws++ }
func (c *counter) cursorMoved() { c.cursors++ }

func newHand() *hand { return &hand{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)} }

func TestFourDrawsASecond(t *testing.T) {
	h := newHand()
	g := NewPacedGroup(h.pace())
	c := &counter{}
	g.add(c)
	for range 1000 { // ten seconds of data at 100 Hz
		g.Touch()
		h.run(10 * time.Millisecond)
	}
	if c.draws > 41 || c.draws < 39 {
		t.Errorf("drawn %d times in 10 s, want 40", c.draws)
	}
}

func TestHandIsFaster(t *testing.T) {
	h := newHand()
	g := NewPacedGroup(h.pace())
	c := &counter{}
	g.add(c)
	g.SetNow(h.now)
	h.run(time.Second)
	c.draws = 0
	g.Touch()
	h.run(time.Millisecond)
	before := c.draws
	g.touch(handPace)
	h.run(handPace)
	if before+1 != c.draws {
		t.Errorf("drawn %d times after the hand's pace, want one more than %d", c.draws, before)
	}
	h.run(time.Second)
	if c.draws > before+2 {
		t.Errorf("an overtaken request drew again: %d draws", c.draws)
	}
}

func TestNothingDrawnWhileHidden(t *testing.T) {
	h := newHand()
	g := NewPacedGroup(h.pace())
	c := &counter{}
	g.add(c)
	g.SetShown(false)
	for range 20 {
		g.SetNow(h.now)
		h.run(time.Second)
	}
	if c.draws != 0 {
		t.Errorf("drawn %d times while hidden", c.draws)
	}
	g.SetShown(true)
	h.run(time.Second)
	if c.draws != 1 {
		t.Errorf("drawn %d times on coming back, want 1", c.draws)
	}
}

func liveGroup(h *hand) *Group {
	g := NewPacedGroup(h.pace())
	g.SetSpan(time.Minute)
	g.SetNow(h.now)
	return g
}

func TestLiveFollowsNow(t *testing.T) {
	h := newHand()
	g := liveGroup(h)
	if from, to := g.View(); to.Sub(from) != time.Minute || !to.Equal(h.now) {
		t.Fatalf("view %v to %v", from, to)
	}
	g.SetNow(h.now.Add(time.Second))
	if _, to := g.View(); !to.Equal(h.now.Add(time.Second)) {
		t.Error("a live view must end now")
	}
	g.Pan(-10 * time.Second)
	if g.Live() {
		t.Error("panning back leaves live")
	}
	_, before := g.View()
	g.SetNow(h.now.Add(5 * time.Second))
	if _, to := g.View(); !to.Equal(before) {
		t.Error("a view that is not live must stand still")
	}
	g.GoLive()
	if _, to := g.View(); !g.Live() || !to.Equal(h.now.Add(5*time.Second)) {
		t.Error("going live shows now")
	}
	g.Pan(time.Hour)
	if !g.Live() {
		t.Error("there is nothing later than now")
	}
}

func TestZoomKeepsTheMoment(t *testing.T) {
	h := newHand()
	g := liveGroup(h)
	at := h.now.Add(-15 * time.Second)
	frac := func() float64 {
		from, to := g.View()
		return float64(at.Sub(from)) / float64(to.Sub(from))
	}
	before := frac()
	for range 10 {
		g.Zoom(at, 0.8)
	}
	if d := frac() - before; d > 0.02 || d < -0.02 {
		t.Errorf("the moment under the hand moved by %.3f of the plot", d)
	}
	for range 60 {
		g.Zoom(at, 0.5)
	}
	if from, to := g.View(); to.Sub(from) != MinSpan {
		t.Errorf("closest zoom shows %v, want %v", to.Sub(from), MinSpan)
	}
}

func TestRecordingHasBounds(t *testing.T) {
	h := newHand()
	g := NewPacedGroup(h.pace())
	from, to := h.now.Add(-90*24*time.Hour), h.now
	g.SetHome(from, to)
	g.Zoom(to, 0.01)
	g.Pan(1000 * time.Hour)
	if _, b := g.View(); b.After(to) {
		t.Errorf("the view reaches %v, beyond %v", b, to)
	}
	g.Zoom(from.Add(time.Hour), 1e6)
	if a, b := g.View(); !a.Equal(from) || !b.Equal(to) {
		t.Errorf("zoomed out to %v..%v, want the whole", a, b)
	}
	g.Zoom(to, 0.1)
	g.GoLive()
	if a, b := g.View(); !a.Equal(from) || !b.Equal(to) || g.Live() {
		t.Error("home of a recording is its whole")
	}
}

func TestViewAndCursorAreTold(t *testing.T) {
	h := newHand()
	g := liveGroup(h)
	a, b := &counter{}, &counter{}
	g.add(a)
	g.add(b)
	views, cursors, marks := 0, 0, 0
	g.OnView(func(_, _ time.Time, _ bool) { views++ })
	g.OnCursor(func(time.Time, bool) { cursors++ })
	g.OnSelect(func(from, to time.Time) {
		if !from.Before(to) {
			t.Errorf("selected %v to %v", from, to)
		}
		marks++
	})
	g.Pan(-time.Second)
	g.SetCursor(h.now)
	g.SetCursor(h.now)
	g.Select(h.now, h.now.Add(-time.Second))
	if views != 1 || cursors != 1 || marks != 1 {
		t.Errorf("told views %d, cursors %d, selections %d; want 1 each", views, cursors, marks)
	}
	if a.cursors != 2 || b.cursors != 2 {
		t.Errorf("crosshair and selection must reach every chart: %d, %d", a.cursors, b.cursors)
	}
	g.ClearCursor()
	if _, ok := g.Cursor(); ok {
		t.Error("the crosshair is still there")
	}
}
