package alert

import (
	"testing"
	"time"
	_ "time/tzdata" // the test needs New York wherever it runs

	"rentgen/app/purse"
)

// TestQuietByTheClock crosses midnight and the days on which clocks are changed.
func TestQuietByTheClock(t *testing.T) {
	ny, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	night := Quiet{On: true, From: 23 * 60, To: 8 * 60}
	small := Quiet{On: true, From: 60, To: 3 * 60} // both change-overs lie in it
	for _, c := range []struct {
		q    Quiet
		at   time.Time
		want bool
	}{
		{night, time.Date(2026, 11, 30, 22, 59, 59, 0, ny), false},
		{night, time.Date(2026, 11, 30, 23, 0, 0, 0, ny), true},
		{night, time.Date(2026, 12, 1, 0, 0, 0, 0, ny), true},
		{night, time.Date(2026, 12, 1, 7, 59, 0, 0, ny), true},
		{night, time.Date(2026, 12, 1, 8, 0, 0, 0, ny), false},
		{Quiet{From: 23 * 60, To: 8 * 60}, time.Date(2026, 12, 1, 2, 0, 0, 0, ny), false},
		{Quiet{On: true}, time.Date(2026, 12, 1, 2, 0, 0, 0, ny), true},
		// 8 March 2026: 02:00 to 03:00 isn't there.
		{small, time.Date(2026, 3, 8, 6, 59, 0, 0, time.UTC).In(ny), true},
		{small, time.Date(2026, 3, 8, 7, 0, 0, 0, time.UTC).In(ny), false},
		// 1 November 2026: 01:00 to 02:00 is there twice.
		{small, time.Date(2026, 11, 1, 5, 30, 0, 0, time.UTC).In(ny), true},
		{small, time.Date(2026, 11, 1, 6, 30, 0, 0, time.UTC).In(ny), true},
		{small, time.Date(2026, 11, 1, 8, 0, 0, 0, time.UTC).In(ny), false},
	} {
		if got := c.q.Holds(c.at); got != c.want {
			t.Errorf("%+v at %v: %v", c.q, c.at, got)
		}
	}
	if got := UntilTomorrow(time.Date(2026, 3, 7, 20, 0, 0, 0, ny), Rules{Quiet: night}); got != time.Date(2026, 3, 8, 8, 0, 0, 0, ny) {
		t.Errorf("tomorrow is %v", got)
	}
	if got := UntilTomorrow(time.Date(2026, 12, 31, 1, 0, 0, 0, ny), Rules{Quiet: Quiet{On: true, From: 0, To: 9*60 + 30}}); got != time.Date(2027, 1, 1, 9, 30, 0, 0, ny) {
		t.Errorf("tomorrow is %v", got)
	}
}

func TestKeptRulesThatCantBeUsed(t *testing.T) {
	for _, s := range []string{``, `[]`, `{"heat_c": 900}`, `{"quiet": {"from": -5}}`, `{"idle_minutes": "x"}`} {
		r := readRules([]byte(s))
		if err := r.Check(); err != nil {
			t.Errorf("%s: %v", s, err)
		}
	}
	if r := readRules([]byte(`{"disk_gb": 20, "off": ["idle"]}`)); r.DiskGB != 20 || r.HeatC != 85 || r.On(purse.AlertIdle) || !r.On(purse.AlertHeat) {
		t.Errorf("%+v", r)
	}
	for _, k := range Kinds() {
		if name := ThresholdOf(k); name != "" && (&Rules{}).Threshold(name) == nil {
			t.Errorf("%s has no threshold %s", k, name)
		}
	}
}
