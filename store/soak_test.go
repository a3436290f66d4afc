package store

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"testing"
	"time"

	"rentgen/app/judge/court"
	"rentgen/probe"
)

// soaked are cards at work as a stream brings them: ten ticks a second, the
// machine at whole seconds.
type soaked struct {
	traces [8]*monthTrace
	base   [8]probe.GPU
	r      *rand.Rand
	seq    uint64
}

func newSoaked() *soaked {
	s := &soaked{r: rand.New(rand.NewPCG(1, 9))}
	for i := range s.traces {
		s.traces[i] = &monthTrace{r: rand.New(rand.NewPCG(7, uint64(i))), bands: true, temp: 45, tempMem: 50}
	}
	return s
}

func (s *soaked) tick(at time.Time, whole bool) *probe.Sample {
	s.seq++
	out := &probe.Sample{Seq: s.seq, Time: at, HostTime: at, GPUs: make([]probe.GPU, len(s.traces))}
	for i, t := range s.traces {
		if whole {
			g := probe.GPU{Index: i, UUID: fmt.Sprintf("GPU-%d", i), Name: "NVIDIA A100"}
			for m := range g.Values {
				g.Values[m] = probe.Missing(probe.Unsupported, "[N/A]")
			}
			t.next(func(m probe.Metric, v, lo, hi float64) {
				g.Values[m] = probe.Of(v)
				if lo != hi {
					g.Spreads = append(g.Spreads, probe.Spread{Metric: m, Min: lo, Max: hi, N: 20})
				}
			})
			s.base[i] = g
		}
		out.GPUs[i] = s.base[i]
		w := s.base[i].Values[probe.Power].Num
		out.GPUs[i].Values[probe.Power] = probe.Of(w + s.r.NormFloat64())
	}
	if whole {
		out.System = &probe.System{}
		out.System.Set(probe.CPU, probe.Of(float64(s.r.IntN(30))))
		out.System.Set(probe.DiskRead, probe.Of(s.r.Float64()*40))
	}
	return out
}

func (s *soaked) inventory() *probe.Inventory {
	inv := &probe.Inventory{Time: hourZero, Source: probe.SourceAgent, Agent: "soak", Mode: probe.ModeGPU, Run: probe.Run{BootID: "b", Init: hourZero.Add(-time.Hour)}}
	for i := range s.traces {
		inv.GPUs = append(inv.GPUs, probe.Device{
			Index: i, UUID: fmt.Sprintf("GPU-%d", i), Name: "NVIDIA A100", MemTotal: probe.Of(81559),
			PowerCap: probe.Of(400), PowerDefault: probe.Of(400), PowerMax: probe.Of(400), ClockMaxSM: probe.Of(1980),
		})
	}
	return inv
}

// heap is what is in use after a collection, in MiB.
func heap() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) / (1 << 20)
}

// TestSoak plays a day, or three hours without RENTGEN_BENCH, of eight
// cards at ten ticks a second into the history and the court, as fast as it goes.
// No second may be missing, and what is in memory may not grow with time.
func TestSoak(t *testing.T) {
	span := 3 * time.Hour
	if os.Getenv("RENTGEN_BENCH") != "" {
		span = 24 * time.Hour
	}
	if testing.Short() {
		span = 10 * time.Minute
	}
	s := open(t, t.TempDir())
	rec, err := s.StartRecording(t.Context(), RecordingStart{HostID: "h1", HostName: "soak", Source: probe.SourceAgent})
	if err != nil {
		t.Fatal(err)
	}
	sitting := court.New(court.Params{})
	cards := newSoaked()
	began := time.Now()
	tell := func(m probe.Message) {
		rec.Message(m)
		sitting.Add(m)
	}
	tell(cards.inventory())
	seconds := int(span / time.Second)
	early := min(seconds/2, 4200) // by then the first hour is sealed, and whatever has a size has reached it
	first, most := 0.0, 0.0
	for sec := range seconds {
		for k := range 10 {
			tell(cards.tick(hourZero.Add(time.Duration(sec)*time.Second+time.Duration(k)*100*time.Millisecond), k == 0))
		}
		// The history never makes a stream wait; a day in a minute is no stream.
		if sec%300 == 299 {
			if err := rec.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		switch {
		case sec+1 == early:
			first = heap()
		case sec > early && sec%1800 == 1799:
			most = max(most, heap())
		}
	}
	most = max(most, heap())
	sitting.Close()
	if err := rec.Close("stopped"); err != nil {
		t.Fatal(err)
	}
	if rec.Lost() != 0 {
		t.Errorf("%d seconds lost", rec.Lost())
	}
	kept := 0
	for i := range cards.traces {
		out := query(t, s, Query{Recording: rec.ID(), GPU: fmt.Sprintf("GPU-%d", i), Metric: probe.Power, Points: maxPoints})
		for _, p := range out.Points {
			kept += p.N
		}
		if len(out.Points) != seconds {
			t.Errorf("GPU-%d: %d seconds of %d", i, len(out.Points), seconds)
		}
	}
	if want := seconds * len(cards.traces); kept != want {
		t.Errorf("%d card-seconds of %d", kept, want)
	}
	if gaps, err := s.Gaps(t.Context(), Span{Recording: rec.ID()}); err != nil || len(gaps) != 0 {
		t.Errorf("gaps %v, %v", gaps, err)
	}
	t.Logf("%v of 8 cards at 10 Hz in %.0f s: %d of %d card-seconds, heap %.1f MiB after %d s, at most %.1f later, %d verdicts",
		span, time.Since(began).Seconds(), kept, seconds*len(cards.traces), first, early, most, len(sitting.Verdicts()))
	if os.Getenv("RENTGEN_BENCH") != "" {
		figure("store: soak, card-seconds missing", float64(seconds*len(cards.traces)-kept), "", 1)
		figure("store: soak, heap at most", most, "MiB", math.Round(1.5*first+24))
	}
	if most > 1.5*first+24 {
		t.Errorf("heap grew from %.1f to %.1f MiB", first, most)
	}
}
