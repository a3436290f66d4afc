package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"rentgen/probe"
)

func TestDiskFullIsToldAndRecordingGoesOn(t *testing.T) {
	s := open(t, t.TempDir())
	told := make(chan error, 16)
	s.OnError(func(err error) { told <- err })
	o := s.back.(*owner)
	r := record(t, s, hourZero, 10)
	flushNow(t, s)
	var pages int64
	if err := o.db.QueryRow("PRAGMA page_count").Scan(&pages); err != nil {
		t.Fatal(err)
	}
	limit := func(n int64) {
		t.Helper()
		var got int64
		if err := o.db.QueryRow(fmt.Sprintf("PRAGMA max_page_count=%d", n)).Scan(&got); err != nil {
			t.Fatal(err)
		}
	}
	limit(pages)
	tape := r.sink.(*tape)
	tape.mu.Lock()
	tape.limit = 300 // of rows that may wait: 100 seconds of two cards and the machine
	tape.mu.Unlock()
	for i := 10; i < 1010; i++ {
		r.Message(tick(uint64(i+1), hourZero.Add(time.Duration(i)*time.Second), 5))
	}
	select {
	case err := <-told:
		if !errors.Is(err, ErrDiskFull) {
			t.Errorf("told %v", err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("nobody was told")
	}
	if r.Lost() == 0 {
		t.Error("nothing counted as lost")
	}
	limit(1 << 30)
	for i := 1010; i < 1020; i++ {
		r.Message(tick(uint64(i+1), hourZero.Add(time.Duration(i)*time.Second), 5))
	}
	if err := r.Close("stopped"); err != nil {
		t.Fatal(err)
	}
	gaps, err := s.Gaps(t.Context(), Span{Recording: r.ID()})
	if err != nil || len(gaps) == 0 || gaps[0].Reason != GapStore {
		t.Fatalf("gaps %v, %v", gaps, err)
	}
	points := query(t, s, Query{Recording: r.ID(), GPU: cardA, Metric: probe.Power, Points: 5000}).Points
	seen := map[int64]bool{}
	for _, p := range points {
		seen[p.T.Unix()] = true
	}
	// What is missing lies in a gap; what came after the trouble is there.
	for i := range int64(1020) {
		at := hourZero.Unix() + i
		inGap := false
		for _, g := range gaps {
			inGap = inGap || (g.From.Unix() <= at && at < g.To.Unix())
		}
		if !seen[at] && !inGap {
			t.Fatalf("second %d is missing without a gap", i)
		}
		if i >= 1000 && !seen[at] {
			t.Errorf("second %d is missing", i)
		}
	}
	rec, err := s.Recording(t.Context(), r.ID())
	if err != nil || rec.Lost != r.Lost() {
		t.Errorf("%d lost on record, %d counted, %v", rec.Lost, r.Lost(), err)
	}
	if said := quickCheck(t.Context(), o.db); said != nil {
		t.Error(said)
	}
}

func TestRecordingClosedOnAFullDiskEndsWhenThereIsSpace(t *testing.T) {
	s := open(t, t.TempDir())
	o := s.back.(*owner)
	r := record(t, s, hourZero, 10)
	full := errors.New("no space")
	_ = o.call(t.Context(), func() { o.failFlush = func() error { return full } })
	r.Message(tick(11, hourZero.Add(10*time.Second), 5))
	if err := r.Close("stopped"); !errors.Is(err, full) {
		t.Errorf("close: %v", err)
	}
	_ = o.call(t.Context(), func() { o.failFlush = nil; o.flushAll() })
	rec, err := s.Recording(t.Context(), r.ID())
	if err != nil || rec.Open || rec.Reason != "stopped" || rec.To.Unix() != hourZero.Unix()+10 {
		t.Errorf("%+v, %v", rec, err)
	}
}

func TestMessageNeverWaitsForTheDisk(t *testing.T) {
	s := open(t, t.TempDir())
	o := s.back.(*owner)
	r := record(t, s, hourZero, 1)
	// The writer stands still inside a batch.
	held, let := make(chan bool), make(chan bool)
	var once sync.Once
	_ = o.call(t.Context(), func() {
		o.failFlush = func() error {
			once.Do(func() { close(held); <-let })
			return nil
		}
	})
	r.Message(tick(2, hourZero.Add(time.Second), 5))
	<-held
	for i := 2; i < 500; i++ {
		r.Message(tick(uint64(i+1), hourZero.Add(time.Duration(i)*time.Second), 5))
	}
	close(let)
	if err := r.Close("stopped"); err != nil {
		t.Fatal(err)
	}
	if n := len(query(t, s, Query{Recording: r.ID(), GPU: cardA, Metric: probe.Power}).Points); n != 500 || r.Lost() != 0 {
		t.Errorf("%d points, %d lost", n, r.Lost())
	}
}

// case 47: the log behind the database does not grow with a reader that takes
// its time.
func TestLogStaysBoundedUnderALongReader(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	r := record(t, s, hourZero, 3000)
	flushNow(t, s)
	wal := func() int64 {
		info, err := os.Stat(filepath.Join(dir, fileName) + "-wal")
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	// A consumer that stops in the middle of a walk, as a slow chart or export
	// does, while ten minutes of batches are written.
	next := 3000
	most := int64(0)
	n := 0
	for _, err := range s.Samples(t.Context(), r.ID(), time.Time{}, time.Time{}) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n != 100 {
			continue
		}
		for range 600 {
			next++
			r.Message(tick(uint64(next), hourZero.Add(time.Duration(next)*time.Second), 5))
			flushNow(t, s)
			most = max(most, wal())
		}
	}
	if most > walLimit {
		t.Errorf("the log grew to %d bytes, limit %d", most, walLimit)
	}
	// A foreign reader that holds a snapshot makes it grow; it shrinks after.
	tx, err := s.read.Begin()
	if err != nil {
		t.Fatal(err)
	}
	var one int
	if err := tx.QueryRow("SELECT count(*) FROM rows").Scan(&one); err != nil {
		t.Fatal(err)
	}
	for range 1500 {
		next++
		r.Message(tick(uint64(next), hourZero.Add(time.Duration(next)*time.Second), 5))
		flushNow(t, s)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	if err := s.back.(*owner).tidy(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := wal(); got > walLimit {
		t.Errorf("the log stays at %d bytes", got)
	}
}
