package check

import (
	"strings"

	"rentgen/app/guide"
	"rentgen/assets/texts"
)

func init() { judges[guide.MemCgroup] = judgeRAM }

var (
	freeHead  = guide.Regexp(`^\s+\S+(?:\s+\S+){3,6}\s*$`)
	freeLine  = guide.Regexp(`^\s*[^\s\d/:：]{2,12}\s?[:：]\s*(\d[\d.,]*(?:[KMGTP]i?|B|[kMGTP]?B)?)((?:\s+\d[\d.,]*(?:[KMGTP]i?|B)?){2,6})\s*$`)
	memTotal  = guide.Regexp(`^MemTotal:\s+(\d+) kB`)
	memInt    = guide.Regexp(`^\s*(max|-1|\d{1,20})\s*$`)
	memPair   = guide.Regexp(`^\s*(low|high|max|oom|oom_kill|oom_group_kill|oom_kill_disable|under_oom|sock_throttled|hierarchical_memory_limit)\s+(\d+)\s*$`)
	oomKilled = guide.Regexp(`(?i)(?:killed process|kill process) \d+|\boom-kill:constraint=|invoked oom-killer`)
	oomMemcg  = guide.Regexp(`(?i)memory cgroup out of memory|CONSTRAINT_MEMCG`)
	oomGlobal = guide.Regexp(`CONSTRAINT_NONE|global_oom`)
	oomRSS    = guide.Regexp(`anon-rss:(\d+)kB`)
	oomGroup  = guide.Regexp(`\b(?:oom_memcg|task_memcg)=([^,\s]+)`)
	oomTask   = guide.Regexp(`(?i)Task in (\S+) killed as a result of limit of`)
)

// ram is what was read of the memory.
type ram struct {
	host    float64 // bytes; 0: not known
	limit   float64 // bytes; 0: none or not known
	known   bool    // the limit, or that there is none, was read
	kills   int     // -1: not told
	limited bool    // memory.events says that the limit was hit
	refused []string
}

func judgeRAM(l *look) {
	r := l.ramRead()
	l.cutShort()
	if r.host > 0 {
		l.set("host_total_gib", r.host/gib)
	} else if v := guide.Known(l.ctx.HostTotalGiB, 0); v > 0 {
		r.host = v * gib
	}
	killed := l.oomLog()
	if r.kills > 0 {
		killed = true
		l.set("oom_killed", true)
		if r.limited {
			l.set("memcg_limit_hit", true)
		}
		l.find(guide.Fail, "oom", "kills", r.kills)
	} else if r.kills == 0 && !killed {
		l.set("oom_killed", false)
	}
	l.set("limit_known", r.known)
	l.set("limit_gib", orNil(r.limit/gib, r.known && r.limit > 0))
	effective := r.host
	if r.limit > 0 && (effective == 0 || r.limit < effective) {
		effective = r.limit
	}
	if r.host > 0 && r.known {
		l.set("effective_gib", effective/gib)
	}
	if !killed && !r.known && r.host == 0 {
		if len(r.refused) > 0 {
			l.find(guide.Warn, "no-limit")
		} else if len(l.found) == 0 {
			l.unread(nil)
		}
		return
	}
	l.judgeSize(r, effective, killed)
}

func (l *look) judgeSize(r ram, effective float64, killed bool) {
	switch {
	case !r.known && !killed:
		l.find(guide.Warn, "no-limit")
	case r.host == 0 && !killed:
		l.find(guide.Warn, "no-total", "limit", sizeText(r.limit))
	case r.limit > 0 && r.host > r.limit:
		l.find(guide.Warn, "shown", "host", sizeText(r.host), "limit", sizeText(r.limit))
	}
	vram := guide.Known(l.ctx.VRAMGiB, 0)
	want := max(guide.Threshold("mem.cgroup.least"), guide.Threshold("mem.cgroup.vram-share")*vram) * gib
	if effective > 0 && effective < want {
		l.find(guide.Warn, "low", "have", sizeText(effective), "want", sizeText(want))
	}
	if r.kills < 0 && l.eventsAsked() && !killed {
		l.find(guide.Warn, "no-events")
	}
	if len(l.found) == 0 {
		l.find(guide.Pass, "ok", "have", texts.MiB(effective/mib), "want", sizeText(want))
	}
}

// eventsAsked reports whether the counters of kills were asked for, or some of
// them are there, so that their absence means a cut output.
func (l *look) eventsAsked() bool {
	for _, s := range l.lines {
		if memPair.MatchString(s) {
			return true
		}
	}
	for _, w := range wanted(l.asked("free", "cat"), l.refused()) {
		if strings.HasSuffix(w, "memory.events") && !strings.Contains(l.command, "else") {
			return true
		}
	}
	return false
}

func (l *look) ramRead() ram {
	r := ram{kills: -1}
	command := l.asked("free", "cat")
	r.refused = l.refused()
	files, rest := l.named()
	for _, f := range files {
		l.use(f.line)
		r.file(f.path, f.text)
	}
	var bare []string
	head := false
	for _, s := range rest {
		if m := memTotal.FindStringSubmatch(s); m != nil {
			l.use(s)
			if v, ok := number(m[1]); ok && v > 0 {
				r.host = v * kib
			}
		} else if m := freeLine.FindStringSubmatch(s); m != nil && (head || ramLabel(s)) && r.host == 0 {
			l.use(s)
			r.host = freeBytes(m[1], command)
			head = false
		} else if m := memPair.FindStringSubmatch(s); m != nil {
			l.use(s)
			r.file("memory.events", s)
		} else if m := memInt.FindStringSubmatch(s); m != nil {
			l.use(s)
			bare = append(bare, m[1])
		} else if freeHead.MatchString(s) && !strings.ContainsAny(s, "0123456789") {
			head = true
		}
	}
	r.bare(bare, wanted(command, r.refused))
	return r
}

// ramLabel reports whether a row of free is that of the RAM and not of swap.
func ramLabel(s string) bool {
	s = strings.TrimSpace(s)
	for _, p := range []string{"Mem", "内存", "記憶體", "Speicher", "Память", "Mém"} {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// freeBytes reads a total of free, whose unit the command says where the cell
// doesn't. 0 is not known.
func freeBytes(cell, command string) float64 {
	v, unit, ok := ahead(cell)
	if !ok {
		return 0
	}
	if unit != "" {
		v, ok = bytesOf(strings.TrimSuffix(cell, "B"))
		if strings.HasSuffix(cell, "B") && len(unit) == 1 {
			v, ok = bytesOf(cell)
		}
		return positive(v, ok)
	}
	scale := 0.0
	for _, c := range calling(command, "free") {
		switch {
		case c.short('b') || c.has("--bytes"):
			scale = 1
		case c.short('m') || c.has("--mebi"):
			scale = mib
		case c.short('g') || c.has("--gibi"):
			scale = gib
		case c.has("--mega"):
			scale = 1e6
		case c.has("--giga"):
			scale = 1e9
		case c.has("--kilo"):
			scale = 1e3
		default:
			scale = kib
		}
	}
	if scale == 0 { // no command: what a machine can have
		switch {
		case v >= 8e9:
			scale = 1
		case v >= 4e6:
			scale = kib
		default:
			return 0
		}
	}
	return positive(v*scale, true)
}

func positive(v float64, ok bool) float64 {
	if !ok || v < 0 {
		return 0
	}
	return v
}

// bare gives numbers alone on a line to the files that were asked for. Where the
// counts differ only a single number can be placed.
func (r *ram) bare(values, want []string) {
	var limits []string
	for _, w := range want {
		if !strings.HasSuffix(w, "memory.events") && !strings.HasSuffix(w, "oom_control") && strings.Contains(w, "memory") {
			limits = append(limits, w)
		}
	}
	if len(values) != len(limits) {
		// Two branches of which one ran ask for more files than there are numbers.
		var most []string
		for _, w := range limits {
			if isLimit(w) {
				most = append(most, w)
			}
		}
		if len(values) != 1 || len(most) == 0 && len(limits) > 0 {
			return
		}
		if len(limits) > len(most) { // it may be another file's
			return
		}
		limits = []string{"memory.max"}
	}
	for i, v := range values {
		r.file(limits[i], v)
	}
}

func isLimit(name string) bool {
	return strings.HasSuffix(name, "memory.max") || strings.HasSuffix(name, "limit_in_bytes")
}

// file notes what a file says.
func (r *ram) file(name, text string) {
	if m := memPair.FindStringSubmatch(text); m != nil {
		n, ok := whole(m[2])
		switch {
		case !ok:
		case m[1] == "oom_kill":
			r.kills = max(r.kills, n)
		case m[1] == "oom" && n > 0:
			r.limited = true
		case m[1] == "hierarchical_memory_limit":
			r.limitIs(m[2])
		}
		return
	}
	if isLimit(name) && !strings.Contains(name, "memsw") && !strings.Contains(name, "kmem") {
		r.limitIs(text)
	}
}

func (r *ram) limitIs(text string) {
	v, limited, ok := limitOf(text)
	if !ok || limited && v <= 0 {
		return
	}
	r.known = true
	if limited && (r.limit == 0 || v < r.limit) { // own cgroup and those above it: the tightest counts
		r.limit = v
	}
}

// oomLog reads kills from the kernel's log and reports whether one of them is
// known to be yours.
func (l *look) oomLog() bool {
	seen, byLimit, byHost, tail := false, false, false, ""
	var groups []string
	for _, s := range l.lines {
		if !oomKilled.MatchString(s) && !oomMemcg.MatchString(s) && !oomTask.MatchString(s) {
			continue
		}
		seen = true
		l.use(s)
		byLimit = byLimit || oomMemcg.MatchString(s) || oomTask.MatchString(s)
		byHost = byHost || oomGlobal.MatchString(s)
		if m := oomRSS.FindStringSubmatch(s); m != nil {
			if n, ok := whole(m[1]); ok {
				l.set("anon_rss_kib", n)
			}
		}
		for _, m := range append(oomGroup.FindAllStringSubmatch(s, -1), oomTask.FindAllStringSubmatch(s, -1)...) {
			groups = append(groups, m[1])
		}
		tail = s
	}
	if !seen {
		if l.in.Exit == 137 || strings.EqualFold(strings.TrimSpace(lastLine(l.lines)), "killed") {
			l.find(guide.Warn, "killed")
		}
		return false
	}
	l.set("oom_killed", true)
	l.set("memcg_limit_hit", byLimit && !byHost)
	own := guide.Known(l.ctx.OwnCgroup, "")
	mine := l.in.Track == guide.Dedicated // all of the machine is yours
	for _, g := range groups {
		mine = mine || own != "" && own != "/" && (g == own || strings.HasPrefix(g, own+"/") || strings.HasSuffix(g, own))
	}
	if mine {
		l.find(guide.Fail, "oom-log", "line", clipped(tail))
		return true
	}
	l.find(guide.Warn, "oom-other")
	return false
}

func lastLine(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return lines[len(lines)-1]
}

// clipped cuts a line for a sentence.
func clipped(s string) string {
	rs := []rune(strings.TrimSpace(s))
	if len(rs) > 120 {
		return string(rs[:120]) + "..."
	}
	return string(rs)
}
