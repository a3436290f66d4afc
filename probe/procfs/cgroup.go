package procfs

import (
	"bytes"
	"strings"

	"rentgen/probe"
)

const (
	cgroupRoot = "/sys/fs/cgroup"
	fileStatus = "/proc/self/status"
	maxLevels  = 24 // of nested groups
)

// groups is what the control groups say: where the tightest limits stand and
// what they are. Both versions may be mounted at once.
type groups struct {
	own []byte // /proc/self/cgroup as last read

	memory, cpu []level // from our group up to the mount

	memLimit probe.Value // MiB; unsupported where there is none
	memDir   level       // of the tightest limit
	quota    probe.Value // cores
	allowed  []bool      // by number of the core, where the login is kept to some; nil: all
	cpuStat  string      // cpu.stat beside the tightest quota
	psi      map[string]string
}

// level is one group's directory.
type level struct {
	dir string
	v1  bool
}

func (l level) name(v2, v1 string) string {
	if l.v1 {
		return l.dir + "/" + v1
	}
	return l.dir + "/" + v2
}

// locate finds the groups we are in. In a container the path may name a
// directory that only the host has; what is mounted is then our own group, so
// the mount itself is always the last level.
func (g *groups) locate(src source) {
	b, err := src.read(fileCgroup)
	if err != nil {
		b = nil
	}
	if g.memory != nil && bytes.Equal(b, g.own) {
		return
	}
	g.own = append(g.own[:0], b...)
	unified, mem, cpu := "", "", ""
	for rest := g.own; len(rest) > 0; {
		var l []byte
		l, rest = line(rest)
		part := strings.SplitN(string(l), ":", 3)
		if len(part) != 3 || strings.Contains(part[2], "..") {
			continue
		}
		if part[0] == "0" && part[1] == "" {
			unified = part[2]
		}
		for c := range strings.SplitSeq(part[1], ",") {
			switch c {
			case "memory":
				mem = part[2]
			case "cpu":
				cpu = part[2]
			}
		}
	}
	v2 := levels(cgroupRoot, unified, false)
	g.memory = append(levels(cgroupRoot+"/memory", mem, true), v2...)
	g.cpu = append(levels(cgroupRoot+"/cpu", cpu, true), v2...)
	g.cpu = append(g.cpu, levels(cgroupRoot+"/cpu,cpuacct", cpu, true)...)
}

// levels lists the directories from path up to base.
func levels(base, path string, v1 bool) []level {
	var ls []level
	path = strings.TrimRight(path, "/")
	for path != "" && len(ls) < maxLevels {
		ls = append(ls, level{base + path, v1})
		i := strings.LastIndexByte(path, '/')
		if i < 0 {
			break
		}
		path = path[:i]
	}
	return append(ls, level{base, v1})
}

// readLimits finds the tightest limits of memory and processor.
func (g *groups) readLimits(src source) {
	g.locate(src)
	total := hostTotal(src)
	g.memLimit, g.memDir = tightest(src, g.memory, func(l level) string {
		return l.name("memory.max", "memory.limit_in_bytes")
	}, func(l level, b []byte) (float64, bool, bool) {
		f, _ := field(b)
		if string(f) == "max" {
			return 0, false, true
		}
		n, ok := number(f)
		// Version 1 prints the greatest number of pages for "no limit", and a
		// limit above what the machine has limits nothing.
		limited := n < 1<<60 && (total == 0 || n < total)
		return float64(n) / mib, limited, ok
	})
	quota, dir := tightest(src, g.cpu, func(l level) string {
		return l.name("cpu.max", "cpu.cfs_quota_us")
	}, func(l level, b []byte) (float64, bool, bool) { return parseQuota(src, l, b) })
	g.quota, g.cpuStat = quota, ""
	if _, ok := quota.Ok(); ok {
		g.cpuStat = dir.name("cpu.stat", "cpu.stat")
	}
	g.addAffinity(src)
	g.locatePressure(src)
}

// parseQuota reads "1800000 100000" or "max 100000" of version 2, or the two
// files of version 1, in which -1 is no limit.
func parseQuota(src source, l level, b []byte) (cores float64, limited, ok bool) {
	f, rest := field(b)
	if s := string(f); s == "max" || s == "-1" {
		return 0, false, true
	}
	quota, ok := number(f)
	if !ok || quota == 0 {
		return 0, false, false
	}
	if l.v1 {
		if b, err := src.read(l.dir + "/cpu.cfs_period_us"); err == nil {
			rest = b
		}
	}
	f, _ = field(rest)
	period, ok := number(f)
	if !ok || period == 0 {
		return 0, false, false
	}
	return float64(quota) / float64(period), true, true
}

// tightest reads one file on every level and keeps the least limit. A level
// without the file has none. Where a level can't be read the limit is not
// known, since that level's may be the least.
func tightest(src source, ls []level, path func(level) string, parse func(level, []byte) (float64, bool, bool)) (probe.Value, level) {
	best, where, bad := probe.Missing(probe.Unsupported, "no limit"), level{}, probe.Value{}
	for _, l := range ls {
		b, err := src.read(path(l))
		if err != nil {
			if v := missing(err); v.State != probe.Unsupported {
				bad = v
			}
			continue
		}
		raw := garbled(b)
		n, limited, ok := parse(l, b)
		if !ok {
			bad = raw
			continue
		}
		if m, have := best.Ok(); limited && (!have || n < m) {
			best, where = probe.Of(n), l
		}
	}
	if bad.State != probe.Pending {
		return bad, where
	}
	return best, where
}

// addAffinity counts the processors that this login may use: a container
// pinned to some of them has no quota but is limited all the same.
func (g *groups) addAffinity(src source) {
	g.allowed = nil
	b, err := src.read(fileStatus)
	if err != nil {
		return
	}
	var cores []bool
	for len(b) > 0 {
		var l []byte
		l, b = line(b)
		if rest, ok := bytes.CutPrefix(l, []byte("Cpus_allowed_list:")); ok {
			cores = coreList(rest)
		}
	}
	allowed := 0
	for _, ok := range cores {
		if ok {
			allowed++
		}
	}
	b, err = src.read(fileStat)
	if err != nil || allowed == 0 {
		return
	}
	var s Snapshot
	if !s.parseStat(b) || allowed >= len(s.cores) {
		return
	}
	g.allowed = cores
	if q, ok := g.quota.Ok(); g.quota.State == probe.Unsupported || ok && float64(allowed) < q {
		g.quota = probe.Of(float64(allowed))
	}
}

// coreList reads a list such as "0-3,8"; nil where it is none.
func coreList(b []byte) []bool {
	var cores []bool
	for part := range bytes.SplitSeq(bytes.TrimSpace(b), []byte(",")) {
		lo, hi, ranged := bytes.Cut(part, []byte("-"))
		from, ok := number(lo)
		to := from
		if ranged && ok {
			to, ok = number(hi)
		}
		if !ok || to < from || to >= maxCores {
			return nil
		}
		for uint64(len(cores)) <= to {
			cores = append(cores, false)
		}
		for i := from; i <= to; i++ {
			cores[i] = true
		}
	}
	return cores
}

// locatePressure takes the pressure of our own group where one is mounted as
// the root (a container) or limits us, else the machine's.
func (g *groups) locatePressure(src source) {
	g.psi = make(map[string]string, len(psiFiles))
	dir := ""
	if _, err := src.read(cgroupRoot + "/cgroup.type"); err == nil {
		dir = cgroupRoot
	} else if g.memDir.dir != "" && !g.memDir.v1 {
		dir = g.memDir.dir
	}
	for _, kind := range psiFiles {
		g.psi[kind] = "/proc/pressure/" + kind
		if dir == "" {
			continue
		}
		if own := dir + "/" + kind + ".pressure"; exists(src, own) {
			g.psi[kind] = own
		}
	}
}

func exists(src source, path string) bool {
	_, err := src.read(path)
	return err == nil || missing(err).State != probe.Unsupported
}
