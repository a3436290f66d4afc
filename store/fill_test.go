package store

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"rentgen/probe"
)

const testRing = "0123456789abcdef0123456789abcdef"

// fillOf makes a fill of the seconds [from, to) after hourZero; the number of a
// reading and its value are its second.
func fillOf(from, to int, more ...probe.Message) *probe.Fill {
	f := &probe.Fill{Cursor: fmt.Sprintf("at %d", to), Ring: testRing, Run: 1, BootID: "boot-1", Last: true, Messages: []probe.Message{inventory()}}
	for i := from; i < to; i++ {
		s := tick(uint64(i+1), hourZero.Add(time.Duration(i)*time.Second), float64(i%90))
		s.Mono = time.Duration(1000+i) * time.Second
		f.Messages = append(f.Messages, s)
	}
	f.Messages = append(f.Messages, more...)
	return f
}

func testFiller(s *Store) *Filler {
	return s.Filler(RecordingStart{HostID: "h1", HostName: "box"})
}

func fillIn(t *testing.T, s *Store, f *probe.Fill) {
	t.Helper()
	if err := testFiller(s).Fill(t.Context(), f); err != nil {
		t.Fatal(err)
	}
}

// secondsOf lists the seconds after hourZero that the host's history holds of a
// card, and fails where a value is not that of its second.
func secondsOf(t *testing.T, s *Store, value func(int) float64) []int {
	t.Helper()
	list, err := s.Recordings(t.Context(), Filter{Host: "h1"})
	if err != nil {
		t.Fatal(err)
	}
	var all []int
	for _, r := range list {
		for _, p := range query(t, s, Query{Recording: r.ID, GPU: cardA, Metric: probe.UtilGPU, Points: 90_000}).Points {
			i := int(p.T.Unix() - hourZero.Unix())
			if p.N != 1 || p.Mean != value(i) {
				t.Fatalf("second %d: %+v, want %v", i, p, value(i))
			}
			all = append(all, i)
		}
	}
	slices.Sort(all)
	return all
}

func wantSeconds(t *testing.T, s *Store, from, to int) {
	t.Helper()
	got := secondsOf(t, s, func(i int) float64 { return float64(i % 90) })
	if len(got) != to-from || got[0] != from || got[len(got)-1] != to-1 {
		t.Fatalf("%d seconds from %d to %d, want %d to %d", len(got), got[0], got[len(got)-1], from, to-1)
	}
	for i, g := range got {
		if g != from+i {
			t.Fatalf("second %d is %d", i, g)
		}
	}
}

// live tells a recording the seconds [from, to).
func live(r *Recorder, seq *uint64, from, to int) {
	for i := from; i < to; i++ {
		*seq++
		r.Message(tick(*seq, hourZero.Add(time.Duration(i)*time.Second), float64(i%90)))
	}
}

func gapsOf(t *testing.T, s *Store) []string {
	t.Helper()
	list, err := s.Gaps(t.Context(), Span{Host: "h1"})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, g := range list {
		out = append(out, fmt.Sprintf("%s %d-%d %s", g.GPU, int(g.From.Sub(hourZero).Milliseconds()), int(g.To.Sub(hourZero).Milliseconds()), g.Reason))
	}
	return out
}

func at(ms int) time.Time { return hourZero.Add(time.Duration(ms) * time.Millisecond) }

func TestFillOfAHoleInARecording(t *testing.T) {
	for _, state := range []string{"open", "closed"} {
		t.Run(state, func(t *testing.T) {
			s := open(t, t.TempDir())
			r, err := s.StartRecording(t.Context(), RecordingStart{HostID: "h1"})
			if err != nil {
				t.Fatal(err)
			}
			r.Message(inventory())
			var seq uint64
			live(r, &seq, 0, 3000)
			r.Message(&probe.Gap{From: at(2_999_300), To: at(5_000_700), Reason: probe.GapLink})
			r.Message(&probe.Gap{From: at(3_100_000), To: at(3_200_000), Reason: probe.GapGPU, GPU: cardA})
			live(r, &seq, 5000, 5100)
			if state == "closed" {
				if err := r.Close("stopped"); err != nil {
					t.Fatal(err)
				}
			} else {
				sealNow(t, s)
			}
			// The first hour is sealed by now. What comes reaches into what is there.
			fillIn(t, s, fillOf(2900, 4000))
			if got := gapsOf(t, s); !slices.Equal(got, []string{" 4000000-5000700 link"}) {
				t.Fatalf("gaps %q", got)
			}
			for range 2 { // twice: nothing changes
				fillIn(t, s, fillOf(3900, 5050))
				if got := gapsOf(t, s); len(got) != 0 {
					t.Fatalf("gaps %q", got)
				}
				wantSeconds(t, s, 0, 5100)
			}
			sealNow(t, s)
			wantSeconds(t, s, 0, 5100)
			if n := count(t, s, "SELECT count(*) FROM recordings"); n != 1 {
				t.Errorf("%d recordings", n)
			}
			q := Query{Recording: r.ID(), GPU: cardA, Metric: probe.Power, From: hourZero, To: hourZero.Add(time.Hour), Points: 1}
			if p := query(t, s, q).Points; len(p) != 1 || p[0].N != 3600 {
				t.Errorf("the hour's rollup %+v", p)
			}
			if c, err := testFiller(s).Cursor(t.Context()); err != nil || c != "at 5050" {
				t.Errorf("cursor %q, %v", c, err)
			}
			if state == "open" {
				if err := r.Close("stopped"); err != nil {
					t.Fatal(err)
				}
				wantSeconds(t, s, 0, 5100)
			}
		})
	}
}

func TestFillOutsideOfRecordings(t *testing.T) {
	s := open(t, t.TempDir())
	fillIn(t, s, fillOf(0, 500)) // nothing was ever recorded
	fillIn(t, s, fillOf(400, 1000, &probe.Event{Time: at(700_500), Kind: probe.EventXid, Code: 79, GPU: cardA}))
	r, err := s.StartRecording(t.Context(), RecordingStart{HostID: "h1"})
	if err != nil {
		t.Fatal(err)
	}
	r.Message(inventory())
	var seq uint64
	live(r, &seq, 1000, 1100)
	if err := r.Close("stopped"); err != nil {
		t.Fatal(err)
	}
	hole := &probe.Gap{From: at(1_300_000), To: at(1_400_000), Reason: probe.GapAgent}
	fill := fillOf(1050, 1300, hole)
	fill.Messages = append(fill.Messages, fillOf(1400, 1500).Messages...)
	for range 2 {
		fillIn(t, s, fill)
		if got := gapsOf(t, s); !slices.Equal(got, []string{" 1300000-1400000 agent"}) {
			t.Fatalf("gaps %q", got)
		}
	}
	got := secondsOf(t, s, func(i int) float64 { return float64(i % 90) })
	if len(got) != 1400 || got[1299] != 1299 || got[1300] != 1400 || got[1399] != 1499 {
		t.Fatalf("%d seconds", len(got))
	}
	list, err := s.Recordings(t.Context(), Filter{Host: "h1"})
	if err != nil || len(list) != 3 {
		t.Fatalf("%d recordings, %v", len(list), err)
	}
	for i, want := range []string{EndRecorder, "stopped", EndRecorder} {
		if list[i].Reason != want || list[i].Open || len(list[i].Devices) != 2 || list[i].Devices[0].Name == "" {
			t.Errorf("recording %d: %+v", i, list[i])
		}
	}
	events, err := s.Events(t.Context(), Span{Host: "h1"})
	if err != nil || len(events) != 1 || events[0].Code != 79 {
		t.Errorf("events %+v, %v", events, err)
	}
	if inv, err := s.Inventories(t.Context(), list[2].ID); err != nil || len(inv) != 1 || inv[0].GPUs[0].Name == "" {
		t.Errorf("inventories %+v, %v", inv, err)
	}
}

// TestRecordersReasonTakesThePlaceOfOurs: that we were away says less than why
// the recorder has nothing either.
func TestRecordersReasonTakesThePlaceOfOurs(t *testing.T) {
	s := open(t, t.TempDir())
	r, err := s.StartRecording(t.Context(), RecordingStart{HostID: "h1"})
	if err != nil {
		t.Fatal(err)
	}
	r.Message(inventory())
	var seq uint64
	live(r, &seq, 0, 100)
	r.Message(&probe.Gap{From: at(99_500), To: at(500_500), Reason: probe.GapLink})
	live(r, &seq, 500, 600)
	fill := fillOf(100, 200, &probe.Gap{From: at(200_000), To: at(300_000), Reason: probe.GapDisk})
	fill.Messages = append(fill.Messages, fillOf(300, 400).Messages...)
	for range 2 {
		fillIn(t, s, fill)
		if got := gapsOf(t, s); !slices.Equal(got, []string{" 200000-300000 disk", " 400000-500500 link"}) {
			t.Fatalf("gaps %q", got)
		}
	}
	// A gap over what was read live is no gap. That the link was gone means that
	// the host was the same before and after: it can't have been the host.
	fillIn(t, s, fillOf(400, 450, &probe.Gap{From: at(450_000), To: at(550_000), Reason: probe.GapHost}))
	if got := gapsOf(t, s); !slices.Equal(got, []string{" 200000-300000 disk", " 450000-500000 agent"}) {
		t.Fatalf("gaps %q", got)
	}
	if err := r.Close("stopped"); err != nil {
		t.Fatal(err)
	}
}

// TestFillAfterOurClockWasSet: what was read live is known by the host's clock,
// wherever ours put it.
func TestFillAfterOurClockWasSet(t *testing.T) {
	s := open(t, t.TempDir())
	r, err := s.StartRecording(t.Context(), RecordingStart{HostID: "h1"})
	if err != nil {
		t.Fatal(err)
	}
	r.Message(inventory())
	for i := range 100 {
		m := tick(uint64(i+1), hourZero.Add(time.Duration(i)*time.Second), float64(i%90))
		m.Mono = time.Duration(1000+i) * time.Second
		r.Message(m)
	}
	f := fillOf(0, 200)
	for _, m := range f.Messages {
		if s, ok := m.(*probe.Sample); ok {
			s.Time = s.Time.Add(time.Hour)
		}
	}
	fillIn(t, s, f)
	var n int
	got := secondsOf(t, s, func(i int) float64 { n++; return float64(i % 3600 % 90) })
	if len(got) != 200 || got[99] != 99 || got[100] != 3700 || got[199] != 3799 {
		t.Fatalf("%d seconds: %v", len(got), got)
	}
	if err := r.Close("stopped"); err != nil {
		t.Fatal(err)
	}
}

func TestFillThatFailsLeavesNothing(t *testing.T) {
	s := open(t, t.TempDir())
	fillIn(t, s, fillOf(0, 100))
	o := s.back.(*owner)
	// The cursor is written last.
	if _, err := o.db.Exec("CREATE TRIGGER full BEFORE UPDATE ON settings BEGIN SELECT RAISE(ABORT, 'no'); END"); err != nil {
		t.Fatal(err)
	}
	if err := testFiller(s).Fill(t.Context(), fillOf(100, 200)); err == nil {
		t.Error("a fill without its cursor is kept")
	}
	if _, err := o.db.Exec("DROP TRIGGER full"); err != nil {
		t.Fatal(err)
	}
	bad := fillOf(100, 200)
	bad.Cursor = string(make([]byte, maxCursor+1))
	if err := testFiller(s).Fill(t.Context(), bad); err == nil {
		t.Error("a cursor without bound is kept")
	}
	demo := s.Filler(RecordingStart{HostID: "h1", Demo: true})
	if err := demo.Fill(t.Context(), fillOf(100, 200)); err == nil {
		t.Error("the demo is filled")
	}
	wantSeconds(t, s, 0, 100)
	if c, err := testFiller(s).Cursor(t.Context()); err != nil || c != "at 100" {
		t.Errorf("cursor %q, %v", c, err)
	}
}

func TestFillThroughTheProcessThatWrites(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	beside := open(t, dir)
	if beside.Writer() {
		t.Fatal("two write")
	}
	fillIn(t, beside, fillOf(0, 900, &probe.Gap{From: at(900_000), To: at(950_000), Reason: probe.GapAgent}))
	wantSeconds(t, s, 0, 900)
	if c, err := testFiller(beside).Cursor(t.Context()); err != nil || c != "at 900" {
		t.Errorf("cursor %q, %v", c, err)
	}
	if got := gapsOf(t, s); !slices.Equal(got, []string{" 900000-950000 agent"}) {
		t.Errorf("gaps %q", got)
	}
}
