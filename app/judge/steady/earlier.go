package steady

import (
	"math"

	"rentgen/app/judge"
	"rentgen/app/judge/series"
	"rentgen/app/judge/slow"
	"rentgen/probe"
)

// past is what earlier phases that did the same showed.
type past struct {
	clock, watt, util, round series.Dist // medians of phases; MHz, W, %, s
	named                    bool        // one was of the same job by its name
}

// slower compares with earlier phases of the same card, or of the same product
// elsewhere, that did the same as far as can be seen: by the clock, and where
// either has none by power, by the time of a picture, or by the load.
func slower(c *series.Case, w *swing, f *series.Finding) {
	var p past
	for i := range c.Past {
		p.look(c, &c.Past[i], true)
	}
	for i := range c.Setting.Earlier {
		p.look(c, &c.Setting.Earlier[i], false)
	}
	now := func(m probe.Metric) float64 {
		if st := c.LoadStat(m); st.N > 0 {
			return st.P50
		}
		return math.NaN()
	}
	watt, util := now(probe.Power), now(probe.UtilGPU)
	switch {
	case p.clock.N() > 0 && c.LoadStat(probe.ClockSM).N > 0:
		p.byClock(c, f)
	case p.watt.N() > 0 && !math.IsNaN(watt):
		p.by(f, "power", watt, p.watt.Quantile(0.5), "W", p.watt.N(), watt < lim.slowerPower*p.watt.Quantile(0.5))
	case p.round.N() > 0:
		if pic, _, ok := slow.Cadence(w.util.tail(true)); ok {
			then := p.round.Quantile(0.5)
			p.by(f, "round", math.Round(10*pic)/10, then, "s", p.round.N(), pic > lim.slowerPic*then)
		}
	case p.util.N() > 0 && !math.IsNaN(util):
		p.by(f, "util", util, p.util.Quantile(0.5), "%", p.util.N(), util < lim.slowerUtil*p.util.Quantile(0.5))
	}
}

// look counts an earlier phase in. The time of a picture counts only of this
// recording: slow/earlier compares it with others.
func (p *past) look(c *series.Case, e *judge.Phase, here bool) {
	mem, util := alike(c, e)
	if !mem {
		return
	}
	add := func(d *series.Dist, m probe.Metric) {
		if st := e.Stats[m.String()]; st.N >= int(lim.least) {
			d.Add(st.P50)
			p.named = p.named || e.Job != "" && e.Job == c.Setting.Job
		}
	}
	add(&p.util, probe.UtilGPU)
	if !util {
		return
	}
	add(&p.clock, probe.ClockSM)
	add(&p.watt, probe.Power)
	if st := e.Stats[slow.PictureKey]; here && st.N > 0 {
		p.round.Add(st.P50)
	}
}

// byClock compares the clock.
func (p *past) byClock(c *series.Case, f *series.Finding) {
	now, before := c.LoadStat(probe.ClockSM), p.clock.Quantile(0.5)
	f.Numbers["clock_earlier"] = judge.Number{Value: math.Round(before), Unit: "MHz"}
	f.Numbers["earlier_count"] = judge.Number{Value: float64(p.clock.N())}
	watt := c.LoadStat(probe.Power)
	// A heavier job on a card at its power limit has a lower clock at the same
	// power: that is no loss.
	if now.P50 >= lim.slower*before || p.watt.N() > 0 && watt.N > 0 && watt.P50 >= lim.again*p.watt.Quantile(0.5) {
		if f.Kind == judge.Stable && f.Say == "" && now.P50 >= lim.slower*before {
			f.Say, f.Confidence = "stable.as-earlier", min(0.98, f.Confidence+0.03)
		}
		return
	}
	f.Kind, f.Level, f.Say, f.Next = judge.Unstable, judge.Warn, "unstable.slower", "unstable.slower"
	f.Confidence = min(f.Confidence, 0.8)
	if !p.named {
		f.Confidence -= 0.15
		f.Doubts = append(f.Doubts, series.Doubt("job-unknown"))
	}
}

// by compares by what is no clock. It proves less: another job at the same VRAM
// draws less power, too.
func (p *past) by(f *series.Finding, name string, now, then float64, unit string, count int, slower bool) {
	f.Numbers[name+"_now"] = judge.Number{Value: math.Round(10*now) / 10, Unit: unit}
	f.Numbers[name+"_earlier"] = judge.Number{Value: math.Round(10*then) / 10, Unit: unit}
	f.Numbers["earlier_count"] = judge.Number{Value: float64(count)}
	if !slower || f.Kind == judge.Unstable {
		return
	}
	f.Kind, f.Level, f.Say, f.Next = judge.Unstable, judge.Info, "unstable.slower."+name, "unstable.slower"
	f.Confidence = min(f.Confidence, 0.6)
	if p.named && name != "util" {
		f.Level = judge.Warn
	}
	if !p.named {
		f.Confidence -= 0.15
		f.Doubts = append(f.Doubts, series.Doubt("job-unknown"))
	}
}

// alike reports whether an earlier phase did the same on the same product: by
// the job's name, else by the VRAM in use; util says that the load was the same
// beside it.
func alike(c *series.Case, p *judge.Phase) (mem, util bool) {
	if p.GPU != c.GPU && (p.Card == "" || p.Card != c.Device.Name) {
		return false, false
	}
	if p.Job != "" && c.Setting.Job != "" {
		return p.Job == c.Setting.Job, p.Job == c.Setting.Job
	}
	near := func(m probe.Metric, by func(a, b float64) bool) bool {
		a, b := c.LoadStat(m), p.Stats[m.String()]
		return a.N > 0 && b.N > 0 && by(a.P50, b.P50)
	}
	mem = near(probe.MemUsed, func(a, b float64) bool { return math.Abs(a-b) <= lim.likeMem*max(a, b) })
	return mem, mem && near(probe.UtilGPU, func(a, b float64) bool { return math.Abs(a-b) <= lim.likeUtil })
}
