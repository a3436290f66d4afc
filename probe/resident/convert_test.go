package resident

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"rentgen/probe"
	"rentgen/probe/wire"
)

// said is what a conversion gave, in words.
func said(fills []*probe.Fill) (words []string) {
	for _, f := range fills {
		for _, m := range f.Messages {
			at := func(t time.Time) string { return fmt.Sprint(t.Sub(zero).Seconds()) }
			switch m := m.(type) {
			case *probe.Sample:
				words = append(words, at(m.Time))
			case *probe.Gap:
				words = append(words, fmt.Sprintf("%s-%s %s", at(m.From), at(m.To), m.Reason))
			case *probe.Event:
				words = append(words, m.Kind+" "+at(m.Time))
			}
		}
	}
	return words
}

// start of a run whose host's wall clock is ten seconds ahead, in second i.
func start(run uint64, boot string, i, mono int, stopped bool) wire.Frame {
	return wire.Frame{Start: &wire.Start{
		Ring: ringName, Run: run, BootID: boot, Init: 5, Wall: zero.Add(time.Duration(i+10) * time.Second).UnixNano(),
		Mono: time.Duration(mono) * time.Second, Stopped: stopped,
	}}
}

// at is a reading of second i whose clocks agree with start(…, i-…).
func at(i, mono int, seq uint64) wire.Frame {
	s := &probe.Sample{Seq: seq, HostTime: zero.Add(time.Duration(i+10)*time.Second + 3*time.Millisecond), Mono: time.Duration(mono)*time.Second + 3*time.Millisecond}
	return wire.Frame{Sample: s}
}

func convert(t *testing.T, cursor string, clock Clock, limit int, frames ...wire.Frame) (words []string, last string) {
	t.Helper()
	var fills []*probe.Fill
	c := NewConverter(cursor, clock, zero.Add(time.Duration(limit)*time.Second), func(f *probe.Fill) error {
		fills = append(fills, f)
		return nil
	})
	for _, f := range frames {
		over, err := c.Frame(f)
		if err != nil {
			t.Fatal(err)
		}
		if over {
			break
		}
	}
	if err := c.Finish(); err != nil {
		t.Fatal(err)
	}
	if n := len(fills); n == 0 || !fills[n-1].Last {
		t.Fatal("the end is not told")
	}
	return said(fills), fills[len(fills)-1].Cursor
}

func TestConverter(t *testing.T) {
	// Boot a is connected: second i is its monotonic second 100+i.
	now := Clock{BootID: "a", Base: zero.Add(-100 * time.Second), Ahead: 10 * time.Second}
	event := func(i int) wire.Frame {
		return wire.Frame{Event: &probe.Event{Kind: "xid", Time: zero.Add(time.Duration(i+10)*time.Second + 500*time.Millisecond)}}
	}
	hole := func(from, to int, why string) wire.Frame {
		return wire.Frame{Hole: &wire.Hole{From: time.Duration(from) * time.Second, To: time.Duration(to) * time.Second, Reason: why}}
	}
	for _, c := range []struct {
		name   string
		clock  Clock
		limit  int
		frames []wire.Frame
		want   []string
	}{
		{"nothing", now, 9, nil, nil},
		{
			"up to the first live reading", now, 3,
			[]wire.Frame{start(1, "a", 0, 100, false), at(1, 101, 2), event(1), at(2, 102, 4), at(3, 103, 5), at(4, 104, 6)},
			[]string{"1", "xid 1.5", "2"},
		},
		{
			"the machine stood still", now, 8,
			[]wire.Frame{start(1, "a", 0, 100, false), at(1, 101, 2), at(5, 105, 3), at(6, 106, 4), at(7, 107, 5)},
			[]string{"1", "2-5 host", "5", "6", "7"},
		},
		{"two readings of one second", now, 4, []wire.Frame{start(1, "a", 0, 100, false), at(1, 101, 2), at(1, 101, 3), at(2, 102, 4), at(3, 103, 5)}, []string{"1", "2", "3"}},
		{
			"the disk was full", now, 8,
			[]wire.Frame{start(1, "a", 0, 100, false), at(1, 101, 2), start(1, "a", 0, 100, false), hole(102, 105, "disk"), at(6, 106, 4), at(7, 107, 5)},
			[]string{"1", "2-6 disk", "6", "7"},
		},
		{"a hole that is told again", now, 8, []wire.Frame{start(1, "a", 0, 100, false), at(6, 106, 2), hole(102, 105, "disk"), at(7, 107, 5)}, []string{"6", "7"}},
		{
			"killed, and its first readings found no space", now, 9,
			[]wire.Frame{start(1, "a", 0, 100, false), at(1, 101, 2), start(2, "a", 4, 104, false), hole(105, 106, "disk"), at(7, 107, 5), at(8, 108, 6)},
			[]string{"1", "2-5 agent", "5-7 disk", "7", "8"},
		},
		{
			"killed", now, 8,
			[]wire.Frame{start(1, "a", 0, 100, false), at(1, 101, 2), start(2, "a", 4, 104, false), at(5, 105, 2), at(6, 106, 3), at(7, 107, 4)},
			[]string{"1", "2-5 agent", "5", "6", "7"},
		},
		{"stopped by the person", now, 6, []wire.Frame{start(1, "a", 0, 100, false), at(1, 101, 2), start(2, "a", 4, 104, true), at(5, 105, 2)}, []string{"1", "2-5 paused", "5"}},
		{"killed and not back yet", now, 9, []wire.Frame{start(1, "a", 0, 100, false), at(1, 101, 2)}, []string{"1", "2-9 agent"}},
		{
			"a boot that was never connected", now, 60,
			[]wire.Frame{start(1, "old", 1, 7001, false), at(2, 7002, 2), event(2), start(2, "a", 50, 150, false), at(58, 158, 2), at(59, 159, 3)},
			[]string{"2", "xid 2.5", "3-58 host", "58", "59"},
		},
		{"only an earlier boot", now, 10, []wire.Frame{start(1, "old", 1, 7001, false), at(2, 7002, 2)}, []string{"2", "3-10 host"}},
		{"nobody knows the boot", Clock{Ahead: 10 * time.Second}, 4, []wire.Frame{start(1, "", 0, 100, false), at(2, 102, 2), at(3, 103, 3)}, []string{"2", "3"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			words, _ := convert(t, "", c.clock, c.limit, c.frames...)
			if !slices.Equal(words, c.want) {
				t.Errorf("%q, want %q", words, c.want)
			}
		})
	}
}

// TestTimesHoldBetweenConnections: the clock is measured a little differently
// each time, and a second must not move, or be left out, for that.
func TestTimesHoldBetweenConnections(t *testing.T) {
	var got []string
	cursor := ""
	for i, off := range []time.Duration{-300, -301, -299, -700, 100} { // around the turn of a second
		clock := Clock{BootID: "a", Base: zero.Add(-100*time.Second + (1000+off)%1000*time.Millisecond), Ahead: 10 * time.Second}
		var words []string
		words, cursor = convert(t, cursor, clock, 100, start(1, "a", 0, 100, false), at(i+1, 101+i, uint64(i+2)))
		got = append(got, words[0])
	}
	want := []string{"1.7", "2.7", "3.7", "4.7", "5.7"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	// Another boot later, with the first one still in the ring: its times stay
	// exact.
	words, _ := convert(t, cursor, Clock{BootID: "b", Base: zero, Ahead: time.Hour}, 100, start(1, "a", 0, 100, false), at(6, 106, 9))
	if words[0] != "6.7" {
		t.Errorf("%q", words)
	}
	// Our clock was set: the time of now holds.
	words, _ = convert(t, cursor, Clock{BootID: "a", Base: zero.Add(3500 * time.Second)}, 9000, start(1, "a", 0, 100, false), at(6, 106, 9))
	if words[0] != "3606" {
		t.Errorf("%q", words)
	}
}

func TestCursorOfAnotherRingOrNone(t *testing.T) {
	for _, c := range []string{"", "{", "nonsense", `{"at":"x.1.2"}`, `{"at":"` + ringName + `.zz.2"}`} {
		if from := NewConverter(c, Clock{}, zero, nil).From(); from != "" {
			t.Errorf("%q begins at %q", c, from)
		}
	}
	words, cursor := convert(t, "", Clock{BootID: "a", Base: zero.Add(-100 * time.Second)}, 50, start(1, "a", 0, 100, false), at(1, 101, 2))
	other := start(1, "a", 0, 100, false)
	other.Start.Ring = strings.Repeat("a", 32)
	again, _ := convert(t, cursor, Clock{BootID: "a", Base: zero.Add(-100 * time.Second)}, 3, other, at(1, 101, 2), at(2, 102, 3))
	if words[0] != "1" || !slices.Equal(again, []string{"1", "2"}) {
		t.Errorf("%q, of another ring %q", words, again)
	}
}

func TestConverterRefuses(t *testing.T) {
	now := Clock{BootID: "a", Base: zero.Add(-100 * time.Second)}
	for name, frames := range map[string][]wire.Frame{
		"no beginning":            {at(1, 101, 2)},
		"a name that is none":     {{Start: &wire.Start{Ring: "; rm -rf /", Run: 1}}},
		"no time":                 {start(1, "a", 0, 100, false), {Sample: &probe.Sample{Seq: 2}}},
		"before there were hosts": {start(1, "old", -40*365*86400, 0, false), at(1, 1, 2)},
	} {
		c := NewConverter("", now, zero.Add(time.Hour), func(*probe.Fill) error { return nil })
		var err error
		for _, f := range frames {
			if _, err = c.Frame(f); err != nil {
				break
			}
		}
		if !errors.Is(err, wire.ErrFrame) {
			t.Errorf("%s: %v", name, err)
		}
	}
	full := errors.New("our disk is full")
	c := NewConverter("", now, zero.Add(time.Hour), func(*probe.Fill) error { return full })
	for _, f := range []wire.Frame{start(1, "a", 0, 100, false), at(1, 101, 2)} {
		if _, err := c.Frame(f); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Finish(); !errors.Is(err, full) {
		t.Errorf("%v", err)
	}
}

// TestOneFillIsBounded: whatever a host sends, a fill stays small.
func TestOneFillIsBounded(t *testing.T) {
	n, most := 0, 0
	c := NewConverter("", Clock{BootID: "a", Base: zero.Add(-100 * time.Second)}, zero.Add(24*time.Hour), func(f *probe.Fill) error {
		n++
		most = max(most, len(f.Messages))
		return nil
	})
	big := &probe.Inventory{GPUs: make([]probe.Device, 256)}
	frames := []wire.Frame{start(1, "a", 0, 100, false)}
	for range 40 {
		frames = append(frames, wire.Frame{Inventory: big})
	}
	for range 20_000 {
		frames = append(frames, wire.Frame{Event: &probe.Event{Kind: "noise", Time: zero}})
	}
	for i := range 2000 {
		frames = append(frames, at(i+1, 101+i, uint64(i+2)))
	}
	for _, f := range frames {
		if over, err := c.Frame(f); over || err != nil {
			t.Fatal(over, err)
		}
	}
	if err := c.Finish(); err != nil {
		t.Fatal(err)
	}
	if n < 5 || most > fillWeight/2+2 || c.Seconds() != 2000 {
		t.Errorf("%d fills of at most %d messages, %d seconds", n, most, c.Seconds())
	}
}

func TestPlan(t *testing.T) {
	dir := t.TempDir() + "/resident"
	if _, err := LoadPlan(dir); !errors.Is(err, ErrNone) {
		t.Errorf("%v", err)
	}
	if s, err := Look(dir); err != nil || s.There {
		t.Errorf("%+v, %v", s, err)
	}
	p, err := Make(dir, time.Hour, 2<<20, zero)
	if err != nil || p.Life != time.Hour || p.MaxBytes != 2<<20 || p.Over(zero.Add(time.Hour-1)) || !p.Over(zero.Add(time.Hour)) ||
		p.Expired(zero.Add(24*time.Hour)) || !p.Expired(zero.Add(25*time.Hour)) {
		t.Fatalf("%+v, %v", p, err)
	}
	ring := p.Ring
	if _, err := Edit(dir, func(p *Plan) { p.Stopped = true }); err != nil {
		t.Fatal(err)
	}
	// Switched on again: the ring and what isn't named stay; the next run will say
	// that it had been stopped.
	p, err = Make(dir, 0, 4<<20, zero.Add(time.Minute))
	if err != nil || p.Ring != ring || p.Life != time.Hour || p.MaxBytes != 4<<20 || p.Stopped || !p.Paused ||
		p.Until != zero.Add(time.Hour+time.Minute).UnixNano() {
		t.Errorf("%+v, %v", p, err)
	}
	lock, err := Lock(dir)
	if err != nil || lock == nil || !Running(dir) {
		t.Fatalf("lock %v, %v", lock, err)
	}
	if second, err := Lock(dir); err != nil || second != nil {
		t.Errorf("a second lock %v, %v", second, err)
	}
	if err := lock.Unlock(); err != nil || Running(dir) {
		t.Errorf("still locked, %v", err)
	}
	s, err := Look(dir)
	if err != nil || !s.There || s.Running || s.MaxBytes != 4<<20 || s.Dir != dir {
		t.Errorf("%+v, %v", s, err)
	}
}
