package check

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"rentgen/app/guide"
)

func init() { judges[guide.GPUQuery] = judgeQuery }

// judgeQuery judges readings of a card at rest: load or VRAM that moves while
// nothing of yours runs is another tenant's.
func judgeQuery(l *look) {
	lines := strings.Split(l.out, "\n")
	if strings.TrimSpace(l.out) == "" {
		lines = l.lines
	}
	t := readCSV(lines, l.command)
	if t.has("mig.mode.current") && slices.ContainsFunc(t.rows, func(r []string) bool { return t.cell(r, "mig.mode.current") == "Enabled" }) || l.says("mig devices:") {
		l.queryFacts(t)
		l.skipped = true
		l.find(guide.Skip, "mig")
		return
	}
	l.queryFacts(t)
	l.queryEvidence(t)
	if len(t.rows) == 0 {
		l.noRows(t)
		return
	}
	if f, ok := l.faultOf(); ok && f.code != "needs-reset" { // a card went away between two readings
		l.faultFacts(f)
		l.ofHost(l.find(guide.Fail, "lost"))
	}
	l.judgeRows(t)
}

// noRows says why there is no reading.
func (l *look) noRows(t csvTable) {
	f, faulty := l.faultOf()
	switch {
	case faulty:
		l.faultFacts(f)
		l.ofHost(l.find(guide.Fail, "no-driver"))
	case l.noSMI():
		l.set("error", "command_not_found")
		l.ofHost(l.find(guide.Fail, "missing"))
	case l.says("is not a valid field to query"):
		l.find(guide.Fail, "field")
	case t.header || len(l.lines) == 0:
		l.find(guide.Fail, "no-rows")
	}
}

// reading is one row as far as it is judged.
type reading struct {
	group     string
	util, mem *float64
}

func (l *look) readings(t csvTable) []reading {
	cards := guide.Known(l.ctx.SMIGPUCount, 1)
	var list []reading
	for i, r := range t.rows {
		x := reading{util: percentRef(t.cell(r, "utilization.gpu")), mem: mibRef(t.cell(r, "memory.used"))}
		total := mibRef(t.cell(r, "memory.total"))
		if x.mem != nil && (*x.mem > tib/mib || total != nil && *x.mem > *total) { // more than there can be
			x.mem = nil
		}
		for _, f := range []string{"uuid", "index", "pci.bus_id"} {
			if v := t.cell(r, f); v != "" {
				x.group = v
				break
			}
		}
		if x.group == "" && cards > 1 { // they come in turn
			x.group = strconv.Itoa(i % cards)
		}
		list = append(list, x)
	}
	return list
}

func percentRef(s string) *float64 {
	v, unit, ok := ahead(s)
	if !ok || unit != "" && unit != "%" || v < 0 || v > 100 {
		return nil
	}
	return &v
}

func (l *look) queryFacts(t csvTable) {
	rows := l.readings(t)
	l.set("samples", len(rows))
	l.set("last_line_partial", t.partial)
	l.set("denied", slices.ContainsFunc(t.rows, func(r []string) bool { return slices.ContainsFunc(r, denied) }))
	if len(rows) == 0 {
		return
	}
	utils := values(rows, func(r reading) *float64 { return r.util })
	mems := values(rows, func(r reading) *float64 { return r.mem })
	if t.has("utilization.gpu") {
		l.set("util_median_pct", orNil(median(utils), len(utils) > 0))
		l.set("util_max_pct", orNil(highest(utils), len(utils) > 0))
	}
	if t.has("memory.used") {
		l.set("mem_min_mib", orNil(lowest(mems), len(mems) > 0))
		l.set("mem_max_mib", orNil(highest(mems), len(mems) > 0))
	}
	if t.has("timestamp") && len(rows) > 1 {
		return
	}
	if t.has("name") {
		var names []string
		for _, r := range t.rows {
			names = append(names, t.cell(r, "name"))
		}
		l.set("names", names)
	}
	if t.has("utilization.gpu") {
		l.set("util_pct", list(rows, func(r reading) any { return plainOf(r.util) }))
	}
	if t.has("memory.used") {
		l.set("mem_used_mib", list(rows, func(r reading) any { return plainOf(r.mem) }))
	}
	if t.has("memory.total") {
		l.set("mem_total_mib", list(t.rows, func(r []string) any { return plainOf(mibRef(t.cell(r, "memory.total"))) }))
	}
}

func (l *look) judgeRows(t csvTable) {
	rows := l.readings(t)
	utils := values(rows, func(r reading) *float64 { return r.util })
	mems := values(rows, func(r reading) *float64 { return r.mem })
	if slices.ContainsFunc(t.rows, func(r []string) bool {
		return slices.ContainsFunc(r, func(c string) bool { return strings.Contains(c, "requires reset") })
	}) {
		l.ofHost(l.find(guide.Warn, "needs-reset"))
	}
	switch {
	case slices.ContainsFunc(t.rows, func(r []string) bool { return slices.ContainsFunc(r, denied) }):
		l.find(guide.Warn, "denied")
	case len(utils) < len(rows) || len(mems) < len(rows):
		l.find(guide.Warn, "unreadable", "n", len(rows)-min(len(utils), len(mems)), "of", len(rows))
	}
	groups := 1
	if n := groupsOf(rows); n > 1 {
		groups = n
	}
	if least := int(guide.Threshold("gpu.query.rows")); len(rows)/groups < least {
		l.find(guide.Warn, "few", "n", len(rows)/groups, "least", least)
	}
	l.judgeLoad(rows, utils)
	if l.in.Exit != 0 && !slices.Contains([]int{124, 130, 137, 143, -1}, l.in.Exit) && !l.piped() {
		l.find(guide.Warn, "exit", "exit", l.in.Exit)
	}
	if len(l.found) == 0 {
		l.find(guide.Pass, "ok", "n", len(rows), "median", short(median(utils)), "moves", short(moves(rows)))
	}
}

// judgeLoad judges load and VRAM that moves. What you run yourself makes both.
func (l *look) judgeLoad(rows []reading, utils []float64) {
	mid, moved := worstMedian(rows), moves(rows)
	busy := len(utils) > 0 && mid >= guide.Threshold("gpu.query.util-idle")
	moving := moved > guide.Threshold("gpu.query.mem-moves")
	if guide.Known(l.ctx.OwnProcesses, 0) > 0 {
		if busy || moving {
			l.find(guide.Warn, "own", "n", *l.ctx.OwnProcesses)
		}
		return
	}
	l.set("neighbour", busy || moving)
	if !busy && !moving {
		return
	}
	code := "others-maybe"
	if mid >= guide.Threshold("gpu.query.util-others") {
		code = "others"
	} else if !busy {
		code = "moves"
	}
	if l.ctx.OwnProcesses == nil {
		code += "-unknown"
	}
	l.ofHost(l.find(guide.Warn, code, "median", short(mid), "max", short(highest(utils)), "moves", short(moved)))
}

func (l *look) queryEvidence(t csvTable) {
	for _, s := range l.lines {
		if headerOf(strings.Split(strings.ReplaceAll(s, ", ", ","), ",")) != nil {
			l.use(s)
		}
	}
	for i, r := range t.rows {
		if i < 3 || i >= len(t.rows)-3 {
			l.use(strings.Join(r, ", "))
		}
	}
}

func values(rows []reading, of func(reading) *float64) []float64 {
	var list []float64
	for _, r := range rows {
		if v := of(r); v != nil {
			list = append(list, *v)
		}
	}
	return list
}

func groupsOf(rows []reading) int {
	seen := map[string]bool{}
	for _, r := range rows {
		seen[r.group] = true
	}
	return len(seen)
}

// worstMedian is the highest median load of a card.
func worstMedian(rows []reading) float64 {
	by := map[string][]float64{}
	for _, r := range rows {
		if r.util != nil {
			by[r.group] = append(by[r.group], *r.util)
		}
	}
	worst := 0.0
	for _, v := range by {
		worst = max(worst, median(v))
	}
	return worst
}

// moves is how far the VRAM in use of a card moves, MiB.
func moves(rows []reading) float64 {
	by := map[string][]float64{}
	for _, r := range rows {
		if r.mem != nil {
			by[r.group] = append(by[r.group], *r.mem)
		}
	}
	worst := 0.0
	for _, v := range by {
		worst = max(worst, highest(v)-lowest(v))
	}
	return worst
}

func highest(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	return slices.Max(v)
}

func lowest(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	return slices.Min(v)
}

// short is a number without digits that say nothing.
func short(v float64) string { return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64) }
