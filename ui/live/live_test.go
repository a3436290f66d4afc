package live

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"testing"
	"time"

	"rentgen/probe"
)

var start = time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)

func sample(t time.Time, seq uint64, cards int, util float64) *probe.Sample {
	s := &probe.Sample{Seq: seq, Time: t, System: &probe.System{}}
	for i := range cards {
		g := probe.GPU{Index: i, UUID: fmt.Sprintf("GPU-%d", i)}
		for m := range g.Values {
			g.Values[m] = probe.Of(util)
		}
		s.GPUs = append(s.GPUs, g)
	}
	for _, m := range probe.SystemMetrics() {
		s.System.Set(m, probe.Of(util))
	}
	return s
}

func TestASecondHoldsSeveralReadings(t *testing.T) {
	h := New()
	for i, u := range []float64{10, 30, 20, 100} {
		at := start.Add(time.Duration(i) * 300 * time.Millisecond) // the last lies in the next second
		h.Message(sample(at, uint64(i), 1, u))
	}
	tr := h.seconds.track(Track{}, "GPU-0", int(probe.UtilGPU), start.UnixMilli(), start.Add(time.Minute).UnixMilli(), 0)
	if len(tr.T) != 1 {
		t.Fatalf("%d seconds, want 1: %v", len(tr.T), tr)
	}
	if tr.Mean[0] != 40 || tr.Min[0] != 10 || tr.Max[0] != 100 {
		t.Errorf("second is %v %v %v, want mean 40 of 10 to 100", tr.Mean[0], tr.Min[0], tr.Max[0])
	}
	raw := h.Track("GPU-0", Of(probe.UtilGPU), start, start.Add(time.Minute), 0)
	if len(raw.T) != 4 {
		t.Errorf("%d raw readings, want 4", len(raw.T))
	}
}

func TestSpreadOfADrainedBufferIsKept(t *testing.T) {
	h := New()
	s := sample(start, 1, 1, 50)
	s.GPUs[0].Spreads = []probe.Spread{{Metric: probe.UtilGPU, Min: 3, Max: 99, N: 6}}
	h.Message(s)
	tr := h.Track("GPU-0", Of(probe.UtilGPU), start, start, 0)
	if len(tr.T) != 1 || tr.Min[0] != 3 || tr.Max[0] != 99 || tr.Mean[0] != 50 {
		t.Fatalf("track is %+v", tr)
	}
	if p := h.Track("GPU-0", Of(probe.Power), start, start, 0); p.Min[0] != 50 || p.Max[0] != 50 {
		t.Errorf("a metric without a spread has one: %+v", p)
	}
}

func TestMissingIsNeverZero(t *testing.T) {
	h := New()
	s := sample(start, 1, 1, 5)
	s.GPUs[0].Set(probe.Fan, probe.Missing(probe.Unsupported, "[N/A]"))
	s.GPUs[0].Set(probe.Power, probe.Missing(probe.Denied, ""))
	h.Message(s)
	for _, m := range []probe.Metric{probe.Fan, probe.Power} {
		if tr := h.Track("GPU-0", Of(m), start, start, 0); !tr.Empty() {
			t.Errorf("%s has readings: %+v", m, tr)
		}
	}
	if v := h.Value("GPU-0", Of(probe.Fan)); v.State != probe.Unsupported || v.Raw != "[N/A]" {
		t.Errorf("fan is %+v", v)
	}
	// A hole inside a line is NaN, not a number.
	h.Message(sample(start.Add(time.Second), 2, 1, 7))
	tr := h.Track("GPU-0", Of(probe.Power), start, start.Add(time.Second), 0)
	if len(tr.T) != 2 || !math.IsNaN(float64(tr.Mean[0])) || tr.Mean[1] != 7 {
		t.Errorf("power is %+v", tr)
	}
	if v := New().Value("GPU-9", Of(probe.Power)); v.State != probe.Pending {
		t.Errorf("an unknown card has %+v", v)
	}
}

func TestPointsKeepTheExtremes(t *testing.T) {
	h := New()
	for i := range 3600 {
		u := 50.0
		if i == 1234 {
			u = 99
		}
		h.Message(sample(start.Add(time.Duration(i)*time.Second), uint64(i), 1, u))
	}
	end := start.Add(time.Hour)
	tr := h.Track("GPU-0", Of(probe.UtilGPU), start, end, 300)
	if n := len(tr.T); n < 290 || n > 303 {
		t.Fatalf("%d points, want about 300", n)
	}
	var top float32
	for i, v := range tr.Max {
		top = max(top, v)
		if i > 0 && tr.T[i] <= tr.T[i-1] {
			t.Fatalf("time does not rise at %d", i)
		}
	}
	if top != 99 {
		t.Errorf("the spike is lost: top is %v", top)
	}
	// The same bucket holds the same readings when the picture has moved on.
	next := h.Track("GPU-0", Of(probe.UtilGPU), start.Add(12*time.Second), end.Add(12*time.Second), 300)
	seen := map[int64]float32{}
	for i, at := range tr.T {
		seen[at] = tr.Mean[i]
	}
	for i := 1; i+1 < len(next.T); i++ {
		if v, ok := seen[next.T[i]]; !ok || v != next.Mean[i] {
			t.Fatalf("bucket at %d changed as the picture moved", next.T[i])
		}
	}
}

func TestSixHoursAndNoMore(t *testing.T) {
	h := New()
	total := int(Span/time.Second) + 4000
	for i := range total {
		h.Message(sample(start.Add(time.Duration(i)*time.Second), uint64(i), 1, float64(i%100)))
	}
	newest := start.Add(time.Duration(total-1) * time.Second)
	tr := h.Track("GPU-0", Of(probe.UtilGPU), newest.Add(-Span), newest, 0)
	if n := len(tr.T); n < int(Span/time.Second) || n > int(Span/time.Second)+2 {
		t.Errorf("%d seconds of six hours", n)
	}
	if n := len(h.seconds.stamps); n > int(Span/time.Second)+secondsPerBlock {
		t.Errorf("%d seconds kept", n)
	}
	for i, at := range tr.T {
		if want := float32((at - start.UnixMilli()) / 1000 % 100); tr.Mean[i] != want {
			t.Fatalf("reading %d is %v, want %v", i, tr.Mean[i], want)
		}
	}
}

func TestClockPutBack(t *testing.T) {
	h := New()
	for i := range 10 {
		h.Message(sample(start.Add(time.Duration(i)*time.Second), uint64(i), 1, 10))
	}
	h.Message(sample(start.Add(4500*time.Millisecond), 11, 1, 90))
	tr := h.seconds.track(Track{}, "GPU-0", int(probe.UtilGPU), start.UnixMilli(), start.Add(time.Minute).UnixMilli(), 0)
	if len(tr.T) != 5 {
		t.Fatalf("%d seconds, want 5", len(tr.T))
	}
	if tr.Max[4] != 90 {
		t.Errorf("the newest reading is lost: %+v", tr)
	}
}

func TestSharesTellOwnersApart(t *testing.T) {
	h := New()
	s := sample(start, 1, 1, 50)
	s.GPUs[0].Procs = &probe.Processes{State: probe.OK, List: []probe.Process{
		{PID: 1, Mem: probe.Of(1000), Own: true}, {PID: 2, Mem: probe.Of(300)},
	}}
	h.Message(s)
	if v := h.Value("GPU-0", MemOwn); v.Num != 1000 {
		t.Errorf("own is %+v", v)
	}
	if tr := h.Track("GPU-0", MemOther, start, start, 0); len(tr.T) != 1 || tr.Mean[0] != 300 {
		t.Errorf("other is %+v", tr)
	}
	// A process without a reading makes the sum unknown, not smaller.
	s2 := sample(start.Add(time.Second), 2, 1, 50)
	s2.GPUs[0].Procs = &probe.Processes{State: probe.OK, List: []probe.Process{
		{PID: 1, Mem: probe.Missing(probe.Unsupported, "[N/A]"), Own: true},
	}}
	h.Message(s2)
	if v := h.Value("GPU-0", MemOwn); v.State == probe.OK {
		t.Errorf("own is %+v, want unknown", v)
	}
}

func TestGapsAndEventsOfACard(t *testing.T) {
	h := New()
	h.Message(&probe.Gap{From: start, To: start.Add(time.Minute), Reason: probe.GapLink})
	h.Message(&probe.Gap{From: start, To: start.Add(time.Minute), Reason: probe.GapGPU, GPU: "GPU-1"})
	h.Message(&probe.Event{Time: start, Kind: probe.EventXid, Code: 13, GPU: "GPU-1"})
	h.Message(&probe.Event{Time: start, Kind: probe.EventClock})
	if n := len(h.Gaps("GPU-0", start, start.Add(time.Hour))); n != 1 {
		t.Errorf("%d gaps of another card", n)
	}
	if n := len(h.Gaps("GPU-1", start, start.Add(time.Hour))); n != 2 {
		t.Errorf("%d gaps of the card", n)
	}
	if n := len(h.Gaps("GPU-1", start.Add(2*time.Minute), start.Add(time.Hour))); n != 0 {
		t.Errorf("%d gaps outside the span", n)
	}
	if n := len(h.Events("GPU-0", start, start)); n != 1 {
		t.Errorf("%d events of card 0", n)
	}
	if n := len(h.Events("", start, start)); n != 2 {
		t.Errorf("%d events of all", n)
	}
}

func TestMIGInstancesTakeTheirCardsPlace(t *testing.T) {
	h := New()
	h.Message(&probe.Inventory{GPUs: []probe.Device{
		{UUID: "GPU-0", MIG: "on"},
		{UUID: "MIG-a", Parent: "GPU-0", Profile: "1g.10gb"},
		{UUID: "MIG-b", Parent: "GPU-0", Profile: "1g.10gb"},
		{UUID: "GPU-1"},
	}})
	var got []string
	for _, d := range h.Cards() {
		got = append(got, d.UUID)
	}
	if fmt.Sprint(got) != "[MIG-a MIG-b GPU-1]" {
		t.Errorf("cards are %v", got)
	}
}

func TestFollowEndsWithItsChannel(t *testing.T) {
	h := New()
	ch := make(chan probe.Message, 2)
	ch <- sample(start, 1, 1, 1)
	close(ch)
	arrived := 0
	h.Follow(context.Background(), ch, func() { arrived++ })
	if h.Newest() != start || h.Version() != 1 || arrived != 1 {
		t.Error("the message did not arrive")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	h.Follow(ctx, make(chan probe.Message), func() { t.Error("nothing came") })
}

// TestMemory holds the budget: 8 cards, six hours, every metric read and every
// second with a spread of utilisation and power.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("fills six hours of eight cards")
	}
	h := New()
	s := sample(start, 1, 8, 50)
	for i := range s.GPUs {
		s.GPUs[i].Spreads = []probe.Spread{
			{Metric: probe.UtilGPU, Min: 1, Max: 99, N: 6}, {Metric: probe.Power, Min: 1, Max: 99, N: 6},
		}
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range int(Span / time.Second) {
		s.Time = start.Add(time.Duration(i) * time.Second)
		h.Message(s)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	mib := float64(after.HeapAlloc-before.HeapAlloc) / (1 << 20)
	t.Logf("8 cards, 6 h, all metrics: %.1f MiB", mib)
	if mib > 60 {
		t.Errorf("%.1f MiB, want at most 60", mib)
	}
	runtime.KeepAlive(h)
}

func BenchmarkTrack(b *testing.B) {
	h := New()
	for i := range int(Span / time.Second) {
		h.Message(sample(start.Add(time.Duration(i)*time.Second), uint64(i), 1, float64(i%100)))
	}
	end := h.Newest()
	var buf Track
	b.ReportAllocs()
	for b.Loop() {
		buf = h.TrackInto(buf, "GPU-0", Of(probe.UtilGPU), end.Add(-Span), end, 1200)
	}
}

func TestAHostThatNamesOtherCardsEveryTickIsBounded(t *testing.T) {
	h := New()
	tick := func(n int, uuids ...string) {
		s := sample(start.Add(time.Duration(n)*time.Second), uint64(n), len(uuids), 5)
		for i, id := range uuids {
			s.GPUs[i].UUID = id
			s.GPUs[i].Procs = &probe.Processes{State: probe.OK}
		}
		h.Message(s)
	}
	const true1 = "GPU-true"
	for n := range 300 {
		tick(n, true1, fmt.Sprint("GPU-a", n), fmt.Sprint("GPU-b", n), fmt.Sprint("GPU-c", n))
	}
	var flood []string
	for i := range 2 * maxCards {
		flood = append(flood, fmt.Sprint("GPU-f", i))
	}
	for n := range 3 {
		tick(300+n, append([]string{true1}, flood...)...)
	}
	cards := map[string]bool{}
	for k := range h.seconds.lanes {
		cards[k.gpu] = true
	}
	for k := range h.raw.lanes {
		cards[k.gpu] = true
	}
	delete(cards, "") // the machine
	if len(cards) > maxCards || len(h.seen) > maxCards || len(h.procs) > maxCards || len(h.held) > maxCards {
		t.Fatalf("%d cards with lines, %d seen, %d lists, %d held", len(cards), len(h.seen), len(h.procs), len(h.held))
	}
	if tr := h.Track(true1, Of(probe.UtilGPU), start, start.Add(time.Hour), 0); len(tr.T) != 303 || tr.Empty() || tr.Mean[0] != 5 {
		t.Errorf("the card that stayed has %d readings", len(tr.T))
	}
}
