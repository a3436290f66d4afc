// Package steady says whether a card works evenly: how much clock, utilisation
// and power vary from minute to minute of a phase and within its minutes, and
// whether the phase is as fast as earlier ones of the same kind.
package steady

import (
	"math"

	"rentgen/app/judge"
	"rentgen/app/judge/series"
	"rentgen/probe"
)

// Rules returns the rules of this room.
func Rules() []series.Rule {
	return []series.Rule{{
		Name: "steady/variation", Kinds: []series.Kind{series.Busy},
		Tally: func() series.Tally { return &minutes{} }, Judge: vary,
	}}
}

// minutes holds the distribution of means over minutes of a phase. Seconds
// within a minute vary by the rhythm of pictures, which is no unsteadiness; what
// has no rhythm is in swing.
type minutes struct {
	swing             swing
	first             int64
	span              int64 // a minute, or a dozen readings of a slow log
	seconds           int
	util, clock, watt sum
	// Of the minutes that are over.
	utils, clocks, watts series.Dist
}

// sum is a running mean.
type sum struct {
	n int
	s float64
}

func (a *sum) add(x float64) {
	if !math.IsNaN(x) {
		a.n++
		a.s += x
	}
}

// end gives the mean to d where enough was read, and begins anew.
func (a *sum) end(d *series.Dist, least int) {
	if a.n >= least {
		d.Add(a.s / float64(a.n))
	}
	*a = sum{}
}

// Add counts a second in.
func (m *minutes) Add(s *series.Second) {
	m.swing.Add(s)
	if m.seconds > 0 && s.T-m.first >= m.span {
		m.end()
	}
	if m.seconds == 0 {
		m.first, m.span = s.T, max(60, 12*int64(s.Step))
	}
	m.seconds++
	m.util.add(s.V(probe.UtilGPU))
	m.watt.add(s.V(probe.Power))
	if s.Active {
		m.clock.add(s.V(probe.ClockSM))
	}
}

func (m *minutes) end() {
	m.util.end(&m.utils, int(m.span/2))
	m.watt.end(&m.watts, int(m.span/2))
	m.clock.end(&m.clocks, int(m.span/6))
	m.seconds = 0
}

var lim = struct {
	least, clock, loose, jump, util, swing, swingLow, levels, vramStep   float64
	likeMem, likeUtil, slower, again, slowerPower, slowerUtil, slowerPic float64
}{
	series.Limit("steady.least"), series.Limit("steady.clock"), series.Limit("steady.clock-loose"), series.Limit("steady.jump"), series.Limit("steady.util"),
	series.Limit("steady.swing"), series.Limit("steady.swing-low"), series.Limit("steady.levels"), series.Limit("steady.vram-step"),
	series.Limit("steady.like-memory"), series.Limit("steady.like-util"), series.Limit("steady.slower"), series.Limit("steady.again"),
	series.Limit("steady.slower-power"), series.Limit("steady.slower-util"), series.Limit("slow.pace"),
}

// rule is the name of the only one.
const rule = "steady/variation"

// vary judges a phase.
func vary(c *series.Case) []judge.Verdict {
	m, ok := c.Tally.(*minutes)
	if !ok || float64(c.Seconds) < lim.least {
		return nil
	}
	clocks, utils, watts := m.clocks.Stat(), m.utils.Stat(), m.watts.Stat()
	if clocks.N < 2 && utils.N < 2 && watts.N < 2 {
		if c.Seconds < 3*12*c.Step { // too short for so slow a log, that is all
			return nil
		}
		return []judge.Verdict{unread(c)}
	}
	f := series.Finding{
		Kind: judge.Stable, Level: judge.Good, Confidence: sure(c.Seconds),
		Numbers: map[string]judge.Number{"seconds": {Value: float64(c.Seconds), Unit: "s"}},
	}
	for _, k := range [...]struct {
		m    probe.Metric
		name string
		of   judge.Stat
		unit string
		at   judge.Stat // in the seconds at work, without the ends of pictures
	}{
		{probe.ClockSM, "clock", clocks, "MHz", judge.Stat{}},
		{probe.UtilGPU, "util", utils, "%", m.swing.util.within.Stat()},
		{probe.Power, "power", watts, "W", m.swing.watt.within.Stat()},
	} {
		st := c.LoadStat(k.m)
		if st.N > 0 && k.of.N >= 2 {
			f.Numbers[k.m.String()] = judge.Number{Value: math.Round(st.P50), Unit: k.unit}
			f.Numbers[k.name+"_cv"] = judge.Number{Value: math.Round(1000*k.of.CV()) / 10, Unit: "%"}
		}
		if k.at.N >= leastReadings {
			st = k.at
		}
		if st.N > 0 {
			f.Numbers[k.name+"_p05"] = judge.Number{Value: math.Round(st.P05), Unit: k.unit}
			f.Numbers[k.name+"_p50"] = judge.Number{Value: math.Round(st.P50), Unit: k.unit}
			f.Numbers[k.name+"_p95"] = judge.Number{Value: math.Round(st.P95), Unit: k.unit}
		}
	}
	switch {
	case clocks.N < 2:
		f.Say, f.Confidence = "stable.clock-unread", f.Confidence-0.25
		f.Doubts = append(f.Doubts, series.Doubt("clock-unread"))
	case 100*clocks.CV() >= lim.loose, jumps(c):
		f.Kind, f.Level, f.Next = judge.Unstable, judge.Info, "unstable"
	case 100*clocks.CV() > lim.clock:
		f.Say, f.Confidence = "stable.loose", f.Confidence-0.15
	}
	if f.Kind == judge.Stable && 100*utils.CV() >= lim.util {
		f.Kind, f.Level, f.Say, f.Next = judge.Unstable, judge.Info, "unstable.work", "unstable.work"
	}
	if utils.N < 2 {
		f.Doubts = append(f.Doubts, series.Doubt("util-unread"))
		f.Confidence -= 0.1
	}
	m.swing.within(c, &f, clocks.N >= 2, utils.N >= 2)
	slower(c, &m.swing, &f)
	return []judge.Verdict{c.Verdict(rule, f)}
}

// jumps reports whether the clock jumps within minutes that are alike: a seventh
// of the seconds at work are far below the usual.
func jumps(c *series.Case) bool {
	d := c.Load(probe.ClockSM)
	return d != nil && d.N() > 0 && d.Quantile(0.15) < lim.jump*d.Quantile(0.95)
}

// sure grows with the length of the phase: two minutes say little.
func sure(seconds int) float64 {
	return 0.95 - 0.25*math.Exp(-float64(seconds-int(lim.least))/600)
}

// unread says of a busy card why nothing can be said.
func unread(c *series.Case) judge.Verdict {
	return c.Verdict(rule, series.Finding{
		Kind: judge.NotEnoughData, Level: judge.Unknown, Confidence: 1, Say: "not-enough-data.busy",
		Numbers: map[string]judge.Number{"seconds": {Value: float64(c.Seconds), Unit: "s"}},
	})
}
