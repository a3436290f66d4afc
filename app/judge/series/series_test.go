package series

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"rentgen/probe"
)

var start = time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)

// at makes a sample of one card with some metrics set.
func at(sec float64, set map[probe.Metric]float64) *probe.Sample {
	s := &probe.Sample{Time: start.Add(time.Duration(sec * 1e9)), GPUs: []probe.GPU{{UUID: "GPU-a", Name: "NVIDIA GeForce RTX 4090"}}}
	for m, v := range set {
		if m.System() {
			if s.System == nil {
				s.System = &probe.System{}
			}
			s.System.Set(m, probe.Of(v))
			continue
		}
		s.GPUs[0].Set(m, probe.Of(v))
	}
	return s
}

// cut runs a scripted trace of one card through a series; script gives the
// readings of a second, nil for none.
func cut(seconds int, script func(sec int) map[probe.Metric]float64) []*Segment {
	var out []*Segment
	s := New(Params{Closed: func(g *Segment) {
		if !g.Window && g.GPU != "" {
			out = append(out, g)
		}
	}})
	for i := range seconds {
		if set := script(i); set != nil {
			s.Add(at(float64(i), set))
		}
	}
	s.Close()
	return out
}

func shape(list []*Segment) string {
	s := ""
	for _, g := range list {
		s += fmt.Sprintf("%s %d-%d ", g.Kind, g.From.Unix()-start.Unix(), g.To.Unix()-start.Unix())
	}
	return s
}

type set = map[probe.Metric]float64

func work() set  { return set{probe.UtilGPU: 97, probe.Power: 380, probe.MemUsed: 12000} }
func quiet() set { return set{probe.UtilGPU: 0, probe.Power: 28, probe.MemUsed: 12000} }

func TestCut(t *testing.T) {
	for _, c := range []struct {
		name   string
		length int
		script func(int) set
		want   string
	}{
		{"busy all along", 100, func(int) set { return work() }, "busy 0-100 "},
		{"idle all along", 100, func(int) set { return quiet() }, "idle 0-100 "},
		{"pauses between pictures belong to the phase", 120, func(i int) set {
			if i%30 >= 18 {
				return quiet()
			}
			return work()
		}, "busy 0-120 "},
		{"a long pause doesn't", 120, func(i int) set {
			if i >= 40 && i < 80 {
				return quiet()
			}
			return work()
		}, "busy 0-40 idle 40-80 busy 80-120 "},
		{"a blink of work is no phase", 100, func(i int) set {
			if i == 50 {
				return work()
			}
			return quiet()
		}, "idle 0-100 "},
		{"a model is loaded", 120, func(i int) set {
			switch {
			case i < 40:
				return set{probe.UtilGPU: 0, probe.MemUsed: 500, probe.Power: 28}
			case i < 70:
				return set{probe.UtilGPU: 4, probe.MemUsed: 500 + 300*float64(i-39), probe.Power: 70}
			}
			return work()
		}, "idle 0-40 loading 40-70 busy 70-120 "},
		{"a model is loaded from a slow disk", 400, func(i int) set {
			return set{probe.UtilGPU: 0, probe.MemUsed: 500 + 10*float64(i), probe.Power: 40, probe.DiskRead: 12, probe.GPUClients: 1}
		}, "loading 0-400 "},
		{"others read the machine's disks", 500, func(i int) set {
			s := quiet()
			s[probe.DiskRead], s[probe.GPUClients] = 300, 1
			return s
		}, "loading 0-301 idle 301-500 "},
		{"others read, and none of ours has the card", 100, func(i int) set {
			s := quiet()
			s[probe.DiskRead], s[probe.GPUClients] = 300, 0
			return s
		}, "idle 0-100 "},
		{"a short loss of the link", 100, func(i int) set {
			if i >= 50 && i < 58 {
				return nil
			}
			return work()
		}, "busy 0-100 "},
		{"a long loss of the link", 100, func(i int) set {
			if i >= 50 && i < 75 {
				return nil
			}
			return work()
		}, "busy 0-50 gap 50-75 busy 75-100 "},
		{"nothing can be read", 60, func(int) set { return set{} }, "unread 0-60 "},
		{"power stands in for utilisation", 120, func(i int) set {
			w := 28.0
			if i >= 60 {
				w = 300
			}
			return set{probe.Power: w, probe.PowerCap: 450}
		}, "idle 0-60 busy 60-120 "},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := shape(cut(c.length, c.script)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestSliceIsNotJudgedByItsCardsPower(t *testing.T) {
	s := New(Params{})
	s.Add(&probe.Inventory{GPUs: []probe.Device{{UUID: "GPU-a", Parent: "GPU-p", Profile: "1g.10gb"}}})
	for i := range 30 {
		s.Add(at(float64(i), set{probe.Power: 400, probe.PowerCap: 400}))
	}
	for _, g := range s.Open() {
		if g.Kind != Unread {
			t.Errorf("%q is %s", g.GPU, g.Kind)
		}
	}
}

func TestGapHasItsReason(t *testing.T) {
	var gap *Segment
	s := New(Params{Closed: func(g *Segment) {
		if g.Kind == Gap && g.GPU != "" {
			gap = g
		}
	}})
	s.Add(at(0, work()))
	s.Add(&probe.Gap{From: start.Add(time.Second), To: start.Add(99 * time.Second), Reason: probe.GapLink})
	s.Add(at(100, work()))
	if gap == nil || gap.Reason != probe.GapLink {
		t.Errorf("got %+v", gap)
	}
}

// TestSecondsAreTheStores compares ten readings of a second with their one
// second as history gives it: the mean in steps, last of a level, OR of a mask.
func TestSecondsAreTheStores(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var got []Cell
	see := func(s *Second) {
		if s.Card != nil {
			got = append(got, s.Cell(probe.Power), s.Cell(probe.PState), s.Cell(probe.EventReasons), s.Cell(probe.Energy))
		}
		if s.Card == nil && s.Host != nil {
			got = append(got, s.Cell(probe.DiskRead))
		}
	}
	live := New(Params{Second: see})
	var stored []probe.Message
	for sec := range 50 {
		sum, lo, hi, or := 0.0, math.Inf(1), math.Inf(-1), uint64(0)
		var last float64
		least, most := 9.0, 0.0
		for k := range 10 {
			p := 300 + 40*r.NormFloat64()
			bits := uint64(1) << r.IntN(9)
			last = float64(r.IntN(9))
			energy, disk := float64(1e6+100*sec+k), math.Round(r.Float64()*1e4)/1e3
			least, most = min(least, last), max(most, last)
			m := at(float64(sec)+float64(k)/10, set{probe.Power: p, probe.PState: last, probe.EventReasons: float64(bits), probe.Energy: energy})
			if k == 0 {
				m.System = &probe.System{}
				m.System.Set(probe.DiskRead, probe.Of(disk))
			}
			sum, lo, hi, or = sum+p, min(lo, p), max(hi, p), or|bits
			live.Add(m)
		}
		one := at(float64(sec), set{probe.Power: math.Round(sum / 10), probe.PState: last, probe.EventReasons: float64(or), probe.Energy: float64(1e6 + 100*sec + 9)})
		one.GPUs[0].Spreads = []probe.Spread{{Metric: probe.Power, Min: math.Round(lo), Max: math.Round(hi), N: 2}, {Metric: probe.PState, Min: least, Max: most, N: 2}}
		stored = append(stored, one)
	}
	live.Close()
	var a, b []Cell
	for i, c := range got {
		if i%5 != 4 {
			a = append(a, c)
		}
	}
	got = nil
	again := New(Params{Second: see})
	for _, m := range stored {
		again.Add(m)
	}
	again.Close()
	b = got
	if !slices.Equal(a, b) || len(b) != 200 {
		t.Errorf("%d and %d cells differ:\n%v\n%v", len(a), len(b), a[:8], b[:8])
	}
}

func TestRoundingOfTenths(t *testing.T) {
	var got Cell
	s := New(Params{Second: func(s *Second) { got = s.Cell(probe.DiskRead) }})
	s.Add(at(0, set{probe.DiskRead: 1.234}))
	s.Close()
	if got.V != 1.2 || got.Lo != 1.2 || got.Hi != 1.2 {
		t.Errorf("got %+v", got)
	}
}

func TestWindowsAddUpToTheirPhase(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	sum := newTrack(New(Params{}), "x").newSegment(Busy, 0, false)
	var whole *Segment
	s := New(Params{Closed: func(g *Segment) {
		switch {
		case g.GPU == "":
		case g.Window:
			if g.Whole == nil {
				t.Error("a window without its phase")
			}
			sum.merge(g)
		default:
			whole = g
		}
	}})
	var all []float64
	for i := range 600 {
		v := work()
		v[probe.Power] = math.Round(300 + 30*r.NormFloat64())
		all = append(all, v[probe.Power])
		s.Add(at(float64(i), v))
	}
	s.Close()
	st := whole.Stat(probe.Power)
	mean, sq := 0.0, 0.0
	for _, x := range all {
		mean += x / 600
	}
	for _, x := range all {
		sq += (x - mean) * (x - mean) / 600
	}
	slices.Sort(all)
	if st.N != 600 || math.Abs(st.Mean-mean) > 1e-6 || math.Abs(st.SD-math.Sqrt(sq)) > 1e-6 {
		t.Errorf("got %+v, want mean %g and SD %g", st, mean, math.Sqrt(sq))
	}
	for _, q := range []struct{ got, want float64 }{{st.P05, all[29]}, {st.P50, all[299]}, {st.P95, all[569]}, {st.Peak, all[599]}} {
		if math.Abs(q.got-q.want) > 0.009*q.want {
			t.Errorf("percentile %g, want %g", q.got, q.want)
		}
	}
	if sum.Stat(probe.Power) != st {
		t.Errorf("windows give %+v, the phase %+v", sum.Stat(probe.Power), st)
	}
}

func TestAskingChangesNothing(t *testing.T) {
	run := func(ask bool) string {
		out := ""
		s := New(Params{Closed: func(g *Segment) { out += fmt.Sprint(g.GPU, g.Kind, g.From, g.To, g.Stat(probe.Power), g.BestClock) }})
		for i := range 300 {
			v := work()
			if i%100 > 70 {
				v = quiet()
			}
			v[probe.ClockSM] = float64(2500 + i%7)
			s.Add(at(float64(i), v))
			if ask {
				for _, g := range s.Open() {
					_ = g.Stat(probe.Power)
				}
			}
		}
		s.Close()
		return out
	}
	if a, b := run(false), run(true); a != b {
		t.Errorf("asked:\n%s\nnot asked:\n%s", b, a)
	}
}

func TestClockSetBack(t *testing.T) {
	n := 0
	s := New(Params{Second: func(s *Second) {
		if s.Card != nil {
			n++
		}
	}})
	for i := range 50 {
		s.Add(at(float64(1000000+i), work()))
	}
	for i := range 100 {
		s.Add(at(float64(i), work()))
	}
	s.Close()
	if want := 50 + 100 - maxLate; n != want {
		t.Errorf("%d seconds, want %d", n, want)
	}
}

func TestDist(t *testing.T) {
	for x := range 256 {
		if x > 0 && valueOf(binOf(float64(x))) != float64(x) {
			t.Errorf("%d reads %g", x, valueOf(binOf(float64(x))))
		}
	}
	r := rand.New(rand.NewPCG(5, 6))
	for range 10000 {
		x := math.Exp(r.Float64()*20 - 2)
		if got := valueOf(binOf(x)); math.Abs(got-x) > 0.0079*x {
			t.Fatalf("%g reads %g", x, got)
		}
	}
	var d Dist
	if d.Stat().N != 0 || !math.IsNaN(d.Quantile(0.5)) || !math.IsNaN(d.Mean()) || d.Above(1) != 0 {
		t.Error("an empty distribution has values")
	}
	for _, x := range []float64{math.NaN(), math.Inf(1), -5, 0, 1e12, 3} {
		d.Add(x)
	}
	if d.N() != 4 || d.Quantile(0) != -5 || d.Quantile(1) != 1e12 || d.Above(3) != 0.5 {
		t.Errorf("got %+v", d.Stat())
	}
}

func TestLimitsHaveSources(t *testing.T) {
	seen := map[string]bool{}
	for _, b := range Limits() {
		if seen[b.ID] || b.Source == "" || b.Mark != "rule" && b.Mark != "proposal" {
			t.Errorf("row %+v", b)
		}
		if _, err := time.Parse(time.DateOnly, b.Date); err != nil {
			t.Errorf("%s: %v", b.ID, err)
		}
		seen[b.ID] = true
	}
}

// BenchmarkMonth counts a month of one card's seconds through.
func BenchmarkMonth(b *testing.B) {
	r := rand.New(rand.NewPCG(7, 8))
	ms := make([]*probe.Sample, 4096)
	for i := range ms {
		v := work()
		for k, m := range slices.Concat(probe.GPUMetrics()[:23], probe.SystemMetrics()) {
			if _, ok := v[m]; !ok {
				v[m] = float64(20*k) + 10*r.NormFloat64()
			}
		}
		ms[i] = at(0, v)
	}
	for b.Loop() {
		s := New(Params{})
		for i := range 30 * 86400 {
			m := ms[i%len(ms)]
			m.Time = start.Add(time.Duration(i) * time.Second)
			s.Add(m)
		}
		s.Close()
	}
}
