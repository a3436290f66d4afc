package workload

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestHoursAtTheScreen(t *testing.T) {
	u := Use{Pattern: Screen, DaysPerWeek: 5, HoursPerSitting: 3, Pictures: Count{PerDay: 100}}
	h := HoursOf(u, 28, Band{8, 9, 12}, sure(120))
	if h.Sessions != 20 || h.Rented != sure(60) || h.SessionH != sure(3) || h.Machines != 1 || h.Pictures != 2000 {
		t.Errorf("%+v", h)
	}
	if h.Busy.Point != 5 || math.Abs(h.Idle.Point-55) > 1e-9 || math.Abs(h.IdleShare.Point-55.0/60) > 1e-9 || h.Short {
		t.Errorf("%+v", h)
	}
	u.Pictures = Count{Total: 30000} // 75 h
	if h = HoursOf(u, 28, Band{8, 9, 12}, sure(120)); !h.Short || h.Idle.Point != 0 || h.Busy.Point != 75 {
		t.Errorf("75 h of pictures in 60 h: %+v", h)
	}
}

func TestHoursOfALongRun(t *testing.T) {
	u := Use{Pattern: LongRun, Pictures: Count{PerDay: 400}}
	h := HoursOf(u, 30, Band{6.1, 6.5, 7.9}, Band{60, 180, 300})
	if h.Sessions != 30 || h.Pictures != 12000 || math.Abs(h.Busy.Point-21.666) > 0.001 || math.Abs(h.Idle.Point-1.5) > 1e-9 {
		t.Errorf("%+v", h)
	}
	if math.Abs(h.Rented.Point-23.1667) > 0.001 || math.Abs(h.SessionH.Point*30-h.Rented.Point) > 1e-9 {
		t.Errorf("%+v", h)
	}
	u = Use{Pattern: LongRun, Pictures: Count{Total: 1000}}
	if h = HoursOf(u, 30, sure(10), sure(0)); h.Sessions != 1 || h.Short {
		t.Errorf("%+v", h)
	}
	u.Pictures.Total = 1_000_000
	if h = HoursOf(u, 30, sure(10), sure(0)); !h.Short {
		t.Errorf("2,778 h in 30 days: %+v", h)
	}
}

func TestHoursOfATimetable(t *testing.T) {
	u := Use{Pattern: Timetable, Machines: 30, SittingsPerWeek: 2, HoursPerSitting: 2, Weeks: 3, Spares: 2, StartEarlyMin: 15, Pictures: Count{Total: 3600}}
	h := HoursOf(u, 21, sure(10), sure(300))
	if h.Machines != 32 || h.Sessions != 6 || h.SessionH != sure(2.25) || h.Rented != sure(32*6*2.25) || h.Busy.Point != 10 || h.Short {
		t.Errorf("%+v", h)
	}
	if d := SpanDays(u, 14); d != 21 {
		t.Errorf("three weeks need %d days", d)
	}
}

func TestHoursWithoutSeconds(t *testing.T) {
	u := Use{Pattern: Screen, DaysPerWeek: 7, HoursPerSitting: 1, Pictures: Count{PerDay: 1}}
	if h := HoursOf(u, 30, Band{}, sure(0)); !h.Unknown || h.Rented.Point != 30 {
		t.Errorf("%+v", h)
	}
	u.Pattern = LongRun
	if h := HoursOf(u, 30, Band{}, sure(60)); !h.Unknown || h.Rented.Point != 0 {
		t.Errorf("%+v", h)
	}
}

// TestHoursHold: bands in order, finite, idle within rented, sums that add up,
// and more pictures never less busy.
func TestHoursHold(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 1))
	for range 5000 {
		u := Use{
			Pattern:     []Pattern{Screen, LongRun, Timetable}[rnd.IntN(3)],
			DaysPerWeek: rnd.Float64() * 7, HoursPerSitting: rnd.Float64() * 24, Starts: rnd.IntN(40),
			Machines: 1 + rnd.IntN(50), SittingsPerWeek: 1 + rnd.IntN(6), Weeks: 1 + rnd.IntN(20), Spares: rnd.IntN(5), StartEarlyMin: rnd.IntN(60),
		}
		if rnd.IntN(2) == 0 {
			u.Pictures.PerDay = 1 + rnd.IntN(5000)
		} else {
			u.Pictures.Total = 1 + rnd.IntN(100000)
		}
		days := 1 + rnd.IntN(120)
		low := rnd.Float64() * 100
		secs := Band{low, low * (1 + rnd.Float64()), low * (2 + rnd.Float64())}
		start := Band{rnd.Float64() * 60, 60 + rnd.Float64()*60, 120 + rnd.Float64()*600}
		h := HoursOf(u, days, secs, start)
		for name, b := range map[string]Band{"busy": h.Busy, "rented": h.Rented, "idle": h.Idle, "share": h.IdleShare, "session": h.SessionH} {
			if !(0 <= b.Low && b.Low <= b.Point && b.Point <= b.High) || math.IsInf(b.High, 0) {
				t.Fatalf("%s %+v of %+v over %d days", name, b, u, days)
			}
		}
		if h.IdleShare.High > 1 || h.Idle.High > h.Rented.High+1e-9 || h.Sessions < 1 || h.Machines < 1 {
			t.Fatalf("%+v of %+v", h, u)
		}
		if !h.Short && math.Abs(h.Busy.Point+h.Idle.Point-h.Rented.Point) > 1e-6*h.Rented.Point {
			t.Fatalf("busy and idle are not rented: %+v of %+v", h, u)
		}
		if sum := h.SessionH.Point * float64(h.Sessions*h.Machines); math.Abs(sum-h.Rented.Point) > 1e-6*sum {
			t.Fatalf("sessions are not rented: %+v of %+v", h, u)
		}
		more := u
		more.Pictures = Count{PerDay: 2 * u.Pictures.PerDay, Total: 2 * u.Pictures.Total}
		if m := HoursOf(more, days, secs, start); m.Busy.Point < h.Busy.Point || m.Rented.Point < h.Rented.Point || h.Short && !m.Short {
			t.Fatalf("more pictures, less work: %+v, %+v", h, m)
		}
	}
	for _, odd := range []float64{math.NaN(), math.Inf(1), -1, 1e300} {
		h := HoursOf(Use{Pattern: LongRun, Pictures: Count{Total: 1_000_000_000}}, 1, Band{odd, odd, odd}, Band{odd, odd, odd})
		if math.IsNaN(h.Rented.High) || math.IsInf(h.Rented.High, 0) || h.Rented.High < 0 {
			t.Errorf("%v: %+v", odd, h)
		}
	}
}
