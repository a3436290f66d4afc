package cli

import (
	"math"
	"strings"
	"time"
)

// smiCase is a labelled log.
type smiCase struct {
	name  string
	log   smiLog
	text  func(string) string // what becomes of the text before it is judged
	words []string            // further words of the command line
	// want must be there, "kind" or "kind level"; first is what the headline may
	// be, nothing for any of want.
	want  []string
	first string
	says  string // part of the headline
	alarm bool   // a warning is right here
	not   string // kinds that would be wrong, apart from warnings
}

func one(c smiCard, job smiJob, columns string, every, seconds float64) smiLog {
	return smiLog{cards: []smiCard{c}, jobs: []smiJob{job}, columns: columns, every: every, seconds: seconds}
}

func (l smiLog) with(f func(l *smiLog)) smiLog { f(&l); return l }

const (
	minute = 60.0
	hour   = 3600.0
)

const (
	fewColumns    = "timestamp,utilization.gpu,power.draw,temperature.gpu"
	graphicsClock = "timestamp,index,name,utilization.gpu,memory.used,memory.total,power.draw,power.limit,temperature.gpu,clocks.gr,clocks.mem"
	reasonColumns = "timestamp,index,name,utilization.gpu,memory.used,memory.total,power.draw,power.limit,temperature.gpu,clocks.sm,clocks.max.sm,clocks_throttle_reasons.gpu_idle,clocks_throttle_reasons.sw_power_cap,clocks_throttle_reasons.hw_slowdown,clocks_throttle_reasons.sw_thermal_slowdown,clocks_throttle_reasons.hw_thermal_slowdown,clocks_throttle_reasons.hw_power_brake_slowdown"
	noReasons     = "timestamp,index,uuid,name,utilization.gpu,memory.used,memory.total,power.draw,power.limit,temperature.gpu,clocks.sm"
	eccColumns    = noReasons + ",ecc.errors.corrected.volatile.total,ecc.errors.uncorrected.volatile.total"
)

func hot(d *doing)     { d.reasons, d.clock, d.air = 0x20, 0.78, 47 }
func lowered(d *doing) { d.limit = 300 }

// smiClean are logs of cards with which nothing is wrong.
func smiClean() []smiCase {
	works := func(name string, l smiLog) smiCase {
		return smiCase{name: name, log: l, want: []string{"bound.gpu", "stable good"}, not: "idle unstable not-enough-data"}
	}
	list := []smiCase{
		works("4090 paints", one(smi4090, smiSDXL, fullColumns, 1, 10*minute)),
		works("4090 paints, every 2 s", one(smi4090, smiFlux, fullColumns, 2, 20*minute)),
		works("4090 paints, every 5 s", one(smi4090, smiFlux, fullColumns, 5, 20*minute)),
		works("4090 paints, every 10 s", one(smi4090, smiFlux, fullColumns, 10, 40*minute)),
		works("4090 paints, every 30 s", one(smi4090, smiHours, fullColumns, 30, 2*hour)),
		works("4090 paints, every minute", one(smi4090, smiHours, fullColumns, 60, 8*hour)),
		works("4090 paints, five a second", one(smi4090, smiFlux, fullColumns, 0.2, 4*minute)),
		works("3090 at its limit", one(smi3090, smiFlux, fullColumns, 1, 10*minute)),
		works("3090 at its limit, every 5 s", one(smi3090, smiFlux, fullColumns, 5, 15*minute)),
		works("5090 at its limit, video", one(smi5090, smiVideo, fullColumns, 2, 15*minute)),
		works("H100 at its limit", one(smiH100, smiVideo, fullColumns, 1, 10*minute)),
		works("A100 trains", one(smiA100, smiTrain, fullColumns, 10, hour)),
		works("3060 small pictures", one(smi3060, smiFlux, graphicsClock, 1, 10*minute)),
		works("L4 at its limit", one(smiL4, smiFlux, fullColumns, 1, 10*minute)),
		works("T4 at its limit", one(smiT4, smiFlux, fullColumns, 1, 10*minute)),
		works("reasons by column", one(smi3090, smiFlux, reasonColumns, 1, 10*minute)),
		works("no reasons", one(smi3090, smiFlux, noReasons, 1, 10*minute)),
		works("the vendor's columns", one(smi4090, smiFlux, vendorColumns, 5, 15*minute)),
		works("the article's columns", one(smi4090, smiFlux, articleColumns, 1, 10*minute)),
		works("the article's columns, every 5 s", one(smi4090, smiFlux, articleColumns, 5, 10*minute)),
		works("few columns", one(smi4090, smiFlux, fewColumns, 1, 10*minute)),
		works("without units", one(smi4090, smiFlux, fullColumns, 1, 5*minute).with(func(l *smiLog) { l.nounits = true })),
		works("PCIe of the third generation", one(smi2080, smiFlux, fullColumns, 1, 10*minute)),
		works("hot and not slowed", one(smi3090, after(smiFlux, 0, func(d *doing) { d.air = 36 }), fullColumns, 1, 10*minute)),
		works("two cards", smiLog{cards: []smiCard{smi4090, smi4090}, jobs: []smiJob{smiFlux, smiFlux}, columns: fullColumns, seconds: 10 * minute}),
		works("eight cards, every 5 s", smiLog{cards: []smiCard{smiA100, smiA100, smiA100, smiA100, smiA100, smiA100, smiA100, smiA100}, jobs: []smiJob{smiTrain}, columns: fullColumns, every: 5, seconds: 20 * minute}),
		works("bits of a P-state that changes", one(smi4090, func(t float64) doing {
			d := smiFlux(t)
			if math.Mod(t, 26) < 2 {
				d.reasons |= 8
			}
			return d
		}, fullColumns, 1, 10*minute)),
		works("a power bit far below the limit", one(smi2080, func(t float64) doing {
			d := smiFlux(t)
			if math.Mod(t, 5) < 2 {
				d.reasons |= 4
			}
			return d
		}, fullColumns, 1, 10*minute)),
		works("clocks of an application", one(smiA100, after(smiTrain, 0, func(d *doing) { d.reasons, d.clock = 2, 0.78 }), fullColumns, 1, 10*minute)),
		works("heat bits without a lower clock", one(smi3090, func(t float64) doing {
			d := smiFlux(t)
			d.air = 38
			if math.Mod(t, 7) < 1 {
				d.reasons |= 0x20
			}
			return d
		}, fullColumns, 1, 10*minute)),
		works("one cell of another column", one(smi4090, smiFlux, fullColumns, 1, 10*minute).with(func(l *smiLog) {
			l.cell = func(column string, _ int, t float64, v string) string {
				if int(t) == 200 && column == "utilization.gpu" {
					return "2619 %"
				}
				if int(t) == 300 && column != "timestamp" && column != "uuid" && column != "index" {
					return "[Unknown Error]"
				}
				return v
			}
		})),
		works("as PowerShell writes it", one(smi4090, smiFlux, fullColumns, 1, 5*minute)),
		works("without a heading", one(smi4090, smiFlux, noReasons, 1, 5*minute)),
		works("lines of another library", one(smi4090, smiFlux, fullColumns, 1, 5*minute).with(func(l *smiLog) {
			l.row = func(_ int, t float64, line string) string {
				if int(t)%40 == 7 {
					return "[HAMI-core Msg(187:140077780113216:libvgpu.c:836)]: Initializing.....\n" + line
				}
				return line
			}
		})),
		works("three minutes are missing", one(smi4090, smiFlux, fullColumns, 1, 12*minute).with(func(l *smiLog) {
			l.row = func(_ int, t float64, line string) string {
				if t > 300 && t < 480 {
					return ""
				}
				return line
			}
		})),
		works("every seventh reading is missing, every 5 s", one(smi4090, smiFlux, fullColumns, 5, 20*minute).with(func(l *smiLog) {
			l.row = func(_ int, t float64, line string) string {
				if int(t/5)%7 == 3 {
					return ""
				}
				return line
			}
		})),
		works("the clock goes back by an hour", one(smi4090, smiFlux, fullColumns, 1, 15*minute).with(func(l *smiLog) {
			l.clock = func(t float64, at time.Time) time.Time {
				if t > 600 {
					return at.Add(-time.Hour)
				}
				return at
			}
		})),
		works("a clock that is ten years behind", one(smi4090, smiFlux, fullColumns, 1, 5*minute).with(func(l *smiLog) {
			l.start = time.Date(2016, 1, 1, 0, 0, 4, 0, time.UTC)
		})),
	}
	for i := range list {
		switch list[i].name {
		case "as PowerShell writes it":
			list[i].text = utf16Text
		case "without a heading":
			list[i].text = func(s string) string { _, rest, _ := strings.Cut(s, "\n"); return rest }
			list[i].words = []string{"--columns", noReasons}
		case "3090 at its limit", "3090 at its limit, every 5 s", "L4 at its limit", "T4 at its limit", "H100 at its limit", "5090 at its limit, video", "reasons by column":
			list[i].want = append(list[i].want, "throttle.power info")
		}
	}
	return append(list,
		smiCase{name: "loads for long and paints", log: one(smi4090, paints(20, 160, 20500, 24, 1.5, 4, 6), fullColumns, 1, 10*minute), want: []string{"bound.gpu"}},
		smiCase{name: "small pictures", log: one(smi3060, smiSmall, fullColumns, 1, 10*minute), first: "stable bound.gpu not-enough-data"},
		smiCase{name: "gaps between batches", log: one(smi4090, paints(5, 14, 7100, 6, 1, 4, 13), fullColumns, 1, 15*minute), first: "stable bound.gpu not-enough-data"},
		smiCase{name: "gaps between batches, every 5 s", log: one(smi4090, paints(5, 14, 7100, 6, 1, 4, 13), fullColumns, 5, 20*minute), first: "stable bound.gpu not-enough-data"},
		smiCase{name: "a core feeds the card, as far as can be told", log: one(smi4090, after(smiTrain, 0, func(d *doing) { d.util, d.load = 0.45*d.util, 0.5*d.load }), fullColumns, 1, 10*minute), first: "stable not-enough-data"},
		smiCase{name: "twenty seconds", log: one(smi4090, smiHours, fullColumns, 1, 20), first: "bound.gpu not-enough-data"},
		smiCase{name: "a minute at work", log: one(smi4090, after(smiHours, 0, func(d *doing) { d.util, d.load, d.mem = 99, 1, 18000 }), fullColumns, 1, 60), first: "bound.gpu"},
		smiCase{name: "a minute at work, every 5 s", log: one(smi4090, after(smiHours, 0, func(d *doing) { d.util, d.load, d.mem = 99, 1, 18000 }), articleColumns, 5, 60), first: "bound.gpu"},
		smiCase{name: "eight seconds", log: one(smi4090, smiHours, fullColumns, 1, 8), first: "not-enough-data"},
		smiCase{name: "three readings, every 10 s", log: one(smi4090, smiHours, fullColumns, 10, 30), first: "not-enough-data"},
	)
}

// smiResting are logs of cards that rest.
func smiResting() []smiCase {
	idle := func(name string, l smiLog) smiCase {
		return smiCase{name: name, log: l, want: []string{"idle info"}, first: "idle", not: "not-enough-data unstable throttle.power"}
	}
	return []smiCase{
		idle("nothing loaded", one(smi4090, rests(412), fullColumns, 1, 10*minute)),
		idle("a model in VRAM", one(smi4090, rests(16800), fullColumns, 1, 10*minute)),
		idle("every 5 s", one(smi4090, rests(16800), articleColumns, 5, 10*minute)),
		idle("every 30 s for a night", one(smi3090, rests(16800), fullColumns, 30, 8*hour)),
		idle("P0 at 70 W", one(smiH100, rests(17000), fullColumns, 1, 10*minute)),
		idle("A100 in P0", one(smiA100, rests(620), fullColumns, 2, 10*minute)),
		idle("bits that move at rest", one(smi2080, func(t float64) doing {
			d := rests(612)(t)
			if math.Mod(t, 15) < 6 {
				d.reasons = 4
			}
			return d
		}, fullColumns, 1, 10*minute)),
		idle("the article's columns", one(smi4090, rests(9800), articleColumns, 1, 10*minute)),
		idle("the desktop blinks", one(smi4090, func(t float64) doing {
			d := rests(900)(t)
			if math.Mod(t, 31) < 1 {
				d.util, d.load = 14, 0.05
			}
			return d
		}, fullColumns, 1, 10*minute)),
		idle("the desktop blinks, every 5 s", one(smi4090, func(t float64) doing {
			d := rests(900)(t)
			if math.Mod(t, 35) < 1 {
				d.util, d.load = 14, 0.05
			}
			return d
		}, fullColumns, 5, 20*minute)),
		{name: "works, then rests", log: one(smi4090, until(smiFlux, 600), fullColumns, 1, 40*minute), want: []string{"idle info", "bound.gpu"}, not: "not-enough-data"},
		{name: "works, then rests, every 5 s", log: one(smi4090, until(smiFlux, 600), fullColumns, 5, 40*minute), want: []string{"idle info", "bound.gpu"}, not: "not-enough-data"},
		{name: "a night", log: one(smi4090, until(smiHours, 2*hour), fullColumns, 5, 8*hour), want: []string{"idle info", "stable good"}, not: "not-enough-data unstable"},
		{name: "one of two rests", log: smiLog{cards: []smiCard{smi4090, smi4090}, jobs: []smiJob{smiFlux, rests(412)}, columns: fullColumns, seconds: 10 * minute}, want: []string{"idle info", "bound.gpu"}},
	}
}

// smiSlowed are logs in which something holds the clock down.
func smiSlowed() []smiCase {
	wrong := func(name, kind string, l smiLog) smiCase {
		return smiCase{name: name, log: l, want: []string{kind + " warn"}, first: kind, alarm: true}
	}
	return []smiCase{
		wrong("heat after ten minutes", "throttle.thermal", one(smi4090, after(smiFlux, 300, hot), fullColumns, 1, 10*minute)),
		wrong("heat, every 5 s", "throttle.thermal", one(smi4090, after(smiFlux, 300, hot), fullColumns, 5, 15*minute)),
		wrong("heat, every 30 s", "throttle.thermal", one(smi4090, after(smiHours, 1800, hot), fullColumns, 30, 2*hour)),
		wrong("heat from the beginning", "throttle.thermal", one(smi3090, after(smiFlux, 0, func(d *doing) { d.reasons, d.clock, d.air = 0x20, 0.7, 48 }), fullColumns, 1, 10*minute)),
		wrong("heat by column", "throttle.thermal", one(smi4090, after(smiFlux, 300, hot), reasonColumns, 1, 10*minute)),
		wrong("heat in hardware", "throttle.thermal", one(smiA100, after(smiTrain, 200, func(d *doing) { d.reasons, d.clock, d.air = 0x48, 0.6, 60 }), fullColumns, 1, 10*minute)),
		wrong("heat, temperature unread", "throttle.thermal", one(smi4090, after(smiFlux, 300, hot), strings.Replace(fullColumns, "temperature.gpu,", "", 1), 1, 10*minute)),
		wrong("heat of T4", "throttle.thermal", one(smiT4, after(smiFlux, 200, func(d *doing) { d.reasons, d.clock, d.air = 0x20, 0.5, 50 }), fullColumns, 1, 10*minute)),
		wrong("brake", "throttle.brake", one(smiH100, after(smiTrain, 200, func(d *doing) { d.reasons, d.clock = 0x88, 0.5 }), fullColumns, 1, 10*minute)),
		wrong("brake by column", "throttle.brake", one(smi4090, after(smiFlux, 200, func(d *doing) { d.reasons, d.clock = 0x88, 0.5 }), reasonColumns, 1, 10*minute)),
		wrong("sync", "throttle.sync", smiLog{cards: []smiCard{smiA100, smiA100}, jobs: []smiJob{after(smiTrain, 200, func(d *doing) { d.reasons, d.clock = 0x10, 0.75 })}, columns: fullColumns, seconds: 10 * minute}),
		wrong("limit lowered from the beginning", "throttle.power", one(smi4090, after(smiFlux, 0, lowered), fullColumns, 1, 10*minute)),
		wrong("limit lowered, every 5 s", "throttle.power", one(smi3090, after(smiFlux, 0, func(d *doing) { d.limit = 220 }), fullColumns, 5, 15*minute)),
		wrong("limit lowered on the way, default untold", "throttle.power", one(smi4090, after(smiFlux, 300, lowered), strings.Replace(fullColumns, "power.default_limit,", "", 1), 1, 10*minute)),
		wrong("limit lowered by column", "throttle.power", one(smi4090, after(smiFlux, 300, lowered), reasonColumns, 1, 10*minute)),
		{name: "the clock goes up and down", log: one(smi4090, func(t float64) doing {
			d := smiHours(t)
			if int(t/120)%2 == 1 {
				d.clock = 0.7
			}
			return d
		}, noReasons, 1, 20*minute), want: []string{"unstable info"}},
		{name: "a link of one lane", log: one(smi4090, smiFlux, fullColumns, 1, 10*minute).with(func(l *smiLog) {
			l.cell = func(column string, _ int, _ float64, v string) string {
				if column == "pcie.link.width.current" {
					return "1"
				}
				return v
			}
		}), want: []string{"slow.link warn"}, first: "slow.link", alarm: true},
		{name: "a slot of the third generation", log: one(smi4090, smiFlux, fullColumns, 1, 10*minute).with(func(l *smiLog) {
			l.cell = func(column string, _ int, _ float64, v string) string {
				if column == "pcie.link.gen.current" && v == "4" {
					return "3"
				}
				return v
			}
		}), want: []string{"slow.link info", "bound.gpu"}},
		{name: "a straggler of two", log: smiLog{cards: []smiCard{smiA100, smiA100}, jobs: []smiJob{after(smiTrain, 0, func(d *doing) { d.clock = 0.7 }), smiTrain}, columns: fullColumns, seconds: 10 * minute}, want: []string{"slow.straggler info"}},
		{name: "a straggler of eight, every 5 s", log: smiLog{cards: []smiCard{smiA100, smiA100, smiA100, smiA100, smiA100, smiA100, smiA100, smiA100}, jobs: []smiJob{smiTrain, smiTrain, smiTrain, after(smiTrain, 0, func(d *doing) { d.clock = 0.7 }), smiTrain}, columns: noReasons, every: 5, seconds: 20 * minute}, want: []string{"slow.straggler info"}},
	}
}

// smiBroken are logs in which something is at fault, or too little can be read.
func smiBroken() []smiCase {
	token := func(text string, from float64, skip string) func(string, int, float64, string) string {
		return func(column string, card int, t float64, v string) string {
			if card != 0 || t < from || column == "timestamp" || strings.Contains(skip, column) {
				return v
			}
			return text
		}
	}
	return []smiCase{
		{name: "lost", log: one(smi4090, smiFlux, fullColumns, 1, 8*minute).with(func(l *smiLog) { l.cell = token("[GPU is lost]", 240, "index uuid name") }), want: []string{"fault.lost fail"}, first: "fault.lost", alarm: true},
		{name: "lost, every 5 s", log: one(smi4090, smiFlux, fullColumns, 5, 8*minute).with(func(l *smiLog) { l.cell = token("[GPU is lost]", 240, "index uuid name") }), want: []string{"fault.lost fail"}, first: "fault.lost", alarm: true},
		{name: "needs a reset", log: one(smi4090, smiFlux, fullColumns, 1, 8*minute).with(func(l *smiLog) {
			l.cell = func(column string, _ int, t float64, v string) string {
				switch {
				case t < 240 || column == "timestamp" || column == "index" || column == "uuid" || column == "name":
					return v
				case column == "memory.used":
					return "0 MiB"
				}
				return "[GPU requires reset]"
			}
		}), want: []string{"fault.reset fail"}, first: "fault.reset", alarm: true},
		{name: "nothing but errors", log: one(smi4090, smiFlux, fullColumns, 1, 8*minute).with(func(l *smiLog) { l.cell = token("[Unknown Error]", 240, "index uuid name") }), want: []string{"fault.lost warn"}, first: "fault.lost", alarm: true},
		{name: "one of two falls silent", log: smiLog{cards: []smiCard{smi3090, smi3090}, jobs: []smiJob{smiFlux}, columns: fullColumns, seconds: 8 * minute, row: func(card int, t float64, line string) string {
			if card == 1 && t > 240 {
				return ""
			}
			return line
		}}, want: []string{"fault.lost warn"}, first: "fault.lost", alarm: true},
		{name: "one of two falls silent, every 5 s", log: smiLog{cards: []smiCard{smi3090, smi3090}, jobs: []smiJob{smiFlux}, columns: fullColumns, every: 5, seconds: 10 * minute, row: func(card int, t float64, line string) string {
			if card == 1 && t > 240 {
				return ""
			}
			return line
		}}, want: []string{"fault.lost warn"}, first: "fault.lost", alarm: true},
		{name: "one row is missing, every 30 s", log: smiLog{cards: []smiCard{smi3090, smi3090}, jobs: []smiJob{smiHours}, columns: fullColumns, every: 30, seconds: hour, row: func(card int, t float64, line string) string {
			if card == 1 && int(t/30) == 60 {
				return ""
			}
			return line
		}}, want: []string{"bound.gpu"}},
		{name: "errors of VRAM", log: one(smiA100, smiTrain, eccColumns, 1, 8*minute).with(func(l *smiLog) {
			l.cell = func(column string, _ int, t float64, v string) string {
				if t > 240 && strings.HasPrefix(column, "ecc.errors.uncorrected") {
					return "2"
				}
				return v
			}
		}), want: []string{"fault.ecc fail"}, first: "fault.ecc", alarm: true},
		{name: "errors of VRAM from long ago", log: one(smiA100, smiTrain, eccColumns, 1, 8*minute).with(func(l *smiLog) {
			l.cell = func(column string, _ int, t float64, v string) string {
				if strings.HasPrefix(column, "ecc.errors") {
					return "17"
				}
				return v
			}
		}), want: []string{"bound.gpu"}, not: "fault.ecc"},
		{name: "the counter of errors in another column, every 5 s", log: one(smiA100, smiTrain, eccColumns, 5, 8*minute).with(func(l *smiLog) {
			l.cell = func(column string, _ int, t float64, v string) string {
				if int(t/5) == 40 && strings.HasPrefix(column, "ecc.errors.uncorrected") {
					return "1410"
				}
				return v
			}
		}), want: []string{"bound.gpu"}, not: "fault.ecc"},
		{name: "a driver that does not fit", log: one(smi4090, smiFlux, fullColumns, 1, 8*minute).with(func(l *smiLog) {
			l.row = func(_ int, t float64, line string) string {
				switch {
				case t < 300:
					return line
				case t < 301.5:
					return "Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 550.144"
				}
				return ""
			}
		}), want: []string{"fault.driver fail"}, first: "fault.driver", alarm: true},
		{name: "an error of the driver", log: one(smi4090, smiFlux, fullColumns, 1, 8*minute).with(func(l *smiLog) {
			l.row = func(_ int, t float64, line string) string {
				if int(t) == 300 {
					return "[Sun Nov 29 20:08:17 2026] NVRM: Xid (PCI:0000:1b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.\n" + line
				}
				return line
			}
		}), want: []string{"fault.xid fail"}, alarm: true},
		{name: "a slice", log: one(smiA100, smiFlux, "timestamp,index,uuid,name,mig.mode.current,utilization.gpu,memory.used,memory.total,power.draw,power.limit,temperature.gpu,clocks.sm", 1, 10*minute).with(func(l *smiLog) {
			l.cell = func(column string, _ int, _ float64, v string) string {
				switch column {
				case "mig.mode.current":
					return "Enabled"
				case "utilization.gpu":
					return "[N/A]"
				case "memory.used", "memory.total":
					return "[Insufficient Permissions]"
				}
				return v
			}
		}), first: "not-enough-data"},
		{name: "a slice that tells nothing", log: one(smiA100, smiFlux, noReasons, 5, 10*minute).with(func(l *smiLog) { l.cell = token("[N/A]", 0, "index uuid name") }), first: "not-enough-data"},
		{name: "words of an old driver", log: one(smi2080, smiFlux, fullColumns, 1, 10*minute).with(func(l *smiLog) {
			l.cell = func(column string, _ int, _ float64, v string) string {
				if strings.Contains("utilization.memory fan.speed power.draw power.limit power.default_limit clocks_throttle_reasons.active pcie.link.width.current", column) {
					return "[Not Supported]"
				}
				return v
			}
		}), want: []string{"bound.gpu"}, not: "not-enough-data"},
		{name: "utilisation unread, power tells work", log: one(smi4090, smiFlux, fullColumns, 1, 10*minute).with(func(l *smiLog) {
			l.cell = func(column string, _ int, _ float64, v string) string {
				if strings.HasPrefix(column, "utilization.") {
					return "[N/A]"
				}
				return v
			}
		}), first: "stable"},
		{name: "memory alone", log: one(smi4090, smiFlux, "timestamp,memory.used,memory.total", 1, 10*minute), first: "not-enough-data"},
		{name: "a word where a number was, now and then", log: one(smi4090, smiFlux, fullColumns, 1, 10*minute).with(func(l *smiLog) {
			l.cell = func(column string, _ int, t float64, v string) string {
				if int(t)%11 == 4 && (column == "power.draw" || column == "utilization.gpu") {
					return "ERR!"
				}
				return v
			}
		}), want: []string{"bound.gpu"}, not: "fault.lost"},
	}
}
