//go:build linux

package stream_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"rentgen/probe"
	"rentgen/probe/resident"
	"rentgen/probe/stream"
)

// keeper is a history in memory.
type keeper struct {
	mu     sync.Mutex
	cursor string
	fills  []*probe.Fill
	fail   error
}

func (m *keeper) Cursor(context.Context) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.cursor, nil
}

func (m *keeper) Fill(_ context.Context, f *probe.Fill) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fail != nil {
		return m.fail
	}
	m.cursor, m.fills = f.Cursor, append(m.fills, f)
	return nil
}

// samples returns what was filled, and whether the last fill said so.
func (m *keeper) samples() (list []*probe.Sample, whole bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, f := range m.fills {
		for _, msg := range f.Messages {
			if s, ok := msg.(*probe.Sample); ok {
				list = append(list, s)
			}
		}
		whole = f.Last
	}
	return list, whole
}

func TestSSHDRecorder(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigOptions{})
	mem := &keeper{}
	with := func(p *stream.Params) { p.History = mem }
	h, _ := r.look(with)
	reachPhase(t, h, stream.Live)
	ctx := t.Context()
	if s, err := h.Resident(ctx); err != nil || s.There {
		t.Fatalf("%+v, %v", s, err)
	}
	s, err := h.StartResident(ctx, stream.ResidentOptions{Life: time.Hour, MaxBytes: 2 << 20})
	if err != nil || !s.Running || s.PID <= 1 || s.Life != time.Hour || s.MaxBytes != 2<<20 || s.Dir != filepath.Join(r.cache(), "resident") {
		t.Fatalf("%+v, %v", s, err)
	}
	t.Cleanup(func() {
		for _, pid := range running(r.cache()) {
			kill(t, pid)
		}
	})
	if d := time.Until(s.Until); d < 50*time.Minute || d > 61*time.Minute {
		t.Errorf("until %v", s.Until)
	}
	h.Stop()
	if got := running(r.cache()); len(got) != 1 || got[0] != s.PID {
		t.Fatalf("%v run after the link, not %d", got, s.PID)
	}
	// Nobody is connected. The next connection fetches what was kept.
	h, l := r.look(with)
	reachPhase(t, h, stream.Live)
	first := ticks(t, l, 1)[0]
	until(t, "the fill", func() bool { _, whole := mem.samples(); return whole })
	until(t, "three seconds more", func() bool {
		s, err := h.Resident(ctx)
		return err == nil && s.Seconds >= 6
	})
	h.Stop()
	before, _ := mem.samples()
	h, l = r.look(with)
	reachPhase(t, h, stream.Live)
	ticks(t, l, 1)
	until(t, "the second fill", func() bool { got, whole := mem.samples(); return whole && len(got) > len(before) })
	got, _ := mem.samples()
	for i, s := range got {
		if v, ok := s.GPUs[0].Get(probe.UtilGPU).Ok(); !ok || v != 70 {
			t.Errorf("reading %d: %+v", i, s.GPUs[0].Get(probe.UtilGPU))
		}
		if d := s.HostTime.Sub(s.Time); d < -1100*time.Millisecond || d > 1100*time.Millisecond {
			t.Errorf("reading %d stands %v beside the clock of this machine", i, d)
		}
		// A busy machine may miss a second; none may come twice.
		if i > 0 && s.Time.Unix() <= got[i-1].Time.Unix() {
			t.Errorf("second %v after %v", s.Time, got[i-1].Time)
		}
	}
	if len(before) > 0 && !before[len(before)-1].Time.Before(first.Time) {
		t.Error("what was read live was filled too")
	}
	// History that can't keep it keeps its cursor.
	mem.mu.Lock()
	cursor, full := mem.cursor, errors.New("our disk is full")
	mem.fail = full
	mem.mu.Unlock()
	if _, err := h.Backfill(ctx); !errors.Is(err, full) {
		t.Errorf("%v", err)
	}
	if c, _ := mem.Cursor(ctx); c != cursor {
		t.Error("the cursor went on")
	}
	if err := h.StopResident(ctx); err != nil {
		t.Error(err)
	}
	if s, err := h.Resident(ctx); err != nil || s.Running || !s.There || !s.Stopped {
		t.Errorf("%+v, %v", s, err)
	}
	if s, err := h.StartResident(ctx, stream.ResidentOptions{}); err != nil || !s.Running || s.Life != time.Hour {
		t.Errorf("%+v, %v", s, err)
	}
	// With our program goes the recorder and what it kept.
	if err := h.RemoveHelper(ctx); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(r.cache()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("left behind: %v", err)
	}
	until(t, "the recorder's end", func() bool { return len(running(r.cache())) == 0 })
}

func TestSSHDRecorderWithoutAPlace(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigOptions{})
	h, _ := r.look(func(p *stream.Params) { p.Source = stream.SourceNone })
	reachPhase(t, h, stream.Live)
	if _, err := h.Resident(t.Context()); stream.KindOf(err) != stream.KindResident {
		t.Errorf("no program: %v", err)
	}
	h.Stop()
	if _, err := h.StartResident(t.Context(), stream.ResidentOptions{}); stream.KindOf(err) != stream.KindOffline {
		t.Errorf("no connection: %v", err)
	}
	bad := mounted(t, "noexec,size=16m")
	h, _ = r.look(nil, stream.Quote(bad+"/rentgen"))
	reachPhase(t, h, stream.Live)
	if _, err := h.StartResident(t.Context(), stream.ResidentOptions{}); stream.KindOf(err) != stream.KindResident {
		t.Errorf("in memory only: %v", err)
	}
}

// TestSSHDRecorderUnderABreakingLink kills the link again and again, at moments
// that chance chooses; live readings and fills together leave no second out that
// no gap tells of. RENTGEN_SOAK is how many times it is killed.
func TestSSHDRecorderUnderABreakingLink(t *testing.T) {
	t.Parallel()
	kills := 4
	if n, err := strconv.Atoi(os.Getenv("RENTGEN_SOAK")); err == nil {
		kills = n
	}
	r := newRig(t, rigOptions{})
	mem := &keeper{}
	h, l := r.look(func(p *stream.Params) { p.History = mem })
	reachPhase(t, h, stream.Live)
	ctx := t.Context()
	if _, err := h.StartResident(ctx, stream.ResidentOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.RemoveResident(context.Background()); err != nil {
			t.Error(err)
			for _, pid := range running(r.cache()) {
				kill(t, pid)
			}
		}
	})
	until(t, "the recorder's first second", func() bool {
		s, err := h.Resident(ctx)
		return err == nil && s.Seconds > 0
	})
	kept := func() int64 {
		s, err := resident.Look(filepath.Join(r.cache(), "resident"))
		if err != nil {
			t.Fatal(err)
		}
		return s.Seconds
	}
	from := ticks(t, l, 1)[0].Time.Unix()
	for range kills {
		reachPhase(t, h, stream.Live)
		if n := rand.IntN(3); n > 0 {
			ticks(t, l, n)
		}
		r.server.KillConnections()
		reach(t, h, "the break", func(s stream.State) bool { return s.Phase != stream.Live })
		h.Stop()
		away := kept() + 1 + rand.Int64N(3)
		until(t, "seconds that nobody reads", func() bool { return kept() >= away })
		h.Start()
	}
	reachPhase(t, h, stream.Live)
	to := ticks(t, l, 1)[0].Time.Unix()
	// Everything up to this connection is there once this returns.
	if _, err := h.Backfill(ctx); err != nil {
		t.Fatal(err)
	}
	there := map[int64]int{}
	for _, s := range of[*probe.Sample](l) {
		there[s.Time.Unix()] |= 1
	}
	filled, _ := mem.samples()
	for _, s := range filled {
		if there[s.Time.Unix()]&2 != 0 {
			t.Errorf("second %v was filled twice", s.Time)
		}
		there[s.Time.Unix()] |= 2
	}
	missing, live := 0, 0
	for at := from; at <= to; at++ {
		switch {
		case there[at] == 0 && !mem.tells(time.Unix(at, 0)):
			t.Errorf("second %v is lost without a word", time.Unix(at, 0).UTC())
		case there[at] == 0:
			missing++
		case there[at]&1 != 0:
			live++
		}
	}
	if live+missing == int(to-from+1) {
		t.Error("the recorder was not needed")
	}
	t.Logf("%d kills, %d seconds: %d live, %d filled in all, %d in gaps", kills, to-from+1, live, len(filled), missing)
}

// tells reports whether a gap holds the moment.
func (m *keeper) tells(at time.Time) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, f := range m.fills {
		for _, msg := range f.Messages {
			if g, ok := msg.(*probe.Gap); ok && !at.Before(g.From) && at.Before(g.To) {
				return true
			}
		}
	}
	return false
}
