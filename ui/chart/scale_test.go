package chart

import (
	"math"
	"testing"
	"time"

	"rentgen/assets/texts"
)

func TestNiceTop(t *testing.T) {
	for _, c := range []struct {
		v         float64
		n         int
		top, step float64
	}{
		{450, 5, 500, 100},
		{97, 5, 100, 20},
		{0.7, 4, 0.8, 0.2},
		{2520, 5, 3000, 1000},
		{0, 4, 1, 0.25},
		{math.NaN(), 4, 1, 0.25},
		{math.Inf(1), 4, 1, 0.25},
		{-3, 4, 1, 0.25},
		{100, 1, 100, 100},
	} {
		if top, step := niceTop(c.v, c.n); math.Abs(top-c.top) > 1e-9 || math.Abs(step-c.step) > 1e-9 {
			t.Errorf("niceTop(%v, %d) = %v, %v; want %v, %v", c.v, c.n, top, step, c.top, c.step)
		}
	}
	for v := 0.001; v < 1e7; v *= 1.37 {
		for n := 1; n < 9; n++ {
			top, step := niceTop(v, n)
			if top < v*(1-1e-9) || top > v*10.01 || top/step > float64(n)+1e-6 {
				t.Fatalf("niceTop(%v, %d) = %v in steps of %v", v, n, top, step)
			}
			if top, step = niceMiB(v, n); top < v*(1-1e-9) || top/step > float64(n)+1e-6 {
				t.Fatalf("niceMiB(%v, %d) = %v in steps of %v", v, n, top, step)
			}
		}
	}
}

func TestAxisLabels(t *testing.T) {
	for _, c := range []struct {
		unit        string
		fixed, high float64
		want        []string
		unitLabel   string
	}{
		{"%", 100, 3, []string{"0", "20", "40", "60", "80", "100"}, "%"},
		{"MiB", 24564, 0, []string{"0", "6", "12", "18", "24"}, "GiB"},
		{"MiB", 0, 700, []string{"0", "256", "512", "768"}, "MiB"},
		{"MHz", 0, 2520, []string{"0", "1,000", "2,000", "3,000"}, "MHz"},
		{"MB/s", 0, 23000, []string{"0", "5k", "10k", "15k", "20k", "25k"}, "MB/s"},
		{"W", 0, 450, []string{"0", "100", "200", "300", "400", "500"}, "W"},
		{"cores", 0, 7.5, []string{"0", "2", "4", "6", "8"}, ""},
	} {
		a := newAxis(c.unit, c.fixed, c.high, 5)
		var got []string
		for v := 0.0; v <= a.top*1.0001; v += a.step {
			got = append(got, a.label(v))
		}
		if len(got) != len(c.want) {
			t.Errorf("%s %v: labels %q, want %q", c.unit, c.high, got, c.want)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%s %v: labels %q, want %q", c.unit, c.high, got, c.want)
				break
			}
		}
		if a.unitLabel() != c.unitLabel {
			t.Errorf("%s: unit %q, want %q", c.unit, a.unitLabel(), c.unitLabel)
		}
	}
}

// inZone runs f with the local zone set, since the axis is in local time.
func inZone(t *testing.T, name string, f func()) {
	t.Helper()
	l, err := time.LoadLocation(name)
	if err != nil {
		t.Skip("no zone data: ", err)
	}
	old := time.Local
	time.Local = l
	defer func() { time.Local = old }()
	f()
}

func TestTimeTicks(t *testing.T) {
	c := texts.For(texts.English)
	inZone(t, "Asia/Shanghai", func() {
		start := time.Date(2026, 11, 29, 10, 40, 3, 0, time.Local)
		for _, s := range []struct {
			span  time.Duration
			n     int
			first string
		}{
			{time.Second, 5, "10:40:03.000"},
			{10 * time.Second, 5, "10:40:04"},
			{20 * time.Minute, 5, "10:45"},
			{6 * time.Hour, 6, "11:00"},
			{3 * 24 * time.Hour, 6, "12:00"},
			{30 * 24 * time.Hour, 8, "6 Dec"},
			{300 * 24 * time.Hour, 6, "1 Jan"},
		} {
			ticks := timeTicks(nil, c, start.UnixMilli(), start.Add(s.span).UnixMilli(), s.n)
			if len(ticks) == 0 || ticks[0].label != s.first {
				t.Errorf("%v: first tick %+v, want %q", s.span, ticks, s.first)
			}
		}
	})
	for _, zone := range []string{"UTC", "Asia/Shanghai", "Asia/Kathmandu", "Europe/Berlin", "America/St_Johns"} {
		inZone(t, zone, func() {
			for _, day := range []time.Time{
				time.Date(2026, 3, 28, 13, 7, 11, 0, time.Local), time.Date(2026, 10, 24, 23, 59, 59, 0, time.Local),
			} {
				for span := time.Second; span < 6*365*24*time.Hour; span = span * 17 / 10 {
					checkTicks(t, c, day.UnixMilli(), day.Add(span).UnixMilli(), 6)
				}
			}
		})
	}
}

func checkTicks(t *testing.T, c *texts.Catalogue, from, to int64, n int) {
	t.Helper()
	ticks := timeTicks(nil, c, from, to, n)
	if len(ticks) == 0 || len(ticks) > n+2 {
		t.Errorf("%v, %v: %d ticks, want 1 to %d", time.Local, time.Duration(to-from)*time.Millisecond, len(ticks), n+2)
	}
	for i, k := range ticks {
		if k.t < from || k.t > to || i > 0 && k.t <= ticks[i-1].t {
			t.Fatalf("%v: tick %d at %v is out of order or of view", time.Local, i, time.UnixMilli(k.t))
		}
	}
}
