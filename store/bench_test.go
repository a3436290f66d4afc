package store

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"rentgen/probe"
	"rentgen/store/column"
)

// The month of the figures: 30 days of 8 cards at one reading a second, each
// with all card metrics. The traces are painting jobs of 5 to 90 minutes with
// pauses of 1 to 20 minutes between them; all noise is normal:
//
//   - utilisation 97 % ± 3 cut at 100, memory utilisation 55 % ± 6, power 330 W
//     ± 12, idle 62 W ± 1; half of that from second to second, the rest within it
//   - energy adds the power up, in J
//   - SM clock in steps of 15 MHz around 1,900 ± 20; temperatures follow power
//     slowly, ± 0.5 °C; memory clock, limits, P-state and link steady
//   - VRAM in steps; PCIe 40 ± 15 and 90 ± 30 MB/s, and for the first 20 s of a
//     job 3,000 ± 700 while the model is loaded; slowed by power in 20 % of seconds
//   - encoder and decoder 0, ECC counters still, fan and NVLink unsupported
//
// With bands, utilisation, memory utilisation and power are the mean, the least
// and the greatest of 20 readings a second from the driver's buffer; without, a
// second is a single reading, as through nvidia-smi. Five days are made and
// stand six times one after the other; nothing in the store looks for that.
type monthTrace struct {
	r                    *rand.Rand
	bands                bool
	left, job            int
	busy                 bool
	temp, tempMem, joule float64
	mem                  float64
}

func (t *monthTrace) normal(mean, dev float64) float64 { return mean + dev*t.r.NormFloat64() }

// level is a reading around mean whose noise is dev within a second and half of
// that between seconds.
func (t *monthTrace) level(mean, dev float64) float64 {
	within := dev
	if t.bands {
		within = dev / math.Sqrt(20)
	}
	return t.normal(mean, math.Hypot(within, dev/2))
}

func (t *monthTrace) next(set func(m probe.Metric, v, lo, hi float64)) {
	if t.left--; t.left < 0 {
		t.busy = !t.busy
		t.job = 0
		t.left = 60 * (1 + t.r.IntN(20))
		if t.busy {
			t.left = 60 * (5 + t.r.IntN(85))
			t.mem = math.Round(8000 + 14000*t.r.Float64())
		}
	}
	band := func(v, dev, least, most float64) (lo, hi float64) {
		if !t.bands {
			return v, v
		}
		// Of 20 normal readings the extremes lie 1.87 deviations out.
		lo = v - math.Abs(t.normal(1.87, 0.5))*dev
		hi = v + math.Abs(t.normal(1.87, 0.5))*dev
		return max(lo, least), min(hi, most)
	}
	power, util, memUtil, clock, reasons := t.level(62, 1), 0.0, 0.0, 210.0, 1.0
	mem, tx, rx := 480.0, 0.0, 0.0
	if t.busy {
		power = t.level(330, 12)
		util = min(100, t.level(97, 3))
		memUtil = t.level(55, 6)
		clock = 15 * math.Round(t.normal(1900, 20)/15)
		mem = t.mem
		if t.r.IntN(50) == 0 {
			t.mem += float64(2 * t.r.IntN(64))
		}
		tx, rx = max(0, t.normal(40, 15)), max(0, t.normal(90, 30))
		if t.job++; t.job <= 20 {
			rx = t.normal(3000, 700)
		}
		reasons = 0
		if t.r.IntN(5) == 0 {
			reasons = 4
		}
	}
	t.temp += (35 + power/8 - t.temp) / 60
	t.tempMem += (40 + power/7 - t.tempMem) / 90
	t.joule += power
	lo, hi := band(util, 3, 0, 100)
	if !t.busy {
		lo, hi = util, util
	}
	set(probe.UtilGPU, util, lo, hi)
	lo, hi = band(memUtil, 6, 0, 100)
	if !t.busy {
		lo, hi = memUtil, memUtil
	}
	set(probe.UtilMem, memUtil, lo, hi)
	lo, hi = band(power, 12, 0, 450)
	if !t.busy {
		lo, hi = band(power, 1, 0, 450)
	}
	set(probe.Power, power, lo, hi)
	one := func(m probe.Metric, v float64) { set(m, v, v, v) }
	one(probe.Energy, t.joule)
	one(probe.Temp, t.normal(t.temp, 0.5))
	one(probe.TempMem, t.normal(t.tempMem, 0.5))
	one(probe.ClockSM, clock)
	one(probe.ClockMem, 9501)
	one(probe.MemUsed, mem)
	one(probe.MemReserved, 512)
	one(probe.MemTotal, 81559)
	one(probe.PowerCap, 400)
	one(probe.PState, 0)
	one(probe.PCIeGen, 4)
	one(probe.PCIeWidth, 16)
	one(probe.PCIeTx, tx)
	one(probe.PCIeRx, rx)
	one(probe.EventReasons, reasons)
	one(probe.UtilEnc, 0)
	one(probe.UtilDec, 0)
	one(probe.ECCCorrected, 0)
	one(probe.ECCUncorrected, 0)
	one(probe.RetiredPages, 0)
}

const distinctHours = 5 * 24

// buildMonth writes cards x days through the sealed path and returns the
// recording.
func buildMonth(tb testing.TB, s *Store, cards, days int, bands bool, end time.Time) int64 {
	tb.Helper()
	ctx := context.Background()
	o := s.back.(*owner)
	first := end.Add(-time.Duration(days) * 24 * time.Hour).Truncate(time.Hour)
	k, err := o.startRecording(ctx, RecordingStart{HostID: "h1", HostName: "month"})
	if err != nil {
		tb.Fatal(err)
	}
	id := k.id()
	tracks := []track{}
	err = transact(ctx, o.db, func(tx *sql.Tx) error {
		f := flushing{ctx: ctx, tx: tx, t: k.(*tape), tracks: map[string]int64{}, runs: map[*run]int64{}}
		for i := range cards {
			uuid := fmt.Sprintf("GPU-%d", i)
			n, err := f.addTrack(probe.Device{Index: i, UUID: uuid, Name: "NVIDIA A100"})
			if err != nil {
				return err
			}
			tracks = append(tracks, track{n, uuid})
		}
		if _, err := f.run(&run{started: first}); err != nil {
			return err
		}
		return f.exec("UPDATE recordings SET first=?, last=? WHERE id=?", first.Unix(), first.Unix()+int64(days)*86400-1, id)
	})
	if err != nil {
		tb.Fatal(err)
	}
	traces := make([]*monthTrace, cards)
	for i := range traces {
		traces[i] = &monthTrace{r: rand.New(rand.NewPCG(7, uint64(i))), bands: bands, temp: 45, tempMem: 50}
	}
	if _, err := o.db.Exec("PRAGMA synchronous=OFF"); err != nil {
		tb.Fatal(err)
	}
	var made [][]sealedHour
	for h := range int64(days * 24) {
		hour := hourOf(first.Unix()) + h
		if h < distinctHours {
			made = append(made, make([]sealedHour, cards))
			var wg sync.WaitGroup
			for i := range cards {
				wg.Go(func() { made[h][i] = traceHour(traces[i], tracks[i], uint64(h)) })
			}
			wg.Wait()
		}
		sealed := made[h%distinctHours]
		err := transact(ctx, o.db, func(tx *sql.Tx) error {
			w := sealing{ctx: ctx, tx: tx, recording: id, hours: map[int64]*chunk{}}
			w.hours[hour] = &chunk{cells: int64(cards) * 3600, runs: map[int64]*[2]uint64{1: {uint64(h) * 3600, uint64(h)*3600 + 3599}}}
			for i, t := range tracks {
				if err := w.put(t, hour, sealed[i]); err != nil {
					return err
				}
			}
			return w.save()
		})
		if err != nil {
			tb.Fatal(err)
		}
	}
	if err := k.close(ctx, "stopped"); err != nil {
		tb.Fatal(err)
	}
	return id
}

func traceHour(trace *monthTrace, t track, h uint64) sealedHour {
	ticks := make([]column.Tick, 3600)
	cols := make([][]column.Cell, probe.GPUMetricCount)
	for k := range cols {
		cols[k] = make([]column.Cell, 3600)
		for i := range cols[k] {
			cols[k][i] = column.Cell{State: probe.Unsupported, Raw: "[N/A]"}
		}
	}
	for i := range ticks {
		ticks[i] = column.Tick{Second: uint16(i), Run: 1, Seq: h*3600 + uint64(i)}
		trace.next(func(m probe.Metric, v, lo, hi float64) {
			n := int64(math.Round(v))
			cols[m][i] = column.Cell{V: n, Lo: min(n, int64(math.Round(lo))), Hi: max(n, int64(math.Round(hi))), State: probe.OK}
		})
	}
	out, err := sealHour(t, ticks, func(k int, cells []column.Cell) { copy(cells, cols[k]) })
	if err != nil {
		panic(err)
	}
	return out
}

func BenchmarkQuery(b *testing.B) {
	s, err := Open(b.Context(), Params{Dir: b.TempDir(), Now: testNow})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	const days = 3
	id := buildMonth(b, s, 1, days, true, hourZero)
	for name, span := range map[string]time.Duration{"1h": time.Hour, "3d": days * 24 * time.Hour} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := s.Query(b.Context(), Query{Recording: id, GPU: "GPU-0", Metric: probe.Power, From: hourZero.Add(-span), To: hourZero, Points: 1200}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkMessage(b *testing.B) {
	s, err := Open(b.Context(), Params{Dir: b.TempDir(), Now: testNow})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	r, err := s.StartRecording(b.Context(), RecordingStart{HostID: "h1"})
	if err != nil {
		b.Fatal(err)
	}
	sample := tick(1, hourZero, 5)
	for b.Loop() {
		sample.Seq++
		sample.Time = sample.Time.Add(100 * time.Millisecond)
		r.Message(sample)
	}
}

// BenchmarkSeal is how long the writer is busy with an hour of eight cards: no
// batch is written meanwhile.
func BenchmarkSeal(b *testing.B) {
	s, err := Open(b.Context(), Params{Dir: b.TempDir(), Now: testNow})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	o := s.back.(*owner)
	o.sealAfter = time.Hour
	trace := &monthTrace{r: rand.New(rand.NewPCG(7, 7)), bands: true, temp: 45, tempMem: 50}
	k, err := o.startRecording(b.Context(), RecordingStart{HostID: "h1"})
	if err != nil {
		b.Fatal(err)
	}
	hour := hourOf(hourZero.Unix())
	seq := uint64(0)
	for b.Loop() {
		b.StopTimer()
		for i := range int64(hourSeconds) {
			seq++
			sample := &probe.Sample{Seq: seq, Time: time.Unix(hour*hourSeconds+i, 0), System: &probe.System{}}
			for c := range 8 {
				g := probe.GPU{Index: c, UUID: fmt.Sprintf("GPU-%d", c)}
				trace.next(func(m probe.Metric, v, lo, hi float64) {
					g.Values[m] = probe.Of(v)
					g.Spreads = append(g.Spreads, probe.Spread{Metric: m, Min: lo, Max: hi, N: 20})
				})
				sample.GPUs = append(sample.GPUs, g)
			}
			k.message(sample)
		}
		if err := o.call(b.Context(), func() { err = o.flush(b.Context(), o.all()) }); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		if err := o.seal(b.Context(), k.id(), []int64{hour}); err != nil {
			b.Fatal(err)
		}
		hour++
	}
}

// BenchmarkOpenHour asks for an hour that is still rows.
func BenchmarkOpenHour(b *testing.B) {
	s, err := Open(b.Context(), Params{Dir: b.TempDir(), Now: testNow})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	o := s.back.(*owner)
	k, err := o.startRecording(b.Context(), RecordingStart{HostID: "h1"})
	if err != nil {
		b.Fatal(err)
	}
	for i := range 3599 {
		k.message(tick(uint64(i+1), hourZero.Add(time.Duration(i)*time.Second), float64(i%100)))
	}
	if err := o.call(b.Context(), func() { err = o.flush(b.Context(), o.all()) }); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		out, err := s.Query(b.Context(), Query{Recording: k.id(), GPU: cardA, Metric: probe.Power})
		if err != nil || len(out.Points) == 0 {
			b.Fatal(len(out.Points), err)
		}
	}
}
