package procfs

import "rentgen/probe"

// cpuTimes are the clock ticks of one processor, or of all together.
type cpuTimes struct {
	id     int // of the core; -1 for all
	busy   uint64
	idle   uint64
	iowait uint64
}

// maxCores bounds the list of processors.
const maxCores = 4096

func (s *Snapshot) fillCPU(src source) {
	s.cores = s.cores[:0]
	b, err := src.read(fileStat)
	if err != nil {
		s.cpuMiss = missing(err)
		return
	}
	if !s.parseStat(b) {
		s.cpuMiss = garbled(b)
		return
	}
	s.cpuMiss = probe.Value{State: probe.OK}
}

// parseStat reads the cpu lines of /proc/stat and reports whether the line of
// all processors was there. Guest time is already part of user time; time
// stolen by the hypervisor counts as busy, since something wanted to run.
func (s *Snapshot) parseStat(b []byte) bool {
	seen := false
	for len(b) > 0 {
		var l []byte
		l, b = line(b)
		if len(l) < 4 || string(l[:3]) != "cpu" {
			if seen {
				break // the cpu lines stand together, what follows is long
			}
			continue
		}
		name, rest := field(l)
		t, ok := parseTimes(rest)
		if !ok {
			return false
		}
		if len(name) == 3 {
			t.id, s.cpu, seen = -1, t, true
			continue
		}
		id, ok := number(name[3:])
		if !ok || id >= maxCores {
			return false
		}
		if len(s.cores) < maxCores {
			t.id = int(id)
			s.cores = append(s.cores, t)
		}
	}
	return seen
}

// parseTimes reads user, nice, system, idle, iowait, irq, softirq and steal;
// old kernels print fewer, at least the first four.
func parseTimes(b []byte) (cpuTimes, bool) {
	var t cpuTimes
	for i := range 8 {
		var f []byte
		f, b = field(b)
		if len(f) == 0 {
			return t, i >= 4
		}
		n, ok := number(f)
		if !ok {
			return t, false
		}
		switch i {
		case 3:
			t.idle = n
		case 4:
			t.iowait = n
		default:
			t.busy += n
		}
	}
	return t, true
}

// share returns the percentage of busy time and of waiting for I/O. Idle and
// waiting time may step back a little by the kernel's own account; busy time
// that does is another machine's.
func (t cpuTimes) share(prev cpuTimes) (busy, wait probe.Value) {
	if t.busy < prev.busy {
		return backwards, backwards
	}
	b := float64(t.busy - prev.busy)
	i, w := forward(prev.idle, t.idle), forward(prev.iowait, t.iowait)
	total := b + i + w
	if total == 0 {
		return probe.Value{}, probe.Value{} // no clock tick between the two
	}
	return probe.Of(100 * b / total), probe.Of(100 * w / total)
}

func forward(before, now uint64) float64 {
	if now < before {
		return 0
	}
	return float64(now - before)
}

func setCPU(s *probe.System, prev, cur *Snapshot) {
	all, busiest, wait := cur.cpuMiss, cur.cpuMiss, cur.cpuMiss
	if cur.cpuMiss.State == probe.OK {
		all, busiest, wait = probe.Value{}, probe.Value{}, probe.Value{}
		if prev != nil && prev.cpuMiss.State == probe.OK {
			all, wait = cur.cpu.share(prev.cpu)
			busiest = busiestCore(prev.cores, cur.cores, cur.allowed)
		}
	}
	s.Set(probe.CPU, all)
	s.Set(probe.CPUBusiest, busiest)
	s.Set(probe.IOWait, wait)
}

// busiestCore compares core by core; a core that came or went in between is
// left out, and so is one that this login may not use: its load is another
// tenant's.
func busiestCore(prev, cur []cpuTimes, allowed []bool) probe.Value {
	best := probe.Value{}
	if len(cur) == 0 {
		return probe.Missing(probe.Unsupported, "no line per core in /proc/stat")
	}
	j := 0
	for _, c := range cur {
		for j < len(prev) && prev[j].id < c.id {
			j++
		}
		if j == len(prev) || prev[j].id != c.id || allowed != nil && (c.id >= len(allowed) || !allowed[c.id]) {
			continue
		}
		v, _ := c.share(prev[j])
		n, ok := v.Ok()
		if !ok {
			if v == backwards && best.State != probe.OK {
				best = v
			}
			continue
		}
		if b, ok := best.Ok(); !ok || n > b {
			best = v
		}
	}
	return best
}
