package store

import (
	"context"
	"math"
	"testing"
	"time"

	"rentgen/probe"
)

var hourZero = time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)

// testNow keeps what the tests record within its retention.
func testNow() time.Time { return hourZero.Add(24 * time.Hour) }

func open(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := Open(t.Context(), Params{Dir: dir, Now: testNow, OnError: func(err error) { t.Logf("told: %v", err) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

const cardA, cardB = "GPU-aaaa", "GPU-bbbb"

func inventory() *probe.Inventory {
	return &probe.Inventory{
		Source: probe.SourceAgent, Agent: "test",
		Run: probe.Run{BootID: "boot-1", Init: hourZero.Add(-time.Hour)},
		GPUs: []probe.Device{
			{Index: 0, UUID: cardA, Name: "NVIDIA GeForce RTX 4090", MemTotal: probe.Of(24564)},
			{Index: 1, UUID: cardB, Name: "NVIDIA GeForce RTX 4090", MemTotal: probe.Of(24564)},
		},
	}
}

// tick makes a sample in which only some metrics can be read.
func tick(seq uint64, at time.Time, util float64) *probe.Sample {
	s := &probe.Sample{Seq: seq, Time: at, HostTime: at.Add(2 * time.Second)}
	for i, uuid := range []string{cardA, cardB} {
		g := probe.GPU{Index: i, UUID: uuid}
		for m := range g.Values {
			g.Values[m] = probe.Missing(probe.Unsupported, "[N/A]")
		}
		g.Set(probe.UtilGPU, probe.Of(util))
		g.Set(probe.Power, probe.Of(200+util))
		g.Set(probe.Energy, probe.Of(float64(1000*seq)))
		g.Set(probe.EventReasons, probe.OfMask(1<<(seq%3)))
		g.Set(probe.TempMem, probe.Missing(probe.Denied, "Insufficient Permissions"))
		s.GPUs = append(s.GPUs, g)
	}
	s.System = &probe.System{}
	s.System.Set(probe.CPU, probe.Of(util/2))
	s.System.Set(probe.DiskRead, probe.Of(12.34))
	return s
}

func record(t *testing.T, s *Store, from time.Time, n int) *Recorder {
	t.Helper()
	r, err := s.StartRecording(t.Context(), RecordingStart{HostID: "h1", HostName: "box", Source: probe.SourceAgent})
	if err != nil {
		t.Fatal(err)
	}
	r.Message(inventory())
	for i := range n {
		r.Message(tick(uint64(i+1), from.Add(time.Duration(i)*time.Second), float64(i%100)))
	}
	return r
}

func query(t *testing.T, s *Store, q Query) Series {
	t.Helper()
	out, err := s.Query(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestRecordedComesBackAfterReopening(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	r := record(t, s, hourZero.Add(50*time.Minute), 1200) // over the hour
	id := r.ID()
	if err := r.Close("stopped"); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir)
	list, err := s.Recordings(t.Context(), Filter{})
	if err != nil || len(list) != 1 {
		t.Fatalf("recordings %v, %v", list, err)
	}
	got := list[0]
	if got.ID != id || got.Open || got.Reason != "stopped" || len(got.Devices) != 2 || got.Bytes == 0 ||
		!got.From.Equal(hourZero.Add(50*time.Minute)) || !got.To.Equal(hourZero.Add(50*time.Minute+1199*time.Second)) {
		t.Errorf("recording %+v", got)
	}
	if n, ok := got.Devices[0].MemTotal.Ok(); !ok || n != 24564 {
		t.Errorf("device %+v", got.Devices[0])
	}
	var rows int
	if err := s.read.QueryRow("SELECT count(*) FROM rows").Scan(&rows); err != nil || rows != 0 {
		t.Errorf("%d rows left, %v", rows, err)
	}
	out := query(t, s, Query{Recording: id, GPU: cardA, Metric: probe.UtilGPU})
	if len(out.Points) != 1200 || out.Tier != TierSeconds || out.Step != time.Second {
		t.Fatalf("%d points of %s, step %v", len(out.Points), out.Tier, out.Step)
	}
	for i, p := range out.Points {
		if p.Mean != float64(i%100) || p.N != 1 || p.State != probe.OK || !p.T.Equal(hourZero.Add(50*time.Minute+time.Duration(i)*time.Second)) {
			t.Fatalf("point %d: %+v", i, p)
		}
	}
	disk := query(t, s, Query{Host: "h1", Metric: probe.DiskRead})
	if len(disk.Points) != 1200 || math.Abs(disk.Points[7].Mean-12.3) > 1e-9 {
		t.Errorf("disk: %d points, %+v", len(disk.Points), disk.Points[7])
	}
}

func TestMissingKeepsItsReasonInEveryTier(t *testing.T) {
	s := open(t, t.TempDir())
	r := record(t, s, hourZero, 2*3600)
	if err := r.Close("stopped"); err != nil {
		t.Fatal(err)
	}
	for points, tier := range map[int]Tier{7200: TierSeconds, 120: TierMinutes, 2: TierHours} {
		out := query(t, s, Query{Recording: r.ID(), GPU: cardB, Metric: probe.TempMem, Points: points})
		if out.Tier != tier || len(out.Points) != points {
			t.Errorf("%d points: %d of %s", points, len(out.Points), out.Tier)
		}
		for _, p := range out.Points {
			if p.State != probe.Denied || p.Raw != "Insufficient Permissions" || p.N != 0 || !math.IsNaN(p.Mean) {
				t.Fatalf("%s: %+v", tier, p)
			}
		}
	}
}
