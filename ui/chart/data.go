// Package chart draws time series the way an oscilloscope does: one column of
// pixels spans the least and the greatest reading that fall into it, with the
// mean on top, gaps hatched, limits dashed.
//
// Everything here belongs to the UI thread, except Group.Touch.
package chart

// Data is what one chart shows. The chart reads it until the next SetData or
// refill; the caller must not change the slices meanwhile.
type Data struct {
	Series []Series
	Gaps   []Gap
	Marks  []Mark
	Limits []Limit
	Bands  []Band
	// Banded keeps room for bands below the lines, also while there are none.
	Banded bool
	// Unit is that of all values, as in probe.Info.Unit ("%", "MiB", "W").
	Unit string
	// Fixed is the top of the axis; 0 lets the chart find a round one.
	Fixed float64
	// Missing, when set, is the sentence shown instead of a drawing: why there
	// is nothing to draw.
	Missing string
}

// Series is one line. T, Min, Max and Mean have the same length; a NaN mean is
// a point without a reading and breaks the line.
type Series struct {
	Name string
	Slot int // colour, theme.Palette.SeriesOf
	// Dashed draws a dashed line whatever the slot says.
	Dashed bool
	// Hidden leaves the line out until the legend brings it back.
	Hidden bool
	// Fill paints the area below the mean.
	Fill bool
	// Stepped keeps each value until the next, for levels such as a P-state.
	Stepped bool
	// Step is the usual distance of two points in milliseconds. Two points more
	// than two and a half steps apart are not joined. 0 joins all.
	Step int64
	T    []int64 // unix milliseconds, rising
	Min  []float32
	Max  []float32
	Mean []float32
}

// Len returns the number of points.
func (s *Series) Len() int { return len(s.T) }

// Add appends a single reading; NaN is a point without one.
func (s *Series) Add(t int64, v float64) { s.AddSpan(t, v, v, v) }

// AddSpan appends a point that stands for several readings.
func (s *Series) AddSpan(t int64, low, high, mean float64) {
	s.T = append(s.T, t)
	s.Min = append(s.Min, float32(low))
	s.Max = append(s.Max, float32(high))
	s.Mean = append(s.Mean, float32(mean))
}

// Reset empties the points and keeps their memory.
func (s *Series) Reset() {
	s.T, s.Min, s.Max, s.Mean = s.T[:0], s.Min[:0], s.Max[:0], s.Mean[:0]
}

// Gap is a span without readings. It is hatched, breaks every line, and says
// Reason on hover. Times are unix milliseconds.
type Gap struct {
	From, To int64
	Reason   string
}

// Level says how grave a mark or a band is; it decides shape and colour.
type Level uint8

// The levels.
const (
	Info   Level = iota // upright triangle in the faint colour
	Warn                // upright triangle in the colour of warnings
	Fail                // diamond in the colour of failures
	Good                // for bands only
	Unsure              // for bands only: too little is known
)

// Mark is an event on the time axis; Text is shown on hover.
type Mark struct {
	T     int64 // unix milliseconds
	Text  string
	Level Level
}

// Limit is a dashed horizontal line with its label, such as the power cap.
type Limit struct {
	Value float64
	Label string
}

// Band is a thin strip at the foot of the plot, such as a verdict and its span.
// Text is shown on hover; the pattern tells the level without its colour.
type Band struct {
	From, To int64 // unix milliseconds
	Level    Level
	Text     string
}

// Clear empties d for a refill and keeps the memory of its slices; the series
// keep theirs for Grow.
func (d *Data) Clear() {
	d.Series, d.Gaps, d.Marks = d.Series[:0], d.Gaps[:0], d.Marks[:0]
	d.Limits, d.Bands = d.Limits[:0], d.Bands[:0]
	d.Unit, d.Fixed, d.Missing, d.Banded = "", 0, "", false
}

// Grow adds a series to d and returns it empty, reusing the memory of a former
// one. The pointer is valid until the next Grow.
func (d *Data) Grow(name string, slot int) *Series {
	if n := len(d.Series); n < cap(d.Series) {
		d.Series = d.Series[:n+1]
	} else {
		d.Series = append(d.Series, Series{})
	}
	s := &d.Series[len(d.Series)-1]
	s.Reset()
	*s = Series{Name: name, Slot: slot, T: s.T, Min: s.Min, Max: s.Max, Mean: s.Mean}
	return s
}

// first returns the index of the first point at or after t.
func (s *Series) first(t int64) int {
	lo, hi := 0, len(s.T)
	for lo < hi {
		if m := int(uint(lo+hi) >> 1); s.T[m] < t {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo
}

// nearest returns the index of the point closest to t with a reading within
// reach milliseconds, or -1.
func (s *Series) nearest(t, reach int64) int {
	i := s.first(t)
	best, dist := -1, reach+1
	for _, j := range [...]int{i - 1, i} {
		if j < 0 || j >= len(s.T) || isNaN(s.Mean[j]) {
			continue
		}
		d := s.T[j] - t
		if d < 0 {
			d = -d
		}
		if d < dist {
			best, dist = j, d
		}
	}
	return best
}

func isNaN(f float32) bool { return f != f }
