package series

import (
	"slices"
	"time"
)

// pace is how far apart readings come, in whole seconds. A log that is written
// every five seconds is no log with gaps: what is read stands for the seconds to
// the next reading.
type pace struct {
	steps [8]int64
	n     int
}

// Slowest is the longest step that a reading stands for.
const Slowest = 5 * time.Minute

const slowest = int64(Slowest / time.Second)

// usual is the middle one of the last steps, the greater of two; 1 before the
// first, and where readings come so seldom that none stands for the next.
func (p *pace) usual() int64 {
	n := min(p.n, len(p.steps))
	if n == 0 {
		return 1
	}
	steps := p.steps
	slices.Sort(steps[:n])
	if u := steps[n/2]; u <= slowest {
		return u
	}
	return 1
}

func (p *pace) add(d int64) {
	p.steps[p.n%len(p.steps)] = d
	p.n++
}

// holds reports whether a reading stands for the d seconds to the next one. A
// loop that takes a little longer each time leaves a second out now and then.
func (p *pace) holds(d int64) bool {
	u := p.usual()
	return d <= max(2, u+u/2)
}

// silent is the time without readings that ends a phase.
func (p *pace) silent() int64 { return max(int64(lim.hole), 2*p.usual()) }

// Limits of the cut at a pace of step seconds: one reading of a slow log must
// not be a phase, nor two of them a window.
func bridge(step int) int { return max(lim.bridge, step+step/2) }
func begins(step int) int { return max(lim.begin, Single(step)) }
func settle(step int) int { return max(lim.settle, Single(step)) }
func unread(step int) int { return max(lim.hole, Single(step)) }
func window(step int) int { return max(lim.window, 12*step) }
func pends(step int) int  { return maxPend + 2*step }

// Single is a span, s, that one reading of a slow log can't fill; 1 where one is
// read every second.
func Single(step int) int { return step + step/2 + min(1, step-1) }

// Least is the span below which nothing is judged, of readings so far apart.
func Least(step time.Duration) time.Duration {
	return max(time.Duration(lim.least)*time.Second, 3*step)
}

// Least is how many seconds a window must have to be judged.
func (g *Segment) Least() int { return max(lim.least, 3*g.Step) }
