package measured

import (
	"testing"
	"time"

	"rentgen/app/judge"
	"rentgen/app/plan"
	"rentgen/app/purse/meter"
	"rentgen/app/workload"
)

// BenchmarkOffered is what the notice takes after a keystroke: three starts, a share
// and the rhythms of three logs, on a plan with two offers.
func BenchmarkOffered(b *testing.B) {
	p, err := plan.Read([]byte(text))
	if err != nil {
		b.Fatal(err)
	}
	key := plan.Evaluate(workload.Load(), p).Fit.Job.Key()
	var ms []Measured
	for d := range 3 {
		ms = append(ms, FromLedger(autodl, start(10+d, key, 40, 20, 12, 5), "log 1")...)
		ms = append(ms, Gather(Of{Host: autodl, Phases: []judge.Phase{steady(int64(40+d), "h", 20+d, 300, 7)}})...)
	}
	ms = append(ms, FromSessions(autodl, []meter.SessionCost{{Session: meter.Session{Start: day(1), Last: day(1).Add(10 * time.Hour)}, BusyS: 9000, IdleS: 9000}})...)
	r := plan.Evaluate(workload.Load(), p)
	for b.Loop() {
		Offered(p, &r, ms)
	}
}
