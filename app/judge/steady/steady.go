// Package steady says whether a card works evenly: how much clock, utilisation
// and power vary from minute to minute of a phase, and whether the phase is as
// fast as earlier ones of the same kind.
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
// within a minute vary by the rhythm of pictures, which is no unsteadiness.
type minutes struct {
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

var lim = struct{ least, clock, loose, jump, util, likeMem, likeUtil, slower, again float64 }{
	series.Limit("steady.least"), series.Limit("steady.clock"), series.Limit("steady.clock-loose"), series.Limit("steady.jump"), series.Limit("steady.util"),
	series.Limit("steady.like-memory"), series.Limit("steady.like-util"), series.Limit("steady.slower"), series.Limit("steady.again"),
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
		cv   string
		of   judge.Stat
		unit string
	}{{probe.ClockSM, "clock_cv", clocks, "MHz"}, {probe.UtilGPU, "util_cv", utils, "%"}, {probe.Power, "power_cv", watts, "W"}} {
		if k.of.N < 2 {
			continue
		}
		st := c.LoadStat(k.m)
		f.Numbers[k.m.String()] = judge.Number{Value: math.Round(st.P50), Unit: k.unit}
		f.Numbers[k.cv] = judge.Number{Value: math.Round(1000*k.of.CV()) / 10, Unit: "%"}
		if k.m == probe.ClockSM {
			f.Numbers["clock_p05"] = judge.Number{Value: math.Round(st.P05), Unit: k.unit}
			f.Numbers["clock_p95"] = judge.Number{Value: math.Round(st.P95), Unit: k.unit}
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
	slower(c, &f)
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

// slower compares with earlier phases of the same card, or of the same product
// elsewhere, that did the same as far as can be seen.
func slower(c *series.Case, f *series.Finding) {
	now := c.LoadStat(probe.ClockSM)
	if now.N == 0 {
		return
	}
	var clocks, watts series.Dist
	named := false
	look := func(p judge.Phase) {
		st := p.Stats[probe.ClockSM.String()]
		if st.N < int(lim.least) || !alike(c, p) {
			return
		}
		named = named || p.Job != "" && p.Job == c.Setting.Job
		clocks.Add(st.P50)
		if w := p.Stats[probe.Power.String()]; w.N > 0 {
			watts.Add(w.P50)
		}
	}
	for _, p := range c.Past {
		look(p)
	}
	for _, p := range c.Setting.Earlier {
		look(p)
	}
	if clocks.N() == 0 {
		return
	}
	before := clocks.Quantile(0.5)
	f.Numbers["clock_earlier"] = judge.Number{Value: math.Round(before), Unit: "MHz"}
	f.Numbers["earlier_count"] = judge.Number{Value: float64(clocks.N())}
	watt := c.LoadStat(probe.Power)
	// A heavier job on a card at its power limit has a lower clock at the same
	// power: that is no loss.
	if now.P50 >= lim.slower*before || watts.N() > 0 && watt.N > 0 && watt.P50 >= lim.again*watts.Quantile(0.5) {
		if f.Kind == judge.Stable && f.Say == "" && now.P50 >= lim.slower*before {
			f.Say, f.Confidence = "stable.as-earlier", min(0.98, f.Confidence+0.03)
		}
		return
	}
	f.Kind, f.Level, f.Say, f.Next = judge.Unstable, judge.Warn, "unstable.slower", "unstable.slower"
	f.Confidence = min(f.Confidence, 0.8)
	if !named {
		f.Confidence -= 0.15
		f.Doubts = append(f.Doubts, series.Doubt("job-unknown"))
	}
}

// alike reports whether an earlier phase did the same on the same product.
func alike(c *series.Case, p judge.Phase) bool {
	if p.GPU != c.GPU && (p.Card == "" || p.Card != c.Device.Name) {
		return false
	}
	if p.Job != "" && c.Setting.Job != "" {
		return p.Job == c.Setting.Job
	}
	near := func(m probe.Metric, by func(a, b float64) bool) bool {
		a, b := c.LoadStat(m), p.Stats[m.String()]
		return a.N > 0 && b.N > 0 && by(a.P50, b.P50)
	}
	return near(probe.MemUsed, func(a, b float64) bool { return math.Abs(a-b) <= lim.likeMem*max(a, b) }) &&
		near(probe.UtilGPU, func(a, b float64) bool { return math.Abs(a-b) <= lim.likeUtil })
}

// unread says of a busy card why nothing can be said.
func unread(c *series.Case) judge.Verdict {
	return c.Verdict(rule, series.Finding{
		Kind: judge.NotEnoughData, Level: judge.Unknown, Confidence: 1, Say: "not-enough-data.busy",
		Numbers: map[string]judge.Number{"seconds": {Value: float64(c.Seconds), Unit: "s"}},
	})
}
