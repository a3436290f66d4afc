package store

import (
	"context"
	"testing"
	"time"

	"rentgen/probe"
)

// flushNow writes what waits; sealNow seals every hour with rows but the newest.
func flushNow(t *testing.T, s *Store) {
	t.Helper()
	o := s.back.(*owner)
	var err error
	if callErr := o.call(context.Background(), func() { err = o.flush(context.Background(), o.all()) }); callErr != nil {
		t.Fatal(callErr)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func sealNow(t *testing.T, s *Store) {
	t.Helper()
	flushNow(t, s)
	o := s.back.(*owner)
	var err error
	_ = o.call(context.Background(), func() {
		was := o.sealAfter
		o.sealAfter = 0
		for _, tape := range o.all() {
			for more := true; more && err == nil; {
				more, err = o.sealDue(context.Background(), tape)
			}
		}
		o.sealAfter = was
	})
	if err != nil {
		t.Fatal(err)
	}
}

func count(t *testing.T, s *Store, query string, args ...any) int64 {
	t.Helper()
	var n int64
	if err := s.read.QueryRow(query, args...).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func rollups(t *testing.T, s *Store, id int64) (minutes, hours []Point) {
	t.Helper()
	q := Query{Recording: id, GPU: cardA, Metric: probe.Power, From: hourZero, To: hourZero.Add(2 * time.Hour)}
	q.Points = 120
	minutes = query(t, s, q).Points
	q.Points = 2
	return minutes, query(t, s, q).Points
}

func TestLateReadingsOpenTheHourAgain(t *testing.T) {
	s := open(t, t.TempDir())
	r, err := s.StartRecording(t.Context(), RecordingStart{HostID: "h1"})
	if err != nil {
		t.Fatal(err)
	}
	id := r.ID()
	r.Message(inventory())
	value := func(i int) float64 { return float64(i % 90) }
	send := func(from, to int) {
		for i := from; i < to; i++ {
			r.Message(tick(uint64(i+1), hourZero.Add(time.Duration(i)*time.Second), value(i)))
		}
	}
	// The link was away from 1000 to 2000; the hour is sealed without them.
	send(0, 1000)
	send(2000, 3700)
	sealNow(t, s)
	if n := count(t, s, "SELECT count(*) FROM chunks"); n != 1 {
		t.Fatalf("%d sealed hours", n)
	}
	all := Query{Recording: id, GPU: cardA, Metric: probe.Power, Points: 10_000}
	if n := len(query(t, s, all).Points); n != 2700 {
		t.Fatalf("%d points", n)
	}
	// They come later, some of them twice.
	send(1000, 2000)
	send(1500, 1600)
	flushNow(t, s)
	check := func(when string) {
		t.Helper()
		out := query(t, s, all)
		if len(out.Points) != 3700 {
			t.Fatalf("%s: %d points", when, len(out.Points))
		}
		for i, p := range out.Points {
			if p.T.Unix() != hourZero.Unix()+int64(i) || p.N != 1 || p.Mean != 200+value(i) {
				t.Fatalf("%s: point %d: %+v", when, i, p)
			}
		}
	}
	check("before they are merged")
	sealNow(t, s)
	check("after they are merged")
	if n := count(t, s, "SELECT count(*) FROM rows WHERE t<?", hourZero.Unix()+3600); n != 0 {
		t.Errorf("%d rows left", n)
	}
	minutes, hours := rollups(t, s, id)
	sum := 0.0
	for i, p := range minutes[:60] {
		if p.N != 60 {
			t.Errorf("minute %d has %d seconds", i, p.N)
		}
		sum += p.Mean * float64(p.N)
	}
	if hours[0].N != 3600 || hours[0].Mean != sum/3600 {
		t.Errorf("hour %+v, minutes give %v", hours[0], sum/3600)
	}
	if err := r.Close("stopped"); err != nil {
		t.Fatal(err)
	}
	check("after the end")
}

func TestCorrectedClockMovesReadingsBetweenHours(t *testing.T) {
	s := open(t, t.TempDir())
	r, err := s.StartRecording(t.Context(), RecordingStart{HostID: "h1"})
	if err != nil {
		t.Fatal(err)
	}
	r.Message(inventory())
	send := func(shift time.Duration, from, to int) {
		for i := from; i < to; i++ {
			r.Message(tick(uint64(i+1), hourZero.Add(time.Duration(i)*time.Second+shift), float64(i%90)))
		}
	}
	send(0, 0, 3800)
	sealNow(t, s)
	// The same readings again: the clock had been ten minutes ahead.
	send(-10*time.Minute, 3000, 3800)
	sealNow(t, s)
	if err := r.Close("stopped"); err != nil {
		t.Fatal(err)
	}
	q := Query{Recording: r.ID(), GPU: cardA, Metric: probe.Power, Points: 10_000}
	total := 0
	for _, p := range query(t, s, q).Points {
		total += p.N
		if p.T.Unix() >= hourZero.Unix()+3200 {
			t.Fatalf("a reading stayed at %v", p.T)
		}
	}
	if total != 3800 {
		t.Errorf("%d readings, want 3800 once each", total)
	}
	minutes, hours := rollups(t, s, r.ID())
	n := 0
	for _, p := range minutes {
		n += p.N
	}
	if n != 3800 || len(hours) != 1 || hours[0].N != 3800 {
		t.Errorf("minutes hold %d, hours %+v", n, hours)
	}
	if n := count(t, s, "SELECT count(*) FROM chunks"); n != 1 {
		t.Errorf("%d chunks, the emptied hour should be gone", n)
	}
}

func TestReaderThatBeginsAnewIsAnotherRun(t *testing.T) {
	s := open(t, t.TempDir())
	r := record(t, s, hourZero, 100)
	r.Message(&probe.Gap{From: hourZero.Add(100 * time.Second), To: hourZero.Add(110 * time.Second), Reason: probe.GapLink})
	inv := inventory()
	inv.Run.BootID = "boot-2"
	r.Message(inv)
	for i := range 50 {
		r.Message(tick(uint64(i+1), hourZero.Add(time.Duration(110+i)*time.Second), 5))
	}
	if err := r.Close("stopped"); err != nil {
		t.Fatal(err)
	}
	if n := len(query(t, s, Query{Recording: r.ID(), GPU: cardA, Metric: probe.Power}).Points); n != 150 {
		t.Errorf("%d points", n)
	}
	if n := count(t, s, "SELECT count(*) FROM runs WHERE ended IS NOT NULL"); n != 2 {
		t.Errorf("%d runs", n)
	}
	if n := count(t, s, "SELECT count(*) FROM runs WHERE boot_id='boot-1' AND reason='link' AND offset=2000"); n != 1 {
		t.Errorf("the first run does not say how it ended")
	}
}

func TestTenReadingsASecondBecomeOneWithABand(t *testing.T) {
	s := open(t, t.TempDir())
	r, err := s.StartRecording(t.Context(), RecordingStart{HostID: "h1"})
	if err != nil {
		t.Fatal(err)
	}
	r.Message(inventory())
	for i := range 100 {
		at := tick(uint64(i+1), hourZero.Add(time.Duration(i)*100*time.Millisecond), float64(i%10))
		at.GPUs[0].Spreads = []probe.Spread{{Metric: probe.Power, Min: 150, Max: 400, N: 20}}
		if i%10 != 0 {
			at.System = nil
			at.GPUs[0].Set(probe.Fan, probe.Missing(probe.Pending, ""))
		} else {
			at.GPUs[0].Set(probe.Fan, probe.Of(30))
		}
		r.Message(at)
		if i == 54 { // in the middle of a second
			flushNow(t, s)
		}
	}
	if err := r.Close("stopped"); err != nil {
		t.Fatal(err)
	}
	for m, want := range map[probe.Metric]Point{
		probe.UtilGPU: {Min: 0, Max: 9, Mean: 5}, // 4.5 in whole percent
		probe.Power:   {Min: 150, Max: 400, Mean: 205},
		probe.Fan:     {Min: 30, Max: 30, Mean: 30},
	} {
		out := query(t, s, Query{Recording: r.ID(), GPU: cardA, Metric: m})
		if len(out.Points) != 10 {
			t.Fatalf("%s: %d points", m, len(out.Points))
		}
		for i, p := range out.Points {
			if p.N != 1 || p.Min != want.Min || p.Max != want.Max || p.Mean != want.Mean {
				t.Errorf("%s second %d: %+v", m, i, p)
			}
		}
	}
	energy := query(t, s, Query{Recording: r.ID(), GPU: cardA, Metric: probe.Energy})
	if p := energy.Points[3]; p.Mean != 40_000 || p.Rise != 10_000 {
		t.Errorf("energy %+v", p)
	}
	mask := query(t, s, Query{Recording: r.ID(), GPU: cardA, Metric: probe.EventReasons})
	if p := mask.Points[3]; p.Max != 7 || p.Min != 0 {
		t.Errorf("mask %+v", p)
	}
}
