// Package slow says what bounds a run: the card itself, or what the card waits
// for. A cause is named only where readings show it in the very seconds in which
// the card waits; what could not be read is no cause.
package slow

import (
	"math"
	"slices"

	"rentgen/app/judge"
	"rentgen/app/judge/series"
	"rentgen/assets/texts"
	"rentgen/probe"
)

// Rules are the rules of this room.
func Rules() []series.Rule {
	return []series.Rule{
		{
			Name: "slow/bound", Windows: true, Kinds: []series.Kind{series.Busy, series.Loading, series.Idle},
			Tally: func() series.Tally { return &tally{} }, Judge: bound,
		},
		{
			Name: "slow/earlier", Kinds: []series.Kind{series.Busy},
			Tally: func() series.Tally { return &rhythm{} }, Judge: earlier,
		},
	}
}

// lim are the limits of the table.
var lim = struct {
	wait, explains, contrast, busiest, held, ramNear, swap, psiMem, psiIO, diskFast, diskLeast, net float64
	vram, pcie, straggler, peer, bound, little, pace                                                float64
	load                                                                                            int
}{
	wait: series.Limit("slow.wait"), explains: series.Limit("slow.explains"), contrast: series.Limit("slow.contrast"),
	busiest: series.Limit("slow.busiest"), held: series.Limit("slow.held"), ramNear: series.Limit("slow.ram-near"),
	swap: series.Limit("slow.swap"), psiMem: series.Limit("slow.psi-mem"), psiIO: series.Limit("slow.psi-io"),
	diskFast: series.Limit("slow.disk-fast"), diskLeast: series.Limit("slow.disk-least"), net: series.Limit("slow.net"),
	vram: series.Limit("slow.offload-vram"), pcie: series.Limit("slow.offload-pcie"), straggler: series.Limit("slow.straggler"),
	peer: series.Limit("slow.peer-pcie"), bound: series.Limit("slow.bound"), little: series.Limit("slow.little-power"), pace: series.Limit("slow.pace"),
	load: int(series.Limit("slow.link-load")),
}

// look is a window as the causes see it.
type look struct {
	*series.Case
	t    *tally
	wait float64 // share of the time in which the card waits, at the least; NaN where utilisation can't be read
}

// found is a cause with the rule that names it.
type found struct {
	rule string
	series.Finding
}

// causes in the order in which one silences the next: a program that a quota
// stops keeps a core busy, and one that swaps reads the disk.
var causes = []func(*look) []found{
	quota, memory, offload, disk, network, thread, queue,
}

// besides are told whatever else is found.
var besides = []func(*look) []found{link, nvlink, straggler}

// bound says what bounds a minute.
func bound(c *series.Case) []judge.Verdict {
	t, ok := c.Tally.(*tally)
	if !ok {
		return nil
	}
	l := &look{Case: c, t: t, wait: t.waiting() - chance(c)}
	var list []found
	for _, cause := range causes {
		if list = cause(l); len(list) > 0 {
			break
		}
	}
	if len(list) == 0 {
		list = card(l)
	}
	for _, f := range besides {
		list = append(list, f(l)...)
	}
	var out []judge.Verdict
	for _, f := range list {
		out = append(out, c.Verdict(f.rule, f.Finding))
	}
	return out
}

// chance is by how much the waiting of a slow log may be off, one standard error:
// a few readings that fell into pauses are no waiting.
func chance(c *series.Case) float64 {
	if c.Step <= 1 {
		return 0
	}
	st := c.Stat(probe.UtilGPU)
	return st.SD / 100 / math.Sqrt(max(1, float64(st.N)/float64(c.Step)))
}

// waits reports whether the card waits enough in a busy minute to ask why.
func (l *look) waits() bool { return l.Kind == series.Busy && l.wait >= lim.wait }

// explains returns how sure it is that the signal is what the card waits for:
// it is there while the card waits, and less while it works. ok is false where
// it covers too little of the waiting.
func (l *look) explains(s signal) (sure float64, ok bool) {
	o := l.t.with[s]
	if o.waitKnown < 0.5*l.t.wait || o.waitKnown < 3 || o.wait < lim.explains*o.waitKnown {
		return 0, false
	}
	sure = 0.7
	if o.workKnown >= 5 {
		sure = 0.5
		if o.wait/o.waitKnown-float64(o.work)/float64(o.workKnown) >= lim.contrast {
			sure = 0.9
		}
	}
	return sure, true
}

// mean returns the mean of a metric over the window where it was read in at
// least half of it.
func (l *look) mean(m probe.Metric) (float64, bool) {
	if !l.Has(m) {
		return math.NaN(), false
	}
	return l.Dist(m).Mean(), true
}

// atLeast reports whether a metric was read and reaches a level on average.
func (l *look) atLeast(m probe.Metric, least float64) bool {
	v, ok := l.mean(m)
	return ok && v >= least
}

// numbers puts the means of metrics down under their keys, those that were read.
func (l *look) numbers(ms ...probe.Metric) map[string]judge.Number {
	out := map[string]judge.Number{}
	for _, m := range ms {
		if v, ok := l.mean(m); ok {
			out[m.String()] = judge.Number{Value: round(v), Unit: m.Info().Unit}
		}
	}
	return out
}

// round keeps three digits: a sentence shows no more and a stored verdict
// should not change with the last bit of a sum.
func round(v float64) float64 {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return v
	}
	scale := math.Pow(10, 2-math.Floor(math.Log10(math.Abs(v))))
	if scale < 1 {
		scale = 1
	}
	return math.Round(v*scale) / scale
}

// next is the key of what to do, by track where that makes a difference.
func (l *look) next(key string) string {
	switch l.Setting.Track {
	case "shared", "dedicated":
		return key + "." + l.Setting.Track
	}
	return key
}

// ours adds the doubt that a figure counts the whole machine, and lowers the
// confidence, unless the machine is known to be one's own.
func (l *look) ours(f *series.Finding, name string, cost float64) {
	if l.Setting.Track == "dedicated" {
		return
	}
	f.Confidence -= cost
	f.Doubts = append(f.Doubts, series.Doubt(name))
}

// card says that the card itself is what bounds, or that the readings don't
// tell what it waits for.
func card(l *look) []found {
	util, ok := l.mean(probe.UtilGPU)
	if l.Kind != series.Busy || !ok {
		return nil
	}
	if l.wait >= l.unexplained() {
		f := series.Finding{
			Kind: judge.NotEnoughData, Level: judge.Unknown, Confidence: 0.5, Say: "slow.unknown", Next: "slow.unknown",
			Numbers: l.numbers(probe.UtilGPU), Doubts: l.blind(),
		}
		return []found{{"slow/unknown", f}}
	}
	f := series.Finding{Kind: judge.BoundGPU, Level: judge.Good, Confidence: 0.9, Numbers: l.numbers(probe.UtilGPU, probe.Power, probe.ClockSM)}
	if util < lim.bound {
		f.Level, f.Confidence, f.Say = judge.Info, 0.6, "bound.gpu.mostly"
		f.Doubts = append(f.Doubts, series.Doubt(pauses))
	}
	if watts, ok := l.light(); ok {
		f.Level, f.Confidence, f.Say, f.Next = judge.Info, 0.4, saysLight, saysLight
		f.Numbers[probe.Power.String()] = judge.Number{Value: watts, Unit: "W"}
		return []found{{"slow/card", f}}
	}
	if clock := l.Load(probe.ClockSM); clock == nil || clock.N() == 0 {
		f.Confidence -= 0.2
		f.Doubts = append(f.Doubts, series.Doubt("clock-unread"))
	}
	return []found{{"slow/card", f}}
}

// light returns the power at work, W, of a card that draws so little that its
// utilisation may be waiting: a kernel that polls for another card counts as work.
func (l *look) light() (watts float64, ok bool) {
	p, limit := l.Load(probe.Power), l.Load(probe.PowerCap)
	if p == nil || limit == nil || p.N() < lim.load || limit.N() == 0 || l.Device.Parent != "" || l.Device.MIG == "on" {
		return 0, false
	}
	watts = round(p.Quantile(0.75))
	return watts, watts < lim.little*limit.Quantile(0.5)
}

// unexplained is the waiting from which it is said that nothing explains it.
// What the phase was before holds on: a minute a little over the limit doesn't
// make it another.
func (l *look) unexplained() float64 {
	const hold = 0.1
	if l.Whole == nil || l.Whole.Seconds < lim.load {
		return lim.wait
	}
	d := l.Whole.Dist(probe.UtilGPU)
	switch {
	case d == nil || d.N() == 0:
		return lim.wait
	case 1-d.Mean()/100 < lim.wait:
		return lim.wait + hold
	}
	return lim.wait - hold
}

// blind says what the readings lack to a cause.
func (l *look) blind() []texts.Phrase {
	var list []texts.Phrase
	machine := false
	for _, m := range []probe.Metric{probe.CPUBusiest, probe.PSIIO, probe.DiskRead, probe.NetRx, probe.PCIeRx, probe.Queue} {
		if l.Has(m) {
			machine = machine || m.System()
			continue
		}
		list = append(list, series.Doubt("unread", "what", texts.P("metric."+m.String())))
	}
	if !machine { // a log of nvidia-smi has none of them
		return []texts.Phrase{series.Doubt("machine-unread")}
	}
	return list
}

// pauses is the doubt of a card that is at work most of the time.
const pauses = "pauses"

// saysLight is of a card whose work may be waiting.
const saysLight = "bound.gpu.light"

// Alike reports whether two verdicts say the same in two degrees: Rephrase says
// which one holds of both together.
func Alike(a, b *judge.Verdict) bool {
	const light = "judge.say." + saysLight
	return a.Kind == judge.BoundGPU && b.Kind == judge.BoundGPU && a.Say.Key != light && b.Say.Key != light
}

// Rephrase says a verdict of the card itself anew after its minutes were put
// together: whether it is what bounds, or mostly.
func Rephrase(v *judge.Verdict) {
	if !Alike(v, v) {
		return
	}
	v.Doubts = slices.DeleteFunc(slices.Clone(v.Doubts), func(p texts.Phrase) bool { return p.Key == series.Doubt(pauses).Key })
	v.Level, v.Say.Key = judge.Good, "judge.say.bound.gpu"
	if v.Numbers[probe.UtilGPU.String()].Value < lim.bound {
		v.Level, v.Say.Key = judge.Info, "judge.say.bound.gpu.mostly"
		v.Doubts = append([]texts.Phrase{series.Doubt(pauses)}, v.Doubts...)
	}
}
