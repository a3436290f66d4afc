package throttle

import (
	"testing"
	"time"

	"rentgen/app/judge"
	"rentgen/app/judge/series"
	"rentgen/probe"
)

// readings of one second.
type readings struct {
	util, clock, power, limit, temp float64
	bits                            uint64
}

// window runs a minute and another one and returns what the second means.
func window(t *testing.T, d probe.Device, set judge.Setting, before, now readings) []judge.Verdict {
	t.Helper()
	return changing(t, d, set, before, now, 60)
}

// changing runs two minutes whose readings change at a second, and returns what
// the second minute means.
func changing(t *testing.T, d probe.Device, set judge.Setting, before, now readings, change int) []judge.Verdict {
	t.Helper()
	rules := Rules()
	var out []judge.Verdict
	s := series.New(series.Params{Rules: rules, Closed: func(g *series.Segment) {
		if rules[0].Asked(g) {
			out = rules[0].Judge(&series.Case{Segment: g, Tally: g.Tallies[0], Setting: set})
		}
	}})
	d.UUID = "GPU-a"
	s.Add(&probe.Inventory{GPUs: []probe.Device{d}})
	for i := range 120 {
		r := before
		if i >= change {
			r = now
		}
		g := probe.GPU{UUID: "GPU-a"}
		for m, v := range map[probe.Metric]float64{
			probe.UtilGPU: r.util, probe.ClockSM: r.clock, probe.Power: r.power, probe.PowerCap: r.limit, probe.Temp: r.temp,
		} {
			if v > 0 {
				g.Set(m, probe.Of(v))
			}
		}
		g.Set(probe.EventReasons, probe.OfMask(r.bits))
		s.Add(&probe.Sample{Time: time.Unix(int64(1000+i), 0), GPUs: []probe.GPU{g}})
	}
	s.Close()
	return out
}

func TestHeld(t *testing.T) {
	device := probe.Device{ClockMaxSM: probe.Of(3105), PowerDefault: probe.Of(450), TempSlow: probe.Of(90)}
	fine := readings{97, 2730, 400, 450, 65, 0}
	with := func(f func(r *readings)) readings { r := fine; f(&r); return r }
	for _, c := range []struct {
		name  string
		now   readings
		kind  judge.Kind
		level judge.Level
		say   string
	}{
		{"nothing", fine, "", "", ""},
		{"a bit and no lower clock", with(func(r *readings) { r.bits = ReasonHeat }), "", "", ""},
		{"a lower clock and no bit", with(func(r *readings) { r.clock = 1900 }), "", "", ""},
		{"heat", with(func(r *readings) { r.bits, r.clock, r.temp = ReasonHeat, 2200, 88 }), judge.ThrottleThermal, judge.Warn, "throttle.thermal"},
		{"heat in hardware", with(func(r *readings) { r.bits, r.clock, r.temp = ReasonSlowdown|ReasonHardwareHeat, 1500, 91 }), judge.ThrottleThermal, judge.Warn, "throttle.thermal"},
		{"heat, temperature unread", with(func(r *readings) { r.bits, r.clock, r.temp = ReasonHeat, 2200, 0 }), judge.ThrottleThermal, judge.Warn, "throttle.thermal.untold"},
		{"brake", with(func(r *readings) { r.bits, r.clock = ReasonSlowdown|ReasonBrake, 1300 }), judge.ThrottleBrake, judge.Warn, "throttle.brake"},
		{"untold and hot", with(func(r *readings) { r.bits, r.clock, r.temp = ReasonSlowdown, 1300, 89 }), judge.ThrottleThermal, judge.Warn, "throttle.thermal"},
		{"untold and cool", with(func(r *readings) { r.bits, r.clock = ReasonSlowdown, 1300 }), judge.ThrottleBrake, judge.Warn, "throttle.brake"},
		{"sync", with(func(r *readings) { r.bits, r.clock = ReasonSync, 2000 }), judge.ThrottleSync, judge.Warn, "throttle.sync"},
		{"sync, little", with(func(r *readings) { r.bits, r.clock = ReasonSync, 2520 }), judge.ThrottleSync, judge.Info, "throttle.sync"},
		{"usual limit", with(func(r *readings) { r.bits, r.clock, r.power = ReasonPowerCap, 2520, 449 }), judge.ThrottlePower, judge.Info, "throttle.power"},
		{"far below the limit", with(func(r *readings) { r.bits, r.clock, r.power = ReasonPowerCap, 2500, 98 }), "", "", ""},
		{"lowered limit", with(func(r *readings) { r.bits, r.clock, r.power, r.limit = ReasonPowerCap, 2100, 299, 300 }), judge.ThrottlePower, judge.Warn, "throttle.power.lowered"},
		{"lowered limit that hardly bites", with(func(r *readings) { r.bits, r.clock, r.power, r.limit = ReasonPowerCap, 2680, 399, 400 }), judge.ThrottlePower, judge.Info, "throttle.power.lowered"},
		{"usual limit and half the clock", with(func(r *readings) { r.bits, r.clock, r.power = ReasonPowerCap, 1200, 449 }), judge.ThrottlePower, judge.Warn, "throttle.power.large"},
		{"limit unread", with(func(r *readings) { r.bits, r.clock, r.power, r.limit = ReasonPowerCap, 2500, 0, 0 }), judge.ThrottlePower, judge.Info, "throttle.power.untold"},
		{"clock unread", with(func(r *readings) { r.bits, r.clock = ReasonHeat, 0 }), "", "", ""},
		{"clocks of an application", with(func(r *readings) { r.bits, r.clock = ReasonApplication, 1900 }), "", "", ""},
		{"clocks for a display", with(func(r *readings) { r.bits, r.clock = ReasonDisplay, 1900 }), "", "", ""},
		{"rest", with(func(r *readings) { r.bits, r.clock, r.util = ReasonIdle|ReasonHeat, 210, 0 }), "", "", ""},
		{"a bit that is not known", with(func(r *readings) { r.bits, r.clock = 1<<20, 1900 }), "", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := window(t, device, judge.Setting{}, fine, c.now)
			if c.kind == "" {
				if len(got) != 0 {
					t.Errorf("got %+v", got)
				}
				return
			}
			if len(got) != 1 || got[0].Kind != c.kind || got[0].Level != c.level || got[0].Say.Key != "judge.say."+c.say {
				t.Errorf("got %+v", got)
			}
		})
	}
}

// TestExpected holds where the clock that a card should have comes from.
func TestExpected(t *testing.T) {
	hot := readings{97, 2200, 380, 450, 88, ReasonHeat}
	key := probe.ClockSM.String()
	for _, c := range []struct {
		name    string
		max     probe.Value
		before  readings
		earlier []judge.Phase
		want    float64 // clock expected, 0 for no verdict
		doubts  int
	}{
		{"its own better minute", probe.Of(3105), readings{97, 2730, 400, 450, 60, 0}, nil, 2730, 0},
		{"its own better minute though less than usual", probe.Of(3105), readings{97, 2500, 400, 450, 60, 0}, nil, 2500, 0},
		{"only this state was seen", probe.Of(3105), hot, nil, 2639, 1},
		{"an earlier run", probe.Of(3105), hot, []judge.Phase{{GPU: "GPU-a", Stats: map[string]judge.Stat{key: {N: 600, P50: 2745}}}}, 2745, 0},
		{"an earlier run of another card", probe.Of(3105), hot, []judge.Phase{{GPU: "GPU-b", Card: "T4", Stats: map[string]judge.Stat{key: {N: 600, P50: 2900}}}}, 2639, 1},
		{"nothing is known", probe.Missing(probe.Denied, ""), hot, nil, 0, 0},
	} {
		got := window(t, probe.Device{ClockMaxSM: c.max}, judge.Setting{Earlier: c.earlier}, c.before, hot)
		switch {
		case c.want == 0 && len(got) == 0:
		case len(got) != 1 || got[0].Numbers["clock_expected"].Value != c.want || len(got[0].Doubts) != c.doubts:
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

func TestNextStepByTrack(t *testing.T) {
	fine, hot := readings{97, 2730, 400, 450, 65, 0}, readings{97, 2200, 380, 450, 88, ReasonHeat}
	for track, want := range map[string]string{"": "judge.next.throttle.thermal", "shared": "judge.next.throttle.thermal", "dedicated": "judge.next.throttle.thermal.dedicated"} {
		got := window(t, probe.Device{ClockMaxSM: probe.Of(3105)}, judge.Setting{Track: track}, fine, hot)
		if len(got) != 1 || got[0].Next.Key != want {
			t.Errorf("%q: %+v", track, got)
		}
	}
}
