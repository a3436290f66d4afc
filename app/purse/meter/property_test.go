package meter

import (
	"math/rand/v2"
	"testing"
	"time"

	"rentgen/app/money"
	"rentgen/app/purse/tariff"
	"rentgen/probe"
)

// TestProperties drives random lives of an instance through the meter: the cost
// never falls, idle is never more than all, the days come to the sessions, and
// when the stop becomes known the right cost lies in the band that was shown.
func TestProperties(t *testing.T) {
	for seed := range uint64(24) {
		rnd := rand.New(rand.NewPCG(seed, 5))
		r := newRig(t, time.Date(2026, 11, 29, 20+rnd.IntN(4), rnd.IntN(60), rnd.IntN(60), rnd.IntN(2)*123_456_789, shanghai))
		r.price([]tariff.Typed{autodl, {PerHour: "1.88", Currency: "CNY"}, {PerHour: "0.7", Provider: "runpod"}}[rnd.IntN(3)])
		var last money.Rat
		never := func() {
			g := r.glance()
			if g.Month.Point.Less(last) {
				t.Fatalf("seed %d: the cost falls from %s to %s", seed, last, g.Month.Point)
			}
			last = g.Month.Point
			if g.Today.High.Less(g.TodayIdle.High) || g.Today.Point.Less(g.TodayIdle.Point) {
				t.Fatalf("seed %d: idle %v of %v", seed, g.TodayIdle, g.Today)
			}
		}
		for run := range 4 {
			r.boot(string(rune('a'+run)), time.Duration(rnd.IntN(300))*time.Second)
			for range 1 + rnd.IntN(4) {
				r.look(time.Duration(rnd.IntN(900))*time.Second, []float64{-1, 0, 80}[rnd.IntN(3)])
				never()
				switch rnd.IntN(4) {
				case 0:
					r.save()
					r.open()
					never()
					r.connect(probe.ModeGPU)
				case 1:
					r.now = r.now.Add(time.Duration(rnd.IntN(3600)) * time.Second)
					r.connect(probe.ModeGPU)
				}
			}
			seen := r.now
			r.now = r.now.Add(time.Duration(rnd.IntN(5400)) * time.Second)
			before := r.glance().Session
			stop := seen.Add(time.Duration(rnd.Int64N(int64(r.now.Sub(seen)) + 1)))
			if rnd.IntN(2) == 0 {
				if err := r.book.Stopped(t.Context(), host, stop, ByBill); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				if after := r.glance().Session; after.Low.Less(before.Low) || before.High.Less(after.High) {
					t.Fatalf("seed %d: %v is not in %v", seed, after, before)
				}
			}
			never()
			r.now = r.now.Add(10 * time.Minute)
		}
		a, _ := r.book.Account(host)
		var sessions, days money.Rat
		for _, s := range a.Sessions {
			sessions = sessions.Add(s.Cost.Point)
			if total := s.BusyS + s.IdleS + s.UnknownS; total > int64(s.Ends[1].Sub(s.Start).Seconds())+1 {
				t.Fatalf("seed %d: %d s of %v", seed, total, s)
			}
		}
		for _, d := range a.Days {
			days = days.Add(d.Cost.Point)
		}
		if sessions.Cmp(days) != 0 || sessions.Cmp(a.Glance.Month.Point) != 0 {
			t.Fatalf("seed %d: sessions %s, days %s, month %s", seed, sessions, days, a.Glance.Month.Point)
		}
		lines := money.Rat{}
		for _, l := range a.Lines {
			lines = lines.Add(l.Actual.Point)
		}
		if lines.Cmp(a.Glance.Month.Point) != 0 {
			t.Fatalf("seed %d: lines come to %s of %s", seed, lines, a.Glance.Month.Point)
		}
	}
}
