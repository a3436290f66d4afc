package cli

import (
	"math"
	"strings"
)

// bareReasons has the limit and the reasons, and nothing to compare them with.
const bareReasons = "timestamp,name,utilization.gpu,memory.used,power.draw,power.limit,temperature.gpu,clocks.sm,clocks_throttle_reasons.active"

// smiOdd are logs that look like something that they aren't.
func smiOdd() []smiCase {
	t4 := smiT4
	t4.restP, t4.rest = 0, 27.5
	heavy := smiT4
	heavy.full, heavy.clock = 128, 1200
	small := func(name string, c smiCard, job smiJob, columns string, every, seconds float64, want ...string) smiCase {
		return smiCase{name: name, log: one(c, job, columns, every, seconds), want: want}
	}
	return []smiCase{
		small("T4 rests in P0 at two fifths of its limit", t4, rests(9200), fullColumns, 1, 10*minute, "idle info"),
		small("T4 rests in P0, utilisation not logged", t4, rests(9200), "timestamp,index,name,memory.used,power.draw,power.limit,temperature.gpu", 1, 10*minute, "idle info"),
		small("T4 far below its highest clock at its limit", heavy, after(smiFlux, 0, func(d *doing) { d.clock = 0.55 }), fullColumns, 1, 10*minute, "throttle.power info"),
		small("a limit that is a little lower", smi3090, after(smiFlux, 0, func(d *doing) { d.limit = 345 }), fullColumns, 1, 10*minute, "throttle.power info"),
		small("at its limit, highest clock not logged", smi3090, smiFlux, bareReasons, 1, 10*minute, "throttle.power info"),
		small("A100 at its limit, highest clock not logged", smiA100, after(smiFlux, 0, func(d *doing) { d.load *= 1.2 }), bareReasons, 1, 10*minute, "throttle.power info"),
		small("limit lowered, nothing but the limit logged", smi4090, after(smiFlux, 0, lowered), bareReasons, 1, 10*minute, "throttle.power warn"),
		small("limit lowered, nothing but the limit logged, every 5 s", smi3090, after(smiFlux, 0, func(d *doing) { d.limit = 250 }), bareReasons, 5, 10*minute, "throttle.power warn"),
		small("limit lowered, highest clock logged", smi4090, after(smiFlux, 0, lowered), strings.Replace(fullColumns, "power.default_limit,", "", 1), 1, 10*minute, "throttle.power warn"),
		{name: "MIG, and the column isn't logged", log: one(smiA100, smiFlux, fullColumns, 1, 10*minute).with(func(l *smiLog) {
			l.cell = func(column string, _ int, _ float64, v string) string {
				if strings.HasPrefix(column, "utilization.") {
					return "[N/A]"
				}
				return v
			}
		}), first: "not-enough-data", not: "stable idle bound.gpu"},
		small("counters that move at rest", smi2080, rests(612), fullColumns+",clocks_event_reasons_counters.sw_power_cap", 1, 10*minute, "idle info"),
		small("a limit that was raised", smi3090, after(smiFlux, 0, func(d *doing) { d.limit = 375 }), fullColumns, 1, 10*minute, "bound.gpu"),
		small("a limit that isn't reached", smi4090, after(smiFlux, 0, func(d *doing) { d.limit = 430 }), fullColumns, 1, 10*minute, "bound.gpu"),
		small("a card that waits for another at full utilisation", smiA100, after(smiHours, 0, func(d *doing) {
			if d.util > 20 {
				d.util, d.load = 100, 0.04
			}
		}), fullColumns, 1, 10*minute, "bound.gpu info"),
		{name: "no work and full power", log: one(smi4090, smiHours, fullColumns, 1, 10*minute).with(func(l *smiLog) {
			l.cell = func(column string, _ int, _ float64, v string) string {
				if strings.HasPrefix(column, "utilization.") {
					return "0 %"
				}
				return v
			}
		}), first: "not-enough-data", not: "idle", says: "yet the card draws"},
		small("a clock that jumps every few seconds", smi4090, func(t float64) doing {
			d := smiHours(t)
			if math.Mod(t, 9) < 4 {
				d.clock = 0.12
			}
			return d
		}, noReasons, 1, 10*minute, "unstable info"),
		{name: "a model from a slow disk", log: one(smi4090, paints(30, 700, 15200, 24, 1.6, 4, 8), fullColumns, 1, 15*minute), not: "idle"},
		{name: "two cards and nothing that tells them apart", log: smiLog{cards: []smiCard{smi4090, smi4090}, jobs: []smiJob{smiFlux, rests(412)}, columns: articleColumns, seconds: 10 * minute}, want: []string{"idle info", "bound.gpu"}},
		{name: "two cards and nothing that tells them apart, every 5 s", log: smiLog{cards: []smiCard{smi4090, smi4090}, jobs: []smiJob{smiFlux, rests(412)}, columns: articleColumns, every: 5, seconds: 10 * minute}, want: []string{"idle info", "bound.gpu"}},
		{name: "begun anew into one file", log: one(smi4090, smiFlux, fullColumns, 1, 8*minute).with(func(l *smiLog) {
			l.row = func(_ int, t float64, line string) string {
				if int(t) == 240 {
					return strings.ReplaceAll(fullColumns, ",", ", ") + "\n" + line
				}
				return line
			}
		}), want: []string{"bound.gpu"}},
		small("two runs that are alike", smi4090, func(t float64) doing {
			switch {
			case t < 600:
				return until(smiFlux, 590)(t)
			case t < 900:
				return rests(16000)(t)
			}
			return smiFlux(t - 900)
		}, fullColumns, 1, 30*minute, "stable good", "idle info"),
		small("the second run is slower", smi4090, func(t float64) doing {
			switch {
			case t < 600:
				return until(smiFlux, 590)(t)
			case t < 900:
				return rests(16000)(t)
			}
			d := smiFlux(t - 900)
			d.clock, d.load = 0.7, d.load*0.6
			return d
		}, noReasons, 1, 30*minute, "unstable warn"),
		small("utilisation that swings from minute to minute", smi4090, func(t float64) doing {
			d := smiHours(t)
			if int(t/170)%2 == 1 && d.util > 20 {
				d.util, d.load = 25, 0.3
			}
			return d
		}, fullColumns, 1, 20*minute, "unstable info"),
		small("a desktop at a few percent", smi3060, func(float64) doing { return doing{util: 3, load: 0.06, mem: 1300} }, fullColumns, 1, 10*minute, "idle info"),
		small("one reading", smi4090, smiFlux, fullColumns, 1, 0.5, "not-enough-data unknown"),
		small("so seldom that nothing can be said", smi4090, smiHours, fullColumns, 600, 8*hour, "not-enough-data unknown"),
		small("every five minutes", smi4090, until(smiHours, 3*hour), fullColumns, 300, 8*hour, "idle info"),
		small("the loop is a little late each time", smi4090, smiFlux, fullColumns, 1.37, 15*minute, "bound.gpu"),
	}
}
