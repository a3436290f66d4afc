package tenant

import (
	"math"
	"slices"

	"rentgen/app/guide"
	"rentgen/assets/texts"
)

// Resource is what others may take a part of.
type Resource string

// The resources.
const (
	Card Resource = "gpu"
	CPU  Resource = "cpu"
	Disk Resource = "disk"
	Net  Resource = "net"
)

// Resources returns the resources in their order.
func Resources() []Resource { return []Resource{Card, CPU, Disk, Net} }

// Level says how much of others is seen.
type Level string

// The levels. Unknown stands for too few readings or none.
const (
	Unknown Level = "unknown"
	Quiet   Level = "quiet"
	Maybe   Level = "maybe"
	Some    Level = "some"
	Clear   Level = "clear"
)

// Finding is what the readings say of one resource.
type Finding struct {
	Resource Resource
	Level    Level
	// Confidence is how sure the level is, 0 to 1. It counts readings that follow
	// each other alike as fewer, and is held down where processes are hidden.
	Confidence float64
	Readings   int
	Share      float64 // of the readings that show others; 0 where Level is Unknown
	// Usual and Worst are the median and the 95th percentile: % of the card, ms of
	// the small piece of work. NaN where nothing was read.
	Usual, Worst float64
	Says         texts.Phrase
}

// Result is what a test says.
type Result struct {
	Verdict  guide.Verdict
	Sentence texts.Phrase
	Findings []Finding
	// Own says that something of the user's was running, so that the card says
	// nothing about others.
	Own bool
}

// Judge says what a test's readings mean. The same readings give the same result.
func Judge(rs []Reading) Result {
	var res Result
	for _, r := range rs {
		res.Own = res.Own || r.Own != nil && *r.Own > 0
	}
	res.Findings = []Finding{card(rs, res.Own), cpu(rs), disk(rs), network(rs)}
	worst := Unknown
	var names []Finding
	known := 0
	for _, f := range res.Findings {
		if f.Level != Unknown {
			known++
		}
		if seen(f.Level) {
			names = append(names, f)
		}
		if slices.Index(order, f.Level) > slices.Index(order, worst) {
			worst = f.Level
		}
	}
	switch worst {
	case Unknown:
		res.Verdict, res.Sentence = guide.Warn, texts.P("tenant.unknown", "n", len(rs))
	case Quiet:
		res.Verdict, res.Sentence = guide.Pass, texts.P("tenant.quiet", "n", known)
	case Maybe:
		res.Verdict, res.Sentence = guide.Warn, texts.P("tenant.maybe")
	default:
		slices.SortStableFunc(names, func(a, b Finding) int {
			return slices.Index(order, b.Level) - slices.Index(order, a.Level)
		})
		what := texts.P("tenant.resource." + string(names[0].Resource))
		res.Verdict, res.Sentence = guide.Warn, texts.P("tenant.seen.one", "what", what)
		if len(names) > 1 {
			res.Sentence = texts.P("tenant.seen.more", "what", what, "n", len(names))
		}
	}
	return res
}

// order is from nothing known to the worst.
var order = []Level{Unknown, Quiet, Maybe, Some, Clear}

func seen(l Level) bool { return l == Some || l == Clear }

// card looks at load and VRAM that are not ours. With own processes running it
// knows nothing.
func card(rs []Reading, own bool) Finding {
	f := Finding{Resource: Card, Usual: math.NaN(), Worst: math.NaN()}
	var util []float64
	var busy []bool
	hidden := false
	base := map[int]float64{} // VRAM in use at the first reading
	for _, r := range rs {
		hit, any := false, false
		most := 0.0
		for i, g := range r.GPUs {
			if g.Util != nil {
				any = true
				most = max(most, *g.Util)
				hit = hit || *g.Util >= guide.Threshold("gpu.query.util-idle")
			}
			if g.UsedMiB != nil {
				any = true
				b, ok := base[i]
				if !ok {
					base[i] = *g.UsedMiB
				}
				hit = hit || ok && math.Abs(*g.UsedMiB-b) > guide.Threshold("gpu.query.mem-moves")
			}
		}
		if !any {
			continue
		}
		util, busy = append(util, most), append(busy, hit)
		hidden = hidden || r.Own == nil
	}
	f.Usual, f.Worst = quantile(util, 0.5), quantile(util, 0.95)
	if own {
		f.Readings, f.Level, f.Says = len(util), Unknown, texts.P("tenant.gpu.own")
		return f
	}
	f.weigh(busy)
	if hidden {
		// Without a list nobody can tell others from a process of ours.
		f.Confidence = min(f.Confidence, 0.8)
		if seen(f.Level) && f.Confidence < guide.Threshold("tenant.sure") {
			f.Level = Maybe
		}
		// Nothing of ours is known to run, and a load as clear as that is no rest
		// of an earlier job.
		if f.Level == Maybe && f.Share >= guide.Threshold("tenant.clear") && f.Usual >= guide.Threshold("gpu.query.util-others") {
			f.Level = Some
		}
	}
	f.say("used", percent(f.Usual), "worst", percent(f.Worst))
	return f
}

func cpu(rs []Reading) Finding {
	f := Finding{Resource: CPU}
	work := each(rs, func(r Reading) *float64 { return r.CPUWorkMs })
	slow := slower(work, guide.Threshold("tenant.cpu-slow"), 0)
	// Where the host says what it took away, that counts as well.
	i := 0
	for _, r := range rs {
		if r.CPUWorkMs == nil {
			continue
		}
		slow[i] = slow[i] || r.StealPct != nil && *r.StealPct >= guide.Threshold("tenant.steal")
		i++
	}
	f.Usual, f.Worst = quantile(work, 0.5), quantile(work, 0.95)
	f.weigh(slow)
	others := each(rs, func(r Reading) *float64 { return r.OthersCores })
	f.say("usual", ms(f.Usual), "worst", ms(f.Worst))
	if used := quantile(others, 0.5); used >= 0.05 && f.Level != Unknown { // NaN is not
		f.Says = texts.P("tenant.cpu.others", "says", f.Says, "cores", texts.Number(used, 1))
	}
	return f
}

func disk(rs []Reading) Finding {
	f := Finding{Resource: Disk}
	work := each(rs, func(r Reading) *float64 { return r.DiskWorkMs })
	f.Usual, f.Worst = quantile(work, 0.5), quantile(work, 0.95)
	f.weigh(slower(work, guide.Threshold("tenant.disk-slow"), guide.Threshold("tenant.disk-ms")))
	f.say("usual", ms(f.Usual), "worst", ms(f.Worst))
	return f
}

func network(rs []Reading) Finding {
	f := Finding{Resource: Net}
	rtt := each(rs, func(r Reading) *float64 { return r.NetRTTMs })
	slow := slower(rtt, guide.Threshold("tenant.net-slow"), guide.Threshold("tenant.net-ms"))
	if len(rtt) > 0 { // a target that never answers says nothing
		for _, r := range rs {
			if r.NetLost {
				slow = append(slow, true)
			}
		}
	}
	f.Usual, f.Worst = quantile(rtt, 0.5), quantile(rtt, 0.95)
	f.weigh(slow)
	f.say("usual", ms(f.Usual), "worst", ms(f.Worst))
	return f
}

// slower says of each time whether it is as many times the usual undisturbed
// time, the 10th percentile, and at least so many ms beyond it.
func slower(v []float64, times, beyond float64) []bool {
	base := quantile(v, 0.1)
	out := make([]bool, len(v))
	for i, x := range v {
		out[i] = x >= base*times && x >= base+beyond
	}
	return out
}

// weigh fills level and confidence from one answer a reading. The share of
// readings with others is compared with a threshold; how sure that is follows
// from the Agresti-Coull interval of a share, with the number of readings
// lowered by how alike neighbours are: n(1-r)/(1+r), r their correlation.
func (f *Finding) weigh(busy []bool) {
	n := len(busy)
	f.Readings = n
	f.Level = Unknown
	if float64(n) < guide.Threshold("tenant.readings") {
		return
	}
	k := 0
	for _, b := range busy {
		if b {
			k++
		}
	}
	f.Share = float64(k) / float64(n)
	r := alike(busy)
	eff := math.Max(1, float64(n)*(1-r)/(1+r)) + 4
	p := (f.Share*(eff-4) + 2) / eff
	cut := guide.Threshold("tenant.share")
	z := (p - cut) / math.Sqrt(p*(1-p)/eff)
	above := 0.5 * math.Erfc(-z/math.Sqrt2) // that the true share lies above the cut
	switch {
	case f.Share >= guide.Threshold("tenant.clear") && above >= guide.Threshold("tenant.sure"):
		f.Level, f.Confidence = Clear, above
	case f.Share > cut && above >= guide.Threshold("tenant.sure"):
		f.Level, f.Confidence = Some, above
	case f.Share > cut:
		f.Level, f.Confidence = Maybe, above
	case above <= 0.5:
		f.Level, f.Confidence = Quiet, 1-above
	default: // few readings: the interval reaches over the cut though none was busy
		f.Level, f.Confidence = Unknown, 0
	}
}

// alike is the correlation of each answer with the next, 0 to 0.9.
func alike(busy []bool) float64 {
	n := len(busy)
	mean := 0.0
	at := func(i int) float64 {
		if busy[i] {
			return 1
		}
		return 0
	}
	for i := range busy {
		mean += at(i) / float64(n)
	}
	var same, all float64
	for i := range busy {
		d := at(i) - mean
		all += d * d
		if i > 0 {
			same += d * (at(i-1) - mean)
		}
	}
	if all == 0 {
		return 0
	}
	return math.Min(0.9, math.Max(0, same/all))
}

func (f *Finding) say(args ...any) {
	if f.Level == Unknown {
		if f.Readings == 0 {
			f.Says = texts.P("tenant." + string(f.Resource) + ".none")
		} else {
			f.Says = texts.P("tenant.few", "n", f.Readings)
		}
		return
	}
	f.Says = texts.P("tenant."+string(f.Resource)+"."+string(f.Level), args...)
}

func ms(v float64) string {
	if math.IsNaN(v) {
		return texts.Dash
	}
	decimals := 0
	if v < 10 {
		decimals = 1
	}
	return texts.WithUnit(texts.Number(v, decimals), "ms")
}

func percent(v float64) string {
	if math.IsNaN(v) {
		return texts.Dash
	}
	return texts.Percent(v)
}

func each(rs []Reading, get func(Reading) *float64) []float64 {
	var v []float64
	for _, r := range rs {
		if x := get(r); x != nil {
			v = append(v, *x)
		}
	}
	return v
}

// quantile returns the value below which a share of v lies, NaN of none.
func quantile(v []float64, share float64) float64 {
	if len(v) == 0 {
		return math.NaN()
	}
	s := slices.Sorted(slices.Values(v))
	return s[int(math.Round(share*float64(len(s)-1)))]
}
