package series

import (
	"testing"
	"time"

	"rentgen/probe"
)

// paced runs a scripted trace through a series that is read at the seconds
// given; script says what a second reads, nil for nothing.
func paced(every, seconds int, script func(sec int) set) (phases []*Segment, windows int, s *Series) {
	s = New(Params{Closed: func(g *Segment) {
		switch {
		case g.GPU == "":
		case g.Window:
			windows++
		default:
			phases = append(phases, g)
		}
	}})
	for i := 0; i < seconds; i += every {
		if m := script(i); m != nil {
			s.Add(at(float64(i), m))
		}
	}
	s.Close()
	return phases, windows, s
}

// TestSlowLogs cuts logs that are read every few seconds: no gaps between the
// readings, and no phase of a single one.
func TestSlowLogs(t *testing.T) {
	without := func(f func(int) set, from, to int) func(int) set {
		return func(i int) set {
			if i >= from && i < to {
				return nil
			}
			return f(i)
		}
	}
	working := func(int) set { return work() }
	pause := func(at, long int) func(int) set {
		return func(i int) set {
			if i >= at && i < at+long {
				return quiet()
			}
			return work()
		}
	}
	for _, c := range []struct {
		name           string
		every, seconds int
		script         func(int) set
		want           string
		step, covered  int
	}{
		{"every 2 s", 2, 120, working, "busy 0-119 ", 2, 119},
		{"every 5 s", 5, 600, working, "busy 0-596 ", 5, 596},
		{"every 10 s", 10, 600, working, "busy 0-591 ", 10, 591},
		{"every 30 s", 30, 1800, working, "busy 0-1771 ", 30, 1771},
		{"every minute", 60, 7200, working, "busy 0-7141 ", 60, 7141},
		{"every 5 min", 300, 7200, working, "busy 0-6901 ", 300, 6901},
		{"so seldom that none stands for the next", 400, 2000, working, "busy 0-1 gap 1-400 busy 400-401 gap 401-800 busy 800-801 gap 801-1200 busy 1200-1201 gap 1201-1600 busy 1600-1601 ", 1, 5},
		{"one reading in a pause", 30, 1800, pause(900, 30), "busy 0-1771 ", 30, 1771},
		{"two readings in a pause", 30, 1800, pause(900, 60), "busy 0-900 idle 900-960 busy 960-1771 ", 30, 1771},
		{"a pause of two readings is short", 5, 600, pause(300, 10), "busy 0-596 ", 5, 596},
		{"a blink of work", 5, 600, func(i int) set {
			if i == 300 {
				return work()
			}
			return quiet()
		}, "idle 0-596 ", 5, 596},
		{"one reading is missing", 5, 600, without(working, 300, 305), "busy 0-596 ", 5, 587},
		{"one reading is missing, every minute", 60, 7200, without(working, 3600, 3660), "busy 0-7141 ", 60, 7022},
		{"a minute is missing", 5, 600, without(working, 300, 360), "busy 0-296 gap 296-360 busy 360-596 ", 5, 532},
		{"a blip of a fast log", 1, 100, without(working, 50, 58), "busy 0-100 ", 1, 92},
	} {
		t.Run(c.name, func(t *testing.T) {
			list, _, s := paced(c.every, c.seconds, c.script)
			if got := shape(list); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if s.Seconds() != c.covered || s.Step() != time.Duration(c.step)*time.Second {
				t.Errorf("%d s covered at a step of %v, want %d and %d s", s.Seconds(), s.Step(), c.covered, c.step)
			}
		})
	}
}

// TestHeldSecondsKeepTheirReading counts a slow log's statistics by time.
func TestHeldSecondsKeepTheirReading(t *testing.T) {
	held, seen := 0, 0
	s := New(Params{Second: func(s *Second) {
		switch {
		case s.Card == nil:
		case s.Held:
			held++
		default:
			seen++
		}
		if s.Card != nil && s.V(probe.Power) != float64(300+s.T/5%7) {
			t.Errorf("second %d reads %g", s.T, s.V(probe.Power))
		}
	}})
	for i := range 40 {
		m := at(0, work())
		m.Time = time.Unix(int64(1000000000+5*i), 0)
		m.GPUs[0].Set(probe.Power, probe.Of(float64(300+(m.Time.Unix()/5)%7)))
		s.Add(m)
	}
	s.Close()
	if seen != 40 || held != 39*4 {
		t.Errorf("%d seen and %d held", seen, held)
	}
}

// TestWindowsOfSlowLogs have a dozen readings at least.
func TestWindowsOfSlowLogs(t *testing.T) {
	for every, want := range map[int]int{1: 60, 5: 60, 10: 30, 30: 10} {
		if _, n, _ := paced(every, 3600, func(int) set { return work() }); n != want {
			t.Errorf("every %d s: %d windows, want %d", every, n, want)
		}
	}
}

// TestPowerAgainstUtilisation believes no utilisation of 0 at full power, and
// doubts none for power that lags behind.
func TestPowerAgainstUtilisation(t *testing.T) {
	full := set{probe.UtilGPU: 0, probe.Power: 380, probe.PowerCap: 450, probe.MemUsed: 12000}
	for _, c := range []struct {
		name   string
		every  int
		script func(int) set
		want   string
	}{
		{"no work and full power", 1, func(int) set { return full }, "idle 0-4 unread 4-300 "},
		{"with pauses", 1, func(i int) set {
			if i%25 >= 22 {
				return quiet()
			}
			return full
		}, "idle 0-4 unread 4-300 "},
		{"and then rest", 1, func(i int) set {
			if i >= 100 {
				return quiet()
			}
			return full
		}, "idle 0-4 unread 4-115 idle 115-300 "},
		{"power lags behind at every pause", 1, func(i int) set {
			switch m := i % 40; {
			case m == 27:
				return full
			case m > 27:
				return quiet()
			}
			return work()
		}, "busy 0-300 "},
		{"one reading of a slow log", 30, func(i int) set {
			if i == 90 {
				return full
			}
			return quiet()
		}, "idle 0-271 "},
	} {
		list, _, _ := paced(c.every, 300, c.script)
		if got := shape(list); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}
