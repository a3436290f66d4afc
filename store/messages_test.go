package store

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"rentgen/probe"
)

// told lists the messages of a recording in short.
func told(t *testing.T, s *Store, id int64, from, to time.Time) []string {
	t.Helper()
	var got []string
	var before int64
	for m, err := range s.Messages(t.Context(), id, from, to) {
		if err != nil {
			t.Fatal(err)
		}
		at := func(x time.Time) int64 { return x.Sub(hourZero).Milliseconds() / 1000 }
		var now int64
		switch m := m.(type) {
		case *probe.Inventory:
			got = append(got, fmt.Sprintf("inventory %s %d", m.Driver, len(m.GPUs)))
			now = before
		case *probe.Sample:
			now = at(m.Time)
			got = append(got, fmt.Sprintf("sample %d", now))
		case *probe.Event:
			now = at(m.Time)
			got = append(got, fmt.Sprintf("event %d %s", now, m.Kind))
		case *probe.Gap:
			now = at(m.To)
			got = append(got, fmt.Sprintf("gap %d %d %s", at(m.From), now, m.Reason))
		}
		if now < before {
			t.Errorf("%s comes after second %d", got[len(got)-1], before)
		}
		before = now
	}
	return got
}

// scripted records eight seconds with a gap, events and a new driver.
func scripted(t *testing.T, s *Store) int64 {
	t.Helper()
	r, err := s.StartRecording(t.Context(), RecordingStart{HostID: "h1", HostName: "box", Demo: true})
	if err != nil {
		t.Fatal(err)
	}
	at := func(sec int) time.Time { return hourZero.Add(time.Duration(sec) * time.Second) }
	inv := func(sec int, driver string) *probe.Inventory {
		i := inventory()
		i.Time, i.Driver, i.GPUs[0].PowerDefault = at(sec), driver, probe.Of(450)
		return i
	}
	seq := uint64(0)
	ticks := func(from, to int) {
		for sec := from; sec < to; sec++ {
			seq++
			r.Message(tick(seq, at(sec), 50))
		}
	}
	flush := func() {
		t.Helper()
		o := s.back.(*owner)
		var err error
		if callErr := o.call(t.Context(), func() { err = o.flush(t.Context(), o.all()) }); callErr != nil || err != nil {
			t.Fatal(callErr, err)
		}
	}
	r.Message(inv(0, "550"))
	ticks(0, 3)
	flush()
	r.Message(inv(1, "550")) // the same again
	flush()
	r.Message(&probe.Event{Time: at(1).Add(time.Millisecond), Kind: probe.EventXid, GPU: cardA, Code: 79})
	r.Message(&probe.Gap{From: at(3), To: at(5), Reason: probe.GapLink})
	r.Message(inv(5, "560"))
	ticks(5, 7)
	r.Message(&probe.Event{Time: at(9), Kind: probe.EventRun})
	if err := r.Close("stopped"); err != nil {
		t.Fatal(err)
	}
	return r.ID()
}

func TestMessagesComeInTheirOrder(t *testing.T) {
	s := open(t, t.TempDir())
	id := scripted(t, s)
	at := func(sec int) time.Time { return hourZero.Add(time.Duration(sec) * time.Second) }
	want := []string{
		"inventory 550 2", "sample 0", "sample 1", "event 1 xid", "sample 2", "gap 3 5 link", "inventory 560 2", "sample 5", "sample 6", "event 9 run",
	}
	if got := told(t, s, id, time.Time{}, time.Time{}); !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	for _, c := range []struct {
		from, to int
		want     []string
	}{
		{2, 6, []string{"inventory 550 2", "sample 2", "gap 3 5 link", "inventory 560 2", "sample 5"}},
		{0, 4, []string{"inventory 550 2", "sample 0", "sample 1", "event 1 xid", "sample 2", "gap 3 5 link"}},
		{6, 20, []string{"inventory 560 2", "sample 6", "event 9 run"}},
		{100, 200, []string{"inventory 560 2"}},
	} {
		if got := told(t, s, id, at(c.from), at(c.to)); !slices.Equal(got, c.want) {
			t.Errorf("%d to %d: %q, want %q", c.from, c.to, got, c.want)
		}
	}
	for m := range s.Messages(t.Context(), id, time.Time{}, time.Time{}) {
		inv := m.(*probe.Inventory)
		if n, ok := inv.GPUs[0].PowerDefault.Ok(); !ok || n != 450 || !inv.Demo || inv.Source != probe.SourceAgent || !inv.Time.Equal(at(0)) {
			t.Errorf("inventory %+v", inv)
		}
		break // a consumer that has seen enough
	}
	for m, err := range s.Messages(t.Context(), id+1, time.Time{}, time.Time{}) {
		if m != nil || !errors.Is(err, ErrNotFound) {
			t.Errorf("of no recording: %v, %v", m, err)
		}
	}
}

func TestMessagesOfManyEvents(t *testing.T) {
	s := open(t, t.TempDir())
	r := record(t, s, hourZero, 30)
	const n = 2*pageSizeMessages + 7
	for i := range n {
		r.Message(&probe.Event{Time: hourZero.Add(time.Duration(i/100) * time.Second), Kind: probe.EventNoise, Code: i})
	}
	if err := r.Close("stopped"); err != nil {
		t.Fatal(err)
	}
	seen := map[int]int{}
	for m, err := range s.Messages(t.Context(), r.ID(), time.Time{}, time.Time{}) {
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := m.(*probe.Event); ok {
			seen[e.Code]++
		}
	}
	if len(seen) != n || slices.Max(slices.Collect(func(yield func(int) bool) {
		for _, k := range seen {
			if !yield(k) {
				return
			}
		}
	})) != 1 {
		t.Errorf("%d of %d events", len(seen), n)
	}
}

func TestMessagesWhereSecondsAreGone(t *testing.T) {
	s := open(t, t.TempDir())
	r := record(t, s, hourZero.Add(-30*time.Minute), 2*3600) // half an hour, an hour, half an hour
	if err := r.Close("stopped"); err != nil {
		t.Fatal(err)
	}
	o := s.back.(*owner)
	for range 2 {
		if more, err := o.dropSeconds(t.Context(), "recording=?", r.ID()); err != nil || !more {
			t.Fatal(more, err)
		}
	}
	got := told(t, s, r.ID(), time.Time{}, time.Time{})
	if len(got) != 2+1800 || got[1] != "gap -1800 3600 rolled" || got[2] != "sample 3600" {
		t.Errorf("%d messages, %q", len(got), got[:3])
	}
}

// TestMessagesFromBeforeInventoriesWereKept takes the cards of the recording.
func TestMessagesFromBeforeInventoriesWereKept(t *testing.T) {
	s := open(t, t.TempDir())
	r := record(t, s, hourZero, 2)
	if err := r.Close("stopped"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.back.(*owner).db.Exec("DELETE FROM inventories"); err != nil {
		t.Fatal(err)
	}
	if got, want := told(t, s, r.ID(), time.Time{}, time.Time{}), []string{"inventory  2", "sample 0", "sample 1"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
