// Package others says whether somebody else uses the card or the machine. What
// none of our programs explains is told with the confidence that hidden
// processes allow; no process that can't be seen is named.
package others

import (
	"math"

	"rentgen/app/judge"
	"rentgen/app/judge/series"
	"rentgen/assets/texts"
	"rentgen/probe"
)

// Rules are the rules of this room.
func Rules() []series.Rule {
	return []series.Rule{
		{
			Name: "others/card", Windows: true, Kinds: []series.Kind{series.Busy, series.Loading, series.Idle},
			Tally: func() series.Tally { return &tally{} }, Judge: card,
		},
		{
			Name: "others/machine", Windows: true, Machine: true, Kinds: []series.Kind{series.Busy, series.Loading, series.Idle},
			Judge: cores,
		},
		{
			// On a card's track, since the phases that it is compared with are the card's.
			Name: "others/disk", Windows: true, Kinds: []series.Kind{series.Loading}, Judge: disk,
		},
	}
}

var lim = struct{ vram, vramShare, util, most, psiCPU, cpu, psiIO, held, fall float64 }{
	series.Limit("others.vram"), series.Limit("others.vram-share"), series.Limit("others.util"), series.Limit("others.most"),
	series.Limit("others.psi-cpu"), series.Limit("others.cpu"), series.Limit("slow.psi-io"), series.Limit("slow.held"), series.Limit("others.fall"),
}

// leastSeconds is a span of which an old count covers less than most.
const leastSeconds = 45

// tally counts the seconds in which something of the card isn't explained by us.
type tally struct {
	seconds int
	clients int // seconds with a count of our programs that hold a card
	nobody  int // of those, in which it is none
	listed  int // seconds with a list of processes
	seen    int // of those, in which one of ours is on it
	all     int // of those, in which every one of ours is listed on some card
	foreign int // of those, with more processes listed than we have

	mem     int     // seconds with more VRAM in use than ours and the driver explain
	memSum  float64 // MiB, of it
	work    int     // seconds with work that ours don't explain
	workSum float64
}

// Add counts a second in.
func (t *tally) Add(s *series.Second) {
	t.seconds++
	clients, own, other := s.V(probe.GPUClients), s.V(probe.OwnProcs), s.V(probe.OtherProcs)
	nobody := clients == 0 && !(own > 0)
	if !math.IsNaN(clients) {
		t.clients++
		if nobody {
			t.nobody++
		}
	}
	// As many of ours on all cards together as hold one means that none of them
	// is hidden. One that works on several cards counts with each: where some
	// are seen, all of a login mostly are.
	all := false
	if !math.IsNaN(own) {
		t.listed++
		if own > 0 {
			t.seen++
		}
		if all = clients > 0 && onAll(s) >= clients; all {
			t.all++
		}
		if !math.IsNaN(clients) && other > 0 && own+other > clients {
			t.foreign++
		}
	}
	used, ownMem := s.V(probe.MemUsed), s.V(probe.OwnMem)
	rest := math.NaN()
	switch {
	case nobody || all && own == 0:
		rest = used
	case own > 0:
		rest = used - ownMem
	}
	if rest >= least(s.V(probe.MemTotal)) {
		t.mem, t.memSum = t.mem+1, t.memSum+rest
	}
	util, ownUtil := s.V(probe.UtilGPU), s.V(probe.OwnUtil)
	switch {
	case math.IsNaN(util):
	case nobody || all && own == 0:
		t.work, t.workSum = t.work+1, t.workSum+util
	case all && ownUtil == 0: // of a share above 0 nothing can be told: the two are measured over other spans
		t.work, t.workSum = t.work+1, t.workSum+util
	}
}

// onAll is how many of our programs are listed on all cards together.
func onAll(s *series.Second) float64 {
	n := 0.0
	for _, p := range s.Cards {
		if own := p.V(probe.OwnProcs); !math.IsNaN(own) {
			n += own
		}
	}
	return n
}

// most reports whether something held in most of the seconds.
func (t *tally) most(n int) bool { return t.seconds > 0 && float64(n) >= lim.most*float64(t.seconds) }

// card finds VRAM and work of the card that none of our programs explains.
func card(c *series.Case) []judge.Verdict {
	t, ok := c.Tally.(*tally)
	if !ok || c.Device.Parent != "" || c.Device.MIG == "on" || c.Device.Virtual {
		return nil // a slice is nobody else's, and a virtual card counts its own
	}
	mem, util := math.NaN(), math.NaN()
	total := math.NaN()
	if c.Has(probe.MemTotal) {
		total = c.Dist(probe.MemTotal).Mean()
	}
	// A list of processes and a count of them are seconds old: what grows within
	// the minute may be ours.
	d := c.Dist(probe.MemUsed)
	grows := d.N() > 0 && d.Quantile(0.95)-d.Quantile(0.05) >= lim.vram
	if t.mem > 0 {
		mem = t.memSum/float64(t.mem) - reserved(c)
	}
	if t.work > 0 {
		util = t.workSum / float64(t.work)
	}
	byMem := t.most(t.mem) && mem >= least(total)
	byWork := t.most(t.work) && util >= lim.util
	if c.Kind == series.Loading && grows {
		byMem = false
	}
	if !byMem && !byWork {
		return nil
	}
	f := series.Finding{Kind: judge.NeighbourGPU, Level: judge.Warn, Next: next(c, "neighbour.gpu"), Numbers: map[string]judge.Number{}}
	switch {
	case t.most(t.nobody):
		// The count is up to half a minute old: a program of ours that has just
		// begun isn't in it, but its VRAM has grown.
		if c.Seconds < leastSeconds || grows {
			return nil
		}
		f.Confidence = 0.95
		if !byWork && mem < 2*least(total) { // what a crashed program left behind is freed late
			f.Confidence = 0.75
			f.Doubts = append(f.Doubts, series.Doubt("left-behind"))
		}
	case t.most(t.all):
		f.Confidence = 0.8
		if byWork && !byMem {
			f.Confidence = 0.6
			f.Doubts = append(f.Doubts, series.Doubt("own-work-zero"))
		}
	case t.most(t.foreign) && t.most(t.seen):
		f.Confidence = 0.65
		f.Doubts = append(f.Doubts, series.Doubt("some-hidden"))
	case t.most(t.seen):
		f.Confidence, f.Level = 0.4, judge.Info
		f.Doubts = append(f.Doubts, series.Doubt("some-hidden"))
	default:
		return nil
	}
	switch {
	case byMem && byWork:
		f.Say = "neighbour.gpu"
	case byMem:
		f.Say = "neighbour.gpu.vram"
	default:
		f.Say = "neighbour.gpu.work"
	}
	if f.Confidence < 0.7 && c.Setting.Track != "dedicated" {
		f.Say += ".maybe"
	}
	if f.Confidence < 0.5 {
		f.Next = "" // too little to act on
	}
	if byMem {
		f.Numbers["unexplained_mib"] = judge.Number{Value: math.Round(mem), Unit: "MiB"}
	}
	if byWork {
		f.Numbers["unexplained_pct"] = judge.Number{Value: math.Round(util), Unit: "%"}
	}
	if t.clients > 0 {
		f.Numbers["gpu_clients"] = judge.Number{Value: math.Round(c.Stat(probe.GPUClients).Mean)}
	}
	if c.Setting.Track == "dedicated" {
		f.Say += ".dedicated"
		f.Level = judge.Info
		f.Doubts = append(f.Doubts, series.Doubt("own-machine"))
		f.Confidence = min(f.Confidence, 0.7)
	}
	return []judge.Verdict{c.Verdict("others/card", f)}
}

// reserved is what the driver keeps for itself where that is counted as used:
// the older call of NVML does so (github.com/rust-nvml/nvml-wrapper#57), and
// mostly doesn't say how much; an A100 keeps 900 MiB.
func reserved(c *series.Case) float64 {
	switch {
	case c.Device.MemSource != "v1":
		return 0
	case c.Has(probe.MemReserved):
		return c.Dist(probe.MemReserved).Mean()
	}
	return 900
}

// least is the VRAM that is more than a driver and its contexts, of a card with
// so much in total; NaN where that isn't known.
func least(total float64) float64 {
	if math.IsNaN(total) {
		return lim.vram
	}
	return max(lim.vram, lim.vramShare*total)
}

func next(c *series.Case, key string) string {
	switch c.Setting.Track {
	case "shared", "dedicated":
		return key + "." + c.Setting.Track
	}
	return key
}

// cores finds programs of ours that wait for a core which others use: there is
// pressure, no quota of our own stops us, and the machine's cores are all busy.
func cores(c *series.Case) []judge.Verdict {
	mean := func(m probe.Metric) float64 {
		if !c.Has(m) {
			return math.NaN()
		}
		return c.Dist(m).Mean()
	}
	psi, all, held := mean(probe.PSICPU), mean(probe.CPU), mean(probe.CPUThrottled)
	if !(psi >= lim.psiCPU) || !(all >= lim.cpu) || held >= lim.held/4 {
		return nil
	}
	f := series.Finding{
		Kind: judge.NeighbourHost, Level: judge.Warn, Confidence: 0.55, Next: next(c, "neighbour.host"), Say: "neighbour.host",
		Numbers: map[string]judge.Number{"psi_cpu_pct": {Value: math.Round(psi), Unit: "%"}, "cpu_pct": {Value: math.Round(all), Unit: "%"}},
	}
	quota := mean(probe.CPUQuota)
	switch {
	case c.Setting.Track == "dedicated":
		f.Say, f.Level, f.Confidence = "neighbour.host.dedicated", judge.Info, 0.5
		f.Doubts = append(f.Doubts, series.Doubt("own-machine"))
	case quota > 0: // a part of the machine is ours, and all of it is busy
		f.Confidence = 0.75
	default:
		f.Doubts = append(f.Doubts, series.Doubt("own-share-unknown"))
	}
	return []judge.Verdict{c.Verdict("others/machine", f)}
}

// disk finds a load that is slower than earlier ones of this recording, or of
// the user's own on this card, while programs stand still for the disk: the same
// is asked for and less comes.
func disk(c *series.Case) []judge.Verdict {
	if !c.Has(probe.DiskRead) || !c.Has(probe.PSIIO) {
		return nil
	}
	now, psi := c.Dist(probe.DiskRead).Mean(), c.Dist(probe.PSIIO).Mean()
	if psi < lim.psiIO || now <= 0 {
		return nil
	}
	then := reached(c)
	if !(then >= leastRead) || now > lim.fall*then {
		return nil
	}
	f := series.Finding{
		Kind: judge.NeighbourHost, Level: judge.Warn, Confidence: 0.55, Next: next(c, "neighbour.host"), Say: "neighbour.host.disk",
		Numbers: map[string]judge.Number{
			"disk_read_mb_s": {Value: math.Round(now), Unit: "MB/s"}, "disk_then_mb_s": {Value: math.Round(then), Unit: "MB/s"},
			"psi_io_pct": {Value: math.Round(psi), Unit: "%"},
		},
		Doubts: []texts.Phrase{series.Doubt("cache")},
	}
	if c.Setting.Track == "dedicated" {
		f.Say, f.Level, f.Confidence = "neighbour.host.disk.dedicated", judge.Info, 0.5
		f.Doubts = append(f.Doubts, series.Doubt("own-machine"))
	}
	return []judge.Verdict{c.Verdict("others/disk", f)}
}

// leastRead is a rate, MB/s, that only a model or data in earnest reaches.
const leastRead = 100

// reached is the rate at which this disk was read before: by the same load a
// minute ago, else in phases on this card; NaN for never.
func reached(c *series.Case) float64 {
	then := math.NaN()
	take := func(v float64, n int) {
		if n > 0 && !(v <= then) {
			then = v
		}
	}
	if w := c.Whole; w != nil && w.Seconds >= 20 {
		if d := w.Dist(probe.DiskRead); d != nil {
			take(d.Quantile(0.5), d.N())
		}
	}
	for _, list := range [][]judge.Phase{c.Past, c.Setting.Earlier} {
		for _, p := range list {
			if p.GPU == c.GPU {
				st := p.Stats[probe.DiskRead.String()]
				take(st.P95, st.N)
			}
		}
	}
	return then
}
