package store

import (
	"context"
	"fmt"
	"time"
)

// Alignment says how two recordings are laid over one another.
type Alignment string

// The alignments.
const (
	AlignStart Alignment = "start" // both begin at the same place
	AlignDay   Alignment = "day"   // the same time of day lies on the same
)

// Shift is what is added to the times of a recording that began at other, so
// that it lies on one that began at open. By the day it is whole days of loc as
// the calendar counts them, so that a clock that was put forward or back
// meanwhile doesn't move noon; time.Local where loc is nil.
func Shift(open, other time.Time, by Alignment, loc *time.Location) time.Duration {
	if by != AlignDay {
		return open.Sub(other)
	}
	if loc == nil {
		loc = time.Local
	}
	date := func(t time.Time) time.Time {
		y, m, d := t.In(loc).Date()
		return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	}
	days := int(date(open).Sub(date(other)) / (24 * time.Hour))
	at := other.In(loc)
	return at.AddDate(0, 0, days).Sub(at)
}

// Pair is one metric of two recordings on one axis, that of the first.
type Pair struct {
	One, Two Series        // of one Step; the times of Two are shifted
	Shift    time.Duration // what was added to them: a multiple of Step
}

// Aligned asks the same of two recordings, each named by Recording, GPU and
// Metric of its query, and lays the second over the first. The span is that of
// the first query on the axis of the first recording; without one it is both
// recordings whole. A recording without a reading gives a series without points.
func (s *Store) Aligned(ctx context.Context, one, two Query, by Alignment, loc *time.Location) (Pair, error) {
	var p Pair
	a, err := s.Recording(ctx, one.Recording)
	if err != nil {
		return p, fmt.Errorf("align: %w", err)
	}
	b, err := s.Recording(ctx, two.Recording)
	if err != nil {
		return p, fmt.Errorf("align: %w", err)
	}
	if !a.From.IsZero() && !b.From.IsZero() {
		p.Shift = Shift(a.From, b.From, by, loc)
	}
	from, to := one.From, one.To
	if from.IsZero() {
		from = a.From
		if at := b.From.Add(p.Shift); !b.From.IsZero() && (from.IsZero() || at.Before(from)) {
			from = at
		}
	}
	if to.IsZero() {
		to = a.To.Add(time.Second)
		if at := b.To.Add(p.Shift + time.Second); !b.To.IsZero() && (a.To.IsZero() || at.After(to)) {
			to = at
		}
	}
	one.From, one.To = from, to
	if p.One, err = s.Query(ctx, one); err != nil {
		return p, err
	}
	// Points stand at multiples of the step: only such a shift keeps them together.
	p.Shift = p.Shift.Round(max(p.One.Step, time.Second))
	two.From, two.To, two.Points = from.Add(-p.Shift), to.Add(-p.Shift), one.Points
	if p.Two, err = s.Query(ctx, two); err != nil {
		return p, err
	}
	if len(p.One.Points) == 0 && len(p.Two.Points) > 0 {
		p.Shift = p.Shift.Round(p.Two.Step)
	}
	for i := range p.Two.Points {
		p.Two.Points[i].T = p.Two.Points[i].T.Add(p.Shift)
	}
	return p, nil
}
