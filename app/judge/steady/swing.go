package steady

import (
	"math"

	"rentgen/app/judge"
	"rentgen/app/judge/series"
	"rentgen/probe"
)

// swing follows a phase from reading to reading.
type swing struct {
	util, watt course
	told       bool // processes of the card were read at some moment

	begun     int64
	last      reading
	before    bool // whether the card worked in the reading before the last
	any       bool
	top       float64 // W, the highest so far
	sinceRest int     // readings
	dip       int     // readings since the load was low
	pending   []change
	steps     series.Dist // MiB, of those away from short pauses
	changes   series.Dist // MiB, of all
}

// reading is what is looked at of a second.
type reading struct {
	t               int64
	util, watt, mem float64
	own             float64 // VRAM of our own programs, NaN where they aren't listed
	active          bool
}

// change is VRAM that came or went between two readings, until it is known
// whether the card pauses there.
type change struct {
	size float64
	age  int
	dip  bool
}

const (
	clearOf   = 2   // readings on both sides of a pause belong to it
	dipUtil   = 80  // %, less is what the seconds around a short pause show
	often     = 5   // s; of readings further apart VRAM says nothing of pauses
	pause     = 0.4 // of the highest power
	beginning = 30  // s: a job takes its VRAM when it begins
)

// Add counts a second in.
func (w *swing) Add(s *series.Second) {
	clients, procs := s.V(probe.GPUClients), s.V(probe.OwnProcs)
	w.told = w.told || !math.IsNaN(clients) || !math.IsNaN(procs)
	if s.Held || s.Card == nil {
		return
	}
	now := reading{t: s.T, util: s.V(probe.UtilGPU), watt: s.V(probe.Power), mem: s.V(probe.MemUsed), own: math.NaN(), active: s.Active}
	if procs > 0 {
		now.own = s.V(probe.OwnMem)
	}
	now.active = now.active && !w.pauses(&now)
	if !w.any {
		w.any, w.begun, w.last = true, s.T, now
		return
	}
	follows := now.t-w.last.t <= 2*int64(s.Step)+1
	works := follows && w.before && w.last.active && now.active
	w.util.add(w.last.util, works, s.Step)
	w.watt.add(w.last.watt, works, s.Step)
	if s.Step == 1 { // of a slow log any rhythm may be that of its readings
		w.util.push(w.last.util, works)
		w.watt.push(w.last.watt, works)
		for t := w.last.t + 1; t < min(now.t, w.last.t+maxCurve); t++ {
			w.util.push(math.NaN(), false)
			w.watt.push(math.NaN(), false)
		}
	}
	w.step(now, follows)
	w.before, w.last = w.last.active && follows, now
}

// pauses reports whether the power tells a pause where the load can't be read.
func (w *swing) pauses(now *reading) bool {
	if !math.IsNaN(now.util) {
		return false
	}
	if now.watt > w.top {
		if w.top > 0 && w.top < pause*now.watt { // so far it has only loaded
			w.watt, w.before, w.last.active = course{}, false, false
			w.begun, w.pending, w.steps, w.changes = now.t, nil, series.Dist{}, series.Dist{}
		}
		w.top = now.watt
	}
	return now.watt < pause*w.top
}

// step looks for VRAM that changed since the last reading while the card works.
func (w *swing) step(now reading, follows bool) {
	if !now.active || !follows {
		w.sinceRest, w.pending = 0, w.pending[:0]
		return
	}
	w.sinceRest++
	w.dip++
	if now.util < dipUtil || math.IsNaN(now.util) && now.watt < dipUtil/100.*w.top {
		w.dip = 0
	}
	left := w.pending[:0]
	for _, p := range w.pending {
		p.age++
		p.dip = p.dip || w.dip == 0
		if p.age <= clearOf {
			left = append(left, p)
			continue
		}
		w.changes.Add(p.size)
		if !p.dip {
			w.steps.Add(p.size)
		}
	}
	w.pending = left
	size := math.Abs(now.mem - w.last.mem)
	if ours := math.Abs(now.own - w.last.own); !math.IsNaN(ours) || !(size >= lim.vramStep) {
		return // our own programs are listed, or nothing to speak of
	}
	if w.sinceRest > clearOf && now.t-w.begun >= beginning {
		w.pending = append(w.pending, change{size: size, dip: w.dip <= clearOf})
	}
}

// within judges how the card works from reading to reading, where minutes are
// alike.
func (w *swing) within(c *series.Case, f *series.Finding, clock, util bool) {
	w.number(f)
	rhythm := false // of pictures
	if f.Kind == judge.Stable {
		switch {
		case w.util.uneven():
			f.Kind, f.Level, f.Say, f.Next = judge.Unstable, judge.Info, "unstable.work.levels", "unstable.work"
		case w.util.swings():
			rhythm = w.rhythm(c, f, &w.util, clock, util, "unstable.work.swing")
		case clock: // what the clock says is better than what power does
		case w.util.dips():
			rhythm = dips(c, f, &w.util)
		case w.watt.uneven():
			f.Kind, f.Level, f.Say, f.Next = judge.Unstable, judge.Info, "unstable.power", "unstable.work"
		case w.watt.swings():
			rhythm = w.rhythm(c, f, &w.watt, clock, util, "unstable.power")
		}
		if f.Kind == judge.Unstable {
			f.Confidence = min(f.Confidence, 0.8)
		}
	}
	if !clock && f.Say == "stable.clock-unread" && !util {
		f.Say += ".power"
	}
	if !w.told && (f.Kind == judge.Unstable || !clock) {
		f.Doubts = append(f.Doubts, series.Doubt("others-untold"))
	}
	steps := &w.changes
	if rhythm || f.Kind == judge.Stable { // what is low are the pauses of pictures
		steps = &w.steps
	}
	if n := steps.N(); n > 0 && (c.Step == 1 || n > clearOf && c.Step <= often) {
		count, size := judge.Number{Value: float64(n)}, judge.Number{Value: math.Round(steps.Quantile(0.5)), Unit: "MiB"}
		f.Numbers["vram_steps"], f.Numbers["vram_step_mib"] = count, size
		f.Doubts = append(f.Doubts, series.Doubt("vram-steps", "size", series.Said(size), "count", series.Said(count)))
		f.Confidence -= 0.1
	}
}

// rhythm tells the rhythm of pictures from swings that have none, and reports
// whether it is one.
func (w *swing) rhythm(c *series.Case, f *series.Finding, a *course, clock, util bool, say string) bool {
	lag := 0
	if c.Step == 1 {
		lag = repeats(a.tail(false))
	}
	if a == &w.watt && util && w.watt.within.Quantile(0.05) < w.watt.within.Quantile(0.95)/2 {
		lag = 0 // that far power falls in pauses, and the load shows none
	}
	switch {
	case clock && (lag > 0 || c.Step > 1): // the clock says enough
		return lag > 0
	case lag >= leastRhythm:
		f.Numbers["rhythm"] = judge.Number{Value: float64(lag), Unit: "s"}
		f.Say = "stable.clock-unread.rhythm"
		if a == &w.watt {
			f.Say += ".power"
		}
		return true
	case lag > 0:
		f.Doubts = append(f.Doubts, series.Doubt("rhythm-short"))
		f.Confidence -= 0.1
	case c.Step > 1:
		f.Doubts = append(f.Doubts, series.Doubt("rhythm-unseen"))
		f.Confidence -= 0.1
	}
	f.Kind, f.Level, f.Say, f.Next = judge.Unstable, judge.Info, say, "unstable.work"
	return false
}

// dips tells of load that is even but for short dips, in a rhythm or without.
func dips(c *series.Case, f *series.Finding, a *course) bool {
	f.Say = "stable.clock-unread.dips"
	lag := 0
	if c.Step == 1 {
		lag = repeats(a.tail(false))
	}
	if lag < leastRhythm {
		return lag > 0
	}
	f.Numbers["rhythm"] = judge.Number{Value: float64(lag), Unit: "s"}
	f.Say = "stable.clock-unread.rhythm"
	return true
}

// leastRhythm is the shortest period, s, that one reading a second shows.
const leastRhythm = 4

// number writes the variation from reading to reading down.
func (w *swing) number(f *series.Finding) {
	for _, k := range [...]struct {
		name string
		d    *series.Dist
	}{{"util_cv_within", &w.util.within}, {"power_cv_within", &w.watt.within}} {
		if k.d.N() >= leastReadings {
			f.Numbers[k.name] = judge.Number{Value: math.Round(10*cv(k.d)) / 10, Unit: "%"}
		}
	}
}
