package store

import (
	"testing"
	"time"

	"rentgen/probe"
)

func TestAligned(t *testing.T) {
	s := open(t, t.TempDir())
	// The second is three hours, seven minutes and five seconds later, and longer.
	one := record(t, s, hourZero, 3600)
	two := record(t, s, hourZero.Add(3*time.Hour+7*time.Minute+5*time.Second), 5400)
	for _, r := range []*Recorder{one, two} {
		if err := r.Close("stopped"); err != nil {
			t.Fatal(err)
		}
	}
	ask := func(q Query, by Alignment) Pair {
		t.Helper()
		other := q
		q.Recording, other.Recording = one.ID(), two.ID()
		other.GPU = cardB
		p, err := s.Aligned(t.Context(), q, other, by, time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	q := Query{GPU: cardA, Metric: probe.UtilGPU, Points: 6000}
	p := ask(q, AlignStart)
	if len(p.One.Points) != 3600 || len(p.Two.Points) != 5400 || p.One.Step != p.Two.Step || p.Shift != -(3*time.Hour+7*time.Minute+5*time.Second) {
		t.Fatalf("%d and %d points, shift %v", len(p.One.Points), len(p.Two.Points), p.Shift)
	}
	for i := range p.One.Points {
		if a, b := p.One.Points[i], p.Two.Points[i]; !a.T.Equal(b.T) || a.Mean != b.Mean {
			t.Fatalf("%d: %+v beside %+v", i, a, b)
		}
	}
	// By minutes the points stay on one axis.
	q.Points = 60
	p = ask(q, AlignStart)
	for i, a := range p.One.Points {
		if !a.T.Equal(p.Two.Points[i].T) {
			t.Fatalf("%d: %v beside %v", i, a.T, p.Two.Points[i].T)
		}
	}
	if p.One.Step != p.Two.Step || p.Shift%p.One.Step != 0 {
		t.Errorf("steps %v and %v, shift %v", p.One.Step, p.Two.Step, p.Shift)
	}
	q.From, q.To, q.Points = hourZero.Add(time.Minute), hourZero.Add(2*time.Minute), 100
	if p = ask(q, AlignStart); len(p.One.Points) != 60 || len(p.Two.Points) != 60 || !p.Two.Points[0].T.Equal(q.From) {
		t.Errorf("%d and %d points of a minute", len(p.One.Points), len(p.Two.Points))
	}
	q.From, q.To = time.Time{}, time.Time{}
	if p = ask(q, AlignDay); p.Shift != 0 {
		t.Errorf("on the same day the shift is %v", p.Shift)
	}
}

func TestShiftByTheCalendar(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip("no time zones here")
	}
	// The night between them has an hour more.
	before := time.Date(2026, 10, 24, 22, 0, 0, 0, berlin)
	after := time.Date(2026, 10, 25, 9, 0, 0, 0, berlin)
	if got := before.Add(Shift(after, before, AlignDay, berlin)).In(berlin); got.Hour() != 22 || got.Day() != 25 {
		t.Errorf("22:00 lies on %v", got)
	}
	if got := Shift(after, before, AlignStart, berlin); got != 12*time.Hour {
		t.Errorf("by start %v", got)
	}
}
