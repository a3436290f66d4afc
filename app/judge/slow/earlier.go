package slow

import (
	"math"

	"rentgen/app/judge"
	"rentgen/app/judge/compare"
	"rentgen/app/judge/series"
	"rentgen/probe"
)

// PictureKey is the key under which a phase keeps the time of one picture, s,
// where the card's rhythm shows it.
const PictureKey = "picture_s"

// rhythm keeps the last readings of a phase in which a rhythm is looked for.
type rhythm struct {
	power, util []float64
	last        int64
}

// maxRhythm bounds what is kept: ten minutes hold the slowest job that has a
// rhythm worth the name.
const maxRhythm = 600

// Add counts a second in; seconds that are missing between two become holes.
func (r *rhythm) Add(s *series.Second) {
	for r.last > 0 && r.last+1 < s.T && s.T-r.last < maxRhythm {
		r.push(math.NaN(), math.NaN())
		r.last++
	}
	r.last = s.T
	if s.Step > 1 { // of a slow log any rhythm may be that of its readings
		r.push(math.NaN(), math.NaN())
		return
	}
	r.push(s.V(probe.Power), s.V(probe.UtilGPU))
}

func (r *rhythm) push(power, util float64) {
	if len(r.power) >= 2*maxRhythm { // in one move, not with every second
		r.power = append(r.power[:0], r.power[maxRhythm:]...)
		r.util = append(r.util[:0], r.util[maxRhythm:]...)
	}
	r.power, r.util = append(r.power, power), append(r.util, util)
}

// picture returns the time of one picture, s, from the clearer of the two curves.
func (r *rhythm) picture() (seconds, strength float64, ok bool) {
	tail := func(x []float64) []float64 { return x[max(0, len(x)-maxRhythm):] }
	p1, s1, ok1 := Cadence(tail(r.power))
	p2, s2, ok2 := Cadence(tail(r.util))
	if ok2 && (!ok1 || s2 > s1) {
		return p2, s2, true
	}
	return p1, s1, ok1
}

// Sum adds what the rules of this room know of a whole phase to what is kept
// of it.
func Sum(tally series.Tally, p *judge.Phase) {
	r, ok := tally.(*rhythm)
	if !ok || p.Stats == nil {
		return
	}
	if s, _, ok := r.picture(); ok {
		p.Stats[PictureKey] = judge.Stat{N: 1, Mean: s, P05: s, P25: s, P50: s, P75: s, P95: s, Peak: s}
	}
}

// earlier compares a phase with what this user's own job did before.
func earlier(c *series.Case) []judge.Verdict {
	if c.Seconds < 60 {
		return nil
	}
	now := c.Phase(c.Setting)
	Sum(c.Tally, &now)
	then, ok := before(c, now)
	if !ok {
		return nil
	}
	factor, paced := slower(then, now)
	if !(factor >= lim.pace) {
		return nil
	}
	r := compare.Sides(side(then), side(now))
	f := series.Finding{
		Kind: judge.Unstable, Level: judge.Warn, Confidence: 0.5, Say: "slow.earlier.unknown", Next: "slow.earlier",
		Numbers: map[string]judge.Number{"factor": {Value: round(factor)}},
	}
	if paced {
		f.Numbers["picture_then"] = judge.Number{Value: round(then.Stats[PictureKey].Mean), Unit: "s"}
		f.Numbers["picture_now"] = judge.Number{Value: round(now.Stats[PictureKey].Mean), Unit: "s"}
		f.Confidence = 0.7
	} else {
		f.Doubts = append(f.Doubts, series.Doubt("pace-unseen"))
	}
	if c.Setting.Job == "" {
		f.Doubts = append(f.Doubts, series.Doubt("job-unknown"))
		f.Confidence -= 0.15
	}
	for _, d := range r.Differences {
		if d.Slower != "b" || d.Share < 0.1 {
			continue
		}
		f.Kind, f.Say = kindOf(d.Metric), "slow.earlier"
		f.Args = []any{"first", d.Then()}
		f.Numbers["then"], f.Numbers["now"] = d.A.Number, d.B.Number
		if d.Share >= 0.4*math.Log(factor) {
			f.Confidence += 0.1
		}
		break
	}
	if f.Say == "slow.earlier.unknown" && !paced {
		return nil
	}
	if paced {
		f.Say += ".paced"
	}
	return []judge.Verdict{c.Verdict("slow/earlier", f)}
}

func side(p judge.Phase) compare.Side {
	s := compare.OfPhase("", p)
	s.Picture = p.Stats[PictureKey].Mean
	return s
}

// before finds the newest earlier phase of the same job: by its name, else by
// the same product with about the same VRAM in use.
func before(c *series.Case, now judge.Phase) (judge.Phase, bool) {
	for _, p := range c.Setting.Earlier {
		if p.Seconds < 60 || !p.To.Before(c.From) || p.Stats[probe.UtilGPU.String()].N == 0 {
			continue
		}
		if c.Setting.Job != "" {
			if p.Job == c.Setting.Job {
				return p, true
			}
			continue
		}
		a, b := p.Stats[probe.MemUsed.String()], now.Stats[probe.MemUsed.String()]
		if p.Card == now.Card && p.Card != "" && a.N > 0 && b.N > 0 && math.Abs(a.P50-b.P50) <= 0.1*max(a.P50, b.P50) {
			return p, true
		}
	}
	return judge.Phase{}, false
}

// slower returns by how much longer the job takes: from the time of a picture
// where both phases show it, else from clock and utilisation of one product.
func slower(then, now judge.Phase) (factor float64, paced bool) {
	a, b := then.Stats[PictureKey], now.Stats[PictureKey]
	if a.N > 0 && b.N > 0 && a.Mean > 0 {
		return b.Mean / a.Mean, true
	}
	if then.Card != now.Card {
		return math.NaN(), false
	}
	work := func(p judge.Phase) float64 {
		u, c := p.Stats[probe.UtilGPU.String()], p.Stats[probe.ClockSM.String()]
		if u.N == 0 || c.N == 0 || u.Mean < 1 {
			return math.NaN()
		}
		return u.Mean * c.Mean
	}
	return work(then) / work(now), false
}

// kindOf is the kind of verdict that a difference makes.
func kindOf(what string) judge.Kind {
	switch what {
	case probe.CPUThrottled.String(), probe.CPUQuota.String():
		return judge.SlowCPUQuota
	case probe.CPUBusiest.String():
		return judge.SlowCPUThread
	case probe.PSIMem.String(), probe.SwapIn.String(), probe.RAMLimit.String():
		return judge.SlowMemory
	case probe.DiskRead.String(), probe.IOWait.String(), probe.PSIIO.String():
		return judge.SlowDisk
	case probe.NetRx.String():
		return judge.SlowNetwork
	case probe.PCIeRx.String():
		return judge.SlowOffload
	case "pcie":
		return judge.SlowLink
	}
	return judge.Unstable
}
